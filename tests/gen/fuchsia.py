#!/usr/bin/env python3
"""Writes a small trace of Fuchsia with a record of each kind: fuchsia.py OUTPUT."""
import struct
import sys

out = bytearray()
strings = {}
INT32, UINT32, INT64, UINT64, DOUBLE, STRING, POINTER, KOID, BOOL = range(1, 10)
IDLE = -2**31


def words(*values):
    for v in values:
        out.extend(struct.pack('<Q', v & (2**64 - 1)))


def padded(text):
    data = text.encode()
    return data + bytes(-len(data) % 8)


def string(text):
    """The number of a string, whose record is written where it is new."""
    if not text:
        return 0
    if text not in strings:
        strings[text] = len(strings) + 1
        data = padded(text)
        words(2 | (1 + len(data) // 8) << 4 | strings[text] << 16 | len(text.encode()) << 32)
        out.extend(data)
    return strings[text]


def arg(kind, name, value=0):
    head = kind | string(name) << 16
    if kind in (INT32, UINT32, BOOL):
        return [head | 1 << 4 | (value & 0xffffffff) << 32]
    if kind == STRING:
        return [head | 1 << 4 | string(value) << 32]
    if kind == DOUBLE:
        value = struct.unpack('<Q', struct.pack('<d', value))[0]
    return [head | 2 << 4, value]


def event(kind, ts, category, name, args=(), last=()):
    flat = [w for a in args for w in a]
    words(4 | (2 + len(flat) + len(last)) << 4 | kind << 16 | len(args) << 20 | 1 << 24 | string_of(category) << 32 |
          string_of(name) << 48, ts, *flat, *last)


def string_of(text):
    return strings[text]


def kernel_object(kind, koid, name, args=()):
    flat = [w for a in args for w in a]
    words(7 | (2 + len(flat)) << 4 | kind << 16 | strings[name] << 24 | len(args) << 40, koid, *flat)


def switch(ts, cpu, state, leaves, comes, out_weight, in_weight):
    args = arg(INT32, 'incoming_weight', in_weight) + arg(INT32, 'outgoing_weight', out_weight)
    words(8 | 6 << 4 | 2 << 16 | cpu << 20 | state << 36 | 1 << 60, ts, leaves, comes, *args)


out.extend(bytes.fromhex('1000044678541600'))
name = padded('demo')
words(0 | 2 << 4 | 1 << 16 | 7 << 20 | 4 << 52)
out.extend(name)
words(1 | 2 << 4, 1000000000)
for text in ('cat', 'work', 'part', 'mark', 'load', 'job', 'power', 'cpu_frequency', 'demo process', 'main', 'other',
             'process', 'incoming_weight', 'outgoing_weight', 'waker'):
    string(text)
words(3 | 3 << 4 | 1 << 16, 1000, 2000)
kernel_object(1, 1000, 'demo process')
kernel_object(2, 2000, 'main', [arg(KOID, 'process', 1000)])
kernel_object(2, 2001, 'other', [arg(KOID, 'process', 1000)])
event(2, 100, 'cat', 'work', [arg(INT32, 'a', -7), arg(UINT32, 'b', 8), arg(INT64, 'c', -9), arg(UINT64, 'd', 10),
                              arg(DOUBLE, 'e', 1.5), arg(STRING, 'f', 'text'), arg(POINTER, 'g', 0xabcd),
                              arg(KOID, 'h', 18), arg(BOOL, 'i', 1), [0 | 1 << 4 | string('j') << 16]])
event(8, 110, 'cat', 'work', (), [5])
event(4, 120, 'cat', 'part', (), [150])
event(3, 200, 'cat', 'work')
event(0, 210, 'cat', 'mark')
event(2, 220, 'cat', 'work')
event(10, 230, 'cat', 'work', (), [5])
event(3, 240, 'cat', 'work')
event(1, 250, 'cat', 'load', [arg(DOUBLE, 'cpu', 12.5), arg(STRING, 'f', 'text')], [3])
event(1, 260, 'power', 'cpu_frequency', [arg(UINT32, 'cpu', 2), arg(UINT64, 'value', 1996800)], [0])
event(5, 300, 'cat', 'job', (), [77])
event(6, 310, 'cat', 'job', (), [77])
event(7, 320, 'cat', 'job', (), [77])
switch(400, 2, 2, 0, 2000, IDLE, 10)
words(8 | 5 << 4 | 1 << 16 | 2 << 20 | 2 << 60, 410, 2001, *arg(KOID, 'waker', 2000))
switch(420, 2, 3, 2000, 2001, 10, 20)
switch(430, 2, 5, 2001, 0, 20, IDLE)
# The older kind, with threads and priorities in the record.
words(8 | 6 << 4 | 5 << 16 | 2 << 24 | 7 << 52, 500, 0, 0, 1000, 2000)
# A packet of Perfetto: the trace's uuid.
packet = bytes.fromhex('0a07ca050408011002')
words(5 | (1 + (len(packet) + 7) // 8) << 4 | 0 << 16 | len(packet) << 32 | 3 << 48)
out.extend(packet + bytes(-len(packet) % 8))
# One that ends too early, an event of a string that is not there, and what no reader knows.
words(4 | 2 << 4 | 1 << 16 | 1 << 24 | 900 << 32 | 1 << 48, 600)
words(15 | 2 << 4, 0)
words(4 | 9 << 4, 0)

with open(sys.argv[1], 'wb') as f:
    f.write(out)
