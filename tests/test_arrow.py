#!/usr/bin/env python3
"""Exports traces as Arrow files and as a database, and compares every table; with pyarrow, too, where it is installed.

Usage: test_arrow.py TPTUI TRACE...
"""
import gzip
import io
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tarfile
import tempfile

import arrow_reader

try:
    import pyarrow.ipc
except ImportError:
    pyarrow = None

tptui, *traces = map(os.path.abspath, sys.argv[1:])
failures = []
folder = tempfile.TemporaryDirectory()
shell = os.path.join(folder.name, 'trace_processor_shell')
os.symlink(tptui, shell)
TAR, DATABASE = os.path.join(folder.name, 'tables.tar'), os.path.join(folder.name, 'tables.db')
BATCH = 65536


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %.300r\n  got      %.300r' % (what, want, got))


def run(*args, program=tptui):
    p = subprocess.run([program, *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=100)
    return p.returncode, p.stderr.decode()


def query(trace, sql):
    p = subprocess.run([tptui, 'query', '--no-cache', trace, sql, '--format', 'csv'], capture_output=True, text=True, timeout=100)
    return p.returncode, p.stdout


def tables(trace, program):
    expect('status', run('export', 'arrow_tar', '-o', TAR, trace, program=program)[0], 0)
    with tarfile.open(TAR) as tar:
        return {m.name: tar.extractfile(m).read() for m in tar}


def database(trace):
    if os.path.exists(DATABASE):
        os.unlink(DATABASE)
    expect('status', run('export', 'sqlite', '-o', DATABASE, trace)[0], 0)
    return sqlite3.connect(DATABASE)


def compare(trace, program):
    """The number of rows of the largest table."""
    largest, db = 0, database(trace)
    db.text_factory = lambda b: b.decode(errors='replace')
    for name, data in tables(trace, program).items():
        columns = arrow_reader.read(data)
        cursor = db.execute('SELECT * FROM "%s"' % name.removesuffix('.arrow'))
        expect('columns of ' + name, list(columns), [d[0] for d in cursor.description])
        rows = cursor.fetchall()
        largest = max(largest, len(rows))
        expect('rows of ' + name, [len(c) for c in columns.values()], [len(rows)] * len(columns))
        expect('contents of ' + name, list(zip(*columns.values())), rows)
        if pyarrow:
            expect(name + ' for pyarrow', pyarrow.ipc.open_file(io.BytesIO(data)).read_all().to_pydict(), columns)
    return largest


# Every table, empty ones and those of several batches too.
sizes = [compare(trace, program) for trace, program in zip(traces, (tptui, shell))]
expect('a trace of several batches', sizes[-1] > BATCH, True)
names = set(tables(traces[0], tptui))
expect('tables', len(names) > 100 and {'__intrinsic_slice.arrow', '__intrinsic_args.arrow'} < names, True)

# Trace Processor's own export: the same rows, with the schemas in front that it compares with its own.
WORDS = {'id', 'uint32', 'int32', 'int64', 'double', 'string', 'non_null', 'dense_null', 'id_sorted', 'set_id_sorted', 'sorted',
         'unsorted', 'no_duplicates', 'has_duplicates'}
for trace in traces:
    plain = tables(trace, tptui)
    for program in tptui, shell:
        expect('status of perfetto', run('export', 'perfetto', '-o', TAR, trace, program=program)[0], 0)
    with tarfile.open(TAR) as tar:
        members = {m.name: tar.extractfile(m).read() for m in tar}
    expect('the first member', next(iter(members)), 'perfetto_manifest.json')
    manifest = json.loads(members.pop('perfetto_manifest.json'))['perfetto_manifest']
    expect('the manifest', (manifest['version'], [f['path'] for f in manifest['files']]), (1, list(members)))
    about_reading = {'__intrinsic_%s.arrow' % name for name in
                     ('trace_file', 'trace_import_logs', 'metadata', 'stats', 'build_flags', 'modules', 'loss')}
    filled = {name for name, data in plain.items() if any(arrow_reader.read(data).values())}
    expect('tables that have rows', set(members), filled - about_reading)
    for f in manifest['files']:
        schema, data = f['__exported_table_schema'], members[f['path']]
        arrow_reader.check_whole(data, schema)
        columns, before = arrow_reader.read(data), arrow_reader.read(plain[f['path']])
        expect('schema of ' + f['path'], (schema['format'], schema['name'] + '.arrow', schema['columns'][0]['name']), (1, f['path'], 'id'))
        expect('columns of ' + f['path'], [c['name'] for c in schema['columns'][1:]], list(columns))
        expect('words of ' + f['path'], {w for c in schema['columns'] for k, w in c.items() if k != 'name'} - WORDS, set())
        expect('contents of ' + f['path'], {k: v for k, v in columns.items() if k in before}, {k: v for k, v in before.items() if k in columns})
        expect('left out of ' + f['path'], set(before) - set(columns) - {'id', 'utid', 'upid', 'jit_code_id'}, set())

    # Opened again it has the same rows; sets of args have other numbers.
    again = os.path.join(folder.name, 'again.tar')
    os.replace(TAR, again)
    opened = tables(again, tptui)
    for name in sorted(filled - about_reading - {'__intrinsic_args.arrow'}):
        before, after = arrow_reader.read(plain[name]), arrow_reader.read(opened[name])
        expect('columns again of ' + name, list(after), list(before))
        for column in before:
            if 'arg_set_id' not in column:
                expect('%s again of %s' % (column, name), after[column], before[column])
    for table, column in ('slice', 'arg_set_id'), ('track', 'dimension_arg_set_id'), ('ftrace_event', 'arg_set_id'):
        sql = ("SELECT t.id, (SELECT group_concat(key || '=' || value_type || '=' || ifnull(display_value, 'NULL'), ' ' ORDER BY key) FROM args "
               'WHERE arg_set_id = t.%s) AS args FROM %s t' % (column, table))
        expect('args again of ' + table, query(again, sql), query(trace, sql))

# An export whose rows name rows that are not there is not read; nor is a file that is none.
with tarfile.open(again) as tar:
    members = {m.name: tar.extractfile(m).read() for m in tar}
for name, data in ('__intrinsic_track.arrow', None), ('__intrinsic_slice.arrow', b'ARROW1\0\0 and nothing else ARROW1'):
    with tarfile.open(TAR, 'w') as tar:
        for member in members:
            content = data if member == name else members[member]
            if content is not None:
                info = tarfile.TarInfo(member)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    expect('slices without ' + name, query(TAR, 'SELECT count(*) AS n FROM slice')[1], 'n\n0\n')

# Beside another trace, or in an archive of its own, an export is not read: its rows name each other by their numbers.
parts = [os.path.join(folder.name, n) for n in ('first.json', 'second.json')]
for path, name, count in (parts[0], 'first', 2000), (parts[1], 'second', 1):
    events = [{'ph': ph, 'name': '%s %d' % (name, i), 'ts': 2 * i + (ph == 'e'), 'pid': 1, 'tid': 1, 'cat': 'c', 'id': i, 'args': {'n': '%s%d' % (name, i)}}
              for i in range(count) for ph in 'be']
    with open(path, 'w') as f:
        json.dump(events, f)
sql = "SELECT substr(s.name, 1, 5) AS name, count(*) AS n, count(DISTINCT a.string_value) AS args FROM slice s JOIN args a USING (arg_set_id) WHERE a.key = 'args.n' GROUP BY 1"
inner = os.path.join(folder.name, 'inner.tar')
expect('status of an export', run('export', 'perfetto', '-o', inner, parts[0])[0], 0)
expect('groups of an export', query(inner, sql), (0, 'name,n,args\nfirst,2000,2000\n'))
with open(inner, 'rb') as f, gzip.open(TAR, 'wb', 1) as packed:
    packed.write(f.read())
expect('packed', query(TAR, sql), (0, 'name,n,args\nfirst,2000,2000\n'))
shutil.copy(inner, TAR)
with tarfile.open(TAR, 'a') as tar:
    tar.add(parts[1], 'second.json')
expect('beside another trace', query(TAR, sql), (0, 'name,n,args\nsecon,1,1\n'))
with tarfile.open(TAR, 'w') as tar:
    tar.add(inner, 'inner.tar')
    tar.add(parts[1], 'second.json')
expect('in an archive of its own', query(TAR, sql), (0, 'name,n,args\nsecon,1,1\n'))

# What is no UTF-8.
broken = os.path.join(folder.name, 'broken.json')
event = json.dumps([{'ph': 'X', 'name': 'a?b\u00e9', 'ts': 1, 'dur': 2, 'pid': 1, 'tid': 1}], ensure_ascii=False)
with open(broken, 'wb') as f:
    f.write(event.encode().replace(b'?', b'\xff'))
slices = arrow_reader.read(tables(broken, tptui)['__intrinsic_slice.arrow'])
expect('broken text', slices['name'], ['a\ufffdb\u00e9'])

# What cannot be written; what is no file is never replaced.
fifo = os.path.join(folder.name, 'fifo')
os.mkfifo(fifo)
for kind in 'arrow_tar', 'perfetto', 'sqlite':
    for program in tptui, shell:
        expect('no folder', run('export', kind, '-o', os.path.join(folder.name, 'missing', 'x'), traces[0], program=program)[0], 1)
        status, err = run('export', kind, '-o', fifo, traces[0], program=program)
        expect('a FIFO', (status, 'no regular file' in err), (1, True))
        expect('is still one', stat.S_ISFIFO(os.stat(fifo).st_mode), True)
expect('nothing unfinished is left', [f for f in os.listdir(folder.name) if 'unfinished' in f], [])

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
