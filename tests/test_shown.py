#!/usr/bin/env python3
"""What comes from traces, SQL and names of files cannot control a terminal: test_shown.py TPTUI

Every format of results and of convert, and every line of the help's usage, with a trace, a query and names full of control
characters, is run at a pseudo-terminal; whatever arrives there must be printable.
"""
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import tty

from children import Popen

EVIL = 'a\x1b]0;title\x07b\x1b[31mc\x9b31md\u202ee\u2066f\u2028g\x7fh\x08i\rj\u061ck'
PROGRESS = b'\r\x1b[K'  # before a line that changes
SECONDS = 60
tptui = os.path.abspath(sys.argv[1])
folder = tempfile.TemporaryDirectory()
trace = os.path.join(folder.name, EVIL + '.json')
missing = os.path.join(folder.name, EVIL)
environment = dict(os.environ, HOME=folder.name, XDG_CACHE_HOME=os.path.join(folder.name, 'cache'), LC_ALL='C.UTF-8', TERM='xterm')
failures = []

with open(trace, 'w', encoding='utf8') as f:
    json.dump({'traceEvents': [
        {'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': EVIL}},
        {'ph': 'X', 'name': EVIL, 'cat': EVIL, 'pid': 1, 'tid': 2, 'ts': 1, 'dur': 5, 'args': {EVIL: EVIL}},
        {'ph': 'C', 'name': EVIL, 'pid': 1, 'ts': 1, 'args': {EVIL: 5}}]}, f)


def at_terminal(arguments):
    """What arrives at the terminal."""
    parent, child = pty.openpty()
    tty.setraw(child)
    p = Popen([tptui, *arguments], stdin=subprocess.DEVNULL, stdout=child, stderr=child, cwd=folder.name,
                         env=environment, start_new_session=True)
    data, end, ended = b'', time.monotonic() + SECONDS, False
    while time.monotonic() < end:
        if select.select([parent], [], [], 0.1)[0]:
            data += os.read(parent, 1 << 16)
        elif ended:
            break
        ended = p.poll() is not None  # what it wrote last is read after that
    else:
        failures.append(arguments)
        print('--- does not end: %r' % (arguments,))
        p.kill()
    p.wait()
    os.close(child)
    os.close(parent)
    return data


def check(*arguments, says=None):
    data = at_terminal(arguments).replace(PROGRESS, b'')
    text = data.decode(errors='replace')
    bad = [c for c in text if c not in '\n\t' and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or c in '\u061c\u200e\u200f\u2028\u2029'
           or '\u202a' <= c <= '\u202e' or '\u2066' <= c <= '\u2069' or c == '\ufffd')]
    if bad or (says and not re.search(says, text)):
        failures.append(arguments)
        print('--- %r\n  bad %r\n  got %r' % (arguments, bad[:5], text[:2000]))


def help_of(*arguments):
    return subprocess.run([tptui, *arguments], capture_output=True, text=True, check=True, env=environment).stdout


def words_in(text, pattern):
    found = re.search(pattern, text)
    return found.group(1).split('|') if found else []


quoted = EVIL.replace("'", "''")
select_all = "SELECT name, cast('%s' AS BLOB) AS b, '%s' AS \"%s\" FROM slice" % (quoted, quoted, EVIL)
formats = words_in(help_of('query', '--help'), r'--format (\S+)')
converted = words_in(help_of('--help'), r'tptui convert .* as (\S+)')
assert len(formats) >= 6 and len(converted) >= 6, (formats, converted)
for name in formats:
    check('query', trace, select_all, '--format', name, says=r'title')
for name in converted:
    check('convert', name, trace, '-')

# Each line of the usage, with a trace that is there, and with one that is not.
usage = re.findall(r'^(?:Usage:)? +tptui (.*?)(?:  |$)', help_of('--help'), re.M)
assert len(usage) > 20, usage
for line in usage:
    if line == 'TRACE':
        continue  # the timeline, whose cells have tests of their own
    line = re.sub(r'[\[\]]|\.\.\.|,', '', line).replace('[', ' ')
    serves = line.startswith('serve') and 'kill' not in line
    for path in [missing] if serves else [missing, trace]:
        values = {'TRACE': path, 'IN': path, 'A': path, 'B': path, 'FILE': path, 'SQL': 'SELECT "%s" FROM "%s"' % (EVIL, EVIL),
                  'OUT': 'out/' + EVIL, 'FORMAT': EVIL}
        check(*[values.get(word, EVIL if word.isupper() else word.split('|')[0]) for word in line.split()])

# What else is said.
check('query', trace, '--' + EVIL.replace('\r', ''), says='title')
check('query', trace, 'SELECT 1', '--format', EVIL, says='title')
check(trace, '--script', missing, says='title')
check(trace, '--goto', EVIL, '--script', '/dev/null', says='title')
check(trace, '--session', os.path.join(folder.name, 'no', EVIL), '--script', '/dev/null')
for name, text in (('config', EVIL + '\n'), ('alerts/a.sql', '-- alert: ' + EVIL + '\n-- level: ' + EVIL + '\nSELECT 1;\n'),
                   ('themes/x.theme', EVIL + '\n')):
    path = os.path.join(folder.name, '.config', 'tptui', name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf8') as f:
        f.write(text)
    check(trace, '--script', '/dev/null', '--theme', 'x')
    check('query', trace, 'SELECT 1')
    os.unlink(path)

# What another machine says, through ssh.
path = os.path.join(folder.name, 'ssh')
with open(path, 'w', encoding='utf8') as f:
    f.write("#!/bin/sh\ncat >&2 << 'END'\n%s\nEND\nexit 255\n" % EVIL)
os.chmod(path, 0o755)
environment['PATH'] = folder.name + ':' + environment['PATH']
check('record', '--ssh', EVIL, '-o', os.path.join(folder.name, 'out'), says='title')

sys.exit(1 if failures else 0)
