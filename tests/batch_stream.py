"""Rows of `tptui batch` that are there before its end."""
import os
import shutil
import signal
import threading


def make(trace, folder, count):
    """Copies of different content, the last with most bytes; and SQL that does not end in that one."""
    traces = [os.path.join(folder, 'stream%d' % i) for i in range(count)]
    for i, path in enumerate(traces):
        shutil.copy(trace, path)
        with open(path, 'ab') as f: # packets without a field
            f.write(b'\x0a\x00' * (100 + i))
    return traces, ('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE (SELECT int_value FROM metadata '
                    "WHERE name = 'trace_size_bytes') >= %d) SELECT max(x) AS n FROM n" % os.path.getsize(traces[-1]))


def read_lines(p, count, seconds=60):
    """Lines that the process writes while it runs: fewer where they take too long, as it is interrupted then."""
    late = threading.Timer(seconds, p.send_signal, [signal.SIGINT])
    late.start()
    lines = [p.stdout.readline() for _ in range(count)]
    in_time = late.is_alive()
    late.cancel()
    return lines if in_time else []
