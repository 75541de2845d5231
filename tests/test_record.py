#!/usr/bin/env python3
"""What `tptui record` writes of a program whose doings are known, and what it leaves behind: nothing.

Usage: test_record.py TPTUI PROGRAM DEEP, built of record/program.c and record/deep.c

Exits with 77 (skipped) where the kernel's tracing is not to be had: without root, or without tracefs.

Nothing is expected of how fast a machine is, nor of other recorders on it: what takes time is waited for, what the program did
is compared with what it says of it, and instances of tracefs are told by the pids of the recorders that are begun here.
"""
import atexit
import csv
import fcntl
import io
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from children import Popen  # noqa: E402
from perfetto_rules import problems

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tmux'))
from terminal import Terminal  # noqa: E402  (found beside this file)

tptui = os.path.abspath(sys.argv[1])
program = os.path.abspath(sys.argv[2])
deep = os.path.abspath(sys.argv[3])
OTHER = 65534  # nobody
PATIENCE = 120
failures = []
recorders = set()  # their pids


def expect(what, got, want=True):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def start(*args, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    options.setdefault('stderr', subprocess.PIPE)
    p = Popen([tptui, 'record', *args], **options)
    recorders.add(p.pid)
    return p


def record(*args, **options):
    p = start(*args, stdout=subprocess.PIPE, **options)
    out, err = p.communicate(timeout=PATIENCE)
    return p.returncode, out, err.decode(errors='replace')


def wait_until(what, condition):
    """Whether it came to be."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            expect('%s, within %d s' % (what, PATIENCE), False)
            return False
        time.sleep(0.05)
    return True


def rows(trace, sql):
    p = subprocess.run([tptui, 'query', trace, '--no-cache', '--format', 'csv', sql], capture_output=True, timeout=PATIENCE)
    if p.returncode:
        raise RuntimeError(p.stderr.decode())
    return list(csv.reader(io.StringIO(p.stdout.decode())))[1:]


def number(trace, sql):
    """Of one row of one column; NULL, an empty line, is no number."""
    return float(''.join(rows(trace, sql)[0]) or 'nan')


class Tracefs:
    """Mounted in a folder of its own, to look at from outside."""

    def __init__(self, place):
        self.place = os.path.join(place, 'tracefs')
        os.mkdir(self.place)
        self.there = subprocess.run(['mount', '-t', 'tracefs', 'nodev', self.place], stderr=subprocess.DEVNULL).returncode == 0
        atexit.register(self.leave)

    def leave(self):
        if self.there:
            subprocess.run(['umount', self.place])
            self.there = False

    def read(self, name):
        with open(os.path.join(self.place, name)) as f:
            return f.read()

    def instances(self):
        """Those of recorders that were begun here."""
        names = [name.split('.') for name in os.listdir(os.path.join(self.place, 'instances')) if name.startswith('tptui.')]
        return ['.'.join(name) for name in names if int(name[1]) in recorders]

    def is_recording(self, pid):
        for name in self.instances():
            if name.startswith('tptui.%d.' % pid):
                try:
                    return self.read('instances/%s/events/enable' % name).strip() != '0'
                except OSError:
                    return False
        return False

    def wait_for(self, p):
        return wait_until('it records', lambda: self.is_recording(p.pid))

    def find_live(self, mark):
        """The recorder that has the mark in its command line is one that was begun here."""
        for name in os.listdir(os.path.join(self.place, 'instances')):
            pid = name.split('.')[1] if name.startswith('tptui.') else '0'
            try:
                with open('/proc/%s/cmdline' % pid) as f:
                    if mark in f.read():
                        recorders.add(int(pid))
                        return True
            except OSError:
                pass
        return False

    def settings(self):
        """What is global: none of it is the recorder's to change."""
        return {name: self.read(name) for name in
                ('trace_clock', 'tracing_on', 'current_tracer', 'set_event', 'buffer_size_kb', 'set_event_pid', 'events/enable')}


def check_program(place):
    """Who ran, slept, woke whom and for how long."""
    trace = os.path.join(place, 'program.pftrace')
    # Not all of the 300 ms where the kernel hides some of its switches, as it does for the agents of some virtual
    # machines: a recording in which it hid most of them says nothing, and is made again.
    for _ in range(4):
        status, out, err = record('--with', 'sched,syscalls,stacks,futex', '--buffer', '64M', '-o', trace, '--', program)
        expect('the program is recorded: %s' % err, status, 0)
        spun = number(trace, "SELECT sum(dur) / 1e9 FROM sched JOIN thread USING (utid) WHERE name = 'spinner'")
        if spun > 0.1:
            break
        print('recorded again: %f of 0.3 s are told' % spun)
    with open(trace, 'rb') as f:
        expect('the trace keeps the rules', list(problems(f.read())), [])
    expect('the spinner runs as long as it spins: %f' % spun, 0.1 < spun < 0.6)
    slept = number(trace, 'SELECT count() FROM thread_state JOIN thread USING (utid) '
                          "WHERE thread.name = 'sleeper' AND state = 'S' AND dur >= 100e6")
    expect('the sleeper sleeps: %d times' % slept, 1 < slept <= 4)
    wakes = number(trace, '''SELECT count() FROM thread_state s JOIN thread USING (utid)
        JOIN thread waker ON waker.utid = s.waker_utid WHERE thread.name = 'reader' AND s.state = 'R' AND waker.name = 'writer' ''')
    expect('the writer wakes the reader each time: %d' % wakes, 5 < wakes <= 20)
    check_long_calls(trace, out.decode())
    check_hot(trace)
    expect('all threads are of the one process', rows(trace, '''
        SELECT DISTINCT count(DISTINCT upid) FROM thread WHERE name IN ('spinner', 'sleeper', 'reader', 'writer')'''), [['1']])
    expect('the child is a process, whose parent is the program', rows(trace, '''
        SELECT parent.cmdline LIKE '%record_program' FROM process c JOIN thread USING (upid)
        JOIN process parent ON parent.upid = c.parent_upid WHERE thread.name = 'child' '''), [['1']])
    expect('the program and its child are marked, and so is the recorder', rows(trace, '''
        SELECT args.display_value, count(DISTINCT process.upid) FROM process JOIN args USING (arg_set_id)
        WHERE key GLOB 'chrome.process_label*' GROUP BY 1 ORDER BY 1'''), [['recorded', '2'], ['recorder', '1']])
    expect('the recorder names its command', rows(trace, '''SELECT count() FROM process JOIN args USING (arg_set_id)
        WHERE args.display_value = 'recorder' AND cmdline LIKE '% record %' '''), [['1']])
    expect('nothing is lost', rows(trace, "SELECT name, value FROM stats WHERE value > 0 AND name GLOB 'ftrace*' "
                                          "AND severity IN ('data_loss', 'error')"), [])
    expect('the clocks are told', number(trace, 'SELECT count(DISTINCT clock_id) FROM clock_snapshot') >= 6)
    expect('the configuration is told', number(trace, '''SELECT count() FROM metadata
        WHERE name = 'trace_config_pbtxt' AND str_value LIKE '%sched/sched_switch%' '''), 1)


def check_long_calls(trace, said):
    """Reading takes until it is written, and locking as long as the lock is held: 100 ms after the thread waits."""
    slack = 1e6  # the kernel's clock of events follows the other one
    for line in said.splitlines():
        call, begin, end = line.split()
        thread = {'read': 'reader', 'futex': 'wanter'}[call]
        (ts, dur), = rows(trace, '''SELECT slice.ts, max(slice.dur) FROM slice JOIN thread_track ON track_id = thread_track.id
            JOIN thread USING (utid) WHERE thread.name = '%s' AND slice.name = 'sys_%s' ''' % (thread, call))
        ts, dur = int(ts or 0), int(dur or 0)
        expect('%s takes as long as it waits: %d from %d on, of %s' % (call, dur, ts, line),
               dur > 99e6 and int(begin) - slack < ts and ts + dur < int(end) + slack)
    expect('both are told', len(said.splitlines()), 2)


def functions_of(path):
    """What tells the function that an address of the file is in."""
    functions = {}
    for line in subprocess.run(['nm', '-S', path], capture_output=True, check=True).stdout.decode().split('\n'):
        parts = line.split()
        if len(parts) == 4:
            functions[parts[3]] = (int(parts[0], 16), int(parts[0], 16) + int(parts[1], 16))
    return lambda address: next((name for name, (begin, end) in functions.items() if begin <= address < end), '?')


DEEP_CHAIN = ['deep_work', 'deep_8', 'deep_7', 'deep_6', 'deep_5', 'deep_4', 'deep_3', 'deep_2', 'deep_1', 'below', 'main']


def deep_stacks(trace, name):
    """Of the program's samples: how each ends, and its functions from the inside, those of the program."""
    called, stacks = functions_of(deep), {}
    for sample, error, pc in rows(trace, """
        WITH RECURSIVE above AS (
            SELECT s.id, ifnull(unwind_error, 'none') AS error, callsite_id, 0 AS depth FROM perf_sample s
            JOIN thread USING (utid) WHERE thread.name = '%s' AND cpu_mode = 'user'
            UNION ALL SELECT above.id, error, c.parent_id, above.depth + 1 FROM above JOIN stack_profile_callsite c ON c.id = callsite_id
            WHERE c.parent_id NOT NULL)
        SELECT above.id, error, f.rel_pc FROM above JOIN stack_profile_callsite c ON c.id = callsite_id
        JOIN stack_profile_frame f ON f.id = frame_id JOIN stack_profile_mapping m ON m.id = f.mapping
        WHERE m.name GLOB '*%s' ORDER BY above.id, above.depth""" % (name[:15], name)):
        stacks.setdefault((sample, error), []).append(called(int(pc)))
    return [(error, names) for (_, error), names in stacks.items()]


def check_dwarf(place):
    """Code without frame pointers: all callers are told, or why they are not."""
    trace = os.path.join(place, 'deep.pftrace')
    if 'DWARF stacks' not in subprocess.run([tptui, '--version'], capture_output=True, check=True).stdout.decode():
        status, _, err = record('--dwarf', '-t', '0.1', '-o', trace)
        expect('without libdw it says so: %s' % err, (status, 'built without libdw' in err), (2, True))
        return
    name = os.path.basename(deep)
    status, _, err = record('--with', 'sched,stacks', '--dwarf', '-o', trace, '--', deep, '1')
    stacks = deep_stacks(trace, name)
    whole = [names for error, names in stacks if error == 'none' and names[:len(DEEP_CHAIN)] == DEEP_CHAIN]
    expect('all callers are told: %d of %d; %s %s' % (len(whole), len(stacks), err, stacks[:1]),
           (status, len(whole) > 10 and len(whole) > len(stacks) * 0.7), (0, True))
    expect('the configuration says so', number(trace, """SELECT count() FROM metadata WHERE name = 'trace_config_pbtxt'
        AND str_value LIKE '%frequency: 199%user_frames: UNWIND_DWARF%'"""), 1)
    with open(trace, 'rb') as f:
        expect('the trace keeps the rules', list(problems(f.read())), [])

    status, _, err = record('--dwarf-stack', '4K', '--with', 'sched', '-o', trace, '--', deep, '1', '20')
    stacks = deep_stacks(trace, name)
    cut = [names for error, names in stacks if error == 'memory_invalid' and names[:len(DEEP_CHAIN) - 1] == DEEP_CHAIN[:-1]]
    expect('what is deeper than was copied is known to be cut: %d of %d; %s' % (len(cut), len(stacks), stacks[:1]),
           len(cut) > 10 and 'main' not in cut[0])
    expect('which is said: %s' % err, (status, 'deeper than was copied' in err), (0, True))

    # Neither what is wrong in a file, nor what is in none, nor what ends at once ends the recording.
    bare, odd, junk = (os.path.join(place, n) for n in ('bare-of-frames', 'odd-in-frames', 'junk'))
    subprocess.run(['objcopy', '-S', '-R', '.eh_frame', '-R', '.eh_frame_hdr', deep, bare], check=True)
    with open(junk, 'wb') as f:
        f.write(bytes(n * 37 % 251 for n in range(4096)))
    subprocess.run(['objcopy', '--update-section', '.eh_frame=%s' % junk, deep, odd], check=True, stderr=subprocess.DEVNULL)
    for path, least in (bare, 10), (odd, 0):
        status, _, err = record('--with', 'sched,stacks', '--dwarf', '-o', trace, '--', path, '0.5')
        ended = number(trace, """SELECT count() FROM perf_sample JOIN thread USING (utid)
            WHERE thread.name = '%s' AND unwind_error = 'unwind_info' """ % os.path.basename(path)[:15])
        expect('a file that does not say how to unwind: %d; %s' % (ended, err), (status, ended >= least), (0, True))
    status, _, err = record('--with', 'stacks', '--dwarf', '-o', trace, '--', deep, '0.5', 'jit')
    expect('code in no file: %s' % err, (status, number(trace, 'SELECT count() FROM perf_sample') > 10), (0, True))
    status, _, err = record('--with', 'stacks', '--dwarf', '-o', trace, '--', 'sh', '-c', 'for i in $(seq 200); do true | true; done')
    expect('what ends at once: %s' % err, status, 0)


def check_hot(trace):
    """The function that spins is on top of most stacks of its thread, below it who calls it."""
    called = functions_of(program)
    stacks = [(called(int(top)), called(int(caller or 0))) for top, caller in rows(trace, '''
        SELECT f.rel_pc, g.rel_pc FROM perf_sample s JOIN thread USING (utid) JOIN stack_profile_callsite c ON c.id = s.callsite_id
        JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping
        LEFT JOIN stack_profile_callsite d ON d.id = c.parent_id LEFT JOIN stack_profile_frame g ON g.id = d.frame_id
        WHERE thread.name = 'spinner' AND m.name GLOB '*record_program' ''')]
    hot = stacks.count(('spin_hot', 'spin_caller'))
    expect('the hot stack is sampled: %d of %d, %s' % (hot, len(stacks), set(stacks)), hot > 10 and hot > len(stacks) * 0.8)
    expect('the program has its build id', number(trace, '''SELECT length(build_id) FROM stack_profile_mapping
        WHERE name GLOB '*record_program' LIMIT 1''') >= 32)
    named = number(trace, '''WITH RECURSIVE above AS (
        SELECT s.id, callsite_id FROM perf_sample s JOIN thread USING (utid) WHERE thread.name = 'zero-reader'
        UNION ALL SELECT above.id, c.parent_id FROM above JOIN stack_profile_callsite c ON c.id = callsite_id WHERE c.parent_id NOT NULL)
        SELECT count(DISTINCT above.id) FROM above JOIN stack_profile_callsite c ON c.id = callsite_id
        JOIN stack_profile_frame f ON f.id = frame_id WHERE f.name GLOB '*sys_read*' ''')
    expect('functions of the kernel have names: %d' % named, named > 5)


def place_in_file(address):
    """Where the program's file has what is at an address, by its segments: linkers differ in whether that is the same."""
    for line in subprocess.run(['readelf', '-lW', program], capture_output=True, check=True).stdout.decode().splitlines():
        words = line.split()
        if words[:1] == ['LOAD']:
            offset, begin, size = (int(words[i], 16) for i in (1, 2, 4))
            if begin <= address < begin + size:
                return address - begin + offset
    return address


def check_probe(place, tracefs):
    """A probe in a program, which somebody has set, is an event like others."""
    group, address = 'tptui_test_%d' % os.getpid(), None
    for line in subprocess.run(['nm', program], capture_output=True, check=True).stdout.decode().splitlines():
        if line.endswith(' spin_hot'):
            address = place_in_file(int(line.split()[0], 16))

    def tell(line):
        fd = os.open(os.path.join(tracefs.place, 'uprobe_events'), os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)
    try:
        tell('p:%s/hot %s:0x%x\n' % (group, program, address))
    except OSError as e:
        print('not checked: no probe can be set: %s' % e)
        return
    trace = os.path.join(place, 'probe.pftrace')
    try:
        status, out, err = record('--events', group + ':*', '-o', trace, '--', program)
    finally:
        tell('-:%s/hot\n' % group)
    expect('a probe is recorded: %s' % err, status, 0)
    expect('whenever it is met', rows(trace, """SELECT e.name, thread.name, count() > 1 FROM ftrace_event e
        JOIN thread USING (utid) GROUP BY 1, 2"""), [['hot', 'spinner', '1']])


def check_flags(place):
    """Perfetto's reader takes the common_flags of an event for one more, without a name: they are not written."""
    trace = os.path.join(place, 'flags.pftrace')
    status, out, err = record('--events', 'sched:sched_stat_runtime', '-t', '0.5', '-o', trace)
    expect('events are recorded: %s' % err, status, 0)
    text = subprocess.run([tptui, 'convert', 'text', trace], capture_output=True, check=True).stdout
    expect('without flags', (text.count(b' event {') > 0, text.count(b' common_flags:')), (True, 0))


def check_polled(place):
    """What is read by time, and lines of the kernel's log."""
    trace = os.path.join(place, 'polled.pftrace')
    line = 'tptui test %d' % os.getpid()
    script = 'echo %s >/dev/kmsg; sleep 4' % line
    status, out, err = record('--with', 'mem,load,block,net,freq,logs', '-o', trace, '--', 'sh', '-c', script)
    expect('counters are recorded: %s' % err, status, 0)
    with open('/proc/meminfo') as f:
        total = int(f.readline().split()[1]) * 1024
    expect('memory', number(trace, "SELECT DISTINCT value FROM counter JOIN counter_track t ON t.id = track_id WHERE t.name = 'MemTotal'"),
           total)
    for name in 'MemAvailable', 'nr_free_pages', 'cpu.times.user_ns', 'num_forks':
        expect(name, number(trace, "SELECT count(DISTINCT ts) FROM counter JOIN counter_track t ON t.id = track_id "
                                   "WHERE t.name = '%s'" % name) >= 3)
    expect('the kernel logs', rows(trace, "SELECT tag, prio >= 0 FROM logs WHERE msg = '%s'" % line), [['kernel', '1']])


CONFIG = """# as the UI writes them
duration_ms: 3000
buffers { size_kb: 65536 fill_policy: DISCARD }
compression_type: COMPRESSION_TYPE_DEFLATE
data_sources { config { name: "linux.ftrace" ftrace_config {
  ftrace_events: "sched/sched_switch" ftrace_events: "sched_waking" ftrace_events: "raw_syscalls/*" atrace_categories: "gfx" } } }
data_sources { config { name: "linux.sys_stats" sys_stats_config { meminfo_period_ms: 100 slab_period_ms: 100 } } }
data_sources { config { name: "linux.process_stats" process_stats_config { proc_stats_poll_ms: 200 } } }
data_sources { config { name: "linux.perf" perf_event_config { timebase { frequency: 97 } } } }
data_sources { config { name: "track_event" } }
data_sources { config { name: "linux.sys_stats" sys_stats_config { vmstat_period_ms: 100 } } }
deferred_start: true
"""


def check_config(place):
    """A config of Perfetto's, as text and encoded: what it asks for is recorded, and nothing else."""
    text, encoded = os.path.join(place, 'x.cfg'), os.path.join(place, 'x.bin')
    with open(text, 'w') as f:
        f.write(CONFIG)
    with open(encoded, 'wb') as f:  # duration_ms, and linux.ftrace with sched/sched_switch
        f.write(b'\x18\x90\x4e' b'\x12\x27\x0a\x25' b'\x0a\x0clinux.ftrace' b'\xa2\x06\x14' b'\x0a\x12sched/sched_switch')
    trace = os.path.join(place, 'config.pftrace')
    status, out, err = record('--config', text, '-o', trace)
    expect('it is recorded: %s' % err, status, 0)
    for what in ('ftrace_config.atrace_categories', 'sys_stats_config.slab_period_ms', 'name: track_event'):
        expect('%s is left out: %s' % (what, err), err.count('x.cfg: left out: data_sources.config.%s\n' % what), 1)
    expect('what has the number of a period: %s' % err, err.count('x.cfg: left out: deferred_start\n'), 1)
    expect('nothing else is', err.count('left out'), 4)
    expect('what is taken is said: %s' % err, 'x.cfg: events: 3, mem, processes, stacks, for 3.0 s' in err)
    events = [name for name, in rows(trace, 'SELECT DISTINCT name FROM ftrace_event ORDER BY 1')]
    expect('its events', events, ['sched_switch', 'sched_waking', 'sys_enter', 'sys_exit'])
    counted = number(trace, "SELECT count() FROM counter JOIN counter_track t ON t.id = track_id WHERE t.name = 'MemFree'")
    expect('as often as it says: %d' % counted, counted > 6)
    mine = number(trace, """SELECT max(value) FROM counter JOIN process_counter_track t ON t.id = track_id JOIN process USING (upid)
        WHERE t.name = 'mem.rss' AND pid = %d""" % os.getpid())
    expect('memory of processes: %f' % mine, mine > 4e6)
    expect('no others', number(trace, "SELECT count() FROM counter_track WHERE name GLOB 'cpu.times*'"), 0)
    expect('what was recorded is in the trace', number(trace, """SELECT count() FROM metadata WHERE name = 'trace_config_pbtxt'
        AND str_value LIKE '%meminfo_period_ms: 100%proc_stats_poll_ms: 200%'"""), 1)
    with open(trace, 'rb') as f:
        expect('it is compressed', b'sys_stats' not in f.read() and number(trace, 'SELECT count() FROM sched') > 0)
    status, out, err = record('--config', encoded, '-t', '0.5', '-o', trace)
    expect('encoded: %s' % err, (status, 'events: 1, for 0.5 s' in err), (0, True))
    expect('its event', rows(trace, 'SELECT DISTINCT name FROM ftrace_event'), [['sched_switch']])
    with open(text, 'w') as f:
        f.write('duration_ms: 1\nfrobs: 3\n')
    status, out, err = record('--config', text, '-o', trace)
    expect('a field that is none: %s' % err, (status, 'x.cfg:2:1: ' in err), (2, True))


def check_ring(place, tracefs):
    """The last seconds are written when a rule is met, on a signal, and at the end."""
    trace, fired = os.path.join(place, 'ring.pftrace'), os.path.join(place, 'ring-1.pftrace')
    asleep = ("SELECT ts, dur, 'asleep' FROM thread_state JOIN thread USING (utid) WHERE thread.name = 'sleeper' "
              "AND state = 'S' AND dur > 90e6")
    script = '%s; for i in $(seq 600); do [ -e %s ] && break; sleep 0.1; done; sleep 5' % (program, fired)
    status, out, err = record('--with', 'sched', '--ring', '4s', '--until', asleep, '--until', 'sched_wait > 1h', '-o', trace,
                              '--', 'sh', '-c', script)
    expect('the ring is recorded', status, 0)
    # It sleeps four times; none of them is told each second.
    expect('the rule is met: %s' % err, os.path.exists(fired) and 1 <= err.count(': asleep, ') == err.count(': wrote ') <= 4)
    expect('what met it is there', number(fired, 'SELECT count() FROM (%s)' % asleep) >= 1)
    for name in trace, fired:
        with open(name, 'rb') as f:
            expect('the ring keeps the rules', list(problems(f.read())), [])
    check_asked_ring(place, tracefs)
    for rule in 'nonsense', 'frobs > 5ms', 'sched_wait > 5', 'mem_available < 1x':
        expect('a rule that is none: %s' % rule, record('--ring', '2s', '--until', rule, '-t', '1', '-o', trace)[0], 2)


def check_asked_ring(place, tracefs):
    trace, asked = os.path.join(place, 'asked.pftrace'), os.path.join(place, 'asked-1.pftrace')
    p = start('--with', 'sched,stacks,mem', '--ring', '2s', '-o', trace)
    # Before all others, however many there are.
    busy = Popen([sys.executable, '-c', 'while True: pass'], preexec_fn=lambda: os.nice(-15))
    tracefs.wait_for(p)
    time.sleep(9)
    p.send_signal(signal.SIGUSR1)
    wait_until('a signal asks for a file', lambda: os.path.exists(asked))
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=PATIENCE)[1].decode()
    busy.kill()
    busy.wait()
    expect('a signal asks for a file: %s' % err, (p.returncode, err.count('asked by a signal: wrote ')), (0, 1))
    for name in trace, asked:
        length = number(name, 'SELECT (max(ts) - min(ts)) / 1e9 FROM sched WHERE dur > 0')
        expect('the ring has what it should keep, and little more: %f' % length, 1.5 < length < 7)
        expect('processes that began before it have their names', number(name, """SELECT count() FROM process
            WHERE cmdline LIKE '%%while True: pass' AND pid = %d""" % busy.pid), 1)
        sampled = number(name, 'SELECT count(callsite_id) FROM perf_sample JOIN thread USING (utid) WHERE tid = %d' % busy.pid)
        expect('stacks are whole: %d' % sampled, sampled > 20)
        expect('counters', number(name, "SELECT count() > 0 FROM counter_track WHERE name = 'MemFree'"), 1)


def check_keep(place, tracefs):
    """A ring has --keep bytes at most, however much comes in, and the recorder little more."""
    trace = os.path.join(place, 'keep.pftrace')
    busy = Popen(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1'], stderr=subprocess.DEVNULL)
    p = start('--with', 'syscalls', '--ring', '600s', '--keep', '4M', '--buffer', '1M', '-o', trace)
    tracefs.wait_for(p)
    time.sleep(6)
    with open('/proc/%d/status' % p.pid) as f:
        taken = next(int(line.split()[1]) for line in f if line.startswith('VmHWM'))
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=PATIENCE)
    busy.kill()
    busy.wait()
    with open(tptui, 'rb') as f:
        sanitized = b'__asan_init' in f.read()  # which takes memory of its own
    expect('memory is bounded: %d KB' % taken, taken < 40000 or sanitized)
    expect('and the file: %d' % os.path.getsize(trace), 1000000 < os.path.getsize(trace) < 8000000)
    with open(trace, 'rb') as f:
        expect('the ring keeps the rules', list(problems(f.read())), [])


def check_cpu_offline(place, tracefs):
    """A CPU goes, and comes again: it is recorded on, and what ran on the others is there."""
    switch = '/sys/devices/system/cpu/cpu1/online'
    if not os.access(switch, os.W_OK):
        print('not checked: no CPU can be taken offline')
        return
    trace = os.path.join(place, 'offline.pftrace')
    p = start('--with', 'sched,stacks,load,freq', '-t', '600', '-o', trace)
    tracefs.wait_for(p)

    def put(text):
        with open(switch, 'w') as f:
            f.write(text)
    try:
        time.sleep(0.5)
        put('0')
        gone = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        time.sleep(1)
        back = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    finally:
        put('1')
    time.sleep(0.5)
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=PATIENCE)[1].decode()
    expect('it records on: %s' % err, p.returncode, 0)
    slack = 100000000
    while_gone = 'ts > %d AND ts + dur < %d' % (gone + slack, back - slack)
    expect('nothing runs on it', number(trace, 'SELECT count() FROM sched WHERE ucpu = 1 AND utid NOT IN '
                                        '(SELECT utid FROM thread WHERE is_idle) AND ' + while_gone), 0)
    expect('others run', number(trace, 'SELECT count() FROM sched WHERE ucpu = 0 AND ' + while_gone) > 0)
    expect('and afterwards on it', number(trace, 'SELECT count() FROM sched WHERE ucpu = 1 AND ts > %d' % back) > 0)


def check_clock_step(place, tracefs):
    """The wall clock is set: times of events do not know, and snapshots tell it."""
    trace, step = os.path.join(place, 'step.pftrace'), 0.3
    p = start('--with', 'sched', '-t', '600', '-o', trace)
    tracefs.wait_for(p)

    def move(by):
        time.clock_settime(time.CLOCK_REALTIME, time.time() + by)
    time.sleep(1.5)
    move(step)
    try:
        time.sleep(2)
    finally:
        move(-step)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=PATIENCE)
    # 1 is REALTIME, 6 is BOOTTIME.
    moved = number(trace, '''SELECT (max(r.clock_value - b.clock_value) - min(r.clock_value - b.clock_value)) / 1e9
        FROM clock_snapshot r JOIN clock_snapshot b USING (snapshot_id) WHERE r.clock_id = 1 AND b.clock_id = 6''')
    expect('the step is told: %f' % moved, step * 0.8 < moved < step * 2)
    length = number(trace, 'SELECT (max(ts) - min(ts)) / 1e9 FROM sched')
    expect('events go on: %f' % length, length > 3)
    expect('no clock is at fault', rows(trace, "SELECT name FROM stats WHERE name GLOB 'clock_sync*' AND value > 0 "
                                              "AND severity IN ('data_loss', 'error')"), [])


def window_of_seconds(screen):
    """Whether the window, which the first line tells, has more than what was there at first."""
    window = re.search(r'= ([0-9.]+) s, ', screen.splitlines()[0])
    return window is not None and float(window.group(1)) > 4


def check_live(place, tracefs):
    """The timeline of the last seconds, while they pass."""
    script = os.path.join(place, 'live.script')
    with open(script, 'w') as f:
        f.write(':wait-idle\n:expect CPU load\n:expect live.pftrace\n')
    env = dict(os.environ, TMPDIR=os.path.join(place, 'tmp'), XDG_STATE_HOME=place)
    os.mkdir(env['TMPDIR'])
    p = Popen([tptui, 'live', '--with', 'sched', '--script', script], stderr=subprocess.PIPE, env=env)
    wait_until('live records', lambda: tracefs.find_live(script) or p.poll() is not None)
    err = p.communicate(timeout=PATIENCE)[1].decode()
    expect('live: %s' % err, p.returncode, 0)
    wait_until('nothing of it is left', lambda: os.listdir(env['TMPDIR']) == [])
    p = Popen([tptui, 'live', '--with', 'sched', '--script', script], stderr=subprocess.DEVNULL, env=env)
    wait_until('live records', lambda: tracefs.find_live(script) or p.poll() is not None)
    p.kill()
    p.wait()
    wait_until('nor where it is killed', lambda: os.listdir(env['TMPDIR']) == [])
    if not shutil.which('tmux'):
        return
    marked = os.path.join(place, 'tptui-of-the-test')
    os.symlink(tptui, marked)
    with Terminal(width=110, height=40) as t:
        t.command('%s live --with sched --ring 20s; echo rc=$?' % marked)
        t.wait_for('CPU load')
        expect('it records beside the timeline', tracefs.find_live(marked))
        t.wait(window_of_seconds, 'the window of the whole trace did not grow with it')
        t.keys('&')
        t.text('born-l')
        t.keys('Enter')
        busy = Popen(['bash', '-c', 'exec -a born-later bash -c "while :; do :; done"'])
        try:
            t.wait_for('born-later')
        finally:
            busy.kill()
            busy.wait()
        t.keys('Q')
        t.wait_for('rc=0')


def check_live_bytes(place):
    """What is drawn anew all the time is bounded for a terminal far away, however large it is."""
    seconds, bound, frame, first_frames_s = 8, 20000, 45000, 3
    env = dict(os.environ, TERM='xterm-256color', XDG_STATE_HOME=place)
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(tptui, [tptui, 'live', '--with', 'sched,syscalls,irq'], env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 110, 250, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    busy = [Popen(['sh', '-c', 'while :; do true | true; done']) for _ in range(4)]
    drawn, count_from = 0, time.monotonic() + first_frames_s
    try:
        while time.monotonic() < count_from + seconds:
            if select.select([fd], [], [], 0.1)[0]:
                read = len(os.read(fd, 1 << 16))
                drawn += read if time.monotonic() >= count_from else 0
        os.write(fd, b'Q')
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        pass  # it has ended
    for each in busy:
        each.kill()
        each.wait()
    expect('it ends', os.waitpid(pid, 0)[1], 0)
    expect('bytes drawn in %d s: %d' % (seconds, drawn), drawn < bound * seconds + frame)


def check_endings(place, tracefs):
    trace = os.path.join(place, 'ending.pftrace')
    halves = os.urandom(8).hex(), os.urandom(8).hex()  # no other program of this machine has them in its command line
    status, out, err = record('-o', '-', '--with', 'sched', '--', 'sh', '-c', 'printf %%s%%s %s %s; exit 3' % halves)
    expect('the exit status is the command\'s', status, 3)
    expect('what it prints is not in the trace', (''.join(halves).encode() in out, ''.join(halves) in err), (False, True))
    status, out, err = record('-o', trace, '--', '/nowhere/no-such-program')
    expect('a program that is not there: %s' % err, (status, 'no-such-program: No such file' in err, os.path.exists(trace)),
           (2, True, False))
    for number_ in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = start('--with', 'sched', '-t', '600', '-o', trace)
        tracefs.wait_for(p)
        time.sleep(0.5)
        p.send_signal(number_)
        p.communicate(timeout=PATIENCE)
        expect('signal %d ends it in order' % number_, p.returncode, 0)
        expect('what was recorded until then is there', number(trace, 'SELECT count() FROM sched') > 0)
    read, write = os.pipe()
    p = start('--with', 'sched', '-t', '600', '-o', '-', stdout=write, stderr=subprocess.DEVNULL)
    os.close(write)
    os.read(read, 100)
    os.close(read)
    expect('a closed pipe ends it', p.wait(timeout=PATIENCE), 0)
    expect('no instance is left', tracefs.instances(), [])


def has_rows(trace):
    return os.path.exists(trace) and os.path.getsize(trace) > 0 and number(trace, 'SELECT count() FROM sched') > 0


def kill_one(trace, tracefs):
    """Ends one of two recorders by kill -9. Returns whether the next one that is begun here says so."""
    p, other = (start('--with', 'sched', '-t', '600', '-o', trace + end, stderr=subprocess.DEVNULL) for end in ('', '2'))
    tracefs.wait_for(p)
    tracefs.wait_for(other)
    wait_until('whole packets are written before', lambda: has_rows(trace))
    p.kill()
    p.wait()
    status, out, err = record('--with', 'sched', '-t', '0.3', '-o', trace + '3')
    expect('what it left is gone, and not that of the other', [name.split('.')[1] for name in tracefs.instances()], [str(other.pid)])
    other.terminate()
    expect('which ends in order', (other.wait(timeout=PATIENCE), tracefs.instances()), (0, []))
    return 'removed what a recorder that was killed had left enabled: tptui.%d.' % p.pid in err


def check_killed(place, tracefs):
    """kill -9: the next one removes what is left, but nothing of one that runs."""
    # Another recorder of this machine may be the next one, and say so to others.
    expect('the next one tells', any(kill_one(os.path.join(place, 'killed%d.pftrace' % i), tracefs) for i in range(5)))


def check_stopped(place, tracefs):
    """Stopped for a while (SIGSTOP), with a small buffer: what is lost is counted, where it is missing."""
    trace = os.path.join(place, 'stopped.pftrace')
    p = start('--with', 'syscalls', '--buffer', '256K', '-t', '600', '-o', trace)
    tracefs.wait_for(p)
    p.send_signal(signal.SIGSTOP)
    subprocess.run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=100000'], stderr=subprocess.DEVNULL)
    p.send_signal(signal.SIGCONT)
    # What comes behind the loss is marked: it goes on for a while.
    subprocess.run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=1000'], stderr=subprocess.DEVNULL)
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=PATIENCE)[1].decode()
    lost = number(trace, """SELECT sum(value) FROM stats WHERE name IN ('ftrace_cpu_overrun_delta', 'ftrace_cpu_commit_overrun_delta',
        'ftrace_cpu_dropped_events_delta')""")
    expect('lost events are counted: %f' % lost, lost > 1000)
    expect('and said: %s' % err, '%d events were lost' % lost in err)
    expect('and marked', number(trace, "SELECT count() FROM stats WHERE name = 'ftrace_cpu_has_data_loss' AND value > 0") > 0)


STUB = """#!/bin/sh
# What ssh is here: -T -- HOST COMMAND
[ "$1 $2 $3" = "-T -- box" ] || { echo "ssh: no $3" >&2; exit 255; }
echo "what a shell's own files print"
TMPDIR=%s PATH=%s exec sh -c "$4"
"""


def below(pid):
    """The processes that a process has started, and these."""
    own = [int(p) for p in subprocess.run(['pgrep', '-P', str(pid)], capture_output=True, check=False).stdout.split()]
    return own + [p for q in own for p in below(q)]


def check_odd_remotes():
    """Another side that goes on when it has closed its stdout, or never says what is expected, can be left."""
    with tempfile.TemporaryDirectory() as folder:
        stub, trace = os.path.join(folder, 'ssh'), os.path.join(folder, 'remote.pftrace')
        env = dict(os.environ, PATH=folder + ':' + os.environ['PATH'])
        for what, script in ('closed', 'exec >&-; echo here >&2; exec sleep 1000'), ('endless', 'echo here >&2; exec yes'), (
                'loud', "trap '' HUP INT; echo here >&2; while :; do echo more >&2; done"):
            with open(stub, 'w') as f:
                f.write('#!/bin/sh\n%s\n' % script)
            os.chmod(stub, 0o755)
            p = start('--ssh', 'box', '-o', trace, env=env, start_new_session=True)
            expect(what, p.stderr.readline(), b'here\n')
            p.send_signal(signal.SIGINT)
            time.sleep(0.5)
            p.send_signal(signal.SIGTERM)
            try:
                p.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.communicate()
            expect('another side that is %s: %d' % (what, p.returncode), p.returncode > 0 and not os.path.exists(trace))


def check_remote(place):
    """By a program in ssh's place: the trace comes back, and nothing is left, whatever ends it."""
    there, folder = os.path.join(place, 'there'), os.path.join(place, 'stub')
    os.mkdir(there)
    os.mkdir(folder)
    installed = os.path.join(place, 'installed')
    os.mkdir(installed)
    with open(os.path.join(folder, 'ssh'), 'w') as f:
        f.write(STUB % (there, installed + ':/usr/bin:/bin'))
    os.chmod(os.path.join(folder, 'ssh'), 0o755)
    env = dict(os.environ, PATH=folder + ':' + os.environ['PATH'])
    trace, config = os.path.join(place, 'remote.pftrace'), os.path.join(place, 'remote.cfg')
    with open(trace, 'wb') as f:
        f.write(b'old' * 1000000)  # is overwritten
    status, out, err = record('--ssh=box', '--with', 'sched', '-o', trace, '--', 'sh', '-c', 'echo "it\'s $1"; cat; exit 3', '-', '$HOME',
                              env=env)
    expect('a command there: %s' % err, (status, "it's $HOME\n" in err), (3, True))
    expect('the trace is here', number(trace, 'SELECT count() FROM sched') > 0 and os.path.getsize(trace) < 3000000)
    expect('nothing is there', os.listdir(there), [])
    with open(config, 'w') as f:
        f.write('duration_ms: 300 data_sources { config { name: "linux.ftrace" ftrace_config { ftrace_events: "sched_switch" } } }')
    status, out, err = record('--ssh', 'box', '--config', config, '-o', '-', env=env)
    expect('with a config: %s' % err, (status, len(out) > 1000, 'events: 1, for 0.3 s' in err), (0, True, True))
    with open(trace, 'wb') as f:
        f.write(out)
    with open(trace, 'rb') as f:
        expect('the trace keeps the rules', list(problems(f.read())), [])
    os.remove(trace)
    for number_ in signal.SIGINT, signal.SIGKILL:
        p = start('--ssh', 'box', '--with', 'sched', '-t', '600', '-o', trace, env=env)
        wait_until('rows come while it records', lambda: has_rows(trace))
        expect('the program is there', [len(os.listdir(os.path.join(there, name))) for name in os.listdir(there)], [1])
        p.send_signal(number_)
        p.communicate(timeout=PATIENCE)
        expect('signal %d ends it' % number_, p.returncode, 0 if number_ == signal.SIGINT else -signal.SIGKILL)
        wait_until('nothing is left there', lambda: not os.listdir(there))
        expect('what was recorded until then is here', number(trace, 'SELECT count() FROM sched') > 0)
        os.remove(trace)
    p = start('--ssh', 'box', '--with', 'sched', '-t', '600', '-o', trace, env=env)
    wait_until('rows come while it records', lambda: has_rows(trace))
    for pid in below(p.pid):
        os.kill(pid, signal.SIGKILL)
    err = p.communicate(timeout=PATIENCE)[1].decode()
    expect('a connection that is lost is told: %s' % err, (p.returncode, 'connection to box was lost' in err), (3, True))
    expect('what had come is kept', number(trace, 'SELECT count() FROM sched') > 0)
    os.remove(trace)
    for name in os.listdir(there):  # what was killed has left it
        shutil.rmtree(os.path.join(there, name))
    with open(os.path.join(installed, 'tptui'), 'w') as f:
        f.write('#!/bin/sh\ntouch %s/used\nexec %s "$@"\n' % (place, tptui))
    os.chmod(os.path.join(installed, 'tptui'), 0o755)
    expect('the same build is taken where it is', record('--ssh', 'box', '-t', '0.3', '-o', trace, env=env)[0], 0)
    expect('it is', os.path.exists(os.path.join(place, 'used')))
    expect('nothing is there', os.listdir(there), [])
    os.remove(trace)
    status, out, err = record('--ssh', 'nowhere', '-o', trace, env=env)
    expect('no such host: %s' % err, (status, 'ssh: no nowhere' in err, os.path.exists(trace)), (3, True, False))
    expect('no host at all', record('--ssh', '-oProxyCommand=x', '-o', trace, env=env)[0], 2)


def check_full_disk(place):
    trace = os.path.join(place, 'full.pftrace')

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000000, 2000000))
    # Some thousand switches a second, so that a packet is a small part of what fits.
    busy = Popen(['sh', '-c', 'while :; do sleep 0; done'])
    try:
        status, out, err = record('--with', 'sched', '-t', '100', '-o', trace, preexec_fn=limit)
    finally:
        busy.kill()
        busy.wait()
    expect('a full disk is said: %s' % err, (status, 'cannot be written' in err), (3, True))
    with open(trace, 'rb') as f:
        expect('what is there is whole packets', list(problems(f.read())), [])
    expect('and rows', number(trace, 'SELECT count() FROM sched') > 0)


def check_other_user(place):
    folder = os.path.join(place, 'other')
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    status, out, err = record('--with', 'sched', '-t', '0.3', '-o', os.path.join(folder, 'x'), user=OTHER, group=OTHER, extra_groups=[])
    expect('without root it says what is missing: %s' % err, 'sched: tracefs wants root' in err)
    expect('and that nothing is left to record', (status, os.listdir(folder)), (3, []))
    trace = os.path.join(folder, 'x')
    status, out, err = record('--with', 'sched,mem', '-t', '1', '-o', trace, user=OTHER, group=OTHER, extra_groups=[])
    expect('the others are recorded', (status, number(trace, 'SELECT count() > 0 FROM counter')), (0, 1))
    status, out, err = record('-o', trace, '--', program, user=OTHER, group=OTHER, extra_groups=[])
    with open('/proc/sys/kernel/perf_event_paranoid') as f:
        may = int(f.read()) < 3
    sampled = number(trace, "SELECT count() FROM perf_sample JOIN thread USING (utid) WHERE thread.name = 'spinner'")
    expect('of a command of its own, stacks: %s' % err, sampled > 10, may)


def check_usage():
    expect('no terminal, no file', record()[0], 2)
    expect('an unknown source', 'there is no source frobs' in record('--with', 'frobs', '-o', '/dev/null')[2])
    expect('a word before --', record('-o', '/dev/null', 'ls')[0], 2)
    listed = record('--list')[1].decode()
    expect('the list', '* sched' in listed and '  syscalls' in listed)
    expect('events by pattern', record('--events', 'sched:nothing_*', '--with', 'sched', '-t', '0.1', '-o', '/dev/null')[2]
           .find('tptui: no event sched:nothing_*') >= 0)


def main():
    check_odd_remotes()
    if failures:
        return 1
    if os.getuid() != 0:
        print('skipped: not root')
        return 77
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        tracefs = Tracefs(place)
        if not tracefs.there:
            print('skipped: there is no tracefs')
            return 77
        try:
            before = tracefs.settings()
            check_program(place)
            check_dwarf(place)
            check_probe(place, tracefs)
            check_flags(place)
            check_polled(place)
            check_config(place)
            check_ring(place, tracefs)
            check_keep(place, tracefs)
            if os.environ.get('CI'):
                check_cpu_offline(place, tracefs)
                check_clock_step(place, tracefs)
            else:
                print('not checked, as it disturbs others: a CPU that goes, a clock that is set (CI=1 does)')
            check_live(place, tracefs)
            check_live_bytes(place)
            check_endings(place, tracefs)
            check_killed(place, tracefs)
            check_stopped(place, tracefs)
            check_remote(place)
            check_full_disk(place)
            check_other_user(place)
            check_usage()
            expect('global settings are as before', tracefs.settings(), before)
            expect('no instance is left at the end', tracefs.instances(), [])
        finally:
            tracefs.leave()
    return 1 if failures else 0


sys.exit(main())
