#!/usr/bin/env python3
"""Writes the SQL files below a folder as one C file.

Usage: embed_modules.py module|metric DIR OUT.c FILE...

A module's name is its path below the folder with dots: slices/with_context.sql is slices.with_context. Metrics' files
have their paths as names.
"""
import os
import sys

kind, root, out, *files = sys.argv[1:]


def c_bytes(text):
    data = text.encode() + b'\0'
    return '\n'.join('    ' + ','.join(str(b) for b in data[i:i + 32]) + ',' for i in range(0, len(data), 32))


modules = []
for path in sorted(files):
    with open(path, encoding='utf8') as sql:
        name = os.path.relpath(path, root)
        modules.append((name if kind == 'metric' else name[:-len('.sql')].replace(os.sep, '.'), sql.read()))

with open(out, 'w', encoding='utf8') as f:
    f.write('#include "sql/language/stdlib_modules.h"\n\n')
    for i, (name, text) in enumerate(modules):
        f.write('/* %s */\nstatic const char text_%d[] = {\n%s\n};\n\n' % (name, i, c_bytes(text)))
    f.write('const struct embedded_module embedded_%ss[] = {\n' % kind)
    for i, (name, text) in enumerate(modules):
        f.write('    {"%s", text_%d, %d},\n' % (name, i, len(text.encode())))
    f.write('};\n\nconst size_t embedded_%s_count = %d;\n' % (kind, len(modules)))
