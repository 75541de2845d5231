"""A program in a real terminal: tmux shows it, keys go to it, and its screen is compared.

Nothing here sleeps for a fixed time: what is expected is polled for until it is there or the
patience ends, and then the screen is shown as it is.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PATIENCE = float(os.environ.get("PATIENCE", "60"))
STEP = 0.02


SKIPPED = 77  # what meson takes for a test that was not run


class Failure(Exception):
    """What was expected did not happen."""


def escaped(argument):
    """Without the meaning that a last ; has for tmux: the end of its command."""
    return argument[:-1] + "\\;" if argument.endswith(";") else argument


def work_of(pid):
    """Ticks that it ran."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
        return f.read().rsplit(")", 1)[1].split()[11:13]


def is_running(pid):
    """Whether one of its threads does not sleep."""
    for tid in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/stat" % (pid, tid), encoding="utf-8") as f:
                if f.read().rsplit(")", 1)[1].split()[0] != "S":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
    return False


class Terminal:
    """One tmux server with one window in which a shell runs commands."""

    def __init__(self, width=80, height=24, environment=None, term="tmux-256color"):
        self.folder = tempfile.mkdtemp(prefix="tptui-tmux-")
        self.socket = os.path.join(self.folder, "socket")
        env = {k: v for k, v in os.environ.items()
               if k in ("PATH", "HOME", "XDG_CACHE_HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TMPDIR")}
        env.update({"LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh", "PS1": "$ ",
                    "XDG_STATE_HOME": os.path.join(self.folder, "state")})
        self.tmux_environment = env
        settings = os.path.join(self.folder, "tmux.conf")
        with open(settings, "w", encoding="utf-8") as f:
            f.write("set -g default-terminal %s\nset -g status off\nset -g escape-time 10\n"
                    "set -g history-limit 0\nset -s set-clipboard on\n" % term)
        arguments = ["-f", settings, "new-session", "-d", "-x", str(width), "-y", str(height)]
        for name, value in (environment or {}).items():
            arguments += ["-e", "%s=%s" % (name, value)]
        self.tmux(*arguments, "env PS1='$ ' bash --norc --noprofile -i")
        try:
            self.wait_for("$")
        except Failure:
            self.__exit__()
            raise
        self.tty = self.tmux("display-message", "-p", "#{pane_tty}").strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def tmux(self, *arguments, check=True):
        """Runs a tmux command and returns what it printed."""
        done = subprocess.run(["tmux", "-S", self.socket, "-u", *arguments], check=False,
                              env=self.tmux_environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE)
        if check and done.returncode != 0:
            raise Failure("tmux %s: %s" % (arguments, done.stderr.decode()))
        return done.stdout.decode("utf-8", "replace")

    def screen(self, escapes=False):
        """The screen as text; with `escapes`, colours too."""
        return self.tmux("capture-pane", "-p", *(["-e"] if escapes else []))

    def keys(self, *names):
        """Sends keys by tmux's names for them."""
        self.tmux("send-keys", *map(escaped, names))

    def text(self, text):
        """Types characters as they are."""
        self.tmux("send-keys", "-l", escaped(text))

    def command(self, line):
        """Types a shell command and Enter."""
        self.text(line)
        self.keys("Enter")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, condition, what):
        """Polls until `condition(screen)` holds."""
        end = time.monotonic() + PATIENCE
        screen = ""
        while time.monotonic() < end:
            screen = self.screen()
            if condition(screen):
                return screen
            time.sleep(STEP)
        raise Failure("%s; the screen is:\n%s" % (what, screen))

    def wait_for(self, text):
        return self.wait(lambda s: text in s, "'%s' did not appear" % text)

    def wait_gone(self, text):
        return self.wait(lambda s: text not in s, "'%s' did not go away" % text)

    def flag(self, name):
        """A tmux format flag of the pane: alternate_on, cursor_flag, mouse_any_flag ..."""
        return self.tmux("display-message", "-p", "#{%s}" % name).strip()

    def settings(self):
        """The terminal's settings as stty prints them."""
        with open(self.tty, "rb") as tty:
            return subprocess.run(["stty", "-g"], stdin=tty, check=True,
                                  stdout=subprocess.PIPE).stdout.decode()

    def pid_of(self, name):
        """The process of that name on this terminal."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            out = subprocess.run(["ps", "-o", "pid=,comm=", "-t", self.tty[len("/dev/"):]],
                                 check=False, stdout=subprocess.PIPE).stdout.decode()
            for line in out.splitlines():
                pid, comm = line.split(None, 1)
                if comm.strip() == name[:15]:
                    return int(pid)
            time.sleep(STEP)
        raise Failure("no process %s on %s" % (name, self.tty))

    def settled(self, name, escapes=False):
        """The screen, once it stays as it is and the program of that name waits."""
        pid, before = self.pid_of(name), None
        while True:
            now = (self.screen(escapes), work_of(pid))
            if now == before and not is_running(pid):
                return now[0]
            before = now
            time.sleep(0.15)

    def kill(self, name, signal_name):
        os.kill(self.pid_of(name), getattr(signal, signal_name))

    def check_restored(self, before):
        """Everything a program may have changed is as `before` (from settings()), and a shell
        command works and leaves nothing else on the screen."""
        self.wait(lambda _: self.flag("alternate_on") == "0", "still on the other screen")
        self.wait(lambda _: self.settings() == before, "terminal settings were not put back")
        for name, value in (("cursor_flag", "1"), ("mouse_any_flag", "0"),
                            ("keypad_cursor_flag", "0")):
            if self.flag(name) != value:
                raise Failure("%s is %s after the end" % (name, self.flag(name)))
        self.command("echo back-$((40+2))")
        self.wait_for("back-42")


def run_tests(functions, wanted):
    """Runs every test_* of `functions`, or those named; returns the program's exit status."""
    if not shutil.which("tmux"):
        print("no tmux: skipped")
        return SKIPPED
    failures = []
    for name, test in sorted(functions.items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        begin = time.monotonic()
        try:
            test()
            print("ok   %s (%.1f s)" % (name, time.monotonic() - begin))
        except (AssertionError, Failure, AttributeError, ValueError) as problem:
            print("FAIL %s: %s" % (name, problem))
            failures.append("FAIL %s: %s" % (name, str(problem).split("\n")[0]))
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    for failure in failures:  # again, as CI shows the end of what a test said
        print(failure)
    return 1 if failures else 0
