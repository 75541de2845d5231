#!/usr/bin/env python3
"""Lets a browser talk to `tptui serve http`: a page of an origin that is allowed, and pages that are not.

Usage: test_browser.py TPTUI TRACE OTHER_TRACE HAS_HTTP

The pages are browser/page.html, served here. Exits with 77 (skipped) where chromium is not installed, or HAS_HTTP is no.
"""
import functools
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from children import Popen
from rpc_client import field, parse, rows, start_http

tptui, trace, other_trace = map(os.path.abspath, sys.argv[1:4])
failures = []
PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'browser')
# The page itself gives up after 30 s at each of its three steps.
PATIENCE = 300
QUERIES = [
    'SELECT id, ts, dur, name, parent_id, depth, category FROM slice ORDER BY id',
    "SELECT -5 AS a, 'x' AS b, NULL AS c, 0.5 AS d, 1 << 62 AS e UNION ALL SELECT 1 << 40, '', '\u00e4\u4e2d', 1e300, -9223372036854775807",
    "SELECT CAST(x'00ff' AS BLOB) AS bytes",
    'SELECT ts, dur, cpu, utid FROM sched ORDER BY ts, cpu LIMIT 20000',
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60000) SELECT x, 'text ' || x AS t FROM n",
    'SELECT count(*) AS n FROM slice WHERE 1 = 0',
]
BYTES = 2
MANY_ROWS = 4


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %.2000r\n  got      %.2000r' % (what, want, got))


class Site(http.server.SimpleHTTPRequestHandler):
    """The page, a trace, and what the page tells of itself."""

    def do_GET(self):
        if self.path != '/trace':
            super().do_GET()
            return
        with open(other_trace, 'rb') as f:
            data = f.read()
        self.send_response(200)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        self.server.outcomes.put(self.rfile.read(int(self.headers['Content-Length'])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def open_site():
    """An origin of its own: a server on a port that is free."""
    site = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Site, directory=PAGES))
    site.outcomes = queue.Queue()
    site.origin = 'http://127.0.0.1:%d' % site.server_address[1]
    threading.Thread(target=site.serve_forever, daemon=True).start()
    return site


def visit(site, server, upload='', host='127.0.0.1', foreign=False, loading=''):
    """What the page of `site`, asked for as `host`, says after it has talked to `server`."""
    arguments = [('server', server), *(('sql', sql) for sql in QUERIES), ('upload', upload)] + [('foreign', 1)] * foreign + [('loading', loading)] * bool(loading)
    url = 'http://%s:%d/page.html?%s' % (host, site.server_address[1], urllib.parse.urlencode(arguments))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        # Names lead nowhere but here: no page and no service of the browser reaches further.
        command = [chromium, '--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--no-proxy-server',
                   '--disable-background-networking', '--disable-component-update', '--disable-extensions', '--disable-sync',
                   '--host-resolver-rules=MAP * 127.0.0.1', '--user-data-dir=' + os.path.join(home, 'profile')]
        if os.getuid() == 0:
            command.append('--no-sandbox')  # it needs a user that is not root
        env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home, XDG_RUNTIME_DIR=home)
        with open(os.path.join(home, 'log'), 'w+') as log:
            browser = Popen([*command, url], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            try:
                return json.loads(site.outcomes.get(timeout=PATIENCE))
            except queue.Empty:
                log.seek(0)
                print('the browser says nothing:\n' + log.read())
                return None
            finally:
                os.killpg(browser.pid, signal.SIGKILL)
                browser.wait()


def post(port, path, data=b''):
    request = urllib.request.Request('http://127.0.0.1:%d%s' % (port, path), data=data, headers={'Content-Type': 'application/x-protobuf'})
    with urllib.request.urlopen(request, timeout=60) as f:
        return f.read()


def ask(port, sql):
    return rows([post(port, '/query', field(1, sql))])


def loaded(port):
    with urllib.request.urlopen('http://127.0.0.1:%d/status' % port, timeout=60) as f:
        return parse(f.read())[1][0].decode()


def printed(file):
    """What `tptui query` prints for each query: rows as it names and orders them."""
    answers = []
    for sql in QUERIES:
        p = subprocess.run([tptui, 'query', '--format', 'jsonl', file, sql], capture_output=True, timeout=60, check=True)
        answers.append([json.loads(line) for line in p.stdout.decode().splitlines()])
    return answers


def named(answers):
    """What the page has, in the same form."""
    return [[dict(zip(a['columns'], row)) for row in a['rows']] if 'rows' in a else a for a in answers]


def compare(what, answers, want):
    for sql, got, row in zip(QUERIES, named(answers), want, strict=True):
        if sql == QUERIES[BYTES]:
            row = [{'bytes': '00ff'}]  # as the page shows them
        expect('%s: %s' % (what, sql), got, row)


def check_refused(site, name, port, **how):
    """A page that may not: nothing is read, nothing is done."""
    expect('a table to lose', ask(port, 'CREATE OR REPLACE PERFETTO TABLE kept AS SELECT 1 AS x')[2], None)
    outcome = visit(site, '%s:%d' % (name, port), '/trace', foreign=True, **how)
    if outcome is None:
        failures.append('no outcome')
        return
    expect('fetch() is refused', 'refused' in outcome['fetch'], True)
    expect('a websocket is refused', outcome['websocket'], {'refused': 'Error: closed: 1006'})
    expect('the page sends', outcome['unasked'], 'sent')
    expect('no query is run', 'no such table' in (ask(port, 'SELECT x FROM planted')[2] or ''), True)
    expect('no tables are restored', ask(port, 'SELECT x FROM kept')[1], [(1,)])
    expect('no metatrace is enabled', 2 in parse(post(port, '/disable_and_read_metatrace')), True)
    expect('the trace stays', loaded(port).startswith(trace), True)


def check_allowed(site, port):
    outcome = visit(site, '127.0.0.1:%d' % port, '/trace')
    if outcome is None:
        failures.append('no outcome')
        return
    for way in 'fetch', 'websocket':
        expect(way, outcome[way].get('refused'), None)
    if failures:
        return
    expect('status', outcome['fetch']['status'], {'trace': '%s (0 MB)' % trace, 'api': 14})
    before, after = printed(trace), printed(other_trace)
    expect('the traces differ', before[0] != after[0], True)
    expect('rows to compare', all(map(len, (before[0], after[0], after[3]))), True)
    compare('fetch()', outcome['fetch']['queries'], before)
    websocket = outcome['websocket']
    compare('websocket', websocket['queries'], before)
    expect('several batches', websocket['queries'][MANY_ROWS]['messages'] > 1, True)
    uploaded = websocket['uploaded']
    expect('what was sent', (uploaded['size'], uploaded['error']), (os.path.getsize(other_trace), ''))
    compare('after it', uploaded['queries'], after)
    expect('the trace is there for others', ask(port, 'SELECT count(*) AS n FROM slice')[1], [(len(after[0]),)])


def check_loading(site, port):
    """A page that loads a trace as the Perfetto UI does, and asks what its panels do: nothing fails."""
    outcome = visit(site, '127.0.0.1:%d' % port, '/trace', loading='/loading.tsv')
    if outcome is None:
        failures.append('no outcome')
        return
    loading = outcome['loading']
    with open(os.path.join(PAGES, 'loading.tsv')) as f:
        objects = sum(not line.startswith('#') for line in f)
    expect('loading', loading.get('refused'), None)
    expect('is it there', loading.get('reachable', {}).get('api'), 14)
    expect('what fails', loading.get('failures'), [])
    expect('questions', loading.get('asked', 0) > 2 * objects > 0, True)


chromium = shutil.which('chromium')
if not chromium or sys.argv[4] != 'yes':
    print('chromium is not installed' if not chromium else 'the program has no HTTP')
    sys.exit(77)
page, stranger = open_site(), open_site()
server, port = start_http(tptui, 'serve', 'http', '--port', '0', '--additional-cors-origins', page.origin, trace)
try:
    check_refused(stranger, '127.0.0.1', port)
    check_refused(stranger, '127.0.0.1', port, host='foreign.example')
    check_refused(page, 'evil.example', port)
    check_allowed(page, port)
    check_loading(page, port)
finally:
    server.kill()
    server.communicate()

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
