#!/usr/bin/env python3
"""The program on old and small machines: test_bare_box.py TPTUI TRACE, a trace with a slice named "outer"

Of Linux 4.9 only the system calls are there (newer ones fail with ENOSYS), of memory 256 MB; then a root in which nothing
is but the program, its libraries, the trace, /dev/tty and /dev/null, read-only: no
/proc, /sys, /tmp, /etc, no home, terminfo or locale.
The root needs root; without, that part is left out.
"""
import ctypes
import fcntl
import os
import platform
import pty
import resource
import select
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time

tptui, trace = map(os.path.abspath, sys.argv[1:])
with open(tptui, 'rb') as program:
    SANITIZED = b'__asan_init' in program.read()  # takes more memory than can be limited, and /proc
ENDS_AT = {'x86_64': (0xc000003e, 331), 'aarch64': (0xc00000b7, 290)}  # audit architecture, last system call of Linux 4.9
MEMORY = 256 << 20
COUNT = "SELECT count() AS n FROM slice WHERE name = 'outer'"
failures = []


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def linux_4_9():
    """What came later fails as if the kernel did not know it: a filter of four comparisons."""
    architecture, last = ENDS_AT[platform.machine()]
    errno_enosys, allow = 0x00050000 | 38, 0x7fff0000
    program = b''.join(struct.pack('=HBBI', *step) for step in [
        (0x20, 0, 0, 4),                # load the architecture
        (0x15, 0, 2, architecture),     # another one: allowed
        (0x20, 0, 0, 0),                # load the number
        (0x25, 1, 0, last),             # greater: not known
        (0x06, 0, 0, allow),
        (0x06, 0, 0, errno_enosys)])
    steps = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(struct.pack('=HxxxxxxQ', len(program) // 8, ctypes.addressof(steps)))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((38, 1, 0, 0, 0), (22, 2, ctypes.cast(header, ctypes.c_void_p))):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        if libc.prctl(*call):
            raise OSError(ctypes.get_errno(), 'prctl')


def small_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(before, *args, env=None):
    p = subprocess.run([tptui, *args], preexec_fn=before, capture_output=True, text=True, timeout=300, env=env)
    return p.returncode, p.stdout, p.stderr


def everything(what, before, place):
    """A query, the timeline, files that are written: as anywhere."""
    out = os.path.join(place, what)
    os.mkdir(out)
    expect(what + ': a query', run(before, 'query', trace, '--format', 'csv', COUNT), (0, 'n\n1\n', ''))
    script = os.path.join(out, 'script')
    with open(script, 'w', encoding='ascii') as f:
        f.write(':wait-idle\n:expect outer\n')
    expect(what + ': the timeline', run(before, '--script', script, '--size', '100x30', trace), (0, '', ''))
    expect(what + ': a database', run(before, 'export', 'sqlite', '-o', os.path.join(out, 'db'), trace), (0, '', ''))
    expect(what + ': explained', run(before, 'explain', trace)[0::2], (0, ''))
    expect(what + ': kept', run(before, 'query', trace, '--cache', os.path.join(out, 'kept'), '--format', 'csv', COUNT),
           (0, 'n\n1\n', ''))
    expect(what + ': read again', run(before, 'query', trace, '--cache', os.path.join(out, 'kept'), '--format', 'csv', COUNT),
           (0, 'n\n1\n', ''))


def fill(root):
    """The program as /tptui with the libraries that it says it needs, and /trace."""
    for path in set(word for word in subprocess.run(['ldd', tptui], capture_output=True, text=True, check=False).stdout.split()
                    if word.startswith('/')):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    shutil.copy(tptui, root + '/tptui')
    shutil.copy(trace, root + '/trace')
    os.mkdir(root + '/dev')
    for name, major, minor in ('tty', 5, 0), ('null', 1, 3):
        os.mknod(root + '/dev/' + name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))


def in_terminal(root, keys, *args, **environment):
    """What the program in that root draws on a terminal of 100 by 30, its status at the end."""
    child, terminal = pty.fork()
    if child == 0:
        os.chroot(root)
        os.chdir('/')
        os.execve('/tptui', ['tptui', *args], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 100, 0, 0))
    drawn, until = b'', time.monotonic() + 120
    while time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            try:
                drawn += os.read(terminal, 65536)
            except OSError:
                break
        if keys and b'outer' in drawn:
            os.write(terminal, keys)
            keys = b''
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), drawn


def bare_root(place):
    root = os.path.join(place, 'root')
    os.mkdir(root)
    fill(root)
    for action in (['mount', '--bind', root, root], ['mount', '-o', 'remount,bind,ro', root]):
        if subprocess.run(action, stderr=subprocess.DEVNULL, check=False).returncode:
            print('left out: a root of its own cannot be mounted here')
            return
    try:
        def enter():
            os.chroot(root)
            os.chdir('/')

        def there(*args):
            p = subprocess.run(['/tptui', *args], preexec_fn=enter, capture_output=True, text=True, timeout=300, env={})
            return p.returncode, p.stdout, p.stderr
        expect('a bare root: a query', there('query', '/trace', '--format', 'csv', COUNT), (0, 'n\n1\n', ''))
        expect('a bare root: explained', there('explain', '/trace')[0::2], (0, ''))
        status, out, err = there('export', 'sqlite', '-o', '/db', '/trace')
        expect('a bare root: what cannot be written is told: %s' % err, (status != 0, out, 'Read-only' in err), (True, '', True))
        for term in 'xterm-256color', 'linux', 'nothing-known':
            status, drawn = in_terminal(root, b'Q', '/trace', TERM=term)
            expect('a bare root: the timeline on %s: %r' % (term, drawn[-200:]), (status, b'outer' in drawn), (0, True))
    finally:
        subprocess.run(['umount', '-l', root], check=False)


with tempfile.TemporaryDirectory() as folder:
    if platform.machine() in ENDS_AT:
        newer = subprocess.run([sys.executable, '-c', 'import os; os.pidfd_open(os.getpid())'], preexec_fn=linux_4_9,
                               capture_output=True, text=True, check=False)
        expect('the filter knows what came with Linux 5.3', newer.stderr.endswith('Function not implemented\n'), True)
        everything('linux 4.9', linux_4_9, folder)
    if not SANITIZED:
        everything('256 MB', small_memory, folder)
        if os.getuid() == 0:
            bare_root(folder)
        else:
            print('left out: a root of its own wants root')

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
