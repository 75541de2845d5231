"""What checks of the screen share: asking the program, and its ways of writing times."""
import json
import subprocess


def query(program, trace, sql):
    """The rows, as objects."""
    out = subprocess.run([program, 'query', '--no-cache', '--format', 'json', trace, sql], capture_output=True, text=True,
                         check=True).stdout
    return json.loads(out)


def ms(ns):
    return '%d.%03d' % (ns // 1000000, ns // 1000 % 1000)


def short(ns):
    for size, name in (10 ** 9, 's'), (10 ** 6, 'ms'), (1000, 'us'):
        if ns >= size:
            part = ns % size * 1000 // size
            return '%d.%03d %s' % (ns // size, part, name) if part else '%d %s' % (ns // size, name)
    return '%d ns' % ns
