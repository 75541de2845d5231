#!/usr/bin/env python3
"""What recording costs, beside trace-cmd and perf on the same load: CPU time, memory, events lost.

Usage: record.py TPTUI [--seconds S]

A program makes system calls at a fixed rate, each of which is two events; both record raw_syscalls. Needs root, tracefs, a C
compiler and, for the comparison, trace-cmd and perf. trace-cmd compresses nothing, as tptui does not. It writes to
set_ftrace_filter, set_ftrace_notrace and set_ftrace_pid of tracefs, and to /proc/sys/kernel/ftrace_enabled: where the kernel
refuses that, it cannot record unless files are mounted over them.
"""
import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time

LOAD = r'''
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
int main(int argc, char **argv)
{
    double rate = atof(argv[1]), seconds = atof(argv[2]), begun = now(), passed;
    for (long done = 0; argc > 2 && (passed = now() - begun) < seconds; usleep(2000))
        for (long want = (long)(passed * rate); done < want; done++)
            syscall(SYS_getppid);
    return 0;
}
'''


def processes(pid):
    """The process and all below it."""
    found = [pid]
    for parent in found:
        try:
            with open('/proc/%d/task/%d/children' % (parent, parent)) as f:
                found += map(int, f.read().split())
        except OSError:
            pass
    return found


def memory_of(pid):
    """The most that the processes had, in MB."""
    total = 0
    for each in processes(pid):
        try:
            with open('/proc/%d/status' % each) as f:
                total += int(re.search(r'VmHWM:\s+(\d+)', f.read()).group(1))
        except (OSError, AttributeError):
            pass
    return total / 1024


def run(command, load, rate, seconds):
    """CPU seconds of it and its children, memory in MB, what it printed; while the load runs in two processes."""
    with tempfile.TemporaryFile() as said:
        p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        time.sleep(1)
        loads = [subprocess.Popen([load, str(rate / 4), str(seconds)]) for _ in range(2)]
        for each in loads:
            each.wait()
        memory = memory_of(p.pid)
        _, status, usage = os.wait4(p.pid, 0)
        said.seek(0)
        errors = said.read().decode()
    if status:
        raise RuntimeError(errors)
    return usage.ru_utime + usage.ru_stime, memory, errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tptui')
    parser.add_argument('--seconds', type=float, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        source, load = os.path.join(place, 'load.c'), os.path.join(place, 'load')
        with open(source, 'w') as f:
            f.write(LOAD)
        subprocess.run(['cc', '-O2', '-o', load, source], check=True)
        length = args.seconds + 2
        ours, theirs = os.path.join(place, 'ours.pftrace'), os.path.join(place, 'theirs.dat')
        commands = [('tptui', [args.tptui, 'record', '--with', 'syscalls', '-t', str(length), '-o', ours], ours)]
        if shutil.which('trace-cmd'):
            commands.append(('trace-cmd', ['trace-cmd', 'record', '-q', '--compression', 'none', '-e', 'raw_syscalls', '-o', theirs,
                                           'sleep', str(length)], theirs))
        if shutil.which('perf'):
            samples = os.path.join(place, 'perf.data')
            commands.append(('perf', ['perf', 'record', '-q', '-a', '-e', 'raw_syscalls:sys_enter,raw_syscalls:sys_exit', '-o', samples,
                                      'sleep', str(length)], samples))
        print('%-10s %10s %10s %12s %10s %10s %10s' % ('', 'wanted/s', 'events/s', 'CPU, % of 1', 'ns/event', 'MB', 'lost'))
        for rate in 100000, 500000:
            for name, command, out in commands:
                try:
                    cpu, memory, errors = run(command, load, rate, args.seconds)
                except RuntimeError as e:
                    print('%-10s cannot record here: %s' % (name, str(e).split('\n')[0]))
                    continue
                count = subprocess.run([args.tptui, 'query', '--no-cache', '--format', 'csv', out, 'SELECT count() FROM ftrace_event'],
                                       capture_output=True, check=True)
                events = int(count.stdout.decode().split()[-1])
                lost = sum(int(n) for found in re.findall(r'(\d+) events were lost|(\d+) events lost', errors) for n in found if n)
                print('%-10s %10d %10d %12.1f %10.0f %10.1f %10d' % (
                    name, rate, events / length, 100 * cpu / length, 1e9 * cpu / events, memory, lost))


main()
