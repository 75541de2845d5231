#!/usr/bin/env python3
"""How long the query pane takes: pane.py TPTUI TRACE [FIRST_SQL [ALL_SQL]]

In a terminal of 120x36: from Enter to the first rows of FIRST_SQL on the screen; how long all rows of ALL_SQL take, the
memory of the process then, from G to the page at their end, and from g g to that at their begin.
"""
import os
import pty
import re
import select
import sys
import termios
import time
import fcntl
import struct
import tempfile

FIRST = 'SELECT * FROM slice;'
ALL = 'SELECT f.*, t.name AS thread_name FROM ftrace_event f JOIN thread t USING (utid), (VALUES (1), (2), (3));'


class Terminal:
    def __init__(self, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM='xterm-256color', LANG='C.UTF-8', HOME=tempfile.mkdtemp())
            os.execv(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 36, 120, 0, 0))
        self.seen = b''

    def send(self, keys):
        self.seen = b''
        os.write(self.fd, keys)
        return time.monotonic()

    def wait_for(self, pattern, seconds=600):
        """Seconds since the epoch of monotonic time at which the pattern had come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                self.seen += os.read(self.fd, 1 << 16)
                if re.search(pattern, self.seen):
                    return time.monotonic()
        sys.exit('%r did not come; %r' % (pattern, self.seen[-500:]))

    def memory(self):
        with open('/proc/%d/status' % self.pid) as f:
            fields = dict(line.split(':', 1) for line in f)
        return {name: int(fields[name].split()[0]) // 1024 for name in ('RssAnon', 'RssFile', 'VmHWM')}


def main():
    program, trace = sys.argv[1:3]
    first = sys.argv[3] if len(sys.argv) > 3 else FIRST
    everything = sys.argv[4] if len(sys.argv) > 4 else ALL
    t = Terminal(os.path.abspath(program), '--sql', os.path.abspath(trace))
    t.wait_for(b'the timeline, too')
    time.sleep(2)  # findings and the schema
    print('loaded: %s MB' % t.memory())
    t.send(b'\x1b[200~' + first.encode() + b'\x1b[201~')
    time.sleep(0.5)
    start = t.send(b'\r')
    print('first rows: %.0f ms' % (1000 * (t.wait_for(rb'of [0-9,]+ ', 60) - start)))
    t.wait_for(rb' in [0-9.]+ s')
    time.sleep(0.5)
    t.send(b'e\x15\x0b')
    time.sleep(0.3)
    t.send(b'\x1b[200~' + everything.encode() + b'\x1b[201~')
    time.sleep(0.5)
    start = t.send(b'\r')
    end = t.wait_for(rb' in [0-9.]+ s')
    print('all rows: %.1f s; %s MB' % (end - start, t.memory()))
    time.sleep(0.5)
    for keys, name in ((b'G', 'the end'), (b'gg', 'the begin')):
        start = t.send(keys)
        print('%s: %.0f ms' % (name, 1000 * (t.wait_for(rb'\x1b\[[0-9;]*H') - start)))
        time.sleep(0.3)
    t.send(b'\x1b')
    os.kill(t.pid, 9)


main()
