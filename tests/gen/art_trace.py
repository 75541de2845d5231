#!/usr/bin/env python3
"""Writes a small method trace of Android's runtime: art_trace.py text|stream|v2 OUTPUT. All tell of the same calls."""
import struct
import sys

form, path = sys.argv[1:]
START = 1000000  # us
METHODS = {4: ('com.demo.Main', 'run', '()V', 'Main.kt', '12'), 8: ('com/demo/Part', 'work', '(I)V', 'Part.java', '-1')}
THREADS = {7: 'main', 9: 'worker'}
CALLS = [(7, 4, 0, 10), (7, 8, 0, 20), (9, 8, 0, 25), (7, 8, 1, 30), (9, 8, 2, 35), (7, 4, 1, 40)]


def method_line(m):
    return '\t'.join(('0x%x' % m,) + METHODS[m]) + '\n'


def header(version):
    return b'SLOW' + struct.pack('<HHQH', version, 32, START, 14).ljust(28, b'\0')


def record(tid, method, action, us):
    return struct.pack('<HIII', tid, method | action, 0, us)


def leb(v):
    out = b''
    while True:
        byte, v = v & 0x7f, v >> 7
        if (v == 0 and not byte & 0x40) or (v == -1 and byte & 0x40):
            return out + bytes([byte])
        out += bytes([byte | 0x80])


if form == 'text':
    out = b'*version\n3\ndata-file-overflow=false\nclock=dual\nnum-method-calls=%d\n*threads\n' % len(CALLS)
    out += ''.join('%d\t%s\n' % t for t in THREADS.items()).encode() + b'*methods\n'
    out += ''.join(method_line(m) for m in METHODS).encode() + b'*end\n' + header(3)
    out += b''.join(record(*c) for c in CALLS)
elif form == 'stream':
    out = header(0xf3)
    for m in METHODS:
        line = method_line(m).encode()
        out += struct.pack('<HBH', 0, 1, len(line)) + line
    for tid, name in THREADS.items():
        out += struct.pack('<HBHH', 0, 2, tid, len(name)) + name.encode()
    out += b''.join(record(*c) for c in CALLS)
    summary = b'*version\n3\nclock=dual\n*threads\n'
    out += struct.pack('<HBI', 0, 3, len(summary)) + summary
else:
    out = b'SLOW' + struct.pack('<HQQQ', 5, START * 1000, 0, 0).ljust(28, b'\0')
    for tid, name in THREADS.items():
        out += struct.pack('<BIH', 0, tid, len(name)) + name.encode()
    for m in METHODS:
        line = '\t'.join(METHODS[m]).encode()
        out += struct.pack('<BQH', 1, m, len(line)) + line
    for tid in THREADS:
        block, last, last_method, count = b'', 0, 0, 0
        for t, method, action, us in CALLS:
            if t != tid:
                continue
            value = us * 1000 << 2 | action
            block += leb(value - last) + leb(0)
            if action == 0:
                block += leb(method - last_method)
                last_method = method
            last, count = value, count + 1
        out += struct.pack('<BI', 2, tid) + struct.pack('<I', count)[:3] + struct.pack('<I', len(block)) + block
    out += bytes([3]) + b'*version\nnum-method-calls=3\n*end\n'

with open(path, 'wb') as f:
    f.write(out)
