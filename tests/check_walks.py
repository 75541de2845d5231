#!/usr/bin/env python3
"""Walks through real traces as a user would: check_walks.py TPTUI FOLDER...

Each *.script of a folder names its trace (`# trace: NAME`), asks a question and finds the answer with at most 12 keys,
apart from text that is typed. The traces are TPTUI_TRACES/NAME/trace.*, by default ../shared/traces beside the
repository; walks whose trace is not there are left out, and the exit status is 77 if none is.
"""
import glob
import os
import subprocess
import sys
import tempfile

KEYS_MAX = 12
program = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
traces = os.environ.get('TPTUI_TRACES', os.path.join(root, '..', 'shared', 'traces'))
walked = failed = 0

for script in sorted(path for folder in sys.argv[2:] for path in glob.glob(os.path.join(folder, '*.script'))):
    lines = open(script, encoding='utf-8').read().splitlines()
    name = lines[0].partition('# trace: ')[2]
    keys = [line for line in lines if line and line[0] not in ':#' or line in ('#', ':')]
    if len(keys) > KEYS_MAX:
        print('%s: %d keys, at most %d' % (script, len(keys), KEYS_MAX))
        failed += 1
    found = glob.glob(os.path.join(glob.escape(os.path.join(traces, name)), 'trace.*'))
    if not found:
        continue
    walked += 1
    with tempfile.TemporaryDirectory() as folder:
        environment = {'PATH': os.environ['PATH'], 'HOME': folder, 'LANG': 'C.UTF-8'}
        done = subprocess.run([program, os.path.abspath(found[0]), '--no-cache', '--size', '150x44', '--script',
                               os.path.abspath(script)], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr)
        failed += 1
    else:
        print('%s: %d keys' % (lines[1][2:], len(keys)))

sys.exit(1 if failed else 0 if walked else 77)
