"""A real Slurm of one node on this machine, for root."""
import os
import shutil
import socket
import subprocess
import time

from children import Popen

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
TaskPlugin={task}
SelectType=select/cons_tres
SelectTypeParameters={resources}
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
UNLIMITED = {'task': 'task/none', 'resources': 'CR_Core'}
LIMITED = {'task': 'task/cgroup', 'resources': 'CR_Core_Memory'}


def is_possible():
    return os.getuid() == 0 and all(shutil.which(name) for name in ('munged', 'slurmctld', 'slurmd', 'sbatch'))


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
    """Of one node with `memory` MiB. If `is_limited`, they are shared out, and control groups hold each job to its share."""

    def __init__(self, folder, memory=500, is_limited=False):
        self.folder = folder
        for name in 'state', 'spool':
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, 'slurm.conf'), 'w') as f:
            f.write(CONFIGURATION.format(folder=folder, host=socket.gethostname(), controller=free_port(),
                                         node=free_port(), memory=memory, **(LIMITED if is_limited else UNLIMITED)))
        if is_limited:
            with open(os.path.join(folder, 'cgroup.conf'), 'w') as groups:
                groups.write('ConstrainRAMSpace=yes\nAllowedRAMSpace=100\n')
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
        try:  # a control group of Slurm's, which is left behind
            os.rmdir('/sys/fs/cgroup/memory/slurm_' + socket.gethostname())
        except OSError:
            pass
