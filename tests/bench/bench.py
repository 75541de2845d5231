#!/usr/bin/env python3
"""Measures how long traces take to load, how much memory that needs and what the timeline draws.

Usage: bench.py TPTUI [TRACE...]

Without TRACE, traces are taken from the variable TRACES (paths with spaces between them). Each figure is the
best of several runs, as the others only measure what else the machine did.

load      `tptui query TRACE "SELECT 1"`: wall-clock seconds, seconds of CPU time, peak memory
all       the same when every row of every table and all args are read once
instr     user-space instructions of `load`, where the machine counts them (perf) or valgrind does
frame     from the start of `tptui TRACE` in a terminal of 200x50 to its first picture with content
pan       one step along the timeline: bytes and write calls to the terminal
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from terminal import Terminal

RUNS = int(os.environ.get('BENCH_RUNS', '5'))
QUIET = 0.3        # seconds without output after which a frame is complete
PANS = 40
MARKER = b'data loss'  # in the header of the timeline
# What a trace fills.
TABLES = ('slice', 'thread_state', 'sched', 'counter', 'thread', 'process', 'track', 'flow', 'ftrace_event',
          'instant', 'cpu', 'android_logs', 'stats', 'metadata', 'clock_snapshot')
ARGS = 'SELECT count(*), sum(length(key)), sum(length(display_value)) FROM args'


def read_all(tptui, trace):
    """SQL that reads every column of every row of the tables, and every arg."""
    queries = []
    for table in TABLES:
        sql = "SELECT group_concat('count(' || name || ')') FROM pragma_table_info('%s')" % table
        done = subprocess.run([tptui, 'query', '--format', 'jsonl', trace, sql], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=True, text=True)
        queries.append('SELECT %s FROM %s' % (next(iter(json.loads(done.stdout).values())), table))
    return ';'.join(queries + [ARGS])


def run_once(command):
    """(seconds, CPU seconds, peak MiB) of a command, which must succeed."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit('bench.py: exit status %d: %s' % (process.returncode, command))
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command):
    runs = [run_once(command) for _ in range(RUNS)]
    return tuple(min(r[i] for r in runs) for i in range(3))


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


def first_frame(command, marker):
    """Seconds until `marker`, which only a drawn timeline holds, has come out."""
    terminal = Terminal(command)
    found = terminal.wait_for(marker)
    seconds = time.monotonic() - terminal.begin
    terminal.close()
    return seconds if found else None


def pan(command, steps):
    """(bytes, seconds) that all steps take."""
    terminal = Terminal(command)
    terminal.wait_for(MARKER)
    terminal.settle(QUIET)
    for key in b'\t', b'w', b'w', b'w':  # from the findings to the timeline, and closer
        terminal.frame(key, QUIET)
    size, spent = 0, 0.0
    for i in range(steps):
        bytes_out, seconds = terminal.frame(b'd' if i < steps // 2 else b'a', QUIET)
        size += bytes_out
        spent += seconds
    terminal.close()
    return size, spent


def pan_writes(command):
    """Writes to the terminal for one step, None where strace is not there to count them."""
    if not shutil.which('strace'):
        return None
    calls = []
    for steps in 0, PANS:
        with tempfile.NamedTemporaryFile('r') as log:
            pan(['strace', '-f', '-y', '-e', 'trace=write,writev', '-o', log.name] + command, steps)
            calls.append(sum('</dev/pts/' in line or '</dev/tty' in line for line in log))
    return (calls[1] - calls[0]) / PANS


def number(value):
    return '-' if value is None else '%.1f' % value


def main():
    tptui, traces = sys.argv[1], sys.argv[2:] or os.environ.get('TRACES', '').split()
    timeline = os.environ.get('BENCH_TIMELINE', '1') != '0'
    print('%-22s %7s | %6s %6s %7s | %6s %6s %7s | %8s | %7s | %7s %6s %6s' % (
        'trace', 'MB', 'load s', 'cpu s', 'MiB', 'all s', 'cpu s', 'MiB', 'instr M', 'frame s', 'pan B', 'writes', 'ms'))
    for trace in traces:
        load = best([tptui, 'query', trace, 'SELECT 1'])
        everything = best([tptui, 'query', trace, read_all(tptui, trace)])
        count = instructions([tptui, 'query', trace, 'SELECT 1'])
        frame = min((first_frame([tptui, trace], MARKER) or 0 for _ in range(RUNS)), default=0) if timeline else 0
        panned = pan([tptui, trace], PANS) if timeline else (0, 0)
        writes = pan_writes([tptui, trace]) if timeline else None
        name = os.path.basename(trace)
        if name.startswith('trace.'):
            name = os.path.basename(os.path.dirname(trace))
        print('%-22s %7.1f | %6.3f %6.3f %7.1f | %6.3f %6.3f %7.1f | %8s | %7.3f | %7.0f %6s %6.1f' % (
            name, os.path.getsize(trace) / 1e6, *load, *everything, number(count and count / 1e6),
            frame, panned[0] / PANS, number(writes), panned[1] / PANS * 1000), flush=True)


if len(sys.argv) < 2:
    raise SystemExit(__doc__)
main()
