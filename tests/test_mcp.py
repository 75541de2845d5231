#!/usr/bin/env python3
"""Speaks the Model Context Protocol to `tptui serve mcp`, well and badly.

Usage: test_mcp.py TPTUI
"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gen'))
from children import Popen
import scenarios

PROGRAM = sys.argv[1]
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'


class Client:
    def __init__(self, *words):
        self.process = Popen([PROGRAM, 'serve', 'mcp', *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last, self.notes = 0, []

    def send(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b'\n')
        self.process.stdin.flush()

    def receive(self):
        while True:
            message = json.loads(self.process.stdout.readline())
            assert message['jsonrpc'] == '2.0', message
            if 'id' in message:
                return message
            self.notes.append(message)

    def receive_note(self):
        message = json.loads(self.process.stdout.readline())
        assert 'id' not in message, message
        return message

    def ask(self, method, **params):
        self.last += 1
        self.send({'jsonrpc': '2.0', 'id': self.last, 'method': method, 'params': params})
        message = self.receive()
        assert message['id'] == self.last, message
        return message

    def call(self, name, **arguments):
        return self.ask('tools/call', name=name, arguments=arguments)

    def text(self, name, wrong=False, **arguments):
        result = self.call(name, **arguments)['result']
        assert result['isError'] == wrong, result
        return result['content'][0]['text']

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


def test_handshake(c):
    """A known revision is taken, else the newest is offered."""
    for asked, got in (('2025-06-18', '2025-06-18'), ('1999-01-01', '2025-11-25'), ('2026-07-28', '2025-11-25')):
        result = c.ask('initialize', protocolVersion=asked, capabilities={}, clientInfo={'name': 't', 'version': '0'})['result']
        assert result['protocolVersion'] == got and result['serverInfo']['name'] == 'tptui', result
    c.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
    assert c.ask('ping')['result'] == {}


META = 'io.modelcontextprotocol/'


def stateless(c, method, revision='2026-07-28', capabilities=None, **params):
    meta = {META + 'protocolVersion': revision, META + 'clientCapabilities': capabilities or {}}
    return c.ask(method, _meta=meta, **params)


def test_stateless(c, trace):
    """Revision 2026-07-28: no handshake, each request says what it is of, and each result what it is."""
    for answer in (stateless(c, 'server/discover'), c.ask('server/discover')):
        result = answer['result']
        assert result['supportedVersions'][:2] == ['2026-07-28', '2025-11-25'] and 'tools' in result['capabilities'], result
        assert (result['resultType'], result['cacheScope']) == ('complete', 'public') and result['ttlMs'] > 0, result
        assert result['_meta'][META + 'serverInfo']['name'] == 'tptui', result
    for method in ('tools/list', 'resources/list', 'resources/templates/list'):
        result = stateless(c, method)['result']
        assert result['resultType'] == 'complete' and result['ttlMs'] > 0, result
        assert 'resultType' not in c.ask(method)['result']
    call = stateless(c, 'tools/call', name='query', arguments={'sql': 'SELECT 1 AS x', 'trace': trace})['result']
    assert call['resultType'] == 'complete' and call['content'][0]['text'].startswith('x\n1') and 'ttlMs' not in call, call
    again = stateless(c, 'tools/call', name='query', arguments={'sql': 'SELECT 1 AS x'})['result']
    assert again['isError'] and 'which trace?' in again['content'][0]['text'], 'what was called before does not matter'
    refused = stateless(c, 'tools/list', revision='2099-01-01')['error']
    assert refused['code'] == -32022 and refused['data']['requested'] == '2099-01-01', refused
    assert refused['data']['supported'] == stateless(c, 'server/discover')['result']['supportedVersions'], refused
    for meta in ({META + 'protocolVersion': 7, META + 'clientCapabilities': {}}, {META + 'protocolVersion': '2026-07-28'}):
        assert c.ask('tools/list', _meta=meta)['error']['code'] == -32602, meta
    for method in ('initialize', 'ping'):
        assert stateless(c, method)['error']['code'] == -32601, method
    assert stateless(c, 'resources/read', uri='tptui://docs/none')['error']['code'] == -32602
    c.notes.clear()
    c.send({'jsonrpc': '2.0', 'id': 'sub"1', 'method': 'subscriptions/listen', 'params': {
        'notifications': {'toolsListChanged': True},
        '_meta': {META + 'protocolVersion': '2026-07-28', META + 'clientCapabilities': {}}}})
    c.ask('ping')
    told, = c.notes
    assert told['params'] == {'_meta': {META + 'subscriptionId': 'sub"1'}, 'notifications': {}}, told


def test_tools(c, trace):
    tools = {t['name']: t for t in c.ask('tools/list')['result']['tools']}
    assert set(tools) == {'open', 'explain', 'query', 'schema', 'timeline', 'compare', 'metrics'}, tools
    assert all(t['inputSchema']['type'] == 'object' and t['description'] for t in tools.values())
    assert 'slices,' in c.text('open', trace=trace)
    assert 'flusher' in c.text('explain', limit=1)
    assert json.loads(c.text('explain', format='json'))['problems'][0]['chain']
    rows = c.text('query', sql='SELECT id FROM slice', limit=5)
    assert rows.splitlines()[1:6] == ['0', '1', '2', '3', '4'] and 'cut after 5 rows' in rows, rows
    assert 'no such column: nam' in c.text('query', wrong=True, sql='SELECT nam FROM slice')
    assert 'VIEW slice (module prelude.tables)' in c.text('schema', search='slice')
    assert 'empty in this trace: perf_sample' in c.text('schema', search='perf_sample')
    picture = c.text('timeline', place='slice 0', width=100, height=20)
    assert len(picture.splitlines()) == 20 and 'nvme0q1' in picture, picture
    assert c.text('timeline', place='slice 0', format='svg').startswith('<svg')
    assert 'no slice 999999' in c.text('timeline', wrong=True, place='slice 999999')
    assert 'a place is' in c.text('timeline', wrong=True, place='--help')  # no option of the program that draws it
    assert 'trace_metadata' in c.text('metrics').splitlines()
    assert c.text('metrics', names='trace_metadata').startswith('trace_metadata {')


def test_compare(c, before, after):
    rows = json.loads(c.text('compare', before=before, after=after, format='json'))['rows']
    assert rows[0]['verdict'] == 'appeared', rows


def test_resources(c):
    uris = [r['uri'] for r in c.ask('resources/list')['result']['resources']]
    text = c.ask('resources/read', uri='tptui://docs/EXPLAIN')['result']['contents'][0]['text']
    assert 'tptui://docs/EXPLAIN' in uris and text.startswith('# Explaining a trace'), uris
    assert c.ask('resources/read', uri='file:///etc/passwd')['error']['code'] == -32002


def test_outside_is_refused(c, folder):
    """Nothing is opened that is not below a root, by whatever name, and nothing is written."""
    link = os.path.join(folder, 'link')
    os.symlink('/etc/passwd', link)
    for path in ('/etc/passwd', link, os.path.join(folder, '..', '..', 'etc', 'passwd'), '/nowhere', '-'):
        assert 'no such file below' in c.text('open', wrong=True, trace=path)
    assert 'no such file below' in c.text('compare', wrong=True, before=['/etc/passwd'], after=['/etc/passwd'])
    fifo = os.path.join(folder, 'fifo') # would be waited for
    os.mkfifo(fifo)
    assert 'no such file below' in c.text('open', wrong=True, trace=fifo)
    assert 'no such file below' in c.text('compare', wrong=True, before=[fifo], after=[fifo])
    target = os.path.join(folder, 'written.db')
    assert 'refused' in c.text('query', wrong=True, sql=f"ATTACH '{target}' AS x")
    assert not os.path.exists(target)
    c.text('metrics', wrong=True, names=os.path.join(folder, 'x.sql'))


def test_nothing_is_changed(c, trace):
    """Whatever a call's statements define or take away, the next call finds the trace as it was."""
    def said():
        return c.text('query', trace=trace, sql='SELECT count(*), sum(dur), (SELECT count(*) FROM thread) FROM slice'), c.text('explain')

    before = said()
    for sql in ('DROP TABLE slice', 'DROP TABLE thread; DROP TABLE process', 'CREATE TEMP VIEW slice AS SELECT 7 AS dur',
                'CREATE OR REPLACE PERFETTO TABLE thread_track AS SELECT 1 AS id', 'CREATE TEMP TABLE thread(x)', 'BEGIN'):
        c.call('query', sql=sql)
        assert said() == before, sql
    assert c.text('query', sql='CREATE PERFETTO TABLE own AS SELECT 5 AS x; SELECT x FROM own').startswith('x\n5')
    assert 'no such table' in c.text('query', wrong=True, sql='SELECT x FROM own')


def test_several_traces(c, paths):
    """More than stay open at once."""
    for path in paths * 2:
        assert path in c.text('open', trace=path)
    assert c.text('query', sql='SELECT 1 AS x').startswith('x\n1')


def write_slow(folder, name):
    """A trace that takes a third of a second or more to load."""
    path = os.path.join(folder, name)
    with open(path, 'wb') as f:
        f.write(b'[' + b'{"ph":"X","pid":1,"tid":1,"name":"render","ts":1000,"dur":50,"args":{"frame":12345}},\n' * 900000 + b'{}]')
    return path


def test_cancelling(c, folder):
    """A call that is cancelled is not answered, whether it runs, waits or loads; the next one is."""
    def call(number, name, token=None, **arguments):
        meta = {'_meta': {'progressToken': token}} if token else {}
        c.send({'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': {'name': name, 'arguments': arguments, **meta}})

    def cancelled(*numbers):
        for number in numbers:
            c.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': number, 'reason': 'a test'}})

    call('long', 'query', sql=ENDLESS, seconds=100)
    call('waits', 'query', sql='SELECT 1')
    call('behind', 'query', sql='SELECT 2')
    assert c.ask('ping')['result'] == {}, 'short requests do not wait'
    time.sleep(0.3)
    begin = time.monotonic()
    cancelled('waits', 'nobody', 'long')
    assert c.receive()['id'] == 'behind' and time.monotonic() - begin < 20
    said = c.text('query', wrong=True, sql=ENDLESS, seconds=1)
    assert '1 s' in said, said
    slow = write_slow(folder, 'slow.json')
    for name, arguments in ('open', {'trace': slow}), ('explain', {'trace': slow}), ('compare', {'before': [slow] * 20, 'after': [slow] * 20}):
        begin = time.monotonic()
        call(name, name, token=name, **arguments)
        told = c.receive_note()
        assert told['method'] == 'notifications/progress' and told['params']['progressToken'] == name, told
        cancelled(name)
        call('next', 'query', sql='SELECT 3')
        assert c.receive()['id'] == 'next' and time.monotonic() - begin < 20, name
        c.notes.clear()
    cancelled('next', 7)
    assert c.ask('ping')['result'] == {}, 'what is answered already cannot be cancelled'


def test_progress(c, folder):
    """Loading and what takes long afterwards say how far they are, to who asks, and no more once they are answered."""
    slow = write_slow(folder, 'slower.json')
    newest = {META + 'protocolVersion': '2026-07-28', META + 'clientCapabilities': {}}
    for token, name, arguments, wrong, of in (
            ('p"7', 'open', {'trace': slow}, False, {}), (7, 'query', {'trace': slow, 'sql': ENDLESS, 'seconds': 3}, True, {}),
            (7, 'query', {'trace': slow, 'sql': ENDLESS, 'seconds': 3}, True, newest),
            (None, 'query', {'sql': ENDLESS, 'seconds': 2}, True, {})):
        c.notes.clear()
        c.last += 1
        meta = {'_meta': {**of, **({'progressToken': token} if token else {})}}
        c.send({'jsonrpc': '2.0', 'id': c.last, 'method': 'tools/call', 'params': {'name': name, 'arguments': arguments, **meta}})
        assert c.receive()['result']['isError'] == wrong
        told = [n['params'] for n in c.notes]
        assert {n['method'] for n in c.notes} == ({'notifications/progress'} if token else set()), c.notes
        assert all(t['progressToken'] == token for t in told), told
        assert [t['progress'] for t in told] == sorted({t['progress'] for t in told}), told
        loading = [t for t in told if 'total' in t]
        assert bool(loading) == (name == 'open') and all(0 < t['progress'] <= t['total'] for t in loading), told
        assert token != 7 or len(told) >= 2, told
        c.notes.clear()
        time.sleep(1.2)
        assert c.ask('ping')['result'] == {} and not c.notes, c.notes


def test_hostile(c):
    """Each is answered with an error, and the server goes on."""
    for line, code in (
            (b'nonsense\n', -32700), (b'{"jsonrpc": "2.0", "id": 1\n', -32700), (b'\xff\xfe\n', -32700), (b'{"a"\0}\n', -32700),
            (b'[' * 100000 + b'\n', -32700), (b'[' * 50000 + b']' * 50000 + b'\n', -32600), (b'[]\n', -32600), (b'7\n', -32600),
            (b'{"id": 1, "method": "ping"}\n', -32600), (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}\n', -32600),
            (b'{"jsonrpc": "2.0", "id": 1, "method": 7}\n', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}\n', -32600),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "rm"}\n', -32601), (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}\n', -32602),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": 7}}\n', -32602),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": 7}}}\n', -32602),
            (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": "", "x": 1}}}\n', -32602),
            (b'x' * (5 << 20) + b'\n', -32600)):
        c.send(line)
        answer = c.receive()
        assert answer['error']['code'] == code, (line[:80], answer)
    deep = {'sql': 'SELECT ' + 'NOT ' * 5000 + '1'}
    c.text('query', wrong=True, **deep)
    c.send(b'\n\n{"jsonrpc": "2.0", "method": "unknown/notification"}\n{"jsonrpc": "2.0", "id": 9, "result": {}}\n')
    assert c.ask('ping')['result'] == {}


def test_whole_texts(c, trace):
    """A text with a NUL is not taken as what stands before it, nor a list up to what is no text."""
    for name, arguments in (('open', {'trace': trace + '\0x'}), ('query', {'sql': 'SELECT 1\0; x'}), ('explain', {'thread': 'a\0b'}),
                            ('compare', {'before': [trace, 7], 'after': [trace]}), ('compare', {'before': [trace], 'after': [trace + '\0']})):
        assert c.call(name, **arguments)['error']['code'] == -32602, (name, arguments)
    assert c.call('open\0x', trace=trace)['error']['code'] == -32602


def test_many_wait(c):
    """Calls beyond those that may wait are refused, all others answered."""
    for i in range(100):
        c.send({'jsonrpc': '2.0', 'id': f'many{i}', 'method': 'tools/call',
                'params': {'name': 'query', 'arguments': {'sql': ENDLESS if i == 0 else 'SELECT 1', 'seconds': 2}}})
    answers = [c.receive() for _ in range(100)]
    assert {a['id'] for a in answers} == {f'many{i}' for i in range(100)}
    assert 0 < sum(a.get('error', {}).get('code') == -32000 for a in answers) < 40


def test_ends(trace):
    """Who asks and asks no more is answered; where nobody reads the answer, what runs is stopped."""
    c = Client(trace)
    for n in range(3):
        c.send({'jsonrpc': '2.0', 'id': n, 'method': 'tools/call', 'params': {
            'name': 'query', 'arguments': {'sql': ENDLESS, 'seconds': 1}, '_meta': {'progressToken': n}}})
    c.process.stdin.close()
    assert [c.receive()['id'] for _ in range(3)] == [0, 1, 2]
    assert c.notes and c.process.wait(timeout=60) == 0, c.notes
    for closes_both in False, True:
        c = Client(trace)
        for n in range(3):
            c.send({'jsonrpc': '2.0', 'id': n, 'method': 'tools/call', 'params': {
                'name': 'query', 'arguments': {'sql': ENDLESS, 'seconds': 300}}})
        time.sleep(0.2)
        c.process.stdout.close()
        if closes_both:
            c.process.stdin.close()
        assert c.process.wait(timeout=60) == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        paths = []
        for i, kind in enumerate(['lock_convoy', 'healthy', 'cold_cache', 'jank', 'backoff', 'swap']):
            paths.append(os.path.join(folder, f'{kind}.systrace'))
            with open(paths[i], 'w', encoding='utf-8') as f:
                f.write(scenarios.make(kind, 'small', 0)[0])
        c = Client('--root', folder, '--no-cache')
        test_handshake(c)
        assert 'no trace is open' in c.text('explain', wrong=True)
        test_stateless(c, paths[0])
        test_tools(c, paths[0])
        test_compare(c, paths[1:2], paths[2:3])
        test_nothing_is_changed(c, paths[0])
        test_resources(c)
        test_outside_is_refused(c, folder)
        test_several_traces(c, paths)
        test_progress(c, folder)
        test_cancelling(c, folder)
        test_hostile(c)
        test_whole_texts(c, paths[0])
        test_many_wait(c)
        c.end()
        test_ends(paths[0])
        named = Client(paths[0])
        assert 'flusher' in named.text('explain', limit=1)
        usual = stateless(named, 'tools/call', name='explain', arguments={'limit': 1})['result']
        assert 'flusher' in usual['content'][0]['text'], usual
        named.end()
        missing = subprocess.run([PROGRAM, 'serve', 'mcp', '--root', '/nowhere'], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert missing.returncode == 2, missing


if __name__ == '__main__':
    main()
