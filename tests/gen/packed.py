#!/usr/bin/env python3
"""Packs a file, one time around the other: packed.py OUTPUT FILE gz|xz|bz2|zip..."""
import bz2
import gzip
import io
import lzma
import sys
import zipfile


def in_zip(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo('trace'), data)
    return out.getvalue()


WAYS = {'gz': gzip.compress, 'xz': lzma.compress, 'bz2': bz2.compress, 'zip': in_zip}

with open(sys.argv[2], 'rb') as f:
    packed = f.read()
for way in sys.argv[3:]:
    packed = WAYS[way](packed)
with open(sys.argv[1], 'wb') as f:
    f.write(packed)
