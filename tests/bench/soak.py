#!/usr/bin/env python3
"""Sends mixed requests to `tptui serve http` for a long time, and prints what the server's memory is.

Usage: soak.py TPTUI TRACE [MINUTES]

A round is a websocket: queries, errors, metrics, tables that are restored away, statements; in every fifth one the client
leaves in the middle of an endless query, in every tenth the trace is sent anew, in pieces. A line a minute: requests so far,
resident memory of the server in MB. A small trace lets most of the time be the protocol's.
"""
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from rpc_client import (APPEND, FINALIZE, METRIC, QUERY, RESET, RESTORE, STATEMENT, STATUS, Stream, WebSocket,  # noqa: E402
                        field, parse, start_http)

PAUSE = 0.05  # between rounds, so that others have the machine, too
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, hex(x) FROM n'


def resident_mb(pid):
    with open('/proc/%d/status' % pid) as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith('VmRSS'))


def upload(stream, data):
    stream.call(RESET)
    for at in range(0, len(data), 1 << 16):
        stream.call(APPEND, data[at:at + (1 << 16)])
    assert stream.call(FINALIZE) == b''
    return 2 + len(data) // (1 << 16) + 1


def ask(stream):
    assert stream.query('SELECT count(*) > 0 FROM slice')[1] == [(1,)]
    assert 'no such table' in stream.query('SELECT * FROM no_table')[2]
    assert stream.query('CREATE PERFETTO TABLE mine AS SELECT id, ts, dur, name FROM slice')[2] is None
    columns, found, error = stream.query('SELECT name, sum(dur) FROM mine GROUP BY name ORDER BY 2 DESC')
    assert found and not error
    assert 3 in parse(stream.call(METRIC, field(1, 'test_chrome_metric') + field(2, 1)))
    assert 1 in parse(stream.call(STATEMENT, field(1, 'SELECT 1; SELECT 2') + field(2, 0)))
    assert 1 in parse(stream.call(STATUS))
    stream.call(RESTORE)
    return 8


def leave(port):
    socket = WebSocket(port)
    stream = Stream(socket.send, socket.receive)
    stream.request(QUERY, field(1, ENDLESS))
    stream.message()
    socket.socket.close()
    return 1


def main():
    tptui, trace = sys.argv[1:3]
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    with open(trace, 'rb') as f:
        data = f.read()
    server, port = start_http(tptui, 'serve', 'http', '--port', '0', trace)
    threading.Thread(target=server.stderr.read, daemon=True).start()  # its progress
    begin = said = time.monotonic()
    requests = rounds = 0
    while time.monotonic() - begin < minutes * 60:
        socket = WebSocket(port)
        stream = Stream(socket.send, socket.receive)
        requests += ask(stream)
        if rounds % 10 == 9:
            requests += upload(stream, data)
        socket.socket.close()
        if rounds % 5 == 4:
            requests += leave(port)
        rounds += 1
        if time.monotonic() - said >= 60:
            said += 60
            print('%4.0f min %8d requests %6.1f MB' % ((said - begin) / 60, requests, resident_mb(server.pid)), flush=True)
        time.sleep(PAUSE)
    print('%4.1f min %8d requests %6.1f MB at the end' % (minutes, requests, resident_mb(server.pid)))
    server.terminate()
    sys.exit(server.wait(60) not in (0, -15, 143))


main()
