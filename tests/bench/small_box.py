#!/usr/bin/env python3
"""Measures what a trace costs that is larger than memory: in a control group, and without one.

Usage: small_box.py [--memory MIB] [--queries FOLDER] TPTUI TRACE

TRACE is loaded with and without a control group of MIB (512) of memory, each time anew: by a statement that reads nothing,
by the findings, and for each FILE.sql of FOLDER; and opened in the timeline until its first picture, which may be of a part
of it, and until that of all stands. Wall-clock and CPU seconds of all threads, the most memory that the group has held, with
what the system keeps of files, and how often the kernel ended a process in it. Exits with 1 where it did, or where more than
1.5 times the CPU time was used. Groups are made by root only; both versions of control groups do. What is unpacked or too
large goes to $TMPDIR, or /var/tmp.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time

import reopen

MOST = 1.5  # times the CPU time
NAME = 'tptui-small-box'


class Group:
    """A control group with a limit of memory, of whichever version the memory controller is."""

    def __init__(self, mib):
        first = pathlib.Path('/sys/fs/cgroup/memory')
        self.is_first = first.is_dir()
        self.path = (first if self.is_first else pathlib.Path('/sys/fs/cgroup')) / NAME
        self.path.mkdir(exist_ok=True)
        self.write('memory.limit_in_bytes' if self.is_first else 'memory.max', mib << 20)
        if not self.is_first:
            self.write('memory.swap.max', 0)

    def write(self, name, value):
        if (self.path / name).exists():
            (self.path / name).write_text(str(value))

    def read(self, name):
        return (self.path / name).read_text()

    def begin(self):
        self.write('memory.max_usage_in_bytes' if self.is_first else 'memory.peak', 0)

    def most(self):
        name = 'memory.max_usage_in_bytes' if self.is_first else 'memory.peak'
        return int(self.read(name)) / 1048576 if (self.path / name).exists() else 0

    def kills(self):
        lines = self.read('memory.oom_control' if self.is_first else 'memory.events').splitlines()
        return sum(int(line.split()[1]) for line in lines if line.split()[0] == 'oom_kill')

    def command(self, words):
        return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', str(self.path / 'cgroup.procs'), *words]

    def remove(self):
        for _ in range(50):  # until the kernel has let go of what was in it
            try:
                return self.path.rmdir()
            except OSError:
                time.sleep(0.1)


def run(words):
    """(status, wall-clock seconds, CPU seconds) of a command whose output is not looked at."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
    return done.returncode, time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_picture(words):
    seconds, cpu, _ = reopen.measure(words, reopen.FIRST)
    return 0, seconds, cpu


def whole_picture(words):
    seconds, cpu, _ = reopen.measure(words)
    return 0, seconds, cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--memory', type=int, default=512)
    parser.add_argument('--queries')
    parser.add_argument('tptui')
    parser.add_argument('trace')
    args = parser.parse_args()
    tptui, trace = os.path.abspath(args.tptui), args.trace
    tasks = [('load', run, [tptui, 'query', trace, 'SELECT 1', '--no-cache']),
             ('first picture', first_picture, [tptui, trace, '--no-cache']),
             ('picture of all', whole_picture, [tptui, trace, '--no-cache']),
             ('findings', run, [tptui, 'explain', trace, '--no-cache'])]
    tasks += [(path.stem, run, [tptui, 'query', trace, '-f', str(path), '--no-cache'])
              for path in sorted(pathlib.Path(args.queries).glob('*.sql'))] if args.queries else []
    group, failed = Group(args.memory), False
    print('%-28s %9s %9s %9s %9s %6s %8s %s' % ('seconds', 'wall', 'CPU', 'wall in', 'CPU in', 'times', 'most MiB', 'killed'))
    try:
        for name, how, words in tasks:
            status, wall, cpu = how(words)
            group.begin()
            kills = group.kills()
            status_in, wall_in, cpu_in = how(group.command(words))
            kills = group.kills() - kills
            bad = status_in != status or kills > 0 or cpu_in > MOST * cpu
            failed |= bad
            times = 'killed' if kills else '%.2f' % (cpu_in / cpu if cpu else 0)
            print('%-28s %9.2f %9.2f %9.2f %9.2f %6s %8.0f %6d%s' % (
                name, wall, cpu, wall_in, cpu_in, times, group.most(), kills, ' *' if bad else ''), flush=True)
    finally:
        group.remove()
    return failed


sys.exit(main())
