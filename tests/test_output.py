#!/usr/bin/env python3
"""What is written and gets lost is an error, of every command: standard output and files; and so is a lack of memory.

Usage: test_output.py TPTUI TRACE LARGE_TRACE HEAP_TRACE POWER_TRACE
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

tptui, trace, large, heap, power = map(os.path.abspath, sys.argv[1:])
failures = []
LOST = 'tptui: cannot write to stdout: '


def run(args, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    options.setdefault('stdout', subprocess.PIPE)
    p = subprocess.run(args, stderr=subprocess.PIPE, timeout=120, **options)
    return p.returncode, (p.stdout or b''), p.stderr.decode()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def write(path, content):
    with open(path, 'w') as f:
        f.write(content)
    return path


def print_table(folder):
    """What makes each command print; behind a shell's, its standard input."""
    sql = write(os.path.join(folder, 'q.sql'), 'SELECT   1')
    spec = write(os.path.join(folder, 's.textproto'), 'metric_spec { id: "a" value: "d" query { sql {'
                 ' sql: "SELECT 1 AS d" column_names: "d" } } }\n')
    long = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT x FROM n"
    formats = 'csv', 'tsv', 'json', 'jsonl', 'markdown', 'table'
    return {
        '': [['--help'], ['--version'], ['--keys'], ['--options'], ['help'], ['help', 'query'], ['formats']],
        'query': [['query', trace, 'SELECT 1']] + [['query', '--format', f, trace, long] for f in formats] + [
            ['query', trace, '-f', sql], ['query', '--help'],
            ['query', trace, '--summary-spec', write(os.path.join(folder, 'q.textproto'),
                                                     'query { id: "x" sql { sql: "SELECT 1 AS d" column_names: "d" } }\n'),
             '--structured-query-id', 'x', '--print-sql']],
        'shell': [['shell', trace, 'SELECT 1;'], ['shell', trace, '.tables'], ['shell', '--format', 'json', trace, long + ';']],
        'metrics': [['metrics', trace, '--run', 'trace_metadata'], ['metrics', trace, '--list'],
                    ['metrics', trace, '--run', 'trace_metadata', '--output', 'binary'],
                    ['metrics', trace, '--run', 'trace_metadata', '--output', 'json']],
        'summarize': [['summarize', trace, '--metrics-v2', 'a', spec], ['summarize', trace, '--metrics-v2', 'a', '--output', 'binary', spec]],
        'batch': [['batch', 'SELECT 1', trace], ['batch', long, trace], ['batch', '--format', 'json', 'SELECT 1', trace]],
        'convert': [['convert', f, large] for f in ('systrace', 'ctrace', 'json', 'text')] + [['convert', 'firefox', heap]],
        'symbolize': [['symbolize', heap]],
        'deobfuscate': [['deobfuscate', heap]],
        'show': [['show', large]],
        'explain': [['explain', large], ['explain', '--format', 'json', large]],
        'record': [['record', '--list']],
        'trim': [['trim', '--from', '1ns', large, '-']],
        'diff': [['diff', trace, large]],
        'cache': [['cache', 'list'], ['cache', 'clear']],
        'config': [['config']],
        'completion': [['completion', s] for s in ('bash', 'zsh', 'fish')],
        'fmt': [['fmt', sql], ['fmt', '--check', sql], ['fmt', '-']],
        'serve': [],       # stdio answers requests: tests/test_rpc.py; the others print nothing
        'sql': [], 'live': [],  # need a terminal
        'export': [], 'merge': [], 'bundle': [],  # write files
    }


# Of trace_processor_shell: its command lines.
SHELL = [['query', trace, 'SELECT 1'], ['query', trace, 'SELECT 1 WHERE 0'], ['metrics', '--run', 'trace_metadata', trace],
         ['-Q', 'SELECT 1', trace], ['--run-metrics', 'trace_metadata', trace], ['help'], ['--version'], ['--help'],
         ['convert', 'json', large], ['util', 'decompress_packets', trace], ['convert', 'systrace', large]]


def lost_output(folder):
    """A full disk and a closed standard output are told, by a message and the exit status."""
    shell = os.path.join(folder, 'trace_processor_shell')
    os.symlink(tptui, shell)
    table = print_table(folder)
    commands = re.findall(r"^        '([a-z]+):", run([tptui, 'completion', 'zsh'])[1].decode(), re.M)
    expect('every command is tried', sorted(set(commands) - {'formats'}), sorted(set(table) - {''}))
    env = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, 'cache'))
    lines = [[tptui, *args] for args in sum(table.values(), [])] + [[shell, *args] for args in SHELL]
    for line in lines:
        what, options = ' '.join(map(os.path.basename, line[:5])), {'env': env, 'stdin': subprocess.DEVNULL}
        if line[1] == 'shell':
            options['stdin'] = open(write(os.path.join(folder, 'statements'), line.pop()))
        elif line[1:] == ['fmt', '-']:
            options['stdin'] = open(os.path.join(folder, 'q.sql'))

        def ask(**more):
            if options['stdin'] != subprocess.DEVNULL:
                options['stdin'].seek(0)
            return subprocess.run(line, stderr=subprocess.PIPE, timeout=120, **options, **more)
        good = ask(stdout=subprocess.PIPE)
        if not good.stdout:
            expect('%s: it prints' % what, (good.returncode, good.stderr.decode()), 'something')
            continue
        with open('/dev/full', 'w') as full:
            p = ask(stdout=full)
        expect('%s: a full disk' % what, (p.returncode != 0, LOST + 'No space left on device' in p.stderr.decode()), (True, True))
        p = ask(preexec_fn=lambda: os.close(1))
        expect('%s: closed' % what, (p.returncode != 0, LOST + 'Bad file descriptor' in p.stderr.decode()), (True, True))
        # A reader that went away is no error.
        reader, writer = os.pipe()
        os.close(reader)
        p = ask(stdout=writer)
        os.close(writer)
        expect('%s: nobody reads' % what, LOST in p.stderr.decode(), False)


def lost_files(folder):
    """A file that may not grow is an error; nothing of it is left, and what was there stays."""
    out = os.path.join(folder, 'out')
    spec = ['--summary', write(os.path.join(folder, 's.textproto'),
            'metric_spec { id: "a" value: "d" query { sql { sql: "SELECT 1 AS d" column_names: "d" } } }\n')]
    many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000) SELECT x FROM n"
    script = write(os.path.join(folder, 'script'), ':wait-idle\n:screenshot %s\n' % (out + '.svg'))
    lines = {
        'trim': ([tptui, 'trim', '--from', '1ns', large, out], True),
        'merge': ([tptui, 'merge', '-o', out, large, trace], True),
        'bundle': ([tptui, 'bundle', large, out], False),
        'symbolize': ([tptui, 'symbolize', large, out], False),
        'export sqlite': ([tptui, 'export', 'sqlite', '-o', out, large], False),
        'export arrow_tar': ([tptui, 'export', 'arrow_tar', '-o', out, large], False),
        'export perfetto': ([tptui, 'export', 'perfetto', '-o', out, large], False),
        **{'convert ' + f: ([tptui, 'convert', f, large, out], True) for f in ('systrace', 'ctrace', 'json', 'text')},
        'batch --into': ([tptui, 'batch', '--into', out, many, trace], False),
        'batch --errors': ([tptui, 'batch', '--errors', out, 'SELECT ' + 'x' * 4000, trace], False),
        'explain --pictures': ([tptui, 'explain', '--pictures', folder, power], False),
        'deobfuscate': ([tptui, 'deobfuscate', large, out], False),
        'a picture': ([tptui, trace, '--script', script], False),
        'SQL': ([tptui, 'query', '--allow-sql-file-access', large, "SELECT export_json('%s')" % out], True),
        '--cache': ([tptui, 'query', '--cache', out, large, 'SELECT 1'], None),
    }
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    commands = re.findall(r"^        '([a-z]+):", run([tptui, 'completion', 'zsh'])[1].decode(), re.M)
    # Those that write no files but what is kept; fmt and record are tried below.
    none = {'query', 'sql', 'shell', 'metrics', 'summarize', 'live', 'diff', 'show', 'serve', 'cache', 'config', 'completion', 'formats',
            'fmt', 'record'}
    expect('every command that writes files is tried', sorted(set(commands) - none - {line[1] for line, _ in lines.values()}), [])
    for what, (line, device) in lines.items():
        inside = sorted(os.listdir(folder))
        status, _, err = run(line)
        expect('%s: good' % what, status, 3 if what == 'batch --errors' else 0)
        made = sorted(set(os.listdir(folder)) - set(inside))
        size = max(os.path.getsize(os.path.join(folder, n)) for n in made) if made else 0
        expect('%s: large' % what, size > 3000, True)
        for name in made:
            os.remove(os.path.join(folder, name))
        status, _, err = run(line, preexec_fn=small)
        expect('%s: a file that may not grow' % what, (status != 0 or device is None, 'File too large' in err or 'full' in err),
               (True, True))
        expect('%s: nothing is left' % what, sorted(os.listdir(folder)), inside)
        if device:
            os.symlink('/dev/full', out)
            status, _, err = run(line)
            expect('%s: a full device' % what, (status != 0, 'No space left on device' in err), (True, True))
            os.remove(out)


def written_back(folder):
    """What stands in a file is not lost where there is no room for more."""
    sql = 'SELECT ' + ', '.join('a%d' % i for i in range(2000)) + '\n'
    path = write(os.path.join(folder, 'x.sql'), sql)
    status, _, err = run([tptui, 'fmt', '-w', path], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
    with open(path) as f:
        expect('fmt -w: a file that may not grow', (status != 0, 'File too large' in err, f.read() == sql), (True, True, True))
    expect('fmt -w', (run([tptui, 'fmt', '-w', path])[0], os.path.getsize(path) > len(sql)), (0, True))


def recorded(folder):
    """Of a recording stays what was written of it: it cannot be made again. Whole packets, so that it opens."""
    out = os.path.join(folder, 'out')
    for more in [], ['--ring', '1s']:
        status, _, err = run([tptui, 'record', '-t', '0.5', '--with', 'processes', '-o', out, *more],
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
        expect('record %s: a file that may not grow' % more, (status != 0, 'File too large' in err, os.listdir(folder)), (True, True, ['out']))
        os.remove(out)


def rights(folder):
    """What is written over keeps its rights: others may not read what they could not."""
    out = write(os.path.join(folder, 'out'), '')
    for mode in 0o600, 0o640, 0o444 if os.geteuid() == 0 else 0o644:
        os.chmod(out, mode)
        expect('%o' % mode, (run([tptui, 'trim', '--from', '1ns', large, out])[0], oct(os.stat(out).st_mode & 0o777)), (0, oct(mode)))


def planted(folder):
    """A link in the place of what a killed run would leave is not followed."""
    victim = write(os.path.join(folder, 'victim'), 'precious')
    out = os.path.join(folder, 'out')
    os.symlink(victim, out + '.unfinished')
    expect('a planted link', run([tptui, 'trim', '--from', '1ns', large, out])[0], 0)
    with open(victim) as f:
        expect('is left alone', f.read(), 'precious')


def low_memory(folder):
    """Wherever memory ends, a line says so."""
    with open(tptui, 'rb') as f:
        if b'__asan_init' in f.read():
            return # takes terabytes of address space

    def limited(kilobytes):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return limit
    script = write(os.path.join(folder, 'script'), ':wait-idle\nj\n')
    lines = [['query', '--no-cache', trace, 'SELECT 1'], [trace, '--no-cache', '--script', script],
             ['serve', 'stdio', trace], ['trim', '--from', '1ns', large, os.path.join(folder, 'out')],
             ['batch', 'SELECT 1', trace], ['export', 'arrow_tar', '-o', os.path.join(folder, 'out'), trace]]
    # What the dynamic linker needs to begin at all says the linker.
    least = next(n for n in range(4 << 10, 1 << 20, 512)
                 if subprocess.run([tptui, '--version'], preexec_fn=limited(n), capture_output=True).returncode == 0)
    ends = set()
    for kilobytes in range(least, least + (12 << 10), 384):
        for line in lines:
            p = subprocess.run([tptui, *line], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, preexec_fn=limited(kilobytes))
            ends.add(p.returncode == 0)
            expect('%s with %d KB: words' % (line[0], kilobytes), p.returncode == 0 or len(p.stderr.strip()) > 10, True)
            expect('%s with %d KB: no error' % (line[0], kilobytes), b'not an error' in p.stderr, False)
    expect('some fail and some do not', ends, {True, False})


with tempfile.TemporaryDirectory() as base:
    for test in lost_output, lost_files, written_back, recorded, rights, planted, low_memory:
        inside = os.path.join(base, test.__name__)
        os.mkdir(inside)
        test(inside)
print('%d failures' % len(failures))
sys.exit(1 if failures else 0)
