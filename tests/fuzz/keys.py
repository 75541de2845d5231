#!/usr/bin/env python3
"""Presses random keys: keys.py TPTUI TRACE... [--keys N] [--seed N] [--keep FOLDER]

N keys (10,000) altogether, in runs of RUN keys from one start of the program to its end; each run goes on with the next
trace. A run that crashes, hangs or complains is said with its seed, and its script kept, where a FOLDER is named.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

RUN, RUN_SECONDS = 1000, 240
# Often; the others are the rest of what a keyboard has. Q and Ctrl-C end the program, Ctrl-Z stops it.
COMMON = ('h', 'j', 'k', 'l', 'j', 'l', 'w', 's', '.', ',', 'Enter', 'Space', 'Tab', 'Esc', 'q', ']', '[', 'f', '0', 'z')
LETTERS = [c for c in map(chr, range(33, 127)) if c not in 'Q:#']
NAMED = ('Up', 'Down', 'Left', 'Right', 'PageUp', 'PageDown', 'Home', 'End', 'Backspace', 'Delete', 'Shift-Tab', 'F1', 'F5',
         'Alt-Enter', 'Ctrl-a', 'Ctrl-d', 'Ctrl-e', 'Ctrl-k', 'Ctrl-l', 'Ctrl-p', 'Ctrl-r', 'Ctrl-u', 'Ctrl-w', 'Ctrl-y')
TEXTS = ('a', 'binder', '^b.*[0-9]', '(', '12', '+10ms', '1.5', 'SELECT * FROM slice;', 'SELECT ts, value FROM counter;',
         'SELECT 1 AS ts, 2 AS dur, name FROM thread;', 'SELECT', 'x' * 300, '\u4e16\u754c', 'out.csv', 'out.svg', '%s%n')
SIZES = ('80x24', '120x36', '200x50', '40x12', '10x4', '1x1', '250x70', '60x200', '137x41')


def line(rng):
    chance = rng.random()
    if chance < 0.45:
        return rng.choice(COMMON)
    if chance < 0.82:
        return rng.choice(LETTERS)
    if chance < 0.94:
        return rng.choice(NAMED)
    if chance < 0.97:
        return ':type ' + rng.choice(TEXTS)
    return ':size ' + rng.choice(SIZES) if chance < 0.98 else ':wait-idle'


def script(seed):
    rng = random.Random(seed)
    for _ in range(RUN):
        text = line(rng)
        yield text
        if text in ('q', 'Esc'):
            yield 'Right'  # no answer to the question whether to quit


def run(program, trace, seed, keep):
    """Whether nothing was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'keys')
        with open(path, 'w', encoding='utf8') as f:
            f.write(':wait-idle\n' + '\n'.join(script(seed)) + '\n:wait-idle\n:screenshot end\n')
        environment = dict(os.environ, HOME=folder, LANG='C.UTF-8', EDITOR='true', XDG_CACHE_HOME='/dev/null')
        try:
            done = subprocess.run([program, trace, '--script', path], cwd=folder, env=environment, timeout=RUN_SECONDS,
                                  capture_output=True, text=True, errors='replace', check=False)
            status, errors = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, errors = 'still running after %d s' % RUN_SECONDS, ''
        good = status == 0 and os.path.exists(os.path.join(folder, 'end'))
        if not good:
            print('seed %d, %s: %s\n%s' % (seed, trace, status if status else 'quit', errors[-3000:]), flush=True)
            if keep:
                shutil.copy(path, os.path.join(keep, 'keys.%d' % seed))
        return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('trace', nargs='+')
    parser.add_argument('--keys', type=int, default=10000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep')
    options = parser.parse_args()
    program, bad = os.path.abspath(options.program), 0
    runs = (options.keys + RUN - 1) // RUN
    for i in range(runs):
        trace = os.path.abspath(options.trace[i % len(options.trace)])
        bad += not run(program, trace, options.seed + i, options.keep)
    print('%d keys in %d runs, %d of them bad' % (runs * RUN, runs, bad))
    sys.exit(bad != 0)


main()
