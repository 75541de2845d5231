#!/usr/bin/env python3
"""End-to-end tests of the program in a terminal: test_tptui.py TPTUI TRACE GENERATOR [NAME...]

TRACE is the demo trace, GENERATOR makes larger ones. Skipped where there is no tmux.
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

TPTUI = TRACE = GENERATOR = ""
NAME = "tptui"


def start(terminal, options="", before=""):
    """Opens the trace and returns the terminal's settings of before."""
    settings = terminal.settings()
    terminal.command("%s %s %s %s; echo rc=$?" % (before, TPTUI, options, TRACE))
    terminal.wait(lambda s: "8 CPUs" in s.splitlines()[0] and "app start" in s and "Alerts" in s,
                  "timeline, alerts and findings are not there")
    return settings


def window_of(screen):
    """The window as the header says it."""
    return re.search(r"[0-9.]+ ?\.\. ?[0-9.]+", screen.splitlines()[0]).group()


def test_quit_restores():
    with Terminal() as t:
        t.command("echo kept")
        t.wait_for("\nkept")
        before = start(t)
        t.keys("Q")
        screen = t.wait_for("rc=0")
        assert "kept" in screen, "the former screen is gone"
        t.check_restored(before)


def check_end(signal_name, status):
    with Terminal() as t:
        before = start(t)
        t.kill(NAME, signal_name)
        t.wait(lambda s: re.search("rc=%s" % status, s), "no exit status %s" % status)
        t.check_restored(before)


def test_signals_restore():
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        check_end(name, "[0-9]")


def test_crashes_restore():
    # A sanitizer turns some of them into an exit status of its own.
    for name, status in (("SIGSEGV", "(139|1)"), ("SIGABRT", "(134|1)")):
        check_end(name, status)


def test_sql_below_the_prompt_stays_in_the_shell():
    with Terminal() as t:
        before = t.settings()
        t.command("%s sql %s; echo rc=$?" % (TPTUI, TRACE))
        t.wait_for("\n>")
        assert t.flag("alternate_on") == "0"
        t.text("SELECT 41 + 1 AS answer;")
        t.keys("Enter")
        t.wait_for("1 row")
        t.text("SELECT * FROM slice;")
        t.keys("Enter")
        t.wait_for("back to the prompt")
        assert t.flag("alternate_on") == "1"
        t.keys("q")
        t.wait_for("Tab shows all rows")
        assert t.flag("alternate_on") == "0"
        t.keys("C-d")
        screen = t.wait_for("rc=0")
        assert "Tab shows all rows" in screen and "Ctrl-R" not in screen, screen
        t.check_restored(before)


def test_a_signal_ends_a_running_query():
    with Terminal() as t:
        before = start(t)
        t.keys(";")
        t.text("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT max(x) FROM c;")
        t.keys("Enter")
        time.sleep(0.2)
        t.kill(NAME, "SIGTERM")
        t.wait_for("rc=")
        t.check_restored(before)


def test_rows_come_while_the_query_runs():
    with Terminal() as t:
        start(t)
        t.keys(";")
        t.wait_for("[SQL]")
        t.text("WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x+1 FROM c) SELECT x FROM c;")
        t.keys("Enter")
        t.wait_for("rows; Ctrl-C cancels")
        t.wait_for("row 1 of")
        t.keys("j", "j")
        t.wait_for("row 3 of")
        t.keys("C-c")
        t.wait_for("these are the first rows")


def test_control_c_cancels_a_query_and_the_next_one_runs():
    with Terminal() as t:
        before = start(t)
        t.keys(";")
        t.wait_for("[SQL]")
        t.text("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT max(x) FROM c;")
        t.keys("Enter")
        t.wait_for("Ctrl-C cancels")
        t.keys("C-c")
        assert t.wait_for("cancelled").count("cancelled") == 1, "said more than once"
        t.keys("C-u")
        t.wait_gone("SELECT")
        t.text("SELECT 7 * 6;")
        t.keys("Enter")
        t.wait(lambda s: re.search(r"^ *42\b", s, re.M), "no result")
        t.keys("Escape")
        t.wait_gone("SELECT")
        t.keys("Q")
        t.wait_for("rc=0")
        t.check_restored(before)


def test_control_c_does_not_end_the_program():
    with Terminal() as t:
        start(t)
        t.keys("Tab", "C-c", "C-c")
        before = window_of(t.screen())
        t.keys("w")
        t.wait(lambda s: window_of(s) != before, "the program does not answer")


def test_suspend_and_continue():
    with Terminal() as t:
        before = start(t)
        first = t.settled(NAME)
        t.keys("C-z")
        t.wait_for("Stopped")
        t.check_restored(before)
        t.command("clear; fg")
        t.wait(lambda s: s == first, "not the same screen after fg")
        t.keys("Q")
        t.wait(lambda _: t.flag("alternate_on") == "0", "did not quit")
        t.check_restored(before)


def test_stopped_from_outside_comes_back():
    with Terminal() as t:
        before = start(t)
        first = t.settled(NAME)
        t.kill(NAME, "SIGSTOP")
        t.wait_for("Stopped")
        t.command("clear; echo garbage")
        t.wait_for("garbage")
        t.command("fg")
        t.wait(lambda s: s == first, "not the same screen after fg")
        t.keys("Q")
        t.wait(lambda _: t.flag("alternate_on") == "0", "did not quit")
        t.check_restored(before)


def test_resize():
    with Terminal(width=120, height=36) as t:
        start(t)
        first = t.settled(NAME)
        for width, height in ((200, 50), (80, 24), (40, 12)):
            t.resize(width, height)
            t.wait(lambda s, h=height: len(s.rstrip("\n").splitlines()) == h and
                   "5.00" in s.splitlines()[0] and re.search("hel[p~]", s.splitlines()[h - 1]),
                   "header and hints are not in the first and last row")
        t.resize(39, 11)
        t.wait_for("39x11 is too small:")
        t.resize(120, 36)
        t.wait(lambda s: s == first, "not the same screen after resizing back")


def test_the_keyboard_moves_and_comes_back():
    with Terminal(width=120, height=36) as t:
        start(t)
        t.keys("Tab")
        before = window_of(t.screen())
        t.keys("w", "w")
        t.wait(lambda s: window_of(s) != before, "zooming did nothing")
        t.keys("0")
        t.wait(lambda s: window_of(s) == before, "0 did not show the whole trace")


def test_a_redraw_changes_nothing():
    with Terminal(width=90, height=30) as t:
        start(t)
        for key in "w w w d a 7 6 d d a 7 6 2 6 j j s s d d a".split():
            t.keys(key)
            shown = t.settled(NAME)
            with open(t.tty, "w", encoding="utf-8") as tty:
                tty.write("\x1b7\x1b[1;1Hgarbage\x1b8")
            t.wait_for("garbage")
            t.keys("C-l")
            t.wait_gone("garbage")
            assert t.settled(NAME) == shown, "%s: after a redraw the screen is\n%s\ninstead of\n%s" % (key, t.screen(), shown)


def test_ascii_has_no_other_characters():
    with Terminal(width=120, height=36) as t:
        start(t, "--ascii")
        screen = t.screen()
        assert all(ord(c) < 128 for c in screen), screen
    with Terminal(width=120, height=36) as t:
        start(t, before="LC_ALL=C")
        t.wait_for("▸")


def test_marks_over_characters_are_sent():
    name = "re\u0301pe\u0301ter"
    event = '{"name": "%s", "ph": "X", "ts": 0, "dur": 5, "pid": 1, "tid": 1}' % name
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf8") as f, Terminal() as t:
        f.write("[%s]" % event)
        f.flush()
        t.command("%s %s; echo rc=$?" % (TPTUI, f.name))
        t.wait_for("▏" + name)
        t.keys("Q")
        t.wait_for("rc=0")
        # The same below a prompt, where no curses are.
        t.command("%s sql %s; echo rc=$?" % (TPTUI, f.name))
        t.wait_for("\n>")
        t.text("SELECT name FROM slice;")
        t.keys("Enter")
        t.wait_for("\n " + name)


def test_without_colours():
    with Terminal(width=120, height=36) as t:
        start(t, before="NO_COLOR=1")
        assert not re.search("\x1b\\[[34][0-8]", t.screen(escapes=True))


SIXTEEN_COLOURS = """sixteen|a terminal with 16 colours,
	colors#16, pairs#256,
	setab=\\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,
	setaf=\\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm,
	use=xterm,
"""


def colours_of(screen):
    """What sets colours on the screen: 31, 44, 97, 38 of 38;5;..."""
    numbers = set()
    for codes in re.findall("\x1b\\[([0-9;]*)m", screen):
        numbers.update(int(n) for n in codes.split(";") if n and 30 <= int(n) < 108)
    return numbers


def test_sixteen_colours():
    if not shutil.which("tic"):
        return
    with tempfile.TemporaryDirectory() as folder, Terminal(width=120, height=36) as t:
        source = os.path.join(folder, "source")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SIXTEEN_COLOURS)
        subprocess.run(["tic", "-x", "-o", folder, source], check=True)
        start(t, before="TERMINFO=%s TERM=sixteen" % folder)
        colours = colours_of(t.screen(escapes=True))
        assert 38 not in colours and 48 not in colours, colours
        assert {37, 47, 90, 100} <= colours, colours  # white, its reverse, both greys


def test_eight_colours():
    for term in ("linux", "screen"):
        with Terminal(width=120, height=36) as t:
            start(t, before="TERM=" + term)
            screen = t.screen(escapes=True)
            colours = colours_of(screen)
            assert not {38, 48} & colours and max(colours) < 50, colours
            assert re.search("\x1b\\[[0-9;]*\\b7;?[0-9;]*m", screen.splitlines()[0]), screen  # the header


def check_exact_colours(variables, expected):
    with tempfile.TemporaryDirectory() as folder, Terminal(width=120, height=36) as t:
        os.makedirs(os.path.join(folder, "tptui/themes"))
        with open(os.path.join(folder, "tptui/themes/own.theme"), "w") as f:
            f.write("slice.0 = #010203 #fa8072\nheader = 16 #2e8b57 bold\n")
        start(t, "--theme own", before="XDG_CONFIG_HOME=%s %s" % (folder, variables))
        screen = t.screen(escapes=True)
        assert expected in screen.splitlines()[0], "%s: %r" % (variables, screen.splitlines()[0])
        t.keys("+", "Down")  # frames of a few cells
        t.text(":next-theme")
        t.keys("Enter")
        t.wait_for("theme dark")
        assert "48;2;" not in t.screen(escapes=True)


def test_colours_of_24_bits():
    for variables in ("COLORTERM=truecolor", "COLORTERM=24bit", "TERM=xterm-direct", "TERM=xterm-direct16"):
        check_exact_colours(variables, "48;2;46;139;87")
    check_exact_colours("COLORTERM=", "48;5;29")
    check_exact_colours("COLORTERM=truecolor STY=1.screen", "48;5;29")


def test_own_themes_are_offered():
    with tempfile.TemporaryDirectory() as folder, Terminal(width=120, height=36) as t:
        os.makedirs(os.path.join(folder, "tptui/themes"))
        for name, text in (("broken", "slice.0 = no colour"), ("own", "header = 16 #2e8b57 bold")):
            with open(os.path.join(folder, "tptui/themes", name + ".theme"), "w") as f:
                f.write(text + "\n")
        start(t, "--theme colourblind", before="XDG_CONFIG_HOME=%s COLORTERM=truecolor" % folder)
        t.text(":themes")
        t.keys("Enter")
        t.wait_for("your own")
        lines = [line.split() for line in t.screen().splitlines() if re.search("built in|your own", line)]
        names = [line[1] if line[0] == "*" else line[0] for line in lines]
        assert names == ["dark", "light", "contrast", "colourblind", "broken", "own"], lines
        t.keys("G", "Enter")
        t.wait_for("theme own;")
        assert "48;2;46;139;87" in t.screen(escapes=True).splitlines()[0]
        t.text(":themes")
        t.keys("Enter")
        t.wait_for("your own")
        t.keys("G", "k", "k", "Enter")
        t.wait_for("theme colourblind")
        t.text(":next-theme")  # over the one that is none
        t.keys("Enter")
        t.wait_for("broken.theme:1")
        assert "48;2;46;139;87" in t.screen(escapes=True).splitlines()[0]


def test_unknown_terminal_is_said():
    with Terminal() as t:
        start(t, before="TERM=no-such-terminal")
        t.wait_for("TERM=no-such-terminal")


class LargeTrace:
    """A trace that takes a while to load, in a folder of its own."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tptui-large-")
        self.path = os.path.join(self.folder, "large.pftrace")
        subprocess.run([GENERATOR, "--profile", "linux", "--size", "150M", self.path], check=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, terminal):
        """Begins to load it and returns the terminal's settings of before."""
        settings = terminal.settings()
        terminal.command("%s %s; echo rc=$?" % (TPTUI, self.path))
        terminal.wait_for("reading: ")
        return settings


def test_loading_can_be_left():
    with LargeTrace() as large:
        for end, status in (("q", "0"), ("C-c", "130"), ("SIGTERM", "0"), ("SIGBUS", "(135|1)")):
            with Terminal() as t:
                before = large.start(t)
                if end.startswith("SIG"):
                    t.kill(NAME, end)
                else:
                    t.keys(end)
                t.wait(lambda s, r="rc=%s" % status: re.search(r, s), "%s did not end it" % end)
                t.check_restored(before)


def test_a_file_cut_short_while_it_loads():
    with LargeTrace() as large, Terminal(width=120, height=36) as t:
        before = large.start(t)
        os.truncate(large.path, 20 << 20)
        t.wait(lambda s: " CPUs " in s.splitlines()[0], "what could be read is not shown")
        t.keys("Q")
        t.wait_for("rc=0")
        t.check_restored(before)


def written(t, log, keys):
    """Runs the program under strace with `keys`; the sizes of writes to the terminal, or None."""
    t.command("ASAN_OPTIONS=detect_leaks=0 strace -o %s -e trace=openat,write %s %s; echo rc=$?" %
              (log, TPTUI, TRACE))
    screen = t.wait(lambda s: "8 CPUs" in s or re.search("rc=[0-9]", s), "did not start")
    if "8 CPUs" not in screen:
        return None
    for key in keys:
        # The header has the window. What follows in a frame of its own, as details, is not what the key did: with the
        # next key sent on that, two that undo each other may become one frame.
        shown = (lambda s: s) if key == "Tab" else (lambda s: s.splitlines()[0])
        before = shown(t.screen())
        t.keys(key)
        t.wait(lambda s, b=before, part=shown: part(s) != b, "%s changed nothing" % key)
    t.keys("Q")
    t.wait_for("rc=0")
    with open(log, encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    opened = [line.rsplit("=", 1)[1].strip() for line in lines
              if '"/dev/tty"' in line and "= -1" not in line]
    writes = tuple("write(%s," % fd for fd in opened)
    return [int(line.rsplit("=", 1)[1].split()[0]) for line in lines if line.startswith(writes)]


def test_one_write_a_frame():
    if not shutil.which("strace"):
        return
    folder = tempfile.mkdtemp(prefix="tptui-strace-")
    keys = ["Tab"] + ["w"] * 6 + ["d", "a"] * 10
    try:
        with Terminal(width=200, height=50) as t:
            sizes = written(t, os.path.join(folder, "log"), keys)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if sizes is None:
        return
    print("     writes %d, bytes a key %d" % (len(sizes), sum(sizes) / len(keys)))
    assert min(sizes) > 0, sizes
    # Loading and the details that follow the cursor draw frames of their own.
    assert len(sizes) <= 2 * len(keys) + 20, sizes


def test_no_frame_is_torn():
    """A terminal that does not read for a while gets a whole, current screen afterwards."""
    with Terminal(width=200, height=50) as t:
        start(t)
        t.keys("Tab")
        before = t.screen()
        server = int(t.flag("pid"))
        program = t.pid_of(NAME)
        os.kill(server, 19)
        try:
            for _ in range(40):
                os.kill(program, 28)  # SIGWINCH: draws all of it again
                time.sleep(0.01)
        finally:
            os.kill(server, 18)
        t.keys("w")
        t.wait(lambda s: " .. " in s.splitlines()[0] and window_of(s) != window_of(before), "the program does not answer")
        shown = t.settled(NAME)
        t.keys("C-l")
        t.wait(lambda s: s == shown, "the screen was not what the program thought it was")


def test_sql_of_others_is_asked_about():
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "session")
        text = "tptui session 1\ntrace 1 x\ntrack theirs=SELECT ts, dur, name FROM slice LIMIT 9\n"
        for answer, runs in (("n", False), ("y", True)):
            with open(kept, "w") as f:
                f.write(text)
            os.chmod(kept, 0o666)
            with Terminal() as t:
                start(t, "--session " + kept)
                screen = t.wait_for("Run the SQL of 1 track in this session? others may write it")
                assert "theirs" not in screen, screen
                t.keys("j", "s")
                t.wait_for("theirs=SELECT ts, dur, name")
                t.keys("Escape")
                t.wait_for("Run the SQL of 1 track")
                t.keys(answer)
                t.wait_for("theirs" if runs else "does not run")
                if not runs:
                    time.sleep(1)  # a track that runs all the same would be there
                    assert "theirs" not in t.screen(), t.screen()
                    t.keys("f", "v", "w")  # there would be something to keep
                t.keys("Q")
                t.wait_for("rc=0")
            with open(kept) as f:
                assert runs or f.read() == text, "what was refused is gone"


def slices(f, first, count):
    for i in range(first, first + count):
        f.write("app-12 [000] .... 1.%06d: tracing_mark_write: B|12|work\n" % (2 * i))
        f.write("app-12 [000] .... 1.%06d: tracing_mark_write: E|12\n" % (2 * i + 1))
    f.flush()


def test_a_growing_trace_is_followed():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f, Terminal(width=100) as t:
        f.write("# tracer: nop\n#\n")
        slices(f, 0, 50)
        t.command("%s --follow %s; echo rc=$?" % (TPTUI, f.name))
        t.wait_for("50 slices")
        slices(f, 50, 20)
        screen = t.wait_for("70 slices")
        assert window_of(screen).replace(" ", "") == "0.000..0.138", "the window stays behind"
        assert "[6 " in screen, "the pane is another"
        t.keys("Q")
        t.wait_for("rc=0")


def counters(f, first, count):
    for i in range(first, first + count):
        for name in "abc":
            f.write(',{"ph":"C","pid":1,"ts":%d,"name":"counter %s","args":{"v":%d}}\n' % (1000 * i, name, i % 7))
    f.flush()


def lines_high(screen):
    names = [line.split("│")[0] for line in screen.splitlines()]
    first = [i for i, name in enumerate(names) if "counter a" in name or "counter b" in name]
    return first[1] - first[0] if len(first) == 2 else 0


def test_a_followed_trace_fills_the_screen_until_a_key_is_pressed():
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f, Terminal(width=100, height=24) as t:
        f.write('[{"ph":"M","pid":1,"name":"process_name","args":{"name":"counted"}}\n')
        counters(f, 0, 11)
        t.command("%s --follow %s; echo rc=$?" % (TPTUI, f.name))
        t.wait_for(".. 10.000 ms")
        t.wait(lambda s: lines_high(s) == 3, "the screen is not filled")
        counters(f, 11, 10)
        t.wait_for(".. 20.000 ms")
        t.wait(lambda s: lines_high(s) == 3, "the screen is not filled when there is more")
        t.resize(100, 36)
        t.wait(lambda s: lines_high(s) == 7, "the larger screen is not filled")
        t.keys("Tab", "g", "g", *"UUUUUU")
        t.wait_for("1 line high; 3 counters")
        counters(f, 21, 10)
        t.wait_for(".. 30.000 ms")
        t.resize(100, 38)
        screen = t.wait(lambda s: len(s.splitlines()) == 38 and "? help" in s.splitlines()[-1], "nothing is drawn anew")
        assert lines_high(screen) == 1, screen
        t.keys("Q")
        t.wait_for("rc=0")


def test_a_flamegraph_stays_as_it_was_chosen_when_more_is_loaded():
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f, Terminal(width=170) as t:
        f.write("# tracer: nop\n#\n")
        slices(f, 0, 50)
        t.command("%s --follow %s; echo rc=$?" % (TPTUI, f.name))
        t.wait_for("50 slices")
        t.keys("7")
        t.wait_for("all  total 50 us")
        t.keys("b")
        t.wait_for("less than in slices")
        t.keys("/")
        t.keys("^wo", "Enter")
        t.wait_for("/^wo")
        t.settled(NAME)  # what is filtered begins at its root
        t.keys("j", "o")
        t.wait_for("callees below work")
        slices(f, 50, 20)
        screen = t.wait_for("[slices, own time]  69.999 us")
        for kept in ("callees below work", "less than in slices", "/^wo"):
            assert kept in screen, (kept, screen)
        t.keys("Q")
        t.wait_for("rc=0")


def test_a_followed_file_that_goes_or_is_another():
    with tempfile.TemporaryDirectory() as folder, Terminal(width=100) as t:
        path = os.path.join(folder, "trace.txt")

        def write(name, count):
            with open(os.path.join(folder, name), "w") as f:
                f.write("# tracer: nop\n#\n")
                slices(f, 0, count)

        write("trace.txt", 50)
        t.command("%s --follow %s; echo rc=$?" % (TPTUI, path))
        t.wait_for("50 slices")
        os.unlink(path)
        t.wait_for("no such file any more")
        write("trace.txt", 30)  # smaller
        t.wait_for("30 slices")
        # Opening a FIFO would wait for somebody who writes, and a device be read without end.
        for count, (make, remove) in enumerate([
                (os.mkfifo, os.unlink), (os.mkdir, os.rmdir), (lambda p: os.symlink("/dev/zero", p), os.unlink),
                (lambda p: os.symlink(t.tty, p), os.unlink), (lambda p: os.symlink(p, p), os.unlink)], 40):
            os.unlink(path)
            make(path)
            t.wait_for("no such file any more")
            remove(path)
            write("other", count)
            os.rename(os.path.join(folder, "other"), path)
            t.wait_for("%d slices" % count)
            t.wait_gone("no such file any more")
        # Cut short where it lies, while it is mapped, also to nothing: what is shown is not what is there.
        os.truncate(path, 0)
        t.wait_for("what was loaded stays")
        t.keys("j")  # the message goes, the header keeps it
        t.wait_gone("what was loaded stays")
        t.wait_for("from before the file changed")
        write("other", 60)
        os.rename(os.path.join(folder, "other"), path)
        t.wait_for("60 slices")
        t.wait_gone("from before")
        t.wait_for("another file took the place")
        os.truncate(path, os.path.getsize(path) // 2)
        t.wait_for("30 slices")
        # Also when nothing could be loaded in between.
        t.keys("j")
        t.wait_gone("another file took the place")
        os.truncate(path, 0)
        t.wait_for("what was loaded stays")
        write("trace.txt", 20)
        t.wait_for("20 slices")
        t.wait_for("another file took the place")
        with open(path, "a") as f:
            slices(f, 20, 5)
        t.wait_for("25 slices")
        t.wait_for("the trace has changed")
        t.keys("Q")
        t.wait_for("rc=0")


def main():
    global TPTUI, TRACE, GENERATOR
    TPTUI, TRACE, GENERATOR = (os.path.abspath(path) for path in sys.argv[1:4])
    return run_tests(globals(), sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
