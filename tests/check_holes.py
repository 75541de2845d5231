#!/usr/bin/env python3
"""Texts in which a crash of the machine has left zero bytes say so, in the table loss and as more than an aside.

Usage: check_holes.py TPTUI TRACE...

Of each trace 16 bytes are zeros, 45, 60 and 80 % behind its begin. What cannot be opened has said so, too, but not of all three.
"""
import os
import sys
import tempfile

from check_cut import losses

FRACTIONS, HOLE = (0.45, 0.6, 0.8), 16


def faults(program, trace, folder):
    with open(trace, 'rb') as f:
        data = f.read()
    opened = 0
    for fraction in FRACTIONS:
        at = int(len(data) * fraction)
        damaged = os.path.join(folder, os.path.basename(trace))
        with open(damaged, 'wb') as f:
            f.write(data[:at] + bytes(HOLE) + data[at + HOLE:])
        found = losses(program, damaged)
        opened += found is not None
        if found is not None and 'text_hole_bytes' not in found:
            yield '%.0f %%' % (fraction * 100), found
    if not opened:
        yield 'all', 'cannot be opened'


def main():
    program, *traces = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            for what, found in faults(program, trace, folder):
                print('%s, %s: %s' % (os.path.basename(trace), what, found))
                failed = True
    sys.exit(failed)


if __name__ == '__main__':
    main()
