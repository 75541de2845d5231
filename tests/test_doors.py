#!/usr/bin/env python3
"""SQL of strangers by every way in: what would run machine code, write a file or tell an address is refused.

Usage: test_doors.py TPTUI TRACE HAS_HTTP
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from children import Popen  # noqa: E402
from rpc_client import METRIC, QUERY, REGISTER, SUMMARIZE, Stream, field, parse, start_http  # noqa: E402

tptui, trace, has_http = sys.argv[1], sys.argv[2], sys.argv[3] == 'yes'
failures = []
folder = tempfile.mkdtemp()
environment = dict(os.environ, XDG_CONFIG_HOME=os.path.join(folder, 'config'), XDG_STATE_HOME=os.path.join(folder, 'state'))


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def path(name, text=None):
    full = os.path.join(folder, name)
    if text is not None:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w') as f:
            f.write(text)
    return full


def run(*args, **options):
    """What it says; a signal that ended it is said, too."""
    p = subprocess.run([tptui, *args], capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                       env=dict(environment, **options))
    died = 'ended by signal %d' % -p.returncode if p.returncode < 0 else ''
    return p.returncode, p.stdout.decode() + p.stderr.decode() + died


# A SELECT each, for ways that take no other statement, and what must be said of it.
SELECTS = {
    "SELECT fts3_tokenizer('evil', x'4141414141414141') AS v": 'fts3_tokenizer is refused',
    "SELECT hex(fts3_tokenizer('simple')) AS v": 'fts3_tokenizer is refused',
    "SELECT load_extension('%s') AS v" % path('evil.so'): 'load_extension is refused',
    'SELECT pgno AS v FROM dbstat': "dbstat is refused",
    'SELECT token AS v FROM fts3tokenize': "fts3tokenize is refused",
    "SELECT * FROM pragma_writable_schema": 'PRAGMA writable_schema is refused',
    "SELECT __intrinsic_file_write('%s', x'78') AS v" % path('written'): '--allow-sql-file-access allows it',
    "SELECT export_json('%s') AS v" % path('written'): '--allow-sql-file-access allows it',
}
STATEMENTS = {
    'CREATE VIRTUAL TABLE t USING fts3(a, tokenize=evil)': "fts3 is refused",
    'CREATE VIRTUAL TABLE t USING fts5(a)': "fts5 is refused",
    'CREATE VIRTUAL TABLE t USING rtree(a, b, c)': "rtree is refused",
    "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')": 'no such module: csv',
    "ATTACH '%s' AS x" % path('written'): '--allow-sql-file-access allows it',
    "VACUUM INTO '%s'" % path('written'): '--allow-sql-file-access allows it',
    'PRAGMA writable_schema = ON': 'PRAGMA writable_schema is refused',
    "PRAGMA temp_store_directory = '%s'" % folder: 'PRAGMA temp_store_directory is refused',
    "UPDATE sqlite_master SET sql = 'x'": 'may not be modified',
}


def check(way, ask, statements):
    """`ask(sql)` says all that comes back."""
    for sql, refusal in statements.items():
        said = ask(sql)
        expect('%s: %s: %r in %r' % (way, sql, refusal, said), refusal in said and 'ended by' not in said, True)
    expect('%s: nothing is written' % way, os.path.exists(path('written')), False)


def check_both(way, ask):
    check(way, ask, SELECTS)
    check(way, ask, STATEMENTS)


def quoted(sql):
    """For a message as text."""
    return sql.replace('\\', '\\\\').replace('"', '\\"')


SPEC = 'metric_spec { id: "m" value: "v" query { sql { sql: "%s" } } }'


def by_script(*args, lines=(':wait-idle', ':wait-idle', ':screenshot %s')):
    shot = path('shot.txt')
    if os.path.exists(shot):
        os.remove(shot)
    script = path('keys', '\n'.join(lines).replace('%s', shot) + '\n')
    status, said = run(trace, '--script', script, '--size', '600x30', *args)
    return '%s %d %s' % (said, status, open(shot).read() if os.path.exists(shot) else '')


def by_session(sql):
    kept = path('own/session', 'tptui session 1\ntrace 1 x\ntrack x=%s\n' % sql)
    return by_script('--session', kept)


def by_metric(sql):
    path('extension/sql/test_chrome_metric.sql', '%s;\nCREATE VIEW test_chrome_metric_output AS SELECT 1;\n' % sql)
    return run('metrics', trace, '--metric-extension', path('extension') + '@chrome', '--run', 'test_chrome_metric')[1]


def by_module(sql):
    path('package/mine.sql', sql + ';\n')
    return run('query', '--add-sql-package', path('package') + '@pack', trace, 'INCLUDE PERFETTO MODULE pack.mine')[1]


def by_summary(sql):
    return run('summarize', trace, path('spec.textproto', SPEC % quoted(sql)), '--metrics-v2', 'all')[1]


def by_alert(sql):
    rules = path('rules.sql', '-- alert: door\n%s AS name, 1 AS ts, 1 AS dur;\n' % sql.replace(' AS v', ''))
    return run('query', '--alerts', rules, trace, 'INCLUDE PERFETTO MODULE tptui.alerts; SELECT * FROM tptui_alerts')[1]


def by_alert_statement(sql):
    rules = path('rules.sql', '-- alert: door\n%s;\nSELECT 1 AS ts, 1 AS dur, 1 AS name;\n' % sql)
    return run('query', '--alerts', rules, trace, 'INCLUDE PERFETTO MODULE tptui.alerts; SELECT * FROM tptui_alerts')[1]


def by_kept_alert(sql):
    path('config/tptui/alerts/a.sql', '-- alert: door\n%s;\nSELECT 1 AS ts, 1 AS dur, 1 AS name;\n' % sql)
    return run('query', trace, 'INCLUDE PERFETTO MODULE tptui.alerts; SELECT * FROM tptui_alerts')[1]


check_both('query', lambda sql: run('query', trace, sql)[1])
check_both('a file', lambda sql: run('query', '-f', path('statement.sql', sql), trace)[1])
check_both('a function', lambda sql: run(
    'query', trace, "CREATE PERFETTO FUNCTION f() RETURNS LONG AS %s; SELECT f()" % sql.replace('*', '1')
    if sql.startswith('SELECT') else sql)[1])
check('a view', lambda sql: re.sub('unsafe use of virtual table "pragma_writable_schema"', 'PRAGMA writable_schema is refused',
      re.sub(r'unsafe use of (load_extension|fts3_tokenizer)\(\)', r'\1 is refused',
      re.sub(r'unsafe use of (__intrinsic_file_write|export_json)\(\)', '--allow-sql-file-access allows it',
             run('query', trace, 'CREATE VIEW v AS %s; SELECT * FROM v' % sql)[1]))), SELECTS)
check('a trigger', lambda sql: re.sub(r'unsafe use of \w+\(\)', 'refused --allow-sql-file-access allows it fts3_tokenizer is '
      'refused load_extension is refused', run('query', trace, 'CREATE TABLE t(a); CREATE TRIGGER g AFTER INSERT ON t BEGIN %s; '
      'END; INSERT INTO t VALUES (1)' % sql)[1]), {k: v for k, v in SELECTS.items() if 'FROM' not in k})
check_both('a session file', by_session)
check_both('--debug-track', lambda sql: by_script('--debug-track', 'x=' + sql))
check('an alert', by_alert, {k: v for k, v in SELECTS.items() if 'FROM' not in k})
check_both('what stands before an alert', by_alert_statement)
check_both('an alert of the configuration', by_kept_alert)
os.remove(path('config/tptui/alerts/a.sql'))
check_both('a module', by_module)
check_both('a metric', by_metric)
check_both('statements before metrics', lambda sql: run('metrics', trace, '--run', 'trace_metadata', '--pre', path('pre.sql', sql))[1])
check('a summary', by_summary, SELECTS)
check('a structured query', lambda sql: run('query', trace, '--structured-query-id', 'q', '--summary-spec', path(
    'query.textproto', 'query { id: "q" sql { sql: "%s" } }' % quoted(sql)))[1], SELECTS)
check_both('batch', lambda sql: run('batch', sql, trace)[1])
check('a summary of a batch', lambda sql: run('batch', '--summary', path('spec.textproto', SPEC % quoted(sql)), trace)[1], SELECTS)
check_both('the prompt', lambda sql: subprocess.run([tptui, 'shell', trace], input=(sql + ';\n').encode(), capture_output=True,
                                                    env=environment, timeout=60).stderr.decode())

# Databases that are written do not come with what would run when somebody else reads them.
status, said = run('export', 'sqlite', '-o', path('out.db'), trace)
expect('an export', (status, said), (0, ''))

# Clients.
server = Popen([tptui, 'serve', 'stdio', trace], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def send(data):
    server.stdin.write(data)
    server.stdin.flush()


stream = Stream(send, lambda: os.read(server.stdout.fileno(), 1 << 16))
check_both('RPC', lambda sql: str(stream.query(sql)[2]))
check('a summary by RPC', lambda sql: str(parse(stream.call(SUMMARIZE, field(2, SPEC % quoted(sql)) + field(3, field(3, 1)))).get(3)), SELECTS)


def registered(sql):
    module = field(1, 'door.one') + field(2, sql + ';')
    stream.call(REGISTER, field(1, 'door') + field(2, module) + field(3, 1))
    return str(stream.query('INCLUDE PERFETTO MODULE door.one')[2])


check_both('a package by RPC', registered)
expect('a metric by RPC', b'not files' in parse(stream.call(METRIC, field(1, '/etc/x.sql')))[2][0], True)
server.stdin.close()
expect('the server ends well', server.wait(timeout=60), 0)
if has_http:
    import http.client
    server, port = start_http(tptui, 'serve', 'http', '--port', '0', trace)
    connection = http.client.HTTPConnection('127.0.0.1:%d' % port, timeout=60)

    def by_http(sql):
        connection.request('POST', '/query', field(1, sql))
        return connection.getresponse().read().decode(errors='replace')

    check_both('HTTP', by_http)
    server.kill()
    server.communicate()

# SQL that opens with a file is bounded.
expect('a value that is too large', 'too big' in by_session('SELECT zeroblob(100000000) AS ts'), True)

rules = path('config/tptui/alerts/large.sql', '-- alert: large\nSELECT length(zeroblob(100000000)) AS ts, 1 AS dur, 1 AS name\n')
expect('a value of a rule that is too large', 'too big' in by_script(), True)
os.remove(rules)

# And asked about where others may have written it: a script has nobody to ask.
GOOD = 'tptui session 1\ntrace 1 x\ntrack mine=SELECT ts, dur, name FROM slice\n'
for what, prepare in (
        ('others may write it', lambda name: os.chmod(name, 0o666)),
        ('others may write its folder', lambda name: os.chmod(os.path.dirname(name), 0o777)),
        ('it belongs to uid 12345', lambda name: os.chown(name, 12345, 0))):
    if 'uid' in what and os.geteuid() != 0:
        continue
    kept = path('of others/%s/session' % what, GOOD)
    os.chmod(kept, 0o600)
    os.chmod(os.path.dirname(kept), 0o755)
    expect('before: ' + what, ' 0 ' in by_script('--session', kept, lines=[':wait-idle', ':wait-idle', ':expect mine']), True)
    kept = path('of others/%s/session' % what, GOOD)
    prepare(kept)
    script = path('keys', ':wait-idle\n:expect mine\n')
    expect(what, run(trace, '--script', script, '--session', kept),
           (3, 'tptui: %s: its SQL is refused, as %s: --allow-foreign-sql runs it\n' % (kept, what)))
    expect('the file stays: ' + what, open(kept).read(), GOOD)
    expect('--allow-foreign-sql: ' + what, run(trace, '--script', path('keys', ':wait-idle\n:wait-idle\n:expect mine\n'), '--session', kept,
                                               '--allow-foreign-sql'), (0, ''))
    harmless = path('of others/%s/session' % what, 'tptui session 1\ntrace 1 x\nfilter inner\n')
    prepare(harmless)
    expect('no SQL: ' + what, run(trace, '--script', path('keys', ':wait-idle\n'), '--session', harmless), (0, ''))
    os.chmod(os.path.dirname(kept), 0o755)
    # The same of alerts.
    rules = path('config/tptui/alerts/of others.sql', '-- alert: mine\nSELECT 1 AS ts, 1 AS dur, 1 AS name\n')
    os.chmod(rules, 0o600)
    prepare(rules)
    status, said = run('query', trace, 'INCLUDE PERFETTO MODULE tptui.alerts; SELECT count(*) AS n FROM tptui_alerts WHERE rule = \'mine\'')
    expect('alerts: ' + what, (status, said), (
        0, 'n\n0\ntptui: %s: its SQL is refused, as %s: --allow-foreign-sql runs it\n' % (rules, what)))
    expect('alerts with --allow-foreign-sql: ' + what, run('query', '--allow-foreign-sql', trace,
           'INCLUDE PERFETTO MODULE tptui.alerts; SELECT count(*) AS n FROM tptui_alerts WHERE rule = \'mine\''), (0, 'n\n1\n'))
    os.remove(rules)
    os.chmod(os.path.dirname(rules), 0o755)

# Modules that include each other: each level takes some of the stack.
for i in range(150):
    path('deep/m%d.sql' % i, 'INCLUDE PERFETTO MODULE deep.m%d;\n' % (i + 1))
path('deep/m150.sql', 'CREATE PERFETTO VIEW deepest AS SELECT 7 AS x;\n')
for first, said in (0, (1, 'tptui: more than 100 modules or scripts run inside each other\n')), (60, (0, 'x\n7\n')):
    expect('modules inside each other, from %d' % first, run(
        'query', '--add-sql-package', path('deep'), trace, 'INCLUDE PERFETTO MODULE deep.m%d; SELECT x FROM deepest' % first), said)

# Traces whose optional numbers are all missing, or are the one that stands for that.
def packet(*fields):
    return field(1, b''.join(fields))


LEAST = 1 << 63
isolate = field(1, 1) + field(2, 10) + field(4, field(1, LEAST) + field(2, LEAST)) + field(5, LEAST) + field(6, LEAST)
for what, data in (
        ('frames of a video, none of them a configuration', packet(field(8, 5), field(1000, field(2, 7) + field(5, 'picture')))),
        ('code of V8 without a place', packet(field(10, 1), field(13, 1), field(59, field(99, field(1, 11))), field(12, field(35, isolate)))
         + packet(field(10, 1), field(8, 100), field(100, field(1, 1) + field(2, 11) + field(3, 'x') + field(5, 1) + field(6, 10))))):
    odd = path('own/odd.pftrace')
    with open(odd, 'wb') as f:
        f.write(data)
    for command in ['show', odd], ['query', odd, 'SELECT 1 AS one'], ['explain', odd], ['trim', '--from', '0', odd, path('own/out')]:
        status, said = run(*command)
        expect('%s: %s: %s' % (what, command[0], said[-100:]), (status, 'ended by' in said), (0, False))

# What is no session is told, neither waited for nor read without end, and not written over.
TRACK = ('--debug-track', 'mine=SELECT ts, dur, name FROM slice')
kept = path('own/new', '')
expect('a new session', by_script('--session', kept, *TRACK)[:3], ' 0 ')
expect('is kept', open(kept).read().startswith('tptui session 1\n'), True)
notes = path('own/notes', 'dear diary\n')
expect('a file of something else', 'notes is no session' in by_script('--session', notes, *TRACK), True)
expect('stays', open(notes).read(), 'dear diary\n')
os.mkfifo(path('own/fifo'))
with open(path('own/large'), 'wb') as f:
    f.write(b'tptui session 1\n')
    f.truncate(1 << 30)
for name, complaint in (path('own/fifo'), 'not a file'), ('/dev/zero', 'not a file'), (path('own'), 'not a file'), (path('own/large'), 'larger than'):
    said = by_script('--session', name, *TRACK, lines=(':wait-idle', ':screenshot %s'))
    expect('%s as a session: %s in %r' % (name, complaint, said), complaint in said, True)

# A link is pasted into a shell: what its terminal acts on, even between quotes, is not in it.
odd = path("own/it's\x03\x7f\x7f\n;id #")
os.makedirs(os.path.dirname(odd), exist_ok=True)
shutil.copyfile(trace, odd)
status, said = run(odd, '--script', path('keys', ':wait-idle\ny\nl\n:wait-idle\n'))
with open(os.path.join(environment['XDG_STATE_HOME'], 'tptui/copied')) as f:
    link = f.read()
expect('a link to a file with an odd name', (status, shlex.split(link)[-1:], [c for c in link if c < ' ' or c == '\x7f']),
       (0, [path("own/it's????;id #")], []))

# A configuration that others may have written could name files to read and to write.
if os.geteuid() == 0:
    victim, config = path('own/victim', 'precious\n'), path('config/tptui/config', 'session %s\n' % path('own/victim'))
    os.chown(config, 12345, 0)
    status, said = run(trace, '--script', path('keys', ':wait-idle\n'), *TRACK)
    expect('a configuration of others', (status, said), (0, 'tptui: %s: it is passed over, as it belongs to uid 12345\n' % config))
    expect('writes nothing', open(victim).read(), 'precious\n')
    os.remove(config)
os.makedirs(path('config/tptui'), exist_ok=True)
for name, *args in ('config',), ('descriptions',), ('themes/x.theme', '--theme', 'x'):
    place = path('config/tptui/' + name)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    for what, make in ('a FIFO', os.mkfifo), ('a device', lambda p: os.symlink('/dev/zero', p)):
        make(place)
        expect('%s as %s' % (what, name), 'not a file' in run(trace, '--script', path('keys', ':wait-idle\n'), *args)[1], True)
        os.remove(place)

print('%d failures' % len(failures))
sys.exit(1 if failures else 0)
