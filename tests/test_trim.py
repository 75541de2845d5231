#!/usr/bin/env python3
"""Whether what `tptui trim` writes keeps the rules of Perfetto's format, so that other readers open it.

Usage: test_trim.py TPTUI TRACE...

The middle third of each trace is cut out. The file must be packets and nothing else; a packet that needs incremental state
comes behind one of its sequence that begins it, and ids of names, categories and annotations behind their interned data;
clocks are told before times, where the trace tells them; and protoc parses it.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from perfetto_rules import problems


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


failed = False
with tempfile.TemporaryDirectory() as place:
    for name in sys.argv[2:]:
        for problem in check(sys.argv[1], name, place):
            failed = True
            print('%s: %s' % (os.path.basename(name), problem))
sys.exit(failed)
