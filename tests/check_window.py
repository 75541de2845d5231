#!/usr/bin/env python3
"""Compares windows of traces with the whole traces, restricted to them by SQL.

    check_window.py TPTUI [OPTION...] TRACE...

What happens in a window must be the same rows, cut off at its ends, from the whole trace, from a load of the window
(--from, --to), which has no others, from the trace that trim writes, from that in a gzip or zip file or a tar in one,
and from a window of that; and a window of the trace in such a file, loaded or trimmed, must be as in that file's whole.
Windows are the thirds of a trace, two that were drawn once, one that is drawn each time, one each from behind one event
to another, and some of the middle third's.
Formats that trim does not write are loaded only. Times of a window without a clock must count from where the whole
trace's timeline begins.

--seed N       of the third window, 7 where it is not said: what is known to differ was found with it
--windows N    how many of the last two (1)
--part I/N     of the traces every Nth, from the Ith on
--known FILE   lines `TRACE QUERY # reason` of what does not agree yet; TRACE is the file's name, or its folder's where
               all files are called trace.*. A line whose rows all agree is an error, too, unless its reason begins
               with "sometimes"
--verbose      shows rows that differ
-j N           traces at a time (1)
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import io
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

csv.field_size_limit(1 << 30)

# What lasts: end and begin are cut off at the window's. What ends where the window begins is out.
END = 'iif(s.dur < 0, {t}, s.ts + s.dur)'
CUT_OFF = ['max(s.ts, {f})', f'min({END}, {{t}})']
OVERLAPS = f'(s.ts < {{t}} AND (s.ts >= {{f}} OR {END} > {{f}}))'
INSIDE = 's.ts >= {f} AND s.ts < {t}'

# A slice without an end ends with the one around it. The table says so from the next event of the track on, which may
# be behind the window.
SLICE_END = """iif(s.dur < 0, ifnull((SELECT min(p.ts + p.dur) FROM ancestor_slice(s.id) p WHERE p.dur >= 0), {t}),
s.ts + s.dur)"""
SLICE_CUT_OFF, SLICE_OVERLAPS = [CUT_OFF[0], CUT_OFF[1].replace(END, SLICE_END)], OVERLAPS.replace(END, SLICE_END)

STATE_END = 'iif(s.dur < 0, ifnull(s.next, {t}), s.ts + s.dur)'
ENDS_LOST = f's.dur < 0 AND {STATE_END} < {{t}}'
STATE_CUT_OFF, STATE_OVERLAPS = [CUT_OFF[0], CUT_OFF[1].replace(END, STATE_END)], OVERLAPS.replace(END, STATE_END)

# Old async events, and those whose tracks are merged, have tracks that are called after the first slice on them.
TRACK_NAME = "iif(k.type GLOB 'legacy_async_*' OR k.type GLOB '*_merged_track_event', NULL, k.name)"

# Rows of the table of cpus are numbered as machines come.
CPU = 'ifnull((SELECT cpu FROM cpu WHERE cpu.id = s.cpu), s.cpu)'

# Without args that hold numbers of rows, which are others in another trace, a begin, which is cut off, or how many
# slices of a track began since the trace did.
NO_ROW_NUMBERS = """a.key NOT GLOB '*utid' AND a.key NOT GLOB '*upid' AND a.key NOT GLOB '* slice id'
AND a.key NOT IN ('legacy_unnestable_last_begin_ts', 'legacy_unnestable_begin_count')"""
ARG = ['a.key', 'a.int_value', 'a.string_value', 'a.real_value', 'a.value_type']

# A callsite's frames as one number: a name is told only where it is found.
STACKS = """WITH RECURSIVE stack(id, hash, leaf) AS (
    SELECT c.id, hash(ifnull(f.name, '')), f.name
    FROM __intrinsic_stack_profile_callsite c JOIN __intrinsic_stack_profile_frame f ON f.id = c.frame_id
    WHERE c.parent_id IS NULL
    UNION ALL
    SELECT c.id, hash(stack.hash, ifnull(f.name, '')), f.name
    FROM stack JOIN __intrinsic_stack_profile_callsite c ON c.parent_id = stack.id
    JOIN __intrinsic_stack_profile_frame f ON f.id = c.frame_id)
"""

# Threads that begin something in the window, not at its begin, where what began before is cut off.
ACTIVE = """utid IN (
    SELECT utid FROM sched WHERE ts > {f} AND ts < {t} UNION
    SELECT utid FROM slice s JOIN thread_track k ON k.id = s.track_id WHERE s.ts > {f} AND s.ts < {t})"""


class Query:
    """What is compared of `table`, if that has rows: `columns` of `source`, which is a FROM and a WHERE."""

    def __init__(self, table, columns, source, before='', select='SELECT'):
        self.table, self.columns, self.source, self.before, self.select = table, columns, source, before, select

    def rows(self, window):
        return within(f"{self.before}{self.select} {', '.join(self.columns)} {self.source}", window)

    def digest(self, window):
        """One row for all: how many there are, and a number that tells what they are."""
        text = " || '|' || ".join(f'quote({column})' for column in self.columns)
        return within(f"""{self.before}SELECT count(*), sum(hash(compared_row) & 0xffffffffff)
FROM ({self.select} {text} AS compared_row {self.source})""", window)


def within(sql, window):
    return sql.replace('{f}', str(window[0])).replace('{t}', str(window[1]))


QUERIES = {
    'slices_of_threads': Query('slice', [*SLICE_CUT_OFF, 's.name', 's.category', 's.depth', 'tid', 'pid'], f"""
FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread USING (utid) LEFT JOIN process USING (upid)
WHERE {SLICE_OVERLAPS}"""),
    'slices': Query('slice', [*SLICE_CUT_OFF, 's.name', 's.category', 'k.type', TRACK_NAME, 's.depth', 'pid'], f"""
FROM slice s JOIN track k ON k.id = s.track_id
LEFT JOIN process_track o ON o.id = k.id LEFT JOIN process USING (upid)
WHERE s.track_id NOT IN (SELECT id FROM thread_track) AND {SLICE_OVERLAPS}"""),
    # What a slice's end adds is not known where it is behind the window.
    'slice_args': Query('slice', [*SLICE_CUT_OFF, 's.name', *ARG], f"""
FROM slice s JOIN args a USING (arg_set_id)
WHERE {SLICE_OVERLAPS} AND {SLICE_END} < {{t}} AND {NO_ROW_NUMBERS}"""),
    'flows': Query('flow', ['o.ts', 'o.name', 'o.ts_end', 'i.ts', 'i.name'], f"""
FROM flow JOIN (SELECT s.id, s.name, {SLICE_CUT_OFF[0]} AS ts, {SLICE_CUT_OFF[1]} AS ts_end FROM slice s
                WHERE {SLICE_OVERLAPS}) o ON o.id = slice_out
JOIN (SELECT s.id, s.name, {SLICE_CUT_OFF[0]} AS ts FROM slice s WHERE {SLICE_OVERLAPS}) i ON i.id = slice_in"""),
    'states': Query('__intrinsic_state', [*CUT_OFF, 's.value', 's.category', 'k.name', 'k.type'], f"""
FROM __intrinsic_state s JOIN track k ON k.id = s.track_id WHERE {OVERLAPS}"""),
    # One of which the end was lost lasts until the CPU's next, and is told from one that ends there.
    'sched': Query('sched', [*STATE_CUT_OFF, ENDS_LOST, CPU, 'tid', 's.priority',
                             'iif(s.dur < 0 OR s.ts + s.dur >= {t}, NULL, s.end_state)'], f"""
FROM (SELECT *, lead(ts) OVER (PARTITION BY ucpu ORDER BY ts, id) AS next FROM sched) s
JOIN thread USING (utid) WHERE {STATE_OVERLAPS}"""),
    # A state of which the end was lost lasts until the thread's next, or the next that runs on its CPU.
    # What a thread waited for is told where it wakes up.
    'thread_state': Query('thread_state', [*STATE_CUT_OFF, ENDS_LOST, CPU, 'tid', 's.state',
                                           f'iif({STATE_END} >= {{t}}, NULL, s.io_wait)',
                                           f'iif({STATE_END} >= {{t}}, NULL, s.blocked_function)'], f"""
FROM (SELECT *, min(ifnull(lead(ts) OVER (PARTITION BY utid ORDER BY ts, id), {{t}}),
                    iif(state = 'Running', ifnull(lead(ts) OVER (PARTITION BY ucpu, state = 'Running' ORDER BY ts, id), {{t}}),
                        {{t}})) AS next
      FROM thread_state) s
JOIN thread USING (utid) WHERE {STATE_OVERLAPS}"""),
    'counters': Query('counter', ['max(ts, {f})', 'value', 'name', 'type', 'dimension_arg_set_id IS NULL', 'cpu', 'tid',
                                  'pid'], """
FROM (SELECT c.*, k.name, k.type, k.dimension_arg_set_id, cpu, tid, pid,
             lead(c.ts, 1, {t}) OVER (PARTITION BY c.track_id ORDER BY c.ts, c.id) AS next
      FROM counter c JOIN track k ON k.id = c.track_id
      LEFT JOIN cpu_counter_track u ON u.id = k.id
      LEFT JOIN thread_counter_track h ON h.id = k.id LEFT JOIN thread USING (utid)
      LEFT JOIN process_counter_track p ON p.id = k.id
      LEFT JOIN process ON process.upid = p.upid
      -- What dead processes had is told late, and by whoever cleans up.
      WHERE (process.end_ts IS NULL OR process.end_ts >= {f})
      AND k.type != 'process_memory_thread_fallback')
WHERE ts < {t} AND (ts >= {f} OR next > {f})"""),
    'counter_args': Query('counter', ['s.ts', 'k.name', *ARG], f"""
FROM counter s JOIN track k ON k.id = s.track_id
JOIN args a ON a.arg_set_id = s.arg_set_id WHERE {INSIDE} AND {NO_ROW_NUMBERS}"""),
    'ftrace_event': Query('ftrace_event', ['s.ts', 's.name', CPU, 'tid', 's.common_flags'], f"""
FROM ftrace_event s JOIN thread USING (utid) WHERE {INSIDE}"""),
    'ftrace_args': Query('ftrace_event', ['s.ts', 's.name', *ARG], f"""
FROM ftrace_event s JOIN args a USING (arg_set_id) WHERE {INSIDE}"""),
    'logs': Query('logs', ['s.ts', 's.prio', 's.log_source', 's.tag', 's.msg', 'tid'], f"""
FROM logs s LEFT JOIN thread USING (utid) WHERE {INSIDE}"""),
    'samples': Query('__intrinsic_profiler_sample', ['s.ts', 's.source', 'tid', 'pid', 'u.cpu', 'x.cpu_mode',
                                                     's.unwind_error', 'stack.leaf', 'stack.hash'], f"""
FROM __intrinsic_profiler_sample s
LEFT JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id
LEFT JOIN thread USING (utid) LEFT JOIN process ON process.upid = ifnull(k.upid, thread.upid)
LEFT JOIN __intrinsic_profiler_execution_context x ON x.id = s.execution_context_id
LEFT JOIN cpu u ON u.id = x.ucpu LEFT JOIN stack ON stack.id = s.callsite_id
WHERE {INSIDE}""", before=STACKS),
    'allocations': Query('heap_profile_allocation', ['s.ts', 'pid', 's.heap_name', 's.count', 's.size', 'stack.leaf',
                                                     'stack.hash'], f"""
FROM heap_profile_allocation s LEFT JOIN process USING (upid) LEFT JOIN stack ON stack.id = s.callsite_id
WHERE {INSIDE}""", before=STACKS),
    'heap_objects': Query('heap_graph_object', ['graph_sample_ts', 'pid', 'c.name', 'o.self_size', 'o.native_size',
                                                'o.root_type', 'o.reachable'], """
FROM heap_graph_object o LEFT JOIN process USING (upid) LEFT JOIN heap_graph_class c ON c.id = o.type_id
WHERE graph_sample_ts >= {f} AND graph_sample_ts < {t}"""),
    'names': Query('thread', ['tid', 'thread.name'], f'FROM thread WHERE {ACTIVE}', select='SELECT DISTINCT'),
    'processes': Query('process', ['tid', 'pid', 'process.name'],
                       f'FROM thread JOIN process USING (upid) WHERE {ACTIVE}', select='SELECT DISTINCT'),
    'lost_packets': Query('stats', ['name', 'idx', 'value'], """
FROM stats WHERE name GLOB 'traced_buf_*' AND severity = 'data_loss' AND value > 0"""),
}

# Tables with times that are compared above, or have nothing that happens in the trace: when clocks were read, what
# the import says, what is known of a thread in the whole trace.
OTHERWISE = {'slice', 'counter', 'state', 'ftrace_event', 'logs', 'sched_slice', 'thread_state', 'profiler_sample',
             'heap_profile_allocation', 'heap_graph_object', 'clock_snapshot', 'trace_import_logs', 'process', 'thread'}
NOT_OF_A_WINDOW = {'clock_snapshot', 'trace_import_logs', 'process', 'thread'}
WITHOUT_TIME = {'flow', 'thread', 'process', 'stats', 'heap_graph_object'}
# Numbers of rows, which are others in another trace, where the column's type does not say so.
ROW_NUMBERS = {'upid', 'utid', 'waker_utid', 'thread_state_id', 'base64_proto_id', 'ufd', 'trace_id'}

BEGINS = re.compile(r'lasts .* ms from (-?\d+) on') # as who cuts a window says it of one behind the end

NO_EVENTS = 'expected events to cut, found none'
NO_WINDOWS = "windows can be written of"

SCHEMA = """
SELECT table_name, name, type FROM __intrinsic_schema_columns
WHERE table_name IN (SELECT table_name FROM __intrinsic_schema_columns WHERE name = 'ts' AND type = 'TIMESTAMP')
AND table_name IN (SELECT name FROM __intrinsic_schema_tables WHERE kind = 'table')"""


class Failure(Exception):
    """A command that should do something did not."""


class Empty(Failure):
    """Nothing of a trace is in the window."""


def run(tptui, *arguments, text=None):
    done = subprocess.run([tptui, *arguments], input=text, capture_output=True, text=True, check=False,
                          errors='surrogateescape')
    if done.returncode:
        empty = 'has nothing of the trace' in done.stderr or NO_EVENTS in done.stderr
        raise (Empty if empty else Failure)(done.stderr.strip() or f'{arguments}: exit status {done.returncode}')
    return done.stdout


def results(tptui, trace, queries, *options):
    """The rows of each query."""
    out = run(tptui, 'query', trace, '-f', '-', '--format', 'csv', '--no-cache', *options, text=';\n'.join(queries))
    sets = [[]]
    for row in csv.reader(io.StringIO(out)):
        if row:
            sets[-1].append(tuple(row))
        else:
            sets.append([])
    return [rows[1:] for rows in sets]


def other_tables(tptui, trace):
    """Queries of the tables that are not compared above, as the schema lists their columns, and of what is in no window."""
    columns = collections.defaultdict(list)
    for table, name, kind in results(tptui, trace, [SCHEMA])[0]:
        columns[table].append((name, kind))
    queries = {}
    Trace.outside = outside(columns)
    for table, its in columns.items():
        key = table.removeprefix('__intrinsic_')
        if key in OTHERWISE:
            continue
        kept = [name for name, kind in its if kind not in ('ID', 'ARGSETID') and not kind.startswith('JOINID')
                and name != 'ts' and name not in ROW_NUMBERS]
        queries[key] = Query(table, ['s.ts', *('s.' + c for c in kept)], f'FROM {table} s WHERE {INSIDE}')
        if ('arg_set_id', 'ARGSETID') in its:
            queries[key + '_args'] = Query(table, ['s.ts', *ARG], f"""
FROM {table} s JOIN args a USING (arg_set_id) WHERE {INSIDE} AND {NO_ROW_NUMBERS}""")
    return queries


def outside(columns):
    """A query that has a row for each table of which rows are not in the window."""
    counts = []
    for table, its in sorted(columns.items()):
        names = {name for name, _ in its}
        before = ' OR ts < {f}' + ' - 1' * (table == '__intrinsic_counter') # the last value before it holds in it
        if 'dur' in names:
            before = ' OR (ts < {f} AND dur >= 0 AND ts + dur <= {f})'
        if table.removeprefix('__intrinsic_') not in NOT_OF_A_WINDOW:
            counts.append(f"SELECT '{table}', count(*) AS n FROM {table} WHERE ts >= {{t}}{before}")
    return f"SELECT * FROM ({' UNION ALL '.join(counts)}) WHERE n > 0"


OF_THE_WHOLE = {'lost_packets'} # what is about no time is not missed where nothing is left
# The table has what was told last: where that is behind the window, what a load up to there has, without a cut in front.
TOLD_LAST = {'names', 'processes'}
NO_ROWS = ('0', '') # the digest of none


class Trace:
    """A trace, its windows, and what the whole trace has in them."""

    outside = None # see other_tables

    def __init__(self, tptui, path, queries, verbose):
        self.tptui, self.path, self.verbose = tptui, path, verbose
        [[(start, end)], *_] = results(tptui, path, ['SELECT start_ts, end_ts FROM trace_bounds'])
        self.start, self.end = int(start), int(end)
        filled = results(tptui, path, [f'SELECT count(*) FROM (SELECT 1 FROM {q.table} LIMIT 1)'
                                       for q in queries.values()])
        self.queries = {name: q for (name, q), [[n]] in zip(queries.items(), filled) if int(n)}
        self.whole = {}
        self.compared = 0
        self.different = collections.Counter()
        self.lines = []

    def learn(self, windows):
        """What the whole trace has in them, in one process."""
        asked = [(window, name) for window in windows for name in self.queries]
        if not asked:
            return
        rows = results(self.tptui, self.path, [self.queries[name].digest(window) for window, name in asked])
        self.whole.update(zip(asked, (r[0] for r in rows)))

    def compare_begin(self):
        """Whether times that count from the begin do so from where the timeline begins."""
        done = subprocess.run([self.tptui, 'query', self.path, '--no-cache', '--from', '1000000h', 'SELECT 1'],
                              capture_output=True, text=True, check=False, errors='surrogateescape')
        begin = BEGINS.search(done.stderr)
        if begin and int(begin[1]) != self.start:
            self.different['begin'] += 1
            self.lines.append(f'  begins at {self.start}, a window is counted from {begin[1]}')

    def compare(self, what, path, window, *options):
        """Compares the rows of a load of the window with those of the whole trace. No path: there are none."""
        named = f'{what}: {window[0] - self.start} to {window[1] - self.start} ns'
        try:
            asked = [q.digest(window) for q in self.queries.values()] + [within(self.outside, window)] * bool(options)
            found = results(self.tptui, path, asked, *options) if path else None
        except Empty:
            path = found = None
        if found and options:
            for table, n in found.pop():
                self.different['outside'] += int(n)
                self.lines.append(f'  {named}: {table}: {n} rows that are not in it')
        for name, [row] in zip(self.queries, found or [[NO_ROWS]] * len(self.queries)):
            whole = self.whole[window, name]
            self.compared += int(whole[0])
            if row == whole or (path is None and name in OF_THE_WHOLE):
                continue
            if name in TOLD_LAST and row == self.up_to(name, window):
                continue
            self.show(named, name, path, window, *options)

    def up_to(self, name, window):
        """What the trace without all behind the window has."""
        digest = self.queries[name].digest(window)
        [[row]] = results(self.tptui, self.path, [digest], *times(window)[2:])
        return row

    def show(self, named, name, path, window, *options):
        """Counts the rows that differ."""
        query = self.queries[name].rows(window)
        [whole] = results(self.tptui, self.path, [query])
        [part] = results(self.tptui, path, [query], *options) if path else [[]]
        whole, part = collections.Counter(whole), collections.Counter(part)
        missing, extra = whole - part, part - whole
        self.different[name] += sum(missing.values()) + sum(extra.values())
        self.lines.append(f'  {named}: {name}: {sum(missing.values())} rows missing, {sum(extra.values())} too many')
        for sign, counter in (('-', missing), ('+', extra)):
            for row in sorted(counter)[:self.verbose]:
                self.lines.append('\t'.join(['   ', sign, *row]))


def times(window):
    return [word for option, ts in zip(('--from', '--to'), window) for word in (option, f'{ts:013d}')]


def random_window(rng, start, end):
    a, b = rng.randrange(start, end), rng.randrange(start, end)
    return min(a, b), max(a, b) + 1


def windows_of_events(rng, t, n):
    """Windows that begin behind an event and end before another, of kinds of events of which there may be few."""
    drawn = results(t.tptui, t.path, [f'''SELECT ts FROM (SELECT DISTINCT ts FROM {table})
ORDER BY hash(ts % (1 << 62) + {rng.randrange(1 << 32)}) LIMIT 9''' for table in sorted({q.table for q in t.queries.values()} - WITHOUT_TIME)])
    times_of = [[int(ts) for [ts] in rows if t.start <= int(ts) < t.end] for rows in drawn]
    times_of = [rows for rows in times_of if rows]
    if not times_of:
        return []
    pairs = [sorted((rng.choice(rng.choice(times_of)) + 1, rng.choice(rng.choice(times_of)))) for _ in range(n)]
    return [(a, max(b, a + 1)) for a, b in pairs]


def packed(path, folder):
    """The same file in others."""
    with open(path, 'rb') as f:
        data = f.read()
    gz, archive = os.path.join(folder, 'window.gz'), os.path.join(folder, 'window.zip')
    with gzip.open(gz, 'wb', 1) as f:
        f.write(data)
    with zipfile.ZipFile(archive, 'w', zipfile.ZIP_DEFLATED) as f:
        f.writestr(os.path.basename(path), data)
    tar, nested = io.BytesIO(), os.path.join(folder, 'nested.zip')
    with tarfile.open(fileobj=tar, mode='w:gz', compresslevel=1) as f:
        f.add(path, os.path.basename(path))
    with zipfile.ZipFile(nested, 'w', zipfile.ZIP_STORED) as f:
        f.writestr('trace.tgz', tar.getvalue())
    return {'gzip': gz, 'zip': archive, 'tar in zip': nested}


def can_be_trimmed(tptui, trace):
    """Whether windows of its format can be written."""
    done = subprocess.run([tptui, 'trim', trace, '-', '--to', '1'], capture_output=True, check=False)
    return NO_WINDOWS not in done.stderr.decode(errors='replace')


def check_trimmed(t, windows, inner):
    """What trim writes of each window; of the middle one also in other files, and windows of it."""
    middle = windows[len(windows) // 2]
    with tempfile.TemporaryDirectory() as folder:
        for window in windows:
            cut = os.path.join(folder, 'window')
            try:
                run(t.tptui, 'trim', t.path, cut, *times(window))
            except Empty:
                cut = None
            t.compare('trim', cut, window)
            if not cut or window != middle:
                continue
            for form, file in packed(cut, folder).items():
                t.compare(form, file, window)
            for window_of in inner:
                try:
                    run(t.tptui, 'trim', cut, os.path.join(folder, 'inner'), *times(window_of))
                except Empty: # what lasts beyond the last event of the outer window has no end any more
                    continue
                t.compare('window of a window', cut, window_of, *times(window_of))


def check_packed(t, queries, window, trimmed):
    """The window out of a file that holds the whole trace, of one form or the other by the trace's size, and what trim
    writes of that. Ids of processes that are texts are those of the file."""
    if not os.path.isfile(t.path): # a folder
        return
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(packed(t.path, folder).items())
        form, file = files[os.path.getsize(t.path) % len(files)]
        whole = Trace(t.tptui, file, queries, t.verbose)
        whole.learn([window])
        whole.compare('load of ' + form, file, window, *times(window))
        cut = os.path.join(folder, 'cut')
        try:
            if trimmed:
                run(t.tptui, 'trim', file, cut, *times(window))
        except Empty:
            cut = None
        if trimmed:
            whole.compare('trim of ' + form, cut, window)
        t.compared += whole.compared
        t.different += whole.different
        t.lines += whole.lines


def check(options, queries, path):
    """A Trace that was compared, or why it is left out."""
    try:
        t = Trace(options.tptui, path, queries, options.verbose)
    except Failure as failure:
        return f'{path}: cannot be loaded: {failure}'
    if not t.queries:
        return f'{path}: has no rows'
    if t.end > t.start: # else nothing is drawn
        t.compare_begin()
    t.end = max(t.end, t.start + 1)
    third = (t.end - t.start) // 3
    thirds = [(t.start, t.start + third), (t.start + third, t.end - third), (t.end - third, t.end)]
    thirds = [w for w in thirds if w[0] < w[1]]
    drawn_once, drawn_now = random.Random(1), random.Random(f'{options.seed} {os.path.basename(path)}')
    chosen = [random_window(drawn_once, t.start, t.end) for _ in range(2)]
    chosen += [random_window(drawn_now, t.start, t.end) for _ in range(options.windows)]
    chosen += windows_of_events(drawn_now, t, options.windows)
    middle = thirds[len(thirds) // 2]
    quarter = (middle[1] - middle[0]) // 4
    inner = [(middle[0] + quarter, middle[1] - quarter), random_window(drawn_now, *middle)]
    trimmed = can_be_trimmed(t.tptui, path)
    t.learn(dict.fromkeys([*thirds, *chosen, *inner]))
    if trimmed:
        check_trimmed(t, thirds, inner)
    for window in [*(thirds[-1:] if trimmed else thirds), *chosen]:
        t.compare('load', path, window, *times(window))
    check_packed(t, queries, chosen[-1], trimmed)
    return t


def known_name(path):
    name = os.path.basename(path)
    return os.path.basename(os.path.dirname(path)) if name.startswith('trace.') else name


def read_known(path):
    known = {}
    for line in open(path, encoding='utf8') if path else []:
        words = line.split('#')[0].split()
        if len(words) != 2 or '#' not in line:
            sys.exit(f'{path}: expected "trace query # reason", found "{line.strip()}"')
        known[tuple(words)] = line.split('#')[1].strip()
    return known


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('tptui')
    parser.add_argument('traces', nargs='+')
    parser.add_argument('--seed', type=int, default=7)
    parser.add_argument('--windows', type=int, default=1)
    parser.add_argument('--part', default='0/1')
    parser.add_argument('--known')
    parser.add_argument('--verbose', action='store_const', const=12, default=0)
    parser.add_argument('-j', type=int, default=1)
    return parser.parse_args()


def report(known, path, done, verbose):
    """Prints what came out; returns rows compared, rows that differ, and errors."""
    if isinstance(done, str):
        print(done, flush=True)
        return 0, 0, 0
    name = known_name(path)
    new = sorted(q for q in done.different if (name, q) not in known)
    gone = sorted(q for (n, q), reason in known.items()
                  if n == name and q not in done.different and not reason.startswith('sometimes'))
    different = sum(done.different.values())
    if new or verbose:
        print('\n'.join(done.lines))
    print(f'{name}: {done.compared} rows compared, {different} differ'
          + (f' ({", ".join(f"{q} {n}" for q, n in sorted(done.different.items()))})' if different else ''), flush=True)
    for query in new:
        print(f'{name} {query}: differs, and is not listed')
    for query in gone:
        print(f'{name} {query}: agrees, but is listed')
    return done.compared, different, len(new) + len(gone)


def main():
    options = read_options()
    known = read_known(options.known)
    part, parts = map(int, options.part.split('/'))
    traces = options.traces[part::parts]
    print(f'seed {options.seed}')
    queries = dict(QUERIES, **other_tables(options.tptui, traces[0]))
    totals = [0, 0, 0]

    def check_one(path):
        try:
            return check(options, queries, path)
        except Failure as failure:
            return failure

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for path, done in zip(traces, pool.map(check_one, traces)):
            if isinstance(done, Failure):
                print(f'{path}: {done}')
                totals[2] += 1
                continue
            totals = [a + b for a, b in zip(totals, report(known, path, done, options.verbose))]
    print(f'{totals[0]} rows compared, {totals[1]} differ, {totals[2]} errors')
    return totals[2] > 0


if __name__ == '__main__':
    sys.exit(main())
