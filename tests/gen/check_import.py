#!/usr/bin/env python3
"""Reads a generated trace by other means than tptui and compares what both find in it.

Usage: check_import.py TPTUI TRACE

Decodes the protobuf by hand, replays scheduling, atrace marks, binder and track events, and compares sums by
thread, state, name and track with those of the tables. Fails where any differs.
"""
import collections
import csv
import io
import subprocess
import sys

from wire import fields, varint

# Field numbers of TracePacket, FtraceEventBundle, CompactSched, FtraceEvent, TrackEvent.
PACKET_FTRACE, PACKET_TRACK_EVENT, PACKET_LOG = 1, 11, 39
BUNDLE_CPU, BUNDLE_EVENT, BUNDLE_COMPACT = 1, 2, 4
SWITCH_TS, SWITCH_STATE, SWITCH_PID = 1, 2, 3
WAKING_TS, WAKING_PID = 7, 8
EVENT_TS, EVENT_PID = 1, 2
PRINT, CPU_FREQUENCY, CPU_IDLE, RSS_STAT = 3, 11, 13, 313
IRQ_ENTRY, IRQ_EXIT, SOFTIRQ_ENTRY, SOFTIRQ_EXIT = 36, 37, 24, 25
BINDER_TRANSACTION, BINDER_RECEIVED, SYS_ENTER, SYS_EXIT = 50, 51, 329, 330
WORK_END, NEW_TASK = 57, 235
TYPE, COUNTER_VALUE, FLOW_IDS, TERMINATING_FLOW_IDS = 9, 30, 47, 48
SLICE_BEGIN, INSTANT, COUNTER = 1, 3, 4

# sched_switch.prev_state as letters.
STATES = {0: 'R', 1: 'S', 2: 'D', 16: 'X', 32: 'Z', 128: 'I', 256: 'R+'}


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def summed(deltas):
    total, out = 0, []
    for delta in deltas:
        total += delta
        out.append(total)
    return out


class Trace:
    """What the trace records: switches by cpu, wakings, other ftrace events, track events."""

    def __init__(self, path):
        self.switches = collections.defaultdict(list)  # cpu -> [(ts, prev_state, next_pid)]
        self.wakings = []                              # [(ts, pid)]
        self.events = []                               # [(ts, cpu, pid, kind, fields)]
        self.track_events = []
        self.logs = 0
        with open(path, 'rb') as f:
            data = f.read()
        for _, packet in fields(data):
            for number, value in fields(packet):
                if number == PACKET_FTRACE:
                    self.bundle(value)
                elif number == PACKET_TRACK_EVENT:
                    self.track_events.append(list(fields(value)))
                elif number == PACKET_LOG:
                    self.logs += sum(1 for _ in fields(value))
        self.events.sort(key=lambda e: (e[0], e[1]))

    def bundle(self, data):
        cpu, compact = 0, {}
        for number, value in fields(data):
            if number == BUNDLE_CPU:
                cpu = value
            elif number == BUNDLE_EVENT:
                event = list(fields(value))
                head = dict(event[:2])
                self.events.append((head[EVENT_TS], cpu, head[EVENT_PID], event[2][0], dict(fields(event[2][1]))))
            elif number == BUNDLE_COMPACT:
                compact = {n: packed(v) for n, v in fields(value) if n != 5}
        began = bool(self.switches[cpu])
        self.switches[cpu] += zip(summed(compact.get(SWITCH_TS, [])), compact.get(SWITCH_STATE, []),
                                  compact.get(SWITCH_PID, []))
        wakings = zip(summed(compact.get(WAKING_TS, [])), compact.get(WAKING_PID, []))
        # Before a cpu's first switch nobody knows who runs there: neither it nor a waking counts.
        first = self.switches[cpu][0][0] if self.switches[cpu] else float('inf')
        self.wakings += ((ts, pid) for ts, pid in wakings if began or ts > first)


failed = 0


def compare(what, want, sql):
    """`want` is a dict of row (all but the last column) to number; compares it with a query's rows."""
    global failed
    run = subprocess.run([tptui, 'query', '--format', 'csv', trace_path, sql], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    rows = list(csv.reader(io.StringIO(run.stdout)))[1:]
    got = {tuple(row[:-1]): int(row[-1] or 0) for row in rows if row}
    want = {tuple(str(k) for k in (key if isinstance(key, tuple) else (key,))): n for key, n in want.items()}
    if run.returncode == 0 and got == want:
        print('ok: %s (%d rows)' % (what, len(want)))
        return
    failed += 1
    print('DIFFERS: %s %s' % (what, run.stderr.strip()))
    for key in [k for k in sorted(set(want) | set(got)) if want.get(k) != got.get(k)][:20]:
        print('  %s: expected %s, got %s' % (key, want.get(key), got.get(key)))


def check_sched(trace):
    runs, states, ran = collections.Counter(), collections.Counter(), collections.Counter()
    changes = []
    for cpu, switches in trace.switches.items():
        for (ts, _, pid), (end, state, _) in zip(switches[1:], switches[2:]):
            if pid:
                ran[pid] += end - ts
        runs[cpu] = len(switches) - 1
        prev = switches[0][2]
        for ts, state, pid in switches[1:]:
            if prev:
                changes.append((ts, 0, prev, STATES[state]))
            if pid:
                changes.append((ts, 2, pid, 'Running'))
            prev = pid
    for ts, pid in trace.wakings:
        changes.append((ts, 1, pid, 'R'))
    for ts, _, _, kind, event in trace.events:
        if kind == NEW_TASK:
            changes.append((ts, 1, event[1], 'R'))
    now = {}
    for ts, step, pid, state in sorted(changes):
        # Whoever was not seen to run before it stops running was in no known state.
        if pid in now and (step != 0 or now[pid][1] == 'Running'):
            states[now[pid][1]] += ts - now[pid][0]
        now[pid] = (ts, state)
    compare('sched: slices by cpu', runs, 'SELECT cpu, count(*) FROM sched GROUP BY cpu')
    compare('sched: time by thread', ran,
            'SELECT tid, sum(dur) FROM sched JOIN thread USING (utid) WHERE dur > 0 AND tid != 0 GROUP BY tid')
    compare('thread_state: time by state', states,
            'SELECT state, sum(dur) FROM thread_state WHERE dur > 0 GROUP BY state')


def replay_thread_slices(trace):
    """{name: (count, time, depths)} of atrace and binder slices and system calls, all on threads' own tracks."""
    stacks, found = collections.defaultdict(list), collections.defaultdict(lambda: [0, 0, 0])
    transactions, flows = {}, 0

    def begin(pid, ts, name):
        stacks[pid].append((ts, name))
        found[name][2] += len(stacks[pid]) - 1

    def end(pid, ts):
        start, name = stacks[pid].pop()
        found[name][0] += 1
        found[name][1] += ts - start

    for ts, _, pid, kind, event in trace.events:
        if kind == PRINT and event[2][:2] == b'B|':
            begin(pid, ts, event[2].decode().split('|', 2)[2].rstrip('\n'))
        elif kind == PRINT and event[2][:2] == b'E|':
            end(pid, ts)
        elif kind == PRINT and event[2][:2] == b'I|':
            begin(pid, ts, event[2].decode().split('|', 2)[2].rstrip('\n'))
            end(pid, ts)
        elif kind == BINDER_TRANSACTION:
            transactions[event[1]] = (event[5], event[7] & 1)
            if event[5]:
                end(pid, ts)
            elif event[7] & 1:
                begin(pid, ts, 'binder transaction async')
                end(pid, ts)
            else:
                begin(pid, ts, 'binder transaction')
        elif kind == BINDER_RECEIVED:
            reply, one_way = transactions[event[1]]
            flows += not reply
            if reply:
                end(pid, ts)
            else:
                begin(pid, ts, 'binder async rcv' if one_way else 'binder reply')
            if one_way:
                end(pid, ts)
    return found, flows


def check_slices(trace):
    found, flows = replay_thread_slices(trace)
    query = '''SELECT name, sum(%s) FROM slice WHERE dur >= 0 AND name NOT GLOB 'sys_*' AND
        track_id IN (SELECT id FROM thread_track) AND coalesce(category, '') NOT IN
        ('chain', 'fan', 'chat', 'net', 'db', 'workqueue') GROUP BY name'''
    names = {name: n for name, n in found.items() if n[0]}
    compare('slice: count by name', {name: n[0] for name, n in names.items()}, query % '1')
    compare('slice: time by name', {name: n[1] for name, n in names.items()}, query % 'dur')
    compare('slice: depth by name', {name: n[2] for name, n in names.items()}, query % 'depth')
    return flows


def check_track_events(trace, binder_flows):
    begins = instants = counters = 0
    ends, flows = set(), binder_flows
    open_flows = set()
    for event in trace.track_events:
        kind = dict(event)[TYPE]
        begins += kind == SLICE_BEGIN
        instants += kind == INSTANT
        counters += kind == COUNTER
        for number, flow in event:
            if number == FLOW_IDS:
                flows += flow in open_flows
                open_flows.add(flow)
            elif number == TERMINATING_FLOW_IDS:
                flows += flow in open_flows
                ends.add(flow)
    compare('flow: all', {'all': flows}, "SELECT 'all', count(*) FROM flow")
    compare('slice: track events', {'all': begins + instants},
            "SELECT 'all', count(*) FROM slice WHERE category IN ('chain', 'fan', 'chat', 'net', 'db')")


def check_cpus(trace):
    frequency, idle = collections.Counter(), collections.Counter()
    irqs, softirqs, rss, works = (collections.Counter() for _ in range(4))
    calls, in_call = collections.Counter(), set()
    for _, cpu, pid, kind, event in trace.events:
        if kind == CPU_FREQUENCY:
            frequency[event.get(2, 0)] += event[1]
        elif kind == CPU_IDLE:
            idle[event.get(2, 0)] += 1
        elif kind == IRQ_EXIT:
            irqs['all'] += 1
        elif kind == SOFTIRQ_EXIT:
            softirqs['all'] += 1
        elif kind == RSS_STAT:
            rss['all'] += 1
        elif kind == WORK_END:
            works['all'] += 1
        elif kind == SYS_ENTER:
            in_call.add(pid)
        elif kind == SYS_EXIT:
            calls['all'] += pid in in_call
            in_call.discard(pid)
    compare('counter: frequencies', frequency,
            "SELECT cpu, CAST(sum(value) AS INT) FROM counter JOIN cpu_counter_track t ON t.id = track_id "
            "WHERE name = 'cpufreq' GROUP BY cpu")
    compare('counter: idle states', idle,
            "SELECT cpu, count(*) FROM counter JOIN cpu_counter_track t ON t.id = track_id "
            "WHERE name = 'cpuidle' GROUP BY cpu")
    compare('slice: irqs', irqs, "SELECT 'all', count(*) FROM slice s JOIN track t ON t.id = s.track_id "
            "WHERE t.type = 'cpu_irq' AND dur >= 0 HAVING count(*) > 0")
    compare('slice: softirqs', softirqs, "SELECT 'all', count(*) FROM slice s JOIN track t ON t.id = s.track_id "
            "WHERE t.type = 'cpu_softirq' AND dur >= 0 HAVING count(*) > 0")
    compare('slice: work items', works, "SELECT 'all', count(*) FROM slice WHERE category = 'workqueue' AND dur >= 0 "
            'HAVING count(*) > 0')
    compare('slice: system calls', {k: n for k, n in calls.items() if n},
            "SELECT 'all', count(*) FROM slice WHERE name GLOB 'sys_*' AND dur >= 0 HAVING count(*) > 0")
    compare('ftrace_event: all', {'all': len(trace.events) + len(trace.wakings) + sum(
        len(s) - 1 for s in trace.switches.values() if s)}, "SELECT 'all', count(*) FROM ftrace_event")
    compare('android_logs', {'all': trace.logs} if trace.logs else {},
            "SELECT 'all', count(*) FROM android_logs HAVING count(*) > 0")
    compare('errors', {}, "SELECT name, sum(value) FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss') "
            'GROUP BY name')


tptui, trace_path = sys.argv[1:]
the_trace = Trace(trace_path)
check_sched(the_trace)
check_track_events(the_trace, check_slices(the_trace))
check_cpus(the_trace)
sys.exit(failed != 0)
