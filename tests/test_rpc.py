#!/usr/bin/env python3
"""Talks to the program's RPC servers as clients do.

Usage: test_rpc.py TPTUI TRACE
"""
import os
import subprocess
import sys

from rpc_client import (APPEND, DESCRIPTORS, ENABLE, FINALIZE, METRIC, READ, REGISTER, RESET, RESTORE, STATEMENT, STATUS,
                        QUERY, Stream, field, parse, rows)

tptui, trace = sys.argv[1:]
failures = []


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


class Stdio:
    """A server on standard input and output."""

    def __init__(self, *args):
        self.process = subprocess.Popen([tptui, 'serve', 'stdio', *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.stream = Stream(self.send, lambda: os.read(self.process.stdout.fileno(), 1 << 16))

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def end(self):
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err.decode()


NASTY = "SELECT 1 AS a; SELECT -5 AS a, 'x' AS b, NULL AS c, 0.5 AS d, x'00ff' AS e UNION ALL SELECT 1 << 40, '', '\u00e4', 1e300, x''"
NASTY_ROWS = (['a', 'b', 'c', 'd', 'e'], [(-5, 'x', None, 0.5, b'\0\xff'), (1 << 40, '', '\u00e4', 1e300, b'')], None)


def check_methods(stream, what):
    """What every server answers alike, with a trace loaded."""
    status = parse(stream.call(STATUS))
    expect(what + ': name of the trace', status[1][0].decode(), '%s (0 MB)' % trace)
    expect(what + ': version of the API', status[3], [14])
    expect(what + ': values', stream.query(NASTY), NASTY_ROWS)
    columns, got, error = stream.query('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 120000) '
                                       "SELECT x, 'text ' || x AS t FROM n")
    expect(what + ': batches', (columns, len(got), got[-1], error), (['x', 't'], 120000, (120000, 'text 120000'), None))
    columns, got, error = stream.query('SELECT * FROM no_table')
    expect(what + ': an error', (columns, got, 'no such table' in error), ([], [], True))
    columns, got, error = stream.query('SELECT 1 AS a UNION ALL SELECT abs(-9223372036854775808)')
    expect(what + ': an error behind rows', (columns, bool(error)), (['a'], True))
    expect(what + ': a statement without rows', stream.query('CREATE PERFETTO TABLE mine AS SELECT 1 AS x'), ([], [], None))
    expect(what + ': nothing to run', stream.query('-- nothing'), ([], [], None))
    expect(what + ': a table of ours', stream.query('SELECT * FROM mine'), (['x'], [(1,)], None))
    stream.call(RESTORE)
    expect(what + ': restored', 'no such table' in stream.query('SELECT * FROM mine')[2], True)
    expect(what + ': what was loaded stays', stream.query('SELECT count(*) > 0 AS x FROM slice')[1], [(1,)])


def check_head(stream):
    stream.request(QUERY, field(1, 'SELECT 1; CREATE TABLE x(y); SELECT 2 AS b -- end'))
    head = parse(stream.message()[203][0])
    expect('statement counts', (head[4], head[5], head[6]), ([3], [2], [b'SELECT 2 AS b -- end']))


def check_statements(stream):
    sql = 'SELECT 1 AS a;\n CREATE TABLE q(r); ; SELECT 2 AS b'
    found, at = [], 0
    while True:
        result = parse(stream.call(STATEMENT, field(1, sql) + field(2, at)))
        if not result.get(3, [0])[0]:
            break
        at = result[2][0]
        found.append(rows([result[1][0]])[:2])
    expect('statement by statement', found, [(['a'], [(1,)]), ([], []), (['b'], [(2,)])])


def check_packages(stream):
    module = field(1, 'mine.one') + field(2, 'CREATE PERFETTO VIEW one AS SELECT 5 AS x;')
    args = field(1, 'mine') + field(2, module)
    include = 'INCLUDE PERFETTO MODULE mine.one; SELECT x FROM one'
    expect('a package', stream.call(REGISTER, args), b'')
    expect('its module', stream.query(include), (['x'], [(5,)], None))
    expect('a package twice', b'allow_override' in parse(stream.call(REGISTER, args))[1][0], True)
    expect('a package replaced', stream.call(REGISTER, args + field(3, 1)), b'')
    expect('a module of another package', 1 in parse(stream.call(REGISTER, field(1, 'other') + field(2, module))), True)
    stream.call(RESTORE)
    expect('a package stays when tables are restored', stream.query(include), (['x'], [(5,)], None))


def check_metrics(stream):
    result = parse(stream.call(METRIC, field(1, 'test_chrome_metric') + field(2, 1)))
    expect('a metric as text', b'test_value: 1' in result[3][0], True)
    expect('a metric as bytes', 1 in parse(stream.call(METRIC, field(1, 'test_chrome_metric'))), True)
    expect('a metric as JSON', parse(stream.call(METRIC, field(1, 'test_chrome_metric') + field(2, 2)))[4][0][:1], b'{')
    expect('an unknown metric', 2 in parse(stream.call(METRIC, field(1, 'no_metric'))), True)
    expect('a file as metric', b'not files' in parse(stream.call(METRIC, field(1, '/etc/x.sql')))[2][0], True)
    names = [parse(d)[1][0] for d in parse(stream.call(DESCRIPTORS)).get(1, [])]
    expect('descriptors of metrics', b'.perfetto.protos.TraceMetrics' in names, True)


def check_metatrace(stream):
    stream.call(ENABLE)
    stream.query('SELECT 12345')
    recorded = parse(stream.call(READ))[1][0]
    expect('metatrace', b'SELECT 12345' in recorded and b'QUERY_EXECUTE' in recorded, True)
    expect('metatrace without being enabled', 2 in parse(stream.call(READ)), True)


def check_upload(stream):
    with open(trace, 'rb') as f:
        data = f.read()
    stream.call(RESET)
    expect('nothing is loaded', (parse(stream.call(STATUS)).get(1), stream.query('SELECT count(*) AS n FROM slice')[1]),
           ([b''], [(0,)]))
    for at in range(0, len(data), 100):
        stream.call(APPEND, data[at:at + 100])
    expect('the trace is whole', stream.call(FINALIZE), b'')
    expect('what was sent is there', stream.query('SELECT count(*) > 0 AS n FROM slice')[1], [(1,)])
    stream.call(APPEND, b'nonsense')
    expect('no trace', b'not a trace' in parse(stream.call(FINALIZE))[1][0], True)
    expect('and then nothing', stream.query('SELECT count(*) AS n FROM slice')[1], [(0,)])


def check_protocol():
    s = Stdio(trace)
    s.send(field(1, field(1, 1) + field(2, 99)))
    expect('an unknown method', s.stream.message().get(4), [99])
    s.send(field(1, field(1, 2) + field(2, QUERY)))
    expect('no arguments', b'not set' in parse(s.stream.message()[203][0])[2][0], True)
    s.send(field(1, field(1, 7) + field(2, STATUS)))
    expect('out of order', b'rpc_seq' in s.stream.message()[5][0], True)
    expect('status then', s.end()[0], 1)
    for what, data in (('not the field', b'\x12\x00'), ('too long', b'\x0a\xff\xff\xff\xff\xff\x01'),
                       ('a length without end', b'\x0a' + b'\xff' * 20), ('broken inside', field(1, b'\x12\x50'))):
        s = Stdio()
        s.send(data)
        expect(what, b'framing' in s.stream.message()[5][0], True)
        expect('status of ' + what, s.end()[0], 1)
    s = Stdio(trace)
    request = field(1, field(1, 1) + field(2, QUERY) + field(103, field(1, 'SELECT 1 AS a')))
    for i in range(len(request)):
        s.send(request[i:i + 1])
    expect('byte by byte', rows([s.stream.message()[203][0]]), (['a'], [(1,)], None))
    s.send(field(1, field(2, STATUS)) * 1000)
    for i in range(1000):
        s.stream.message()
    expect('the end of the input', s.end()[0], 0)


s = Stdio(trace)
check_methods(s.stream, 'stdio')
check_head(s.stream)
check_statements(s.stream)
check_packages(s.stream)
check_metrics(s.stream)
check_metatrace(s.stream)
check_upload(s.stream)
expect('the end', s.end()[0], 0)
check_protocol()

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
