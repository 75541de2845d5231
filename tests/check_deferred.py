#!/usr/bin/env python3
"""Compares what is read of a trace file, whose args are found again when somebody reads them, with what is read of the
same trace in gzip, whose args are kept while it loads.

Usage: check_deferred.py TPTUI TRACE...
"""
import gzip
import os
import subprocess
import sys
import tempfile

QUERIES = [
    'SELECT count(*), count(arg_set_id), count(DISTINCT arg_set_id) FROM ftrace_event',
    'SELECT count(*), count(arg_set_id), count(DISTINCT arg_set_id) FROM slice',
    'SELECT count(*), count(DISTINCT arg_set_id), count(DISTINCT key) FROM args',
    'SELECT f.id, key, display_value FROM ftrace_event f JOIN args USING (arg_set_id) ORDER BY f.id, key, display_value',
    'SELECT s.id, key, display_value FROM slice s JOIN args USING (arg_set_id) ORDER BY s.id, key, display_value',
    "SELECT id, extract_arg(arg_set_id, 'ret'), extract_arg(arg_set_id, 'args[0]') FROM slice",
    'SELECT name, count(arg_set_id), count(DISTINCT arg_set_id) FROM slice GROUP BY name ORDER BY name',
    'SELECT id, to_ftrace(id) FROM ftrace_event',
    "SELECT id, __intrinsic_arg_set_to_json(arg_set_id) FROM slice",
    'SELECT count(arg_set_id) FROM experimental_flat_slice(0, 1 << 62)',
    'SELECT count(*), count(DISTINCT a) FROM (SELECT arg_set_id AS a FROM slice WHERE dur > 1000 ORDER BY arg_set_id)',
    "SELECT name, max(extract_arg(arg_set_id, 'ret')) FROM slice WHERE extract_arg(arg_set_id, 'ret') > 0 GROUP BY name ORDER BY name",
    "SELECT sum(length(extract_arg(f.arg_set_id, 'comm'))) FROM ftrace_event f JOIN thread USING (utid) WHERE f.ts % 2",
    'SELECT id FROM slice WHERE arg_set_id IS NULL ORDER BY id',
    'SELECT count(*) FROM ftrace_event WHERE arg_set_id < 1000000000',
    'SELECT count(*) FROM ftrace_event f JOIN thread USING (utid) WHERE f.arg_set_id < 1000000000',
    'SELECT max(n) FROM (SELECT count(*) AS n FROM ftrace_event GROUP BY arg_set_id)',
    'SELECT sum(n) FROM (SELECT s.id, a.n FROM slice s JOIN (SELECT arg_set_id, count(*) AS n FROM args GROUP BY 1) a '
    'USING (arg_set_id))',
]


def output(tptui, trace, options, query):
    done = subprocess.run([tptui, 'query', '--no-cache', *options, trace, query], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def main():
    tptui, *traces = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            packed = os.path.join(folder, 'packed.gz')
            with open(trace, 'rb') as source, gzip.open(packed, 'wb', 1) as out:
                out.write(source.read())
            for query in QUERIES:
                kept = output(tptui, packed, [], query)
                for options in ([], ['--no-vector']):
                    if output(tptui, trace, options, query) != kept or kept[0] != 0 or not kept[1]:
                        print('%s: %s differs in gzip: %s' % (os.path.basename(trace), options, query))
                        failed = 1
    return failed


if __name__ == '__main__':
    sys.exit(main())
