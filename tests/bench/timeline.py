#!/usr/bin/env python3
"""How quick the timeline of a large trace is: timeline.py TPTUI [TRACE | SLICES]

Without TRACE one is made of SLICES (10 million), nested on 2,000 threads of 50 processes. In a terminal of 200x50, of each
kind of step the time from the key to the last byte of the frame, its bytes, and with strace the writes of a cursor's step;
then how soon the details of another event and the hits of a search are there while a query runs.
"""
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from terminal import Terminal
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'gen'))
from wire import put_message as message, put_number as number, put_varint as varint

TRACKS, THREADS_OF_PROCESS, NAMES, SLICES = 2000, 40, 500, 10_000_000
BLOCK = 100  # outermost slices that a thread writes at once
PATTERNS = 16  # courses of events, which threads share
CLEARED, NEEDED = 1, 2
BEGIN, END = 1, 2
QUERY = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;'
STRACED = 20  # steps whose writes are counted
FRAME, QUIET = 0.06, 0.15  # seconds without output after which a frame is complete, and the details behind it


# ---- the trace ----

def sequence(thread):
    """Of two bytes each, so that packets differ only there."""
    return varint(200 + thread)


def events(rng, blocks, slices_of_block):
    """Blocks of packets as pieces between which the sequence belongs; each slice holds up to five others."""
    out = []
    for _ in range(blocks):
        pieces, packet, depth, begun = [], b'', 0, 0
        while begun < slices_of_block or depth:
            begins = begun < slices_of_block and depth < 6 and (depth == 0 or rng.random() < 0.55)
            event = number(9, BEGIN) + number(10, rng.randrange(NAMES) + 1) if begins else number(9, END)
            gap = int(rng.expovariate(1 / 3000)) * (20 if depth == 0 else 1) + 1
            body = number(8, gap) + number(13, NEEDED) + message(11, event) + varint(10 << 3)
            pieces.append(packet + b'\x0a' + varint(len(body) + 2) + body)
            packet = b''
            depth += 1 if begins else -1
            begun += begins
        out.append(pieces + [b''])
    return out


def header(thread):
    """A clock of the thread's own, and who it is."""
    pid = 1000 + thread // THREADS_OF_PROCESS * 100
    tid = pid + thread % THREADS_OF_PROCESS
    ids = varint(10 << 3) + sequence(thread)
    clock = message(6, message(1, number(1, 6), number(2, 1_000_000_000)),
                    message(1, number(1, 64), number(2, 1_000_000_000), number(3, 1)))
    defaults = message(59, number(58, 64), message(11, number(11, thread + 1)))
    names = message(12, *[message(2, number(1, i + 1), message(2, 'work %s' % 'abcdefghij'[i % 10] + str(i)))
                          for i in range(NAMES)])
    yield message(1, number(8, 1_000_000_000), number(58, 6), clock, defaults, names, number(13, CLEARED), ids)
    describe = (number(1, thread + 1) +
                message(4, number(1, pid), number(2, tid), message(5, 'worker %d' % thread)))
    yield message(1, number(8, 0), number(13, NEEDED), message(60, describe), ids)
    if thread % THREADS_OF_PROCESS == 0:
        process = number(1, 1 << 20 | thread) + message(3, number(1, pid), message(6, 'service %d' % (pid // 100)))
        yield message(1, number(8, 0), number(13, NEEDED), message(60, process), ids)


def make_trace(path, slices):
    rng = random.Random(1)
    blocks = max(1, slices // TRACKS // BLOCK)
    courses = [events(rng, blocks, BLOCK) for _ in range(PATTERNS)]
    with open(path, 'wb') as f:
        for thread in range(TRACKS):
            f.write(b''.join(header(thread)))
        for block in range(blocks):
            for thread in range(TRACKS):
                f.write(sequence(thread).join(courses[thread % PATTERNS][block]))


# ---- what is measured ----

def measure(terminal, name, keys):
    """Each key's frame: milliseconds until its last byte, and of them those on a CPU; bytes."""
    wall, cpu, sizes = [], [], []
    for key in keys:
        before = terminal.cpu_seconds()
        size, seconds = terminal.frame(bytes([key]), FRAME)
        wall.append(seconds * 1000)
        cpu.append((terminal.cpu_seconds() - before) * 1000)
        sizes.append(size)
        terminal.settle(QUIET)  # details
    print('%-20s wall ms: median %5.1f, most %5.1f; CPU ms: %5.1f, %5.1f; bytes: %5.0f, %5d' % (
        name, statistics.median(wall), max(wall), statistics.median(cpu), max(cpu), statistics.median(sizes),
        max(sizes)), flush=True)


STEPS = (
    ('cursor, a cell', b'l' * 30 + b'h' * 30),
    ('cursor, an event', b'.' * 30 + b',' * 30),
    ('cursor, a row', b'j' * 20 + b'k' * 20),
    ('pan, an eighth', b'd' * 15 + b'a' * 15),
    ('zoom', b'wwwwwwwwssssssss'),
)


def begin(terminal):
    """Into the tracks, on a thread that is open."""
    for key in (b'\x1b', b'j', b'j', b' ', b'j', b'j', b'w', b'w', b'w', b'.'):
        terminal.frame(key, 0.2)


def answers(terminal):
    """How soon the details of another event and the hits of a search are there while a query runs."""
    terminal.frame(b';', QUIET)
    terminal.frame(b'\x1b[200~' + QUERY.encode() + b'\x1b[201~', QUIET)
    terminal.send(b'\x1b[15~')  # F5
    terminal.wait_for(b'running', 5)
    terminal.send(b'\t')
    terminal.wait_for(b'details', 5)
    terminal.send(b'\x1b')  # the pane closes, the query goes on
    terminal.settle(0.6)
    details = []
    for _ in range(20):
        begun = time.monotonic()
        terminal.frame(b'.', 0.03)
        terminal.read(1)
        details.append((terminal.settle(0.05)[1] - begun) * 1000)
    print('details, of which 100 ms rest: median %.1f ms, most %.1f' % (statistics.median(details), max(details)))
    for pattern in b'work a10', b'service 12', b'[0-9]*7$':
        terminal.send(b'/')
        terminal.settle(QUIET)
        terminal.send(pattern)
        terminal.settle(QUIET)
        begun = time.monotonic()
        terminal.send(b'\r')
        found = terminal.wait_for(b'hits of', 5)
        print('search for %-12s %.1f ms%s' % (pattern.decode(), (time.monotonic() - begun) * 1000,
                                             '' if found else ': nothing came'))
        terminal.settle(QUIET)
        terminal.frame(b'\x1b', QUIET)


def writes(command, home):
    """Writes to the terminal for a cursor's step; None where strace is not there to count them."""
    if not shutil.which('strace'):
        return None
    with tempfile.NamedTemporaryFile('r') as log:
        terminal = Terminal(['strace', '-f', '-y', '--seccomp-bpf', '-e', 'trace=write,writev', '-o', log.name] + command,
                            home=home)
        terminal.wait_for(b'data loss')
        begin(terminal)
        terminal.settle(1)
        counts = []
        for keys in b'', b'l' * STRACED:
            for key in keys:
                terminal.frame(bytes([key]), FRAME)
                terminal.settle(QUIET)
            log.seek(0)
            counts.append(sum('</dev/pts/' in line or '</dev/tty' in line for line in log))
        terminal.close()
    return (counts[1] - counts[0]) / STRACED


def main():
    program = os.path.abspath(sys.argv[1])
    given = sys.argv[2] if len(sys.argv) > 2 else str(SLICES)
    with tempfile.TemporaryDirectory() as folder:
        trace = given
        if given.isdigit():
            trace = os.path.join(folder, 'trace.pftrace')
            make_trace(trace, int(given))
        begun = time.monotonic()
        terminal = Terminal([program, trace], home=folder)
        terminal.wait_for(b'data loss')
        print('first frame after %.1f s, %.0f MB; %s' % (
            time.monotonic() - begun, os.path.getsize(trace) / 1e6, terminal.memory()))
        terminal.settle(1)
        begin(terminal)
        for name, keys in STEPS:
            measure(terminal, name, keys)
        answers(terminal)
        terminal.close()
        count = writes([program, trace], folder)
        print('writes of a cursor\'s step with its details: %s' % ('-' if count is None else count))


if __name__ == '__main__':
    main()
