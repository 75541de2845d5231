#!/usr/bin/env python3
"""Checks that `tptui explain` names the cause that a scenario of gen/scenarios.py was made with.

Usage: check_explain.py TPTUI [--seeds N] [--sizes small,medium,large] [--kinds KIND,...] [--part I/N] [--figures]

A cause is named first where the words of the first problem of level severe or problem match all that the scenario
expects; it is named wrongly with certainty where it is another one and said to be certain. Of the recordings without a
fault none may have a severe problem. 95 of 100 must be right.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gen'))
import scenarios


def explain(program, path):
    run = subprocess.run([program, 'explain', '--format', 'json', '--no-cache', path], capture_output=True, check=False)
    if run.returncode != 0:
        sys.exit(f'{path}: exit status {run.returncode}: {run.stderr.decode()}')
    return json.loads(run.stdout)


def words(problem):
    """All that a problem says of its cause."""
    steps = [s for s in problem['chain']]
    parts = ['%s %s %s %s' % (s['kind'], s.get('thread', ''), s.get('other_thread', ''), s.get('name', '')) for s in steps]
    return ' | '.join([problem['cause'], problem['key']] + parts)


def judge(kind, expected, result):
    """'right', 'wrong' or 'missed', and what was said."""
    problems = [p for p in result['problems'] if p['level'] != 'note']
    if kind.startswith('healthy'):
        severe = [p for p in problems if p['level'] == 'severe']
        return ('wrong', severe[0]['cause']) if severe else ('right', '')
    if not problems:
        return 'missed', 'nothing'
    said = words(problems[0])
    if all(re.search(e, said) for e in expected):
        return 'right', said
    return ('wrong' if problems[0]['certain'] else 'missed'), problems[0]['symptom'] + ': ' + said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--seeds', type=int, default=1)
    parser.add_argument('--sizes', default='small')
    parser.add_argument('--kinds', default=','.join(scenarios.ALL))
    parser.add_argument('--part', default='0/1', help='only each N-th kind')
    parser.add_argument('--figures', action='store_true', help='a line of markdown for each kind')
    asked = parser.parse_args()
    right = wrong = tried = 0
    part, parts = map(int, asked.part.split('/'))
    for kind in asked.kinds.split(',')[part::parts]:
        counts = {'right': 0, 'wrong': 0, 'missed': 0}
        for size in asked.sizes.split(','):
            for seed in range(asked.seeds):
                text, expected = scenarios.make(kind, size, seed)
                with tempfile.NamedTemporaryFile('w', suffix='.txt') as f:
                    f.write(text)
                    f.flush()
                    verdict, said = judge(kind, expected, explain(asked.program, f.name))
                counts[verdict] += 1
                if verdict != 'right' and not asked.figures:
                    print(f'{kind} {size} {seed}: {verdict}: {said[:300]}')
        right, wrong, tried = right + counts['right'], wrong + counts['wrong'], tried + sum(counts.values())
        if asked.figures:
            print(f"| {kind.replace('_', ' ')} | {counts['right']} | {counts['missed']} | {counts['wrong']} |", flush=True)
    print(f'{right} of {tried} right, {wrong} wrong with certainty')
    return 0 if right >= 0.95 * tried else 1


if __name__ == '__main__':
    sys.exit(main())
