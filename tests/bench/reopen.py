#!/usr/bin/env python3
"""Measures how soon the timeline of a trace stands when it is opened again.

Usage: reopen.py TPTUI TRACE...

Each trace is opened until it is kept, with a cache of its own in $TMPDIR, then again, BENCH_RUNS times: wall-clock
seconds from the start of the process to its first picture of the timeline, the CPU seconds until then of all threads,
and its resident memory; the best of the runs.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

RUNS = int(os.environ.get('BENCH_RUNS', '5'))
WIDTH, HEIGHT = 200, 50
WHOLE = re.compile(rb'data loss')                   # in the header of the timeline
FIRST = re.compile(rb'data loss|first [0-9.]+ of ')  # the same, or of the first part of a trace
PATIENCE = 600         # seconds without any output: what is larger than memory is written out meanwhile
KEPT = 60.0            # seconds that writing what is kept may take
TICKS = os.sysconf('SC_CLK_TCK')


def used(pid):
    """(CPU seconds, resident MiB) of a process."""
    with open('/proc/%d/stat' % pid) as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, int(fields[21]) * os.sysconf('SC_PAGESIZE') / 1048576


def start(command):
    begin = time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ['TERM'] = 'xterm-256color'
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', HEIGHT, WIDTH, 0, 0))
        os.execvp(command[0], command)
    return begin, pid, fd


def wait_for_frame(fd, marker=WHOLE):
    seen = b''
    while not marker.search(seen):
        if not select.select([fd], [], [], PATIENCE)[0]:
            raise SystemExit('reopen.py: no picture of the timeline')
        seen = seen[-64:] + os.read(fd, 1 << 16)


def leave(pid, fd):
    os.close(fd)  # hangs up
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)


def wait_until_kept(folder):
    """Until the columns and the timeline's indexes are whole."""
    for _ in range(int(KEPT / 0.2)):
        time.sleep(0.2)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        if any(name.endswith('.timeline') for name in names) and not any(name.endswith('.tmp') for name in names):
            return


def measure(command, marker=WHOLE):
    begin, pid, fd = start(command)
    wait_for_frame(fd, marker)
    seconds = time.monotonic() - begin
    figures = (seconds, *used(pid))
    leave(pid, fd)
    return figures


def main():
    tptui, traces = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as cache:
        os.environ['XDG_CACHE_HOME'] = cache
        print('%-22s %7s | %6s %6s %7s | %8s' % ('trace', 'MB', 'wall s', 'cpu s', 'MiB', 'query s'))
        for trace in traces:
            _, pid, fd = start([tptui, trace])
            wait_for_frame(fd)
            wait_until_kept(os.path.join(cache, 'tptui'))
            leave(pid, fd)
            runs = [measure([tptui, trace]) for _ in range(RUNS)]
            begin = time.monotonic()
            subprocess.run([tptui, 'query', trace, 'SELECT 1'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            query = time.monotonic() - begin
            print('%-22s %7.1f | %6.3f %6.3f %7.1f | %8.3f' % (
                os.path.basename(trace), os.path.getsize(trace) / 1e6, *(min(run[i] for run in runs) for i in range(3)),
                query), flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main()
