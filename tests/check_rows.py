#!/usr/bin/env python3
"""Runs the queries of a .rows file on a trace and compares what comes out.

Usage: check_rows.py TPTUI TRACE FILE.rows

FILE.rows holds queries and their results. A line `> SELECT ...` starts a query (further lines that begin with
`> ` belong to it); the lines up to the next one are the CSV that `tptui query` must print, header included.
`!` in place of `>` expects an error: the lines below it must each occur in what is written to stderr.
"""
import subprocess
import sys

tptui, trace, rows = sys.argv[1:]
blocks = []
for line in open(rows, encoding='utf8'):
    line = line.rstrip('\n')
    if line[:2] in ('> ', '! '):
        if not blocks or blocks[-1]['want'] or blocks[-1]['kind'] != line[0]:
            blocks.append({'kind': line[0], 'sql': '', 'want': []})
        blocks[-1]['sql'] += line[2:] + '\n'
    elif line and not line.startswith('#'):
        blocks[-1]['want'].append(line)

failed = 0
for block in blocks:
    run = subprocess.run([tptui, 'query', '--format', 'csv', trace, block['sql']], capture_output=True,
                         stdin=subprocess.DEVNULL)
    out, err = run.stdout.decode('utf8', 'replace'), run.stderr.decode('utf8', 'replace')
    if block['kind'] == '!':
        good = run.returncode == 1 and all(want in err for want in block['want'])
        got = err.splitlines()
    else:
        got = [line.rstrip('\r') for line in out.split('\n') if line.rstrip('\r')]
        good = run.returncode == 0 and got == block['want']
    if good:
        continue
    failed += 1
    print('---', block['sql'].strip())
    print('exit status', run.returncode, err.strip())
    for line in block['want']:
        print('want', line)
    for line in got:
        print('got ', line)
print('%d queries, %d failed' % (len(blocks), failed))
sys.exit(failed != 0)
