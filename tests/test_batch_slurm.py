#!/usr/bin/env python3
"""Runs `tptui batch --engine slurm` on a real Slurm of one node, which it starts and ends.

Usage: test_batch_slurm.py TPTUI TRACE

Exits with 77 (skipped) where Slurm is not installed or the user is not root.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from children import Popen

tptui, trace = map(os.path.abspath, sys.argv[1:])
failures = []
QUERY = 'SELECT count(*) AS n, max(dur) AS longest FROM slice'
SLOW = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT max(x) AS n FROM n'
ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS n FROM n'
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def wait_for(what, question, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.1)
    print('%s: not within %d s' % (what, seconds))
    return None


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        for name in 'state', 'spool':
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, 'slurm.conf'), 'w') as f:
            f.write(CONFIGURATION.format(folder=folder, host=socket.gethostname(), controller=free_port(),
                                         node=free_port()))
        os.environ['SLURM_CONF'] = f.name
        key = os.path.join(folder, 'munge.key')
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), 'wb') as f:
            f.write(os.urandom(1024))
        path = lambda end: os.path.join(folder, 'munge.' + end)
        self.daemons = [
            Popen(['munged', '--foreground', '--force', '--key-file=' + key, '--socket=' + path('socket'),
                              '--pid-file=' + path('pid'), '--seed-file=' + path('seed')],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        wait_for('munge', lambda: os.path.exists(path('socket')))
        for name in 'slurmctld', 'slurmd':
            self.daemons.append(Popen([name, '-D'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.ready = wait_for('the node', lambda: 'idle' in output('sinfo', '--noheader', '--format=%T'))

    def end(self):
        # Steps that have not reported their end would stay behind.
        wait_for('the end of all jobs', lambda: not output('squeue', '--noheader').strip(), 30)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


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

    # Ctrl-C cancels the job.
    p = batch(os.path.join(folder, 'kept3'), ENDLESS, *traces)
    wait_for('a running job', running)
    p.send_signal(signal.SIGINT)
    expect('interrupted', finish(p)[0], 130)
    expect('the job is gone', bool(wait_for('an empty queue', lambda: not running())), True)


if os.getuid() != 0 or not all(shutil.which(name) for name in ('munged', 'slurmctld', 'slurmd', 'sbatch')):
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
