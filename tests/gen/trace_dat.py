#!/usr/bin/env python3
"""Writes a small trace.dat in one of its forms: trace_dat.py v6|v7|packed|big OUTPUT. All have the same events.
schedviz, schedviz_big: the buffers and formats of it as files in a .tar.gz."""
import io
import struct
import sys
import tarfile
import zlib

form, path = sys.argv[1:]
big = form in ('big', 'schedviz_big')
order = '>' if big else '<'
packed = form == 'packed'
PAGE = 4096


def pack(fmt, *values):
    return struct.pack(order + fmt, *values)


COMMON = [('unsigned short common_type', 0, 2, 0), ('unsigned char common_flags', 2, 1, 0),
          ('unsigned char common_preempt_count', 3, 1, 0), ('int common_pid', 4, 4, 1)]


def event_format(name, number, fields):
    lines = ['name: ' + name, 'ID: %d' % number, 'format:']
    lines += ['\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;' % f for f in COMMON] + ['']
    lines += ['\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;' % f for f in fields]
    return ('\n'.join(lines + ['', 'print fmt: "x"', ''])).encode()


ftrace_formats = [event_format('print', 5, [('unsigned long ip', 8, 8, 0), ('char buf[]', 16, 0, 0)]),
                  event_format('bprint', 6, [('unsigned long ip', 8, 8, 0), ('const char * fmt', 16, 8, 0),
                                             ('u32 buf[]', 24, 0, 0)])]
systems = {
    'sched': [event_format('sched_switch', 300, [
        ('char prev_comm[16]', 8, 16, 0), ('pid_t prev_pid', 24, 4, 1), ('int prev_prio', 28, 4, 1),
        ('long prev_state', 32, 8, 1), ('char next_comm[16]', 40, 16, 0), ('pid_t next_pid', 56, 4, 1),
        ('int next_prio', 60, 4, 1)])],
    'irq': [event_format('irq_handler_entry', 301, [('int irq', 8, 4, 1), ('__data_loc char[] name', 12, 4, 0)])],
    'raw_syscalls': [event_format('sys_enter', 302, [('long id', 8, 8, 1), ('unsigned long args[6]', 16, 48, 0)])],
    'syscalls': [event_format('sys_exit_openat', 303, [('int __syscall_nr', 8, 4, 1), ('long ret', 16, 8, 1)])],
    'block': [event_format('block_bio_queue', 304, [('dev_t dev', 8, 4, 0), ('sector_t sector', 16, 8, 0),
                                                    ('unsigned int nr_sector', 24, 4, 0)])],
    'workqueue': [event_format('workqueue_execute_start', 305, [('void * work', 8, 8, 0),
                                                                ('void * function', 16, 8, 0)])],
    'demo': [event_format('demo_event', 306, [('unsigned long ip', 8, 8, 0), ('s32 level', 16, 4, 1),
                                              ('__rel_loc char[] what', 20, 4, 0)])],
}


def common(number, pid, flags=0):
    return pack('HBBi', number, flags, 0, pid)


def switch(prev, next_):
    return common(300, prev[1]) + pack('16siiq', prev[0].encode(), prev[1], 120, 1) + \
        pack('16sii', next_[0].encode(), next_[1], 120)


cpu0 = [
    (100, switch(('swapper', 0), ('bash', 77))),
    (50, common(302, 77) + pack('q6Q', 257, 1, 2, 3, 4, 5, 6)),
    (10, common(303, 77) + pack('ixxxxq', 257, -2)),
    (1 << 30, common(5, 77) + pack('Q', 0) + b'B|77|mark\n\0'),  # needs a longer time
    (20, common(304, 77) + pack('IxxxxQI', 8 << 20 | 3, 1000, 8)),
    (20, common(305, 77) + pack('QQ', 0x1234, 0xffffffff81000010)),
    (20, common(306, 77) + pack('QiI', 0xffffffff81000100, -3, 5 << 16 | 0) + b'text\0'),
    (20, common(5, 77) + pack('Q', 0) + b'E|77\n\0'),
    # Values as the kernel packs them: at multiples of their size, at most of 4.
    (5, common(6, 77) + pack('QQ', 0xffffffff81000010, 0xffffffff82000000) +
     b'disk\0' + bytes(3) + pack('iQ', -5, 0xabcdef0123) + pack('bxh', 7, -2) + b'x' + bytes(3) + pack('iQ', 4, 42)),
    (5, common(6, 77) + pack('QQ', 0xffffffff81000010, 0xffffffff82000010) + pack('I', 9)),  # one is missing
    (10, switch(('bash', 77), ('swapper', 0))),
    (20, common(399, 77)),  # nobody describes it
]
cpu1 = [
    (500, common(301, 88, 2) + pack('iI', 9, 4 << 16 | 16) + b'eth\0'),
    (10, switch(('swapper/1', 0), ('other', 88))),
]


def header(kind, delta):
    return pack('I', kind << 27 | delta if big else delta << 5 | kind)


def page(start, events):
    body = b''
    for delta, data in events:
        data += bytes(-len(data) % 4)
        if delta >= 1 << 27:
            body += header(30, delta & ((1 << 27) - 1)) + pack('I', delta >> 27)
            delta = 0
        if len(data) <= 28 * 4 and len(data) % 8 == 0:
            body += header(len(data) // 4, delta) + data
        else:
            body += header(0, delta) + pack('I', len(data) + 4) + data
    return (pack('QQ', start, len(body)) + body).ljust(PAGE, b'\0')


cpus = [page(1000000, cpu0[:5]) + page(1000000 + (1 << 30) + 180, cpu0[5:]), page(1000000, cpu1)]
header_page = b'\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;' \
    b'\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n'
kallsyms = b'ffffffff81000000 T do_work\nffffffff81000100 t do_demo\n'
printk = b'0xffffffff82000000 : "%s: %d%% of %llx, %hhu %hd %c [%*ld]\\n"\n' \
    b'0xffffffff82000010 : "%u and %s"\n'
command_lines = b'77 bash\n88 other name\n'
uname = b'Linux demo 6.1.0 #1 SMP x86_64\0'


def formats(list_):
    return pack('I', len(list_)) + b''.join(pack('Q', len(f)) + f for f in list_)


header_info = b'header_page\0' + pack('Q', len(header_page)) + header_page + b'header_event\0' + pack('Q', 0)
event_formats = pack('I', len(systems)) + b''.join(s.encode() + b'\0' + formats(f) for s, f in systems.items())
magic = b'\x17\x08\x44tracing'
begin = bytes([big, 8]) + pack('I', PAGE)


def version6():
    out = magic + b'6\0' + begin + header_info + formats(ftrace_formats) + event_formats
    out += pack('I', len(kallsyms)) + kallsyms + pack('I', len(printk)) + printk + pack('Q', len(command_lines)) + command_lines
    out += pack('I', len(cpus)) + b'options  \0' + pack('HI', 5, len(uname)) + uname + pack('H', 0) + b'flyrecord\0'
    at = (len(out) + 16 * len(cpus) + PAGE - 1) // PAGE * PAGE
    for data in cpus:
        out += pack('QQ', at, len(data))
        at += len(data)
    return out.ljust(at - sum(map(len, cpus)), b'\0') + b''.join(cpus)


def section(number, data, compress=packed):
    if compress:
        small = zlib.compress(data)
        data = pack('II', len(small), len(data)) + small
    return pack('HHIQ', number, compress, 0, len(data)) + data


def chunks(data):
    parts = [zlib.compress(data[i:i + PAGE]) for i in range(0, len(data), PAGE)]
    return pack('I', len(parts)) + b''.join(pack('II', len(p), PAGE) + p for p in parts)


def version7():
    out = bytearray(magic + b'7\0' + begin + (b'zlib\x001\0' if packed else b'none\0\0') + pack('Q', 0))
    first = len(out) - 8
    options = pack('HI', 5, len(uname)) + uname
    for number, data in ((16, header_info), (17, formats(ftrace_formats)), (18, event_formats),
                         (19, pack('I', len(kallsyms)) + kallsyms), (20, pack('I', len(printk)) + printk), (21, pack('Q', len(command_lines)) + command_lines)):
        options += pack('HIQ', number, 8, len(out))
        out += section(number, data)
    buffer_at = len(out)
    out += pack('HHIQ', 3, packed, 0, 0)
    places = b''
    for cpu, data in enumerate(cpus):
        data = chunks(data) if packed else data
        places += pack('IQQ', cpu, len(out), len(data))
        out += data
    buffer = pack('Q', buffer_at) + b'\0' + b'local\0' + pack('II', PAGE, len(cpus)) + places
    options += pack('HI', 3, len(buffer)) + buffer + pack('HIQ', 0, 8, 0)
    out[first:first + 8] = pack('Q', len(out))
    return bytes(out) + section(0, options)


def schedviz():
    """What SchedViz's util/trace.sh packs: no texts of trace_printk and no names of threads."""
    files = {'metadata.textproto': b'trace_type: FTRACE\n', 'formats/header_page': header_page}
    for system, list_ in systems.items():
        for text in list_:
            files['formats/%s/%s/format' % (system, text.split(b'\n')[0][6:].decode())] = text
    files.update(('traces/cpu%d' % i, data) for i, data in enumerate(cpus))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w:gz') as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


with open(path, 'wb') as f:
    f.write(schedviz() if form.startswith('schedviz') else version6() if form == 'v6' else version7())
