#!/usr/bin/env python3
"""What is kept of a trace (`batch --resume`, `--cache FILE`) is taken for that trace and that question only.

Usage: test_kept.py TPTUI TRACE
"""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time

from children import Popen

tptui, trace = map(os.path.abspath, sys.argv[1:])
failures = []
SIZE = 2600000
BETWEEN = 100003 # between blocks of 4 KB at 64 even distances
COUNT = "SELECT count(*) AS n FROM slice WHERE name = 'wrong'"
SLOW = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1500000) SELECT max(x) AS n FROM n'


def run(*args, program=tptui, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    p = subprocess.run([program, *args], capture_output=True, timeout=120, **options)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def write(path, content):
    with open(path, 'w') as f:
        f.write(content)
    return path


def rows_in(folder):
    return [n for n in os.listdir(folder) if n.endswith('.rows')]


def left_in(folder):
    return [n for n in os.listdir(folder) if n.endswith('.unfinished')]


def systrace(path):
    """A trace in which one byte makes a slice wrong."""
    lines, n = ['# tracer: nop\n'], 0
    while sum(map(len, lines[-1:])) and n < SIZE:
        ts = '%d.%06d' % (len(lines) // 1000, len(lines) % 1000)
        lines.append('  app-100 ( 100) [001] .... %s: tracing_mark_write: %s\n' % (ts, 'B|100|right' if len(lines) % 2 else 'E|100'))
        n += len(lines[-1])
    text = bytearray(''.join(lines).encode())
    at = text.index(b'right', BETWEEN)
    write(path, text.decode())
    return at


def put(path, at, text):
    """Changes a file and sets its mtime back."""
    st = os.stat(path)
    with open(path, 'r+b') as f:
        f.seek(at)
        f.write(text)
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))


def rows_of_one_byte(folder):
    one, two, kept, columns = (os.path.join(folder, name) for name in ('one', 'two', 'kept', 'columns'))
    at = systrace(one)
    shutil.copy(one, two)
    put(two, at, b'wrong')
    os.utime(two, ns=(0, os.stat(one).st_mtime_ns))
    for path, n in (one, 0), (two, 1), (one, 0), (two, 1):
        expect('--resume and one byte', run('batch', '--resume', kept, COUNT, path), (0, 'trace,n\n%s,%d\n' % (path, n), ''))
    for path, n in (one, 0), (two, 1), (two, 1):
        status, out, _ = run('query', '--cache', columns, path, COUNT)
        expect('--cache FILE and one byte', (status, out), (0, 'n\n%d\n' % n))
    # The same file, changed where it lies.
    put(one, at, b'wrong')
    expect('--resume and a changed file', run('batch', '--resume', kept, COUNT, one)[1], 'trace,n\n%s,1\n' % one)
    put(one, at, b'right')
    expect('--cache FILE and a changed file', run('query', '--cache', columns, one, COUNT)[1], 'n\n0\n')
    # The same content by another name: nothing new.
    before = rows_in(kept)
    os.link(one, os.path.join(folder, 'link'))
    os.rename(one, os.path.join(folder, 'moved'))
    for name in 'link', 'moved':
        path = os.path.join(folder, name)
        expect('rows of ' + name, run('batch', '--resume', kept, COUNT, path)[1], 'trace,n\n%s,0\n' % path)
    expect('nothing new is kept', rows_in(kept), before)
    expect('nothing is left over', left_in(kept) + left_in(folder), [])


def file_called_dash(folder):
    """`-` is standard input, whatever the folder has."""
    columns, query = os.path.join(folder, 'columns'), 'SELECT count(*) AS n FROM slice'
    shutil.copy(trace, os.path.join(folder, '-'))
    other = write(os.path.join(folder, 'other'), '# tracer: nop\n a-1 (1) [000] .... 1.000000: tracing_mark_write: B|1|x\n')
    run('query', '--cache', columns, './-', query, cwd=folder)
    with open(other, 'rb') as f:
        expect('standard input is no file', run('query', '--cache', columns, '-', query, stdin=f, cwd=folder),
               (0, 'n\n1\n', ''))


def other_build(folder):
    """The program, but with another build id."""
    with open(tptui, 'rb') as f:
        program = bytearray(f.read())
    at = program.index(b'\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0') + 16
    program[at] ^= 1
    other = os.path.join(folder, 'other tptui')
    with open(other, 'wb') as f:
        f.write(program)
    os.chmod(other, 0o755)
    return other


def keys(folder):
    """For each option of batch: whether rows with it, and with another value of it, are the same."""
    sql = write(os.path.join(folder, 'q.sql'), 'SELECT 1 AS x')
    spec = ('metric_spec { id: "%s" value: "d" query { sql { sql: "SELECT 1 AS d" column_names: "d" } } }\n')
    specs = write(os.path.join(folder, 'spec.textproto'), spec % 'a')
    both = write(os.path.join(folder, 'both.textproto'), spec % 'a' + spec % 'b')
    module = os.path.join(folder, 'modules')
    os.mkdir(module)
    write(os.path.join(module, 'm.sql'), 'CREATE PERFETTO VIEW v AS SELECT 1 AS x;')
    stdlib = os.path.join(folder, 'stdlib')
    os.makedirs(os.path.join(stdlib, 'slices'))
    write(os.path.join(stdlib, 'slices', 'with_context.sql'), 'CREATE PERFETTO VIEW v AS SELECT 1 AS x;')
    alerts = write(os.path.join(folder, 'alerts.sql'), "-- alert: a\nSELECT 1 AS ts, 1 AS dur, 'x' AS name;")
    curves = os.path.join(folder, 'curves')
    os.makedirs(os.path.join(curves, 'Toy'))
    listed = write(os.path.join(folder, 'list'), trace + '\n')
    query = ['SELECT 1 AS x', trace]
    into = lambda name: os.path.join(folder, name)
    same, differ = True, False
    change = lambda path, text: lambda: write(path, text)
    hosts = write(os.path.join(folder, 'hosts'), 'nowhere.invalid\n')
    # option: [the first run, the second, whether it finds the rows of the first, what is changed in between]
    table = {
        'file': [['-f', sql, trace], ['-f', sql, trace], differ, change(sql, 'SELECT 2 AS x')],
        'summary': [['--summary', specs, trace], ['--summary', specs, trace], differ, change(specs, spec % 'c')],
        'metrics-v2': [['--summary', both, '--metrics-v2', 'a', trace], ['--summary', both, '--metrics-v2', 'b', trace], differ],
        'metric': [['--metric', 'trace_metadata', trace], ['--metric', 'trace_stats', trace], differ],
        'messages': [['--metric', 'trace_metadata', trace],
                     ['--metric', 'trace_metadata', '--messages', into('messages'), trace], differ],
        'explain': [query, ['--explain', trace], differ],
        'list': [query, [query[0], '--list', listed], same],
        'metadata': [query, ['--metadata', 'trace_size_bytes', *query], differ],
        'jobs': [query, ['--jobs', '1', *query], same],
        'time': [query, ['--time', '100', *query], same],
        'memory': [query, ['--memory', '2G', *query], same],
        'format': [query, ['--format', 'json', *query], same],
        'into': [query, ['--into', into('into.db'), *query], same],
        'errors': [query, ['--errors', into('errors.csv'), *query], same],
        'resume': [query, query, same],
        'engine': [query, ['--engine', 'local', *query], same],
        'hosts': [query, ['--engine', 'parallel', '--hosts', hosts, *query], same],
        'send': [query, ['--engine', 'parallel', '--hosts', hosts, '--send', *query], same],
        'rows-only': [query, ['--rows-only', *query], same],
        'as': [query, ['--as', 'proto', *query], differ],
        'sort-memory': [query, ['--sort-memory', '1G', *query], same],
        'no-vector': [query, ['--no-vector', *query], differ],
        'no-cache': [query, ['--no-cache', *query], same],
        'cache': [query, ['--cache', into('batch.columns'), *query], same],
        'cache-folder': [query, ['--cache-folder', into('cache'), *query], same],
        'from': [query, ['--from', '1ns', *query], differ],
        'to': [query, ['--to', '1s', *query], differ],
        'add-sql-package': [['--add-sql-package', module + '@p', *query], ['--add-sql-package', module + '@p', *query], differ,
                            change(os.path.join(module, 'm.sql'), 'CREATE PERFETTO VIEW v AS SELECT 2 AS x;')],
        'override-stdlib': [['--override-stdlib', stdlib, *query], ['--override-stdlib', stdlib, *query], differ,
                            change(os.path.join(stdlib, 'slices', 'with_context.sql'), 'CREATE PERFETTO VIEW v AS SELECT 2 AS x;')],
        'wattson-curves': [['--wattson-curves', curves, *query], ['--wattson-curves', curves, *query], differ,
                           change(os.path.join(curves, 'Toy', 'gpu.csv'), 'device,freq_khz,active,idle1,idle2\nToy,1,2,3,4\n')],
        'alerts': [['--alerts', alerts, *query], ['--alerts', alerts, *query], differ,
                   change(alerts, "-- alert: a\nSELECT 2 AS ts, 1 AS dur, 'x' AS name;")],
        'allow-foreign-sql': [query, ['--allow-foreign-sql', *query], same],
        'allow-sql-file-access': [query, ['--allow-sql-file-access', *query], differ],
    }
    options = [line.split('\t')[2][2:] for line in run('--options')[1].splitlines() if line.startswith('batch\t')]
    expect('each option of batch has a decision', sorted(options), sorted(table))
    for name, (first, second, found, *between) in table.items():
        kept = os.path.join(folder, 'kept of ' + name)
        expect(name + ': first', run('batch', '--resume', kept, *first)[0], 0)
        expect(name + ': first rows', len(rows_in(kept)), 1)
        for step in between:
            step()
        expect(name + ': second', run('batch', '--resume', kept, *second)[0], 0)
        expect(name + ': rows', len(rows_in(kept)), 1 if found else 2)
    # What no option says.
    kept, mine = os.path.join(folder, 'kept by others'), dict(os.environ, XDG_CONFIG_HOME=folder)
    rules = os.path.join(folder, 'tptui', 'alerts')
    for what, n, options in ('as it is', 1, {}), ('another build', 2, {'program': other_build(folder)}), ('my alerts', 3, {'env': mine}):
        os.makedirs(rules, exist_ok=True)
        write(os.path.join(rules, 'mine.sql'), "-- alert: mine\nSELECT 1 AS ts, 1 AS dur, 'x' AS name;")
        expect(what, run('batch', '--resume', kept, *query, **options)[0], 0)
        expect('rows kept: ' + what, len(rows_in(kept)), n)
    # Nor by what something is called, where the texts are the same.
    renamed = os.path.join(folder, 'renamed')
    shutil.copytree(module, renamed)
    os.rename(os.path.join(renamed, 'm.sql'), os.path.join(renamed, 'n.sql'))
    binary = shutil.copy(specs, os.path.join(folder, 'spec.pb'))
    for what, first, second, good in (
            ('two options of one value', ['--from', '1ns', *query], ['--to', '1ns', *query], True),
            ('two names of a package', ['--add-sql-package', module + '@p', *query], ['--add-sql-package', module + '@q', *query], True),
            ('two names of a module', ['--add-sql-package', module + '@p', *query], ['--add-sql-package', renamed + '@p', *query], True),
            ('a text that is called binary', ['--summary', specs, trace], ['--summary', binary, trace], False)):
        kept = os.path.join(folder, 'kept of ' + what)
        expect(what + ': first', run('batch', '--resume', kept, *first)[0], 0)
        expect(what + ': second', run('batch', '--resume', kept, *second)[0] == 0, good)
        expect(what + ': rows', len(rows_in(kept)), 2 if good else 1)
    kept = os.path.join(folder, 'kept by others')
    # Texts that stand behind each other are not one.
    one, two, none = (write(os.path.join(folder, name), text) for name, text in
                      (('1.sql', 'SELECT 1'), ('2.sql', ' AS x'), ('3.sql', 'SELECT 1 AS x')))
    run('batch', '--resume', kept, '-f', none, trace)
    expect('two texts are not one', run('batch', '--resume', kept, '-f', one, '-f', two, trace)[0], 3)


def columns_of_options(folder):
    """Options that alter what is loaded do not use the columns of a whole trace, nor leave theirs."""
    alter = {'as': 'strace', 'from': '5s', 'to': '5s'}
    others = {'file', 'format', 'timeout', 'remote', 'structured-query-id', 'summary-spec', 'print-sql', 'memory', 'sort-memory', 'no-vector', 'units',
              'now', 'no-cache', 'cache', 'add-sql-package', 'override-stdlib', 'wattson-curves', 'alerts', 'allow-foreign-sql',
              'allow-sql-file-access'}
    columns, query = os.path.join(folder, 'columns'), 'SELECT count(*) AS n FROM slice'
    path = write(os.path.join(folder, 'short'), '# tracer: nop\n' + ''.join(
        ' app-1 (1) [000] .... %d.000000: tracing_mark_write: %s\n' % (i, 'E|1' if i % 2 else 'B|1|x') for i in range(1, 20)))
    options = {line.split('\t')[2][2:] for line in run('--options')[1].splitlines() if line.startswith('query\t')}
    expect('each option of query has a decision', options, others | set(alter))
    for name, value in alter.items():
        extra = ['--' + name, value]
        fresh = {bool(more): run('query', '--no-cache', *more, path, query)[:2] for more in (extra, [])}
        expect('--%s matters' % name, fresh[True] == fresh[False], False)
        for order in ([], extra, []), (extra, [], extra):
            if os.path.exists(columns):
                os.remove(columns)
            for more in order:
                expect('columns and --%s' % name, run('query', '--cache', columns, *more, path, query)[:2], fresh[bool(more)])


def changed_meanwhile(folder):
    """Rows of a trace, or of modules, that change while the query runs are output, and not kept."""
    module = os.path.join(folder, 'm')
    os.mkdir(module)
    text = write(os.path.join(module, 'm.sql'), 'CREATE PERFETTO VIEW v AS SELECT 1 AS x;')
    path = os.path.join(folder, 'meanwhile')
    for what, change in (('nothing', None), ('the trace', lambda: put(path, os.path.getsize(trace) - 1, b'\0')),
                         ('its name', lambda: os.replace(shutil.copy(trace, path + '2'), path)),
                         ('a module', lambda: write(text, 'CREATE PERFETTO VIEW v AS SELECT 2 AS x;'))):
        shutil.copy(trace, path)
        kept = os.path.join(folder, 'kept while ' + what)
        p = Popen([tptui, 'batch', '--resume', kept, '--add-sql-package', module + '@p', SLOW, path],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while p.poll() is None and not (os.path.isdir(kept) and any(n.endswith('.trace') for n in os.listdir(kept))):
            time.sleep(0.005)
        if change:
            change()
        out, err = p.communicate(timeout=120)
        expect('rows while %s changes' % what, (p.returncode, out, err), (0, ('trace,n\n%s,1500000\n' % path).encode(), b''))
        expect('kept while %s changes' % what, len(rows_in(kept)), 0 if change else 1)
        expect('left while %s changes' % what, left_in(kept), [])


def fifo(folder):
    """A pipe is read once, and nothing is kept of it."""
    path, kept = os.path.join(folder, 'fifo'), os.path.join(folder, 'kept of a pipe')
    os.mkfifo(path)

    def feed():
        with open(trace, 'rb') as f, open(path, 'wb') as to:
            shutil.copyfileobj(f, to)
    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    query = 'SELECT count(*) > 0 AS n FROM slice'
    expect('rows of a pipe', run('batch', '--resume', kept, query, path), (0, 'trace,n\n%s,1\n' % path, ''))
    writer.join(10)
    expect('kept of a pipe', os.listdir(kept), [])


def no_files(folder):
    """What is named for the columns and is no file is not replaced: it could be /dev/null."""
    path = os.path.join(folder, 'columns')
    makes = [lambda: os.mkfifo(path), lambda: os.mkdir(path), lambda: os.symlink('/dev/null', path)]
    if os.getuid() == 0:
        makes.append(lambda: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3)))
    for make in makes:
        try:
            make()
        except PermissionError:
            continue # a container's root makes no devices
        before = os.lstat(path)
        expect('--cache of what is no file', run('query', '--cache', path, trace, 'SELECT 1'),
               (3, '', 'tptui: %s: --cache: this is no regular file, and is left as it is\n' % path))
        expect('it stays', os.path.samestat(before, os.lstat(path)) and os.listdir(folder), ['columns'])
        (os.rmdir if stat.S_ISDIR(before.st_mode) else os.remove)(path)


def cache_folder(folder):
    """A folder that is named for the cache is made; one that others may write is not used."""
    made, foreign = os.path.join(folder, 'made'), os.path.join(folder, 'foreign')
    query, rows = 'SELECT 1 AS x', 'trace,x\n%s,1\n' % trace
    expect('made', (run('batch', '--cache-folder', made, query, trace), stat.S_IMODE(os.stat(made).st_mode)), ((0, rows, ''), 0o700))
    os.mkdir(foreign)
    os.chmod(foreign, 0o777)
    status, out, err = run('batch', '--cache-folder', foreign, query, trace)
    expect('of others', (status, out, err), (0, rows, "tptui: %s: nothing is kept there: it cannot be made, or is not the user's alone\n" % foreign))
    others = ['1.columns', 'notes.timeline', 'rows.unfinished']
    for name in *others, '0123456789abcdef.columns':
        shutil.copy(trace, os.path.join(made, name))
        os.utime(os.path.join(made, name), (0, 0))
    expect('what is there', [line.split()[-1] for line in run('cache', '--cache-folder', made, 'list')[1].splitlines()[1:-1]], ['damaged'])
    expect('it alone is removed', (run('cache', '--cache-folder', made, 'clear')[1], sorted(os.listdir(made))), ('1 removed\n', others))


def planted(folder):
    """Rows that somebody else may have put there, or that are another question's, are not taken."""
    kept = os.path.join(folder, 'planted')
    good, bad = 'SELECT 1 AS x', 'SELECT 2 AS x'
    ask = lambda sql: run('batch', '--resume', kept, sql, trace)
    want = (0, 'trace,x\n%s,1\n' % trace, '')
    expect('good rows', ask(good), want)
    name = os.path.join(kept, rows_in(kept)[0])
    ask(bad)
    other = os.path.join(kept, next(n for n in rows_in(kept) if n != os.path.basename(name)))

    def linked():
        os.remove(name)
        os.symlink(other, name)

    def given_away():
        shutil.copy(other, name)
        os.chown(name, 65534, 65534)

    def writable():
        with open(other, 'rb') as f, open(name, 'wb') as to:
            to.write(f.read())
        os.chmod(name, 0o666)
    trials = {'renamed': lambda: shutil.copy(other, name), 'linked': linked, 'writable': writable}
    if os.getuid() == 0:
        trials['given away'] = given_away
    for what, plant in trials.items():
        plant()
        expect('rows that are ' + what, ask(good), want)
        expect('and are replaced', (os.path.islink(name), os.stat(name).st_uid, os.stat(name).st_mode & 0o777),
               (False, os.getuid(), 0o600))
    # The same of what says which content a file has.
    memo = os.path.join(kept, next(n for n in os.listdir(kept) if n.endswith('.trace')))
    with open(memo) as f:
        text = f.read()
    write(memo, '%016x%s' % (0, text[16:]))
    expect('a note of another file', ask(good), want)
    with open(memo) as f:
        expect('is replaced', f.read(), text)


with tempfile.TemporaryDirectory() as base:
    for test in rows_of_one_byte, file_called_dash, keys, columns_of_options, changed_meanwhile, fifo, no_files, cache_folder, planted:
        inside = os.path.join(base, test.__name__)
        os.mkdir(inside)
        test(inside)
print('%d failures' % len(failures))
sys.exit(1 if failures else 0)
