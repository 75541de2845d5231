#!/usr/bin/env python3
"""Runs `tptui batch --engine parallel` on two hosts: sshds of this machine, which it starts and ends.

Usage: test_batch_parallel.py TPTUI TRACE

Exits with 77 (skipped) where GNU parallel, rsync or sshd are not installed or the user is not root.
"""
import fcntl
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import batch_stream
from children import Popen

tptui, trace = map(os.path.abspath, sys.argv[1:])
failures = []
QUERY = 'SELECT count(*) AS n, max(dur) AS longest FROM slice'
SLOW = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 15000000) SELECT max(x) AS n FROM n'
SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PidFile none
SetEnv SHELL={folder}/shell
"""
SSH = """
Host {name}
  HostName 127.0.0.1
  Port {port}
  User root
  IdentityFile {folder}/user_key
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking no
  LogLevel ERROR
"""


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)
    return path


class Host:
    """Its server and all that this has started are one group."""

    def __init__(self, folder, name, runs=True):
        self.port = free_port()
        with open(os.path.join(folder, 'ssh_config'), 'a') as f:
            f.write(SSH.format(folder=folder, name=name, port=self.port))
        self.server = None
        if runs:
            conf = write(os.path.join(folder, 'sshd_' + name), SSHD.format(folder=folder, port=self.port))
            self.server = Popen(['/usr/sbin/sshd', '-D', '-f', conf], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_up(self):
        with socket.socket() as s:
            return s.connect_ex(('127.0.0.1', self.port)) == 0

    def sessions(self):
        return [int(p) for p in output('pgrep', '-P', str(self.server.pid)).split()]

    def lose(self):
        """As if its power were cut: connections end, and nothing answers any more."""
        sessions = self.sessions()
        self.server.kill()
        for pid in sessions:
            os.kill(pid, signal.SIGKILL)
        return len(sessions)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout


def wait_for(what, question, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.05)
    print('%s: not within %d s' % (what, seconds))
    return None


def batch(hosts, *args):
    return Popen([tptui, 'batch', '--engine', 'parallel', '--hosts', hosts, *args], stdin=subprocess.DEVNULL,
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(p):
    out, err = p.communicate(timeout=240)
    return p.returncode, out, err


def here(*args):
    return output(tptui, 'batch', *args)


def left():
    return glob.glob(os.path.join(os.environ['TMPDIR'], '*')) + glob.glob(os.path.expanduser('~/.tptui-*'))


def main(folder):
    before = set(left())
    for name in 'host_key', 'user_key':
        subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', os.path.join(folder, name)], check=True)
    # As csh, it takes no variable that is not set.
    os.chmod(write(os.path.join(folder, 'shell'), '#!/bin/sh\nexec /bin/sh -u "$@"\n'), 0o755)
    a, b = Host(folder, 'a'), Host(folder, 'b')
    for name in 'down', 'down2', 'down3':
        Host(folder, name, runs=False)
    os.environ['PARALLEL_SSH'] = 'ssh -F ' + os.path.join(folder, 'ssh_config')
    wait_for('the servers', lambda: a.is_up() and b.is_up())
    both = write(os.path.join(folder, 'both'), 'a\nb\n')
    with_down = write(os.path.join(folder, 'with_down'), '1/a\n1/down\n1/down2\n1/down3\n')
    down = write(os.path.join(folder, 'only_down'), 'down\n')
    this = write(os.path.join(folder, 'this'), ':\n')
    one_each = write(os.path.join(folder, 'one_each'), '1/a\n1/b\n')

    traces = []
    for i in range(4): # of different content: packets without a field; and of one name
        os.mkdir(os.path.join(folder, "tr'%d" % i))
        traces.append(os.path.join(folder, "tr'%d" % i, 'trace x'))
        shutil.copy(trace, traces[-1])
        with open(traces[-1], 'ab') as f:
            f.write(b'\x0a\x00' * i)
    bad = write(os.path.join(folder, 'bad'), 'no trace\n')

    kept = os.path.join(folder, 'kept')
    relative = os.path.relpath(bad)
    status, out, err = finish(batch(both, '--resume', kept, QUERY, *traces[:2], relative, *traces[2:]))
    expect('where they lie, and a bad one', (status, out, relative + ': this is text' in err, err.count(os.path.basename(bad))),
           (3, here(QUERY, *traces), True, 1))
    for send in [], ['--send']:
        status, out, err = finish(batch(this, *send, QUERY, *traces[:2], relative))
        expect('on this machine', (status, out, relative + ': this is text' in err), (3, here(QUERY, *traces[:2]), True))
    expect('rows are kept for other engines', (len(glob.glob(kept + '/*.rows')), here('--resume', kept, QUERY, *traces)),
           (4, here(QUERY, *traces)))
    expect('nothing is left to do', finish(batch(down, '--resume', kept, QUERY, *traces)), (0, here(QUERY, *traces), ''))

    hidden = [os.path.join(folder, name) for name in ('.trace', '..trace', "-a 'b'\n$(c)")]
    for path in hidden:
        shutil.copy(trace, path)
    link = os.path.join(folder, 'a link')
    os.symlink(bad, link)
    status, out, err = finish(batch(both, '--send', QUERY, *hidden, link))
    expect('sent under any name', (status, out), (3, here(QUERY, *hidden)))
    expect('and what a link leads to is bad', err.split(': ')[:2], ['tptui', link])

    package = os.path.join(folder, 'my package')
    os.mkdir(package)
    write(os.path.join(package, 'm.sql'), 'CREATE PERFETTO VIEW v AS SELECT max(dur) AS longest FROM slice;')
    asked = ['--add-sql-package', package + '@mine', '--from', '1ns', '--metadata', 'trace_type',
             'INCLUDE PERFETTO MODULE mine.m; SELECT longest FROM v']
    expect('sent, with a package, beside hosts that are down', finish(batch(with_down, '--send', *asked, *traces))[:2],
           (0, here(*asked, *traces)))
    spec = write(os.path.join(folder, 'spec.textproto'),
                 'metric_spec { id: "m" value: "v" query { sql { sql: "SELECT 7 AS v" column_names: "v" } } }')
    messages = [os.path.join(folder, name) for name in ('messages_here', 'messages_there')]
    large, cache = os.path.join(folder, 'large'), os.path.join(folder, 'cache')
    shutil.copy(trace, large)
    with open(large, 'ab') as f:
        f.write(b'\x0a\x00' * (8 << 20))
    here('--summary', spec, '--messages', messages[0], large)
    status, out, err = finish(batch(both, '--cache-folder', cache, '--summary', spec, '--messages', messages[1], large))
    expect('the cache is where it is said to be', 'locks' in os.listdir(cache), True)
    expect('a summary as a message', (status, [[open(f, 'rb').read() for f in glob.glob(m + '/*')] for m in messages][0]),
           (0, [open(f, 'rb').read() for f in glob.glob(messages[1] + '/*')]))
    expect('there is one', len(os.listdir(messages[1])), 1)

    # The first rows that come back are lost on their way.
    ssh = os.environ['PARALLEL_SSH']
    loses = write(os.path.join(folder, 'loses'),
                  'case "$*" in *--sender*) mkdir %s/lost 2>/dev/null && exit 255;; esac\nexec %s "$@"\n' % (folder, ssh))
    os.environ['PARALLEL_SSH'] = 'sh ' + loses
    expect('lost on the way', (finish(batch(both, QUERY, *traces)), os.path.exists(folder + '/lost')),
           ((0, here(QUERY, *traces), ''), True))
    os.environ['PARALLEL_SSH'] = ssh

    status, out, err = finish(batch(down, QUERY, *traces[:2]))
    expect('no host', (status, out, err.count('no host gave its rows')), (3, '', 2))

    some, sql = batch_stream.make(trace, folder, 5)
    p = batch(both, '--send', sql, *some)
    expect('rows while others run', batch_stream.read_lines(p, 5), ['trace,n\n'] + ['%s,1\n' % path for path in some[:4]])
    running = lambda: output('pgrep', '-f', '^sent/tptui batch').split()
    wait_for('running jobs', running)
    p.send_signal(signal.SIGINT)
    expect('interrupted', finish(p)[:2], (130, ''))
    expect('nothing runs', bool(wait_for('the end of all jobs', lambda: not running(), 30)), True)
    p = batch(both, sql, *some)
    p.stdout.close()
    expect('nobody reads them', bool(wait_for('the end', lambda: p.poll() is not None)), True)
    p.kill()

    p = batch(one_each, SLOW, *traces)
    wait_for('jobs on both', lambda: len(running()) >= 3) # one is two processes, the trace's and that above it
    expect('connections of a host that is lost', b.lose() > 0, True)
    expect('elsewhere', finish(p), (0, 'trace,n\n' + ''.join('%s,15000000\n' % t for t in traces), ''))
    a.server.terminate()
    expect('nothing is left', set(left()) - before, set())


if os.getuid() != 0 or not all(shutil.which(name) for name in ('parallel', 'rsync', 'ssh', '/usr/sbin/sshd')):
    print('GNU parallel, rsync or sshd are not installed, or this is not root')
    sys.exit(77)
# Processes and folders are looked for by name: two runs of this would find each other's.
os.makedirs('/run/sshd', exist_ok=True)
one_at_a_time = os.open('/run/sshd', os.O_RDONLY)
fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
with tempfile.TemporaryDirectory() as base, tempfile.TemporaryDirectory() as tmp:
    os.environ['TMPDIR'] = tmp
    main(base)
print('%d failures' % len(failures), failures)
sys.exit(1 if failures else 0)
