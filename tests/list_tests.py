#!/usr/bin/env python3
"""Lists tests made of files, a line each, for meson when it configures: NAME|TRACE|OPTIONS

    list_tests.py FOLDER EXTENSION

A test is a file NAME.EXTENSION. Its trace is the one of its first line, `# trace: TRACE [OPTION...]`, where it
has such a line: the name of a trace without the extension, or the name of a file. Else it is NAME, if there is
a NAME.textproto, or the one file NAME.* that is there beside the test.
"""
import pathlib
import sys


def trace_and_options(test):
    with open(test, encoding='utf8') as f:
        first = f.readline()
    if first.startswith('# trace:'):
        return first.split()[2:]
    beside = [p.name for p in sorted(test.parent.glob(test.stem + '.*')) if p != test and p.is_file()]
    if test.stem + '.textproto' in beside:
        return [test.stem]
    if len(beside) == 1:
        return beside
    sys.exit(f'{test}: no trace: neither a first line "# trace: NAME" nor one {test.stem}.*')


folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.glob('*.' + sys.argv[2])):
    trace, *options = trace_and_options(path)
    print(path.stem, trace, ' '.join(options), sep='|')
