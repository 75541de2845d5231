#!/usr/bin/env python3
"""Compares what the details say with SQL written here: check_details.py TPTUI TRACE...

For slices, states, counters, the CPUs, processes and totals of each trace: what the panes must show is worked out from SQL and put into a
script as `:expect`, which the program runs. Also of the traces in TPTUI_TRACES, by default ../shared/traces beside the
repository, where they are there.
"""
import functools
import glob
import os
import subprocess
import sys
import tempfile

import shown
from shown import ms, short

program = os.path.abspath(sys.argv[1])
query = functools.partial(shown.query, program)
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
folder_of_traces = os.environ.get('TPTUI_TRACES', os.path.join(root, '..', 'shared', 'traces'))
traces = sys.argv[2:] + [path for name in ('android_startup_binder', 'chrome_browser', 'android_native_heap')
                         for path in glob.glob(os.path.join(folder_of_traces, name, 'trace.*'))]

SLICES, STATES, COUNTERS, PROCESSES = 8, 5, 5, 2
# Until the thread's next state, where an end was not recorded.
STATES_SQL = ('SELECT *, iif(dur < 0, lead(ts, 1, trace_end()) OVER (PARTITION BY utid ORDER BY ts, id) - ts, dur) AS d '
              'FROM thread_state')
ENDED = 'iif(dur < 0, trace_end() - ts, dur)'


def exact(ns):
    return '%d.%03d %03d ms' % (ns // 1000000, ns // 1000 % 1000, ns % 1000)


def percent(part, whole):
    return (part * 200 // whole + 1) // 2 if whole > 0 else 0


def ordinal(n):
    ending = 'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')
    return '%d%s' % (n, ending)


def slices(trace, start):
    """Time, rank, states, own time of some slices; sums of those of their names."""
    # The longest of each name: of equals in length which comes first nobody says, but then it is the first of them.
    rows = query(trace, 'SELECT s.id, s.ts, s.dur, s.name, t.utid FROM slice s LEFT JOIN thread_track t ON t.id = s.track_id '
                        'WHERE s.dur > 0 AND s.name IS NOT NULL AND length(s.name) < 40 GROUP BY s.name HAVING '
                        's.dur = max(s.dur) ORDER BY s.dur DESC LIMIT %d' % SLICES)
    for row in rows:
        yield ':goto slice %d' % row['id'], None
        yield None, 'start %s   dur %s' % (exact(row['ts'] - start), exact(row['dur']))
        quoted = row['name'].replace("'", "''")
        same = query(trace, "SELECT %s AS d FROM slice WHERE name = '%s' ORDER BY d DESC" % (ENDED, quoted))
        durs = [r['d'] for r in same]
        if len(durs) > 1:
            yield None, '%s longest of %d' % (ordinal(durs.index(row['dur']) + 1), len(durs))
        children = query(trace, 'SELECT count(*) AS n, count(DISTINCT name) AS names, sum(%s) AS d FROM slice WHERE '
                                'parent_id = %d' % (ENDED, row['id']))[0]
        if 0 < children['n'] < 20000:
            own = row['dur'] - children['d']
            yield None, 'by itself %s %d%%' % (short(own), percent(own, row['dur']))
        if row['utid'] is not None:
            end = row['ts'] + row['dur']
            states = query(trace, 'SELECT state, sum(min(ts + d, %d) - max(ts, %d)) AS d FROM (%s WHERE utid = %d) WHERE ts < %d '
                                  'AND ts + d > %d GROUP BY state ORDER BY 2 DESC, min(ts) LIMIT 2' % (
                                      end, row['ts'], STATES_SQL, row['utid'], end, row['ts']))
            for state in states:
                yield None, '%s %s %d%%' % (state['state'], ms(state['d']), percent(state['d'], row['dur']))
        if len(durs) > 1:
            yield ':action tab-same-name', None
            yield None, '%d slices   sum %s   mean %s   p50 %s   p90 %s   p99 %s' % (
                len(durs), short(sum(durs)), short(sum(durs) // len(durs)),
                *(short(durs[(len(durs) - 1) * (100 - p) // 100]) for p in (50, 90, 99)))
        yield ':action tab-event', None


def states(trace, start):
    """Waits with who ended them, and what ran with its priority."""
    rows = query(trace, 'SELECT s.id, s.ts, %s AS dur, s.state, t.tid, w.tid AS waker, w.name AS waker_name, s.irq_context '
                        'FROM thread_state s JOIN thread t USING (utid) LEFT JOIN thread w ON w.utid = s.waker_utid '
                        'WHERE t.tid != 0 AND s.dur > 0 ORDER BY s.waker_utid IS NULL, s.dur DESC LIMIT %d' % (
                            ENDED.replace('dur', 's.dur').replace('- ts', '- s.ts'), STATES))
    for row in rows:
        yield ':goto state %d' % row['id'], None
        yield None, 'start %s   dur %s' % (exact(row['ts'] - start), exact(row['dur']))
        if row['waker'] and row['waker_name'] and not row['irq_context']:
            yield None, 'woken by %s %d' % (row['waker_name'], row['waker'])


AWAKE = (1 << 32) - 1  # the state of a CPU that sleeps no more


def counters(trace, start):
    """A step's time, its change, the range of the whole counter."""
    rows = query(trace, 'SELECT max(id) AS id, track_id, count(*) AS n, min(value) AS low, max(value) AS high FROM counter '
                        'WHERE ts < trace_end() GROUP BY track_id HAVING n > 2 AND '
                        'min(value) = cast(min(value) AS INT) AND max(value) = cast(max(value) AS INT) ORDER BY n DESC, '
                        'track_id LIMIT %d' % COUNTERS)
    for row in rows:
        step = query(trace, 'SELECT ts, (SELECT count(*) FROM counter WHERE track_id = %d) AS n FROM counter WHERE id = %d' % (
            row['track_id'], row['id']))[0]
        if step['n'] != row['n'] or abs(row['high']) >= 1e15:
            continue
        yield ':goto counter %d' % row['id'], None
        yield None, 'start %s' % exact(step['ts'] - start)
        idle = query(trace, 'SELECT type FROM track WHERE id = %d' % row['track_id'])[0]['type'] == 'cpu_idle'
        high = 'awake' if idle and row['high'] == AWAKE else '{:,}'.format(int(row['high']))
        yield None, 'trace {:,} .. {}  {} steps'.format(int(row['low']), high, row['n'])


def cpus(trace):
    """Load and the threads that ran most, over the whole trace."""
    rows = query(trace, 'SELECT t.tid, t.name, sum(%s) AS d FROM sched JOIN thread t USING (utid) WHERE t.tid != 0 AND '
                        'ts < trace_end() GROUP BY utid HAVING d > 0 ORDER BY d DESC' % ENDED)
    if not rows:
        return
    facts = query(trace, 'SELECT trace_end() - trace_start() AS dur, (SELECT count(DISTINCT ucpu) FROM sched) AS n')[0]
    busy = sum(row['d'] for row in rows)
    yield 'g', None
    yield 'g', None
    yield '0', None
    yield ':action find-track', None
    yield ':type CPUs', None
    yield 'Enter', None
    yield ':wait-idle', None
    yield None, 'busy %s, %d%%   idle %s' % (short(busy), percent(busy, facts['dur'] * facts['n']),
                                             short(facts['dur'] * facts['n'] - busy))
    yield None, '%d threads ran' % len(rows)
    for row in rows[:4]:
        if row['name']:
            yield None, '%11s ms %3d%%  %s %d' % (ms(row['d']), percent(row['d'], facts['dur']), row['name'], row['tid'])


def processes(trace):
    """What the threads of the busiest processes did in the whole trace, and their slices by name."""
    rows = query(trace, 'SELECT p.upid, p.pid, p.name, count(*) AS n, sum(d * (state = \'Running\')) AS ran FROM (%s) JOIN '
                        'thread USING (utid) JOIN process p USING (upid) WHERE p.name IS NOT NULL AND length(p.name) < 40 '
                        'AND p.pid > 0 GROUP BY upid HAVING n < 20000 AND ran > 0 ORDER BY ran DESC LIMIT %d' % (
                            STATES_SQL, PROCESSES))
    dur = query(trace, 'SELECT trace_end() - trace_start() AS dur')[0]['dur']
    for row in rows:
        yield '0', None
        yield ':action find-track', None
        yield ':type %s %d' % (row['name'], row['pid']), None
        yield 'Enter', None
        yield ':wait-idle', None
        yield None, '%s  pid %d' % (row['name'], row['pid'])
        states = query(trace, 'SELECT state, sum(d) AS d FROM (%s) JOIN thread USING (utid) WHERE upid = %d GROUP BY state '
                              'ORDER BY d DESC' % (STATES_SQL, row['upid']))
        known = sum(state['d'] for state in states)
        for state in states[:3]:
            yield None, '  %s %s %d%%' % (state['state'], short(state['d']), percent(state['d'], known))
        threads = query(trace, "SELECT tid, thread.name, sum(d) AS d FROM (%s) JOIN thread USING (utid) WHERE upid = %d AND "
                               "state = 'Running' GROUP BY utid HAVING d > 0 ORDER BY d DESC" % (STATES_SQL, row['upid']))
        if len(threads) > 1:
            yield None, '%d threads ran' % len(threads)
        for thread in threads[:3] if len(threads) > 1 else ():
            yield None, '%11s ms %3d%%  %s %d' % (ms(thread['d']), percent(thread['d'], dur), thread['name'], thread['tid'])
        slices_of = query(trace, 'SELECT s.name, count(*) AS n, sum(%s) AS d FROM slice s LEFT JOIN thread_track k ON '
                                 'k.id = s.track_id LEFT JOIN thread t USING (utid) LEFT JOIN process_track o ON '
                                 'o.id = s.track_id WHERE ifnull(t.upid, o.upid) = %d GROUP BY s.name ORDER BY d DESC' % (
                                     ENDED.replace('dur', 's.dur').replace('- ts', '- s.ts'), row['upid']))
        for names in slices_of[:3]:
            if names['d'] > 0 and names['name'] and len(names['name']) < 30:
                yield None, '%11s ms %3d%%  %5d x %s' % (ms(names['d']), percent(names['d'], dur), names['n'], names['name'])


def totals(trace):
    """What the header, the logs and the flamegraph count."""
    facts = query(trace, "SELECT trace_end() - trace_start() AS dur, (SELECT count(*) FROM android_logs) AS logs, "
                         "(SELECT ifnull(sum(value), 0) FROM tptui_loss WHERE effect = 'event') AS lost, (SELECT count(*) FROM "
                         "tptui_loss WHERE effect IN ('place', 'bytes')) AS more, (SELECT count(*) FROM perf_sample WHERE "
                         "callsite_id IS NOT NULL) AS samples, (SELECT sum(size) FROM heap_profile_allocation) AS kept")[0]
    yield None, '%s  ' % short(facts['dur'])
    yield None, 'data loss: some' if facts['more'] and not facts['lost'] else 'data loss %d' % facts['lost']
    if facts['logs']:
        yield ':action tab-logs', None
        yield None, '%d of %d lines' % (facts['logs'], facts['logs'])
    if facts['samples']:
        yield ':action tab-flamegraph', None
        yield ':wait-idle', None
        yield None, '[CPU samples]  %d samples' % facts['samples']
    elif facts['kept']:
        yield ':action tab-flamegraph', None
        yield ':wait-idle', None
        yield None, '[heap, not freed]  %.2f MiB' % (facts['kept'] / 2 ** 20)


def check(trace):
    """How many numbers agree; None where one does not."""
    start = query(trace, 'SELECT trace_start() AS t')[0]['t']
    lines, expected = [':wait-idle', ':size 250x70', 'Esc', ':action tab-event'], 0
    for step, text in (*slices(trace, start), *states(trace, start), *counters(trace, start), *cpus(trace), *processes(trace), *totals(trace)):
        lines.append(step or ':expect ' + text)
        expected += text is not None
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, 'script')
        with open(script, 'w', encoding='utf8') as f:
            f.write('\n'.join(lines) + '\n')
        done = subprocess.run([program, trace, '--no-cache', '--script', script], capture_output=True, text=True,
                              env={'PATH': os.environ['PATH'], 'HOME': folder, 'LANG': 'C.UTF-8'}, check=False)
    if done.returncode or expected == 0:
        print('%s: %s' % (trace, done.stderr or 'nothing to compare'))
        return None
    return expected


bad = 0
for path in traces:
    count = check(path)
    bad += count is None
    if count is not None:
        print('%s: %d lines as expected' % (path, count))
sys.exit(bad != 0)
