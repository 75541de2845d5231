#!/usr/bin/env python3
"""Checks that the generator writes the same bytes everywhere, of about the length asked for.

Usage: check_gen.py TPTUI_GEN SUMS

SUMS has a line for each trace: the SHA-256 of its bytes and the options that make it. Compressed packets, whose
bytes depend on zlib's version, are inflated before they are compared with the same trace without compression.
"""
import hashlib
import os
import subprocess
import sys
import tempfile
import zlib

from wire import varint

COMPRESSED_PACKETS = 50


def generate(options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace')
        subprocess.run([generator] + options + [path], check=True)
        with open(path, 'rb') as f:
            return f.read()


def inflate(data):
    """The packets of a trace, those in compressed packets unpacked."""
    out, at = b'', 0
    while at < len(data):
        _, body = varint(data, at)
        size, body = varint(data, body)
        tag, inner = varint(data, body)
        if tag == COMPRESSED_PACKETS << 3 | 2:
            length, inner = varint(data, inner)
            out += zlib.decompress(data[inner:inner + length])
        else:
            out += data[at:body + size]
        at = body + size
    return out


generator, sums = sys.argv[1:]
bad = 0
for line in open(sums, encoding='utf8'):
    want, *options = line.split()
    got = hashlib.sha256(generate(options)).hexdigest()
    if got != want:
        print('differs: %s %s' % (got, ' '.join(options)))
        bad += 1

for size, name in (1 << 20, '1M'), (3 << 20, '3M'):
    length = len(generate(['--size', name]))
    if not size <= length < size * 1.2:
        print('--size %s: %d bytes' % (name, length))
        bad += 1

if inflate(generate(['--profile', 'flows', '--compress'])) != generate(['--profile', 'flows']):
    print('compressed packets hold something else')
    bad += 1

sys.exit(bad != 0)
