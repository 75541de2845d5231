#!/usr/bin/env python3
"""Checks that every embedded module has exactly its published objects.

Usage: check_modules.py TPTUI TRACE STDLIB MODULES.tsv PRIVATE.tsv

MODULES.tsv is compared with the published list, if that lies beside the checkout (../shared/facts/stdlib.tsv): it must
have the same lines. Our prelude has other modules than the published one, of which only the objects are compared:
tables, views and functions of C are all the same there.

MODULES.tsv holds a line for each published object: module, kind, name, arguments, columns or returned type. Of each
module below STDLIB, what its text declares must be just that, and what a session gives must have just those columns.

PRIVATE.tsv holds the same of objects that begin with an underscore and yet are a contract: published ones of those
names, which clients ask for. Its lines must be published ones (../shared/facts/private_objects.tsv), and have all that
the published web UI names; modules may declare other private objects of any form. The columns that are listed without
types are compared by name.

What users read about modules (__intrinsic_stdlib_objects) must describe every public object, its columns and its
arguments. Types must be known ones, and JOINID(table.column) must name a column that there is. The types of published
objects are as published, whatever they are; those of our own objects must tell what a column of that name is.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
tptui, trace, stdlib, listed, listed_private = sys.argv[1:]


def read_list(path):
    """Objects by module and name."""
    objects = {}
    for line in open(path, encoding='utf8'):
        module, kind, name, args, result = line.rstrip('\n').split('\t')
        objects.setdefault(module, {})[name] = (kind, args, result)
    return objects


published = read_list(listed)
private = read_list(listed_private)

problems = []


def compare_published(path):
    """Our list with the published one, both as it is in MODULES.tsv."""
    listed_there = {}
    with open(path, encoding='utf8') as lines:
        for row in csv.DictReader(lines, delimiter='\t', quoting=csv.QUOTE_NONE):
            listed_there.setdefault(row['module'], {})[row['name']] = (
                row['kind'], row['args'] or '', row['columns_or_return'] or '')
    for module, objects in listed_there.items():
        for name, described in objects.items():
            ours = published.get(module, {}).get(name)
            if not module.startswith('prelude.') and ours != described:
                problems.append(f'{module}: {name} is published as {described}, listed as {ours}')
    in_prelude = {}
    for module, objects in listed_there.items():
        in_prelude.update(objects if module.startswith('prelude.') else {})
    for module, objects in published.items():
        there = in_prelude if module.startswith('prelude.') else listed_there.get(module, {})
        problems.extend(f'{module}: {name} is listed, but not published' for name in objects if name not in there)
    return in_prelude



def compare_private(path):
    """Our private objects with those of the same names in the published list."""
    there, asked_for = {}, set()
    with open(path, encoding='utf8') as lines:
        for row in csv.DictReader(lines, delimiter='\t', quoting=csv.QUOTE_NONE):
            key = part_of(row['module']), row['name']
            there[key] = row['kind'], row['args'] or '', row['columns_or_return'] or ''
            if row['named_by_ui']:
                asked_for.add(key)
    listed_here = {(part_of(module), name): described
                   for module, objects in private.items() for name, described in objects.items()}
    for module, name in asked_for - listed_here.keys():
        problems.append(f'{module}: {name} is asked for by the published UI and not listed')
    for key, described in listed_here.items():
        if there.get(key) != described:
            problems.append(f'{key}: published as {there.get(key)}, listed as {described}')
    for path in pathlib.Path(stdlib).rglob('*.sql'):
        for name in declared(path.read_text(encoding='utf8')):
            key = part_of(module_of(path)), name
            if key in there and key not in listed_here:
                problems.append(f'{key}: has a published name and is not listed')


def part_of(module):
    """The module; of the prelude, which ours cuts in another way, no more than that."""
    return 'prelude' if module.startswith('prelude.') else module


def module_of(path):
    return '.'.join(path.relative_to(stdlib).with_suffix('').parts)


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
    """The objects that a module's text declares, as in the lists."""
    text = re.sub(r'--[^\n]*', '', text)
    objects = {}
    for head in re.finditer(r'CREATE (?:OR REPLACE )?PERFETTO (TABLE|VIEW|FUNCTION|MACRO) (\w+)\s*', text):
        kind, name = head.groups()
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


def same_private(want, have):
    """Whether an object is as it is listed: a table may be a view, and types of macros are spelled in two ways."""
    kinds = {'table': 'view'}
    if have is None or kinds.get(want[0], want[0]) != kinds.get(have[0], have[0]):
        return False
    if want[0] == 'macro':
        return want[1].lower() == have[1].lower() and want[2].lower() == have[2].lower()
    return want[1] == have[1] and (want[0] != 'function' or want[2] == have[2])


FACTS = HERE.parent.parent / 'shared' / 'facts'
# What the UI of an older version asks for: columns behind the published ones.
OLDER_COLUMNS = {'_android_input_lifecycle_by_slice_id': ['ts_frame', 'id_frame', 'track_frame', 'dur_frame']}
statements, expected = [], []
modules = 0


def ask_for(name, kind, args, result):
    """A statement that yields the object's columns."""
    nulls = ', '.join(['NULL'] * len(args.split(', '))) if args else ''
    if kind in ('table', 'view'):
        statements.append(f'SELECT * FROM {name} LIMIT 0;')
        expected.append((name, names(result)))
    elif kind == 'table_function':
        statements.append(f'SELECT * FROM {name}({nulls}) LIMIT 0;')
        expected.append((name, names(result) + OLDER_COLUMNS.get(name, [])))
    elif kind == 'function':
        statements.append(f'SELECT {name}({nulls}) AS {name} LIMIT 0;')
        expected.append((name, [name]))


if FACTS.exists():
    for name, described in compare_published(FACTS / 'stdlib.tsv').items():
        ask_for(name, *described)
    compare_private(FACTS / 'private_objects.tsv')
for path in sorted(pathlib.Path(stdlib).rglob('*.sql')):
    module = module_of(path)
    modules += 1
    want, have = published.get(module, {}), declared(path.read_text(encoding='utf8'))
    for name, described in private.get(module, {}).items():
        if not same_private(described, have.get(name)):
            problems.append(f'{module}: {name}\n  want {described}\n  have {have.get(name)}')
    have = {name: described for name, described in have.items() if name[0] != '_'}
    for name in sorted(want.keys() | have.keys()):
        if want.get(name) != have.get(name):
            problems.append(f'{module}: {name}\n  want {want.get(name)}\n  have {have.get(name)}')
    statements.append(f'INCLUDE PERFETTO MODULE {module};')
    for name, described in (want | private.get(module, {})).items():
        ask_for(name, *described)


def query(sql, form):
    with tempfile.NamedTemporaryFile('w', suffix='.sql', encoding='utf8') as script:
        script.write(sql)
        script.flush()
        return subprocess.run([tptui, 'query', '--format', form, trace, '-f', script.name], capture_output=True,
                              stdin=subprocess.DEVNULL, encoding='utf8')


TYPES = {'ARGSETID', 'BOOL', 'BYTES', 'DOUBLE', 'DURATION', 'ID', 'LONG', 'STRING', 'TIMESTAMP'}
MACRO_TYPES = {'ColumnName', 'ColumnNameList', 'Expr', 'ExprList', 'TableName', 'TableOrSubquery',
               '_TableNameList'}
OWN_TYPES = {
    'ts': 'TIMESTAMP', 'dur': 'DURATION', 'thread_ts': 'TIMESTAMP', 'thread_dur': 'DURATION', 'arg_set_id': 'ARGSETID',
    'utid': 'JOINID(thread.id)', 'upid': 'JOINID(process.id)', 'track_id': 'JOINID(track.id)',
    'slice_id': 'JOINID(slice.id)',
}


def check_described(defined, references):
    """Appends to problems. Tables and columns that types name go to `references`."""
    name = f"{defined['module']}: {defined['name']}"
    if defined['exposed'] and not defined['description']:
        problems.append(f'{name} has no description')
    if defined['exposed'] and defined['object_type'] in ('TABLE', 'VIEW') and defined['cols'] == '[]':
        problems.append(f'{name} does not list its columns')
    macro = defined['object_type'] == 'MACRO'
    for entry in json.loads(defined['args']) + json.loads(defined['cols']):
        if defined['exposed'] and not entry['description']:
            problems.append(f"{name}: {entry['name']} has no description")
        reference = re.fullmatch(r'(?:JOIN)?ID\((\w+)\.(\w+)\)', entry['type'])
        if reference:
            references.add(reference.groups())
        elif entry['type'] not in (MACRO_TYPES if macro else TYPES):
            problems.append(f"{name}: {entry['name']} has the unknown type {entry['type']}")
        own = OWN_TYPES.get(entry['name'], entry['type'])
        ours = defined['name'] not in private.get(defined['module'], {}) and not defined['exposed']
        if ours and not macro and entry['type'] != own:
            problems.append(f"{name}: {entry['name']} is {entry['type']} instead of {own}")


run = query('\n'.join(statements), 'csv')
if run.returncode != 0:
    problems.append(run.stderr.strip())
headers = list(csv.reader(line for line in run.stdout.splitlines() if line))
for (name, want), have in zip(expected, headers):
    if want != have:
        problems.append(f'{name}\n  want {want}\n  have {have}')

run = query("INCLUDE PERFETTO MODULE *; SELECT * FROM __intrinsic_stdlib_objects WHERE object_type <> 'MODULE'", 'json')
listing = json.loads(run.stdout)
references = set()
for defined in listing:
    check_described(defined, references)
run = query('\n'.join(['INCLUDE PERFETTO MODULE *;'] + [
    f'SELECT {column} FROM {table} LIMIT 0;' for table, column in sorted(references)]), 'csv')
if run.returncode != 0:
    problems.append(f'a type names a column that does not exist\n{run.stderr.strip()}')
for problem in problems:
    print(problem)
print(f'{modules} modules, {len(headers)} of {len(expected)} objects read, '
      f'{len(listing)} listed, {len(problems)} problems')
sys.exit(bool(problems))
