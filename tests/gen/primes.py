#!/usr/bin/env python3
"""Writes a small trace of Primes: primes.py OUTPUT."""
import struct
import sys

from wire import put_message as message, put_number as number, put_varint as varint


def details(name, parent=None, follows=(), flows=()):
    out = message(1, name) + (number(2, parent) if parent is not None else b'')
    return out + b''.join(number(3, f) for f in follows) + (message(4, b''.join(map(varint, flows))) if flows else b'')


def edge(entity, nanos, kind, content):
    return message(7, number(1, entity) + message(2, number(2, nanos)) + message(kind, content))


def begin(entity, nanos, what, executor=None, name=None):
    content = message(1, what) + (message(6, name) + number(8, executor) if executor else b'')
    return edge(entity, nanos, 3, content)


out = b'\x09' + struct.pack('<Q', 7) + message(2, 'demo') + message(4, number(1, 1000))
out += begin(1, 100, details('root', 0), 5, 'main queue')
out += begin(2, 200, details('part', 1, flows=[9]))
out += edge(3, 250, 5, message(1, details('mark', 2, flows=[9])))
out += edge(2, 300, 4, b'')
out += begin(4, 310, details('task', 1, follows=[2]), 6, 'background')
out += edge(4, 350, 4, b'')
out += edge(1, 400, 4, b'')
out += edge(8, 410, 4, b'')                                # never began
out += begin(10, 420, details('lost', 99))                 # of no known parent
out += message(7, number(1, 11))                           # without a time
out += message(7, number(1, 12) + message(2, b''))         # of no kind
with open(sys.argv[1], 'wb') as f:
    f.write(out)
