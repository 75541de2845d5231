#!/usr/bin/env python3
"""Converts and exports traces, and reads what was written with other readers or again.

Usage: test_convert.py TPTUI SCHED_TRACE SLICES_TRACE HEAP_TRACE JAVA_HEAP_TRACE SAMPLES_TRACE
"""
import json
import gzip
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import zlib

tptui, sched, slices, heap, java_heap, samples = map(os.path.abspath, sys.argv[1:])
failures = []
folder = tempfile.TemporaryDirectory()
shell = os.path.join(folder.name, 'trace_processor_shell')
os.symlink(tptui, shell)


def path(name):
    return os.path.join(folder.name, name)


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def run(*args, program=tptui, **options):
    p = subprocess.run([program, *args], timeout=100, **{'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE,
                                                         **options})
    return p.returncode, p.stdout, p.stderr.decode()


def done(*args, **options):
    status, out, err = run(*args, **options)
    expect('status of %s: %s' % (' '.join(args), err), status, 0)
    return out


def query(trace, sql):
    return done('query', trace, sql).decode()


# SQLite.
for args, program, name in ((['export', 'sqlite', '-o'], tptui, 'a.db'), (['export', 'sqlite', '-o'], shell, 'b.db'),
                            (['-e'], shell, 'c.db'), (['--export'], shell, 'd.db')):
    done(*args, path(name), slices, program=program)
    db = sqlite3.connect(path(name))
    expect('slices of ' + name, db.execute('SELECT ts, dur, name FROM slice').fetchall(), [(2000, 2000, 'outer'), (2500, 500, 'inner')])
db = sqlite3.connect(path('a.db'))
kinds = dict(db.execute('SELECT type, count(*) FROM sqlite_master GROUP BY 1').fetchall())
expect('tables and views', kinds['table'] > 100 and kinds['view'] > 50, True)
for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall():
    try:
        db.execute('SELECT * FROM "%s"' % name).fetchall()
    except sqlite3.Error as e:
        expect('reading ' + name, str(e), '')
expect('a view with functions', db.execute('SELECT start_ts, end_ts FROM trace_bounds').fetchall(), [(2000, 4000)])
expect('args', db.execute("SELECT key, display_value FROM args WHERE key GLOB 'debug*'").fetchall(), [('debug.size', '3')])
status, _, err = run('export', 'sqlite', '-o', path('missing/x.db'), slices)
expect('a folder that is not there: ' + err, status, 1)
expect('nothing unfinished is left', [f for f in os.listdir(folder.name) if 'unfinished' in f], [])
expect('an unknown database', run('export', 'oracle', '-o', path('x'), slices)[0], 2)
expect('no file', run('export', 'sqlite', slices)[0], 2)
expect('no file of the shell', run('export', 'sqlite', slices, program=shell)[0], 1)

# JSON: what is written opens here.
SLICES = 'SELECT ts, dur, s.name, depth, tid FROM slice s JOIN thread_track t ON t.id = s.track_id JOIN thread USING (utid) ORDER BY ts'
for program in tptui, shell:
    done('convert', 'json', slices, path('s.json'), program=program)
    expect('slices of JSON', query(path('s.json'), SLICES), query(slices, SLICES))
expect('JSON on standard output', len(json.loads(done('convert', 'json', slices))['traceEvents']) > 2, True)

# Ftrace's text.
SCHED = 'SELECT cpu, tid, priority, end_state FROM sched JOIN thread USING (utid) ORDER BY ts, cpu'
EVENTS = 'SELECT count(*) AS n FROM ftrace_event'
for kind in 'systrace', 'ctrace':
    for program in tptui, shell:
        out = done('convert', kind, sched, path(kind), program=program)
        expect('scheduling of ' + kind, query(path(kind), SCHED), query(sched, SCHED))
        expect('events of ' + kind, query(path(kind), EVENTS), query(sched, EVENTS))
text = done('convert', 'systrace', sched).decode()
expect('the head', text.startswith('TRACE:\n# tracer: nop\n#\n'), True)
lines = [line for line in text.split('\n') if line and line[0] == ' ']
for part in 'start', 'end':
    for program in tptui, shell:
        expect('--truncate ' + part, done('convert', 'systrace', '-t', part, sched, program=program).decode(), text)
expect('standard input', done('convert', 'systrace', '-', path('from-stdin'), stdin=open(sched, 'rb')), b'')
expect('is the same', open(path('from-stdin')).read(), text)
with open(path('events.json'), 'w') as f:
    f.write('[{"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "name": "a"}]')
# What has nothing for a format says so, and where it has something for another one, which.
with open(path('empty.json'), 'w') as f:
    f.write('[{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "a"}}]')
with open(path('stacks.json'), 'w') as f:
    f.write('{"traceEvents": [{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "a"}}], "samples": '
            '[{"cpu": 0, "tid": 1, "ts": 1, "name": "s", "sf": 1, "weight": 1}], "stackFrames": {"1": {"name": "f"}}}')
for trace, reasons in (
        ('events.json', {'systrace': 'no ftrace events, which are all that systrace holds; json holds its slices and counters',
                         'ctrace': 'no ftrace events', 'json': '',
                         'firefox': 'no samples of callstacks with times, which are all that firefox holds; json holds its slices'}),
        ('empty.json', {'systrace': 'no ftrace events, which are all that systrace holds\n', 'ctrace': 'no ftrace events',
                        'json': 'no slices and no counters, which are all that json holds\n',
                        'firefox': 'no samples of callstacks with times, which are all that firefox holds\n'}),
        ('stacks.json', {'json': 'no slices and no counters, which are all that json holds; firefox holds its samples',
                         'firefox': ''})):
    for kind, reason in reasons.items():
        status, _, err = run('convert', kind, path(trace), path('nothing'))
        expect('why %s of %s is empty: %s' % (kind, trace, err), (status, reason in err if reason else err), (0, True if reason else ''))
expect('an end that is none', run('convert', 'systrace', '-t', 'middle', sched)[0], 2)
expect('an end that is none, shell', run('convert', 'systrace', '-t', 'middle', sched, program=shell)[0], 1)

# Protobuf text.
for program in tptui, shell:
    text = done('convert', 'text', slices, program=program).decode()
    expect('packets', (text.count('\npacket {'), 'name: "outer"' in text), (5, True))
done('trim', slices, path('window.pftrace'), '--from', '400ns', '--to', '+1us')
expect('text of a window', done('convert', 'text', '--from', '400ns', '--to', '+1us', slices), done('convert', 'text', path('window.pftrace')))
# What is inflated beside memory gives the same window as what is not packed.
noise = random.Random(1)
events = [{'ph': 'X', 'name': '%040x' % noise.getrandbits(160), 'pid': 1, 'tid': 1, 'ts': i, 'dur': 1} for i in range(70000)]
with open(path('long.json'), 'w') as f:
    json.dump(events, f)
with open(path('long.json'), 'rb') as f, gzip.open(path('long.json.gz'), 'wb', 1) as packed:
    packed.write(f.read())
expect('more than a megabyte', os.path.getsize(path('long.json.gz')) > 1 << 20, True)
for name in 'long.json', 'long.json.gz':
    done('trim', path(name), path('window of ' + name), '--from', '60ms', '--to', '+20us')
expect('a window of a large gzip', open(path('window of long.json')).read(), open(path('window of long.json.gz')).read())
expect('has what is in it', events[60005]['name'] in open(path('window of long.json.gz')).read(), True)
status, _, err = run('convert', 'text', path('systrace'))
expect('text of what is no protobuf', (status, 'no Perfetto trace' in err), (1, True))

# Profiles.
for program in tptui, shell:
    done('convert', 'profile', '--output-dir', path('profiles'), heap, program=program)
    files = sorted(os.listdir(path('profiles')))
    expect('files', len(files) > 0 and all(f.startswith('heap_dump.') and f.endswith('.pb') for f in files), True)
    expect('a profile opens here', 'n\n0\n' == query(path('profiles/' + files[0]), 'SELECT count(*) AS n FROM stack_profile_frame'), False)
    done('convert', 'profile', '--output-dir', path('none'), '--pid', '999999', heap, program=program)
    expect('of another process, for whom no folder is left', os.path.exists(path('none')), False)
    os.makedirs(path('samples'), exist_ok=True)
    done('convert', 'profile', '--output-dir', path('samples'), '--perf', heap, program=program)
    expect('samples only', os.listdir(path('samples')), [])
    done('convert', 'profile', '--output-dir', path('heaps'), '--alloc', heap, program=program)
    expect('heaps only', len(os.listdir(path('heaps'))), len(files))


# No output takes the place of its input, by whatever name, and what cannot be made leaves what was there.
original = open(heap, 'rb').read()
for name in 'in.pftrace', 'out':
    with open(path(name), 'wb') as f:
        f.write(original)
os.link(path('in.pftrace'), path('hard.pftrace'))
os.symlink(path('in.pftrace'), path('soft.pftrace'))
for out in 'in.pftrace', 'hard.pftrace', 'soft.pftrace':
    for command in (['convert', 'json', path('in.pftrace'), path(out)], ['convert', 'text', path('in.pftrace'), path(out)],
                    ['convert', 'systrace', path('in.pftrace'), path(out)], ['convert', 'firefox', path('in.pftrace'), path(out)],
                    ['export', 'sqlite', '-o', path(out), path('in.pftrace')],
                    ['export', 'arrow_tar', '-o', path(out), path('in.pftrace')],
                    ['merge', '-o', path(out), slices, path('in.pftrace')],
                    ['trim', path('in.pftrace'), path(out), '--from', '0'],
                    ['batch', 'SELECT 1', path('in.pftrace'), '--errors', path(out)]):
        status, _, err = run(*command)
        expect('%s onto itself: %s' % (' '.join(command), err), (status != 0, 'same file' in err), (True, True))
        expect('keeps it', open(path('in.pftrace'), 'rb').read(), original)
for command in (['convert', 'text', __file__, path('out')], ['merge', '-o', path('out'), slices, path('missing')]):
    expect('what fails', run(*command)[0] != 0, True)
    expect('leaves what was there', open(path('out'), 'rb').read(), original)
status, _, err = run('convert', 'json', heap, path('missing/out'))
expect('a folder that is not there: ' + err, (status, 'missing/out:' in err), (1, True))
expect('a device', run('convert', 'json', heap, '/dev/null')[0], 0)
done('convert', 'profile', heap, path('as output'))
expect('a folder as output', len(os.listdir(path('as output'))) > 0, True)
os.mkdir(path('temporary'))
err = run('convert', 'profile', slices, env={**os.environ, 'TMPDIR': path('temporary')})[2]
expect('no profiles', ('nothing was written' in err, os.listdir(path('temporary'))), (True, []))
expect('nothing unfinished is left there', [f for f in os.listdir(folder.name) if 'unfinished' in f], [])


# A reader that went away ends a conversion, without a word.
for name in 'json', 'systrace', 'text', 'firefox':
    read, write = os.pipe()
    os.close(read)
    expect('nobody reads ' + name, run('convert', name, sched, stdout=write)[2], '')
    os.close(write)


# By kind and by time, with the published names.
def profiles(trace, *args, program=tptui):
    out = tempfile.mkdtemp(dir=folder.name)
    done('convert', 'profile', '--output-dir', out, *args, trace, program=program)
    return {f: os.path.join(out, f) for f in sorted(os.listdir(out))}


HEAPS = ['heap_dump.1.5.libc.malloc.pb', 'heap_dump.2.5.libc.malloc.pb', 'heap_dump.3.5.max.pb', 'heap_dump.4.6.com.android.art.pb',
         'heap_dump.5.6.unknown.pb']
STACKS = """WITH RECURSIVE up(id, parent_id, stack) AS (SELECT c.id, parent_id, f.name FROM stack_profile_callsite c
JOIN stack_profile_frame f ON f.id = frame_id UNION ALL SELECT up.id, c.parent_id, f.name || ';' || stack FROM up
JOIN stack_profile_callsite c ON c.id = up.parent_id JOIN stack_profile_frame f ON f.id = c.frame_id)
SELECT stack FROM up WHERE parent_id IS NULL ORDER BY 1"""
for program in tptui, shell:
    expect('heaps', list(profiles(heap, program=program)), HEAPS)
    expect('heaps by flag', list(profiles(heap, '--alloc', program=program)), HEAPS)
    expect('samples', list(profiles(samples, program=program)), ['profile.1.pid.10.pb'])
    java = profiles(java_heap, '--java-heap', program=program)
    expect('Java heaps', list(java), ['java_heap_dump.1.2.pb'])
    expect('paths of classes', query(java['java_heap_dump.1.2.pb'], STACKS), 'stack\nBase\nNode\nNode;Weak\n')
    expect('no Java heaps', profiles(heap, '--java-heap', program=program), {})
    first = done('query', '--format', 'csv', heap, 'SELECT min(ts) FROM heap_profile_allocation').decode().split()[1]
    one = list(profiles(heap, '--timestamps', first, program=program))
    expect('dumps of one time', 0 < len(one) < len(HEAPS), True)
    expect('dumps of no time', profiles(heap, '--timestamps', '1,2', program=program), {})
    for bad in 'x', '', '1,', '1) OR (1':
        expect('times that are none', run('convert', 'profile', '--timestamps', bad, heap, program=program)[0] != 0, True)
with open(path('both.pftrace'), 'wb') as f:
    f.write(open(heap, 'rb').read() + open(java_heap, 'rb').read())
status, _, err = run('convert', 'profile', path('both.pftrace'), program=shell)
expect('several kinds, shell', (status, '--alloc --java-heap' in err), (1, True))
expect('several kinds', len(profiles(path('both.pftrace'))), len(HEAPS) + 1)

# Firefox's profiler: what is written opens here, with the same samples. Times are milliseconds there, a double each.
SAMPLES = """INCLUDE PERFETTO MODULE stacks.cpu_profiling;
INCLUDE PERFETTO MODULE callstacks.stack_profile;
WITH RECURSIVE up(sample, ts, tid, node, depth, name) AS (
  SELECT s.id, s.ts - min(s.ts) OVER (), s.tid, f.parent_id, 0, coalesce(f.name, '') FROM cpu_profiling_samples s
  JOIN _callstack_spc_forest f ON f.callsite_id = s.callsite_id AND f.is_leaf_function_in_callsite_frame
  UNION ALL
  SELECT sample, ts, tid, f.parent_id, depth + 1, coalesce(f.name, '') FROM up JOIN _callstack_spc_forest f ON f.id = up.node)
SELECT ts, tid, group_concat(name, ';' ORDER BY depth) AS stack FROM up GROUP BY sample ORDER BY ts, tid"""
firefox = path('firefox.json')
gecko = {'meta': {'startTime': 0, 'interval': 1, 'version': 24, 'categories': [{'name': 'Other'}]}, 'libs': [], 'threads': [
    {'name': 'Main "quoted"', 'pid': 7, 'tid': 8, 'samples': {'schema': {'stack': 0, 'time': 1}, 'data': [[1, 1.5], [0, 2.25], [2, 1000.000001]]},
     'markers': {'schema': {}, 'data': []}, 'frameTable': {'schema': {'location': 0}, 'data': [[0], [1], [2]]},
     'stackTable': {'schema': {'prefix': 0, 'frame': 1}, 'data': [[None, 0], [0, 1], [1, 2]]},
     'stringTable': ['main', 'caf\u00e9', 'std::vector<int>::push']}]}
with open(path('gecko.json'), 'w') as f:
    json.dump(gecko, f)
for program in tptui, shell:
    for trace, count in (samples, 2), (path('gecko.json'), 3):
        done('convert', 'firefox', trace, firefox, program=program)
        want, got = (json.loads(done('query', '--format', 'json', t, SAMPLES)) for t in (trace, firefox))
        expect('number of samples', (len(want), len(got)), (count, count))
        expect('samples of Firefox', [(row['tid'], row['stack']) for row in got], [(row['tid'], row['stack']) for row in want])
        expect('their times', all(abs(a['ts'] - b['ts']) <= 1 for a, b in zip(got, want)), True)
profile = json.loads(done('convert', 'firefox', samples))
for thread in profile['threads']:
    for table, refers in (('stackTable', {'frame': 'frameTable', 'prefix': 'stackTable'}), ('frameTable', {'func': 'funcTable'}),
                          ('samples', {'stack': 'stackTable'})):
        lengths = {len(c) for c in thread[table].values() if isinstance(c, list)}
        expect('columns of ' + table, lengths, {thread[table]['length']})
        for column, target in refers.items():
            expect('%s.%s' % (table, column), all(v is None or 0 <= v < thread[target]['length'] for v in thread[table][column]), True)
expect('without samples', json.loads(done('convert', 'firefox', slices))['threads'], [])

# Archives that open as one trace.
for program, args in (tptui, ['merge']), (shell, ['util', 'merge']):
    done(*args, '-o', path('merged.tar'), slices, sched, slices, program=program)
    expect('members of the archive', subprocess.run(['tar', 'tf', path('merged.tar')], capture_output=True).stdout.decode().split(),
           ['1-' + os.path.basename(slices), os.path.basename(sched), '3-' + os.path.basename(slices)])
    expect('slices of all', query(path('merged.tar'), "SELECT count(*) AS n FROM slice WHERE ts < 3000"), 'n\n4\n')
    done(*args, '--strict', '-o', path('merged.tar'), slices, program=program)
    expect('an input that is no trace', run(*args, '-o', path('m2.tar'), slices, __file__, program=program)[0] != 0, True)
    expect('leaves nothing', os.path.exists(path('m2.tar')), False)
    done(*args, '--no-validate', '-o', path('m2.tar'), __file__, program=program)
    os.unlink(path('m2.tar'))
    expect('nothing to merge', run(*args, '-o', path('m2.tar'), program=program)[0] != 0, True)
with open(path('manifest.json'), 'w') as f:
    json.dump({'perfetto_manifest': {'version': 1, 'files': []}}, f)
done('merge', '--manifest', path('manifest.json'), '-o', path('merged.tar'), slices)
expect('a manifest comes first', subprocess.run(['tar', 'tf', path('merged.tar')], capture_output=True).stdout.decode().split()[0],
       'perfetto_manifest.json')

# Packets of text, and packed ones.
with open(path('trace.textproto'), 'wb') as f:
    f.write(done('convert', 'text', slices))
done('util', 'text_to_binary', path('trace.textproto'), path('again.pftrace'), program=shell)
expect('from text to bytes', open(path('again.pftrace'), 'rb').read(), open(slices, 'rb').read())
expect('a window of text', done('trim', path('trace.textproto'), '-', '--from', '400ns', '--to', '+1us'),
       open(path('window.pftrace'), 'rb').read())
data = open(slices, 'rb').read()
packed = zlib.compress(data)


def length(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128, n >> 7])


inner = b'\x92\x03' + length(len(packed)) + packed
with open(path('packed.pftrace'), 'wb') as f:
    f.write(b'\x0a' + length(len(inner)) + inner)
expect('decompress_packets', done('util', 'decompress_packets', path('packed.pftrace'), program=shell), data)
expect('text of packed packets', done('convert', 'text', path('packed.pftrace')), done('convert', 'text', slices))
expect('an unknown utility', run('util', 'juggle', program=shell)[0], 1)

for program, status in (tptui, 2), (shell, 1):
    expect('an unknown format', run('convert', 'cuneiform', slices, program=program)[0], status)
    expect('no format', run('convert', program=program)[0], status)
    expect('too many words', run('convert', 'json', slices, path('x'), 'y', program=program)[0], status)

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
