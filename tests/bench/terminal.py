"""The program in a pseudo-terminal that shows nothing but reads everything."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time


class Terminal:
    def __init__(self, command, width=200, height=50, home=None):
        self.begin = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ['TERM'] = 'xterm-256color'
            if home:
                os.environ.update(HOME=home, XDG_CACHE_HOME=home, LANG='C.UTF-8')
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', height, width, 0, 0))
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', height, width, 0, 0))

    def send(self, keys):
        os.write(self.fd, keys)

    def read(self, wait):
        """What arrives within `wait` seconds, b'' where nothing does."""
        if not select.select([self.fd], [], [], wait)[0]:
            return b''
        try:
            return os.read(self.fd, 1 << 16)
        except OSError:
            return b''

    def wait_for(self, marker, seconds=60):
        """Whether it comes before nothing does for so long."""
        seen = b''
        while marker not in seen:
            data = self.read(seconds)
            if not data:
                return False
            seen = seen[-64:] + data
        return True

    def settle(self, quiet):
        """Reads until nothing comes for so long; (bytes, time of the last of them)."""
        total, last = 0, time.monotonic()
        while True:
            data = self.read(quiet)
            if not data:
                return total, last
            total += len(data)
            last = time.monotonic()

    def frame(self, keys, quiet):
        """Bytes that keys cause, and seconds until the last of them."""
        begin = time.monotonic()
        self.send(keys)
        size, last = self.settle(quiet)
        return size, max(0.0, last - begin)

    def cpu_seconds(self):
        """That the thread of the screen has run."""
        with open('/proc/%d/task/%d/schedstat' % (self.pid, self.pid), encoding='ascii') as f:
            return int(f.read().split()[0]) / 1e9

    def memory(self):
        """Megabytes of the process, now and at most."""
        with open('/proc/%d/status' % self.pid, encoding='ascii') as f:
            fields = dict(line.split(':', 1) for line in f)
        return {name: int(fields[name].split()[0]) // 1024 for name in ('VmRSS', 'VmHWM')}

    def close(self):
        os.close(self.fd)  # hangs up, also on what runs under strace
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
