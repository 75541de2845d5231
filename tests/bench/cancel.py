#!/usr/bin/env python3
"""Measures how soon the program stops a statement: cancel.py TPTUI TRACE FILE.sql [WORD]

FILE.sql is that of bench_cancel.c, whose figures are of the SQL alone. Here a line a statement (whose
name contains WORD) says how many milliseconds passed

sigint    from SIGINT until `tptui query` was gone
timeout   from the time that --timeout gives until then, loading excluded
screen    from Ctrl-C in the query pane until the screen (in tmux) said so
again     from then until the next query had its result

and, in the last line, the longest of each. `load` is Ctrl-C while the timeline loads TRACE, until the
shell has its terminal back. All by the clock: other programs disturb.
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tmux'))
from terminal import Failure, Terminal  # noqa: E402

RUNS_FOR = float(os.environ.get('BENCH_SECONDS', '1.5'))  # before it is stopped


def statements(path):
    """(name, SQL) of the file's parts; the first is the setup."""
    with open(path, encoding='utf-8') as f:
        parts = ('\n' + f.read()).split('\n-- ')[1:]
    return [tuple(p.split('\n', 1)) for p in parts]


def start(tptui, options, trace, sql):
    return subprocess.Popen([tptui, 'query', *options, trace, sql], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def ended(process):
    """When it was gone; it must say that it was stopped."""
    _, status = os.waitpid(process.pid, 0)
    now = time.monotonic()
    process.returncode = os.waitstatus_to_exitcode(status)
    message = process.stderr.read().decode()
    return now, 'interrupted' in message or 'timed out' in message


def by_signal(tptui, trace, sql):
    process = start(tptui, [], trace, sql)
    time.sleep(RUNS_FOR)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    end, stopped = ended(process)
    return (end - begin) * 1000 if stopped else None


def by_timeout(tptui, trace, sql, loading):
    begin = time.monotonic()
    end, stopped = ended(start(tptui, ['--timeout', str(RUNS_FOR)], trace, sql))
    return max(0, end - begin - RUNS_FOR - loading) * 1000 if stopped else None


class Pane:
    """The query pane of the program in a terminal, where the setup has run."""

    def __init__(self, tptui, trace, setup):
        self.terminal = Terminal(150, 40)
        self.terminal.command('%s %s' % (tptui, trace))
        self.wait('Findings')
        self.terminal.keys(';')
        self.wait('[SQL]')
        self.run(setup + 'SELECT 7 * 6 AS answer')
        self.wait('42')

    def wait(self, text):
        """Seconds until the screen shows it."""
        begin = time.monotonic()
        while time.monotonic() - begin < 120:
            if text in self.terminal.screen():
                return time.monotonic() - begin
        raise Failure("'%s' did not appear:\n%s" % (text, self.terminal.screen()))

    def run(self, sql):
        self.terminal.text(' '.join(sql.split()) + ';')
        self.terminal.keys('Enter')

    def stop(self, sql):
        """(milliseconds to stop, to the next result); None where it ended by itself."""
        self.terminal.keys('i', 'C-u')
        self.run(sql)
        time.sleep(RUNS_FOR)
        running = 'Ctrl-C cancels' in self.terminal.screen()
        self.terminal.keys('C-c')
        stopped = self.wait('cancelled') if running else None
        if not running:
            self.terminal.keys('i')
        self.terminal.keys('C-u')
        self.run('SELECT 7 * 6 AS answer')
        again = self.wait('42')
        return stopped and stopped * 1000, again * 1000


def leave_while_loading(tptui, trace):
    with Terminal() as terminal:
        terminal.command('clear; %s %s; echo status $?' % (tptui, trace))
        terminal.wait_for('cancels')
        terminal.keys('C-c')
        begin = time.monotonic()
        terminal.wait_for('status 0')
        return (time.monotonic() - begin) * 1000


def worst(figures):
    return max((f for f in figures if f is not None), default=0)


def cell(figure):
    return '%8s' % ('ended' if figure is None else '%.0f' % figure)


def main():
    tptui, trace, path = sys.argv[1:4]
    word = sys.argv[4] if len(sys.argv) > 4 else ''
    (_, setup), *rest = statements(path)
    begin = time.monotonic()
    subprocess.run([tptui, 'query', trace, 'SELECT 1'], stdout=subprocess.DEVNULL, check=True)
    loading = time.monotonic() - begin
    pane = Pane(tptui, trace, setup)
    print('%-34s %8s %8s %8s %8s' % ('', 'sigint', 'timeout', 'screen', 'again'))
    columns = ([], [], [], [])
    for name, sql in rest:
        if word not in name:
            continue
        figures = (by_signal(tptui, trace, setup + sql), by_timeout(tptui, trace, setup + sql, loading),
                   *pane.stop(sql))
        for column, figure in zip(columns, figures):
            column.append(figure)
        print('%-34s %s' % (name, ' '.join(map(cell, figures))), flush=True)
    pane.terminal.__exit__()
    print('%-34s %s' % ('longest', ' '.join(cell(worst(c)) for c in columns)))
    print('load %.0f' % leave_while_loading(tptui, trace))


if len(sys.argv) < 4:
    raise SystemExit(__doc__)
main()
