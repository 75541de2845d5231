#!/usr/bin/env python3
"""Runs `tptui query` as a user would: formats, exit statuses, where output goes, interruption.

Usage: test_cli.py TPTUI TRACE MANUAL_PAGE
"""
import fcntl
import gzip
import json
import lzma
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

from children import Popen

tptui, trace, manual = sys.argv[1:]
failures = []
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'
NASTY = "SELECT 1 AS a, 'x,\"y' AS b, NULL AS c, 0.1 AS d, char(27) || '[31m|' || char(10) AS e, x'00ff' AS f"


def run(*args, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    p = subprocess.run([tptui, *args], capture_output='stdout' not in options, timeout=60,
                       **({'stderr': subprocess.PIPE} if 'stdout' in options else {}), **options)
    return p.returncode, (p.stdout or b'').decode(), p.stderr.decode()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def processor_seconds():
    """Of the programs that have ended: how busy the machine is does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def await_handler(pid):
    """Until the program has a handler for Ctrl-C."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open('/proc/%d/status' % pid) as f:
            if int(re.search(r'SigCgt:\s+(\w+)', f.read()).group(1), 16) >> (signal.SIGINT - 1) & 1:
                return
        time.sleep(0.01)


def output(sql, *options):
    status, out, err = run('query', *options, trace, sql)
    expect('status of ' + sql, (status, err), (0, ''))
    return out


# Formats.
expect('csv', output(NASTY), 'a,b,c,d,e,f\n1,"x,""y",,0.1,"\x1b[31m|\n",00ff\n')
expect('tsv', output(NASTY, '--format', 'tsv'), 'a\tb\tc\td\te\tf\n1\tx,"y\t\t0.1\t\x1b[31m|\\n\t00ff\n')
expect('json', json.loads(output(NASTY, '--format=json')),
       [{'a': 1, 'b': 'x,"y', 'c': None, 'd': 0.1, 'e': '\x1b[31m|\n', 'f': '00ff'}])
expect('jsonl', [json.loads(line) for line in output('SELECT 1 AS a UNION SELECT 2', '--format', 'jsonl').splitlines()],
       [{'a': 1}, {'a': 2}])
expect('markdown', output("SELECT 'a|b' AS x, 2 AS y", '--format', 'markdown'), '| x | y |\n| --- | --- |\n| a\\|b | 2 |\n')
expect('units', output("SELECT 5375203 AS dur, 7 AS n, 1500.5 AS cpu_dur, 0 AS a_dur, 'x' AS b_dur", '--format', 'markdown', '--units'),
       '| dur | n | cpu_dur | a_dur | b_dur |\n| --- | --- | --- | --- | --- |\n'
       '| 5375203 (5.375 ms) | 7 | 1500.5 (1.500 us) | 0 | x |\n')
with tempfile.NamedTemporaryFile('w', suffix='.json') as large:
    large.write('{"traceEvents":[\n')
    for ts in range(2, 400000):
        large.write('{"ph":"X","ts":%d,"dur":1,"pid":1,"tid":1,"name":"a name of some length, so that rows are few"},\n' % ts)
    large.write('{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"last"}]}')
    large.flush()
    status, out, err = run('query', '--now', large.name, "SELECT count(*) > 300000, sum(name = 'last') FROM slice")
    expect('now', (status, out.splitlines()[-1], err.count('\n'), ': rows are of its first 33.6 of ' in err), (0, '1,0', 1, True))
    with tempfile.NamedTemporaryFile(suffix='.json.gz') as packed, open(large.name, 'rb') as f:
        packed.write(gzip.compress(f.read(), 0)) # as large as it was
        packed.flush()
        status, out, err = run('query', '--now', packed.name, 'SELECT count(*) BETWEEN 30000 AND 60000 FROM slice')
        expect('now of what is compressed', (status, out.splitlines()[-1], err.count('\n'), ': rows are of its first 4.2 of ' in err),
               (0, '1', 1, True))
expect('now of a small one', run('query', '--now', trace, 'SELECT 1')[1:], ('1\n1\n', ''))
expect('no units for programs', output('SELECT 5375203 AS dur', '--format', 'csv', '--units'), 'dur\n5375203\n')
expect('table', output("SELECT 'name' AS a, 12345 AS number UNION ALL SELECT NULL, 7", '--format', 'table'),
       'a     number\n----  ------\nname   12345\nNULL       7\n')
expect('doubles round-trip', output('SELECT 0.1 + 0.2 AS x, 1e300 * 1e10 AS y, 5.0 AS z, -1e-7 AS w'),
       'x,y,z,w\n0.30000000000000004,inf,5.0,-1e-07\n')
expect('several result sets', output('SELECT 1 AS a; CREATE TABLE t(x); SELECT 2 AS b WHERE 0; SELECT 3 AS c'),
       'a\n1\n\nb\n\nc\n3\n')

# Files and stdin.
with tempfile.NamedTemporaryFile('w', suffix='.sql') as f:
    f.write("SELECT 'file' AS a;\n")
    f.flush()
    p = subprocess.run([tptui, 'query', trace, '-f', f.name, '-f', '-'], input=b"SELECT 'in' AS b",
                       capture_output=True, timeout=60)
    expect('-f FILE -f -', (p.returncode, p.stdout), (0, b'a\nfile\n\nb\nin\n'))

# Loaded traces that are kept.
with tempfile.TemporaryDirectory() as folder:
    kept = os.path.join(folder, 'kept.columns')
    fresh = output('SELECT * FROM slice; SELECT * FROM args LIMIT 100', '--no-cache')
    for what in 'written', 'read':
        expect('columns are ' + what, output('SELECT * FROM slice; SELECT * FROM args LIMIT 100', '--cache', kept), fresh)
    with open(kept, 'r+b') as f:
        f.seek(100)
        f.write(b'damaged')
    status, out, err = run('query', trace, 'SELECT 1', '--cache', kept)
    expect('damaged columns are named', (status, out, kept + ' is not used' in err), (0, '1\n1\n', True))
    status, out, err = run('query', trace, 'SELECT 1', '--cache', kept)
    expect('and replaced', (status, out, err), (0, '1\n1\n', ''))
    # What reads tables without SQL says it, too.
    with open(kept, 'rb') as f:
        good = f.read()
    explained = run('explain', trace, '--no-cache')
    for at in range(len(good) // 8, len(good) - 64, len(good) // 16):
        with open(kept, 'wb') as f:
            f.write(good[:at] + b'\xfe' * 64 + good[at + 64:])
        status, out, err = run('explain', trace, '--cache', kept)
        expect('damaged from byte %d on: %s' % (at, err), (status, out) == explained[:2] or (status == 1 and 'damaged' in err), True)
    expect('a file that is no trace is left alone', run('query', trace, 'SELECT 1', '--cache', trace)[0] == 0, False)
    # The timeline's indexes stand beside the columns.
    os.remove(kept)
    script = os.path.join(folder, 'keys.script')
    shown = []
    for _ in range(3):
        with open(script, 'w') as f:
            f.write(':wait-idle\nj\nw\n:screenshot %s\n' % os.path.join(folder, 'shot.txt'))
        expect('a picture', run(trace, '--cache', kept, '--script', script)[0], 0)
        with open(os.path.join(folder, 'shot.txt')) as f:
            shown.append(f.read())
        expect('indexes are kept', os.path.isfile(kept + '.timeline'), True)
        with open(kept + '.timeline', 'r+b') as f:  # from the second time on it is read, and then damaged
            if len(shown) == 2:
                f.seek(1000)
                f.write(b'damaged')
    expect('the same picture from what is kept, and where it is damaged', shown[1:], shown[:1] * 2)
    os.remove(kept + '.timeline')
    mine = dict(os.environ, XDG_CACHE_HOME=folder)
    expect('no cache', run('cache', 'list', env=mine), (0, '0 kept, 0 bytes\n', ''))
    os.mkdir(os.path.join(folder, 'tptui'), 0o700)
    os.rename(kept, os.path.join(folder, 'tptui', '0123456789abcdef.columns'))
    status, out, err = run('cache', 'list', env=mine)
    expect('cache list', (status, os.path.realpath(trace) in out, ' for 30 days ' in out, err), (0, True, True, ''))
    expect('cache clear', run('cache', 'clear', env=mine), (0, '1 removed\n', ''))

# A trace that does not fit into memory. Sanitizers take more than can be limited.
with open(tptui, 'rb') as program:
    sanitized = b'__asan_init' in program.read()
if not sanitized:
    with tempfile.TemporaryDirectory() as folder:
        large = os.path.join(folder, 'large.systrace')
        with open(large, 'w') as f:
            f.write('# tracer: nop\n')
            for i in range(200000):
                f.write('  app-100 ( 100) [001] .... %d.%06d: tracing_mark_write: I|100|name%d\n' % (i // 1000, i % 1000, i))
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (24 << 20, 24 << 20))
        expect('what does not fit', run('query', '--no-cache', large, 'SELECT 1', preexec_fn=limit),
               (3, '', 'tptui: %s: it does not fit into memory: --from TIME --to TIME loads a part of it, `tptui trim` '
                'writes one as a trace\n' % large))

# Traces from standard input, in formats of one's choice.
with open(trace, 'rb') as f:
    expect('a trace from stdin', run('query', '-', 'SELECT 1 AS a', stdin=f), (0, 'a\n1\n', ''))
expect('stdin twice', run('query', '-', '-f', '-')[0], 2)
expect('an empty stdin', run('query', '-', 'SELECT 1'), (3, '', 'tptui: -: expected a trace, found an empty file\n'))
with tempfile.NamedTemporaryFile(suffix='.pftrace') as empty:
    note = 'tptui: %s: the file is empty, as is each table of the trace\n' % empty.name
    expect('an empty file', run('query', empty.name, 'SELECT count(*) AS n FROM slice'), (0, 'n\n0\n', note))
keys = [line.split()[0] for line in run('formats')[1].split('\n\n')[0].splitlines()]
expect('formats have keys of their own', (len(keys) > 10, sorted(set(keys))), (True, sorted(keys)))
expect('a format that is not there', run('query', '--as', 'nonsense', trace, 'SELECT 1')[0], 2)
for key in keys:
    expect('any file as ' + key, run('query', '--as', key, trace, 'SELECT 1 AS a')[0] in (0, 3), True)
    expect('a text as ' + key, run('query', '--as', key, sys.argv[0], 'SELECT 1 AS a')[0] in (0, 3), True)

# Why there are no rows.
status, out, err = run('query', trace, "SELECT name FROM perf_sample JOIN thread USING (utid)")
expect('an empty table is explained on stderr', (status, out, err),
       (0, 'name\n', 'tptui: no rows: perf_sample is empty: it needs the data source linux.perf\n'))
expect('a recorded data source is not blamed', run('query', trace, 'SELECT * FROM spurious_sched_wakeup')[2],
       'tptui: no rows: spurious_sched_wakeup is empty: linux.ftrace (sched/sched_waking, sched/sched_switch) was '
       'recorded, but no such event occurred\n')
expect('a data source recorded without what fills the table', run('query', trace, 'SELECT * FROM filedescriptor')[2],
       'tptui: no rows: filedescriptor is empty: it needs the data source linux.process_stats (resolve_process_fds)\n')

# What was lost goes before other reasons, and is told of each query.
with tempfile.NamedTemporaryFile(suffix='.json', mode='w') as broken:
    broken.write('[{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "read"}, '
                 '{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "read"}, {"ph": "X", "ts": 3}, "nonsense"]')
    broken.flush()
    status, out, err = run('query', broken.name, 'SELECT count(*) AS n FROM slice')
    lost = err.partition(broken.name + ': ')[2]
    expect('what is missing is said', (status, out, 'missing' in lost), (0, 'n\n2\n', True))
    expect('an empty result says it first', run('query', broken.name, 'SELECT ts FROM counter')[2], err + 'tptui: no rows: ' + lost)
    expect('a condition that nothing fulfils', run('query', broken.name, "SELECT ts FROM slice WHERE name = 'x'")[2],
           err + 'tptui: no rows: ' + lost)
    expect('what reads no events', run('query', broken.name, 'SELECT 1 WHERE 0')[2], err)
    expect('a shell says nothing to programs', run('shell', '-Q', 'SELECT 1', broken.name)[2].count('missing'), 0)

# tptui sql in a pipe.
p = subprocess.run([tptui, 'sql', trace], input=b"SELECT 1 AS a;", capture_output=True, timeout=60)
expect('sql in a pipe', (p.returncode, p.stdout), (0, b'a\n1\n'))
p = subprocess.run([tptui, 'sql', '--as', 'json', '--no-cache', trace], input=b"SELECT 1 AS a;", capture_output=True,
                   timeout=60)
expect('sql in a pipe takes its options along', p.returncode != 0, True)

# SQL in the published style.
with tempfile.TemporaryDirectory() as folder:
    path = folder + '/a.sql'
    with open(path, 'w') as f:
        f.write('select  1 as a;')
    expect('fmt prints', run('fmt', path), (0, 'SELECT 1 AS a;\n', ''))
    expect('fmt --check names what would change', run('fmt', '--check', path), (1, path + '\n', ''))
    expect('fmt --write', run('fmt', '-w', path), (0, '', ''))
    expect('fmt --check of what was formatted', run('fmt', '--check', path), (0, '', ''))
    with open(path, 'w') as f:
        f.write("select 'x")
    status, out, err = run('fmt', path)
    expect('fmt of an open quote', (status, out, ':1:8: this quote is not closed' in err), (1, '', True))
    expect('fmt of no file', run('fmt', folder + '/none.sql')[0], 2)

# A file is looked at before it is read: what is packed in it, several times, does not hold that up. The padding behind
# the innermost data is repeated as blocks of deflate, which hold as many of the layer below.
def flushed(data):
    deflate = zlib.compressobj(9, wbits=-15)
    return deflate.compress(data) + deflate.flush(zlib.Z_FULL_FLUSH)


with tempfile.TemporaryDirectory() as folder:
    begin, padding = lzma.compress(b'x'), bytes(1 << 20)
    for _ in range(3):
        begin = b'\x1f\x8b\x08' + bytes(6) + b'\xff' + flushed(begin)
        padding = flushed(padding * (1 + (1 << 20) // len(padding)))
    with open(folder + '/padding.gz', 'wb') as f:
        f.write(begin + padding)
    code, out, err = run('show', folder + '/padding.gz')
    expect('a file that is nearly all padding', (code, out, 'not a trace format known here' in err), (3, '', True))

# Modules from folders.
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + '/sub')
    with open(folder + '/one.sql', 'w') as f:
        f.write('CREATE PERFETTO VIEW one AS SELECT 1 AS x;')
    with open(folder + '/sub/two.sql', 'w') as f:
        f.write('INCLUDE PERFETTO MODULE mine.one;\nCREATE PERFETTO VIEW two AS\nSELECT x + brokn AS y FROM one;'
                'SELECT * FROM two;')
    expect('--add-sql-package', output('INCLUDE PERFETTO MODULE mine.one; SELECT * FROM one',
                                       '--add-sql-package', folder + '@mine'), 'x\n1\n')
    expect('--override-stdlib', output('INCLUDE PERFETTO MODULE one; SELECT * FROM one',
                                       '--override-stdlib=' + folder), 'x\n1\n')
    os.makedirs(folder + '/prelude/after_eof')
    with open(folder + '/prelude/after_eof/views.sql', 'w') as f:
        f.write('CREATE PERFETTO VIEW slice AS SELECT 1 AS x;')
    expect('the prelude stays', output('INCLUDE PERFETTO MODULE prelude.after_eof.views; SELECT count(*) > 1 AS n FROM slice',
                                       '--override-stdlib', folder), 'n\n1\n')
    status, _, err = run('query', '--override-stdlib', folder, trace, 'INCLUDE PERFETTO MODULE slices.with_context')
    expect('built-in modules are gone', (status, 'no such module' in err), (1, True))
    status, _, err = run('query', '--add-sql-package', folder + '@mine', trace, '\nINCLUDE PERFETTO MODULE mine.sub.two')
    expect('an error in a module', (status, 'module mine.sub.two:3:' in err, 'included at query:2:25' in err),
           (1, True, True))
    if 'module mine.sub.two:3:' not in err:
        print(err)

# What is no trace is refused after its first megabytes, however long it is.
def refuse(what, path, **options):
    p = Popen([tptui, 'query', path, 'SELECT 1'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    err = p.stderr.read().decode()
    _, status, used = os.wait4(p.pid, 0)
    expect(what, (os.waitstatus_to_exitcode(status), err.count('\n'), 'not a trace format known here' in err),
           (3, 1, True))
    expect('memory for ' + what, used.ru_maxrss < 400_000, True)


with tempfile.TemporaryDirectory() as folder:
    with open(folder + '/sparse', 'wb') as f:
        f.truncate(100 << 30)
    with gzip.open(folder + '/bomb.gz', 'wb', compresslevel=1) as f:
        for _ in range(512):
            f.write(bytes(1 << 20))
    refuse('a sparse file', folder + '/sparse')
    refuse('a gzip file of zeros', folder + '/bomb.gz')
refuse('an endless device', '/dev/zero')
with Popen(['yes'], stdout=subprocess.PIPE) as endless:
    refuse('an endless pipe', '/dev/stdin', stdin=endless.stdout)
    endless.kill()


# A window's bytes are no more in memory than those of the whole are.
def memory_kb(*args):
    p = Popen([tptui, 'query', *args, 'SELECT count(*) FROM slice'], stdout=subprocess.PIPE)
    rows = p.stdout.read().split()[-1]
    _, status, used = os.wait4(p.pid, 0)
    expect('slices of a large file', (os.waitstatus_to_exitcode(status), rows), (0, b'96000'))
    return used.ru_maxrss


with tempfile.TemporaryDirectory() as folder:
    with gzip.open(folder + '/wide.json.gz', 'wt', compresslevel=1) as f:
        events = ('{"ph": "X", "ts": %d, "dur": 1, "pid": 1, "tid": 1, "name": "a"%s}' % (i, ' ' * 1000) for i in range(96_000))
        f.write('[')
        f.write(next(events))
        for event in events:
            f.write(',\n' + event)
        f.write(']')
    whole, window = memory_kb(folder + '/wide.json.gz'), memory_kb(folder + '/wide.json.gz', '--from', '0ms', '--to', '10s')
    expect(f'memory for a window ({window} KB, the whole {whole} KB)', window < whole + 40_000, True)

# Exit statuses and messages.
for args, status, part in (
        (['query', trace, 'SELEC 1'], 1, '^'),
        (['query', trace, 'SELECT 1; SELECT * FROM slicee'], 1, 'did you mean slice'),
        (['query', trace], 2, 'needs SQL'),
        (['query'], 2, 'needs a trace'),
        (['query', '--format', 'xml', trace, 'SELECT 1'], 2, 'xml'),
        (['query', '--wrong', trace, 'SELECT 1'], 2, 'no option --wrong\ntry: tptui query --help'),
        (['query', '--fromat=csv', trace, 'SELECT 1'], 2, 'no option --fromat: did you mean --format?'),
        (['--key', 'zoom-inn = x', trace], 2, 'no action zoom-inn: did you mean zoom-in?'),
        (['query', '--from', '1day', trace, 'SELECT 1'], 2, '1:02:03'),
        (['-q', 'q.sql', trace], 2, 'no option -q; trace_processor_shell has'),
        (['--httpd', trace], 2, 'no option --httpd; trace_processor_shell has'),
        ([''], 2, 'which trace?'),
        (['--thme', 'light', trace], 2, 'did you mean --theme?\ntry: tptui --help'),
        (['query', trace, 'SELECT 1', '--format'], 2, '--format needs a value'),
        (['query', '--allow-sql-file-access=1', trace, 'SELECT 1'], 2, 'takes no value'),
        (['query', '-x', trace, 'SELECT 1'], 2, 'no option -x'),
        (['query', trace, '--', '-f'], 1, 'syntax error'),
        (['--wrong', trace], 2, 'the timeline has no option --wrong'),
        ([trace, '--size', '3'], 2, 'WIDTHxHEIGHT'),
        ([trace, trace], 2, 'one trace at a time'),
        (['query', '--timeout', '0', trace, 'SELECT 1'], 2, 'seconds'),
        (['query', trace, '-f', '/nonexistent.sql'], 2, '/nonexistent.sql'),
        (['query', '/nonexistent.pftrace', 'SELECT 1'], 3, '/nonexistent.pftrace'),
        (['query', '/', 'SELECT 1'], 3, 'directory'),
        (['--goto', 'foo 3', '--script', '/dev/null', trace], 1, 'a place is'),
        (['query', '--timeout', '1e-300', trace, ENDLESS], 1, 'timed out'),
        (['--script', '/', trace], 1, 'directory'),
        (['--goto', 'time 5', '--script', '/dev/null', trace], 1, '5 is outside the trace'),
        ([os.path.dirname(manual) + '/none://x'], 3, 'curl -fsSL'),
        (['qurey', trace], 2, 'no file and no command qurey: did you mean query?'),
        (['mertics'], 2, 'no file and no command mertics: did you mean metrics?'),
        (['./mertics'], 3, './mertics: cannot be opened'),
        (['query', '--timeout', '0.2', trace, ENDLESS], 1, 'timed out')):
    got, _, err = run(*args)
    expect('status of ' + ' '.join(args), got, status)
    expect('%r in the message of %s' % (part, ' '.join(args)), part in err, True)
# Standard error takes no more than the first word of a message while it is written: the alarm that ends what takes too
# long does not write another one behind it.
ours, theirs = os.pipe()
fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ if hasattr(fcntl, 'F_SETPIPE_SZ') else 1031, 4096)
os.write(theirs, b'x' * (4096 - len('tptui: ')))
late = Popen([tptui, 'query', '--timeout', '0.2', trace, ENDLESS], stderr=theirs, stdout=subprocess.DEVNULL)
os.close(theirs)
try:
    late.wait(timeout=2)
except subprocess.TimeoutExpired:
    pass
with os.fdopen(ours, 'rb') as errors:
    said = errors.read().lstrip(b'x')
expect('one message of a time that is over', (late.wait(timeout=60), said in (b'tptui: timed out\n', b'tptui: ')), (1, True))
status, out, err = run('query', trace, 'SELECT 1 AS a; SELEC')
expect('rows before an error', (status, out), (1, 'a\n1\n'))
expect('no row of a failed run goes to stderr', 'tptui: query:1:16' in err, True)

# Help, where it is looked for.
usage = run('--help')[1]
commands = sorted(set(re.findall(r'^ +tptui ([a-z]+)', usage, re.M)) - {'formats'})
expect('commands in the help', len(commands) > 15, True)
helps = {command: run(command, '--help')[1] for command in commands}
for command in commands:
    expect('how %s is called' % command, helps[command].startswith('Usage: tptui %s ' % command), True)
    expect('help for ' + command, run('help', command)[:2], (0, helps[command]))
expect('options of query, of others not', ('--timeout' in helps['query'], '--jobs' in helps['query']), (True, False))
for args in (['query', '-h'], ['query', trace, '--help'], ['query', trace, 'SELECT 1', '--help']):
    expect('help: ' + ' '.join(args), run(*args)[:2], (0, helps['query']))
for args in (['help'], ['-h'], [trace, '--help']):
    expect('help: ' + ' '.join(args), run(*args)[:2], (0, usage))
expect('behind -- nothing is an option', run('query', trace, '--', '--help')[0], 0)

# SQL that begins with a comment is no option; a file is no SQL.
expect('SQL with a comment', run('query', trace, '-- one\nSELECT 1 AS a'), (0, 'a\n1\n', ''))
expect('SQL with a comment that has =', run('query', trace, '--a=\nSELECT 1 AS a')[0], 2)
expect('an unknown option', run('query', trace, 'SELECT 1', '--formt', 'csv')[0], 2)
for args, part in ((['query', 'SELECT 1', trace], 'the trace comes first'), (['query', trace, trace, 'SELECT 1'], 'tptui batch'),
                   (['query', trace, __file__], '-f ' + __file__), ([trace, trace], 'tptui diff')):
    status, _, err = run(*args)
    expect('%s: %s' % (' '.join(args), err), (status, part in err), (2, True))

# Rows of half a trace do not pass for those of a whole one.
with tempfile.TemporaryDirectory() as folder:
    half, whole = os.path.join(folder, 'half'), open(trace, 'rb').read()
    with open(half, 'wb') as f:
        f.write(whole[:-3])
    status, out, err = run('query', half, 'SELECT 1 AS a')
    expect('a trace that is cut off', (status, out, half + ': ' in err, '[trace_truncated_bytes]' in err), (0, 'a\n1\n', True, True))
expect('a whole one', run('query', trace, 'SELECT 1 AS a'), (0, 'a\n1\n', ''))

# A packet that cannot be read is damage as well, wherever it is.
with tempfile.TemporaryDirectory() as folder:
    damaged = os.path.join(folder, 'damaged')
    with open(damaged, 'wb') as f:
        f.write(whole + b'\x0a\x7f' + bytes(20) + whole)
    status, out, err = run('query', damaged, 'SELECT 1 AS a')
    expect('a packet with a wrong length', (status, out, 'in 1 place' in err and '[packet_corrupt]' in err), (0, 'a\n1\n', True))

# Statements from a pipe, where no others are given.
piped = subprocess.run([tptui, 'query', trace], input='SELECT 1 AS a;', stdout=subprocess.PIPE, text=True)
expect('statements from a pipe', (piped.returncode, piped.stdout), (0, 'a\n1\n'))

# Long times.
expect('a window behind the end', run('query', '--from', '1h', trace, 'SELECT 1 AS a')[2].count('from 3600000.000 ms on, has nothing of the trace'), 1)
expect('minutes and hours', run('query', '--from', '0h', '--to', '0.5min', trace, 'SELECT 1 AS a')[:2], (0, 'a\n1\n'))

# Times of windows count from where the timeline begins, not from lines that mean nothing; what a window has none of, and
# what is said of loss there.
with tempfile.NamedTemporaryFile('w', suffix='.systrace') as marks:
    marks.write('# tracer: nop\n# entries-in-buffer/entries-written: 5/9   #P:1\n')
    for second, text in ((1, 'trace_event_clock_sync: parent_ts=1.0'), (5, 'B|7|first'), (6, 'E|7'), (9, 'B|7|last'), (10, 'E|7')):
        marks.write('  app-7 ( 7) [000] .... %d.000000: tracing_mark_write: %s\n' % (second, text))
    marks.flush()
    times = 'SELECT count(*) AS n, trace_start() / 1000000000 AS a, trace_end() / 1000000000 AS b FROM slice'
    for window, wanted in ((), '2,5,10'), (('--from', '0', '--to', '1500ms'), '1,5,6'), (('--to', '1500ms'), '1,5,6'), \
            (('--from', '3500ms'), '1,8,10'), (('--from', '2s', '--to', '3s'), '0,7,8'):
        expect('a window %s' % (window,), run('query', marks.name, times, *window)[1], 'n,a,b\n%s\n' % wanted)
    with tempfile.NamedTemporaryFile('w', suffix='.script') as script:
        script.write(':wait-idle\n:expect 500 ms window\n:expect 0.000 .. 500.000 ms\n:expect (no end in the window)\n:expect loaded part\n:goto slice 0\n:wait-idle\n:expect no end in the window\n'
                     ':expect-not missing\n:expect-not began before\nI\n:wait-idle\n'
                     ':expect A window of 500.000 ms: from 0.000 ms to 500.000 ms of a trace of 5000.000 ms.\n')
        script.flush()
        expect('a window on the screen', run('--script', script.name, '--to', '500ms', marks.name)[::2], (0, ''))
        script.seek(0)
        script.write(':wait-idle\n:expect (began before the window)\n:expect-not -0.000\n:goto slice 0\n:wait-idle\n:expect began before the window\n:expect-not no end in the window\n')
        script.truncate()
        script.flush()
        expect('what began before a window', run('--script', script.name, '--from', '500ms', marks.name)[::2], (0, ''))
    why = run('explain', '--slice', '0', '--from', '500ms', '--to', '700ms', marks.name)[1]
    expect('why, of what is longer than a window', ('200 ms (began before the window, no end in the window)' in ' '.join(why.split()), why.count(' -0')), (True, 0))
    expect('and of what never ended', 'never ended' in run('explain', '--slice', '1', marks.name)[1], False)
    with tempfile.NamedTemporaryFile('w', suffix='.script') as script:
        script.write(':wait-idle\n:expect data loss 4 in the recording\n')
        script.flush()
        expect('loss around a window on the screen', run('--script', script.name, '--from', '500ms', marks.name)[::2], (0, ''))
    none = run('query', marks.name, 'SELECT * FROM slice', '--from', '2s', '--to', '3s')[2]
    expect('a window without slices', (none.count('slice is empty: the window has none of it'), none.count('data source')), (1, 0))
    expect('loss around a window', (none.count('4 events (anywhere in the recording) are missing'), none.count('%')), (2, 0))

with tempfile.NamedTemporaryFile('w', suffix='.txt') as hole:
    hole.write('# tracer: nop\n' + ''.join('  app-7 ( 7) [000] .... %d.000000: tracing_mark_write: C|7|n|1\n' % i for i in range(9)) + '\0' * 50)
    hole.flush()
    for window, where in ((), ''), (('--to', '2s'), ' (anywhere in the recording)'):
        expect('a hole around a window', ('50 bytes of events are missing%s: ' % where) in run('query', hole.name, 'SELECT 1', *window)[2], True)

# Times before the clock's 0.
with tempfile.NamedTemporaryFile('w', suffix='.json') as early:
    early.write('[' + ','.join('{"ph":"X","ts":%d,"dur":100,"pid":1,"tid":1,"name":"x"}' % ts for ts in (-900, -500, 100)) + ']')
    early.flush()
    for window, wanted in (('--from=-000000550000', '-500000\n100000\n'), ('--to=-000000550000', '-900000\n')):
        expect('a window before 0: ' + window, run('query', early.name, window, 'SELECT ts FROM slice')[1], 'ts\n' + wanted)

# A window that begins at time 0 knows, too, that the text has sched_waking: its wake-ups mean nothing.
with tempfile.NamedTemporaryFile('w', suffix='.systrace') as text:
    text.write('# tracer: nop\n')
    switch = 'sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120'
    for at, task, event in (('0.000000', 'a-1', switch % ('a', 1, 'R', 'b', 3)), ('0.500000', 'b-3', switch % ('b', 3, 'S', 'a', 1)),
                              ('0.600000', 'a-1', 'sched_wakeup: comm=b pid=3 prio=120 target_cpu=000'),
                              ('0.700000', 'a-1', switch % ('a', 1, 'R', 'b', 3)),
                              ('2.000000', 'a-1', 'sched_waking: comm=b pid=3 prio=120 target_cpu=000')):
        text.write(' %s [000] ...1 %s: %s\n' % (task, at, event))
    text.flush()
    states = 'SELECT ts, dur, state FROM thread_state WHERE ts < 1000000000 ORDER BY ts, state'
    expect('wake-ups of a window from time 0', run('query', text.name, states, '--to', '1000ms')[1], run('query', text.name, states)[1])

# The names of all metrics.
expect('names without a trace', run('metrics', '--list'), run('metrics', trace, '--list'))
status, out, err = run('metrics', trace, '--list')
names = out.split()
expect('metrics: ' + err, (status, names == sorted(set(names)), {'android_startup', 'trace_metadata'} <= set(names)), (0, True, True))
expect('a metric that was listed', run('metrics', trace, '--run', names[0])[0], 0)
expect('neither --run nor --list', run('metrics', trace)[0], 2)

# The manual page has every option and every action.
with open(manual) as f:
    page = f.read().replace('\\-', '-')
for option in re.findall(r'--[a-z0-9-]+', usage + ''.join(helps.values())):
    expect('%s in the manual page' % option, option in page, True)
for line in run('--keys')[1].splitlines():
    expect('%s in the manual page' % line, '\\fI%s\\fP' % line.split('\t')[1] in page, True)

# Output that cannot be written.
read, write = os.pipe()
os.close(read)
expect('a reader that went away', run('query', trace, 'SELECT 1', stdout=write)[0], 0)
os.close(write)
with open('/dev/full', 'wb') as full:
    status, _, err = run('query', trace, 'SELECT 1', stdout=full)
    expect('a full disk', (status, 'No space left' in err), (1, True))
closed = subprocess.run(['sh', '-c', '"$0" query "$1" "SELECT 1" >&-', tptui, trace], capture_output=True, timeout=60)
expect('stdout closed', (closed.returncode, b'cannot write' in closed.stderr), (1, True))

# Ctrl-C ends the query soon, with the usual status.
p = Popen([tptui, 'query', trace, ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
await_handler(p.pid)
time.sleep(1)  # so that the query runs; what comes earlier ends as well
p.send_signal(signal.SIGINT)
_, err = p.communicate(timeout=60)
expect('interrupted', (p.returncode, b'interrupted' in err), (130, True))

# So does a time-out, whatever runs: sorting, indexes, functions of SQLite on huge values, freeing them.
MANY = 'thread_state a, thread_state b'
begin = processor_seconds()
run('query', trace, 'SELECT 1')
load = processor_seconds() - begin
for sql in (
        'SELECT count(*) FROM %s, thread_state c WHERE a.ts + b.ts > c.ts' % MANY,
        'SELECT sum(r) FROM (SELECT rank() OVER (ORDER BY a.dur + b.dur) AS r FROM %s)' % MANY,
        'SELECT a.state FROM %s ORDER BY a.state || b.state || b.ts' % MANY,
        'SELECT count(DISTINCT a.ts + b.ts), group_concat(a.state) FROM %s' % MANY,
        'CREATE PERFETTO TABLE x AS SELECT a.ts FROM %s, thread_state c' % MANY,
        'CREATE TABLE x AS SELECT a.ts + b.ts AS y FROM %s; CREATE INDEX i ON x(y)' % MANY,
        'SELECT length(replace(hex(zeroblob(400000000)), "00", "abc"))',
        'SELECT length(zeroblob(900000000) || "x") FROM thread_state',
        "SELECT sum(length(printf('%900000000d', id))) FROM thread_state",
        "SELECT sum(extract_arg(arg_set_id, 'prev_comm') = 'x') FROM ftrace_event, thread_state"):
    begin = processor_seconds()
    status, _, err = run('query', '--timeout', '0.2', trace, sql)
    late = processor_seconds() - begin - load - 0.2
    expect('timed out: ' + sql, (status, err), (1, 'tptui: timed out\n'))
    expect('ends within 100 ms (and 300 of slack for the machine): %s: %.3f s' % (sql, late), late < 0.4, True)

# Files that queries write.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'out')
    sql = "SELECT __intrinsic_file_write('%s', x'00ff') AS done" % path
    status, out, err = run('query', trace, sql)
    expect('files are not written', (status, out, os.path.exists(path)), (1, '', False))
    expect('what allows writing', '__intrinsic_file_write: File I/O is disabled: --allow-sql-file-access' in err, True)
    expect('--allow-sql-file-access', output(sql, '--allow-sql-file-access'), 'done\n2\n')
    expect('a written file', open(path, 'rb').read(), b'\x00\xff')
    status, _, err = run('query', '--allow-sql-file-access', trace,
                         "SELECT __intrinsic_file_write('%s/none/out', x'61')" % folder)
    expect('where a file cannot be written', (status, 'none/out: cannot be written: No such file or directory' in err), (1, True))
    path = os.path.join(folder, 'trace.json')
    sql = 'INCLUDE PERFETTO MODULE slices.with_context; ' \
          'SELECT count(*), sum(dur), sum(ts % 1000), count(DISTINCT name), count(DISTINCT utid) FROM thread_slice ' \
          'WHERE dur > 0'
    before = output(sql)
    output("SELECT export_json('%s') AS done" % path, '--allow-sql-file-access')
    events = json.load(open(path))['traceEvents']
    expect('phases of an exported trace', {e['ph'] for e in events} >= {'M', 'X', 'C', 'b', 'e'}, True)
    status, out, err = run('query', path, sql)
    expect('an exported trace', (status, out), (0, before))
    status, _, err = run('query', trace, "SELECT export_json('%s')" % path)
    expect('an export that is not allowed', (status, 'EXPORT_JSON: File I/O is disabled' in err), (1, True))
    for statement in ("ATTACH '%s/db' AS x", "VACUUM INTO '%s/db'"):
        status, _, err = run('query', trace, statement % folder)
        expect(statement, (status, '--allow-sql-file-access allows it' in err, os.path.exists(folder + '/db')), (1, True, False))
    many = "SELECT __intrinsic_tree_from_table('id', 1, 'parent_id', NULL%s)" % (", 'c', 1" * 40)
    expect('too many columns of a tree', run('query', trace, many)[0], 1)
    keys = 'SELECT group_concat(column1 ORDER BY %s) FROM (VALUES(1), (2))' % ', '.join(['0'] * 70)
    status, _, err = run('query', trace, keys)
    expect('too many keys', (status, 'ORDER BY in a call takes at most 63 keys' in err), (1, True))
    status, _, err = run('query', '--allow-sql-file-access', trace, 'SELECT export_json(1)')
    expect('an export without a path', (status, 'EXPORT_JSON: argument must be a filename string' in err), (1, True))
    status, _, err = run('query', '--allow-sql-file-access', trace, "SELECT __intrinsic_file_write(NULL, x'61')")
    expect('a file without a path', (status, 'argument 1, filename must be string' in err), (1, True))
    status, _, err = run('query', '--allow-sql-file-access', trace, "SELECT __intrinsic_file_write('%s/text', 'a')" % folder)
    expect('a file of text', (status, 'argument 2, content must be bytes' in err, os.path.exists(folder + '/text')), (1, True, False))

# A session keeps marks, rows, place and area, and brings them back; a link brings back the same screen.
with tempfile.TemporaryDirectory() as folder:
    kept, script, state = (os.path.join(folder, name) for name in ('kept', 'script', 'state'))

    def timeline(lines, *options):
        with open(script, 'w') as f:
            f.write('\n'.join(lines) + '\n')
        return run(trace, '--script', script, *options, env=dict(os.environ, XDG_STATE_HOME=state))

    build = [':wait-idle', 'q', ':goto slice 20', 'w', 't', 'M', ':type built here', 'Enter', 'R', 'y', 'l',
             ':screenshot %s/first.txt' % folder]
    expect('a session is kept', timeline(build, '--session', kept)[0], 0)
    expect('what it keeps', [line.split()[0] for line in open(kept)], ['tptui', 'trace', 'place', 'area', 'mark'])
    back = [':wait-idle', ':expect as you left it', "'", ':expect built here', 'Esc', 'A', ':expect the chosen rows']
    status, _, err = timeline(back, '--session', kept)
    expect('a session comes back', (status, err), (0, ''))
    expect('--goto goes before the place that was kept, whose marks stay',
           timeline([':wait-idle', ':action copy-sql', ':action list-marks', ':expect built here'], '--session', kept, '--goto',
                    'slice 3')[::2], (0, ''))
    expect('its place', 'id = 3' in open(os.path.join(state, 'tptui', 'copied')).read(), True)
    expect('--sql, too', timeline([':wait-idle', ':type SELECT 1234 * 10 AS n;', 'Enter', ':wait-idle', ':expect 12340'],
                                  '--session', kept, '--sql')[::2], (0, ''))
    status, _, err = timeline([':wait-idle', 'q', ':goto slice 20', ';', ":type SELECT ts, dur, name FROM slice LIMIT 300;", 'Enter',
                               ':wait-idle', 'l', 'l', 'P', ':wait-idle', ':expect tracks, for', ':action back', ':action back',
                               ':expect-not nothing to go', ':action back', ':expect nothing to go back to'])
    expect('P is one step back', (status, err[:200]), (0, ''))
    timeline(build, '--session', kept)
    link = re.match(r"tptui --goto '([^']*)' ", open(os.path.join(state, 'tptui', 'copied')).read()).group(1)
    status, _, err = timeline([':wait-idle', ':screenshot %s/second.txt' % folder], '--goto', link)
    rows = [open(os.path.join(folder, name)).read().split('Area')[0] for name in ('first.txt', 'second.txt')]
    expect('a link brings back the screen', (status, err, rows[0].splitlines()[3:-1]), (0, '', rows[1].splitlines()[3:-1]))

    # The cursor on the track of a query, which is there only when the query has run again.
    build = [':wait-idle', 'q', ':goto slice 20', 'w', 'w', ';', ":type SELECT ts, dur, name FROM slice LIMIT 9;", 'Enter',
             ':wait-idle', 'T', 'Enter', ':wait-idle', 'Esc', ':screenshot %s/first.txt' % folder]
    os.remove(kept)
    expect('a session with a track is kept', timeline(build, '--session', kept)[0], 0)
    expect('it names the track', ' row query:1^ at ' in open(kept).read(), True)
    back = [':wait-idle', ':wait-idle', ':screenshot %s/second.txt' % folder]
    status, _, err = timeline(back, '--session', kept)
    rows = [open(os.path.join(folder, name)).read().splitlines() for name in ('first.txt', 'second.txt')]
    expect('it comes back with the cursor there', (status, err, rows[0][0], [line for line in rows[0] if line[:1] == '>']),
           (0, '', rows[1][0], [line for line in rows[1] if line[:1] == '>']))

# Rules for alerts of the user's own, beside the program's.
with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, 'tptui', 'alerts'))
    own, kept = os.path.join(folder, 'own.sql'), os.path.join(folder, 'tptui', 'alerts', 'kept.sql')
    environment = dict(os.environ, XDG_CONFIG_HOME=folder)

    def alerts(text, sql='SELECT rule, level, name, dur, utid IS NULL AS of_none, ref FROM tptui_alerts '
                         "WHERE rule GLOB 'my*'"):
        with open(own, 'w') as f:
            f.write(text)
        return run('query', '--alerts', own, trace, 'INCLUDE PERFETTO MODULE tptui.alerts; ' + sql, env=environment)

    with open(kept, 'w') as f:
        f.write("-- alert: my kept; one\nSELECT 5 AS ts, 1 AS dur, 'it''s' AS name\n")
    status, out, err = alerts("CREATE PERFETTO TABLE _five AS SELECT 5 AS n; -- before all rules\n"
                              "-- alert: my own\n-- level: info\nCREATE PERFETTO TABLE _six AS SELECT n + 1 AS n FROM _five;\n"
                              "SELECT 7 AS ts, n AS dur, 'a;b' AS name, 1 AS utid, 'state' AS ref FROM _six; -- done\n")
    expect('own alerts', (status, out, err),
           (0, "rule,level,name,dur,of_none,ref\nmy kept; one,warning,it's,1,1,\nmy own,info,a;b,6,0,state\n", ''))
    status, out, err = run('query', '--alerts', '/dev/zero', trace, 'SELECT 1')
    expect('a file without an end is not read for ever', (status != 0, err), (True, 'tptui: /dev/zero: larger than 512 MB\n'))
    # What is wrong with one rule is said, with its file and line, and keeps no other from its alerts, nor queries from starting.
    rows = "rule,level,name,dur,of_none,ref\nmy kept; one,warning,it's,1,1,\n"
    for what, text, message in (
            ('a level that is none', '-- alert: x\n\n-- level: bad\nSELECT 1\n', ':3: a level is error, warning or info, not bad\n'),
            ('no rule', 'SELECT 1;', ': no line "-- alert: NAME", which begins a rule\n'),
            ('no query', '\n-- alert: x\n-- nothing\n', ':2: an alert has a name and a SELECT\n'),
            ('no such column', '\n-- alert: x\n  SELECT 1 AS ts, 2 AS dur,\n   nme AS name FROM slice\n',
             ':4:4: no such column: nme\n     nme AS name FROM slice\n     ^\n'),
            ('a broken statement before', '-- alert: x\nCREATE x;\nSELECT 1 AS ts, 2 AS dur, 3 AS name\n', ':2:8: near "x": syntax error'),
            ('an error on the way', "-- alert: x\nSELECT 1 AS ts, 2 AS dur, json('{') AS name\n", ':2:1: malformed JSON\n  SELECT 1 AS ts'),
            ('a quote', "-- alert: x\nSELECT 1 AS ts, 'a AS dur, 'x' AS name\n", ':2:29: this quote is not closed\n'),
            ('what stands before all rules', 'SELECT nme;\n-- alert: x\nSELECT 1 AS ts, 2 AS dur, 3 AS name\n', ':1:8: no such column: nme')):
        status, out, err = alerts(text)
        expect(what, (status, out, err[:len('tptui: ' + own + message)]), (0, rows, 'tptui: ' + own + message))
    # As many as one likes.
    status, out, err = alerts(''.join("-- alert: my %d\nSELECT 1 AS ts, 2 AS dur, 'x' AS name;\n" % i for i in range(600)),
                              "SELECT count(*) AS n FROM tptui_alerts WHERE rule GLOB 'my [0-9]*'")
    expect('many rules', (status, out, err), (0, 'n\n600\n', ''))
    # But for what takes memory without end: each rule stands behind the lines of its file.
    rule = "-- alert: my %d\nSELECT 1 AS ts, 2 AS dur, 'x' AS name;\n"
    for what, text, part in (('too many rules', ''.join(rule % i for i in range(1500)), 'there are at most 1000, and 64 MB\n'),
                             ('the same rule', (rule % 1) * 1500, 'there are at most 1000, and 64 MB\n'),
                             ('many lines before rules', '\n' * 900000 + ''.join(rule % i for i in range(100)), ':900075: from here on'),
                             ('a large file', rule % 1 + '-' * (1 << 20), 'own.sql: larger than 1 MB\n')):
        status, out, err = alerts(text, 'SELECT count(*) < 1000 AS few FROM tptui_alerts')
        expect(what, (status, out, part in err), (0, 'few\n1\n', True))
    status, out, err = alerts('-- alert: x\nSELECT 1 AS ts, 2 AS duration\n')
    expect('a column that rules have is missing', (status, out, 'no such column: alert.dur' in err and own in err), (0, rows, True))
    with open(kept, 'a') as f:
        f.write('-- alert: y\n-- level: oops\nSELECT 1\n')
    expect('a query starts', run('query', trace, 'SELECT 1 AS a', env=environment), (0, 'a\n1\n', ''))
    script = os.path.join(folder, 'keys')
    with open(script, 'w') as f:
        f.write(':wait-idle\n:expect kept.sql:4: a level is\n:expect alerts\n')
    expect('so does the timeline', run(trace, '--size', '200x40', '--script', script, env=environment)[::2], (0, ''))
    # A file that others may have written is left out, not those behind it.
    foreign = os.path.join(folder, 'tptui', 'alerts', 'a.sql')
    with open(foreign, 'w') as f:
        f.write("-- alert: my foreign\nSELECT 1 AS ts, 2 AS dur, 'x' AS name\n")
    os.chmod(foreign, 0o666)
    status, out, err = alerts('-- alert: x\nSELECT 1 AS ts, 2 AS dur, 3 AS name\n')
    expect('a file of rules is refused', (status, out, 'a.sql: its SQL is refused' in err), (0, rows, True))
    # Several broken rules, in a file in place of the folder: each is said, the good one is met.
    shutil.rmtree(os.path.join(folder, 'tptui', 'alerts'))
    plain = os.path.join(folder, 'tptui', 'alerts')
    with open(plain, 'w') as f:
        f.write("-- alert: one\nSELECT nme;\n-- alert: two\n-- level: oops\nSELECT 1\n"
                "-- alert: my good\nSELECT 5 AS ts, 1 AS dur, 'x' AS name\n-- alert: three\nSELECT 1 AS ts, 2 AS duration\n")
    status, out, err = run('query', trace, "INCLUDE PERFETTO MODULE tptui.alerts; SELECT rule FROM tptui_alerts WHERE rule GLOB 'my*'",
                           env=environment)
    expect('broken rules of a plain file', (status, out, ['%s:%d' % (plain, line) in err for line in (2, 4, 9)]),
           (0, 'rule\nmy good\n', [True] * 3))
    with open(script, 'w') as f:
        f.write(':wait-idle\n:expect alerts (2 more among the findings): \n' +
                ''.join(':expect %s:%d:\n' % (os.path.join('tptui', 'alerts'), line) for line in (2, 4, 9)))
    expect('broken rules on the screen', run(trace, '--size', '200x60', '--script', script, env=environment)[::2], (0, ''))

# Two traces: nothing differs from itself; of others, the change is B less A as each of them counts it.
status, out, err = run('diff', '--format', 'jsonl', trace, trace)
expect('a trace and itself', (status, out.strip(), err), (0, '', 'tptui: nothing differs\n'))
with tempfile.TemporaryDirectory() as folder:
    other = os.path.join(folder, 'other.json')
    with open(other, 'w') as f:
        json.dump([{'ph': 'X', 'name': 'work', 'pid': 1, 'tid': 1, 'ts': ts, 'dur': dur} for ts, dur in ((0, 5), (10, 9))], f)
    out = run('diff', '--what', 'slices', '--limit', '0', '--format', 'markdown', trace, other)[1]
    expect('units of what differs', [cells[3] for cells in (line.split(' | ') for line in out.splitlines()) if 'work' in cells],
           ['14000 (14 us)'])
    status, out, err = run('diff', '--what', 'slices', '--limit', '0', '--format', 'jsonl', trace, other)
    rows = [json.loads(line) for line in out.splitlines()]
    expect('slices of two traces', (status, err, [(row['change'], row['count_b'], row['max_ns_b']) for row in rows if row['slice'] == 'work']),
           (0, '', [(14000, 2, 9000)]))
    status, out, err = run('diff', '--what', 'slices', '--limit', '0', '--format', 'jsonl', '--to', '+8us', trace, other)
    rows = [json.loads(line) for line in out.splitlines()]
    expect('a window of two traces', (status, err, [(row['count_b'], row['total_ns_b']) for row in rows if row['slice'] == 'work']), (0, '', [(1, 5000)]))
    expect('the order of changes', [abs(row['change']) for row in rows], sorted((abs(row['change']) for row in rows), reverse=True))
    # In the timeline: rows, tables and places of both, one beside the other; the text of what was in A has no digits of B.
    script, state = (os.path.join(folder, name) for name in ('script', 'state'))
    first, second = (os.path.join(folder, name) for name in ('first.json', 'second.json'))
    for path, offset, dur in ((first, 1000, 100), (second, 500000, 300)):
        with open(path, 'w') as f:
            json.dump([{'ph': 'X', 'name': name, 'pid': 7, 'tid': 7, 'ts': offset + ts, 'dur': dur}
                       for name, ts in (('begin', 0), ('step 1', 400), ('step 2', 800), ('end', 2000))] +
                      [{'ph': 'M', 'name': 'process_name', 'pid': 7, 'args': {'name': 'server'}},
                       {'ph': 'C', 'name': 'queue', 'pid': 7, 'ts': offset, 'args': {'v': dur}}], f)

    def compare(lines, *options):
        with open(script, 'w') as f:
            f.write('\n'.join([':wait-idle'] + lines) + '\n')
        return run(first, '--compare', second, '--script', script, *options, env=dict(os.environ, XDG_STATE_HOME=state))

    beside = [':expect A first.json  B second.json', ':expect A server', ':expect B server',
              ':expect longer in B: step N  on main thread (2 and 2 times)',
              ":expect-sql SELECT group_concat((ts / 1000) || '/' || (dur / 1000), '+') FROM (SELECT * FROM slice ORDER BY name, id LIMIT 2) "
              '1000/100+1000/300',
              ':expect-sql INCLUDE PERFETTO MODULE tptui.diff; SELECT change_dur FROM tptui_diff_slices ORDER BY slice = \'step N\' DESC '
              '400000',
              ':expect-sql SELECT a_max_dur + b_max_dur FROM tptui_diff_slices ORDER BY slice = \'step N\' DESC 400000',
              ':expect-sql SELECT change_percent FROM tptui_diff_counters 200',
              'D', ':expect differences of B from A', 'Enter', ':wait-idle', ':expect b_slice_id', 'Enter', ':expect B server',
              ':expect 0.400 000 ms   thread 7/0']
    status, _, err = compare(beside)
    expect('two traces in one timeline', (status, err), (0, ''))
    again = [':expect-sql SELECT max(ts) - min(ts) FROM slice WHERE name = \'end\' 0', ':goto slice 0', 'm', ':goto slice 5',
             'g', 'a', ':wait-idle', ':wait-idle', ':expect aligned',
             ':expect-sql SELECT count(DISTINCT ts) FROM slice WHERE name IN (\'begin\', \'step 1\') 3']
    status, _, err = compare(again, '--align', 'end')
    expect('aligned by an event, then by hand', (status, err), (0, ''))
    expect('nothing to align by', compare([], '--align', 'none*')[2], 'tptui: %s: no slice to align by: none*\n' % first)
# A wait for a CPU that no run follows is a gap in the recording: it is no finding, also where it ends with its trace.
with tempfile.TemporaryDirectory() as folder:
    script, text = os.path.join(folder, 'script'), os.path.join(folder, 'sched.txt')
    switch = ('%s-%d [000] d... %s: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> '
              'next_comm=%s next_pid=%d next_prio=120\n')
    waking = 'other-1 [000] d... %s: sched_waking: comm=%s pid=%d prio=120 target_cpu=000\n'
    with open(text, 'w') as f:
        f.write('# tracer: nop\n#\n' + switch % ('late', 3, '1.000000', 'late', 3, 'other', 1) + waking % ('1.000100', 'lost', 2) +
                waking % ('1.000200', 'late', 3) + switch % ('other', 1, '1.010200', 'other', 1, 'late', 3) +
                switch % ('late', 3, '1.050000', 'late', 3, 'other', 1))
    with open(script, 'w') as f:
        f.write(':wait-idle\n6\n:wait-idle\n:screenshot %s/screen.txt\n' % folder)
    status, _, err = run(text, '--compare', text, '--script', script, env=dict(os.environ, XDG_STATE_HOME=folder))
    with open(os.path.join(folder, 'screen.txt')) as f:
        shown = f.read()
    expect('waits of two traces: ' + shown, (status, err, 'late  waits for a CPU' in shown, 'lost  waits for a CPU' in shown),
           (0, '', True, False))
expect('a diff of one', run('diff', trace)[0], 2)
expect('--align of one', run(trace, '--align', 'x')[0], 2)
expect('a window of the timeline', run('diff', '--align', 'x', '--to', '1s', trace, trace)[0], 2)

# The screen as text: top to bottom, at the time that was asked for, without a terminal.
status, out, err = run('show', '--size', '90x24', trace)
lines = out.split('\n')
expect('a screen as text', (status, err, len(lines), 'data loss' in lines[0], 'Findings' in out), (0, '', 25, True, True))
status, out, err = run('show', '--ascii', '--at', '1us', trace)
expect('a time on the screen', (status, err, out.isascii(), '0.001 000 ms' in out), (0, '', True, True))
expect('no time', run('show', '--at', 'soon', trace)[0], 1)
with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
    json.dump([{'ph': 'X', 'pid': 7, 'tid': 7, 'ts': 0, 'dur': 900000, 'name': 'whole'},
               {'ph': 'X', 'pid': 7, 'tid': 7, 'ts': 500000, 'dur': 2000, 'name': 'part\n'},
               {'ph': 'C', 'pid': 7, 'ts': 0, 'name': 'still', 'args': {'x': 3}},
               {'ph': 'C', 'pid': 7, 'ts': 500500, 'name': 'moved', 'args': {'x': 42}}], f)
    f.flush()
    status, out, err = run('show', '--at', '501', f.name)
    words = [line.strip() for line in out[out.find('\nat 501.000'):].split('\n')]
    expect('what happens at a time: ' + out,
           (status, err, '= 18 ms' in out, '[1 ' in out, [w for w in words if w.startswith(('at', 'whole', 'part', 'mov', 'still', '1 c'))]),
           (0, '', True, True, ['at 501.000 000 ms', 'whole  900 ms from 0.000 ms', 'part^J  2 ms from 500.000 ms',
                                'moved x: 42', '1 counter without a step in the window']))
expect('a screen of no trace', run('show', '/nonexistent')[0], 3)

# A folder, and what was opened last, as a list; q leads back to it.
with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, 'HOME': folder, 'XDG_STATE_HOME': folder + '/state'}
    expect('a screen of nothing', run('show', env=environment)[0], 2)
    expect('an empty folder', run(folder, env=environment)[::2],
           (3, 'tptui: %s: there is no trace below this folder\n' % folder))
    os.makedirs(folder + '/below/more')
    os.symlink('..', folder + '/below/back')
    with open(trace, 'rb') as f, open(folder + '/below/more/one.pftrace', 'wb') as one, \
            open(folder + '/two.pftrace', 'wb') as two, open(folder + '/below/none.txt', 'w') as none:
        one.write(f.read())
        f.seek(0)
        two.write(f.read())
        none.write('no trace\n')
    status, out, err = run('show', '--size', '120x24', folder + '/', env=environment)
    lines = [re.sub('  +', '  ', line.strip()) for line in out.split('\n')]
    expect('a folder', (status, err, [line.split('  ')[::2] for line in lines[1:4]]),
           (0, '', [['trace', 'kind', 'first finding'],
                    ['below/more/one.pftrace', 'Perfetto', lines[2].split('  ')[4]],
                    ['two.pftrace', 'Perfetto', lines[2].split('  ')[4]]]))
    expect('what was found', lines[2].split('  ')[4], 'nothing stands out')
    expect('what is kept', os.path.exists(folder + '/state'), False)
    with open(folder + '/script', 'w') as f:
        f.write(':wait-idle\n:expect traces below\nj\nEnter\n:wait-idle\n:expect  two.pftrace  \nTab\nq\n'
                ':expect traces below\nk\nEnter\n:wait-idle\n:expect  one.pftrace  \nTab\nq\n/\n:type two\n'
                ':expect 1 of 2\n')
    expect('from the list and back', run(folder, '--script', folder + '/script', env=environment), (0, '', ''))
expect('a table that diff does not know', run('diff', '--what', 'x', trace, trace)[0], 2)

# The user's defaults go before the program's, and the command line before them.
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, 'tptui'))
    config, script = os.path.join(folder, 'tptui', 'config'), os.path.join(folder, 'script')
    with open(script, 'w') as f:
        f.write(':wait-idle\n:screenshot %s/screen.txt\n' % folder)

    def height(text, *options):
        with open(config, 'w') as f:
            f.write(text)
        status, _, err = run(trace, '--script', script, *options, env=dict(os.environ, XDG_CONFIG_HOME=folder))
        return (status, len(open(os.path.join(folder, 'screen.txt')).readlines())) if status == 0 else (status, err.splitlines()[0])

    expect('a default of the user', height('# mine\n\n  size 80x24\n'), (0, 24))
    expect('the command line before it', height('size 80x24', '--size', '80x30'), (0, 30))
    expect('a default that is none', height('ascii\nsise 80x24'), (2, 'tptui: %s:2: there is no option sise: did you mean size?' % config))
    expect('a key that is none', height('theme light\nkey fit = Foo'), (2, 'tptui: %s:2: there is no key Foo' % config))
    expect('a theme that is none', height('mouse\ntheme drak'), (2, "tptui: %s:2: there is no theme 'drak'; built in are: dark light contrast colourblind; others are looked for "
               'in $XDG_CONFIG_HOME/tptui/themes/NAME.theme' % config))
    expect('a key of two actions', height('key fit = w'),
           (2, 'tptui: %s:1: fit = w: zoom-in has that key ("key zoom-in =" takes it away)' % config))
    expect('a character as a command of the editor', height('key edit-undo = u'),
           (2, 'tptui: %s:1: edit-undo: u types a character in the editor' % config))
    expect('a key of two commands of the editor', height('key edit-undo = Ctrl-k'),
           (2, 'tptui: %s:1: edit-undo = Ctrl-K: edit-kill-line has that key ("key edit-kill-line =" takes it away)' % config))
    expect('a sequence in a list', height('key list-down = g j'),
           (2, 'tptui: %s:1: list-down: keys of lists, prompts and texts are no sequences' % config))
    with open(config, 'w') as f:
        f.write('key previous-event = ,, Ctrl-Y\nkey row-up = j\nkey row-down = k\nkey mouse = g m\nkey fit =\nkey edit-yank = Ctrl-v\n')
    status, out, err = run('config', env=dict(os.environ, XDG_CONFIG_HOME=folder))
    expect('keys as they are configured', (status, [line for line in out.splitlines() if line[:1] not in '#'], err),
           (0, ['key row-down = k', 'key row-up = j', 'key previous-event = ,, Ctrl-Y', 'key fit =', 'key mouse = g m',
                'key edit-yank = Ctrl-V'], ''))
    expect('the other keys', '#key top = g g, Home' in out, True)
    with open(config, 'w') as f:
        f.write('')
    names = os.path.join(folder, 'tptui', 'descriptions')
    for text, message in (('# mine\nslice sched: x\nslic a: b\n', 'tptui: %s:3: expected slice, state, counter or ftrace, a name and ": sentence"' % names),
                          ('state Running: My own words for it.\n', None)):
        with open(names, 'w') as f:
            f.write(text)
        with open(script, 'w') as f:
            f.write(':wait-idle\n:goto state 5\n:wait-idle\n?\n/\n:type my own words\n:expect state Running\n')
        status, _, err = run(trace, '--script', script, env=dict(os.environ, XDG_CONFIG_HOME=folder))
        expect('descriptions of the user', (status, err.splitlines()[:1]), (2, [message]) if message else (0, []))
    os.remove(names)
    expect('a default without its value', height('theme'), (2, 'tptui: %s:1: theme takes a value' % config))

# Sets of tracks are numbered as they are found, in a compressed file, too: that is one file, not two.
with tempfile.TemporaryDirectory() as folder:
    steps = (('e', 'x', 1), ('b', 'y', 5), ('e', 'y', 6), ('b', 'x', 10), ('e', 'x', 11))
    text = json.dumps([{'ph': ph, 'cat': 'c', 'name': name, 'id': name, 'pid': 1, 'tid': 1, 'ts': ts} for ph, name, ts in steps]).encode()
    for name, data in (('plain.json', text), ('packed.json', gzip.compress(text))):
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
        expect('sets of tracks of ' + name, run('query', os.path.join(folder, name), '--format', 'csv',
                                                'SELECT name, track_group_id FROM track ORDER BY name')[1],
               'name,track_group_id\nx,0\ny,1\n')

# Completion knows every command and option.
names = [line.split('\t')[2] for line in run('--options')[1].splitlines() if line.split('\t')[0] in ('query', 'the timeline')]
for shell in ('bash', 'zsh', 'fish'):
    status, out, err = run('completion', shell)
    expect('completion for ' + shell, (status, err, [name for name in names if name[2:] not in out]), (0, '', []))
status, out, err = run('completion', 'bash')
for words, completed in (
        (['query', '--form'], '--format'),
        (['query', 'x', '--format', 'js'], 'json jsonl'),
        (['query', '--no-cache', '--format', '=', 't'], 'tsv table'),
        (['--theme', 'co'], 'contrast colourblind'),
        (['x', '--them'], '--theme'),
        (['--as', 'fu'], 'fuchsia'),
        (['convert', 'sys'], 'systrace'),
        (['cache', ''], 'list clear'),
        (['query', '--timeout', ''], ''),
        (['query', '-f', 'et'], 'etc'),
        (['su'], 'summarize')):
    done = subprocess.run(['bash', '-c', out + '\nCOMP_WORDS=(tptui %s); COMP_CWORD=%d; _tptui; echo "${COMPREPLY[@]}"' %
                           (' '.join("'%s'" % w for w in words), len(words))], capture_output=True, text=True, cwd='/')
    expect('%s completed by bash' % ' '.join(words), done.stdout, completed + '\n')
with tempfile.TemporaryDirectory() as folder:
    files = ['a1', 'a*', 'two words']
    for name in files:
        open(os.path.join(folder, name), 'w').close()
    done = subprocess.run(['bash', '-c', out + '\nCOMP_WORDS=(tptui query ""); COMP_CWORD=2; _tptui; printf "%s\\n" "${COMPREPLY[@]}"'],
                          capture_output=True, text=True, cwd=folder)
    expect('odd names of files completed by bash', sorted(done.stdout.splitlines()), sorted(files))
with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, 'tptui', 'themes'))
    for name in ('mine.theme', 'm$(echo bad).theme', 'notes', '.old.theme'):
        open(os.path.join(folder, 'tptui', 'themes', name), 'w').close()
    os.symlink(os.path.abspath(tptui), os.path.join(folder, 'tptui', 'tptui'))
    environment = dict(os.environ, XDG_CONFIG_HOME=folder, PATH=os.path.join(folder, 'tptui') + ':' + os.environ['PATH'])
    for words, completed in ((['--theme', 'm'], 'mine'), (['--theme', 'l'], 'light'), (['metrics', '--run', 'android_ba'], 'android_batt'),
                             (['metrics', '--run', 'android_cpu,android_ba'], 'android_cpu,android_batt'),
                             (['batch', '--metric', 'android_ba'], 'android_batt')):
        done = subprocess.run(['bash', '-c', out + '\nCOMP_WORDS=(tptui %s); COMP_CWORD=%d; _tptui; echo "${COMPREPLY[@]}"' %
                               (' '.join(words), len(words))], capture_output=True, text=True, cwd='/', env=environment)
        expect('%s completed by bash, which asks' % ' '.join(words), done.stdout, completed + '\n')
expect('completion for no shell', run('completion', 'csh')[0], 2)

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
