#!/usr/bin/env python3
"""Runs the queries of a .rows file on a trace and compares what comes out.

Usage: check_rows.py [--update] TPTUI TRACE FILE.rows

FILE.rows holds queries and their results. A line `> SELECT ...` starts a query (further lines that begin with
`> ` belong to it); the lines up to the next one are the CSV that `tptui query` must print, header included.
`!` in place of `>` expects an error: the lines below it must each occur in what is written to stderr.
Lines that begin with `#` are comments, empty lines are for the reader: a row that is one NULL or one empty text, an
empty line of CSV, is written `(empty)`.

To accept what comes out now, which rewrites the rows that differ (look at the diff):

    UPDATE_ROWS=1 meson test -C build --suite rows
"""
import os
import subprocess
import sys


def read_blocks(lines):
    """The queries: kind ('>' or '!'), sql, what is wanted, and the numbers of the lines that say so."""
    blocks = []
    for number, line in enumerate(lines):
        if line[:2] in ('> ', '! '):
            if not blocks or blocks[-1]['want'] or blocks[-1]['kind'] != line[0]:
                blocks.append({'kind': line[0], 'sql': '', 'want': [], 'want_at': []})
            blocks[-1]['sql'] += line[2:] + '\n'
            blocks[-1]['sql_end'] = number
        elif line and not line.startswith('#'):
            blocks[-1]['want'].append(line)
            blocks[-1]['want_at'].append(number)
    return blocks


def csv_rows(text):
    """The lines of a CSV, with `(empty)` for an empty one that is no separator between two results."""
    rows, empty, quoted = [], 0, False
    for line in text.split('\n')[:-1]:
        line = line.rstrip('\r')
        if not line and not quoted:
            empty += 1
            continue
        rows += ['(empty)'] * (empty - 1)
        empty = 0
        rows.append(line or '(empty)')
        quoted ^= line.count('"') % 2 == 1
    return rows + ['(empty)'] * empty


def run_block(program, trace, block):
    """Whether the query does what is wanted, whether it ran as its kind should, its lines, its status as text."""
    run = subprocess.run([program, 'query', '--format', 'csv', trace, block['sql']], capture_output=True,
                         stdin=subprocess.DEVNULL)
    out, err = run.stdout.decode('utf8', 'replace'), run.stderr.decode('utf8', 'replace')
    status = 'exit status %d %s' % (run.returncode, err.strip())
    if block['kind'] == '!':
        good = run.returncode == 1 and all(want in err for want in block['want'])
        return good, run.returncode == 1, err.splitlines(), status
    got = csv_rows(out)
    return run.returncode == 0 and got == block['want'], run.returncode == 0, got, status


def may_write(lines):
    return not any(line[:1] == '#' or line[:2] in ('> ', '! ') for line in lines)


def replace_rows(lines, updates):
    """The lines of the file with those of `updates`, pairs of block and rows, in place of what the blocks want."""
    drop = {number for block, _ in updates for number in block['want_at']}
    insert = {block['sql_end']: got for block, got in updates}
    result = []
    for number, line in enumerate(lines):
        if number not in drop:
            result.append(line)
        result += insert.get(number, [])
    return result


def main():
    arguments = [a for a in sys.argv[1:] if a != '--update']
    update = len(arguments) < len(sys.argv) - 1 or os.environ.get('UPDATE_ROWS')
    program, trace, path = arguments
    with open(path, encoding='utf8') as f:
        lines = f.read().removesuffix('\n').split('\n')
    blocks, failed, updates = read_blocks(lines), 0, []
    for block in blocks:
        good, ran, got, status = run_block(program, trace, block)
        if good:
            continue
        if update and ran and may_write(got):
            updates.append((block, got))
            continue
        failed += 1
        print('---', block['sql'].strip())
        print(status)
        for line in block['want']:
            print('want', line)
        for line in got:
            print('got ', line)
    if updates:
        with open(path, 'w', encoding='utf8') as f:
            f.write('\n'.join(replace_rows(lines, updates)) + '\n')
    print('%d queries, %d failed, %d updated' % (len(blocks), failed, len(updates)))
    return failed != 0


sys.exit(main())
