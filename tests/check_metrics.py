#!/usr/bin/env python3
"""Runs the metrics of a .metrics file on a trace and compares what comes out.

Usage: check_metrics.py TPTUI TRACE FILE.metrics

A line `> --run NAME ...` has the words of `tptui metrics TRACE` (DIR stands for the folder of the file); the lines up
to the next one are what it must print. `!` in place of `>` expects an error: the lines below it must each occur in
what is written to stderr. Lines that begin with `#` are comments, empty lines are for the reader.

To accept what comes out now, which rewrites the file (look at the diff): UPDATE_ROWS=1 meson test ...
"""
import os
import pathlib
import shlex
import subprocess
import sys


def read_blocks(lines):
    """Pairs of a command's line (None for what stands before the first one) and the lines below it."""
    blocks = [(None, [])]
    for line in lines:
        if line[:2] in ('> ', '! '):
            blocks.append((line, []))
        else:
            blocks[-1][1].append(line)
    return blocks


def wanted(lines):
    return [line for line in lines if line and line[0] != '#']


def run(program, trace, folder, command):
    words = [word.replace('DIR', str(folder)) for word in shlex.split(command[2:])]
    done = subprocess.run([program, 'metrics', trace, *words], capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode('utf8', 'replace').splitlines(), done.stderr.decode('utf8', 'replace')


def check(program, trace, folder, command, want):
    """Whether the command does what is wanted, and what it printed."""
    status, out, err = run(program, trace, folder, command)
    if command[0] == '!':
        good = status != 0 and all(line in err for line in want)
        return good, out, 'exit status %d %s' % (status, err)
    return status == 0 and wanted(out) == want, out, 'exit status %d %s' % (status, err)


def main():
    program, trace, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    update, failed, result = os.environ.get('UPDATE_ROWS'), 0, []
    for command, below in read_blocks(path.read_text(encoding='utf8').splitlines()):
        if command is None:
            result += below
            continue
        good, out, status = check(program, trace, path.parent, command, wanted(below))
        rewritten = update and command[0] == '>' and not good and out
        comments = [line for line in below if line[:1] == '#']
        result += [command, *(out + ['', *comments] if rewritten else below)]
        if good or rewritten:
            continue
        failed += 1
        print('---', command, status, *('want ' + line for line in wanted(below)), *('got  ' + line for line in out),
              sep='\n')
    if update:
        path.write_text('\n'.join(result).rstrip('\n') + '\n', encoding='utf8')
    return failed != 0


sys.exit(main())
