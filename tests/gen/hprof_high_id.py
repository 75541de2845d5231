#!/usr/bin/env python3
"""Writes a heap dump of Java with one array, whose class the dump does not have, and whose id is
the lower half of that which this class is given: hprof_high_id.py OUTPUT."""
import struct
import sys

BOOLEAN = 4
out = bytearray(b'JAVA PROFILE 1.0.3\0' + struct.pack('>IQ', 4, 1700000000000))


def record(tag, body):
    out.extend(struct.pack('>BII', tag, 0, len(body)) + body)


record(0x0c, struct.pack('>BIIIBB', 0x23, 2 ** 32 - 1 - BOOLEAN, 0, 1, BOOLEAN, 1))
with open(sys.argv[1], 'wb') as f:
    f.write(out)
