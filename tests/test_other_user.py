#!/usr/bin/env python3
"""What a second user of the machine can do to the first: plant files, links and sockets where both may write.

Usage: test_other_user.py TPTUI TRACE HEAP_TRACE

Exits with 77 (skipped) where it cannot become another user.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile

from children import Popen

tptui, trace, heap = map(os.path.abspath, sys.argv[1:])
failures = []
OTHER = 65534 # nobody
PRECIOUS = 'precious\n'


def run(*args, **options):
    options.setdefault('stdin', subprocess.DEVNULL)
    p = subprocess.run([tptui, *args], capture_output=True, timeout=120, **options)
    return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode(errors='replace')


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def as_other(function):
    """Runs it in a process of the other user."""
    pid = os.fork()
    if pid == 0:
        os.setgroups([])
        os.setgid(OTHER)
        os.setuid(OTHER)
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    expect('the other user does it', os.waitpid(pid, 0)[1], 0)


def shared_folder(base, name):
    """As /tmp is."""
    path = os.path.join(base, name)
    os.mkdir(path)
    os.chmod(path, 0o1777)
    return path


def precious(base):
    path = os.path.join(base, 'precious')
    with open(path, 'w') as f:
        f.write(PRECIOUS)
    return path


def untouched(what, path):
    with open(path, errors='replace') as f:
        expect(what, f.read(), PRECIOUS)


def cache(base):
    """A cache folder that is another's, or that a link of another's leads to, is none."""
    mine = os.path.join(base, 'mine')
    columns = os.path.join(mine, '0123456789abcdef.columns')
    os.mkdir(mine, 0o700)
    expect('columns', run('query', '--cache', columns, trace, 'SELECT 1')[0], 0)
    for how, plant in (('a folder', lambda path: os.mkdir(path, 0o755)), ('a link', lambda path: os.symlink(mine, path))):
        shared = shared_folder(base, how)
        env = dict(os.environ, XDG_CACHE_HOME=shared)
        as_other(lambda: plant(os.path.join(shared, 'tptui')))
        if how == 'a folder':
            planted = os.path.join(shared, 'tptui', os.path.basename(columns))
            shutil.copy(columns, planted)
            os.chown(planted, OTHER, OTHER)
        expect('%s of columns' % how, run('cache', 'list', env=env), (0, '0 kept, 0 bytes\n', ''))
        expect('%s is not cleared' % how, (run('cache', 'clear', env=env)[1], os.path.exists(columns)), ('0 removed\n', True))


def state(base):
    """Histories are not written through links that another has put into his own folder, which root's $HOME may be."""
    victim, home = precious(base), shared_folder(base, 'home')
    folder = os.path.join(home, '.local', 'state', 'tptui')

    def plant():
        os.makedirs(folder)
        for name in 'history', 'favourites', 'copied', 'shell_history':
            os.symlink(victim, os.path.join(folder, name))
    as_other(plant)
    script = os.path.join(base, 'script')
    with open(script, 'w') as f:
        f.write(':wait-idle\ny\ny\n6\nS\nEnter\n:wait-idle\n')
    env = {k: v for k, v in os.environ.items() if not k.startswith('XDG_')}
    run(trace, '--no-cache', '--script', script, env=dict(env, HOME=home))
    untouched('histories', victim)
    for name in os.listdir(folder):
        expect('%s is still the link' % name, os.path.islink(os.path.join(folder, name)), True)


def made_up_names(base):
    """Files whose names the program makes up do not follow links that lie there."""
    victim = precious(base)
    for what, args in (('profiles', ['convert', 'profile', '--output-dir', None, heap]),
                       ('messages', ['batch', '--metric', 'trace_metadata', '--messages', None, trace])):
        folder = shared_folder(base, what)
        args = [folder if a is None else a for a in args]
        expect(what, run(*args)[0], 0)
        names = os.listdir(folder)
        expect('%s have names' % what, len(names) > 0, True)
        for name in names:
            os.remove(os.path.join(folder, name))
        as_other(lambda: [os.symlink(victim, os.path.join(folder, name)) for name in names])
        run(*args)
        untouched('%s through links' % what, victim)


def not_writable(base):
    """What may not be written is not replaced either, though the folder could be."""
    folder = os.path.join(base, 'his')
    os.mkdir(folder)
    out = precious(folder)
    os.chmod(out, 0o444)
    for path in folder, out:
        os.chown(path, OTHER, OTHER)
    shutil.copy(trace, os.path.join(base, 'trace'))
    as_other(lambda: expect('a file that may not be written', run('trim', '--from', '1ns', os.path.join(base, 'trace'), out)[0] != 0, True) or
             failures and os._exit(1))
    untouched('it stays', out)


def kept_rows(base):
    """Rows that another has left in a shared folder are not taken."""
    kept, query = shared_folder(base, 'kept'), 'SELECT count(*) AS n FROM slice'
    good = run('batch', '--resume', kept, query, trace)
    name = next(n for n in os.listdir(kept) if n.endswith('.rows'))
    bad = shared_folder(base, 'bad')
    run('batch', '--resume', bad, 'SELECT 99 AS n', trace)
    rows = os.path.join(kept, name)
    os.remove(rows)
    shutil.copy(os.path.join(bad, next(n for n in os.listdir(bad) if n.endswith('.rows'))), base + '/poison')
    os.chmod(base + '/poison', 0o644)
    as_other(lambda: shutil.copy(base + '/poison', rows))
    expect('poisoned rows', run('batch', '--resume', kept, query, trace), good)
    # Which say that they are what was asked: only whose they are tells.
    key = len(b'tptui rows 2\n')
    with open(rows, 'rb') as f:
        says = f.read()[key:key + 8]
    with open(base + '/poison', 'r+b') as f:
        f.seek(key)
        f.write(says)
    os.chmod(base + '/poison', 0o600)
    shutil.copyfile(base + '/poison', rows)
    expect('such rows as one\'s own', run('batch', '--resume', kept, query, trace)[1], 'trace,n\n%s,99\n' % trace)
    os.remove(rows)
    os.chmod(base + '/poison', 0o644)
    as_other(lambda: shutil.copy(base + '/poison', rows))
    expect('forged rows', run('batch', '--resume', kept, query, trace), good)


def sockets(base):
    """Another's session is not asked, and his folder of sockets is not used."""
    shared = shared_folder(base, 'sockets')
    path = os.path.join(shared, 'x.sock')
    listener = socket.socket(socket.AF_UNIX)

    def listen():
        listener.bind(path)
        os.chmod(path, 0o777)
        listener.listen(1)
    # SO_PEERCRED says who listened.
    as_other(listen)
    for asked in ['query', '--remote', path, 'SELECT 1'], ['serve', 'kill', path]:
        status, out, err = run(*asked)
        expect('a session of another user: %s' % asked[0], (status != 0, out, 'of another user' in err), (True, '', True))
    listener.close()
    for mode in 0o700, 0o755:
        as_other(lambda: (os.path.isdir(os.path.join(shared, 'perfetto')) or os.mkdir(os.path.join(shared, 'perfetto')),
                          os.chmod(os.path.join(shared, 'perfetto'), mode)))
        status, out, err = run('query', '--remote', 'name', 'SELECT 1', env=dict(os.environ, XDG_RUNTIME_DIR=shared))
        expect('a folder of another user, %o' % mode, (status != 0, 'others may look into that folder' in err), (True, True))
    # Without a folder of the session's own, the one that all share is passed over where another has made it, or a link.
    env = {k: v for k, v in os.environ.items() if k != 'XDG_RUNTIME_DIR'}
    mine = os.path.join(base, 'mine')
    os.mkdir(mine, 0o700)
    for how, plant in ('folder', lambda: None), ('link', lambda: os.symlink(mine, os.path.join(shared, 'perfetto'))):
        as_other(plant)
        name = 'test-%d-%s' % (os.getpid(), how)
        server = Popen([tptui, 'serve', 'unix', '--name', name, trace], env=dict(env, TMPDIR=shared), stderr=subprocess.PIPE)
        expect('%s: where it listens' % how, shared in server.stderr.readline().decode(), False)
        expect('%s: nothing is put there' % how, os.listdir(os.path.join(shared, 'perfetto')) + os.listdir(mine), [])
        expect('%s: it is found' % how, run('query', '--remote', name, 'SELECT 1 AS a', env=dict(env, TMPDIR=shared))[:2], (0, 'a\n1\n'))
        server.terminate()
        server.communicate()
        as_other(lambda: (os.unlink if how == 'link' else os.rmdir)(os.path.join(shared, 'perfetto')))


if os.getuid() != 0:
    print('this is not root')
    sys.exit(77)
with tempfile.TemporaryDirectory() as top:
    os.chmod(top, 0o755)
    for test in cache, state, made_up_names, not_writable, kept_rows, sockets:
        inside = os.path.join(top, test.__name__)
        os.mkdir(inside, 0o755)
        test(inside)
print('%d failures' % len(failures))
sys.exit(1 if failures else 0)
