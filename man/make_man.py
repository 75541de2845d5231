#!/usr/bin/env python3
"""Writes the manual page: make_man.py TPTUI TEMPLATE VERSION OUTPUT. The keys come from `tptui --keys`."""
import subprocess
import sys

tptui, template, version, output = sys.argv[1:]


def roff(text):
    return text.replace('\\', '\\e').replace('-', '\\-')


lines = subprocess.run([tptui, '--keys'], check=True, capture_output=True, text=True).stdout.splitlines()
groups = {}
for line in lines:
    keys, name, what, group = line.split('\t')
    groups.setdefault(group, []).append((keys, name, what))
page = []
for group, actions in groups.items():
    page.append('.SS ' + group)
    for keys, name, what in actions:
        page += ['.TP', '.B "%s"' % roff(keys.replace('"', '\\(dq') or '(palette)'),
                 '%s \\(em \\fI%s\\fP' % (roff(what), roff(name))]
with open(template) as f:
    text = f.read().replace('@VERSION@', version).split('\n')
with open(output, 'w') as f:
    f.write('\n'.join('\n'.join(page) if line == '@KEYS@' else line for line in text))
