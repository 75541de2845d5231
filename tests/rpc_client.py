"""The RPC protocol of Trace Processor, as much of it as tests need: messages by hand, streams, websockets."""
import base64
import os
import re
import socket
import struct
import subprocess

from children import Popen


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    """A field: an int, bytes, or text."""
    if isinstance(value, (int, bool)):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def parse(data):
    """The fields of a message: {number: [values]}, bytes as they are."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif tag & 7 == 5:
            value, at = data[at:at + 4], at + 4
        else:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError('cut')
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def rows(results):
    """What QueryResult messages hold: (columns, rows, error or None)."""
    columns, cells, error, ended = [], [], None, False
    for data in results:
        message = parse(data)
        columns += [c.decode() for c in message.get(1, [])]
        error = message[2][0].decode() if 2 in message else error
        for batch in message.get(3, []):
            assert not ended
            b = parse(batch)
            numbers, at = [], 0
            packed = b''.join(b.get(2, []))
            while at < len(packed):
                n, at = read_varint(packed, at)
                numbers.append(signed(n))
            reals = list(struct.unpack('<%dd' % (len(b''.join(b.get(3, []))) // 8), b''.join(b.get(3, []))))
            texts = b''.join(b.get(5, [])).split(b'\0')
            blobs = b.get(4, [])
            take = {1: lambda: None, 2: lambda: numbers.pop(0), 3: lambda: reals.pop(0),
                    4: lambda: texts.pop(0).decode(), 5: lambda: blobs.pop(0)}
            numbers, reals = numbers[::-1], reals[::-1]
            take[2], take[3] = numbers.pop, reals.pop
            texts = iter(texts)
            take[4] = lambda: next(texts).decode()
            cells += [take[kind]() for kind in b''.join(b.get(1, []))]
            ended = ended or bool(b.get(6))
    assert ended, results
    n = len(columns)
    return columns, [tuple(cells[i:i + n]) for i in range(0, len(cells), n)] if n else [], error


APPEND, FINALIZE, QUERY, METRIC, DESCRIPTORS, RESTORE, ENABLE, READ, STATUS, RESET, REGISTER, SUMMARIZE, CREATE, UPDATE, ASK, DESTROY, STATEMENT, EXPORT = \
    1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 21
ARGS = {APPEND: 101, QUERY: 103, METRIC: 105, ENABLE: 106, RESET: 107, REGISTER: 108, SUMMARIZE: 110, CREATE: 111, UPDATE: 112, ASK: 113, DESTROY: 114, STATEMENT: 115, EXPORT: 116}
RESULT = {APPEND: 201, QUERY: 203, METRIC: 205, DESCRIPTORS: 206, READ: 209, STATUS: 210, REGISTER: 211, FINALIZE: 212,
          SUMMARIZE: 214, CREATE: 215, UPDATE: 216, ASK: 217, DESTROY: 218, STATEMENT: 219, EXPORT: 220}


class Stream:
    """Requests and answers over `send(bytes)` and `receive()`, which returns some bytes, none at the end."""

    def __init__(self, send, receive):
        self.send, self.receive, self.seq, self.buffer = send, receive, 0, b''

    def message(self):
        while True:
            try:
                size, at = read_varint(self.buffer, 1) if self.buffer else (1 << 60, 0)
            except IndexError:
                size, at = 1 << 60, 0
            if len(self.buffer) >= at + size:
                assert self.buffer[0] == 0x0a, self.buffer[:20]
                data, self.buffer = self.buffer[at:at + size], self.buffer[at + size:]
                return parse(data)
            more = self.receive()
            if not more:
                raise EOFError
            self.buffer += more

    def request(self, method, args=None):
        self.seq += 1
        body = field(1, self.seq) + field(2, method)
        if args is not None:
            body += field(ARGS[method], args)
        self.send(field(1, body))

    def call(self, method, args=None):
        """The result's bytes; {} of the whole message where the method has none."""
        self.request(method, args)
        answer = self.message()
        assert answer.get(3) == [method], answer
        return answer[RESULT[method]][0] if method in RESULT else answer

    def query(self, sql):
        self.request(QUERY, field(1, sql))
        results = []
        while True:
            results.append(self.message()[203][0])
            last = [parse(b).get(6) for b in parse(results[-1]).get(3, [])]
            if any(last):
                return rows(results)


class WebSocket:
    """A client's end of a websocket."""

    def __init__(self, port, path='/websocket', headers=()):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ['GET %s HTTP/1.1' % path, 'Host: 127.0.0.1:%d' % port, 'Upgrade: websocket', 'Connection: Upgrade',
                 'Sec-WebSocket-Key: ' + key, 'Sec-WebSocket-Version: 13', *headers]
        self.socket.sendall('\r\n'.join(lines + ['', '']).encode())
        self.buffer = b''
        while b'\r\n\r\n' not in self.buffer:
            more = self.socket.recv(4096)
            if not more:
                break
            self.buffer += more
        head, _, self.buffer = self.buffer.partition(b'\r\n\r\n')
        self.status = int(head.split(b' ')[1]) if head else 0

    def send(self, data, piece=1 << 20):
        for at in range(0, len(data), piece):
            self.frame(data[at:at + piece], 2 if at == 0 else 0, at + piece >= len(data))

    def frame(self, data, opcode=2, last=True):
        n, mask = len(data), os.urandom(4)
        size = bytes([n]) if n < 126 else b'\x7e' + struct.pack('>H', n) if n < 65536 else b'\x7f' + struct.pack('>Q', n)
        head = bytes([opcode | (0x80 if last else 0), size[0] | 0x80]) + size[1:]
        key = (mask * (n // 4 + 1))[:n]
        masked = (int.from_bytes(data, 'big') ^ int.from_bytes(key, 'big')).to_bytes(n, 'big') if n else b''
        self.socket.sendall(head + mask + masked)

    def exactly(self, n):
        while len(self.buffer) < n:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def receive(self):
        while True:
            try:
                head = self.exactly(2)
            except (EOFError, ConnectionError):
                return b''
            n = head[1] & 0x7f
            n = struct.unpack('>H', self.exactly(2))[0] if n == 126 else \
                struct.unpack('>Q', self.exactly(8))[0] if n == 127 else n
            data = self.exactly(n)
            if head[0] & 15 in (0, 1, 2):
                return data
            if head[0] & 15 == 8:
                return b''


def start_http(*command):
    """Starts a server over HTTP: (the process, its port)."""
    process = Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while True:
        line = process.stderr.readline().decode()
        found = re.search(r'RPC server on .*:([0-9]+)$', line)
        if found and int(found.group(1)):
            return process, int(found.group(1))
        if not line:
            raise EOFError
