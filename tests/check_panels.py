#!/usr/bin/env python3
"""Compares lists of the timeline with SQL written here: check_panels.py TPTUI TRACE...

The chain of calls, the critical path and the findings are read off the screen; each of their numbers must be what the
tables say. Also of the traces in TPTUI_TRACES, by default ../shared/traces beside the repository, where they are there.
"""
import functools
import glob
import os
import re
import subprocess
import sys
import tempfile

import shown
from shown import ms, short

program = os.path.abspath(sys.argv[1])
query = functools.partial(shown.query, program)
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
folder_of_traces = os.environ.get('TPTUI_TRACES', os.path.join(root, '..', 'shared', 'traces'))
traces = sys.argv[2:] + [path for name in ('android_startup_binder', 'android_lock_contention', 'android_power_rails')
                         for path in glob.glob(os.path.join(folder_of_traces, name, 'trace.*'))]

SLICES, CALLS_SHOWN, ROWS_SHOWN = 4, 12, 10
ENDED = 'iif(dur < 0, trace_end() - ts, dur)'


def screens(trace, steps):
    """The screens that a script leaves, for each of [lines of the script]."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [':size 250x70', ':wait-idle']
        for i, step in enumerate(steps):
            lines += step + [':wait-idle', ':screenshot %s/%d.txt' % (folder, i)]
        script = os.path.join(folder, 'script')
        with open(script, 'w', encoding='utf8') as f:
            f.write('\n'.join(lines) + '\n')
        done = subprocess.run([program, trace, '--no-cache', '--script', script], capture_output=True, text=True,
                              env={'PATH': os.environ['PATH'], 'HOME': folder, 'LANG': 'C.UTF-8'}, check=False)
        if done.returncode:
            sys.exit('%s: %s' % (trace, done.stderr))
        texts = []
        for i in range(len(steps)):
            with open(os.path.join(folder, '%d.txt' % i), encoding='utf8') as f:
                texts.append(f.read().splitlines())
        return texts


class Report:
    def __init__(self, trace):
        self.trace, self.good, self.bad = trace, 0, 0

    def expect(self, what, shown, expected):
        if shown == expected:
            self.good += 1
        else:
            self.bad += 1
            print('%s, %s: shown %s, expected %s' % (self.trace, what, shown, expected))


def calls_below(trace, slice_id):
    """The longest slices inside a slice that a flow leaves, each with what it flows into."""
    return query(trace, '''
        SELECT s.id, s.dur, (SELECT i.dur FROM flow f JOIN slice i ON i.id = f.slice_in WHERE f.slice_out = s.id
                             ORDER BY f.id LIMIT 1) AS served
        FROM slice top JOIN slice s ON s.track_id = top.track_id AND s.depth > top.depth AND s.ts >= top.ts
             AND s.ts < top.ts + top.dur
        WHERE top.id = %d AND s.dur >= 0 AND EXISTS (SELECT 1 FROM flow WHERE slice_out = s.id)
        ORDER BY s.dur DESC''' % slice_id)


def check_chains(trace, report):
    tops = query(trace, '''
        SELECT o.id, o.dur, i.id AS served, i.dur AS served_dur FROM flow f JOIN slice o ON o.id = f.slice_out
        JOIN slice i ON i.id = f.slice_in WHERE o.name = 'binder transaction' AND o.dur > 0 AND i.dur > 0
        ORDER BY o.dur DESC LIMIT %d''' % SLICES)
    shown = screens(trace, [[':goto slice %d' % top['id'], ':action tab-chain', ':action details'] for top in tops])
    for top, screen in zip(tops, shown):
        at = next(i for i, line in enumerate(screen) if line.startswith(' chain '))
        first = re.search(r'> .*? ([0-9.]+) +([0-9.]+) *$', screen[at + 1])
        report.expect('chain of %d' % top['id'], first and list(first.groups()), [ms(top['dur']), ms(top['served_dur'])])
        direct = []
        for line in screen[at + 2:]:
            found = re.match(r'     > .*? ([0-9.]+) +([0-9.]+) *$', line)
            if found:
                direct.append(list(found.groups()))
        below = calls_below(trace, top['served'])
        if len(direct) == min(len(below), CALLS_SHOWN):  # else there was no room for all
            expected = sorted([ms(row['dur']), ms(row['served'])] for row in below[:CALLS_SHOWN])
            report.expect('calls below %d' % top['served'], sorted(direct), expected)


def check_paths(trace, report):
    """The parts of a critical path lie one behind the other, and each is in a state of its thread."""
    start = query(trace, 'SELECT trace_start() AS t')[0]['t']
    tops = query(trace, '''
        SELECT s.id, s.ts, s.dur, (SELECT count(*) FROM thread_state x WHERE x.utid = t.utid AND x.ts < s.ts + s.dur
                                   AND x.ts + x.dur > s.ts) AS states
        FROM slice s JOIN thread_track t ON t.id = s.track_id
        WHERE s.dur > 1000000 AND states BETWEEN 3 AND 40 ORDER BY s.dur DESC LIMIT %d''' % SLICES)
    states = {'runs': "('Running')", 'waits for a CPU': "('R', 'R+')", 'sleeps': "('S', 'I')", 'blocked': "('D', 'DK')"}
    shown = screens(trace, [(['Esc'] if i else []) + [':goto slice %d' % top['id'], ':action critical-path']
                            for i, top in enumerate(tops)])
    for top, screen in zip(tops, shown):
        at = next((i for i, line in enumerate(screen) if 'critical path' in line), None)
        if at is None:
            report.expect('path of %d' % top['id'], None, 'a list')
            continue
        end = top['ts'] + top['dur']
        for line in screen[at + 2:at + 2 + ROWS_SHOWN]:
            found = re.match(r'  ? *(\S.*?)  +(runs|waits for a CPU|sleeps|blocked) .* ([0-9]+\.[0-9]{3}) +([0-9]+\.[0-9]{3}) *$',
                             line)
            if not found:
                break
            name, does, begin, dur = found.groups()
            end_shown = ms(end - start)
            rows = query(trace, '''
                SELECT max(x.ts, %d) AS ts, min(x.ts + x.dur, %d) AS ts_end FROM thread_state x JOIN thread t USING (utid)
                WHERE ifnull(t.name, 'thread ' || t.tid) = '%s' AND x.state IN %s AND x.ts < %d AND x.ts + x.dur >= %d
                ORDER BY x.ts DESC''' % (top['ts'], end, name.replace("'", "''"), states[does], end, end))
            fit = [row for row in rows if ms(row['ts'] - start) == begin or ms(end - start) == end_shown]
            report.expect('part of %d that ends at %s' % (top['id'], end_shown), bool(fit), True)
            if not fit:
                break
            # A part may begin after its state, where the thread was woken in the middle of what it waits for.
            begins = int(begin.replace('.', ''))
            exact = [row['ts'] for row in fit if (row['ts'] - start) // 1000 == begins]
            if not exact:
                break
            report.expect('its length', dur, ms(end - exact[0]))
            end = exact[0]


FINDINGS = {
    'slow frame': "SELECT %s AS d, ts FROM slice JOIN thread_track t ON t.id = track_id WHERE slice.name GLOB "
                  "'Choreographer#doFrame*' AND d > 8000000 ORDER BY d DESC LIMIT 6" % ENDED,
    'binder call': "SELECT %s AS d, ts FROM slice JOIN thread_track t ON t.id = track_id WHERE slice.name = "
                   "'binder transaction' ORDER BY d DESC LIMIT 5" % ENDED,
    'lock wait': "SELECT %s AS d, ts FROM slice WHERE name GLOB 'monitor contention*' OR name GLOB "
                 "'Lock contention*' ORDER BY d DESC LIMIT 5" % ENDED,
    'janky frame': "SELECT dur AS d, ts FROM actual_frame_timeline_slice WHERE jank_type NOT IN "
                   "('None', 'Unspecified') ORDER BY d DESC LIMIT 5",
    'busy thread': "SELECT sum(%s) AS d, min(ts) AS ts FROM thread_state JOIN thread t "
                   "USING (utid) WHERE state = 'Running' AND tid != 0 GROUP BY utid ORDER BY d DESC LIMIT 5" % ENDED,
    'blocked': "SELECT %s AS d, ts FROM thread_state JOIN thread t USING (utid) "
               "WHERE state GLOB 'D*' AND d > 0 ORDER BY d DESC LIMIT 3" % ENDED,
}


def check_findings(trace, report):
    start = query(trace, 'SELECT trace_start() AS t')[0]['t']
    screen = screens(trace, [[':action tab-findings', ':action details'] + ['Ctrl-Up'] * 40])[0]
    at = next(i for i, line in enumerate(screen) if '6 Findings' in line)
    kind, shown = '', {}
    for line in screen[at + 1:]:
        if not line.strip():
            break
        kind = line[1:13].strip() or kind
        shown.setdefault(kind, []).append((line[13:25].strip(), line[26:38].strip()))
    for kind, sql in FINDINGS.items():
        expected = [(short(row['d']), ms(row['ts'] - start)) for row in query(trace, sql)]
        if kind in shown and kind != list(shown)[-1]:  # the last one may be cut off by the screen's end
            report.expect(kind, sorted(shown[kind]), sorted(expected))
        elif kind not in shown and at + 20 < len(screen):
            report.expect(kind, [], expected)
    for line in screen[at + 1:]:
        rail = re.search(r'  (\S+)  ([0-9.]+) J, ([0-9.]+) mW on average', line)
        if rail:
            row = query(trace, "SELECT (max(value) - min(value)) / 1e6 AS j, (max(value) - min(value)) * 1e6 / (max(ts) - min(ts)) "
                               "AS mw FROM counter c JOIN track t ON t.id = c.track_id WHERE t.type = 'power_rails' AND "
                               "t.name = '%s' GROUP BY track_id" % rail.group(1))[0]
            report.expect(rail.group(1), rail.groups()[1:], ('%.2f' % row['j'], '%.1f' % row['mw']))


failed = 0
for path in traces:
    outcome = Report(path)
    check_chains(path, outcome)
    check_paths(path, outcome)
    check_findings(path, outcome)
    failed += outcome.bad > 0 or outcome.good == 0
    print('%s: %d numbers agree, %d do not' % (path, outcome.good, outcome.bad))
sys.exit(failed > 0)
