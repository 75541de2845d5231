#!/usr/bin/env python3
"""Runs the program under the name trace_processor_shell as scripts do: each flag, output byte for byte, exit statuses.

Usage: test_shell.py TPTUI TRACE RANGE_TRACE
"""
import os
import re
import subprocess
import sys
import tempfile

tptui, trace, ranged = map(os.path.abspath, sys.argv[1:])
failures = []
folder = tempfile.TemporaryDirectory()
shell = os.path.join(folder.name, 'trace_processor_shell')
os.symlink(tptui, shell)


def path(name, content=None):
    name = os.path.join(folder.name, name)
    if content is not None:
        with open(name, 'wb' if isinstance(content, bytes) else 'w') as f:
            f.write(content)
    return name


def run(*args, stdin=None):
    p = subprocess.run([shell, *args], input=(stdin or '').encode(), capture_output=True, timeout=60)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def output(*args, **options):
    status, out, err = run(*args, **options)
    expect('status of %s (%s)' % (' '.join(args), err), status, 0)
    return out


def refused(part, *args, **options):
    status, out, err = run(*args, **options)
    expect('status of ' + ' '.join(args), (status, out), (1, ''))
    expect('%r in %r' % (part, err), part in err, True)


NASTY = "SELECT 1 AS a, 'x\"y,' AS \"b c\", NULL AS c, 0.1 AS d, x'00' AS e, 'a' || char(0) || 'b' AS f, char(10) AS g"
NASTY_ROWS = '"a","b c","c","d","e","f","g"\n1,"x"y,","[NULL]",0.100000,"<raw bytes>","a","\n"\n'
sql = path('q.sql', 'CREATE PERFETTO TABLE t AS SELECT 1 AS x;\n%s;\nSELECT 2 AS suppress_query_output;\n'
                    'SELECT x FROM t WHERE x > 1;\nSELECT 1e300 * 1e10 AS i, -1.5 AS r; -- end\n' % NASTY)
SQL_ROWS = NASTY_ROWS + '\n"x"\n\n"i","r"\ninf,-1.500000\n'

# Queries.
expect('-q', output('-q', sql, trace), SQL_ROWS)
expect('-q of an empty file', output('-q', sql, path('empty.pb', b'')), SQL_ROWS)
expect('--query-file', output('--query-file=' + sql, trace), SQL_ROWS)
expect('-Q', output('-Q', NASTY, trace), NASTY_ROWS)
expect('--query-string', output(trace, '--query-string', NASTY), NASTY_ROWS)
expect('query', output('query', trace, NASTY), NASTY_ROWS)
expect('query -f', output('query', '-f', sql, trace), SQL_ROWS)
expect('query from standard input', output('query', trace, stdin=NASTY), NASTY_ROWS)
expect('query -f -', output('query', '-f', '-', trace, stdin=NASTY), NASTY_ROWS)
expect('an option before the command', output('--full-sort', 'query', trace, 'SELECT 1 AS a'), '"a"\n1\n')
for flag in '-p', '--perf-file':
    output(flag, path('perf'), '-q', sql, trace)
    expect(flag, bool(re.fullmatch(r'\d+,\d+', open(path('perf')).read())), True)
output('query', '--perf-file', path('perf2'), trace, 'SELECT 1')
expect('query --perf-file', bool(re.fullmatch(r'\d+,\d+', open(path('perf2')).read())), True)
refused('no such table', '-Q', 'SELECT * FROM no_table', trace)
refused('No valid SQL', '-Q', '-- nothing', trace)
status, out, err = run('-Q', 'SELECT 1 AS a; SELECT 2 AS b UNION ALL SELECT abs(-9223372036854775808)', trace)
expect('the statement that fails prints no row', (status, out), (1, '"a"\n1\n'))
refused('no SQL', 'query', trace)
refused('no-such', 'query', '-f', path('no-such.sql'), trace)
refused('Could not read trace file (path: %s)' % path('none'), '-Q', 'SELECT 1', path('none'))
refused('download it first', '-Q', 'SELECT 1', 'https://example.org/trace')
refused('unexpected argument', 'query', trace, 'SELECT 1', 'x')

# The interactive shell.
ROW = '%20s ' * 2 % ('1', '2.500000') + '%-20s ' * 3 % ('text', '[NULL]', '<raw bytes>') + '\n'
HEAD = '%-20s ' * 5 % tuple('abcde') + '\n' + ('-' * 20 + ' ') * 5 + '\n'
LINE = "SELECT 1 AS a, 2.5 AS b, 'text' AS c, NULL AS d, x'00' AS e\n"


def timeless(text):
    return re.sub(r'Query executed in [0-9.]+ ms', 'TIME', text)


END = '\nTIME\n\n'
expect('a trace alone', timeless(output(trace, stdin=LINE)), HEAD + ROW + END)
expect('interactive', timeless(output('interactive', trace, stdin=LINE + '.q\n' + LINE)), HEAD + ROW + END)
for flag in '-W', '--wide':
    expect(flag, timeless(output(flag, trace, stdin='SELECT 1 AS a\n')), '%-40s \n%s \n%40s \n' % ('a', '-' * 40, 1) + END)
    expect('interactive ' + flag, timeless(output('interactive', flag, trace, stdin='SELECT 1 AS a\n')),
           '%-40s \n%s \n%40s \n' % ('a', '-' * 40, 1) + END)
expect('.width', timeless(output(trace, stdin='.width 3\nSELECT 12345 AS abcde\n')), 'abc \n--- \n12345 \n' + END)
expect('an empty line', output(trace, stdin='\n'), 'If you want to quit either type .q or press CTRL-D (EOF)\n')
expect('.read', output(trace, stdin='.read %s\n' % sql), SQL_ROWS)
expect('an error does not end it', timeless(output(trace, stdin='SELEC\nSELECT 1 AS a\n')),
       END + '%-20s \n%s \n%20d \n' % ('a', '-' * 20, 1) + END)
expect('pages', timeless(output(trace, stdin='WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 70) '
                                             'SELECT x FROM n\n\nq\n')).count('x  '), 2)
for flag in '-i', '--interactive':
    expect(flag, timeless(output(flag, '-q', sql, trace, stdin=LINE)), SQL_ROWS + HEAD + ROW + END)
    expect('query ' + flag, timeless(output('query', flag, '-f', sql, trace, stdin=LINE)), SQL_ROWS + HEAD + ROW + END)

# Flags of all commands.
for flags in (['--full-sort'], ['--no-ftrace-raw'], ['--analyze-trace-proto-content'], ['--crop-track-events'], ['--dev'],
              ['--extra-checks'], ['--dev-flag', 'a=b'], ['--register-files-dir', folder.name],
              ['--metatrace-buffer-capacity', '10'], ['--metatrace-categories', 'QUERY_TIMELINE']):
    expect(flags[0], output(*flags, '-Q', 'SELECT 1 AS a', trace), '"a"\n1\n')
    expect('query ' + flags[0], output('query', *flags, trace, 'SELECT 1 AS a'), '"a"\n1\n')
for flag in '-m', '--metatrace':
    output(flag, path('meta'), '-Q', 'SELECT 4711 AS a', trace)
    expect(flag, "12345" in output('-Q', "SELECT name, extract_arg(arg_set_id, 'SQL') AS sql, 12345 AS x FROM slice WHERE "
                                   "sql GLOB '*4711*'", path('meta')), True)
NAMES = "SELECT name FROM slice ORDER BY ts; SELECT name FROM ftrace_event ORDER BY ts"
expect('all events', output('-Q', NAMES, ranged), '"name"\n"before"\n"within"\n\n"name"\n"sched_waking"\n"own"\n')
CONTENT = "SELECT c.path, c.size, c.count, extract_arg(p.arg_set_id, 'event.name') AS name FROM experimental_proto_content AS c " \
    "JOIN experimental_proto_path AS p ON p.id = c.path_id %s"
expect('packets are not measured', output('-Q', CONTENT % '', ranged), '"path","size","count","name"\n')
# All but the tags and lengths of its five packets.
expect('--analyze-trace-proto-content', output('--analyze-trace-proto-content', '-Q', "SELECT sum(size) AS n FROM "
       "experimental_proto_content; SELECT name, count FROM (%s) ORDER BY name" % CONTENT % "WHERE p.parent_id IS NULL", ranged),
       '"n"\n%d\n\n"name","count"\n"[NULL]",3\n"before",1\n"within",1\n' % (os.path.getsize(ranged) - 10))
expect('--crop-track-events', output('--crop-track-events', '-Q', NAMES, ranged),
       '"name"\n"within"\n\n"name"\n"sched_waking"\n"own"\n')
expect('--no-ftrace-raw', output('query', '--no-ftrace-raw', ranged, NAMES), '"name"\n"before"\n"within"\n\n"name"\n"own"\n')
expect('what is derived stays', output('--no-ftrace-raw', '-Q', "SELECT count(*) AS n FROM thread WHERE name = 'other'", ranged),
       '"n"\n1\n')
for flags, args in ([], 1), (['--no-ftrace-raw'], 0):
    expect('args of rows that are there', output(*flags, '-Q', "SELECT count() AS n FROM args WHERE key = 'comm'", ranged),
           '"n"\n%d\n' % args)
os.mkdir(path('package'))
path('package/one.sql', 'CREATE PERFETTO VIEW one AS SELECT 1 AS x;')
INCLUDE = 'INCLUDE PERFETTO MODULE %sone; SELECT * FROM one'
for flag in '--add-sql-package', '--override-sql-package', '--add-sql-module', '--override-sql-module':
    expect(flag, output(flag, path('package'), '-Q', INCLUDE % 'package.', trace), '"x"\n1\n')
    expect(flag + ' with a name', output('query', flag, path('package@a.b'), trace, INCLUDE % 'a.b.'), '"x"\n1\n')
expect('--override-stdlib', output('--dev', '--override-stdlib', path('package'), '-Q', INCLUDE % '', trace), '"x"\n1\n')
refused('requires --dev', '--override-stdlib', path('package'), '-Q', INCLUDE % '', trace)
WRITE = "SELECT __intrinsic_file_write('%s', x'78') AS done" % path('written')
refused('--allow-sql-file-access', '-Q', WRITE, trace)
output('--allow-sql-file-access', '-Q', WRITE, trace)
expect('--allow-sql-file-access', open(path('written')).read(), 'x')

# Summaries, structured queries, metrics.
SPEC = path('s.textproto', 'query { id: "q" sql { sql: "SELECT 1 AS key, 0.5 AS value" } } query { id: "meta" sql { sql: '
            '"SELECT \'k\' AS key, \'v\' AS value" } } metric_spec { id: "m" value: "v" query { sql { sql: "SELECT 2 AS v" } } }')
SUMMARY = output('summarize', '--metrics-v2', 'm', trace, SPEC)
expect('summarize', 'double_value: 2.000000' in SUMMARY, True)
expect('--summary', output('--summary', '--summary-metrics-v2', 'all', '--summary-spec', SPEC, trace), SUMMARY)
expect('--summary-format', output('--summary', '--summary-metrics-v2', 'm', '--summary-spec', SPEC, '--summary-format', 'text',
                                  trace), SUMMARY)
expect('summarize --format', subprocess.run([shell, 'summarize', '--metrics-v2', 'm', '--format', 'binary', trace, SPEC],
                                            capture_output=True, timeout=60).stdout[:1], b'\x1a')
META = 'metadata {\n  key: "k"\n  value: "v"\n}\n'
expect('--summary-metadata-query', output('--summary', '--summary-metadata-query', 'meta', '--summary-spec', SPEC, trace), META)
expect('summarize --metadata-query', output('summarize', '--metadata-query', 'meta', trace, SPEC), META)
expect('summarize --post-query', output('summarize', '--metrics-v2', 'm', '--post-query', sql, trace, SPEC), SQL_ROWS)
expect('--summary -q', output('--summary', '--summary-metrics-v2', 'm', '--summary-spec', SPEC, '-q', sql, trace), SQL_ROWS)
expect('summarize -i', timeless(output('summarize', '-i', '--metrics-v2', 'm', trace, SPEC, stdin=LINE)),
       SUMMARY + HEAD + ROW + END)
refused('Unknown option --qery-file: did you mean --query-file?', '--qery-file', 'x', trace)
refused('Unknown option --wrong.', 'query', '--wrong', trace)
refused('metric x', 'summarize', '--metrics-v2', 'x', trace, SPEC)
refused('trace file is required', 'summarize')
expect('query --structured-query-id', output('query', '--structured-query-id', 'q', '--summary-spec', SPEC, trace),
       '"key","value"\n1,0.500000\n')
expect('--structured-query-id', output('--structured-query-id', 'q', '--structured-query-spec', SPEC, trace),
       '"key","value"\n1,0.500000\n')
refused('no query of the id', '--structured-query-id', 'x', '--structured-query-spec', SPEC, trace)
refused('at least one', 'query', '--structured-query-id', 'q', trace)
METRIC = output('metrics', '--run', 'test_chrome_metric', trace)
expect('metrics', 'test_value: 1' in METRIC, True)
expect('--run-metrics', output('--run-metrics', 'test_chrome_metric', trace), METRIC)
for flag in ['--metrics-output', 'text'], ['--metrics-output=text']:
    expect(flag[0], output('--run-metrics', 'test_chrome_metric', *flag, trace), METRIC)
expect('metrics --output json', output('metrics', '--run', 'test_chrome_metric', '--output', 'json', trace)[:1], '{')
pre = path('pre.sql', 'CREATE PERFETTO TABLE before AS SELECT 1 AS x')
post = path('post.sql', 'SELECT x FROM before')
expect('metrics --pre --post-query', output('metrics', '--run', 'test_chrome_metric', '--pre', pre, '--post-query', post, trace),
       '"x"\n1\n')
expect('--pre-metrics -q', output('--run-metrics', 'test_chrome_metric', '--pre-metrics', pre, '-q', post, trace), '"x"\n1\n')
output('--run-metrics', 'test_chrome_metric', '-p', path('perf4'), trace)
expect('--run-metrics -p', bool(re.fullmatch(r'\d+,\d+', open(path('perf4')).read())), True)
os.makedirs(path('extension/sql'))
path('extension/sql/test_chrome_metric.sql', "CREATE VIEW test_chrome_metric_output AS SELECT TestChromeMetric('test_value', 5) AS message;")
expect('--metric-extension', 'test_value: 5' in output('--metric-extension', path('extension') + '@chrome', '--run-metrics',
                                                       'test_chrome_metric', trace), True)
refused('nowhere', '--metric-extension', path('nowhere') + '@x', '--run-metrics', 'test_chrome_metric', trace)
refused('no_metric', '--run-metrics', 'no_metric', trace)
refused('unknown output format', 'metrics', '--run', 'test_chrome_metric', '--output', 'xml', trace)
refused('--run is required', 'metrics', trace)
refused('did you mean android_mem', 'metrics', '--run', 'android_men', trace)
refused('expected DISK@VIRTUAL', '--metric-extension', 'folder', '-Q', 'SELECT 1', trace)
refused('no such folder: ' + path('nowhere'), '--metric-extension', path('nowhere') + '@x', '-Q', 'SELECT 1', trace)
refused(path('nowhere') + ': No such file or directory', '--add-sql-package', path('nowhere'), '-Q', 'SELECT 1', trace)
refused('A trace is missing.', '-Q', 'SELECT 1')
refused("'second' is the second", '-Q', 'SELECT 1', trace, 'second')
refused('expected a format', 'export', 'csv', '-o', path('never'), trace)
refused("unknown format 'xml'", 'summarize', '--format', 'xml', trace)

# Help, versions and what is refused.
for flag in '-v', '--version':
    expect(flag, re.fullmatch(r'.+\nTrace Processor RPC API version: 14\n', output(flag)) is not None, True)
expect('version of a command', output('query', '-v'), output('-v'))
for args in (['-h'], ['--help'], ['help'], ['help', 'query'], ['query', '-h'], ['--help-classic'], ['help', 'interactive']):
    expect('help: ' + ' '.join(args), output(*args).startswith('Usage: '), True)
refused("Unknown command 'x'", 'help', 'x')
refused('--wrong', '--wrong', trace)
refused('--wrong', 'query', '--wrong', trace)
refused('Usage', '-Q', 'SELECT 1')
refused('Usage', '-p', path('perf3'), trace)
refused('Usage', trace, trace, '-Q', 'SELECT 1')
refused('trace file is required', 'query')
refused('Cannot specify both', '--summary', '--run-metrics', 'x', trace)
with open('/dev/full', 'w') as full:
    p = subprocess.run([shell, '-Q', 'SELECT 1', trace], stdout=full, stderr=subprocess.DEVNULL, timeout=60)
    expect('a full disk', p.returncode, 1)

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
