#!/usr/bin/env python3
"""Writes a small perf.data: the same recording in each form that the format has.

    perf_data.py little|big|pipe|packed|simpleperf|spe|etm|sched|offcpu|split|switches|order FILE

`big` is a file of a big-endian machine, `packed` has its records in pieces of one zstd stream, `pipe` is what
`perf record -o -` writes. The others are recordings of their own: `simpleperf` has what only simpleperf writes, `spe`
AUX data of Arm's SPE, `etm` that of its ETM, `sched` tracepoints, `offcpu` and `split`
those of simpleperf, which keeps their formats in records, `switches` records of context switches,
`order` records without a time, and names that another CPU's buffer tells first.
"""
import os
import struct
import sys

from wire import put_message, put_number

MMAP, LOST, COMM, EXIT, THROTTLE, FORK, SAMPLE, MMAP2, SWITCH_CPU_WIDE, FINISHED_ROUND = 1, 2, 3, 4, 5, 7, 9, 10, 15, 68
KERNEL, USER, GUEST_USER = 1, 2, 5
IP, TID, TIME, READ, CALLCHAIN, ID = 1, 2, 4, 16, 32, 64
CPU, PERIOD, RAW, BRANCH, IDENTIFIER = 128, 256, 1024, 2048, 65536
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
FORMAT_ID, FORMAT_GROUP = 4, 8
FREQ, SAMPLE_ID_ALL, USE_CLOCKID = 10, 18, 25
CYCLES, FAULTS, GROUP = 11, 12, 13  # ids


class Writer:
    def __init__(self, big):
        self.order = '>' if big else '<'
        self.big = big

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def record(self, kind, misc, body):
        body += bytes(-len(body) % 8)
        return self.pack('IHH', kind, misc, 8 + len(body)) + body

    def text(self, s, align=8):
        b = s.encode() + b'\0'
        return b + bytes(-len(b) % align)

    def string(self, s):
        """As in the sections of features."""
        b = self.text(s, 64)
        return self.pack('I', len(b)) + b

    def attr(self, kind, config, period, sample_type, read_format=0, bits=()):
        flags = sum(1 << (63 - bit if self.big else bit) for bit in bits)
        attr = self.pack('IIQQQQQ', kind, 96, config, period, sample_type, read_format, flags)
        return attr + bytes(44) + self.pack('i', 1)  # the clock, where it is used: monotonic

    def sample_id(self, pid, tid, time, cpu, event):
        """The end of records other than samples: TID, TIME, CPU, IDENTIFIER."""
        return self.pack('IIQIIQ', pid, tid, time, cpu, 0, event)


def recording(w):
    """Events with their ids, records, and features."""
    fields = IP | TID | TIME | CPU | PERIOD | IDENTIFIER
    events = [
        (w.attr(0, 0, 4000, fields | CALLCHAIN | BRANCH, 0, [FREQ, SAMPLE_ID_ALL]), [CYCLES], 'cycles:u'),
        (w.attr(1, 2, 7, fields - PERIOD, 0, [SAMPLE_ID_ALL]), [FAULTS], 'faults'),
        (w.attr(1, 0, 1000, fields | READ, FORMAT_ID | FORMAT_GROUP, [SAMPLE_ID_ALL]), [GROUP], 'cpu-clock'),
    ]

    def at(time, pid=10, tid=10, cpu=0, event=CYCLES):
        return w.sample_id(pid, tid, time, cpu, event)

    def mmap(mode, pid, start, size, offset, path, time=0):
        return w.record(MMAP, mode, w.pack('IIQQQ', pid, pid, start, size, offset) + w.text(path) + at(time))

    def mmap2(pid, start, size, offset, path, time, build_id=None):
        file = w.pack('B3x20s', len(build_id), build_id) if build_id else w.pack('IIQQ', 8, 1, 77, 0)
        body = w.pack('IIQQQ', pid, pid, start, size, offset) + file + w.pack('II', 5, 2) + w.text(path) + at(time)
        return w.record(MMAP2, USER | (1 << 14 if build_id else 0), body)

    def cycles(time, pid, tid, cpu, chain, mode=USER, period=100):
        body = w.pack('QQIIQIIQ', CYCLES, chain[1], pid, tid, time, cpu, 0, period)
        body += w.pack('Q%dQ' % len(chain), len(chain), *chain) + w.pack('QQQQ', 1, 0x1010, 0x1020, 0)
        return w.record(SAMPLE, mode, body)

    records = [
        mmap(KERNEL, 2**32 - 1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, '[kernel.kallsyms]_text'),
        mmap(KERNEL, 2**32 - 1, 0xffffffffa0000000, 0x4000, 0, '[ext4]'),
        w.record(COMM, 0, w.pack('II', 10, 10) + w.text('sh') + at(900)),
        mmap2(10, 0x400000, 0x4000, 0x1000, '/bin/sh', 901),
        mmap2(10, 0x7f0000, 0x8000, 0, '/lib/libc.so', 902, bytes(range(20))),
        # The newer one cuts the older.
        mmap2(10, 0x402000, 0x1000, 0, '/tmp/jit.so', 903),
        cycles(1000, 10, 10, 0, [CONTEXT_KERNEL, 0xffffffff81000100, 0xffffffffa0000010, CONTEXT_USER, 0x402010, 0x403010,
                                 0x7f0020], KERNEL),
        # A child has the code of its parent until it runs another program, and so has its own child.
        w.record(FORK, 0, w.pack('IIIIQ', 20, 10, 20, 10, 1100) + at(1100)),
        cycles(1200, 20, 20, 1, [CONTEXT_USER, 0x400010]),
        w.record(FORK, 0, w.pack('IIIIQ', 30, 20, 30, 20, 1300) + at(1300)),
        w.record(COMM, 1 << 13, w.pack('II', 20, 20) + w.text('other') + at(1400, 20, 20)),
        cycles(1500, 20, 20, 1, [CONTEXT_USER, 0x400010], GUEST_USER),
        cycles(1600, 30, 31, 1, [CONTEXT_USER, 0x400010]),
        # Without a period: it is the event's.
        w.record(SAMPLE, USER, w.pack('QQIIQII', FAULTS, 0x7f0040, 10, 10, 1700, 0, 0)),
        # Out of order.
        cycles(1050, 10, 10, 0, [CONTEXT_USER, 0x7f0020], period=50),
        # Of a group: what each of its events has counted so far.
        w.record(SAMPLE, USER, w.pack('QQIIQIIQ', GROUP, 0x7f0040, 10, 10, 1800, 0, 0, 1000)
                 + w.pack('QQQQQ', 2, 5000, GROUP, 40, FAULTS)),
        w.record(SAMPLE, USER, w.pack('QQIIQIIQ', GROUP, 0x7f0040, 10, 10, 1900, 0, 0, 1000)
                 + w.pack('QQQQQ', 2, 6500, GROUP, 42, FAULTS)),
        w.record(EXIT, 0, w.pack('IIIIQ', 20, 10, 20, 10, 2000) + at(2000, 20, 20)),
        # Of no event, too short, with more addresses than it has.
        w.record(SAMPLE, USER, w.pack('QQIIQIIQ', 99, 0x7f0040, 10, 10, 2100, 0, 0, 1)),
        w.record(SAMPLE, USER, w.pack('Q', CYCLES)),
        w.record(SAMPLE, USER, w.pack('QQIIQIIQQ', CYCLES, 0x7f0040, 10, 10, 2200, 0, 0, 1, 2**61)),
    ]
    build_id = w.pack('i20sB3x', -1, b'\xab' * 20, 20) + w.text('/bin/sh')
    features = {
        2: w.record(67, 1 << 15 | USER, build_id),
        3: w.string('host'),
        4: w.string('6.1.0'),
        11: w.pack('I', 3) + w.string('perf') + w.string('record') + w.string('-g'),
        12: w.pack('II', len(events), 96) + b''.join(
            attr + w.pack('I', len(ids)) + w.string(name) + w.pack('%dQ' % len(ids), *ids) for attr, ids, name in events),
    }
    return events, records, features


def simpleperf_recording(w):
    fields = IP | TID | TIME | ID | PERIOD | CALLCHAIN
    events = [(w.attr(0, 0, 4000, fields, 0, [FREQ, SAMPLE_ID_ALL, USE_CLOCKID]), [5], None)]

    def end(time):
        return w.pack('IIQQ', 10, 10, time, 5)

    def mmap(start, size, offset, path):
        return w.record(MMAP, USER, w.pack('IIQQQ', 10, 10, start, size, offset) + w.text(path) + end(1))

    records = [
        w.record(COMM, 0, w.pack('II', 10, 10) + w.text('app') + end(1)),
        mmap(0x10000, 0x1000, 0x1000, '/lib/libapp.so'),
        mmap(0x20000, 0x1000, 0x800, 'jit_app_cache:0'),
        mmap(0x30000, 0x1000, 0, '/system/base.vdex'),
        w.record(SAMPLE, USER, w.pack('QIIQQQ', 0x10010, 10, 10, 100, 5, 1000)
                 + w.pack('QQQQQ', 4, CONTEXT_USER, 0x10010, 0x20020, 0x30030)),
        w.record(32774, 0, w.pack('QQQ', 1, 0, 6)),
        w.record(SAMPLE, USER, w.pack('QIIQQQ', 0x10110, 10, 10, 200, 6, 1000) + w.pack('QQQ', 2, CONTEXT_USER, 0x10110)),
    ]

    def file(path, kind, min_vaddr, symbols, rest=b''):
        message = put_message(1, path.encode()) + put_number(2, kind) + put_number(3, min_vaddr) + rest
        for start, size, name in symbols:
            message += put_message(4, put_number(1, start) + put_number(2, size) + put_message(3, name.encode()))
        return w.pack('I', len(message)) + message

    files = [
        file('/lib/libapp.so', 2, 0x3000, [(0x3000, 0x80, 'draw'), (0x3100, 0x40, 'main')], put_message(6, put_number(1, 0x1000))),
        file('jit_app_cache:0', 2, 0, [(0x20000, 0x100, 'com.example.App.run')]),
        file('/system/base.vdex', 3, 0, [(0, 0x100, 'java.lang.Thread.run')]),
    ]
    info = {'simpleperf_version': '1.build', 'event_type_info': 'cpu-cycles,0,0\ncpu-clock,1,0'}
    features = {
        129: b''.join(k.encode() + b'\0' + v.encode() + b'\0' for k, v in info.items()),
        132: b''.join(files),
    }
    return events, records, features


def spe_recording(w):
    events = [(w.attr(8, 0, 1000, IP | TID | TIME | CPU | IDENTIFIER, 0, [SAMPLE_ID_ALL]), [5], 'arm_spe//')]

    def end(time, cpu=0):
        return w.sample_id(10, 10, time, cpu, 5)

    def aux(offset, size, flags, time, cpu=0):
        return w.record(11, 0, w.pack('QQQ', offset, size, flags) + end(time, cpu))

    def auxtrace(offset, data, cpu=0):
        return w.record(71, 0, w.pack('QQQIIII', len(data), offset, 0, 0, 2**32 - 1, cpu, 0)) + data

    def packet(header, form, value):
        return bytes([header]) + struct.pack('<' + form, value)

    def address(index, value):
        return packet(0xb0 | index, 'Q', value)

    load = (packet(0x64, 'I', 10) + address(0, 0x400010) + address(2, 0x5000) + address(3, 0x9000) + packet(0x49, 'B', 0)
            + packet(0x98, 'H', 30) + packet(0x99, 'H', 10) + packet(0x9a, 'H', 4) + packet(0x52, 'H', 0x416)
            + packet(0x43, 'B', 8) + packet(0x71, 'Q', 1000))
    # An extended header; of the kernel; without a time.
    branch = bytes([0x20]) + address(0, 0x100 | 1 << 61) + packet(0x4a, 'B', 1) + b'\x01'
    store = packet(0x64, 'I', 10) + address(0, 0x800000) + packet(0x49, 'B', 1) + packet(0x71, 'Q', 3000)
    data = bytes(8) + load + branch + store
    cut = len(data) - 5
    records = [
        w.record(70, 0, w.pack('IIQ', 4, 0, 0)),
        w.record(79, 0, w.pack('QQQ', 1, 2, 500)),
        w.record(COMM, 0, w.pack('II', 10, 10) + w.text('app') + end(1000)),
        w.record(MMAP, USER, w.pack('IIQQQ', 10, 10, 0x400000, 0x1000, 0) + w.text('/bin/app') + end(1001)),
        # Valid in two pieces, of which the second lacks bytes; another cpu has none that are valid.
        aux(0, cut, 0, 1700),
        auxtrace(0, data),
        aux(cut, 5, 1, 1800),
        aux(cut + 25, 10, 4, 1900),
        auxtrace(0, bytes(16), 1),
        w.record(70, 0, w.pack('IIQ', 4, 0, 0)),
    ]
    return events, records, {}


def frames(pieces):
    """CoreSight's frames of pairs of a stream's number and its bytes; padding is of stream 0."""
    left = [(stream, byte) for stream, data in pieces for byte in data]
    out, current = b'', 0
    while left:
        frame, bits = [], 0
        for pair in range(8):
            stream, byte = left[0] if left else (0, 0)
            after = left[1][0] if len(left) > 1 else 0
            taken = 1
            if stream != current:  # the byte behind the number is of that stream
                current = stream
                frame += [stream << 1 | 1, byte]
                taken = pair < 7
            elif pair < 7 and after != current:  # it is of the one before
                current = after
                frame += [after << 1 | 1, byte]
                bits |= 1 << pair
            else:
                frame.append(byte & 0xfe)
                bits |= (byte & 1) << pair
                if pair < 7:
                    frame.append(left[1][1] if left else 0)
                    taken = 2
            del left[:int(taken)]
        out += bytes(frame[:15] + [bits])
    return out


def etm_recording(w):
    events = [(w.attr(8, 0, 1, IP | TID | TIME | CPU | IDENTIFIER, 0, [SAMPLE_ID_ALL]), [5], 'cs_etm//')]

    def end(time, cpu):
        return w.sample_id(10, 10, time, cpu, 5)

    def aux(offset, size, flags, time, cpu):
        return w.record(11, 0, w.pack('QQQ', offset, size, flags) + end(time, cpu))

    def auxtrace(offset, data, cpu):
        data += bytes(-len(data) % 8)
        return w.record(71, 0, w.pack('QQQIIII', len(data), offset, 0, 0, 2**32 - 1, cpu, 0)) + data

    def start(time, cpu):
        return w.record(12, 0, w.pack('II', 10, 10) + end(time, cpu))

    # Timestamps, context ids; cycle counts that the first is able to.
    idr0, idr1, idr2 = 0x28000ea1, 0x4100f403, 0x488
    etm4 = w.pack('QQQQQQQQQQ', 0x4040404040404040, 0, 7, 1 << 11 | 1 << 6, 0x10, idr0, idr1, idr2, 0, 0xcc)
    ete = w.pack('QQQQQQQQQQQ', 0x5050505050505050, 1, 8, 1 << 6, 0x12, idr0 & ~(1 << 7), 0x4100ff03, idr2, 3, 0xcc, 0x47705a13)
    # What begins a stream: A-sync, trace info, a timestamp, trace on, an address with its context, a branch.
    sync = bytes(11) + b'\x80'
    stream = sync + b'\x01\x01\x00' + b'\x02\x81\x08' + b'\x04' + b'\x85\0\x04\x40\0\0\0\0\0\xb0\x0a\0\0\0' + b'\xf7'
    raw = stream + bytes(-len(stream) % 8)
    framed = frames([(0x10, b'\x01\x02\x03'), (0x12, sync), (0x10, b'\x04\x05'), (0x33, b'\x06')])
    records = [
        w.record(70, 0, w.pack('IIQQQ', 3, 0, 1, 8 << 32 | 2, 0) + etm4 + ete),
        w.record(COMM, 0, w.pack('II', 10, 10) + w.text('app') + end(1000, 0)),
        start(1001, 0),
        start(1002, 1),
        w.record(21, 0, w.pack('Q', 0x12) + end(1003, 1)),
        aux(0, len(raw), 0x100, 1700, 0),
        auxtrace(0, raw, 0),
        # Of both CPUs, collected by one, and behind it another recording.
        aux(0, len(framed), 0, 1800, 1),
        auxtrace(0, framed, 1),
        start(2000, 0),
        aux(len(raw), 8, 0x100, 2100, 0),
        auxtrace(len(raw), sync[4:], 0),
    ]
    return events, records, {}


def tracefs(w, formats):
    """What a recording keeps of tracefs: the formats of events of one system."""
    def block(text):
        return w.pack('Q', len(text)) + text

    out = b'\x17\x08\x44tracing0.6\0' + bytes([w.big, 8]) + w.pack('I', 4096)
    out += b'header_page\0' + block(b'') + b'header_event\0' + block(b'') + w.pack('I', 0)
    out += w.pack('I', 1) + b'sched\0' + w.pack('I', len(formats))
    for number, (name, fields) in formats.items():
        lines, offset = [], 0
        for declaration, size, signed in [('unsigned short common_type', 2, 0), ('int common_pid', 4, 1), *fields]:
            offset += -offset % min(size, 8)
            lines.append('\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;' % (declaration, offset, size, signed))
            offset += size
        out += block(('name: %s\nID: %d\nformat:\n%s\n\nprint fmt: ""\n' % (name, number, '\n'.join(lines))).encode())
    return out + w.pack('IIQ', 0, 0, 0)


def sched_recording(w):
    fields = IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER
    formats = {
        300: ('sched_switch', [('char prev_comm[16]', 16, 0), ('pid_t prev_pid', 4, 1), ('int prev_prio', 4, 1),
                               ('long prev_state', 8, 1), ('char next_comm[16]', 16, 0), ('pid_t next_pid', 4, 1),
                               ('int next_prio', 4, 1)]),
        301: ('sched_waking', [('char comm[16]', 16, 0), ('pid_t pid', 4, 1), ('int prio', 4, 1)]),
        302: ('open', [('__data_loc char[] name', 4, 0), ('u8 flags', 1, 0), ('unsigned char other[3]', 3, 0)]),
        303: ('sys_enter', [('long id', 8, 1), ('unsigned long args[6]', 48, 0)]),
        304: ('sys_exit', [('long id', 8, 1), ('long ret', 8, 1)]),
        305: ('sys_enter_futex', [('int __syscall_nr', 4, 1), ('int op', 4, 1)]),
        306: ('sys_exit_futex', [('int __syscall_nr', 4, 1), ('long ret', 8, 1)]),
    }
    events = [(w.attr(2, number, 1, fields, 0, [SAMPLE_ID_ALL]), [number], 'sched:' + name)
              for number, (name, _) in formats.items()]

    def sample(event, time, tid, cpu, raw):
        raw = w.pack('HxxI', event, tid) + raw
        return w.record(SAMPLE, KERNEL, w.pack('QQIIQIIQ', event, 0, tid and 10, tid, time, cpu, 0, 1)
                        + w.pack('I', len(raw)) + raw)

    def switch(time, cpu, prev, state, next_):
        raw = w.pack('16sIIQ', ('t%d' % prev).encode(), prev, 120, state) + w.pack('16sII', ('t%d' % next_).encode(), next_, 110)
        return sample(300, time, prev, cpu, raw)

    records = [
        # Of all threads: an index of ids whose thread is none.
        w.record(69, 0, w.pack('QQQQQ', 1, 300, 0, 0, 2**64 - 1)),
        switch(1000, 0, 0, 0, 11),
        sample(302, 1050, 11, 0, w.pack('IBBBB', 5 << 16 | 16, 3, 0, 0, 0) + w.text('file')),
        sample(301, 1100, 11, 0, w.pack('16sII', b't12', 12, 120)),
        switch(1200, 0, 11, 1, 12),
        switch(1300, 0, 12, 256, 11),
        sample(303, 1310, 11, 0, w.pack('QQQQQQQ', 257, 1, 2, 3, 4, 5, 6)),
        sample(304, 1320, 11, 0, w.pack('Qq', 257, -2)),
        sample(303, 1330, 11, 0, w.pack('QQQQQQQ', 15, 0, 0, 0, 0, 0, 0)),
        sample(305, 1340, 11, 0, w.pack('II', 202, 129)),
        sample(306, 1350, 11, 0, w.pack('I4xQ', 202, 1)),
        sample(304, 1360, 11, 0, w.pack('Qq', 999, 0)),
    ]
    return events, records, {1: tracefs(w, formats), 4: w.string('5.10.0'), 6: w.string('x86_64'), 12: w.pack('II', 0, 96)}


def offcpu_recording(w, split=False):
    """The formats stand in a record, or in pieces of one, in front of what needs them."""
    events, records, _ = sched_recording(w)
    data = tracefs(w, {300: ('sched_switch', [('pid_t prev_pid', 4, 1), ('int prev_prio', 4, 1), ('long prev_state', 8, 1),
                                              ('pid_t next_pid', 4, 1), ('int next_prio', 4, 1)])})
    body = w.pack('I', len(data)) + data
    if split:
        whole = w.pack('IHH', 32777, 0, 8 + len(body)) + body
        pieces = [w.record(32772, 0, whole[at:at + 64]) for at in range(0, len(whole), 64)] + [w.record(32773, 0, b'')]
    else:
        pieces = [w.record(66, 0, body)]

    def switch(time, prev, state, next_):
        raw = w.pack('HxxI', 300, prev) + w.pack('IIQII', prev, 120, state, next_, 110)
        return w.record(SAMPLE, KERNEL, w.pack('QQIIQIIQ', 300, 0, 10, prev, time, 0, 0, 1)
                        + w.pack('I', len(raw)) + raw + bytes(-(len(raw) + 4) % 8))

    return events, records[:1] + pieces + [switch(1000, 11, 1, 12), switch(1500, 12, 2, 11), switch(1700, 11, 0, 12)], {}


def split_recording(w):
    return offcpu_recording(w, True)


def switch_recording(w):
    fields = IP | TID | TIME | CPU | IDENTIFIER
    events = [(w.attr(1, 9, 1, fields, 0, [SAMPLE_ID_ALL]), [5], 'dummy:HG')]

    def switch(time, cpu, pid, tid, out=False, preempted=False):
        misc = USER | out << 13 | preempted << 14
        return w.record(SWITCH_CPU_WIDE, misc, w.pack('II', 0, 0) + w.sample_id(pid, tid, time, cpu, 5))

    records = [
        w.record(COMM, 0, w.pack('II', 10, 11) + w.text('worker') + w.sample_id(10, 11, 900, 0, 5)),
        switch(1000, 0, 0, 0, True),
        switch(1001, 0, 10, 11),
        switch(1100, 0, 10, 11, True, True),
        switch(1101, 0, 0, 0),
        switch(1200, 1, 10, 11),
        switch(1300, 1, 10, 11, True),
        # The end of what began there was lost.
        switch(1400, 0, 10, 12),
        w.record(LOST, 0, w.pack('QQ', 5, 7) + w.sample_id(10, 12, 1500, 1, 5)),
        # Too short for who, when and where.
        w.record(SWITCH_CPU_WIDE, USER, w.pack('Q', 0)),
        w.record(THROTTLE, 0, w.pack('QQQ', 1600, 5, 5) + w.sample_id(10, 12, 1600, 1, 5)),
        w.record(FINISHED_ROUND, 0, b''),
        w.record(120, 0, b''),
    ]
    return events, records, {}


def stat_recording(w):
    """What perf stat record writes: counts of two CPUs, of which one shared its counter, and of everywhere."""
    events = [(w.attr(1, 0, 0, IDENTIFIER), [5, 6], 'cpu-clock'), (w.attr(1, 2, 0, IDENTIFIER), [7], 'page-faults')]

    def count(event, cpu, value, enabled=100, running=100):
        return w.record(76, 0, w.pack('QIIQQQ', event, cpu & 0xffffffff, 0, value, enabled, running))

    def end_of_round(time):
        return w.record(77, 0, w.pack('QQ', 0, time))

    records = [
        count(5, 0, 1000), count(6, 1, 500, 100, 50), count(7, -1, 3), end_of_round(1000000),
        count(5, 0, 2500), count(6, 1, 700), count(7, -1, 0, 100, 0), end_of_round(2000000),
        count(99, 0, 1), count(5, 0, 2600), w.record(77, 0, b''), count(5, 0, 2700), end_of_round(3000000),
        count(5, 0, 9999),  # its round was never written
    ]
    return events, records, {}


def order_recording(w):
    events = [(w.attr(0, 0, 4000, IP | TID | TIME | CPU | IDENTIFIER, 0, [SAMPLE_ID_ALL]), [5], 'cycles')]

    def comm(time, tid, name, misc=0):
        return w.record(COMM, misc, w.pack('II', tid, tid) + w.text(name) + w.sample_id(tid, tid, time, 0, 5))

    def mmap(pid, start, path, time=0):
        return w.record(MMAP, USER, w.pack('IIQQQ', pid, pid, start, 0x1000, 0) + w.text(path)
                        + w.sample_id(pid, pid, time, 0, 5))

    def sample(time, pid, ip):
        return w.record(SAMPLE, USER, w.pack('QQIIQII', 5, ip, pid, pid, time, 0, 0))

    starts = 1 << 13
    records = [
        # Before all times: these go where the recording begins.
        mmap(10, 0x10000, '/bin/first'),
        comm(0, 10, 'untimed'),
        sample(2000, 10, 0x10010),
        # Goes to the least time so far, that of a name.
        comm(900, 20, 'earliest'),
        mmap(20, 0x20000, '/bin/second'),
        sample(1000, 20, 0x20010),
        # What it says is older than what the record before says, though it comes later.
        comm(3000, 10, 'newest'),
        comm(2500, 10, 'newer'),
        comm(0, 10, 'untimed too'),
        # Of one time, in the order of the file; the code of the started program is that behind the start.
        comm(4000, 20, 'perf-exec'),
        comm(4000, 20, 'program', starts),
        mmap(20, 0x30000, '/bin/program', 4000),
        sample(4000, 20, 0x30010),
        sample(4001, 20, 0x20010),
        # A sample without a time, which has that of the beginning.
        sample(0, 40, 0x40010),
        sample(5000, 10, 0x10010),
        # Nothing that has a time follows.
        mmap(50, 0x50000, '/bin/never'),
        sample(0, 50, 0x50010),
    ]
    return events, records, {}


def as_file(w, events, records, features):
    header, section = 104, 16
    ids = b''.join(w.pack('%dQ' % len(i), *i) for _, i, _ in events)
    attrs, at = b'', header
    for attr, event_ids, _ in events:
        attrs += attr + w.pack('QQ', at, 8 * len(event_ids))
        at += 8 * len(event_ids)
    data_at = at + len(attrs)
    body = b''.join(records)
    bits = [0] * 4
    table, sections = b'', b''
    feature_at = data_at + len(body) + section * len(features)
    for number in sorted(features):
        bits[number // 64] |= 1 << number % 64
        table += w.pack('QQ', feature_at + len(sections), len(features[number]))
        sections += features[number]
    magic = w.pack('Q', 0x32454c4946524550)
    head = magic + w.pack('QQ', header, 96 + section) + w.pack('QQQQQQ', at, len(attrs), data_at, len(body), 0, 0)
    return head + w.pack('4Q', *bits) + ids + attrs + body + table + sections


def as_pipe(w, events, records, features):
    out = w.pack('QQ', 0x32454c4946524550, 16)
    for attr, ids, _ in events:
        out += w.record(64, 0, attr + w.pack('%dQ' % len(ids), *ids))
    for number in sorted(features):
        out += w.record(80, 0, w.pack('Q', number) + features[number])
    return out + b''.join(records)


def packed(w, records):
    """One zstd frame of raw blocks, cut at places of no meaning."""
    data = b''.join(records)
    stream = struct.pack('<IBB', 0xfd2fb528, 0x00, 0x58)  # the window's size; no checksum, no size of the content
    for i in range(0, len(data), 500):
        piece = data[i:i + 500]
        stream += struct.pack('<I', len(piece) << 3)[:3] + piece
    return [w.pack('IHH', 81, 0, 8 + len(stream[i:i + 333])) + stream[i:i + 333] for i in range(0, len(stream), 333)]


def write_folder(w, path, events, records, features):
    """What perf record --threads leaves: records of two threads beside the recording."""
    os.makedirs(path, exist_ok=True)
    first, second = len(records) // 3, len(records) * 2 // 3
    for name, content in (('data', as_file(w, events, records[:first], features)),
                          ('data.0', b''.join(records[first:second])), ('data.1', b''.join(records[second:]))):
        with open(os.path.join(path, name), 'wb') as out:
            out.write(content)
    os.utime(path)


def main():
    form, path = sys.argv[1:]
    w = Writer(form in ('big', 'big_folder'))
    recordings = {'simpleperf': simpleperf_recording, 'spe': spe_recording, 'etm': etm_recording, 'sched': sched_recording,
                  'offcpu': offcpu_recording, 'split': split_recording,
                  'switches': switch_recording, 'stat': stat_recording,
                  'order': order_recording}
    events, records, features = recordings.get(form, recording)(w)
    if form == 'packed':
        records = packed(w, records)
    if form in ('folder', 'big_folder'):
        write_folder(w, path, events, records, features)
        return
    with open(path, 'wb') as out:
        out.write((as_pipe if form == 'pipe' else as_file)(w, events, records, features))


main()
