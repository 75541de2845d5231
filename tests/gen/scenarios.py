#!/usr/bin/env python3
"""Writes a recording with one known fault among noise, or with none.

Usage: scenarios.py KIND SIZE SEED FILE
       scenarios.py --list

KIND is one that --list names; SIZE is small, medium or large. The scheduler, the locks and the disks of a small machine
are simulated in microseconds, and what they do is written as ftrace's text. Training on GPUs is written as PyTorch's
profiler writes it, a build as Ninja's log, samples as perf script's lines; browsers and heaps are in browser.py.
"""
import heapq
import json
import random
import sys

import browser

SIZES = {'small': 2, 'medium': 6, 'large': 20}  # seconds
SLICE_US = 4000  # that a thread runs while others of its priority wait


class Thread:
    def __init__(self, pid, tgid, name, priority, cpus):
        self.pid, self.tgid, self.name, self.priority, self.cpus = pid, tgid, name, priority, cpus
        self.steps = None  # a generator of what it does
        self.left = 0      # microseconds of work
        self.cpu = None
        self.state = 'new'
        self.wakes = 0     # that came before it waited


class Lock:
    def __init__(self):
        self.owner, self.waiting = None, []


class Machine:
    """Threads yield ('run', us), ('sleep', us), ('disk', us, function), ('lock', lock), ('unlock', lock), ('wait',),
    ('wake', thread) and ('mark', text)."""

    def __init__(self, cpus, seconds, rng):
        self.cpus, self.end, self.rng = cpus, int(seconds * 1e6), rng
        self.now, self.order, self.events, self.lines = 0, 0, [], []
        self.running, self.token, self.since = [None] * cpus, [0] * cpus, [0] * cpus
        self.speed, self.stolen = [1.0] * cpus, [0] * cpus
        self.ready, self.threads, self.next_pid = [], [], 1000
        self.apps = [] # what is told of processes by name, as a page of systrace's does

    # ---- what is written ----

    def line(self, cpu, text, flags='....'):
        thread = self.running[cpu]
        task = f'{thread.name}-{thread.pid}' if thread else '<idle>-0'
        tgid = f'({thread.tgid:5})' if thread else '(-----)'
        at = self.now + 1_000_000
        self.lines.append(f'{task:>22} {tgid} [{cpu:03}] {flags}  {at // 1000000}.{at % 1000000:06}: {text}')

    def switch(self, cpu, thread, state):
        before = self.running[cpu]
        if before is thread:
            return
        old = (before.name, before.pid, before.priority) if before else (f'swapper/{cpu}', 0, 120)
        new = (thread.name, thread.pid, thread.priority) if thread else (f'swapper/{cpu}', 0, 120)
        self.line(cpu, f'sched_switch: prev_comm={old[0]} prev_pid={old[1]} prev_prio={old[2]} prev_state={state} ==> '
                  f'next_comm={new[0]} next_pid={new[1]} next_prio={new[2]}', 'd..3')
        self.running[cpu] = thread

    # ---- who runs ----

    def process(self, name, pid=None):
        self.next_pid += 1
        return pid or self.next_pid

    def thread(self, name, steps, tgid=None, priority=120, cpus=None, start=0):
        self.next_pid += 1
        t = Thread(self.next_pid, tgid or self.next_pid, name, priority, cpus or list(range(self.cpus)))
        t.steps = steps(t)
        self.threads.append(t)
        self.at(start, lambda: self.wake(t, None))
        return t

    def at(self, time, what):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, what))

    def wake(self, thread, waker_cpu, reason=None):
        if thread.state in ('ready', 'running'):
            thread.wakes += 1
            return
        idle = [c for c in thread.cpus if self.running[c] is None]
        cpu = waker_cpu
        if cpu is None:
            cpu = idle[0] if idle else thread.cpus[0]
        self.line(cpu, f'sched_waking: comm={thread.name} pid={thread.pid} prio={thread.priority} target_cpu={cpu:03}',
                  'd..4' if waker_cpu is not None else 'd.h4')
        if reason:
            self.line(cpu, reason, 'd.h4')
        thread.state = 'ready'
        if idle:
            self.give_cpu(idle[self.rng.randrange(len(idle))], thread)
            return
        worse = [c for c in thread.cpus if self.running[c].priority > thread.priority]
        if worse:
            cpu = max(worse, key=lambda c: self.running[c].priority)
            self.stop(cpu, 'R')
            self.give_cpu(cpu, thread)
            return
        self.ready.append(thread)

    def stop(self, cpu, state):
        """Takes the CPU from what runs; the switch is written when the next one comes."""
        thread = self.running[cpu]
        thread.left -= self.done(cpu)
        thread.cpu = None
        if state == 'R':
            thread.state = 'ready'
            self.ready.append(thread)
        self.token[cpu] += 1
        self.leaving = state

    def done(self, cpu):
        return max(0, (self.now - self.since[cpu] - self.stolen[cpu]) * self.speed[cpu])

    def give_cpu(self, cpu, thread):
        state = getattr(self, 'leaving', 'S')
        self.leaving = 'S'
        self.switch(cpu, thread, state)
        thread.state, thread.cpu = 'running', cpu
        self.since[cpu], self.stolen[cpu] = self.now, 0
        self.token[cpu] += 1
        self.run_on(cpu)

    def run_on(self, cpu):
        thread, token = self.running[cpu], self.token[cpu]
        if thread.left <= 0:
            self.at(self.now + 1, lambda: self.step(cpu, token))
            return
        left = int(thread.left / self.speed[cpu]) + self.stolen[cpu] + 1
        whole = self.since[cpu] + left - self.now
        others = any(cpu in t.cpus and t.priority <= thread.priority for t in self.ready)
        if others and whole > SLICE_US:
            self.at(self.now + SLICE_US, lambda: self.expire(cpu, token))
        elif whole > SLICE_US:
            self.at(self.now + SLICE_US, lambda: self.look(cpu, token))
        else:
            self.at(self.now + max(1, whole), lambda: self.step(cpu, token))

    def account(self, cpu):
        self.running[cpu].left -= self.done(cpu)
        self.since[cpu], self.stolen[cpu] = self.now, 0

    def look(self, cpu, token):
        if token == self.token[cpu]:
            self.account(cpu)
            self.run_on(cpu)

    def expire(self, cpu, token):
        if token != self.token[cpu]:
            return
        if not any(cpu in t.cpus and t.priority <= self.running[cpu].priority for t in self.ready):
            self.look(cpu, token)
            return
        self.stop(cpu, 'R')
        self.pick(cpu)

    def pick(self, cpu):
        fit = [t for t in self.ready if cpu in t.cpus]
        if not fit:
            state, self.leaving = self.leaving, 'S'
            self.switch(cpu, None, state)
            return
        best = min(fit, key=lambda t: t.priority)
        self.ready.remove(best)
        self.give_cpu(cpu, best)

    def sleep(self, cpu, state='S'):
        thread = self.running[cpu]
        self.stop(cpu, state)
        thread.state, thread.left = 'asleep', 0
        self.pick(cpu)

    def step(self, cpu, token):
        """What a thread does when its work is done."""
        if token != self.token[cpu]:
            return
        thread = self.running[cpu]
        self.account(cpu)
        if thread.left > 1:
            self.run_on(cpu)
            return
        thread.left = 0
        while True:
            try:
                what = next(thread.steps)
            except StopIteration:
                self.sleep(cpu, 'X')
                return
            if what[0] == 'run':
                thread.left = what[1]
                self.run_on(cpu)
                return
            if what[0] == 'mark':
                self.line(cpu, f'tracing_mark_write: {what[1]}')
            elif what[0] == 'raw':
                self.line(cpu, what[1])
            elif what[0] == 'wake':
                self.wake(what[1], cpu)
                if self.token[cpu] != token:
                    return
            elif what[0] == 'sleep':
                self.at(self.now + max(1, what[1]), lambda t=thread: self.wake(t, None))
                self.sleep(cpu)
                return
            elif what[0] == 'disk':
                wait, function, io = what[1], what[2], what[3]
                self.at(self.now + max(1, wait), lambda t=thread: self.unblock(t, function, io))
                self.sleep(cpu, 'D')
                return
            elif what[0] == 'wait':
                if thread.wakes:
                    thread.wakes -= 1
                    continue
                self.sleep(cpu)
                return
            elif what[0] == 'lock':
                lock = what[1]
                if lock.owner is None:
                    lock.owner = thread
                    continue
                lock.waiting.append(thread)
                self.sleep(cpu)
                return
            elif what[0] == 'unlock':
                lock = what[1]
                lock.owner = lock.waiting.pop(0) if lock.waiting else None
                if lock.owner:
                    self.wake(lock.owner, cpu)
                    if self.token[cpu] != token:
                        return

    def unblock(self, thread, function, io):
        self.wake(thread, None, f'sched_blocked_reason: pid={thread.pid} iowait={io} caller={function}+0x54/0x120')

    def interrupt(self, cpu, us, name, soft=None):
        begin = f'softirq_entry: vec=3 [action={soft}]' if soft else f'irq_handler_entry: irq=77 name={name}'
        end = f'softirq_exit: vec=3 [action={soft}]' if soft else 'irq_handler_exit: irq=77 ret=handled'
        self.line(cpu, begin, 'd.h.')
        now, self.now = self.now, self.now + us
        self.line(cpu, end, 'd.h.')
        self.now = now
        self.stolen[cpu] += us

    def set_speed(self, cpu, part):
        if self.running[cpu]:
            self.account(cpu)
        self.speed[cpu] = part
        self.line(cpu, f'cpu_frequency: state={int(2400000 * part)} cpu_id={cpu}')
        if self.running[cpu]:
            self.token[cpu] += 1
            self.run_on(cpu)

    def run(self):
        self.leaving = 'S'
        while self.events and self.events[0][0] < self.end:
            self.now, _, what = heapq.heappop(self.events)
            what()

    def text(self):
        def at(line):
            return float(line.split(': ', 1)[0].rsplit(None, 1)[1])
        head = ['# tracer: nop', '#', '#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION']
        trace = '\n'.join(head + sorted(self.lines, key=at)) + '\n'
        if not self.apps:
            return trace
        dump = ['PROCESS DUMP', 'USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME                       COMM']
        dump += [f'{user:10} {t.pid:7} 1 4632 8124 SyS_epoll_wait 0 S {t.name} {t.name}' for t, user in self.apps]
        parts = [f'<script class="trace-data" type="application/text">\n{part}\n</script>\n' for part in ('\n'.join(dump), trace)]
        return f'<!DOCTYPE html>\n<html><body>\n<!-- BEGIN TRACE -->\n{"".join(parts)}<!-- END TRACE -->\n</body></html>\n'


# ---- what threads do ----

def noise(m):
    """Programs that do a little of everything, and harm nobody."""
    rng = m.rng

    def body(t):
        while True:
            yield ('run', rng.randrange(20, 400))
            if rng.random() < 0.1:
                yield ('disk', rng.randrange(50, 900), 'folio_wait_bit_common', 1)
            yield ('sleep', int(rng.expovariate(1 / 9000)) + 200)
    for name in ('sshd', 'journald', 'dbus-daemon', 'cron', 'node_exporter', 'chronyd'):
        m.thread(name, body, start=rng.randrange(5000))

    def kernel(t):
        while True:
            yield ('run', rng.randrange(5, 60))
            yield ('sleep', int(rng.expovariate(1 / 15000)) + 500)
    for i in range(m.cpus):
        m.thread(f'kworker/{i}:1', kernel, priority=120, start=rng.randrange(5000))

    def backup(t):
        """Reads much, at its leisure."""
        while True:
            yield ('sleep', rng.randrange(20000, 60000))
            yield ('disk', rng.randrange(2000, 25000), 'folio_wait_bit_common', 1)
            yield ('run', rng.randrange(500, 3000))
    m.thread('backup', backup, start=rng.randrange(50000))

    def compile_files(t):
        """Takes the CPUs that nobody else wants."""
        while True:
            yield ('sleep', rng.randrange(30000, 90000))
            yield ('run', rng.randrange(5000, 30000))
    for i in range(2):
        m.thread('cc1', compile_files, priority=139, start=rng.randrange(50000))

    lock = Lock()

    def pool(t):
        """Share a lock, briefly."""
        while True:
            yield ('sleep', rng.randrange(1000, 12000))
            yield ('lock', lock)
            yield ('run', rng.randrange(10, 500))
            yield ('unlock', lock)
    for i in range(3):
        m.thread(f'pool-{i}', pool, tgid=4000, start=rng.randrange(5000))

    def tick():
        m.interrupt(rng.randrange(m.cpus), rng.randrange(5, 60), 'nvme0q1')
        m.at(m.now + rng.randrange(500, 4000), tick)
    m.at(100, tick)


def server(m, extra=None, workers=2, name='http', period=16000, cpus=None, before=None, mark='request'):
    """Workers that serve a request of two milliseconds each 16 ms; `extra(t, n)` is done within request n."""
    rng, group, made = m.rng, m.process(name), []

    def worker(t):
        n = 0
        while True:
            yield ('sleep', rng.randrange(period // 2, period * 3 // 2))
            n += 1
            yield ('mark', f'B|{t.tgid}|{mark}')
            yield ('mark', f'B|{t.tgid}|parse')
            yield ('run', rng.randrange(400, 800))
            yield ('mark', f'E|{t.tgid}')
            if extra:
                yield from extra(t, n)
            yield ('mark', f'B|{t.tgid}|render')
            yield ('run', rng.randrange(800, 1600))
            yield ('mark', f'E|{t.tgid}')
            yield ('mark', f'E|{t.tgid}')
    for i in range(workers):
        made.append(m.thread(f'{name}-{i}', worker, tgid=group, start=rng.randrange(3000), cpus=cpus))
    return made


def now_and_then(m, n):
    """Every fifteenth to thirtieth request."""
    return n > 8 and m.rng.random() < 1 / 15


def healthy(m):
    lock = Lock()

    def short(t, n):
        yield ('lock', lock)
        yield ('run', m.rng.randrange(20, 80))
        yield ('unlock', lock)
    server(m, short)
    return []


def lock_convoy(m):
    lock = Lock()

    def use(t, n):
        yield ('lock', lock)
        yield ('run', m.rng.randrange(20, 80))
        yield ('unlock', lock)

    def flush(t):
        while True:
            yield ('sleep', m.rng.randrange(150000, 250000))
            yield ('lock', lock)
            yield ('mark', f'B|{t.tgid}|flush_index')
            yield ('run', m.rng.randrange(50000, 80000))
            yield ('mark', f'E|{t.tgid}')
            yield ('unlock', lock)
    m.thread('flusher', flush, tgid=server(m, use, workers=3)[0].tgid)
    return ['flusher', 'flush_index']


def lock_with_disk(m):
    lock = Lock()

    def use(t, n):
        yield ('lock', lock)
        yield ('run', m.rng.randrange(20, 80))
        yield ('unlock', lock)

    def write(t):
        while True:
            yield ('sleep', m.rng.randrange(150000, 250000))
            yield ('lock', lock)
            yield ('run', 300)
            yield ('disk', m.rng.randrange(50000, 80000), 'f2fs_wait_on_page_writeback', 1)
            yield ('unlock', lock)
    m.thread('LazyTaskWriter', write, tgid=server(m, use, workers=3)[0].tgid)
    return ['disk', 'f2fs_wait_on_page_writeback', 'LazyTaskWriter']


def monitor(m):
    lock = Lock()

    def use(t, n):
        free = lock.owner is None
        if not free:
            yield ('mark', f'B|{t.tgid}|monitor contention with owner {lock.owner.name} ({lock.owner.pid}) at '
                   'void com.acme.Store.save(int)(Store.java:77) waiters=0 blocking from void com.acme.Cache.get()(Cache.java:12)')
        yield ('lock', lock)
        if not free:
            yield ('mark', f'E|{t.tgid}')
        yield ('run', m.rng.randrange(20, 80))
        yield ('unlock', lock)

    def save(t):
        while True:
            yield ('sleep', m.rng.randrange(150000, 250000))
            yield ('lock', lock)
            yield ('run', m.rng.randrange(50000, 80000))
            yield ('unlock', lock)
    m.thread('saver', save, tgid=server(m, use, workers=3)[0].tgid)
    return ['lock', 'saver', r'Store\.java:77']


def priority_inversion(m):
    lock, home = Lock(), [0]

    def use(t, n):
        yield ('lock', lock)
        yield ('run', m.rng.randrange(20, 80))
        yield ('unlock', lock)

    def low(t):
        while True:
            yield ('sleep', m.rng.randrange(60000, 100000))
            yield ('lock', lock)
            yield ('run', 3000)
            yield ('unlock', lock)

    def middle(t):
        while True:
            yield ('sleep', m.rng.randrange(90000, 160000))
            yield ('run', m.rng.randrange(60000, 90000))
    servers = server(m, use, workers=2, cpus=[c for c in range(m.cpus) if c != 0])
    m.thread('housekeeper', low, tgid=servers[0].tgid, priority=139, cpus=home)
    m.thread('indexer', middle, priority=120, cpus=home)
    return ['indexer', 'CPU']


def cpu_taken(m):
    def mine(t):
        while True:
            yield ('sleep', m.rng.randrange(100000, 200000))
            yield ('run', m.rng.randrange(80000, 150000))
    group = m.process('miner')
    for i in range(m.cpus):
        m.thread(f'miner-{i}', mine, tgid=group, priority=110, cpus=[i], start=m.rng.randrange(2000))
    server(m)
    return ['miner', 'CPU']


def cold_cache(m):
    def read(t, n):
        if now_and_then(m, n):
            yield ('disk', m.rng.randrange(40000, 90000), 'filemap_fault', 1)
    server(m, read)
    return ['disk', 'filemap_fault']


def swap(m):
    def touch(t, n):
        if now_and_then(m, n):
            for _ in range(m.rng.randrange(8, 14)):
                yield ('disk', m.rng.randrange(3000, 8000), 'do_swap_page', 1)
                yield ('run', 30)
    server(m, touch)
    return ['do_swap_page']


def slow_call(m):
    def sync(t, n):
        yield ('raw', 'sys_enter: NR 74 (5, 0, 0, 0, 0, 0)')
        if now_and_then(m, n):
            yield ('disk', m.rng.randrange(40000, 90000), 'jbd2_log_wait_commit', 1)
        else:
            yield ('run', 20)
        yield ('raw', 'sys_exit: NR 74 = 0')
    server(m, sync)
    return ['jbd2_log_wait_commit']


def regression(m):
    def work(t, n):
        yield ('mark', f'B|{t.tgid}|sort_results')
        yield ('run', m.rng.randrange(40000, 80000) if now_and_then(m, n) else 200)
        yield ('mark', f'E|{t.tgid}')
    server(m, work)
    return ['ran', 'sort_results']


def backoff(m):
    def wait(t, n):
        if now_and_then(m, n):
            yield ('mark', f'B|{t.tgid}|retry_backoff')
            yield ('sleep', m.rng.randrange(40000, 90000))
            yield ('mark', f'E|{t.tgid}')
    server(m, wait)
    return ['slept', 'retry_backoff']


def calls(m, deep, name, slow):
    """A chain of processes that ask each other; the last one is slow now and then."""
    threads = []

    def serve(level):
        def body(t):
            while True:
                yield ('wait',)
                yield ('mark', f'B|{t.tgid}|{name}{level}')
                yield ('run', m.rng.randrange(50, 150))
                if level == deep:
                    yield from slow(t)
                else:
                    yield ('wake', threads[level])
                    yield ('wait',)
                yield ('mark', f'E|{t.tgid}')
                yield ('wake', t.client if level == 1 else threads[level - 2])
        return body
    for level in range(1, deep + 1):
        threads.append(m.thread(f'binder:{9000 + level}_1', serve(level)))

    def call(t, n):
        threads[0].client = t
        yield ('wake', threads[0])
        yield ('wait',)
    server(m, call, workers=1, name='app')
    return threads


def binder_chain(m):
    count = [0]

    def slow(t):
        count[0] += 1
        yield ('mark', f'B|{t.tgid}|query_contacts')
        yield ('run', m.rng.randrange(40000, 80000) if now_and_then(m, count[0]) else 150)
        yield ('mark', f'E|{t.tgid}')
    calls(m, 4, 'transact', slow)
    return ['query_contacts', 'binder:9004_1']


def slow_service(m):
    count = [0]

    def slow(t):
        count[0] += 1
        if now_and_then(m, count[0]):
            yield ('disk', m.rng.randrange(40000, 80000), 'ext4_file_read_iter', 1)
    calls(m, 2, 'query', slow)
    return ['disk', 'ext4_file_read_iter', 'binder:9002_1']


def gc(m):
    lock = Lock()

    def use(t, n):
        if lock.owner:
            yield ('mark', f'B|{t.tgid}|GC: Wait For Completion Alloc')
            yield ('lock', lock)
            yield ('unlock', lock)
            yield ('mark', f'E|{t.tgid}')

    def collect(t):
        while True:
            yield ('sleep', m.rng.randrange(100000, 200000))
            yield ('lock', lock)
            yield ('mark', f'B|{t.tgid}|Background concurrent mark compact GC')
            yield ('run', m.rng.randrange(50000, 90000))
            yield ('mark', f'E|{t.tgid}')
            yield ('unlock', lock)
    m.thread('HeapTaskDaemon', collect, tgid=server(m, use, workers=3, name='app')[0].tgid)
    return ['HeapTaskDaemon', 'GC']


def throttling(m):
    for c in range(m.cpus):
        m.at(10, lambda c=c: m.set_speed(c, 1.0))
    step = m.end // 6
    for c in range(m.cpus):
        m.at(step * 3 + 10, lambda c=c: m.set_speed(c, 0.125))
    server(m)
    return ['below its frequency']


def irq_storm(m):
    def storm():
        begin = m.now
        cpu = 1

        def one():
            m.interrupt(cpu, 180, 'eth0')
            if m.now - begin < 60000:
                m.at(m.now + 200, one)
            else:
                m.at(m.now + m.rng.randrange(80000, 140000), storm)
        one()
    m.at(200000, storm)
    server(m, cpus=[1], workers=1)
    return ['eth0']


def softirq_storm(m):
    def storm():
        begin = m.now

        def one():
            m.interrupt(1, 850, None, soft='NET_RX')
            if m.now - begin < 60000:
                m.at(m.now + 950, one)
            else:
                m.at(m.now + m.rng.randrange(80000, 140000), storm)
        one()
    m.at(200000, storm)
    server(m, cpus=[1], workers=1)
    return ['NET_RX']


def reclaim(m):
    def grow(t, n):
        if now_and_then(m, n):
            yield ('raw', 'mm_vmscan_direct_reclaim_begin: order=0 gfp_flags=GFP_KERNEL')
            yield ('run', m.rng.randrange(40000, 80000))
            yield ('raw', 'mm_vmscan_direct_reclaim_end: nr_reclaimed=64')
    server(m, grow)
    return ['reclaim']


def frames(m, extra, name='acme.shop'):
    """An app that draws."""
    def main(t):
        n = 0
        while True:
            yield ('sleep', 16667)
            n += 1
            yield ('mark', f'B|{t.tgid}|Choreographer#doFrame {n}')
            yield ('mark', f'B|{t.tgid}|traversal')
            yield ('run', m.rng.randrange(1500, 4000))
            yield ('mark', f'E|{t.tgid}')
            yield from extra(t, n)
            yield ('mark', f'E|{t.tgid}')
    return m.thread(name, main)


def main_thread_disk(m):
    def load(t, n):
        if now_and_then(m, n):
            yield ('mark', f'B|{t.tgid}|loadConfig')
            for _ in range(4):
                yield ('disk', m.rng.randrange(9000, 20000), 'filemap_update_page', 1)
                yield ('run', 200)
            yield ('mark', f'E|{t.tgid}')
    frames(m, load)
    return ['disk', 'filemap_update_page', 'acme.shop']


def jank(m):
    def draw(t, n):
        yield ('mark', f'B|{t.tgid}|bindViewHolder')
        yield ('run', m.rng.randrange(30000, 60000) if now_and_then(m, n) else 300)
        yield ('mark', f'E|{t.tgid}')
    frames(m, draw)
    return ['ran', 'bindViewHolder', 'acme.shop']


def thread_spam(m):
    def child(t):
        yield ('run', m.rng.randrange(50, 200))

    def spawn(t):
        while True:
            yield ('sleep', m.rng.randrange(3000, 9000))
            made = m.thread('upload-job', child, tgid=t.tgid, start=m.now + 1)
            yield ('raw', f'task_newtask: pid={made.pid} comm=upload-job clone_flags=3d0f00 oom_score_adj=0')
    m.thread('uploader', spawn)
    server(m)
    return ['makes threads', 'uploader|upload-job']


def anr(m):
    """An app's main thread waits for a lock that a worker of it holds while it writes; the system says that it did not respond."""
    lock = Lock()

    def sync(t):
        yield ('lock', lock)
        yield ('mark', f'B|{t.tgid}|SyncJob.run')
        while True:
            yield ('disk', m.rng.randrange(60000, 120000), 'jbd2_log_wait_commit', 1)
            yield ('run', m.rng.randrange(100, 900))

    def main(t):
        yield ('sleep', 50000)
        yield ('mark', f'B|{t.tgid}|onClick')
        yield ('mark', f'B|{t.tgid}|monitor contention with owner {lock.owner.name} ({lock.owner.pid}) at void acme.shop.Sync.run()(Sync.java:42)'
               ' waiters=0 blocking from void acme.shop.Main.onClick()(Main.java:7)')
        yield ('lock', lock)

    def system(t):
        yield ('sleep', m.end - 300000)
        yield ('mark', f'C|{t.tgid}|ErrorId:acme.shop {app.pid}#5c0e|1')
        yield ('mark', f'C|{t.tgid}|Subject(for ErrorId 5c0e):Input dispatching timed out (acme.shop/.Main is not responding. Waited 5000ms)|1')
        yield ('sleep', 10000000)
    app = m.thread('acme.shop', main)
    m.thread('SyncThread', sync, tgid=app.tgid)
    m.apps += [(app, 'u0_a77'), (m.thread('system_server', system), 'system')]
    return ['SyncThread', 'disk', 'jbd2_log_wait_commit']


def memory_kill(m):
    """One app takes all memory, and others are killed."""
    def hog(t):
        size = 200 << 20
        while True:
            yield ('sleep', m.rng.randrange(20000, 60000))
            size += m.rng.randrange(4 << 20, 30 << 20)
            yield ('run', m.rng.randrange(500, 2000))
            yield ('raw', f'rss_stat: mm_id={t.pid} curr=1 type=MM_ANONPAGES size={size}B')

    def steady(t):
        while True:
            yield ('sleep', m.rng.randrange(20000, 60000))
            yield ('run', m.rng.randrange(200, 900))
            yield ('raw', f'rss_stat: mm_id={t.pid} curr=1 type=MM_ANONPAGES size={m.rng.randrange(80 << 20, 100 << 20)}B')

    def killer(t):
        for victim in victims:
            yield ('sleep', m.end // 7)
            yield ('run', 900)
            yield ('mark', f'C|{t.tgid}|kill_one_process|{victim.pid}')
            yield ('mark', f'C|{t.tgid}|kill_one_process|0')
    victims = [m.thread(f'acme.app{i}', steady) for i in range(5)]
    m.apps += [(t, f'u0_a{90 + i}') for i, t in enumerate([m.thread('acme.photos', hog), *victims])]
    m.thread('lmkd', killer)
    return ['too little memory', 'acme.photos']


KINDS = {f.__name__: f for f in (
    healthy, lock_convoy, lock_with_disk, monitor, priority_inversion, cpu_taken, cold_cache, swap, slow_call,
    regression, backoff, binder_chain, slow_service, gc, throttling, irq_storm, softirq_storm, reclaim,
    main_thread_disk, jank, thread_spam, anr, memory_kill)}


# ---- what is not of a scheduler ----

def train(rng, seconds, late_rank=None, loader=None):
    """Four ranks, each a thread that launches kernels on its GPU; a collective ends each step."""
    events, at, flow = [], 0, 0
    ranks = range(4)
    for rank in ranks:
        for pid, name in ((100 + rank, f'rank {rank} CPU'), (rank, f'rank {rank} GPU')):
            events.append({'ph': 'M', 'pid': pid, 'name': 'process_name', 'args': {'name': name}})
    for step in range(seconds * 20):
        ends = []
        for rank in ranks:
            t, gpu = at + rng.randrange(50), at
            if loader == rank or loader is None and rng.random() < 0.1:
                dur = rng.randrange(20000, 40000) if loader == rank else rng.randrange(100, 300)
                events.append({'ph': 'X', 'cat': 'user_annotation', 'pid': 100 + rank, 'tid': 1, 'ts': t, 'dur': dur,
                               'name': 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'})
                t += dur
            for layer in range(12):
                launch = rng.randrange(8, 16)
                events.append({'ph': 'X', 'cat': 'cuda_runtime', 'pid': 100 + rank, 'tid': 1, 'ts': t, 'dur': launch,
                               'name': 'cudaLaunchKernel'})
                flow += 1
                events.append({'ph': 's', 'id': flow, 'cat': 'ac2g', 'name': 'ac2g', 'pid': 100 + rank, 'tid': 1, 'ts': t})
                t += launch + rng.randrange(10)
                gpu = max(gpu + 1, t)
                dur = rng.randrange(800, 1200) * (3 if rank == late_rank else 1)
                events.append({'ph': 'X', 'cat': 'kernel', 'pid': rank, 'tid': 7, 'ts': gpu, 'dur': dur, 'name': f'gemm_{layer % 3}'})
                events.append({'ph': 'f', 'bp': 'e', 'id': flow, 'cat': 'ac2g', 'name': 'ac2g', 'pid': rank, 'tid': 7, 'ts': gpu})
                gpu += dur
            ends.append(gpu + 1)
        for rank in ranks:
            events.append({'ph': 'X', 'cat': 'kernel', 'pid': rank, 'tid': 7, 'ts': ends[rank], 'dur': max(ends) + 200 - ends[rank],
                           'name': 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'})
        at = max(ends) + 250
    return json.dumps({'traceEvents': events})


def slow_rank(rng, seconds):
    late = rng.randrange(4)
    return train(rng, seconds, late_rank=late), [f'rank {late} GPU is slower']


def data_loader(rng, seconds):
    return train(rng, seconds, loader=rng.randrange(4)), ['DataLoader']


def one_gpu(rng, seconds, step):
    """A thread that launches kernels on one GPU; step(at, event) says when the next kernel can be launched."""
    events, gpu, at = [], 0, 0

    def event(pid, cat, name, ts, dur):
        events.append({'ph': 'X', 'cat': cat, 'pid': pid, 'tid': 7 if pid == 0 else 1, 'ts': ts, 'dur': dur, 'name': name})
        return ts + dur
    for pid, name in ((0, 'GPU 0'), (100, 'python')):
        events.append({'ph': 'M', 'pid': pid, 'name': 'process_name', 'args': {'name': name}})
    for n in range(seconds * 150):
        at, gpu = step(n, at, gpu, event)
        launched = event(100, 'cuda_runtime', 'cudaLaunchKernel', at, rng.randrange(8, 16))
        flow = {'id': n + 1, 'cat': 'ac2g', 'name': 'ac2g'}
        events.append({'ph': 's', 'pid': 100, 'tid': 1, 'ts': at, **flow})
        at, gpu = launched + rng.randrange(10), max(gpu + 1, launched)
        events.append({'ph': 'f', 'bp': 'e', 'pid': 0, 'tid': 7, 'ts': gpu, **flow})
        gpu = event(0, 'kernel', f'gemm_{n % 3}', gpu, rng.randrange(800, 1200))
    return json.dumps({'traceEvents': events})


def late_launches(rng, seconds):
    """Each kernel waits for work on the CPU that takes longer than it."""
    def step(n, at, gpu, event):
        return event(100, 'cpu_op', 'Tokenizer.encode', max(at, gpu - 900) + 5, rng.randrange(2500, 4500)), gpu
    return one_gpu(rng, seconds, step), ['Tokenizer.encode']


def serial_copies(rng, seconds):
    """Each third kernel waits for a copy that nothing overlaps."""
    def step(n, at, gpu, event):
        if n % 3 == 0:
            begin = max(at, gpu) + 5
            event(100, 'cuda_runtime', 'cudaMemcpy', begin - 4, 4)
            at = gpu = event(0, 'gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', begin, rng.randrange(1500, 3000))
        return max(at, gpu - 900), gpu
    return one_gpu(rng, seconds, step), ['Memcpy HtoD', 'no kernel']


def crash(rng, seconds):
    """A log in which many programs warn, and one app ends itself."""
    lines = []

    def log(at, pid, level, tag, text):
        lines.append((at, f'01-02 03:04:{at:06.3f} {pid:5} {pid:5} {level} {tag}: {text}'))
    for _ in range(seconds * 100):
        tag = rng.choice(['WifiService', 'BatteryStats', 'ActivityManager', 'Choreographer', 'chatty'])
        log(rng.random() * seconds, rng.randrange(900, 960), rng.choice('DDIIIWWE'), tag, f'state {rng.randrange(10 ** 6)}')
    begin = seconds * rng.uniform(0.3, 0.9)
    for i, text in enumerate((
            'FATAL EXCEPTION: main', 'Process: acme.shop, PID: 4321', 'java.lang.IllegalStateException: cart is closed',
            '\tat java.util.Objects.requireNonNull(Objects.java:228)', '\tat acme.shop.Cart.checkOut(Cart.java:77)',
            '\tat android.os.Looper.loop(Looper.java:299)')):
        log(begin + i * 1e-6, 4321, 'E', 'AndroidRuntime', text)
    return '--------- beginning of main\n' + '\n'.join(line for _, line in sorted(lines, key=lambda x: x[0])) + '\n', ['IllegalStateException: cart is closed', r'acme\.shop\.Cart\.checkOut']


def slow_system_call(rng, seconds):
    """What strace writes of a program whose fsync takes long now and then."""
    lines, at = [], 1700000000.0
    end = at + seconds
    while at < end:
        name, text = rng.choice([('read', '(3, "x", 4096) = 4096'), ('write', '(4, "x", 512) = 512'), ('openat', '(AT_FDCWD, "a", O_RDONLY) = 5'),
                                 ('close', '(5) = 0'), ('futex', '(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL) = 0')])
        dur = rng.uniform(20, 400) / 1e6 if name != 'futex' else rng.uniform(1, 60) / 1e3
        if rng.random() < 0.02 or len(lines) == 50:
            name, text, dur = 'fdatasync', '(4) = 0', rng.uniform(0.15, 0.3)
        lines.append(f'4242 {at:.6f} {name}{text} <{dur:.6f}>')
        at += dur + rng.uniform(50, 3000) / 1e6
    return '\n'.join(lines) + '\n', ['fdatasync']


def missing_parallelism(rng, seconds):
    """Eight workers compile; one job that all wait for runs alone."""
    workers, jobs = [0] * 8, []

    def job(name, dur, after=0):
        at = max(after, min(workers))
        workers[workers.index(min(workers))] = at + dur
        jobs.append((at + dur, at, name))
    for i in range(seconds * 20):
        job(f'gen/{i}.o', rng.randrange(200, 900))
    job('gen/unity_all.cc.o', seconds * rng.randrange(2500, 4000), max(workers))
    workers[:] = [max(workers)] * 8
    for i in range(seconds * 20):
        job(f'app/{i}.o', rng.randrange(200, 900))
    lines = [f'{begin}\t{end}\t0\t{name}\t{i:x}' for i, (end, begin, name) in enumerate(sorted(jobs))]
    return '\n'.join(['# ninja log v5', *lines]) + '\n', ['unity_all', 'alone']


def hot_function(rng, seconds):
    """A program whose samples end in many functions, half of them in one."""
    lines = []
    for i in range(seconds * 500):
        leaf = 'parse_number' if rng.random() < 0.5 else f'step_{rng.randrange(40)}'
        at = 100 + i / 500
        lines += [f'server 4242 [001] {at:.6f}: 2000000 cycles:', f'\t55500000{i % 7}000 {leaf} (/usr/bin/server)',
                  '\t555000010000 handle (/usr/bin/server)', '\t555000020000 main (/usr/bin/server)', '']
    return '\n'.join(lines) + '\n', ['parse_number', 'handle']


DOCUMENTS = {f.__name__: f for f in (
    slow_rank, data_loader, late_launches, serial_copies, crash, slow_system_call, missing_parallelism, hot_function, browser.healthy_browser, browser.scroll_jank_of_browser,
    browser.scroll_jank_of_page, browser.late_input, browser.largest_paint, browser.healthy_heap, browser.java_heap)}
ALL = [*KINDS, *DOCUMENTS]


def make(kind, size, seed):
    """The text of a recording, and what the cause's words must match."""
    rng = random.Random(f'{kind} {size} {seed}')
    if kind in DOCUMENTS:
        return DOCUMENTS[kind](rng, SIZES[size])
    machine = Machine(4, SIZES[size], rng)
    noise(machine)
    expected = KINDS[kind](machine)
    machine.run()
    return machine.text(), expected


def main():
    if sys.argv[1:] == ['--list']:
        print('\n'.join(ALL))
        return
    kind, size, seed, path = sys.argv[1:]
    text, expected = make(kind, size, int(seed))
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    print('\t'.join(expected))


if __name__ == '__main__':
    main()
