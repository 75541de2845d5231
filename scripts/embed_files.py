#!/usr/bin/env python3
"""Writes a C source with the contents of files, for what the binary carries with it.

    embed_files.py OUT.c TABLE [--packed] FILE...

TABLE becomes an array of struct embedded_file (base/embedded_file.h) that ends with a NULL name. With --packed their
bytes are compressed by zlib.
"""
import os
import sys
import zlib


def main():
    out, table, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    packed = paths[:1] == ["--packed"]
    paths = paths[packed:]
    lines = ['#include "base/embedded_file.h"', "",
             "extern const struct embedded_file %s[];" % table, ""]
    entries = []
    for i, path in enumerate(paths):
        with open(path, "rb") as f:
            whole = f.read()
        data = zlib.compress(whole, 9) if packed else whole
        lines.append("static const unsigned char file_%d[] = {" % i)
        for at in range(0, len(data), 20):
            lines.append("    " + " ".join("%d," % b for b in data[at:at + 20]))
        lines.append("};\n")
        name = os.path.splitext(os.path.basename(path))[0]
        entries.append('    {"%s", file_%d, sizeof file_%d, %d},' % (name, i, i, len(whole)))
    lines.append("const struct embedded_file %s[] = {" % table)
    lines += entries + ["    {NULL, NULL, 0, 0},", "};", ""]
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


main()
