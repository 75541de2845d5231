#!/usr/bin/env python3
"""End-to-end tests of the terminal layer: test_terminal.py TERM_DEMO [NAME...]

Each test is a function test_*; with names, only those run. Skipped where there is no tmux.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, run_tests  # noqa: E402  (found beside this file)

DEMO = ""
NAME = "term_demo"


def start(terminal, options="", before=""):
    """Starts the demo and returns the terminal's settings of before."""
    settings = terminal.settings()
    terminal.command("%s %s %s; echo rc=$?" % (before, DEMO, options))
    terminal.wait_for("\nkey ")
    return settings


def test_normal_exit_restores():
    with Terminal() as t:
        t.command("echo kept")
        t.wait_for("\nkept")
        before = start(t)
        assert t.flag("alternate_on") == "1"
        t.keys("q")
        screen = t.wait_for("rc=0")
        assert "kept" in screen, "the former screen is gone"
        t.check_restored(before)


def test_exit_in_the_middle_restores():
    with Terminal() as t:
        before = start(t)
        t.keys("e")
        t.wait_for("rc=7")
        t.check_restored(before)


def check_end(key_or_signal, status):
    with Terminal() as t:
        before = start(t)
        t.keys("m")
        t.wait(lambda _: t.flag("mouse_any_flag") == "1", "the mouse is not on")
        if key_or_signal.startswith("SIG"):
            t.kill(NAME, key_or_signal)
        else:
            t.keys(key_or_signal)
        t.wait(lambda s: re.search("rc=%s" % status, s), "no exit status %s" % status)
        t.check_restored(before)


def test_asking_signals_restore():
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        check_end(name, "0")


def test_fatal_signals_restore_and_still_kill():
    # A sanitizer turns some of them into an exit status of its own.
    for name, status in (("SIGSEGV", "(139|1)"), ("SIGABRT", "(134|1)"), ("SIGQUIT", "131"),
                         ("SIGBUS", "(135|1)")):
        check_end(name, status)


def test_a_crash_restores():
    check_end("c", "(139|1)")
    check_end("a", "(134|1)")


def test_suspend_and_continue():
    with Terminal() as t:
        before = start(t)
        t.keys("C-z")
        t.wait_for("Stopped")
        t.check_restored(before)
        t.command("clear; fg")
        t.wait_for("demo 80x24")
        assert t.flag("alternate_on") == "1"
        t.keys("l")
        t.wait_for("<l>")
        t.kill(NAME, "SIGTSTP")
        t.wait_for("Stopped")
        t.check_restored(before)
        t.command("clear; fg")
        t.wait_for("<l>")
        t.keys("q")
        t.wait_for("frames ")
        t.check_restored(before)


def test_stopped_from_outside_comes_back():
    with Terminal() as t:
        before = start(t)
        t.keys("m")
        t.wait_for("<m>")
        t.kill(NAME, "SIGSTOP")
        t.wait_for("Stopped")
        t.command("clear; echo garbage")
        t.wait_for("garbage")
        t.command("fg")
        t.wait(lambda s: s.startswith("demo 80x24") and "garbage" not in s, "not drawn again")
        t.wait(lambda _: t.flag("mouse_any_flag") == "1", "the mouse was lost")
        t.keys("F5")
        t.wait_for("<F5>")
        t.keys("q")
        t.wait_for("frames ")
        t.check_restored(before)


def test_keys_arrive():
    with Terminal() as t:
        start(t)
        for key, shown in (("F1", "F1"), ("F12", "F12"), ("Up", "Up"), ("Home", "Home"),
                           ("PPage", "PageUp"), ("DC", "Delete"), ("BTab", "Shift-Tab"),
                           ("C-x", "Ctrl-X"), ("C-c", "Ctrl-C"), ("C-s", "Ctrl-S"),
                           ("C-q", "Ctrl-Q"), ("C-l", "Ctrl-L"), ("M-Enter", "Alt-Enter"),
                           ("M-x", "Alt-x"), ("C-Right", "Ctrl-Right"), ("Escape", "Esc"),
                           ("Tab", "Tab"), ("BSpace", "Backspace"), ("é", "é"), ("日", "日")):
            t.keys(key)
            t.wait_for("<%s> " % shown)


def test_a_paste_is_one_event():
    with Terminal() as t:
        start(t)
        t.tmux("set-buffer", "q select 1\nq")
        t.tmux("paste-buffer", "-p")
        t.wait_for("<Paste> at 0,0 q select 1^Jq")


def test_mouse_far_to_the_right():
    with Terminal(width=300, height=30) as t:
        start(t)
        t.keys("m")
        t.wait(lambda _: t.flag("mouse_sgr_flag") == "1", "no SGR mouse")
        t.text("\x1b[<0;290;7M")
        t.wait_for("<MousePress> at 289,6")


def test_text_of_traces_does_not_steer_the_terminal():
    with Terminal() as t:
        start(t)
        t.wait_for("evil ^[]0;owned^G \\xff 日本")
        assert "owned" not in t.tmux("display-message", "-p", "#{pane_title}")


def test_resize():
    with Terminal() as t:
        before = start(t)
        for width, height in ((120, 36), (200, 50), (40, 12)):
            t.resize(width, height)
            screen = t.wait_for("demo %dx%d" % (width, height))
            t.wait(lambda s, h=height: s.rstrip("\n").count("\n") == h - 1 and
                   "skipped" in s.splitlines()[h - 1], "the last row is not in its place")
            assert "skipped" not in "\n".join(screen.splitlines()[:height - 2])
        t.resize(30, 8)
        t.wait_for("30x8 is too small:")
        t.wait_for("at least 40x12")
        t.resize(80, 24)
        t.wait_for("demo 80x24")
        t.keys("q")
        t.wait_for("rc=0")
        t.check_restored(before)


def test_unknown_terminals_fall_back():
    with Terminal() as t:
        start(t, before="TERM=no-such-terminal")
        t.wait_for("TERM=no-such-terminal is not known here, using xterm-256color")
    with Terminal() as t:
        t.command("TERM=dumb %s; echo rc=$?" % DEMO)
        t.wait_for("TERM=dumb: this terminal cannot place the cursor")
        t.wait_for("rc=3")
    with Terminal() as t:  # a machine without any database
        before = start(t, before="TERM=tmux-256color TERMINFO=/nonexistent TERMINFO_DIRS=/nonexistent")
        t.keys("q")
        t.wait_for("rc=0")
        t.check_restored(before)


def test_the_other_terminals():
    for term in ("screen-256color", "linux", "xterm", "ansi", "vt220"):
        with Terminal() as t:
            before = start(t, before="TERM=" + term)
            screen = t.wait_for("skipped none")
            assert len([line for line in screen.splitlines() if line]) == 24, screen
            t.keys("l", "l", "h")
            t.wait_for("<h>")
            t.keys("q")
            t.wait_for("rc=0")
            t.check_restored(before)


def test_character_sets():
    for setting, options, expected in (
            ("LC_ALL=C", "", "utf8 µ▸│"), ("LC_ALL=C", "--ascii", "ascii"),
            ("LC_ALL=C.UTF-8", "--ascii", "ascii"), ("LC_ALL=C", "--utf8", "utf8 µ▸│"),
            ("LC_ALL=POSIX", "", "utf8 µ▸│"), ("LC_ALL=de_DE.ISO-8859-1", "", "ascii"),
            ("LC_ALL=de_DE.ISO-8859-1", "--utf8", "utf8 µ▸│")):
        with Terminal() as t:
            start(t, options, setting)
            screen = t.wait_for(expected)
            if expected == "ascii":
                assert all(ord(c) < 128 for c in screen), screen


def test_no_color():
    with Terminal() as t:
        start(t)
        assert "\x1b[38;5" in t.screen(escapes=True)
    with Terminal() as t:
        start(t, before="NO_COLOR=1")
        assert not re.search("\x1b\\[[34][0-8]", t.screen(escapes=True))


def test_copy_goes_through_tmux():
    with Terminal() as t:
        start(t)
        t.keys("y")
        t.wait_for("key copied 1")
        assert t.tmux("show-buffer") == "text from the demo"
    with Terminal() as t:  # the way for other terminals; tmux understands it as well
        start(t, before="env -u TMUX")
        t.keys("y")
        t.wait_for("key copied 0")
        t.wait(lambda _: t.tmux("list-buffers"), "OSC 52 did not arrive")
        assert t.tmux("show-buffer") == "text from the demo"


def test_no_terminal_is_an_error():
    done = subprocess.run(["setsid", "--wait", DEMO], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 3, done
    assert b"no terminal (/dev/tty: " in done.stderr, done.stderr


def traced(options, keys):
    """The writes to the terminal, as their sizes, for each of the keys; None without strace."""
    folder = tempfile.mkdtemp(prefix="tptui-strace-")
    log = os.path.join(folder, "log")
    try:
        with Terminal(width=200, height=50) as t:
            # Looking for leaks does not work under strace.
            t.command("ASAN_OPTIONS=detect_leaks=0 strace -o %s -e trace=openat,write,poll %s; echo rc=$?" % (log, DEMO))
            screen = t.wait(lambda s: "demo 200x50" in s or re.search("rc=[0-9]", s),
                            "did not start")
            if "demo 200x50" not in screen:
                return None
            for key in keys:
                t.keys(key)
                t.wait_for("<%s> " % key)
            t.keys("q")
            t.wait_for("rc=0")
        with open(log, encoding="utf-8", errors="replace") as f:
            lines = f.read().splitlines()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    opened = [line.rsplit("=", 1)[1].strip() for line in lines
              if '"/dev/tty"' in line and "= -1" not in line]
    writes = tuple("write(%s," % fd for fd in opened)
    sizes, left = [], 0
    for line in lines:
        call = line.startswith(writes) and re.search(r", (\d+)\) *= (-?\d+)", line)
        if not call:
            continue
        asked, done = int(call[1]), max(int(call[2]), 0)
        if left:  # the rest of what a slow terminal did not take at once
            sizes[-1] += done
        else:
            sizes.append(done)
        left = asked - done
    return sizes


def test_one_write_a_frame():
    if not shutil.which("strace"):
        return
    keys = ["l", "r", "l", "h", "l"]  # `r` sends all of it again
    # The first frame, one for each key, and the string that restores.
    sizes = traced("", keys)
    if sizes is None:
        return
    assert len(keys) + 2 <= len(sizes) <= len(keys) + 3, sizes
    # What moves sideways is moved by the terminal: less than a quarter of sending it again.
    assert sizes[1] * 4 < sizes[2] and sizes[4] * 4 < sizes[2], sizes


def seen(screen):
    """Each character of each line with its colours; of a blank only the ground is seen."""
    lines, look = [[]], {"3": "", "4": ""}
    for part in re.split(r"(\x1b\[[0-9;]*m|\n)", screen):
        if part == "\n":
            lines.append([])
        elif part.startswith("\x1b"):
            for which, colour in re.findall(r"([34])(8;5;\d+|[0-79])", part) or [("3", ""), ("4", "")]:
                look[which] = colour if colour != "9" else ""
        else:
            lines[-1] += [(c, c != " " and look["3"], look["4"]) for c in part]
    for line in lines:
        while line and line[-1][0] == " ":  # tmux leaves out those that were made by clearing
            line.pop()
    return lines


def test_rows_that_move_look_as_if_they_were_sent():
    for term in ("tmux-256color", "xterm-256color", "linux"):
        with Terminal(width=120, height=30, term=term) as t:
            start(t)
            for keys in ("lllll", "hh", "llhlllll", "hhhhhhhhh"):
                for key in keys:
                    t.keys(key)
                    t.wait_for("<%s> " % key)
                moved = seen(t.settled(NAME, escapes=True))[2:]
                t.keys("r")
                t.wait_for("<r> ")
                sent = seen(t.settled(NAME, escapes=True))[2:]
                for y, (a, b) in enumerate(zip(moved, sent)):
                    assert a == b, "%s, %s, line %d: %s" % (term, keys, y + 3, [c for c in zip(a, b) if c[0] != c[1]])


def test_a_terminal_that_does_not_read():
    with Terminal(width=200, height=50) as t:
        start(t)
        pane = t.tmux("display-message", "-p", "#{pane_pid}").strip()
        assert pane
        # Stop the tmux server: it reads no more, so that the terminal's buffer fills up.
        server = int(t.tmux("display-message", "-p", "#{pid}").strip())
        demo = t.pid_of(NAME)
        os.kill(server, 19)
        try:
            with open(t.tty, "wb", buffering=0) as _:
                for _ in range(40):
                    os.kill(demo, 28)  # SIGWINCH: draws all of it again
                    time.sleep(0.01)
            with open("/proc/%d/stat" % demo, encoding="utf-8") as f:
                assert f.read().rsplit(")", 1)[1].split()[0] in "SR", "the program is blocked"
            with open("/proc/%d/wchan" % demo, encoding="utf-8") as f:
                assert "write" not in f.read(), "the program waits for the terminal"
        finally:
            os.kill(server, 18)
        t.keys("F5")
        t.wait_for("<F5>")
        t.keys("F6")
        t.wait_for("<F6>")
        t.wait_for("skipped some")


def main():
    global DEMO
    DEMO = os.path.abspath(sys.argv[1])
    return run_tests(globals(), sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
