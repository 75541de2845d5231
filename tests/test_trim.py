#!/usr/bin/env python3
"""Whether what `tptui trim` writes keeps the rules of Perfetto's format, so that other readers open it.

Usage: test_trim.py TPTUI TRACE...

The middle third of each trace is cut out. The file must be packets and nothing else; a packet that needs incremental state
comes behind one of its sequence that begins it, and ids of names, categories and annotations behind their interned data;
clocks are told before times, where the trace tells them; and protoc parses it. Of the last trace a copy is damaged, which trim
and a window say.
"""
import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from perfetto_rules import PACKET, problems, varint


def raw(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + raw(n >> 7)


def number(field, value):
    return raw(field << 3) + raw(value)


def message(field, data):
    return raw(field << 3 | 2) + raw(len(data)) + data


def check(tptui, trace, folder):
    cut = os.path.join(folder, 'cut.pftrace')
    bounds = subprocess.run([tptui, 'query', trace, '--format', 'csv', 'SELECT start_ts, end_ts - start_ts FROM trace_bounds'],
                            capture_output=True, check=True, timeout=120).stdout.decode().split()[-1]
    length = int(bounds.split(',')[1])
    with open(trace, 'rb') as f:
        found = ['of the whole trace: ' + p for p in problems(f.read())]
    if found:  # tells nothing about trim
        return found
    for begin, end in (length // 3, length - length // 3), (length // 2, length):
        subprocess.run([tptui, 'trim', trace, cut, '--from', '%dns' % begin, '--to', '%dns' % end], check=True, timeout=120)
        with open(cut, 'rb') as f:
            data = f.read()
        found += problems(data)
        if shutil.which('protoc') and subprocess.run(['protoc', '--decode_raw'], input=data, stdout=subprocess.DEVNULL, timeout=120).returncode:
            found.append('protoc refuses it')
    return found


def check_damaged(tptui, trace, folder):
    """What a window says of a trace of which the middle and the end are broken."""
    damaged, cut = os.path.join(folder, 'damaged.pftrace.gz'), os.path.join(folder, 'cut.pftrace')
    with open(trace, 'rb') as f:
        data = bytearray(f.read())
    at = 0
    while at < len(data) // 2: # to where a packet begins
        length, begin = varint(data, at + 1)
        at = begin + length
    data[at:at + 8] = b'\xff' * 8
    with open(damaged, 'wb') as f:
        f.write(gzip.compress(data)[:-1000])
    found = told_of(tptui, damaged, cut, 'packet_corrupt', 'decompression_errors')
    nested = os.path.join(folder, 'nested.zip')
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode='w:gz') as f:
        f.add(trace, 'trace')
    with zipfile.ZipFile(nested, 'w') as f:
        f.writestr('trace.tgz', tar.getvalue()[:-8]) # behind the trace, which is whole
    text = os.path.join(folder, 'text.txt')
    with open(text, 'w') as f:
        f.write(''.join('  a-1 [000] .... 1.00000%d: print: x: B|1|x\n' % i for i in range(9)) + '\0' * 9)
        f.write('\n  a-1 [000] .... 1.000020: pri')
    events = os.path.join(folder, 'events.json')
    with open(events, 'w') as f:
        f.write('[%s]' % ',\n'.join('{"ph":"i","pid":1,"tid":1,"name":"x",%s}' % ('"ts":%d' % i if i % 5 else '"ts"x')
                                    for i in range(12)))
    holes = os.path.join(folder, 'holes.json')
    with open(holes, 'w') as f:
        f.write('[%s]' % ',\n'.join('{"ph":"i","pid":1,"tid":1,"name":"x%s","ts":%d}' % ('\0' * 9 if i == 5 else '', i)
                                    for i in range(12)))
    packets = os.path.join(folder, 'packets.txt')
    with open(packets, 'w') as f:
        f.write(''.join('packet { timestamp: %d trusted_packet_sequence_id: 1 track_event { type: 3 name: "%s" } }\n'
                        % (i, '\0' * 9 if i == 5 else 'x') for i in range(1, 12)))
    broken = os.path.join(folder, 'broken.tar')
    with tarfile.open(broken, 'w', format=tarfile.USTAR_FORMAT) as f:
        f.add(events, 'events.json')
        f.add(events, 'more.json')
    with open(broken, 'r+b') as f: # the second header
        f.seek(512 + (os.path.getsize(events) + 511) // 512 * 512)
        f.write(b'M')
    return (found + told_of(tptui, nested, cut, 'decompression_errors') +
            told_of(tptui, written(folder, 'bundle.pftrace', broken_bundles()), cut, 'ftrace_bundle_tokenizer_errors',
                    'compact_sched_has_parse_errors') +
            counted_of(tptui, written(folder, 'samples.pftrace', endless_samples()), 'streaming_profile_invalid_timestamp',
                       'track_event_invalid_timestamp') +
            told_of(tptui, text, cut, 'text_hole_bytes', 'trace_ends_early') +
            told_of(tptui, events, cut, 'json_tokenizer_failure') +
            told_of(tptui, broken, cut, 'decompression_errors') +
            told_of(tptui, holes, cut, 'text_hole_bytes') + holes_of(tptui, holes) +
            told_of(tptui, packets, cut, 'text_hole_bytes'))


def holes_of(tptui, trace):
    """In a window with the hole are as many bytes of it as in the whole."""
    sql = "SELECT value FROM stats WHERE name = 'text_hole_bytes'"
    counts = [subprocess.run([tptui, 'query', trace, '--no-cache', '--format', 'csv', sql] + window, capture_output=True,
                             check=True, timeout=120).stdout.split()[-1] for window in ([], ['--to', '1ms'], ['--from', '8us'])]
    return [] if counts == [b'9'] * 3 else ['a hole of 9 bytes is %s in the whole and windows' % counts]


def written(folder, name, packets):
    path = os.path.join(folder, name)
    with open(path, 'wb') as f:
        f.write(b''.join(message(PACKET, p) for p in packets))
    return path


def broken_bundles():
    """Events of which the last is in no millisecond of the first, and what has no time: an event, a list of switches, and
    zeros as a crash leaves them. That the recorder could not read some is told besides."""
    event = [message(2, number(1, ts) + number(2, 7) + message(3, message(2, b'B|7|x'))) for ts in (1000, 2000, 10**9)]
    time_behind = message(2, number(2, 7) + message(3, message(2, b'E|7')) + number(1, 1500))
    no_time = message(2, number(2, 7) + message(3, b''))
    columns = message(4, message(1, b'\x0a\x0a') + message(2, b'\x00') + message(5, b'x'))
    return [message(1, number(1, 0) + event[0] + time_behind), message(1, number(1, 0) + event[1] + no_time),
            message(1, number(1, 0) + columns), message(1, number(1, 0) + event[2] + bytes(30) + event[1]),
            message(34, number(1, 1) + number(9, 2))]


def endless_samples():
    """An event, samples whose times go beyond all numbers, and an event that comes behind them."""
    begin, sequence = number(13, 1), number(10, 1)
    thread = sequence + message(44, number(1, 7) + number(2, 7) + number(6, 0))
    event = sequence + message(11, number(1, 0) + number(9, 3) + message(23, b'x'))
    samples = sequence + message(54, number(2, 2**64 - 9223372036854776))
    return [begin + thread, event, samples, sequence + message(54, number(2, 0)), event]


def losses(tptui, trace):
    sql = "SELECT ifnull(sum(value), 0) AS n FROM tptui_loss WHERE effect IN ('event', 'place', 'bytes')"
    run = subprocess.run([tptui, 'query', trace, '--no-cache', '--format', 'csv', sql], capture_output=True, check=True, timeout=120)
    return int(run.stdout.split()[1])


def counts(tptui, trace, *options):
    run = subprocess.run([tptui, 'query', trace, '--no-cache', '--format', 'csv', *options,
                          'SELECT name, sum(value) FROM stats WHERE value > 0 GROUP BY 1'], capture_output=True, check=True, timeout=120)
    return dict(line.split(',') for line in run.stdout.decode().splitlines()[1:])


def told_of(tptui, damaged, cut, *stats):
    found = []
    trimmed = subprocess.run([tptui, 'trim', damaged, cut, '--to', '1ms'], capture_output=True, check=True, timeout=120)
    if not losses(tptui, cut) > 0:
        found.append('what trim writes of %s does not tell of a loss' % os.path.basename(damaged))
    whole, again = losses(tptui, cut), cut + '-again'
    subprocess.run([tptui, 'trim', cut, again, '--to', '1ms'], check=True, timeout=120)
    if losses(tptui, again) != whole:
        found.append('what trim writes of %s and trims again tells of another loss' % os.path.basename(damaged))
    for stat in stats:
        if '[%s]' % stat not in trimmed.stderr.decode():
            found.append('trim does not tell %s of %s' % (stat, os.path.basename(damaged)))
    return found + counted_of(tptui, damaged, *stats)


def counted_of(tptui, damaged, *stats):
    whole, loaded = counts(tptui, damaged), counts(tptui, damaged, '--to', '1ms')
    return ['a window of %s counts %s of %s, the whole %s' % (os.path.basename(damaged), loaded.get(stat), stat, whole.get(stat))
            for stat in stats if stat not in whole or loaded.get(stat) != whole[stat]]


failed = False
with tempfile.TemporaryDirectory() as place:
    for name in sys.argv[2:]:
        for problem in check(sys.argv[1], name, place):
            failed = True
            print('%s: %s' % (os.path.basename(name), problem))
    for problem in check_damaged(sys.argv[1], sys.argv[-1], place):
        failed = True
        print(problem)
sys.exit(failed)
