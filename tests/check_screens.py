#!/usr/bin/env python3
"""Compares screens: check_screens.py TPTUI TRACE SCRIPT [COMMAND] [NAME=VALUE...] [OPTION...]

Runs the program without a terminal (`--script SCRIPT`) in an empty folder, and compares every file
that the script's `:screenshot` makes with the one of the same name in the folder SCRIPT is called
after (binder.script: binder/). NAME=VALUE are for the environment. With `--piped` the trace comes through a pipe. To accept
what the program shows now:

    UPDATE_SCREENS=1 meson test -C build --suite screens
"""
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

from children import Popen


def read_folder(folder):
    files = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            files[name] = f.read()
    return files


def update(folder, shown):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in shown.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    print("%d screens written to %s" % (len(shown), folder))


def compare(expected, shown):
    differences = 0
    for name in sorted(expected.keys() | shown.keys()):
        lines = difflib.unified_diff(
            expected.get(name, "").splitlines(), shown.get(name, "").splitlines(),
            "expected " + name, "shown " + name, lineterm="")
        for line in lines:
            differences += 1
            print(line)
    return differences


def main():
    program, trace, script = (os.path.abspath(path) for path in sys.argv[1:4])
    rest = sys.argv[4:]
    command = [rest.pop(0)] if rest and rest[0].isalpha() else []  # sql: of tptui sql
    variables = [a for a in rest if "=" in a and not a.startswith("-")]
    piped = "--piped" in rest
    options = [a for a in rest if a not in variables and a != "--piped"]
    golden = os.path.splitext(script)[0]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        environment.update(v.split("=", 1) for v in variables)
        screens = os.path.join(folder, "screens")
        os.mkdir(screens)
        pipe = Popen(["cat", trace], stdout=subprocess.PIPE) if piped else None
        done = subprocess.run([program, *command, "-" if piped else trace, "--script", script, *options], cwd=screens,
                              env=environment, check=False, stdin=pipe.stdout if piped else None)
        if piped:
            pipe.stdout.close()
            pipe.wait()
        if done.returncode != 0:
            print("exit status %d" % done.returncode)
            return 1
        shown = read_folder(screens)
    if os.environ.get("UPDATE_SCREENS"):
        update(golden, shown)
        return 0
    return 1 if compare(read_folder(golden), shown) else 0


sys.exit(main())
