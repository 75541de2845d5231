#!/usr/bin/env python3
"""Types into the SQL shell, through a pseudo-terminal, and reads scripts with it.

Usage: test_prompt.py TPTUI TRACE EDITING
EDITING is 'yes' where the program was built with libedit.
"""
import fcntl
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time

tptui, trace, editing = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3] == 'yes'
failures = []
folder = tempfile.TemporaryDirectory()
shell = os.path.join(folder.name, 'trace_processor_shell')
os.symlink(tptui, shell)
os.environ.update(XDG_STATE_HOME=os.path.join(folder.name, 'state'), HOME=folder.name, TERM='xterm', LC_ALL='C.UTF-8')
HISTORY = os.path.join(folder.name, 'state', 'tptui', 'shell_history')


def path(name):
    return os.path.join(folder.name, name)


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def run(*args, program=tptui, stdin=''):
    p = subprocess.run([program, *args], capture_output=True, timeout=100, input=stdin.encode(), cwd=folder.name)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


class Typed:
    """A program at a terminal."""

    def __init__(self, *args):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # The sanitizers' build looks for leaks: libedit never frees two of its texts.
            os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
            os.execv(args[0], args)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 100, 0, 0))
        self.text = ''

    def wait_for(self, what, seconds=60):
        """Reads until that is there, and returns what came, without colours and the like."""
        end = time.monotonic() + seconds
        data = b''
        while time.monotonic() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.2)
            if ready:
                try:
                    data += os.read(self.fd, 1 << 14)
                except OSError:
                    break
            plain = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]', '', data.decode(errors='replace'))
            if re.search(what, plain):
                return plain
        failures.append(what)
        print('--- waited for %r\n  got %r' % (what, data))
        return ''

    def interrupt_statement(self):
        """Ctrl-C once the line is taken: as soon as the terminal edits lines itself again."""
        end = time.monotonic() + 60
        while editing and not termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.001)
        os.write(self.fd, b'\x03')
        return self.wait_for('interrupted(.|\n)*tptui> ')

    def await_editor(self):
        """The prompt is there before the keys are the program's: until then the terminal edits lines itself."""
        end = time.monotonic() + 60
        while editing and termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.02)

    def type(self, text, what):
        self.await_editor()
        os.write(self.fd, text.encode())
        return self.wait_for(what)

    def end(self, text):
        """Its exit status; None, and it is killed, where it does not end."""
        self.await_editor()
        os.write(self.fd, text.encode())
        end = time.monotonic() + 60
        while time.monotonic() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.1)
            try:
                if ready:
                    os.read(self.fd, 1 << 14)
            except OSError:
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


# Scripts: statements go on to their semicolon; commands; an error does not end it.
status, out, err = run('shell', trace, stdin="SELECT 1 AS a,\n  ';' AS b;\n\n-- a comment\nSELECT 2 AS c; SELECT 3 AS d\n")
expect('statements', (status, out, err), (0, 'a,b\n1,;\n\nc\n2\n\nd\n3\n', ''))
status, out, err = run('shell', trace, stdin='SELECT x FROM no_table;\nSELECT 1 AS a;\n')
expect('an error: ' + err, (status, out, 'no such table' in err), (1, 'a\n1\n', True))
expect('without a trace', run('shell', stdin='SELECT count(*) AS n FROM slice;\n')[:2], (0, 'n\n0\n'))
expect('--format', run('shell', '--format', 'jsonl', trace, stdin='SELECT 1 AS a;\n')[:2], (0, '{"a": 1}\n'))
with open(path('script.sql'), 'w') as f:
    f.write('SELECT 4 AS e;\n')
expect('.read', run('shell', trace, stdin='.read script.sql\n')[1], 'e\n4\n')
expect('.mode', run('shell', trace, stdin='.mode jsonl\nSELECT 1 AS a;\n')[1], '{"a": 1}\n')
expect('.tables', run('shell', trace, stdin='.tables sched_s\n')[1], 'name\nsched_slice\n')
expect('.schema', run('shell', trace, stdin='.schema flow\n')[1].split()[0], 'id')
expect('.quit', run('shell', trace, stdin='.quit\nSELECT 1;\n')[:2], (0, ''))
out = run('shell', trace, stdin='CREATE PERFETTO TABLE mine AS SELECT 1 AS x;\nSELECT x FROM mine;\n.reset\nSELECT x FROM mine;\n')
expect('.reset', (out[1], 'no such table: mine' in out[2]), ('x\n1\n', True))
run('shell', trace, stdin='.dump dumped.db\n')
expect('.dump', sqlite3.connect(path('dumped.db')).execute('SELECT count(*) FROM slice').fetchall(), [(2,)])
for line in '.help', '.nothing', '.read':
    expect(line, '.dump' in run('shell', trace, stdin=line + '\n')[2], True)
expect('two traces', run('shell', trace, trace)[0], 2)
expect('a trace from standard input', run('shell', '-')[0], 2)

# The same of trace_processor_shell, whose lines are statements.
status, out, err = run(program=shell, stdin='SELECT 1 AS a\n.dump dumped2.db\n.reset\n.run-metrics\n.load-metrics-sql\n.help\n')
expect('no trace and no command', (status, out.split()[0]), (0, 'a'))
expect('.dump of the shell', os.path.exists(path('dumped2.db')), True)
expect('its help: ' + err, all(word in err for word in ('No metrics', '.dump', '.reset', '.load-metrics-sql', '.run-metrics', '.width')), True)
status, out, err = run('-i', '--run-metrics', 'trace_metadata', trace, program=shell, stdin='.run-metrics\n')
expect('.run-metrics: ' + err, out.count('trace_metadata {'), 2)

ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;'

# Typed: a statement of two lines, Ctrl-C while one is typed and while one runs, the end.
t = Typed(tptui, 'shell', trace)
t.wait_for('tptui> ')
t.type('SELECT 40 +\n', r'\.\.\.> ')
t.type('2 AS answer;\n', '42(.|\n)*tptui> ')
t.type('SELECT 1 FROM (', r'FROM \(')
if editing:
    t.type('\x03', 'tptui> ')
    t.type('SELECT 6 * 9 AS question;\n', '54(.|\n)*tptui> ')
else:
    t.type('SELECT 1);\n', '1(.|\n)*tptui> ')
for _ in range(5):
    t.type(ENDLESS + '\n', 'FROM n;')
    if not editing:
        time.sleep(1)  # nothing tells when the line is taken
    t.interrupt_statement()
for _ in range(5 if editing else 0):  # typed ahead: it ends the line or the statement, whatever it meets
    t.type(ENDLESS, 'FROM n;')  # (without libedit the terminal drops lines that were not read yet)
    t.type('\n\x03', 'tptui> ')
t.type("SELECT 'caf\u00e9' AS drink;\n", 'caf\u00e9(.|\n)*caf\u00e9(.|\n)*tptui> ')
if editing:
    t.type('\x12question\n', r'question;(.|\n)*54(.|\n)*tptui> ')  # the third line back
    t.type('SELECT count(*) AS arrows FROM flo\t', 'FROM flo(.|\n)*w')
    t.type(';\n', r'arrows(.|\n)*0(.|\n)*tptui> ')
    t.type('SELECT * FROM thread_\t', r'thread_state +(.|\n)*thread_')  # several: they are listed
    t.type('\x15SELECT 3 * 37;\n', '111(.|\n)*tptui> ')
    t.type('\t\x15SELECT 5 * 37;\n', '185(.|\n)*tptui> ')  # of nothing
    # Characters of several bytes before what is completed, and bytes that are no characters.
    t.type("SELECT '\u4e16' AS s, 75 + count(*) AS n FROM flo\t", 'flo(.|\n)*w')
    t.type(';\n', r'75(.|\n)*tptui> ')
    os.write(t.fd, b'SELECT \xff\xc3(\xe4\xb8\xff\xed\xa0\x80' * 150 + '\u4e16'.encode() * 400 + b' cou\t')
    t.wait_for('cou')
    t.type('\x15SELECT 4 * 37;\n', '148(.|\n)*tptui> ')
expect('Ctrl-D', t.end('\x04'), 0)
if editing:
    t = Typed(tptui, 'shell', trace)
    t.wait_for('tptui> ')
    t.type('\x12drink', 'caf\u00e9')  # found backwards in what former runs have left
    t.type('\n', 'caf\u00e9(.|\n)*tptui> ')
    expect('.q', t.end('.q\n'), 0)
    expect('who may read the history', os.stat(os.path.dirname(HISTORY)).st_mode & 0o77, 0)

# The shell of the other name: a line is run at once, but one that cannot end there.
t = Typed(shell, trace)
t.wait_for('> ')
t.type('SELECT 12 AS x\n', '12(.|\n)*executed(.|\n)*> ')
if editing:
    t.type('SELECT (\n', r'\.\.\.> ')
    t.type('77) AS y\n', '77(.|\n)*executed(.|\n)*> ')
expect('.quit of the shell', t.end('.quit\n'), 0)

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
