#!/usr/bin/env python3
"""docs/ARCHITECTURE.md is read in a quarter of an hour: check_architecture.py ROOT

Its sections are a screen each and begin with a picture, and each file, folder of src/ and test that it names is there.
"""
import pathlib
import re
import sys

LINES, COLUMNS, WORDS = 45, 100, 3600

root = pathlib.Path(sys.argv[1])
text = (root / 'docs' / 'ARCHITECTURE.md').read_text()
wrong = []

words = len(text.split())
if words > WORDS:
    wrong.append(f'{words} words: a quarter of an hour has room for {WORDS}')
for section in re.split(r'^(?=##? )', text, flags=re.M)[1:]:
    lines = section.rstrip().split('\n')
    if len(lines) > LINES:
        wrong.append(f'{lines[0]}: {len(lines)} lines, a screen has {LINES}')
    if not any(re.match('    |\\|', line) for line in lines) and 'on purpose' not in lines[0]:
        wrong.append(f'{lines[0]}: no picture')
    wrong += [f'{lines[0]}: a line of {len(line)} columns' for line in lines if len(line) > COLUMNS]

paths = {p.relative_to(root).as_posix() for p in root.glob('*') if p.name != 'build'}
for top in ('src', 'tests', 'docs', 'protos', 'stdlib', 'scripts'):
    paths |= {p.relative_to(root).as_posix() for p in (root / top).rglob('*')}
if len(paths) < 1000:
    wrong.append(f'{root}: expected the project, found {len(paths)} files')
GENERATED = {'pb_fields.h'}
for name in sorted(set(re.findall(r'`([\w/]+(?:\.(?:h|c|py|md|proto)|/))`', text)) - GENERATED):
    name = name.rstrip('/')
    if not any(path == name or path.endswith('/' + name) for path in paths):
        wrong.append(f'{name}: there is no such file')

print('\n'.join(wrong) or 'every section is a screen, every file that it names is there')
sys.exit(1 if wrong else 0)
