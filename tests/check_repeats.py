#!/usr/bin/env python3
"""The parser that lemon makes is the same each time: check_repeats.py RUN_LEMON LEMON GRAMMAR"""
import os
import subprocess
import sys
import tempfile

run, lemon, grammar = sys.argv[1:]


def make():
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ('parser.c', 'parser.h')]
        subprocess.run([sys.executable, run, lemon, grammar, *files], check=True)
        return [open(f, 'rb').read() for f in files]


if make() != make():
    sys.exit('two runs differ')
print('two runs are the same')
