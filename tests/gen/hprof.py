#!/usr/bin/env python3
"""Writes a small heap dump of Java: hprof.py OUTPUT."""
import struct
import sys

out = bytearray(b'JAVA PROFILE 1.0.3\0' + struct.pack('>IQ', 4, 1700000000000))
strings = {}
dump = bytearray()
OBJECT, BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = 2, 4, 5, 6, 7, 8, 9, 10, 11
SIZES = {OBJECT: 'I', BOOLEAN: 'B', CHAR: 'H', FLOAT: 'f', DOUBLE: 'd', BYTE: 'b', SHORT: 'h', INT: 'i', LONG: 'q'}


def record(tag, body, told=None):
    out.extend(struct.pack('>BII', tag, 0, len(body) if told is None else told) + body)


def string(text):
    if text not in strings:
        strings[text] = 0x100 + len(strings)
        record(1, struct.pack('>I', strings[text]) + text.encode())
    return strings[text]


def java_class(number, name, parent, size, fields=(), statics=()):
    record(2, struct.pack('>IIII', 1, number, 0, string(name)))
    for field, *_ in list(fields) + list(statics):
        string(field)
    dump.extend(struct.pack('>BIIIIIIIII', 0x20, number, 0, parent, 0, 0, 0, 0, 0, size) + struct.pack('>H', 0))
    dump.extend(struct.pack('>H', len(statics)))
    for field, kind, value in statics:
        dump.extend(struct.pack('>IB' + SIZES[kind], string(field), kind, value))
    dump.extend(struct.pack('>H', len(fields)))
    for field, kind in fields:
        dump.extend(struct.pack('>IB', string(field), kind))


def instance(number, cls, kinds, *values):
    data = b''.join(struct.pack('>' + SIZES[k], v) for k, v in zip(kinds, values))
    dump.extend(struct.pack('>BIIII', 0x21, number, 0, cls, len(data)) + data)


heap = string('app')
dump.extend(struct.pack('>BII', 0xfe, 1, heap))
java_class(1, 'java.lang.Object', 0, 8)
java_class(2, 'java.lang.Class', 1, 100)
java_class(3, 'java.lang.String', 1, 16, [('value', OBJECT), ('count', INT)])
java_class(4, '[B', 1, 12)
java_class(5, '[Ljava/lang/Object;', 1, 12)
java_class(6, 'java.lang.ref.Reference', 1, 16, [('referent', OBJECT)])
java_class(7, 'java.lang.ref.WeakReference', 6, 16)
java_class(8, 'demo/Thing', 1, 60, [('a', BOOLEAN), ('b', CHAR), ('c', FLOAT), ('d', DOUBLE), ('e', BYTE), ('f', SHORT),
                                    ('g', INT), ('h', LONG), ('name', OBJECT), ('gone', OBJECT)],
           [('shared', OBJECT, 20), ('LIMIT', INT, 7)])
java_class(9, 'demo/More', 8, 64, [('extra', INT)])
java_class(10, 'java.lang.ref.SoftReference', 6, 16)
java_class(11, 'demo.Cached', 10, 16)
ARRAYS = [('[Z', BOOLEAN, (1, 0)), ('[C', CHAR, (0x416,)), ('[S', SHORT, (-2, 3)), ('[I', INT, (3, 1, 2, 0)), ('[J', LONG, (-5,)),
          ('[F', FLOAT, (0.5, float('-inf'))), ('[D', DOUBLE, (0.1, float('nan'))), ('[B', BYTE, ())]
for i, (name, *_) in enumerate(ARRAYS[:-1]):
    java_class(12 + i, name, 1, 12)
dump.extend(struct.pack('>BI', 0x05, 8))         # the class is a root
dump.extend(struct.pack('>BIII', 0x08, 30, 1, 1))  # a thread's object
instance(20, 9, [INT, BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG, OBJECT, OBJECT],
         5, 1, 65, 1.5, 2.5, -1, -2, -3, -4, 21, 999)
instance(21, 3, [OBJECT, INT], 22, 5)
dump.extend(struct.pack('>BIIIB', 0x23, 22, 0, 5, BYTE) + b'hello')
dump.extend(struct.pack('>BIIII', 0x22, 30, 0, 2, 5) + struct.pack('>II', 0, 31))
instance(31, 7, [OBJECT], 32)
instance(32, 1, [])
instance(33, 3, [OBJECT, INT], 22, 9)            # the same object, of which the last counts:
instance(33, 3, [OBJECT, INT], 47, 0)            # the empty string
dump.extend(struct.pack('>BI', 0x05, 60))        # a root whose class is unknown, but not what it leads to
dump.extend(struct.pack('>BIIII', 0x22, 60, 0, 2, 777) + struct.pack('>II', 998, 33))
for i, (_, kind, values) in enumerate(ARRAYS):
    dump.extend(struct.pack('>BIIIB', 0x23, 40 + i, 0, len(values), kind))
    dump.extend(struct.pack(f'>{len(values)}' + SIZES[kind], *values))
record(0x1c, bytes(dump))
# A segment that ends within its last instance; two whose bytes end within a field.
dump.clear()
dump.extend(struct.pack('>BIIIIIBB', 0x21, 34, 0, 9, 6, 6, 1, 65))
dump.extend(struct.pack('>BIIIIH', 0x21, 35, 0, 3, 2, 1))
record(0x1c, bytes(dump), len(dump) - 5)
record(0x2c, b'')

with open(sys.argv[1], 'wb') as f:
    f.write(out)
