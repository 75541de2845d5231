#!/usr/bin/env python3
"""Runs `tptui batch --engine slurm` on a real Slurm of one node, which it starts and ends.

Usage: test_batch_slurm.py TPTUI TRACE

Exits with 77 (skipped) where Slurm is not installed or the user is not root.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import batch_stream
from children import Popen
from slurm_cluster import Cluster, is_possible, output, wait_for

tptui, trace = map(os.path.abspath, sys.argv[1:])
failures = []
QUERY = 'SELECT count(*) AS n, max(dur) AS longest FROM slice'
SLOW = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT max(x) AS n FROM n'
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS n FROM n'


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def running():
    return output('squeue', '--noheader', '--states=RUNNING', '--format=%i').split()


def batch(kept, *args):
    p = Popen([tptui, 'batch', '--engine', 'slurm', '--jobs', '2', '--resume', kept, *args],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p


def finish(p):
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err


def main(folder):
    traces = []
    for i in range(6): # of different content: packets without a field
        traces.append(os.path.join(folder, 'trace%d' % i))
        shutil.copy(trace, traces[-1])
        with open(traces[-1], 'ab') as f:
            f.write(b'\x0a\x00' * i)
    local = output(tptui, 'batch', QUERY, *traces)
    kept = os.path.join(folder, 'kept')
    expect('the same as here', finish(batch(kept, QUERY, *traces)), (0, local, ''))
    expect('nothing is left to do', finish(batch(kept, QUERY, *traces)), (0, local, ''))
    spec = os.path.join(folder, 'spec.textproto')
    with open(spec, 'w') as f:
        f.write('metric_spec { id: "m" value: "v" query { sql { sql: "SELECT 7 AS v" column_names: "v" } } }')
    for asked in ['--metric', 'trace_metadata'], ['--summary', spec], ['--from', '1ns', '--to', '+1s', 'SELECT count(*) FROM slice']:
        expect('also of %s' % asked[0], finish(batch(kept, *asked, *traces)),
               (0, output(tptui, 'batch', *asked, *traces), ''))

    bad = os.path.join(folder, 'bad')
    with open(bad, 'w') as f:
        f.write('no trace\n')
    status, out, err = finish(batch(kept, QUERY, traces[0], bad, traces[1]))
    expect('a bad one', (status, out.splitlines(), bad in err), (3, local.splitlines()[:3], True))

    # An element that is cancelled while it runs is done again.
    kept = os.path.join(folder, 'kept2')
    p = batch(kept, SLOW, *traces)
    victims = wait_for('a running job', running)
    subprocess.run(['scancel', '--signal=KILL', *victims[:1]] if victims else ['true'], check=False)
    status, out, err = finish(p)
    expect('killed in the middle', (status, out, err), (0, 'trace,n\n' + ''.join(t + ',3000000\n' for t in traces), ''))

    # What a process may take is asked of Slurm, unless that has no such node, or its own variables say it.
    p = batch(os.path.join(folder, 'kept4'), '--memory', '300M', SLOW, traces[0])
    expect('memory', wait_for('a running job', lambda: output('squeue', '--noheader', '--format=%m').split()), ['300M'])
    finish(p)
    status, out, err = finish(batch(os.path.join(folder, 'kept5'), '--memory', '9G', QUERY, *traces))
    expect('more memory than there is', (status, out, 'Memory' in err), (0, local, True))
    os.environ['SBATCH_MEM_PER_NODE'] = '200'
    p = batch(os.path.join(folder, 'kept6'), '--memory', '300M', SLOW, traces[0])
    expect('its own memory', wait_for('a running job', lambda: output('squeue', '--noheader', '--format=%m').split()), ['200M'])
    finish(p)
    del os.environ['SBATCH_MEM_PER_NODE']

    # The cache is where it is said to be, on each node.
    large, cache = os.path.join(folder, 'large'), os.path.join(folder, 'cache')
    shutil.copy(trace, large)
    with open(large, 'ab') as f:
        f.write(b'\x0a\x00' * (8 << 20))
    expect('a folder of the cache', (finish(batch(kept, '--cache-folder', cache, QUERY, large))[0], 'locks' in os.listdir(cache)), (0, True))
    expect('not of this machine alone', finish(batch(kept, '--cache-folder', 'here', QUERY, large))[0], 2)

    # Rows are there before the end, and who wants no more ends the job.
    some, sql = batch_stream.make(trace, folder, 5)
    p = batch(os.path.join(folder, 'kept7'), sql, *some)
    expect('rows while others run', batch_stream.read_lines(p, 5), ['trace,n\n'] + ['%s,1\n' % path for path in some[:4]])
    p.send_signal(signal.SIGINT)
    expect('and no more', finish(p)[:2], (130, ''))
    p = batch(os.path.join(folder, 'kept8'), sql, *some)
    p.stdout.close()
    expect('nobody reads them', bool(wait_for('the end', lambda: p.poll() is not None)), True)
    expect('its job is gone', bool(wait_for('an empty queue', lambda: not running())), True)
    p.kill()

    # Ctrl-C cancels the job.
    p = batch(os.path.join(folder, 'kept3'), ENDLESS, *traces)
    wait_for('a running job', running)
    p.send_signal(signal.SIGINT)
    expect('interrupted', finish(p)[0], 130)
    expect('the job is gone', bool(wait_for('an empty queue', lambda: not running())), True)


if not is_possible():
    print('Slurm is not installed, or this is not root')
    sys.exit(77)
with tempfile.TemporaryDirectory() as base:
    cluster = Cluster(base)
    try:
        if cluster.ready:
            main(base)
        else:
            failures.append('the cluster does not start')
    finally:
        cluster.end()
print('%d failures' % len(failures), failures)
sys.exit(1 if failures else 0)
