#!/usr/bin/env python3
"""The tests that a document names are there, and are run: check_named_tests.py DOCUMENT BUILD

Each row of a table whose last column is "test" names one, and so does each paragraph but those of the sections that say what
was tried; each test or program of tests/ that stands in backquotes is one that meson runs, or part of what one runs.
"""
import json
import os
import re
import sys

document, build = sys.argv[1:]
tests = os.path.dirname(os.path.abspath(__file__))
failures = []

with open(os.path.join(build, 'meson-info', 'intro-tests.json'), encoding='utf8') as f:
    commands = [os.path.basename(word) for test in json.load(f) for word in test['cmd']]
with open(document, encoding='utf8') as f:
    text = f.read()


def names_in(part):
    """What stands in backquotes and is called as tests are."""
    words = re.findall(r'`([^`\s]+)', part)
    return [w for w in words if re.fullmatch(r'(tests/)?([a-z]+/)?((test|check|fuzz)_\w+\.(c|py)|mangle)|tests/[a-z]+', w)]


def is_run(name):
    """By meson: a script, or the program of a C file; of a folder, some of its programs."""
    path = os.path.join(tests, re.sub('^tests/', '', name))
    if os.path.isdir(path):
        return any(is_run(os.path.join(re.sub('^tests/', '', name), n)) for n in os.listdir(path) if re.match('(test|fuzz)_', n))
    base = os.path.basename(name)
    if base == 'mangle': # by meson's own name of the program
        return os.path.exists(os.path.join(tests, 'fuzz', 'mangle.c')) and 'mangle' in commands
    return os.path.exists(path) and (base if base.endswith('.py') else base[:-2]) in commands


names = names_in(text)
for name in sorted(set(names)):
    if not is_run(name):
        failures.append(name)
        print('--- %s names %s, which no test runs' % (document, name))
TRIED = 'Fuzzing', 'Damaged recordings'
rows, tables = [], 0
for section in re.split(r'^## ', text, flags=re.M):
    for part in section.split('\n\n')[0 if section.startswith('#') else 1:]:
        lines = part.strip().splitlines()
        if not lines or lines[0].startswith(('#', '    ')):
            continue
        if not lines[0].startswith('| '):
            rows += [] if section.startswith(TRIED) else [part]
        elif lines[0].endswith('| test |'):
            tables += 1
            rows += lines[2:]
for row in rows:
    if not names_in(row.rsplit('|', 2)[-2] if row.startswith('| ') else row):
        failures.append(row)
        print('--- no test in: %s' % row)
if len(names) < 20 or len(rows) < 50 or tables < 4:
    failures.append('few')
    print('--- %d names, %d rows, %d tables: they are not found' % (len(names), len(rows), tables))
print('%d names, %d failures' % (len(set(names)), len(failures)))
sys.exit(1 if failures else 0)
