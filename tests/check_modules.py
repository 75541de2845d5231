#!/usr/bin/env python3
"""Checks that every embedded module has exactly its published objects.

Usage: check_modules.py TPTUI TRACE STDLIB MODULES.tsv

MODULES.tsv holds a line for each published object: module, kind, name, arguments, columns or returned type. Of each
module below STDLIB, what its text declares must be just that, and what a session gives must have just those columns.
The prelude is tested elsewhere (rows/schema.rows).
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

tptui, trace, stdlib, listed = sys.argv[1:]
published = {}
for line in open(listed, encoding='utf8'):
    module, kind, name, args, result = line.rstrip('\n').split('\t')
    published.setdefault(module, {})[name] = (kind, args, result)

problems = []


def normal(text):
    return ', '.join(' '.join(part.split()) for part in text.split(',')) if text.strip() else ''


def bracketed(text, at):
    """What stands in the brackets that open at `at`, and where it ends."""
    depth, end = 0, at
    while True:
        depth += {'(': 1, ')': -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return text[at + 1:end - 1], end


def declared(text):
    """The public objects that a module's text declares, as in the list."""
    text = re.sub(r'--[^\n]*', '', text)
    objects = {}
    for head in re.finditer(r'CREATE (?:OR REPLACE )?PERFETTO (TABLE|VIEW|FUNCTION|MACRO) (\w+)\s*', text):
        kind, name = head.groups()
        if name[0] == '_':
            continue
        listed_in, at = bracketed(text, head.end()) if text[head.end()] == '(' else ('', head.end())
        if kind in ('TABLE', 'VIEW'):
            objects[name] = (kind.lower(), '', normal(listed_in))
            continue
        returns = re.compile(r'\s*RETURNS\s+(\w+(?:\([\w.]+\))?)').match(text, at)
        if returns.group(1).startswith('TABLE') and kind == 'FUNCTION':
            columns, _ = bracketed(text, text.index('(', returns.start(1)))
            objects[name] = ('table_function', normal(listed_in), normal(columns))
        else:
            objects[name] = (kind.lower(), normal(listed_in), returns.group(1))
    return objects


def names(columns):
    return [column.split()[0] for column in columns.split(', ')]


statements, expected = [], []
modules = 0
for path in sorted(pathlib.Path(stdlib).rglob('*.sql')):
    module = '.'.join(path.relative_to(stdlib).with_suffix('').parts)
    if module.startswith('prelude.'):
        continue
    modules += 1
    want, have = published.get(module, {}), declared(path.read_text(encoding='utf8'))
    for name in sorted(want.keys() | have.keys()):
        if want.get(name) != have.get(name):
            problems.append(f'{module}: {name}\n  want {want.get(name)}\n  have {have.get(name)}')
    statements.append(f'INCLUDE PERFETTO MODULE {module};')
    for name, (kind, args, result) in want.items():
        nulls = ', '.join(['NULL'] * len(args.split(', '))) if args else ''
        if kind in ('table', 'view'):
            statements.append(f'SELECT * FROM {name} LIMIT 0;')
            expected.append((name, names(result)))
        elif kind == 'table_function':
            statements.append(f'SELECT * FROM {name}({nulls}) LIMIT 0;')
            expected.append((name, names(result)))
        elif kind == 'function':
            statements.append(f'SELECT {name}({nulls}) AS {name} LIMIT 0;')
            expected.append((name, [name]))

with tempfile.NamedTemporaryFile('w', suffix='.sql', encoding='utf8') as script:
    script.write('\n'.join(statements))
    script.flush()
    run = subprocess.run([tptui, 'query', '--format', 'csv', trace, '-f', script.name], capture_output=True,
                         stdin=subprocess.DEVNULL, encoding='utf8')
if run.returncode != 0:
    problems.append(run.stderr.strip())
headers = list(csv.reader(line for line in run.stdout.splitlines() if line))
for (name, want), have in zip(expected, headers):
    if want != have:
        problems.append(f'{name}\n  want {want}\n  have {have}')
for problem in problems:
    print(problem)
print(f'{modules} modules, {len(headers)} of {len(expected)} objects read, {len(problems)} problems')
sys.exit(bool(problems))
