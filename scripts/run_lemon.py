#!/usr/bin/env python3
"""Makes a parser of a grammar: run_lemon.py LEMON GRAMMAR.y PARSER.c PARSER.h

A grammar with a conflict is an error. The parser does not say where it was made: assertions would, and
two builds would differ.
"""
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    lemon, grammar, parser, header = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.splitext(os.path.basename(grammar))[0]
        done = subprocess.run([lemon, '-q', f'-d{folder}', grammar], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        with open(os.path.join(folder, name + '.c')) as made, open(parser, 'w') as out:
            out.write(made.read().replace(folder + os.sep, ''))
        shutil.copyfile(os.path.join(folder, name + '.h'), header)


if __name__ == '__main__':
    main()
