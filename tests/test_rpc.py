#!/usr/bin/env python3
"""Talks to the program's RPC servers as clients do.

Usage: test_rpc.py TPTUI TRACE HTTP

HTTP is 'yes' where the program was built with libwebsockets.
"""
import fcntl
import http.client
import io
import json
import os
import random
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import termios
import time
import urllib.request

from children import Popen
from rpc_client import (APPEND, ARGS, ASK, CREATE, DESCRIPTORS, DESTROY, ENABLE, EXPORT, FINALIZE, METRIC, READ, REGISTER, RESET, RESTORE, STATEMENT, STATUS, SUMMARIZE, UPDATE,
                        QUERY, RESULT, Stream, WebSocket, field, parse, rows, start_http, varint)

tptui, trace, has_http = sys.argv[1], sys.argv[2], sys.argv[3] == 'yes'
failures = []


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


class Stdio:
    """A server on standard input and output."""

    def __init__(self, *args):
        self.process = Popen([tptui, 'serve', 'stdio', *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
    expect(what + ': no version of a UI', 4 in status, False)
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


SPEC = 'metric_spec { id: "m" value: "v" query { sql { sql: "SELECT 2 AS v" } } }'


def check_summaries(stream):
    result = parse(stream.call(SUMMARIZE, field(2, SPEC) + field(3, field(3, 1)) + field(4, 1)))
    expect('a summary as text', b'double_value: 2.000000' in result[2][0], True)
    result = parse(stream.call(SUMMARIZE, field(2, SPEC) + field(3, field(1, 'm'))))
    expect('a summary as bytes', b'SELECT 2 AS v' in result[1][0], True)
    result = parse(stream.call(SUMMARIZE, field(2, SPEC) + field(3, field(1, 'n'))))
    expect('an unknown metric of a summary', b'metric n' in result[3][0], True)


def check_summarizers(stream):
    def query(id, sql):
        return field(2, field(1, id) + field(3, field(1, sql)))

    def changes(args):
        return [(q[1][0].decode(), q.get(3, [0])[0], q.get(4, [0])[0]) for q in map(parse, parse(stream.call(UPDATE, args)).get(1, []))]

    id = parse(stream.call(CREATE, b''))[1][0]
    spec = query('a', 'SELECT 7 AS x, 8 AS y') + query('b', 'SELECT 1 AS z')
    expect('new queries', changes(field(1, id) + field(2, spec)), [('a', 1, 0), ('b', 1, 0)])
    result = parse(stream.call(ASK, field(1, id) + field(2, 'a')))
    expect('a query of a summarizer', (result[1], result[3], result[4]), ([1], [1], [b'x', b'y']))
    expect('its table', stream.query('SELECT * FROM ' + result[2][0].decode())[1], [(7, 8)])
    expect('asked again', parse(stream.call(ASK, field(1, id) + field(2, 'a')))[2], result[2])
    stream.query('DROP TABLE ' + result[2][0].decode())
    result = parse(stream.call(ASK, field(1, id) + field(2, 'a')))
    expect('its table, made again', stream.query('SELECT * FROM ' + result[2][0].decode())[1], [(7, 8)])
    expect('its SQL', stream.query(result[9][0].decode())[1], [(7, 8)])
    expect('its text', b'SELECT 7 AS x' in result[8][0], True)
    expect('what changed', changes(field(1, id) + field(2, query('a', 'SELECT 7 AS x, 8 AS y'))), [('a', 0, 0), ('b', 0, 1)])
    expect('what is gone', parse(stream.call(ASK, field(1, id) + field(2, 'b'))).get(1), [0])
    stream.call(UPDATE, field(1, id) + field(2, query('a', 'SELECT 9 AS x')))
    changed = parse(stream.call(ASK, field(1, id) + field(2, 'a')))[2]
    expect('another query', (changed != result[2], stream.query('SELECT * FROM ' + changed[0].decode())[1]), (True, [(9,)]))
    for value in 3, 4:
        made = 'CREATE OR REPLACE PERFETTO TABLE before AS SELECT %d AS x; SELECT x FROM before' % value
        stream.call(UPDATE, field(1, id) + field(2, query('a', made)))
        table = parse(stream.call(ASK, field(1, id) + field(2, 'a')))[2][0].decode()
        expect('a query behind other statements', stream.query('SELECT * FROM ' + table)[1], [(value,)])
    stream.call(UPDATE, field(1, id) + field(2, query('a', 'CREATE PERFETTO TABLE once AS SELECT 5 AS x; SELECT x FROM once')))
    tables = [parse(stream.call(ASK, field(1, id) + field(2, 'a'))).get(2) for i in range(2)]
    expect('statements that can run once only', (tables[0] is not None, tables[1]), (True, tables[0]))
    stream.call(UPDATE, field(1, id) + field(2, query('a', 'SELECT x FROM no_table')))
    expect('what fails', b'no_table' in parse(stream.call(ASK, field(1, id) + field(2, 'a')))[6][0], True)
    expect('destroyed', stream.call(DESTROY, field(1, id)), b'')
    expect('destroyed twice', 1 in parse(stream.call(DESTROY, field(1, id))), True)


def check_database(data):
    with tempfile.NamedTemporaryFile(suffix='.db') as f:
        f.write(data)
        f.flush()
        expect('an exported database', sqlite3.connect(f.name).execute('SELECT count(*) > 0 FROM slice').fetchall(), [(1,)])


def exported(stream, format_number):
    stream.request(EXPORT, field(1, format_number))
    data = b''
    while True:
        result = parse(stream.message()[220][0])
        data += result[1][0]
        if not result[3][0]:
            return data


def check_export(stream):
    check_database(exported(stream, 3))
    names = tarfile.open(fileobj=io.BytesIO(exported(stream, 2))).getnames()
    expect('an exported tar', '__intrinsic_slice.arrow' in names, True)
    names = tarfile.open(fileobj=io.BytesIO(exported(stream, 1))).getnames()
    expect('an export for Trace Processor', (names[0], '__intrinsic_slice.arrow' in names), ('perfetto_manifest.json', True))
    expect('another format', parse(stream.call(EXPORT, field(1, 9)))[2], [b'Export format is required'])


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
    stream.request(RESET, field(2, 0) + field(1, 1))
    expect('options of traces', stream.message()[3], [RESET])
    stream.call(RESET)
    expect('no trace', b'not a trace' in parse(stream.call(APPEND, b'nonsense'))[2][0], True)
    expect('as the UI knows it', parse(stream.call(APPEND, b'nonsense'))[2][0].endswith(b' (ERR:fmt)'), True)
    expect('nor at its end', b'not a trace' in parse(stream.call(FINALIZE))[1][0], True)
    # The Python package does not look at what the end of an upload answers.
    expect('and then nothing', 'was not loaded: ' in stream.query('SELECT count(*) AS n FROM slice')[2], True)
    expect('nor metrics', b'was not loaded: ' in parse(stream.call(METRIC, field(1, 'test_chrome_metric')))[2][0], True)
    stream.call(APPEND, b'\x1f\x8b\x08\0' + bytes(40))
    expect('what is no trace inside', parse(stream.call(FINALIZE))[1][0].endswith(b' (ERR:tp-parse)'), True)
    expect('a piece without bytes', 2 in parse(stream.call(APPEND, b'')), False)
    expect('is no trace, and no error', (stream.call(FINALIZE), stream.query('SELECT count(*) AS n FROM slice')[1]), (b'', [(0,)]))
    stream.call(RESET)
    expect('until that is over', stream.query('SELECT count(*) AS n FROM slice')[1], [(0,)])


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
    for _ in range(3):  # pieces of a trace are larger still
        expect('a message of 3 MB', s.stream.query('SELECT 1 AS a /*%s*/' % ('x' * 3000000))[1:], ([(1,)], None))
    expect('the end behind them', s.end()[0], 0)
    s = Stdio(trace)
    request = field(1, field(1, 1) + field(2, QUERY) + field(103, field(1, 'SELECT 1 AS a')))
    for i in range(len(request)):
        s.send(request[i:i + 1])
    expect('byte by byte', rows([s.stream.message()[203][0]]), (['a'], [(1,)], None))
    s.send(field(1, field(2, STATUS)) * 1000)
    for i in range(1000):
        s.stream.message()
    expect('the end of the input', s.end()[0], 0)


class Http:
    """A server on a port that is free."""

    def __init__(self, *args, program=None):
        self.process, self.port = start_http(*(program or [tptui, 'serve', 'http', '--port', '0']), *args)
        self.connection = http.client.HTTPConnection('127.0.0.1:%d' % self.port, timeout=60)

    def call(self, path, body=None, headers={}, method=None):
        try:
            self.connection.request(method or ('GET' if body is None else 'POST'), path, body=body, headers=headers)
        except (BrokenPipeError, ConnectionResetError): # what is refused is answered before all of it was sent
            pass
        response = self.connection.getresponse()
        self.headers = response.headers
        return response.status, response.read()

    def query(self, sql):
        status, body = self.call('/query', field(1, sql))
        expect('status of a query', status, 200)
        return rows([body])

    def websocket(self, **options):
        w = WebSocket(self.port, **options)
        return w, Stream(w.send, w.receive)

    def end(self):
        self.process.kill()
        self.process.communicate()


ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'


def check_http(server):
    expect('values', server.query(NASTY), NASTY_ROWS)
    expect('many rows', len(server.query('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200000) '
                                         'SELECT x FROM n')[1]), 200000)
    expect('status', parse(server.call('/status')[1])[3], [14])
    expect('a metric', 1 in parse(server.call('/compute_metric', field(1, 'test_chrome_metric'))[1]), True)
    expect('/rpc', Stream(None, lambda: server.call('/rpc', field(1, field(1, 1) + field(2, STATUS)))[1]).message()[3], [STATUS])
    server.query('CREATE TABLE t(x)')
    expect('tables restored', (server.call('/restore_initial_tables', b''), 'no such' in server.query('SELECT * FROM t')[2]),
           ((200, b''), True))
    server.call('/enable_metatrace')
    expect('metatrace', 1 in parse(server.call('/disable_and_read_metatrace')[1]), True)
    check_database(server.call('/export', field(1, 3))[1])
    expect('what a browser shows', [server.call('/')[0], b'ui.perfetto.dev' in server.call('/')[1]], [200, True])
    expect('an unknown path', server.call('/nothing')[0], 404)
    expect('an unknown path with a body', server.call('/nothing', b'x')[0], 404)
    with open(trace, 'rb') as f:
        expect('a trace', parse(server.call('/parse', f.read())[1]).get(2), None)
    expect('its end', server.call('/notify_eof'), (200, b''))
    expect('it is there', server.query('SELECT count(*) > 0 AS n FROM slice')[1], [(1,)])


def check_access(server):
    for what, headers, status in (
            ('no origin', {}, 200),
            ('the user interface', {'Origin': 'https://ui.perfetto.dev'}, 200),
            ('an origin that was named', {'Origin': 'https://mine.example'}, 200),
            ('a page', {'Origin': 'https://evil.example'}, 403),
            ('a file', {'Origin': 'null'}, 403),
            ('part of an origin', {'Origin': 'https://ui.perfetto.dev.evil.example'}, 403),
            ('localhost', {'Host': 'localhost:%d' % server.port}, 200),
            ('an address', {'Host': '[::1]:1'}, 200),
            ('a name', {'Host': 'evil.example'}, 403),
            ('a name with a port', {'Host': 'evil.example:%d' % server.port}, 403),
            ('no name', {'Host': ''}, 403),
            ('an empty origin', {'Origin': ''}, 403),
            ('an origin without end', {'Origin': 'https://' + 'a' * 3000}, 400),
            ('an image', {'Sec-Fetch-Site': 'cross-site'}, 403),
            ('an image of another port', {'sec-fetch-site': 'same-site'}, 403),
            ('the user interface in a browser', {'Origin': 'https://ui.perfetto.dev', 'Sec-Fetch-Site': 'cross-site',
                                                 'User-Agent': 'Mozilla/5.0', 'Content-Type': 'text/plain'}, 200),
            ('a form', {'Content-Type': 'text/plain;charset=UTF-8'}, 403)):
        expect('status for ' + what, server.call('/status', headers=headers)[0], status)
        expect('header for ' + what, server.headers.get('Access-Control-Allow-Origin'),
               headers.get('Origin') if status == 200 else None)
        expect('what comes behind ' + what, server.call('/status')[0], 200)
        upgrade = {'Host': '127.0.0.1', **headers}
        sock = socket.create_connection(('127.0.0.1', server.port), timeout=60)
        sock.sendall(('GET /websocket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: '
                      'MDEyMzQ1Njc4OTAxMjM0NQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n' %
                      ''.join('%s: %s\r\n' % h for h in upgrade.items())).encode())
        got = sock.recv(100)
        expect('a websocket for ' + what, got[9:12], b'101' if status == 200 else b'%d' % status)
        sock.close()
    for what, headers in (('at an address', {'User-Agent': 'Mozilla/5.0'}), ('that tells its site', {'Sec-Fetch-Site': 'cross-site'})):
        expect('an image %s enables nothing' % what, server.call('/enable_metatrace', headers=headers)[0], 403)
        expect('indeed', 2 in parse(server.call('/disable_and_read_metatrace')[1]), True)
    for path in '/', '/status', '/websocket', '/rpc', '/parse', '/notify_eof', '/query', '/restore_initial_tables', '/export':
        status, _ = server.call(path, method='OPTIONS', headers={'Origin': 'https://ui.perfetto.dev'})
        told = server.headers['Access-Control-Allow-Methods'].split(', ')
        expect('OPTIONS of ' + path, (status, told[-2:]), (204, ['HEAD', 'OPTIONS']))
        for method in {'GET', 'POST', 'PUT', 'PATCH', 'DELETE'} - set(told):
            status, _ = server.call(path, b'', method=method)
            expect('%s of %s' % (method, path), (status, server.headers.get('Allow')), (405, ', '.join(told)))
    status, _ = server.call('/query', method='OPTIONS', headers={'Origin': 'https://ui.perfetto.dev'})
    expect('what a browser asks first', (status, server.headers['Access-Control-Allow-Origin'],
                                         server.headers['Access-Control-Allow-Private-Network']),
           (204, 'https://ui.perfetto.dev', 'true'))
    status, _ = server.call('/query', method='OPTIONS', headers={'Origin': 'https://evil.example'})
    expect('what the browser of another page asks first', (status, server.headers['Access-Control-Allow-Origin']), (403, None))
    expect('another path', server.websocket(path='/other')[0].status, 404)


def check_odd_heads(server):
    """Heads in odd forms with what browsers say, from a page that may not: whatever is made of them, nothing is done."""
    server.query('CREATE PERFETTO TABLE kept AS SELECT 1 AS x')
    chance = random.Random(24)
    verbs = ['GET', 'POST', 'PUT', 'CONNECT', 'post', 'PRI', 'G\0T', '']
    paths = ['/restore_initial_tables', '//restore_initial_tables', '/%72estore_initial_tables', '/./restore_initial_tables',
             'http://localhost/restore_initial_tables', '/restore_initial_tables?a=b', '/x/../restore_initial_tables', '/notify_eof', '*']
    pages = ['Origin: http://evil.example', 'Origin:', 'Origin: https://ui.perfetto.dev\r\nOrigin: http://evil.example', 'Sec-Fetch-Site: cross-site',
             'SEC-FETCH-SITE:same-site', 'Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Site: cross-site', 'Content-Type: text/plain', 'Content-Type: TEXT/PLAIN ; a=b',
             'User-Agent: Mozilla/5.0', 'Host: evil.example', 'Origin: null\r\nOrigin: ' + 'x' * 600]
    more = ['Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__', 'Upgrade: websocket\r\nConnection: Upgrade',
            'Content-Length: 0', 'Content-Length: 5', 'Transfer-Encoding: chunked', 'Expect: 100-continue', 'Connection: close',
            'Cookie: ' + 'y' * 3000, 'Referer: http://evil.example/' + 'z' * 1500, 'Accept: image/avif,image/webp,*/*;q=0.8', 'Accept-Language: de',
            'sec-ch-ua: "Chromium";v="1"', 'Sec-Fetch-Dest: image', 'Sec-GPC: 1', 'DNT: 1', 'TE: trailers', 'Priority: u=5, i', 'Save-Data: on',
            'Upgrade-Insecure-Requests: 1', 'Pragma: no-cache', 'Access-Control-Request-Method: POST', 'Access-Control-Request-Private-Network: true']
    for _ in range(300):
        lines = [chance.choice(pages), *chance.sample(more, chance.randrange(9))] + (['Host: 127.0.0.1'] if chance.randrange(9) else [])
        chance.shuffle(lines)
        head = '%s %s HTTP/%s\r\n%s\r\n\r\n' % (chance.choice(verbs), chance.choice(paths), chance.choice(['1.1', '1.1', '1.0', '2.0', 'x']), '\r\n'.join(lines))
        with socket.create_connection(('127.0.0.1', server.port), timeout=60) as s:
            s.sendall(head.encode() + b'hello')
            s.shutdown(socket.SHUT_WR)
            answer = s.recv(1 << 16) if 'CONNECT' not in head else b''
        expect('what is answered to %r' % head, answer.startswith(b'HTTP/1.1 2'), False)
    expect('the table is kept', server.query('SELECT x FROM kept'), (['x'], [(1,)], None))


def check_websocket(server):
    w, stream = server.websocket()
    check_methods(stream, 'websocket')
    request = field(1, field(1, 0) + field(2, QUERY) + field(103, field(1, 'SELECT 1 AS a')))
    w.send(request, piece=3)
    expect('fragments', rows([stream.message()[203][0]]), (['a'], [(1,)], None))
    w.send(request * 500)
    expect('many at once', [rows([stream.message()[203][0]])[1] for _ in range(500)], [[(1,)]] * 500)
    for _ in range(500):
        w.send(request)
    expect('one behind the other', [rows([stream.message()[203][0]])[1] for _ in range(500)], [[(1,)]] * 500)
    w.send(b'\x12\x00')
    expect('what is no stream', b'framing' in stream.message()[5][0], True)
    expect('ends the connection', w.receive(), b'')


class UiEngine:
    """What the Perfetto UI asks and how strictly it reads: requests are sent without waiting, answers come in their order and
    are numbered without a gap. A websocket that was lost is opened anew, with an empty message first and the same numbers."""

    def __init__(self, server):
        self.server, self.sent, self.last = server, 0, 0
        self.connect()

    def connect(self):
        self.socket, self.stream = self.server.websocket()

    def lose(self):
        self.socket.socket.close()
        self.connect()
        self.socket.frame(b'')

    def ask(self, *requests):
        """The answers to (method, arguments or None)."""
        for method, args in requests:
            body = field(1, self.sent) + field(2, method) + (field(ARGS[method], args) if args is not None else b'')
            self.sent += 1
            self.socket.send(field(1, body))
        return [self.answer(method) for method, _ in requests]

    def answer(self, method):
        results = []
        while True:
            message = self.stream.message()
            number = message[1][0]
            expect('no fatal error', message.get(5), None)
            expect('numbers of answers', number in (0, self.last + 1) or self.last == 0, True)
            self.last = number
            expect('what was asked', message[3], [method])
            results.append(message.get(RESULT.get(method), [b''])[0])
            if method != QUERY:
                return parse(results[0])
            if any(6 in parse(batch) for batch in parse(results[-1]).get(3, [])):
                return rows(results)


def check_ui(server):
    status, body = server.call('/status', method='POST', headers={'Origin': 'https://ui.perfetto.dev', 'Cache-Control': 'no-cache'})
    expect('is it there', (status, parse(body)[3]), (200, [14]))
    with open(trace, 'rb') as f:
        data = f.read()
    ui = UiEngine(server)
    options = field(1, 1) + field(2, 1) + field(3, 0) + field(4, 0)
    pieces = [(APPEND, data[at:at + 60]) for at in range(0, len(data), 60)]
    answers = ui.ask((RESET, options), *pieces, (FINALIZE, None), (QUERY, field(1, 'SELECT count(*) > 0 AS n FROM slice')))
    expect('a trace and a question at once', (answers[-2], answers[-1]), ({}, (['n'], [(1,)], None)))
    expect('how far it was', answers[len(pieces)][1], [len(data)])
    counts = ui.ask(*((QUERY, field(1, 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < %d) SELECT x FROM n' % n))
                      for n in (60000, 3, 0, 60000)))
    expect('questions at once', [(len(found), error) for _, found, error in counts], [(60000, None), (3, None), (1, None), (60000, None)])
    ui.lose()
    expect('after the connection was lost', ui.ask((QUERY, field(1, 'SELECT 1 AS a')), (STATUS, None))[0], (['a'], [(1,)], None))
    metric = field(1, 'test_chrome_metric')
    binary, text, as_json = ui.ask((METRIC, metric + field(2, 0)), (METRIC, metric + field(2, 1)), (METRIC, metric + field(2, 2)))
    expect('formats of metrics', (b'test_value: 1' in text[3][0], json.loads(as_json[4][0]), 1 in binary),
           (True, {'perfetto.protos.test_chrome_metric': {'test_value': 1}}, True))
    enabled, _, recorded = ui.ask((ENABLE, field(1, 1)), (QUERY, field(1, 'SELECT 98765')), (READ, None))
    expect('a metatrace with categories', b'SELECT 98765' in recorded[1][0], True)
    ui.lose()
    expect('lost again', ui.ask((RESTORE, None), (QUERY, field(1, 'SELECT 2 AS b')))[1], (['b'], [(2,)], None))
    ui.socket.socket.close()


def check_cancel(server):
    for what in 'websocket', 'http':
        if what == 'websocket':
            w, stream = server.websocket()
            stream.request(QUERY, field(1, ENDLESS))
            time.sleep(0.3)
            w.socket.close()
        else:
            sock = socket.create_connection(('127.0.0.1', server.port), timeout=60)
            body = field(1, ENDLESS)
            sock.sendall(b'POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n' % len(body) + body)
            time.sleep(0.3)
            sock.close()
        begin = time.monotonic()
        expect('after %s was closed' % what, server.query('SELECT 1 AS a')[1], [(1,)])
        expect('at once', time.monotonic() - begin < 5, True)
    for _ in range(30):  # closed at any moment of its query
        w, stream = server.websocket()
        stream.request(QUERY, field(1, ENDLESS))
        w.socket.close()
        expect('after a client that left at once', server.query('SELECT 1 AS a')[1], [(1,)])
    w, stream = server.websocket()
    stream.request(QUERY, field(1, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, hex(zeroblob(500)) FROM n"))
    time.sleep(2)
    with open('/proc/%d/status' % server.process.pid) as f:
        size = int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))
    expect('an answer that is not read waits: %d kB' % size, size < 600_000, True) # under sanitizers; else a tenth of it
    w.socket.close()
    expect('after that', server.query('SELECT 1 AS a')[1], [(1,)])


def check_half_open(server):
    """Clients that send less than they say, or nothing."""
    sockets = []
    for start in (b'', b'GET /sta', b'POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx',
                  b'\x00\xff' * 100, b'GET / HTTP/1.1\r\n' + b'A: b\r\n' * 20000):
        s = socket.create_connection(('127.0.0.1', server.port), timeout=60)
        try:
            s.sendall(start)
        except OSError:
            pass
        sockets.append(s)
    w, stream = server.websocket()
    w.frame(b'\x0a\xff\xff\xff\x3f')  # the head of a message of 128 MB
    for _ in range(20):
        sockets.append(server.websocket()[0].socket)
    expect('others are served', server.query('SELECT 1 AS a')[1], [(1,)])
    for s in sockets:
        s.close()
    with socket.create_connection(('127.0.0.1', server.port), timeout=60) as s:
        s.sendall(b'POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n')
        expect('a body without a length', s.recv(12), b'HTTP/1.1 413')
    expect('too long a body', server.call('/parse', b'', headers={'Content-Length': str(1 << 40)})[0], 413)
    server.connection.close()


def check_package():
    """What the Python package does: starts the shell, waits until it answers, sends a trace, asks, and kills it."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free, tempfile.TemporaryFile() as output:
        shell = os.path.join(folder, 'trace_processor_shell')
        os.symlink(os.path.abspath(tptui), shell)
        os.makedirs(os.path.join(folder, 'sql'))
        with open(os.path.join(folder, 'sql', 'one.sql'), 'w') as f:
            f.write('CREATE PERFETTO VIEW one AS SELECT 5 AS x;')
        free.bind(('', 0))
        address = 'localhost:%d' % free.getsockname()[1]
        free.close()
        package = ['--add-sql-package', os.path.join(folder, 'sql') + '@mine']
        process = Popen([shell, '-D', '--http-port', address.split(':')[1], '--no-ftrace-raw', '--dev', *package, '--full-sort'],
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        connection = http.client.HTTPConnection(address, timeout=60)

        def call(method, path, body=None):
            connection.request(method, path, body=body)
            with connection.getresponse() as response:
                return response.read()

        for _ in range(600):
            try:
                urllib.request.urlretrieve('http://%s/status' % address, os.path.join(folder, 'status'))
                break
            except OSError:
                time.sleep(0.1)
        expect('the shell runs', process.poll(), None)
        with open(trace, 'rb') as f:
            expect('a piece of a trace', 2 in parse(call('POST', '/parse', f.read())), False)
        call('GET', '/notify_eof')
        expect('status of what was sent', parse(call('GET', '/status'))[3], [14])
        expect('rows', rows([call('POST', '/query', field(1, 'SELECT count(*) > 0 AS n FROM slice'))]), (['n'], [(1,)], None))
        module = 'INCLUDE PERFETTO MODULE mine.one; SELECT x FROM one'
        expect('a package of SQL', rows([call('POST', '/query', field(1, module))]), (['x'], [(5,)], None))
        expect('an error', 'no such table' in rows([call('POST', '/query', field(1, 'SELECT * FROM t'))])[2], True)
        expect('metric()', 1 in parse(call('POST', '/compute_metric', field(1, 'test_chrome_metric'))), True)
        for computation in field(3, 1), field(1, 'm'):  # all metrics, or those that are named
            summary = parse(call('POST', '/trace_summary', field(2, SPEC) + field(3, computation) + field(4, 0)))
            expect('trace_summary()', (1 in summary, 3 in summary), (True, False))
        call('GET', '/enable_metatrace')
        expect('metatrace', 1 in parse(call('GET', '/disable_and_read_metatrace')), True)
        expect('the head of the greeting', call('HEAD', '/'), b'')
        expect('the greeting behind it, on the same connection', call('GET', '/')[:5], b'tptui')
        call('POST', '/query', field(1, 'CREATE PERFETTO TABLE mine AS SELECT 1 AS x'))
        for path in '/status', '/query', '/rpc', '/restore_initial_tables', '/nothing', '/websocket':
            expect('the head of ' + path, call('HEAD', path), b'')
        expect('behind heads, of which nothing was done', rows([call('POST', '/query', field(1, 'SELECT x FROM mine'))])[1], [(1,)])
        check_database(call('POST', '/export', field(1, 3)))
        names = tarfile.open(fileobj=io.BytesIO(call('POST', '/export', field(1, 1)))).getnames()
        expect('export("perfetto")', names[0], 'perfetto_manifest.json')
        write = rows([call('POST', '/query', field(1, "SELECT __intrinsic_file_write('%s/x', x'00') AS size" % folder))])
        expect('a file that is not to be written', 'File I/O is disabled' in write[2], True)
        expect('a summary that is none', 3 in parse(call('POST', '/trace_summary', field(2, 'foo') + field(3, field(1, 'm')))), True)
        expect('what is no trace', b'not a trace' in parse(call('POST', '/parse', b'<foo></foo>'))[2][0], True)
        process.kill()
        process.wait()
        connection.close()


def check_shell_http():
    """The shell's own names for the server over HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        shell = os.path.join(folder, 'trace_processor_shell')
        os.symlink(os.path.abspath(tptui), shell)
        server = Http(trace, program=[shell, '--httpd', '--http-port', '0', '--http-ip-address', '127.0.0.1',
                                      '--http-additional-cors-origins', 'http://a.example,http://b.example'])
        expect('--http-additional-cors-origins', [server.call('/status', headers={'Origin': o})[0] for o in (
            'http://a.example', 'http://b.example', 'http://c.example')], [200, 200, 403])
        server.end()
        server = Http(trace, program=[shell, 'server', 'http', '--port', '0'])
        expect('server http', server.query('SELECT count(*) > 0 AS n FROM slice')[1], [(1,)])
        server.end()
        with socket.socket() as taken:
            taken.bind(('127.0.0.1', 0))
            taken.listen(1)
            p = subprocess.run([shell, '-D', '--http-port', str(taken.getsockname()[1])], capture_output=True, timeout=60)
            expect('a port that is taken', (p.returncode, b'another program does' in p.stderr), (1, True))


def check_shell():
    """The other servers, and what is none."""
    with tempfile.TemporaryDirectory() as folder:
        shell = os.path.join(folder, 'trace_processor_shell')
        os.symlink(os.path.abspath(tptui), shell)
        for args in ['--stdiod', trace], ['server', 'stdio', trace]:
            p = subprocess.run([shell, *args], input=field(1, field(1, 1) + field(2, QUERY) + field(103, field(1, 'SELECT 1 AS a'))),
                               capture_output=True, timeout=60)
            expect(args[0], rows([Stream(None, lambda: p.stdout).message()[203][0]])[1], [(1,)])
        for args in ['server'], ['server', 'carrier-pigeon'], ['server', 'http', trace, trace]:
            expect(' '.join(args), subprocess.run([shell, *args], capture_output=True, timeout=60).returncode, 1)


def check_odd_answers():
    """What a client makes of a session that answers out of order."""
    def batch(ints, last):
        return field(3, field(1, b'\2' * len(ints)) + field(2, b''.join(map(varint, ints))) + field(6, last))

    answers = {
        'names behind rows': (batch([1], False) + field(1, 'a') + batch([2], True), ''),
        'more names later': (field(1, 'a') + batch([1], False) + field(1, 'b') + batch([2, 3], True), 'a\n1\n2\n3\n'),
        'rows without names': (batch([1, 2], True), ''),
        'fewer values than cells': (field(1, 'a') + field(3, field(1, b'\2\5\3') + field(6, True)), 'a\n\n\n\n'),
    }
    for what, (result, printed) in answers.items():
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(folder + '/odd.sock')
            server.listen(1)
            p = Popen([tptui, 'query', '--remote', folder + '/odd.sock', 'SELECT 1'], stdout=subprocess.PIPE)
            client = server.accept()[0]
            client.recv(1 << 16)
            client.sendall(field(1, field(219, field(1, result) + field(2, 8) + field(3, True))))
            expect(what, (p.communicate(timeout=100)[0].decode(), p.returncode), (printed, 0))
            client.close()


def check_unix():
    """A session that stays, and those who ask it."""
    with tempfile.TemporaryDirectory() as folder:
        shell = os.path.join(folder, 'trace_processor_shell')
        os.symlink(os.path.abspath(tptui), shell)
        env = dict(os.environ, XDG_RUNTIME_DIR=folder)

        def run(*args, program=tptui, **options):
            p = subprocess.run([program, *args], capture_output=True, timeout=100, env=env,
                               **{'stdin': subprocess.DEVNULL, **options})
            return p.returncode, p.stdout.decode(), p.stderr.decode()

        expect('a session in the background', run('serve', 'unix', '--name', 'warm', '--daemonize', trace)[:2], (0, ''))
        expect('only for its owner', oct(os.stat(folder + '/perfetto').st_mode & 0o777), '0o700')
        two = "CREATE PERFETTO TABLE kept AS SELECT 1 AS x; SELECT count(*) > 0 AS n FROM slice; SELECT 'a\"' AS b, NULL AS c, 0.5 AS d"
        expect('query --remote', run('query', '--remote', 'warm', two), (0, 'n\n1\n\nb,c,d\n"a""",,0.5\n', ''))
        expect('what was made is there', run('query', '--remote', folder + '/perfetto/warm.sock', 'SELECT x FROM kept'), (0, 'x\n1\n', ''))
        status, out, _ = run('query', '--remote', 'warm', two.replace('kept', 'kept2'), program=shell)
        expect('query --remote of the shell', (status, out), (0, '"n"\n1\n\n"b","c","d"\n"a"","[NULL]",0.500000\n'))
        status, out, _ = run('query', '--remote=warm', program=shell, stdin=None, input=b'SELECT 5 AS five')
        expect('SQL from standard input', (status, out), (0, '"five"\n5\n'))
        for args, program in (['shell', '--remote', 'warm'], tptui), (['interactive', '--remote', 'warm'], shell), \
                (['query', '-i', '--remote', 'warm', 'SELECT 1 AS one'], shell):
            status, out, _ = run(*args, program=program, stdin=None, input=b'SELECT x FROM kept;\nCREATE TABLE k%d(y);\n' % len(args))
            expect('%s over a session' % args[0], (status, re.search('x *\n[- ]*\n?( *)1', out) is not None), (0, True))
        status, out, err = run('shell', '--remote', 'warm', stdin=None, input=b'.reset\n.dump x\n.mode jsonl\nSELECT 1 AS a; SELECT z FROM kept;\n')
        expect('what there is over a session: ' + err, (status, out, err.count('.mode'), 'no such column: z' in err), (1, '{"a": 1}\n', 2, True))
        expect('a trace and a session', run('shell', '--remote', 'warm', trace)[0], 2)
        for command, option, program in ('query', '--add-sql-package=' + folder, tptui), ('shell', '--no-vector', tptui), \
                ('query', '--crop-track-events', shell), ('interactive', '--add-sql-package=' + folder, shell):
            status, out, err = run(command, '--remote', 'warm', option, program=program)
            expect('an option of loading: ' + err, (status != 0, out, option.split('=')[0] in err), (True, '', True))
        status, out, err = run('query', '--remote', 'warm', trace, 'SELECT 1', program=shell)
        expect('a trace and a session of the shell: ' + err, (status, 'has its trace' in err and trace in err), (1, True))
        expect('a shell over no session', run('shell', '--remote', 'cold')[0], 3)
        status, _, err = run('query', '--remote', 'warm', 'SELECT * FROM no_table')
        expect('an error there: ' + err, (status, 'no such table' in err), (1, True))
        many = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200000) SELECT x FROM n'
        expect('many rows', run('query', '--remote', 'warm', many)[1].count('\n'), 200001)
        expect('a name that is taken', run('serve', 'unix', '--name', 'warm', trace)[0], 1)
        expect('a name that is none', run('query', '--remote', 'cold', 'SELECT 1')[0], 3)
        expect('a name with slashes', run('serve', 'unix', '--name', '../x', trace)[0], 1)
        p = Popen([tptui, 'query', '--remote', 'warm', ENDLESS], env=env, stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        p.kill()
        p.wait()
        expect('after a client was killed', run('query', '--remote', 'warm', 'SELECT 1 AS x'), (0, 'x\n1\n', ''))
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(folder + '/perfetto/warm.sock')
        sock.sendall(b'\x0a\x05\x08')
        check_methods_of = Stream(lambda data: other.sendall(data), lambda: other.recv(1 << 16))
        other = socket.socket(socket.AF_UNIX)
        other.connect(folder + '/perfetto/warm.sock')
        check_methods(check_methods_of, 'unix')
        other.close()
        elsewhere = {key: value for key, value in env.items() if key != 'XDG_RUNTIME_DIR'}
        p = subprocess.run([tptui, 'query', '--remote', 'warm', 'SELECT 1 AS x'], env={**elsewhere, 'TMPDIR': folder}, capture_output=True, timeout=100)
        expect('where temporary files are', p.stdout, b'x\n1\n')
        expect('serve kill', run('serve', 'kill', 'warm')[0], 0)
        for _ in range(600):
            if not os.path.exists(folder + '/perfetto/warm.sock'):
                break
            time.sleep(0.1)
        expect('the socket is gone', os.listdir(folder + '/perfetto'), [])
        sock.close()
        expect('nothing to kill', run('serve', 'kill', 'warm')[0], 1)
        p = Popen([shell, 'server', 'unix', '--path', folder + '/own.sock', '--idle-timeout', '1s', trace], env=env,
                             stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        expect('ends when idle', (p.wait(timeout=60), time.monotonic() - begin < 20), (0, True))
        with open(folder + '/own.sock', 'w'):
            pass
        expect('a file that is no socket', run('serve', 'unix', '--path', folder + '/own.sock', trace)[0], 1)
        os.chmod(folder + '/perfetto', 0o755)
        expect('a folder of others', run('serve', 'unix', '--name', 'x', trace)[0], 1)


MB = 1 << 20


def check_memory_of_http():
    """What clients have sent of requests that are not there yet is counted over all of them."""
    rest, begin = 50, time.monotonic()  # seconds; the server closes what rests for a minute, on a busy machine too
    server = Http(trace)
    clients = []
    for _ in range(4):
        s = socket.create_connection(('127.0.0.1', server.port), timeout=60)
        s.sendall(b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n' % (120 * MB))
        for _ in range(119):
            s.sendall(bytes(MB))
        clients.append(s)
    for _ in range(5):
        try:
            full = server.call('/query', bytes(100 * MB))
            break
        except ConnectionResetError: # the kernel may forget an answer that was not read when the connection was closed
            full = None
            server.connection.close()
    if time.monotonic() - begin > rest:
        print('too slow to ask what is too much while clients rest')
        server.end()
        return
    expect('a request too much', full and (full[0], b'try again' in full[1]), (503, True))
    expect('a small one', server.query('SELECT 1 AS a')[1], [(1,)])
    sockets = [server.websocket()[0] for _ in range(2)]
    try:
        for w in sockets:
            w.frame(b'\x0a\xff\xff\xff\x3f' + bytes(20 * MB))
        closed = b'' in [w.receive() for w in sockets]
    except OSError:
        closed = True
    expect('websockets that send too much are closed', closed, True)
    if time.monotonic() - begin < rest:
        for s in clients:
            s.sendall(bytes(MB))
        expect('those that had room are answered, the others told', {s.recv(12) for s in clients}, {b'HTTP/1.1 200', b'HTTP/1.1 503'})
    else:
        print('too slow to ask for the answers of clients that rested')
    for s in clients:
        s.close()
    server.connection.close() # it may have rested for too long, too
    expect('then there is room', server.call('/query', bytes(100 * MB))[0], 200)
    server.end()


def has_read_all(sockets):
    """Waits until the server has taken what they were sent, and has come to rest."""
    size = bytearray(4)
    for s in sockets:
        while fcntl.ioctl(s, termios.TIOCOUTQ, size) == 0 and any(size):
            time.sleep(0.01)
    time.sleep(0.5)


def check_memory_of_unix():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/s.sock'
        p = Popen([tptui, 'serve', 'unix', '--path', path, trace], stderr=subprocess.PIPE)
        p.stderr.readline()

        def send_part(megabytes):
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            s.sendall(b'\x0a\xff\xff\xff\x3f')
            for _ in range(megabytes):
                s.sendall(bytes(MB))
            return s

        def ask(what):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(path)
                expect(what, Stream(s.sendall, lambda: s.recv(1 << 16)).query('SELECT 1 AS a')[1], [(1,)])

        clients = [send_part(n) for n in (120, 120, 14)]
        small = [send_part(0) for _ in range(9)] # who keeps little has room where the others left none
        has_read_all(clients)
        for s in small:
            s.sendall(bytes(MB // 4 - 100))
        has_read_all(small)
        ask('who keeps little, and asks')
        expect('who keeps little', [s.send(b'0') for s in small], [1] * 9)
        try:
            for _ in range(100):
                clients[2].sendall(bytes(MB))
            expect('who sends too much is disconnected', False, True)
        except OSError:
            pass
        ask('who does not, is not')
        p.terminate()
        p.communicate()


def cpu_seconds(pid):
    with open('/proc/%d/stat' % pid) as f:
        fields = f.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def serve_with_descriptors(limit, *args):
    return Popen([tptui, 'serve', *args, trace], stderr=subprocess.PIPE, close_fds=True,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))


def check_few_descriptors():
    """More clients than descriptors: those that are there are answered, nothing spins, a signal ends it."""
    with tempfile.TemporaryDirectory() as folder:
        for limit, kind, *args in [(n, *kind) for n in (30, 12, 10, 9, 8)
                                   for kind in (('unix', '--path', folder + '/s.sock'), ('http', '--port', '0'))]:
            if kind == 'http' and not has_http:
                continue
            p = serve_with_descriptors(limit, kind, *args)
            port = re.search(r'([0-9]*)$', p.stderr.readline().decode().strip()).group(1)
            name = f'{kind} with {limit} descriptors '
            clients = []
            for _ in range(50):
                clients.append(socket.socket(socket.AF_UNIX if kind == 'unix' else socket.AF_INET))
                clients[-1].connect(folder + '/s.sock' if kind == 'unix' else ('127.0.0.1', int(port)))
            time.sleep(0.5)
            before = cpu_seconds(p.pid)
            time.sleep(1)
            expect(name + 'does not spin', cpu_seconds(p.pid) - before < 0.1, True)
            if kind == 'unix':
                for c in clients[0], clients[-1]:
                    expect('a client of it', Stream(c.sendall, lambda: c.recv(1 << 16)).query('SELECT 1 AS a')[1], [(1,)])
                    for other in clients[1:-1]:
                        other.close()
                    clients[0].close()
            else:
                for c in clients[0], clients[-1]:
                    c.sendall(b'GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n')
                    expect('a client of it', c.recv(12), b'HTTP/1.1 200')
                    for other in clients[1:-1]:
                        other.close()
                    clients[0].close()
            p.terminate()
            expect('it ends', p.wait(timeout=60), -signal.SIGTERM)
            p.stderr.close()
        expect('its socket', os.listdir(folder), [])
    for limit in range(4, 8) if has_http else []:
        p = serve_with_descriptors(limit, 'http', '--port', '0')
        line = p.stderr.readline().decode()
        if 'Starting' not in line:
            expect(f'{limit} descriptors are too few', 'cannot' in line and p.wait(timeout=60) > 0, True)
        else:
            port = re.search(r'([0-9]*)$', line.strip()).group(1)
            with socket.create_connection(('127.0.0.1', int(port))) as c:
                c.sendall(b'GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n')
                expect(f'{limit} descriptors are enough', c.recv(12), b'HTTP/1.1 200')
            p.terminate()
            p.wait(timeout=60)
        p.stderr.close()


def check_ends():
    """A signal ends a server whatever it does, and the socket is gone."""
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)  # who runs this may have them ignored, as nohup does
    with tempfile.TemporaryDirectory() as folder:
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            p = Popen([tptui, 'serve', 'unix', '--path', folder + '/s.sock', trace], stderr=subprocess.PIPE)
            p.stderr.readline()
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(folder + '/s.sock')
                stream = Stream(s.sendall, lambda: s.recv(1 << 16))
                stream.query('SELECT 1 AS a')
                stream.request(QUERY, field(1, ENDLESS))
                p.send_signal(number)
                expect('the end by signal %d' % number, (p.wait(timeout=60), os.listdir(folder)), (-number, []))
            p.stderr.close()
            if has_http:
                server, query = Http(trace), field(1, ENDLESS)
                with socket.create_connection(('127.0.0.1', server.port)) as s:
                    s.sendall(b'POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s' % (len(query), query))
                    time.sleep(0.2)  # it runs, and would go on
                    server.process.send_signal(number)
                    expect('the end of HTTP by signal %d' % number, server.process.wait(timeout=60), -number)
        p = Popen(['nohup', tptui, 'serve', 'unix', '--path', folder + '/s.sock', trace], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while b'Listening' not in p.stderr.readline():
            pass
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(folder + '/s.sock')
            stream = Stream(s.sendall, lambda: s.recv(1 << 16))
            stream.query('SELECT 1 AS a')
            p.send_signal(signal.SIGHUP)
            expect('nohup', stream.query('SELECT 1 AS a')[1], [(1,)])
        p.terminate()
        p.communicate()


def check_owner():
    """A socket is its owner's, whatever the umask and the folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + '/s.sock'
        p = Popen([tptui, 'serve', 'unix', '--path', path, trace], stderr=subprocess.PIPE, preexec_fn=lambda: os.umask(0))
        p.stderr.readline()
        expect('mode of the socket', oct(os.stat(path).st_mode & 0o777), '0o600')
        if os.getuid() == 0:  # else nobody can be somebody else
            os.chmod(folder, 0o755)
            os.chmod(path, 0o666)
            ask = 'import os, socket, sys; os.setuid(65534); s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(1))'
            other = subprocess.run([sys.executable, '-c', ask, path], capture_output=True, timeout=60)
            expect('another user', other.stdout, b"b''\n")
            kills = subprocess.run([sys.executable, '-c', 'import os, sys; os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])',
                                    tptui, 'serve', 'kill', path], capture_output=True, timeout=60)
            expect('another user kills', (kills.returncode != 0, p.poll()), (True, None))
        p.terminate()
        p.communicate()


def check_all_of_http():
    server = Http(trace, '--additional-cors-origins', 'https://other.example, https://mine.example')
    check_websocket(server)
    check_cancel(server)
    check_half_open(server)
    check_access(server)
    check_odd_heads(server)
    check_http(server)
    server.end()
    server = Http(trace)
    check_ui(server)
    server.end()
    check_package()
    check_shell_http()
    check_memory_of_http()


s = Stdio(trace)
check_methods(s.stream, 'stdio')
check_head(s.stream)
check_statements(s.stream)
check_packages(s.stream)
check_metrics(s.stream)
check_summaries(s.stream)
check_summarizers(s.stream)
check_export(s.stream)
check_metatrace(s.stream)
check_upload(s.stream)
expect('the end', s.end()[0], 0)
check_protocol()
if has_http:
    check_all_of_http()
else:
    p = subprocess.run([tptui, 'serve', 'http', trace], capture_output=True, timeout=100)
    expect('no HTTP', (p.returncode != 0, b'without libwebsockets' in p.stderr), (True, True))
check_shell()
check_odd_answers()
check_unix()
check_memory_of_unix()
check_few_descriptors()
check_ends()
check_owner()

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
