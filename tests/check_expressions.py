#!/usr/bin/env python3
"""Compares what SQL expressions yield with a table of expected values.

    check_expressions.py TPTUI EXPRESSIONS.tsv TRACE [KNOWN]

A line of the table: an expression, a tab, "type|value" (reals with 12 digits, blobs as hex) or
ERROR, where any answer will do. KNOWN lists, a line each, expressions that differ on purpose, with
"# reason" behind a tab. Exit status 1 where another one differs, or a listed one agrees.
"""
import csv
import io
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 30)
BATCH = 400


def select(number, expression):
    head, found, source = expression.partition(' from (')
    source = ' from (' + source if found else ''
    value = (f"CASE typeof(v) WHEN 'real' THEN printf('%!.12g', v) WHEN 'blob' THEN hex(v) "
             "ELSE v END")
    return (f"SELECT {number} AS n, typeof(v) AS t, {value} AS v "
            f"FROM (SELECT {head} AS v{source});\n")


def run(tptui, trace, todo):
    """Answers by number; those that end in an error are missing."""
    answers = {}
    while todo:
        with tempfile.NamedTemporaryFile('w', suffix='.sql') as f:
            for number, expression in todo:
                f.write(select(number, expression))
            f.flush()
            p = subprocess.run([tptui, 'query', trace, '-f', f.name, '--format', 'csv'],
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        seen = -1
        for row in csv.reader(io.StringIO(p.stdout.decode('utf8', 'replace'), newline='')):
            if len(row) == 3 and row[0] != 'n':
                seen = int(row[0])
                answers.setdefault(seen, f'{row[1]}|{row[2]}')
        if p.returncode not in (0, 1):
            print(f'exit {p.returncode} at or behind: {[e for n, e in todo if n > seen][0]}')
        left = [x for x in todo if x[0] > seen]
        todo = left[1:] if p.returncode else []
    return answers


def same(want, got):
    if want == got:
        return True
    if got is None or not (want.startswith('real|') and got.startswith('real|')):
        return False
    try:
        a, b = float(want[5:]), float(got[5:])
    except ValueError:
        return False
    return a == b or abs(a - b) <= 1e-11 * max(abs(a), abs(b))


def main():
    tptui, table, trace = sys.argv[1:4]
    known = set()
    if len(sys.argv) > 4:
        known = {l.split('\t')[0] for l in open(sys.argv[4]).read().split('\n') if l and l[0] != '#'}
    lines = [l.split('\t') for l in open(table).read().split('\n')[1:] if l]
    answers = {}
    numbered = list(enumerate(l[0] for l in lines))
    for i in range(0, len(numbered), BATCH):
        answers.update(run(tptui, trace, numbered[i:i + BATCH]))
    wrong = 0
    for number, (expression, want) in enumerate(lines):
        agree = want == 'ERROR' or same(want, answers.get(number))
        if agree == (expression in known):
            wrong += 1
            print(f'{expression}\twant {want}\tgot {answers.get(number, "an error")}')
    print(f'{len(lines)} expressions, {wrong} not as expected')
    return 1 if wrong else 0


sys.exit(main())
