#!/usr/bin/env python3
"""Writes a C source with compiled terminal descriptions: embed_terminfo.py OUT.c NAME...

They are made by `infocmp -x` and `tic -x` from what the build machine has installed.
"""
import os
import subprocess
import sys
import tempfile


def main():
    out, names = sys.argv[1], sys.argv[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "entries.ti")
        with open(source, "wb") as f:
            for name in names:
                f.write(subprocess.run(["infocmp", "-x", name], check=True,
                                       stdout=subprocess.PIPE).stdout)
        subprocess.run(["tic", "-x", "-o", folder, source], check=True)
        paths = [os.path.join(folder, name[0], name) for name in names]
        subprocess.run([sys.executable, os.path.join(here, "embed_files.py"), out,
                        "terminfo_files"] + paths, check=True)


main()
