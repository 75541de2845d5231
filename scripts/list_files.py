#!/usr/bin/env python3
"""Lists the files below a folder that match a pattern, sorted, a line each, as paths relative to it.

    list_files.py FOLDER PATTERN

Meson asks for them when it configures: a new source, test or module needs no list.
"""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.rglob(sys.argv[2])):
    print(path.relative_to(folder).as_posix())
