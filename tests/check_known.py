#!/usr/bin/env python3
"""Checks that collections of expected rows disagree nowhere but where known/COLLECTION.txt says so.

Usage: check_known.py [--tptui PROGRAM] [-j N] [--only REGEX] [--section REGEX] [--prune] [COLLECTION...]

The collections lie beside the checkout, in ../shared; each is compared by its own check.py. A line of a list is
`case section # reason`. The lists may only become shorter: a section that disagrees and is not listed is an error, and
so is a listed one that agrees, which --prune takes off the list. --only and --section look at some cases or sections
only. Without names: all collections that are there. Exit status 1 where there is an error.

The power curves of devices that lie there are the user's.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / 'shared'
COLLECTIONS = { # name: folder of check.py, its options
    'conformance': ('conformance', []),
    'traces': ('conformance', ['--cases', str(SHARED / 'traces')]),
    'surface': ('surface', []),
    'metrics': ('metrics', []),
}


def list_of(name):
    return HERE / 'known' / (name + '.txt')


def read_known(name):
    """The lines of a list by (case, section)."""
    known = {}
    if not list_of(name).exists():
        return known
    for line in list_of(name).read_text(encoding='utf8').splitlines():
        words = line.split('#')[0].split()
        if len(words) != 2 or '#' not in line:
            sys.exit(f'{list_of(name)}: expected "case section # reason", found "{line}"')
        known[tuple(words)] = line
    return known


def result_name(path):
    """A metric's result is a file, CASE/METRIC.txt."""
    case, _, metric = path.removesuffix('.txt').rpartition('/')
    return case, metric


def run_check(name, arguments):
    """The set of (case, section) that disagree, and the check's last line."""
    folder, options = COLLECTIONS[name]
    command = [SHARED / folder / 'check.py', '--tptui', arguments.tptui, '-j', str(arguments.j), *options]
    if arguments.only:
        command += ['--only', arguments.only]
    if name == 'metrics':
        done = subprocess.run([*command, '-v'], stdout=subprocess.PIPE, check=True, text=True)
        failing = {result_name(found) for found in re.findall(r'^--- (\S+): (?:differs|error)$', done.stdout, re.M)}
        return failing, done.stdout.splitlines()[-1]
    if arguments.section:
        command += ['--section', arguments.section]
    with tempfile.NamedTemporaryFile('r', encoding='utf8') as file:
        done = subprocess.run([*command, '--write-failing', file.name], stdout=subprocess.PIPE, check=True, text=True)
        failing = {tuple(line.split()) for line in file if line.strip()}
    return failing, done.stdout.splitlines()[-1]


def check(name, arguments):
    """How many errors the collection has."""
    known = read_known(name)
    failing, summary = run_check(name, arguments)
    print(f'{name}: {summary}', flush=True)
    looked_at = {key for key in known if re.search(arguments.only, key[0]) and re.search(arguments.section, key[1])}
    new, agreeing = sorted(failing - known.keys()), sorted(looked_at - failing)
    for case, section in new:
        print(f'{name}: {case} {section}: disagrees, and is not listed')
    if arguments.prune and agreeing:
        text = ''.join(line + '\n' for key, line in known.items() if key not in agreeing)
        list_of(name).write_text(text, encoding='utf8')
        print(f'{name}: {len(agreeing)} lines taken off the list')
        agreeing = []
    for case, section in agreeing:
        print(f'{name}: {case} {section}: agrees, and is listed')
    return len(new) + len(agreeing)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tptui', default='build/tptui')
    parser.add_argument('-j', type=int, default=os.cpu_count())
    parser.add_argument('--only', default='', help='of cases')
    parser.add_argument('--section', default='', help='of sections or metrics')
    parser.add_argument('--prune', action='store_true', help='takes what agrees off the lists')
    parser.add_argument('collections', nargs='*', metavar='COLLECTION', help=', '.join(COLLECTIONS))
    arguments = parser.parse_args()
    arguments.tptui = os.path.abspath(arguments.tptui)
    for name in arguments.collections:
        if name not in COLLECTIONS:
            parser.error(f'expected one of {", ".join(COLLECTIONS)}, found {name}')
    with tempfile.TemporaryDirectory() as home:
        os.environ['XDG_CONFIG_HOME'] = home
        os.mkdir(os.path.join(home, 'tptui'))
        os.symlink(SHARED / 'facts' / 'wattson', os.path.join(home, 'tptui', 'wattson'))
        return check_all(arguments)


def check_all(arguments):
    there = [name for name, (folder, _) in COLLECTIONS.items() if (SHARED / folder / 'check.py').exists()]
    # Each check.py reads rows on one core, whatever -j says of the programs that it starts.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(lambda name: check(name, arguments), arguments.collections or there)) > 0


sys.exit(main())
