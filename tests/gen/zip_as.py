#!/usr/bin/env python3
"""Writes a zip of files under other names: zip_as.py OUTPUT NAME FILE [NAME FILE]..."""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
        with open(path, 'rb') as f:
            z.writestr(zipfile.ZipInfo(name), f.read())
