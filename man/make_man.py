#!/usr/bin/env python3
"""Writes the manual page: make_man.py TEMPLATE VERSION OUTPUT TPTUI... In the template, @KEYS@ stands for the
keys (`tptui --keys`), @OPTIONS OWNER@ for the options of OWNER (`tptui --options`), @ROLES@ for
those of themes (`tptui --roles`)."""
import re
import subprocess
import sys

template, version, output, *tptui = sys.argv[1:]


def roff(text):
    return text.replace('\\', '\\e').replace('-', '\\-')


def rows(option):
    out = subprocess.run([*tptui, option], check=True, capture_output=True, text=True).stdout
    return [line.split('\t') for line in out.splitlines()]


def keys():
    groups = {}
    for key, name, what, group in rows('--keys'):
        groups.setdefault(group, []).append((key, name, what))
    page = []
    for group, actions in groups.items():
        page.append('.SS ' + group)
        for key, name, what in actions:
            page += ['.TP', '.B "%s"' % roff(key.replace('"', '\\(dq') or '(palette)'),
                     '%s \\(em \\fI%s\\fP' % (roff(what), roff(name))]
    return page


def options(owner):
    page = []
    for whose, letter, name, value, what, more in rows('--options'):
        if whose != owner:
            continue
        names = ', '.join('\\fB%s\\fP' % roff(n) for n in (letter, name) if n)
        page += ['.TP', names + (' \\fI%s\\fP' % roff(value) if value else ''), roff(what[0].upper() + what[1:]) + '.']
        page += [roff(more)] if more else []
    return page


page = []
with open(template) as f:
    for line in f.read().replace('@VERSION@', version).split('\n'):
        part = re.fullmatch('@OPTIONS (.*)@', line)
        line = line.replace('@ROLES@', ', '.join(row[0] for row in rows('--roles')) if '@ROLES@' in line else '')
        page += keys() if line == '@KEYS@' else options(part.group(1)) if part else [line]
with open(output, 'w') as f:
    f.write('\n'.join(page))
