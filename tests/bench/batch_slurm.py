#!/usr/bin/env python3
"""Measures `tptui batch --engine slurm` over traces that are as large as a job's memory, on a Slurm of one node that it starts.

Usage: batch_slurm.py [--traces N] [--size SIZE] [--memory MIB] [--jobs N] [--shared] GENERATOR TPTUI

GENERATOR (tests/gen/tptui-gen) writes a Linux trace of SIZE (1000M); the other N - 1 (20) are the same with packets without a
field behind it, so that none has the content of another. Two JOBS at a time have MIB (1024) of memory each: --memory says it
to the program, and to Slurm, whose control groups hold each job to it. Told are the CPU seconds of one trace outside of Slurm,
wall-clock and CPU seconds of all jobs, the most that one has held, with what the system keeps of files and without, and how
often the kernel ended a process. Exits with 1 where it did, or where rows are missing or others than outside. For root; all
lies below $TMPDIR, or /var/tmp, until the end.

--shared: instead, two runs at once over the same traces, each with half of the JOBS and a query of its own, and a third run when
these have ended; told are the seconds of both and of the third, without a cache and with one that the jobs share.
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from slurm_cluster import Cluster, is_possible

QUERY = 'SELECT count(*) AS n, max(dur) AS longest FROM slice'
GROUPS = pathlib.Path('/sys/fs/cgroup')
TICKS = os.sysconf('SC_CLK_TCK')


def numbers(path):
    """The words of a file of lines `NAME NUMBER`, or {}: the group may be gone."""
    try:
        return {line.split()[0]: int(line.split()[1]) for line in path.read_text().splitlines()}
    except OSError:
        return {}


def number(path):
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0


class Watch(threading.Thread):
    """Looks at the groups of Slurm's jobs, and what runs in them, until it is told to end."""

    def __init__(self, names):
        super().__init__()
        self.names = names  # of the cluster's groups
        self.most = self.own = self.kills = 0
        self.limits, self.cpu, self.ended = set(), {}, threading.Event()

    def look_at(self, job):
        first = (job / 'memory.stat').exists() and (job / 'memory.limit_in_bytes').exists()
        stat = numbers(job / 'memory.stat')
        self.most = max(self.most, number(job / ('memory.max_usage_in_bytes' if first else 'memory.peak')))
        self.own = max(self.own, stat.get('total_rss' if first else 'anon', 0))
        self.limits.add(number(job / ('memory.limit_in_bytes' if first else 'memory.max')))
        for group in job.rglob('cgroup.procs'):
            events = numbers(group.parent / ('memory.oom_control' if first else 'memory.events'))
            self.kills = max(self.kills, events.get('oom_kill', 0))
            for pid in group.read_text().split():
                words = pathlib.Path('/proc', pid, 'stat').read_text().rsplit(')', 1)[1].split()
                self.cpu[pid] = sum(map(int, words[11:13])) / TICKS

    def run(self):
        while not self.ended.wait(0.1):
            for pattern in self.names:
                for job in GROUPS.glob(pattern):
                    try:
                        self.look_at(job)
                    except OSError:  # it has just ended
                        pass


def make_traces(folder, args):
    size = int(args.size[:-1]) << {'M': 20, 'G': 30}[args.size[-1]]
    free = shutil.disk_usage(folder).free
    if free < args.traces * size + args.jobs * 4 * size:
        raise SystemExit('batch_slurm.py: %d MB are free in %s: too few' % (free >> 20, folder))
    traces = [os.path.join(folder, 'trace%02d' % i) for i in range(args.traces)]
    subprocess.run([args.generator, '--profile', 'linux', '--size', args.size, traces[0]], check=True)
    for i, trace in enumerate(traces[1:]):
        shutil.copy(traces[0], trace)
        with open(trace, 'ab') as f:
            f.write(b'\x0a\x00' * (i + 1))
    return traces


def measure(folder, args, traces):
    tptui = os.path.abspath(args.tptui)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    alone = subprocess.run([tptui, 'batch', '--no-cache', QUERY, traces[0]], stdout=subprocess.PIPE, check=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print('one trace with all memory: %.1f s CPU' % (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    want = [traces[0] + ',' + alone.splitlines()[1].split(',', 1)[1]]
    want += [want[0].replace(traces[0], trace) for trace in traces[1:]]
    watch = Watch(['memory/slurm*/uid_*/job_*', 'system.slice/*slurmstepd.scope/job_*'])
    watch.start()
    begin = time.monotonic()
    done = subprocess.run([tptui, 'batch', '--engine', 'slurm', '--jobs', str(args.jobs), '--memory', '%dM' % args.memory,
                           '--no-cache', '--resume', os.path.join(folder, 'rows'), QUERY, *traces], stdout=subprocess.PIPE,
                          check=False, text=True)
    seconds = time.monotonic() - begin
    watch.ended.set()
    watch.join()
    rows = done.stdout.splitlines()[1:]
    good = sum(row in want for row in rows) if len(set(rows)) == len(rows) else 0
    print('%d of %d traces have their rows, status %d' % (good, len(traces), done.returncode))
    print('%.0f s wall-clock, %.0f s CPU of %d processes' % (seconds, sum(watch.cpu.values()), len(watch.cpu)))
    print('a job may hold %s MiB; most: %d with files, %d without; %d killed' % (
        '/'.join(str(limit >> 20) for limit in sorted(watch.limits)), watch.most >> 20, watch.own >> 20, watch.kills))
    held = watch.limits == {args.memory << 20}
    return not held or done.returncode != 0 or good < len(traces) or watch.kills > 0


def run_shared(folder, args, traces, words):
    """Wall-clock and CPU seconds of two runs at once, and of a third."""
    figures = []
    for queries in ([QUERY, 'SELECT count(*) AS n FROM sched'], ['SELECT count(*) AS n FROM thread']):
        watch = Watch(['memory/slurm*/uid_*/job_*', 'system.slice/*slurmstepd.scope/job_*'])
        watch.start()
        begin = time.monotonic()
        runs = [subprocess.Popen([os.path.abspath(args.tptui), 'batch', '--engine', 'slurm', '--jobs', str(max(1, args.jobs // 2)),
                                  '--memory', '%dM' % args.memory, '--resume', os.path.join(folder, 'rows'), *words, query, *traces],
                                 stdout=subprocess.PIPE, text=True) for query in queries]
        rows = [len(run.communicate()[0].splitlines()) - 1 for run in runs]
        figures.append((time.monotonic() - begin, sum(watch.cpu.values())))
        watch.ended.set()
        watch.join()
        if rows != [len(traces)] * len(rows) or any(run.returncode for run in runs):
            raise SystemExit('batch_slurm.py: rows are missing: %s' % rows)
    return figures


def measure_shared(folder, args, traces):
    cache = os.path.join(folder, 'cache')
    for words in ['--no-cache'], ['--cache-folder', cache]:
        print('%s: two at once %.0f s wall-clock, %.1f s CPU; a third %.0f s, %.1f s CPU' % (
            words[0], *[x for pair in run_shared(folder, args, traces, words) for x in pair]))
        shutil.rmtree(os.path.join(folder, 'rows'))
    kept = [name for name in os.listdir(cache) if name.endswith('.columns')]
    print('%d of %d traces are kept' % (len(kept), len(traces)))
    return len(kept) < len(traces)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--traces', type=int, default=20)
    parser.add_argument('--size', default='1000M')
    parser.add_argument('--memory', type=int, default=1024)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--shared', action='store_true')
    parser.add_argument('generator')
    parser.add_argument('tptui')
    args = parser.parse_args()
    if not is_possible():
        raise SystemExit('batch_slurm.py: Slurm is not installed, or this is not root')
    with tempfile.TemporaryDirectory(dir=os.environ.get('TMPDIR', '/var/tmp')) as folder:
        cluster = Cluster(folder, args.jobs * args.memory, is_limited=True)
        try:
            run = measure_shared if args.shared else measure
            return run(folder, args, make_traces(folder, args)) if cluster.ready else True
        finally:
            cluster.end()


sys.exit(main())
