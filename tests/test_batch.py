#!/usr/bin/env python3
"""Runs `tptui batch` as a user would: one result over good and bad traces, limits, going on where it stopped.

Usage: test_batch.py TPTUI TRACE
"""
import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import batch_stream
from children import Popen

tptui, trace = sys.argv[1:]
failures = []
with open(tptui, 'rb') as program:
    SANITIZED = b'__asan_init' in program.read() # takes more memory than can be limited
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n'
MANY = ('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300)'
        ' SELECT length(group_concat(hex(zeroblob(1000000)))) FROM n')
QUERY = "SELECT name, dur FROM slice ORDER BY id LIMIT 2"


def run(*args, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    p = subprocess.run([tptui, 'batch', *args], capture_output=True, timeout=120, **options)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def rows(text):
    return list(csv.reader(io.StringIO(text)))


single = rows(subprocess.run([tptui, 'query', trace, QUERY], capture_output=True, check=True).stdout.decode())

with tempfile.TemporaryDirectory() as folder:
    traces = [os.path.join(folder, 'in', name) for name in ('a', 'b', 'c')]
    os.mkdir(os.path.join(folder, 'in'))
    for path in traces:
        shutil.copy(trace, path)
    bad = os.path.join(folder, 'in', 'bad.txt')
    with open(bad, 'w') as f:
        f.write('no trace\n')
    want = [['trace'] + single[0]] + [[path] + row for path in traces for row in single[1:]]

    # What is missing of a trace is said, of some: rows of five that were cut off.
    with open(trace, 'rb') as f:
        half = f.read()
    cuts = [os.path.join(folder, 'cut%d' % i) for i in range(5)]
    for path in cuts:
        with open(path, 'wb') as f:
            f.write(half[:len(half) // 2])
    status, out, err = run('SELECT count() AS n FROM slice', *cuts)
    expect('rows of cut traces', (status, len(rows(out)), [line.split(': ')[:2] for line in err.splitlines()]),
           (0, 6, [['tptui', path] for path in cuts[:3]] + [['tptui', 'the like is said of 5 traces in all']]))
    differ = subprocess.run([tptui, 'diff', cuts[0], trace], capture_output=True).stderr.decode()
    expect('a cut trace and another', differ.startswith('tptui: %s: ' % cuts[0]), True)

    # One result, in the order of the list.
    for jobs in '1', '3':
        status, out, err = run('--jobs', jobs, QUERY, *traces)
        expect('rows with %s jobs' % jobs, (status, rows(out), err), (0, want, ''))
    status, out, err = run(QUERY, os.path.join(folder, 'in'))
    expect('a folder', (status, rows(out), err), (0, want, 'tptui: 1 files in folders are no traces\n'))
    listed = os.path.join(folder, 'list')
    with open(listed, 'w') as f:
        f.write('\n'.join(traces) + '\n\n')
    expect('a list', rows(run(QUERY, '--list', listed)[1]), want)
    sql = os.path.join(folder, 'q.sql')
    with open(sql, 'w') as f:
        f.write(QUERY)
    expect('SQL from a file', rows(run('-f', sql, *traces)[1]), want)
    status, out, err = run('--metadata', 'trace_size_bytes', "SELECT 'x' AS y", traces[0])
    expect('metadata', rows(out), [['trace', 'trace_size_bytes', 'y'], [traces[0], str(os.path.getsize(trace)), 'x']])

    # Those that fail do not stop the others.
    errors = os.path.join(folder, 'errors.csv')
    status, out, err = run('--errors', errors, QUERY, traces[0], bad, '--list', listed)
    expect('a bad one among them', (status, rows(out)), (3, want[:3] + want[1:]))
    with open(errors) as f:
        report = rows(f.read())
    expect('the report', (report[0], len(report), report[1][0]), (['trace', 'error'], 2, bad))
    status, out, err = run('SELECT nonsense', traces[0])
    expect('an SQL error', (status, out, 'no such column: nonsense' in err), (3, '', True))
    status, out, err = run("SELECT iif((SELECT count(*) FROM slice) > 0, 1, 2) AS x; SELECT 2 AS y", traces[0])
    expect('two results', (status, out, 'several results' in err), (3, '', True))
    status, out, err = run('CREATE TABLE t(x)', traces[0])
    expect('no result', (status, out, 'no result' in err), (3, '', True))
    begin = time.monotonic()
    status, out, err = run('--time', '0.2', ENDLESS, traces[0])
    expect('a late one', (status, 'it took longer than 0.2 s' in err, time.monotonic() - begin < 20), (3, True, True))
    if not SANITIZED:
        status, out, err = run('--memory', '60M', MANY, traces[0])
        expect('a large one', (status, out), (3, ''))

    # An SQLite file is there when it is complete.
    into = os.path.join(folder, 'out.db')
    status, out, err = run('--into', into, QUERY, traces[0], bad)
    db = sqlite3.connect(into)
    expect('an SQLite file', (status, out, [list(map(str, r)) for r in db.execute('SELECT * FROM result')]), (3, '', want[1:3]))
    expect('with errors', db.execute('SELECT trace FROM errors').fetchall(), [(bad,)])
    db.close()
    expect('which is not overwritten', run('--into', into, QUERY, traces[0])[0], 2)

    # Going on.
    kept = os.path.join(folder, 'kept')
    expect('keeping', rows(run('--resume', kept, QUERY, traces[0])[1]), want[:3])
    files = [n for n in os.listdir(kept) if n.endswith('.rows')]
    expect('one content, one file', rows(run('--resume', kept, QUERY, *traces)[1]), want)
    expect('nothing new', [n for n in os.listdir(kept) if n.endswith('.rows')], files)
    with open(os.path.join(kept, files[0]), 'r+b') as f:
        f.truncate(20)
    expect('half a file is done again', rows(run('--resume', kept, QUERY, *traces)[1]), want)
    expect('another query is another file', (run('--resume', kept, 'SELECT 1', traces[0])[0],
                                             len([n for n in os.listdir(kept) if n.endswith('.rows')])), (0, 2))

    # An error of before is gone as soon as the folder says what the trace is.
    failed = os.path.join(folder, 'failed')
    names = lambda end: [n for n in os.listdir(failed) if n.endswith(end)]
    run('--resume', failed, '--time', '0.2', ENDLESS, traces[0])
    expect('an error is kept', len(names('.error')), 1)
    p = Popen([tptui, 'batch', '--resume', failed, ENDLESS, traces[1]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while len(names('.trace')) < 2 and p.poll() is None:
        time.sleep(0.01)
    expect('and is not of this run', (p.poll(), names('.error')), (None, []))
    p.send_signal(signal.SIGINT)
    p.wait(60)

    # Summaries and metrics: as rows, or a file for each trace.
    spec = os.path.join(folder, 'spec.textproto')
    with open(spec, 'w') as f:
        f.write('metric_spec { id: "longest" dimensions_specs { name: "name" type: STRING } value: "d"\n'
                '  query { sql { sql: "SELECT name, max(dur) AS d FROM slice GROUP BY 1 ORDER BY 1"\n'
                '                column_names: "name" column_names: "d" } } }\n')
    longest = rows(subprocess.run([tptui, 'query', trace, 'SELECT name, max(dur) FROM slice GROUP BY 1 ORDER BY 1'],
                                  capture_output=True, check=True).stdout.decode())[1:]
    values = [['longest', json.dumps({'name': name}, separators=(',', ':')), str(float(dur))]
              for name, dur in longest]
    head = ['trace', 'metric', 'dimensions', 'value']
    expect('a summary', (run('--summary', spec, traces[0]), rows(run('--summary', spec, *traces[:2])[1])),
           ((0, run('--summary', spec, '--metrics-v2', 'longest', traces[0])[1], ''),
            [head] + [[path] + row for path in traces[:2] for row in values]))
    status, out, err = run('--metric', 'trace_metadata', traces[0], bad)
    expect('a metric', (status, rows(out)[0], ['trace_size_bytes', str(os.path.getsize(trace))] in
                        [row[2:] for row in rows(out)]), (3, ['trace', 'metric', 'field', 'value'], True))
    messages = os.path.join(folder, 'messages')
    for _ in 'now', 'from what is kept':
        status, out, err = run('--metric', 'trace_metadata', '--messages', messages, '--resume', kept, *traces[:2])
        files = [row[1] for row in rows(out)[1:]]
        expect('messages', (status, sorted(map(os.path.basename, files)), os.path.getsize(files[0]) > 10),
               (0, sorted(os.listdir(messages)), True))
    expect('one thing at a time', run('--metric', 'x', '--summary', spec, traces[0])[0], 2)
    expect('messages of rows', run('--messages', messages, QUERY, traces[0])[0], 2)
    expect('no such metric', run('--metric', 'x', traces[0])[0], 3)

    # A window of each, kept apart.
    whole, part = (run('--resume', kept, *options, 'SELECT count(*) FROM slice', traces[0])[1]
                   for options in ([], ['--to', '1ns']))
    expect('a window', (rows(part)[1][1] != rows(whole)[1][1], rows(part)[0]), (True, rows(whole)[0]))

    # Ctrl-C keeps what has ended.
    p = Popen([tptui, 'batch', '--jobs', '1', ENDLESS, *traces], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not open('/proc/%d/task/%d/children' % (p.pid, p.pid)).read():  # the first trace's process
        time.sleep(0.01)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    expect('interrupted', (p.returncode, out, err), (130, b'', b''))

    # Rows are there before the end.
    some, sql = batch_stream.make(trace, folder, 3)
    p = Popen([tptui, 'batch', '--jobs', '3', sql, *some], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    expect('rows while others run', batch_stream.read_lines(p, 3), ['trace,n\n'] + ['%s,1\n' % path for path in some[:2]])
    p.send_signal(signal.SIGINT)
    expect('and no more', (p.communicate(timeout=60)[0], p.returncode), ('', 130))

    # Who reads no further ends the run, and traces that were running then have no fault.
    p = Popen([tptui, 'batch', '--jobs', '3', sql, *some], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.close()
    said = p.stderr.read()
    expect('nobody reads them', (p.wait(timeout=60), said), (0, ''))

expect('no traces', run(QUERY)[0], 2)
expect('no query', run()[0], 2)
expect('a trace that is not there', run(QUERY, '/nonexistent')[0], 2)
print('%d failures' % len(failures))
sys.exit(1 if failures else 0)
