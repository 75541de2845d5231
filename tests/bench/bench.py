#!/usr/bin/env python3
"""Measures how long traces take to load, how much memory that needs and what the timeline draws.

Usage: bench.py TPTUI [TRACE...]

Without TRACE, traces are taken from the variable TRACES (paths with spaces between them). Each figure is the
best of several runs, as the others only measure what else the machine did.

load      `tptui query TRACE "SELECT 1"`: wall-clock seconds, peak memory
all       the same when every row of every table and all args are read once
instr     user-space instructions of `load`, where the machine counts them (perf) or valgrind does
frame     from the start of `tptui TRACE` in a terminal of 200x50 to its first picture with content
pan       one step along the timeline: bytes and write calls to the terminal
"""
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

RUNS = int(os.environ.get('BENCH_RUNS', '5'))
WIDTH, HEIGHT = 200, 50
QUIET = 0.3        # seconds without output after which a frame is complete
PANS = 40
# Every column of every row of what a trace fills, args last.
ALL = ';'.join('SELECT count(*) FROM (SELECT * FROM %s)' % table for table in (
    'slice', 'thread_state', 'sched', 'counter', 'thread', 'process', 'track', 'flow', 'ftrace_event',
    'instant', 'cpu', 'android_logs', 'stats', 'metadata', 'clock_snapshot')) + \
    ';SELECT count(*), sum(length(key)), sum(length(display_value)) FROM args'


def run_once(command):
    """(seconds, peak MiB) of a command, which must succeed."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit('bench.py: exit status %d: %s' % (process.returncode, command))
    return seconds, usage.ru_maxrss / 1024


def best(command):
    runs = [run_once(command) for _ in range(RUNS)]
    return min(r[0] for r in runs), min(r[1] for r in runs)


def instructions(command):
    """User-space instructions, or None where nothing here can count them."""
    if shutil.which('perf'):
        run = subprocess.run(['perf', 'stat', '-x', ',', '-e', 'instructions:u'] + command, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        count = run.stderr.strip().split('\n')[-1].split(',')[0]
        if count.isdigit():
            return int(count)
    if not shutil.which('valgrind') or not os.environ.get('BENCH_VALGRIND'):
        return None
    run = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null'] + command,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in run.stderr.split('\n'):
        if 'I ' in line and 'refs:' in line:
            return int(line.split(':')[1].replace(',', ''))
    return None


class Terminal:
    """The program in a pseudo-terminal that shows nothing but reads everything."""

    def __init__(self, command):
        self.begin = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ['TERM'] = 'xterm-256color'
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', HEIGHT, WIDTH, 0, 0))
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', HEIGHT, WIDTH, 0, 0))

    def read(self, wait):
        """What arrives within `wait` seconds, b'' where nothing does."""
        if not select.select([self.fd], [], [], wait)[0]:
            return b''
        try:
            return os.read(self.fd, 1 << 16)
        except OSError:
            return b''

    def settle(self):
        """Reads until nothing comes any more; (bytes, time of the last of them)."""
        total, last = 0, time.monotonic()
        while True:
            data = self.read(QUIET)
            if not data:
                return total, last
            total += len(data)
            last = time.monotonic()

    def writes(self):
        with open('/proc/%d/io' % self.pid, encoding='ascii') as f:
            return int(next(line for line in f if line.startswith('syscw')).split()[1])

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        while self.read(0.5):
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def first_frame(command, marker):
    """Seconds until `marker`, which only a drawn timeline holds, has come out."""
    terminal = Terminal(command)
    seen = b''
    while marker not in seen:
        data = terminal.read(60)
        if not data:
            terminal.close()
            return None
        seen = seen[-64:] + data
    seconds = time.monotonic() - terminal.begin
    terminal.close()
    return seconds


def pan(command):
    """(bytes, writes, seconds) for one step."""
    terminal = Terminal(command)
    terminal.settle()
    size = writes = 0
    spent = 0.0
    for i in range(PANS):
        before, begin = terminal.writes(), time.monotonic()
        os.write(terminal.fd, b'd' if i < PANS // 2 else b'a')
        bytes_out, last = terminal.settle()
        size += bytes_out
        writes += terminal.writes() - before
        spent += max(0.0, last - begin)
    terminal.close()
    return size / PANS, writes / PANS, spent / PANS


def main():
    tptui, traces = sys.argv[1], sys.argv[2:] or os.environ.get('TRACES', '').split()
    timeline = os.environ.get('BENCH_TIMELINE', '1') != '0'
    print('%-28s %8s %8s %8s %8s %8s %9s %8s %8s %8s %8s' % (
        'trace', 'MB', 'load s', 'MiB', 'all s', 'MiB', 'instr M', 'frame s', 'pan B', 'writes', 'pan ms'))
    for trace in traces:
        load = best([tptui, 'query', trace, 'SELECT 1'])
        everything = best([tptui, 'query', trace, ALL])
        count = instructions([tptui, 'query', trace, 'SELECT 1'])
        frame = min((first_frame([tptui, trace], b'CPU') or 0 for _ in range(RUNS)), default=0) if timeline else 0
        panned = pan([tptui, trace]) if timeline else (0, 0, 0)
        name = os.path.basename(trace)
        if name.startswith('trace.'):
            name = os.path.basename(os.path.dirname(trace))
        print('%-28s %8.1f %8.3f %8.1f %8.3f %8.1f %9s %8.3f %8.0f %8.2f %8.1f' % (
            name, os.path.getsize(trace) / 1e6, *load, *everything, '-' if count is None else '%.0f' % (count / 1e6),
            frame, panned[0], panned[1], panned[2] * 1000), flush=True)


if len(sys.argv) < 2:
    raise SystemExit(__doc__)
main()
