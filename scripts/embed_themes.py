#!/usr/bin/env python3
"""Writes a C source with the built-in themes: embed_themes.py OUT.c TABLE

TABLE has a line for each role, with a column for each theme (themes/built-in.themes). Each column becomes a theme's text
as it stands in a file of its own.
"""
import os
import subprocess
import sys
import tempfile


def main():
    out, table = sys.argv[1], sys.argv[2]
    themes = []
    with open(table, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if not line.strip() or line.startswith("#"):
                continue
            role, _, looks = line.partition("=")
            columns = [look.strip() for look in looks.split("|")]
            if role.strip() == "themes":
                themes = [(name, []) for name in columns]
                continue
            if len(columns) != len(themes):
                sys.exit("%s:%d: %d columns, expected %d" % (table, number, len(columns), len(themes)))
            for (_, lines), look in zip(themes, columns):
                if look:
                    lines.append("%s = %s\n" % (role.strip(), look))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, lines in themes:
            paths.append(os.path.join(folder, name + ".theme"))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.writelines(lines)
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run([sys.executable, os.path.join(here, "embed_files.py"), out, "theme_files"] + paths, check=True)


main()
