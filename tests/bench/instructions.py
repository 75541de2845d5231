#!/usr/bin/env python3
"""Counts the instructions of queries over columns and over rows, which do not depend on what else the machine does.

Usage: instructions.py BENCH_SQL TRACE [FILE.sql...]

Without files, each module of the standard library is included, and its tables and views are read whole. Prints, for
each that takes more over columns, how many times as many (over 1.01, or as --above says), and the sums. Needs valgrind.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def modules(folder):
    """A file for each module that says what it defines; their paths."""
    relations = {}
    with open(os.path.join(ROOT, 'tests', 'modules.tsv')) as lines:
        for line in lines:
            module, kind, name = line.split('\t')[:3]
            relations.setdefault(module, []).extend([name] if kind in ('table', 'view') else [])
    paths = []
    for module, names in sorted(relations.items()):
        paths.append(os.path.join(folder, module + '.sql'))
        with open(paths[-1], 'w') as out:
            out.write('INCLUDE PERFETTO MODULE %s;\n' % module)
            out.writelines('SELECT * FROM %s;\n' % name for name in names)
    return paths


# Valgrind counts each byte of the processor's own instruction for filling memory.
TUNABLES = 'glibc.cpu.x86_rep_stosb_threshold=1073741824:glibc.cpu.x86_rep_movsb_threshold=1073741824'


def count(bench, trace, files, folder):
    """Instructions of each file: (columns, rows). Of two runs, as the first finds out what the trace then knows."""
    out = os.path.join(folder, 'counts')
    command = ['valgrind', '--tool=callgrind', '--toggle-collect=sql_session_run', '--dump-after=sql_session_run',
               '--callgrind-out-file=' + out, bench, trace] + files
    subprocess.run(command, check=True, env=dict(os.environ, BENCH_BOTH='1', BENCH_RUNS='2', GLIBC_TUNABLES=TUNABLES, LD_BIND_NOW='1'),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    totals = []
    for number in range(1, 4 * len(files) + 1):
        with open('%s.%d' % (out, number)) as dump:
            totals.append(int(re.search(r'^(?:totals|summary): (\d+)', dump.read(), re.M).group(1)))
    return list(zip(totals[2::4], totals[3::4]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('bench')
    parser.add_argument('trace')
    parser.add_argument('files', nargs='*')
    parser.add_argument('--above', type=float, default=1.01)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files or modules(folder)
        counts = count(options.bench, options.trace, files, folder)
    for path, (columns, rows) in zip(files, counts):
        if columns > options.above * rows:
            print('%6.3f %13d %13d  %s' % (columns / rows, columns, rows, os.path.basename(path)))
    print('%13d over columns, %d over rows, %d files' % (sum(c for c, r in counts), sum(r for c, r in counts),
                                                         len(files)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
