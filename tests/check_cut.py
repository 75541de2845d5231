#!/usr/bin/env python3
"""Files that end in the middle say so, in the table loss and as more than an aside; whole ones say nothing of the kind.

Usage: check_cut.py TPTUI TRACE...

Of each trace the first 35, 60, 80 and 97 % are loaded, of a text up to the line that ends in the middle: one that ends behind a
line, or behind the spaces in front of one, may be whole. What cannot be opened has said so, too.
"""
import os
import subprocess
import sys
import tempfile

FRACTIONS = 0.35, 0.6, 0.8, 0.97
ENDS = 'trace_ends_early', 'trace_missing_bytes'
SQL = "SELECT name FROM tptui_loss WHERE matters AND effect NOT IN ('doubt', 'again', 'aside')"


def losses(program, trace):
    """The names of what is missing; None where the file cannot be opened."""
    run = subprocess.run([program, 'query', '--format', 'csv', trace, SQL], capture_output=True, text=True, errors='replace',
                         stdin=subprocess.DEVNULL)
    return run.stdout.split()[1:] if run.returncode == 0 else None


def in_line(data):
    while data.rstrip(b' \t').endswith(b'\n'):
        data = data.rstrip(b' \t\r\n')[:-1]
    return data


def faults(program, trace, folder):
    with open(trace, 'rb') as f:
        data = f.read()
    whole = losses(program, trace)
    if whole is None or set(whole) & set(ENDS):
        yield 'whole', whole
    for fraction in FRACTIONS:
        cut = os.path.join(folder, os.path.basename(trace))
        with open(cut, 'wb') as f:
            f.write(in_line(data[:int(len(data) * fraction)]))
        found = losses(program, cut)
        if found is not None and not set(found) & set(ENDS):
            yield '%.0f %%' % (fraction * 100), found


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
