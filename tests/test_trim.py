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

from perfetto_rules import problems, varint


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
    return (found + told_of(tptui, nested, cut, 'decompression_errors') +
            told_of(tptui, text, cut, 'text_hole_bytes', 'trace_ends_early') +
            told_of(tptui, events, cut, 'json_tokenizer_failure'))


def losses(tptui, trace):
    sql = "SELECT ifnull(sum(value), 0) AS n FROM tptui_loss WHERE effect IN ('event', 'place', 'bytes')"
    run = subprocess.run([tptui, 'query', trace, '--no-cache', '--format', 'csv', sql], capture_output=True, check=True, timeout=120)
    return int(run.stdout.split()[1])


def told_of(tptui, damaged, cut, *stats):
    found = []
    trimmed = subprocess.run([tptui, 'trim', damaged, cut, '--to', '1ms'], capture_output=True, check=True, timeout=120)
    loaded = subprocess.run([tptui, 'query', damaged, '--no-cache', '--to', '1ms', 'SELECT name FROM stats WHERE value > 0'],
                            capture_output=True, check=True, timeout=120)
    if not losses(tptui, cut) > 0:
        found.append('what trim writes of %s does not tell of a loss' % os.path.basename(damaged))
    whole, again = losses(tptui, cut), cut + '-again'
    subprocess.run([tptui, 'trim', cut, again, '--to', '1ms'], check=True, timeout=120)
    if losses(tptui, again) != whole:
        found.append('what trim writes of %s and trims again tells of another loss' % os.path.basename(damaged))
    for stat in stats:
        if '[%s]' % stat not in trimmed.stderr.decode():
            found.append('trim does not tell %s of %s' % (stat, os.path.basename(damaged)))
        if stat not in loaded.stdout.decode().split():
            found.append('a window does not count %s of %s' % (stat, os.path.basename(damaged)))
    return found


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
