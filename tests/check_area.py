#!/usr/bin/env python3
"""Compares what the timeline sums up with SQL written here: check_area.py TPTUI TRACE...

The area is the whole trace, without the last nanosecond, which is behind it; its tables are saved from the running
program and must have the same numbers. Also of the traces in TPTUI_TRACES, by default ../shared/traces beside the
repository, where they are there.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
folder_of_traces = os.environ.get('TPTUI_TRACES', os.path.join(root, '..', 'shared', 'traces'))
traces = sys.argv[2:] + [path for name in ('android_startup_binder', 'android_power_rails', 'perf_data_multi_event')
                         for path in glob.glob(os.path.join(folder_of_traces, name, 'trace.*'))]

ENDED = 'iif(dur < 0, trace_end() - ts, dur)'
# The columns of a table that are compared, and the same by other means.
TABLES = {
    'threads': (('tid', 'cpu_dur', 'times', 'longest_dur'),
                'SELECT tid, sum(%s), count(*), max(%s) FROM sched JOIN thread USING (utid) WHERE tid != 0 AND %s > 0 '
                'GROUP BY utid' % (ENDED, ENDED, ENDED)),
    'states': (('tid', 'state', 'total_dur', 'times', 'avg_dur', 'longest_dur'),
               "INCLUDE PERFETTO MODULE sched.states; "
               "SELECT tid, sched_state_to_human_readable_string(state) || iif(io_wait, ' (IO)', ''), d, n, d / n, m FROM ("
               "  SELECT utid, state, ifnull(io_wait, 0) AS io_wait, sum(d) AS d, count(*) AS n, max(d) AS m FROM ("
               "    SELECT *, iif(dur < 0, lead(ts, 1, trace_end()) OVER (PARTITION BY utid ORDER BY ts, id) - ts, dur) AS d"
               "    FROM thread_state) WHERE d > 0 GROUP BY utid, state, ifnull(io_wait, 0), ifnull(blocked_function, '')"
               ") JOIN thread USING (utid) WHERE tid != 0"),
    'processes': (('pid', 'cpu_dur', 'threads', 'times', 'longest_dur'),
                  'SELECT pid, sum(d), count(DISTINCT utid), count(*), max(d) FROM (SELECT utid, %s AS d FROM sched WHERE %s > 0) '
                  'JOIN thread USING (utid) LEFT JOIN process USING (upid) WHERE tid != 0 GROUP BY upid' % (ENDED, ENDED)),
    'CPUs': (('cpu', 'busy_dur', 'rest_dur', 'times', 'threads'),
             'SELECT cpu, sum(d), trace_end() - trace_start() - sum(d), count(*), count(DISTINCT utid) FROM (SELECT ucpu, cpu, utid, %s AS d FROM sched WHERE ts < trace_end()) JOIN thread USING (utid) '
             'WHERE tid != 0 GROUP BY ucpu' % ENDED),
    'flows': (('from_slice', 'to_slice', 'times', 'way_dur'),
              'SELECT a.name, b.name AS into_name, count(*), sum(b.ts - a.ts) FROM flow JOIN slice a ON a.id = slice_out JOIN slice b '
              'ON b.id = slice_in GROUP BY 1, 2'),
    'samples': (('samples', 'threads'),
                'SELECT count(*), count(DISTINCT s.utid) FROM perf_sample s LEFT JOIN stack_profile_callsite c '
                'ON c.id = s.callsite_id LEFT JOIN stack_profile_frame f ON f.id = c.frame_id LEFT JOIN stack_profile_mapping m '
                'ON m.id = f.mapping WHERE ts < trace_end() GROUP BY f.name, m.name'),
    'logs': (('ts', 'tag', 'msg'), 'SELECT ts, tag, msg FROM android_logs WHERE ts < trace_end()'),
    'slices': (('slice', 'times', 'total_dur', 'self_dur', 'avg_dur', 'longest_dur', 'unended'),
               'SELECT name, count(*), sum(d), sum(d - below), sum(d) / count(*), max(d), sum(open) FROM (SELECT name, '
               's.dur < 0 AS open, %s AS d, (SELECT ifnull(sum(%s), 0) FROM slice c WHERE c.parent_id = s.id) AS below '
               'FROM slice s) GROUP BY name' % (ENDED, ENDED)),
    'counters': (('counter', 'steps', 'first', 'smallest', 'largest', 'last'),
                 'SELECT t.name, count(*), (SELECT f.value FROM counter f WHERE f.track_id = c.track_id ORDER BY f.ts, f.id '
                 'LIMIT 1), min(c.value), max(c.value), (SELECT l.value FROM counter l WHERE '
                 'l.track_id = c.track_id AND l.ts < trace_end() ORDER BY l.ts DESC, l.id DESC LIMIT 1) FROM counter c '
                 'JOIN track t ON t.id = c.track_id WHERE c.ts < trace_end() GROUP BY c.track_id'),
}


def percentile(ascending, part):
    """Between the two that are next to it, as far as it is from them."""
    at = (len(ascending) - 1) * part / 100
    low = int(at)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (ascending[high] - ascending[low]) * (at - low)


def check_percentiles(trace, rows):
    """How many of the slices' percentiles differ from those of all lengths of the name."""
    out = subprocess.run([program, 'query', '--no-cache', '--format', 'json', trace,
                          'SELECT name, %s AS d FROM slice ORDER BY d' % ENDED], capture_output=True, text=True, check=True).stdout
    durs, wrong = {}, []
    for row in json.loads(out):
        durs.setdefault(row['name'], []).append(row['d'])
    for row in rows:
        for part in (50, 90, 99):
            if abs(row['p%d_dur' % part] - percentile(durs[row['slice']], part)) > 2:
                wrong.append((row['slice'], part, row['p%d_dur' % part], percentile(durs[row['slice']], part)))
    if wrong:
        print('%s, percentiles: %s' % (trace, wrong[:3]))
    return len(wrong)


def key(row):
    return [(value is None, isinstance(value, str), value if value is not None else 0) for value in row]


def sorted_rows(rows):
    return sorted(([round(v, 6) if isinstance(v, float) else v for v in row] for row in rows), key=key)


failed = 0
for trace in traces:
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        # The tables one after the other, each saved under the name of those before.
        lines = [':wait-idle', 'Esc', '0', 'R', ':wait-idle', ':action tab-area', ':wait-idle']
        for i in range(9):
            lines += ['S', ':type %s/%d.json' % (folder, i), 'Enter', ':action next-table', ':wait-idle']
        with open(script, 'w') as f:
            f.write('\n'.join(lines) + '\n')
        done = subprocess.run([program, trace, '--no-cache', '--script', script], capture_output=True, text=True,
                              env={'PATH': os.environ['PATH'], 'HOME': folder, 'LANG': 'C.UTF-8'})
        saved = [json.load(open(path)) for path in sorted(glob.glob(os.path.join(folder, '*.json')))]
        if done.returncode or not saved:
            print('%s: %s' % (trace, done.stderr or 'nothing was saved'))
            failed += 1
            continue
        for name, (columns, sql) in TABLES.items():
            tables = [rows for rows in saved if rows and set(columns) <= set(rows[0])]
            out = subprocess.run([program, 'query', '--no-cache', '--format', 'json', trace, sql],
                                 capture_output=True, text=True, check=True).stdout
            expected = sorted_rows(row.values() for row in json.loads(out))
            shown = sorted_rows([row[c] for c in columns] for row in tables[0]) if tables else []
            if name == 'slices' and tables:
                failed += check_percentiles(trace, tables[0]) > 0
            if shown != expected:
                failed += 1
                wrong = [pair for pair in zip(shown, expected) if pair[0] != pair[1]][:3]
                print('%s, %s: %d rows shown, %d expected; %s' % (trace, name, len(shown), len(expected), wrong))
            else:
                print('%s, %s: %d rows agree' % (os.path.basename(os.path.dirname(trace)), name, len(shown)))
sys.exit(bool(failed))
