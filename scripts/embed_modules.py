#!/usr/bin/env python3
"""Writes the SQL modules below a folder as one C file.

Usage: embed.py STDLIB_DIR OUT.c FILE...

A module's name is its path below the folder with dots: slices/with_context.sql is slices.with_context.
"""
import os
import sys

root, out, *files = sys.argv[1:]


def c_bytes(text):
    data = text.encode() + b'\0'
    return '\n'.join('    ' + ','.join(str(b) for b in data[i:i + 32]) + ',' for i in range(0, len(data), 32))


modules = []
for path in sorted(files):
    with open(path, encoding='utf8') as sql:
        modules.append((os.path.relpath(path, root)[:-len('.sql')].replace(os.sep, '.'), sql.read()))

with open(out, 'w', encoding='utf8') as f:
    f.write('#include "sql/language/stdlib_modules.h"\n\n')
    for i, (name, text) in enumerate(modules):
        f.write('/* %s */\nstatic const char text_%d[] = {\n%s\n};\n\n' % (name, i, c_bytes(text)))
    f.write('const struct embedded_module embedded_modules[] = {\n')
    for i, (name, text) in enumerate(modules):
        f.write('    {"%s", text_%d, %d},\n' % (name, i, len(text.encode())))
    f.write('};\n\nconst size_t embedded_module_count = %d;\n' % len(modules))
