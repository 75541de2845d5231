#!/usr/bin/env python3
"""Compares windows of traces with the whole traces, restricted to them by SQL.

    check_window.py TPTUI TRACE...

Of each trace three windows are cut: its first third, its middle and its end. What happens in a window
must be the same rows, cut off at its ends, from the whole trace, from a load of the window (--from,
--to), and from the trace that trim writes. --verbose shows the rows that differ.
"""
import collections
import csv
import io
import os
import subprocess
import sys
import tempfile

# What lasts: end and begin are cut off at the window's. What ends where the window begins is out.
SPAN = """
SELECT max(s.ts, {f}) AS ts, min(iif(s.dur < 0, {t}, s.ts + s.dur), {t}) AS ts_end, {columns}
FROM {source}
WHERE s.ts < {t} AND (s.ts >= {f} OR s.dur < 0 OR s.ts + s.dur > {f})"""

QUERIES = {
    'slices of threads': SPAN.replace('{source}', """slice s JOIN thread_track k ON k.id = s.track_id
        JOIN thread USING (utid)""").replace('{columns}', 's.name, s.category, s.depth, tid'),
    # Without those that have no end of their own: a later event gives them that of their parent.
    'other slices': SPAN.replace('{source}', """slice s JOIN track k ON k.id = s.track_id
        LEFT JOIN slice p ON p.id = s.parent_id
        WHERE s.track_id NOT IN (SELECT id FROM thread_track)
        AND iif(s.dur < 0, p.id IS NULL OR p.dur < 0,
                p.id IS NULL OR s.ts + s.dur != p.ts + p.dur) AND""").replace(
            'WHERE s.ts <', 's.ts <').replace('{columns}', 's.name, s.category, k.type'),
    'sched': SPAN.replace('{source}', 'sched s JOIN thread USING (utid)').replace(
        '{columns}', 's.cpu, tid, s.priority'),
    # Without those that stay open as what ended them was lost: others of the thread follow.
    'thread_state': SPAN.replace('{source}', '''(
        SELECT *, lead(ts) OVER (PARTITION BY utid ORDER BY ts, id) AS next FROM thread_state) s
        JOIN thread USING (utid)''').replace('{columns}', 's.cpu, tid, s.state') + '''
        AND NOT (s.dur < 0 AND next IS NOT NULL)''',
    'counters': """
SELECT max(ts, {f}) AS ts, value, name, type, dimension_arg_set_id IS NULL, cpu, tid, pid
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
WHERE ts < {t} AND (ts >= {f} OR next > {f})""",
    'ftrace_event': """
SELECT e.ts, e.name, e.cpu, tid FROM ftrace_event e JOIN thread USING (utid)
WHERE e.ts >= {f} AND e.ts < {t}""",
    'android_logs': 'SELECT ts, tag, msg FROM android_logs WHERE ts >= {f} AND ts < {t}',
    'samples': 'SELECT ts, cpu FROM perf_sample WHERE ts >= {f} AND ts < {t}',
    'names': """
SELECT DISTINCT tid, thread.name FROM thread WHERE utid IN (
    SELECT utid FROM sched WHERE ts >= {f} AND ts < {t} UNION
    SELECT utid FROM slice s JOIN thread_track k ON k.id = s.track_id
    WHERE s.ts >= {f} AND s.ts < {t})""",
    'processes': """
SELECT DISTINCT tid, pid, process.name FROM thread JOIN process USING (upid) WHERE utid IN (
    SELECT utid FROM sched WHERE ts >= {f} AND ts < {t} UNION
    SELECT utid FROM slice s JOIN thread_track k ON k.id = s.track_id
    WHERE s.ts >= {f} AND s.ts < {t})""",
    'lost packets': """
SELECT name, idx, value FROM stats WHERE name GLOB 'traced_buf_*' AND severity = 'data_loss' AND value > 0""",
}


def results(tptui, trace, queries, *options):
    """The rows of each query."""
    done = subprocess.run([tptui, 'query', trace, '-f', '-', '--format', 'csv', '--no-cache', *options],
                          input=';\n'.join(queries), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f'{trace} {options}: {done.stderr}')
    sets = [[]]
    for row in csv.reader(io.StringIO(done.stdout)):
        if row:
            sets[-1].append(tuple(row))
        else:
            sets.append([])
    return [rows[1:] for rows in sets]


def compare(tptui, whole_rows, cut, window, options, verbose):
    """Prints what differs; returns how many rows were compared and how many differ."""
    compared = different = 0
    sql = [query.format(f=window[0], t=window[1]) for query in QUERIES.values()]
    for name, rows, others in zip(QUERIES, whole_rows, results(tptui, cut, sql, *options)):
        whole, part = collections.Counter(rows), collections.Counter(others)
        missing, extra = whole - part, part - whole
        compared += len(rows)
        if not missing and not extra:
            continue
        different += sum(missing.values()) + sum(extra.values())
        print(f'  {name}: {len(rows)} rows, {sum(missing.values())} missing, '
              f'{sum(extra.values())} too many')
        for sign, counter in (('-', missing), ('+', extra)):
            for row in sorted(counter)[:verbose]:
                print('   ', sign, *row, sep='\t')
    return compared, different


def check(tptui, trace, verbose):
    [[(start, end)]] = results(tptui, trace, ['SELECT start_ts, end_ts FROM trace_bounds'])
    start, end = int(start), int(end)
    third = (end - start) // 3
    compared = different = 0
    for window in ((start, start + third), (start + third, end - third), (end - third, end)):
        if window[0] >= window[1]:
            continue
        sql = [query.format(f=window[0], t=window[1]) for query in QUERIES.values()]
        whole = results(tptui, trace, sql)
        options = ['--from', str(window[0]).zfill(12), '--to', str(window[1]).zfill(12)]
        with tempfile.TemporaryDirectory() as folder:
            cut = os.path.join(folder, 'window')
            subprocess.run([tptui, 'trim', trace, cut, *options], check=True)
            print(f'{trace}: {window[0] - start} to {window[1] - start} ns: '
                  f'{os.path.getsize(trace)} bytes become {os.path.getsize(cut)}', flush=True)
            for path, given in ((cut, []), (trace, options)):
                counts = compare(tptui, whole, path, window, given, verbose)
                compared += counts[0]
                different += counts[1]
                if counts[1]:
                    break
    print(f'{trace}: {compared} rows compared, {different} differ', flush=True)
    return different


def main():
    arguments = sys.argv[1:]
    verbose = 12 if '--verbose' in arguments else 0
    tptui, *traces = [a for a in arguments if a != '--verbose']
    return sum(check(tptui, trace, verbose) for trace in traces) > 0


if __name__ == '__main__':
    sys.exit(main())
