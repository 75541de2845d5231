#!/usr/bin/env python3
"""What `tptui trim` writes of samples in JSON: those of the window, with their nodes and who called them, and nothing else of
a profile, so that it can be trimmed again. And which flows it takes for begun.

Usage: test_trim_json.py TPTUI
"""
import json
import os
import subprocess
import sys
import tempfile

SAMPLES = '''SELECT s.ts, f.name FROM cpu_profile_stack_sample s LEFT JOIN stack_profile_callsite c ON c.id = s.callsite_id
LEFT JOIN stack_profile_frame f ON f.id = c.frame_id ORDER BY s.ts'''

FAULTS = "SELECT value FROM stats WHERE name = 'json_tokenizer_failure'"


def part(data, **members):
    return dict({'ph': 'P', 'pid': 1, 'tid': 1, 'ts': 1, 'id': '0x1', 'name': 'ProfileChunk', 'args': {'data': data}}, **members)


def node(number, name, parent=None, **members):
    return dict({'id': number, 'callFrame': {'functionName': name}}, **({'parent': parent} if parent else {}), **members)


CHUNKS = [
    {'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread_name', 'args': {'name': 'main'}},
    part({'startTime': 100}),
    part({'cpuProfile': {'nodes': [node(1, 'root'), node(2, 'caller', 1), node(3, 'never', 1)], 'samples': [2, 3, 3]},
          'lines': [7, 8, 9], 'timeDeltas': [10, 20, -5]}), # 110 130 125
    part({'cpuProfile': {'nodes': [node(4, 'callee', 2), node(5, 'behind', 1)], 'samples': [2, 4, 4, 5]},
          'lines': [1, 2, 3, 4], 'timeDeltas': [75, 10, 10, 10]}), # 200 210 220 230
    part({'cpuProfile': {'nodes': [node(6, 'last', 1)], 'samples': [6, 4]}, 'timeDeltas': [70, 10]}), # 300 310
]
LATE = [ # the first sample has no node, the second's comes behind it
    part({'startTime': 100}),
    part({'cpuProfile': {'samples': [9, 1]}, 'timeDeltas': [10, 20]}),
    part({'cpuProfile': {'nodes': [node(1, 'root')], 'samples': [1]}, 'timeDeltas': [20]}),
]
WHOLE = [
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 150, 'dur': 100, 'name': 'slice'},
    {'ph': 'I', 'pid': 1, 'tid': 1, 'ts': 400, 's': 't', 'name': 'CpuProfile', 'args': {'data': {'cpuProfile': {
        'startTime': 100, 'endTime': 400, 'nodes': [node(1, 'root', children=[2, 3]), node(2, 'caller'), node(3, 'never')],
        'samples': [2, 2, 3], 'timeDeltas': [100, 50, 150]}}}}, # 200 250 400
]
NO_TIME = [ # a delta to no time ends its chunk; the next goes on from the sample before
    part({'startTime': 100}),
    part({'cpuProfile': {'nodes': [node(1, 'root')], 'samples': [1, 1, 1, 1]}, 'lines': [1, 2, 3, 4],
          'timeDeltas': [10, 100, (1 << 63) - 1, 5]}), # 110 210
    part({'cpuProfile': {'samples': [1, 1, 1]}, 'timeDeltas': [10, (1 << 63) // 1000, 5]}), # 220
    part({'cpuProfile': {'samples': [1, 1]}, 'timeDeltas': [20, 100]}), # 240 340
]
NO_TIME_WHOLE = [
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 150, 'dur': 100, 'name': 'slice'},
    {'ph': 'I', 'pid': 1, 'tid': 1, 'ts': 400, 's': 't', 'name': 'CpuProfile', 'args': {'data': {
        'startTime': 100, 'nodes': [node(1, 'root')], 'samples': [1, 1, 1], 'timeDeltas': [10, 100, (1 << 63) - 1]}}},
]
HEAD = [ # nodes of a tree beside others
    part({'startTime': 100}),
    part({'cpuProfile': {'head': {'id': 10, 'functionName': 'head', 'children': [{'id': 11, 'functionName': 'below'}]},
                         'nodes': [node(1, 'root'), node(2, 'callee', 1)], 'samples': [1, 2]}, 'timeDeltas': [10, 100]}),
    part({'cpuProfile': {'samples': [11]}, 'timeDeltas': [90]}), # 300
]
NO_PID = [ # is the pid 0
    part({'startTime': 100}, pid=0),
    {key: value for key, value in part({'cpuProfile': {'nodes': [node(1, 'root')], 'samples': [1, 1]},
                                        'timeDeltas': [10, 100]}).items() if key != 'pid'},
    {'ph': 'B', 'pid': 0, 'tid': 1, 'ts': 150, 'name': 'slice'},
    {'ph': 'E', 'tid': 1, 'ts': 170},
    {'ph': 'i', 's': 't', 'pid': 0, 'tid': 1, 'ts': 250, 'name': 'last'},
]
# Each of a kind goes on where the one before ended; of many args the last count.
TWICE = ('[{"ph":"P","pid":1,"tid":1,"ts":1,"id":1,"args":{"data":{"startTime":100}}},'
         '{"ph":"P","pid":1,"tid":1,"ts":1,"id":1,"args":{"data":{"nodes":[{"id":7}],"samples":[7,7,7,7]}},'
         '"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"functionName":"root"},{"id":2,"functionName":"never"}],"samples":[1,2],'
         '"nodes":[{"id":3,"functionName":"callee"}],"samples":[1,3]},"timeDeltas":[10]},"data":{"timeDeltas":[40,50,100]}}}]') # 110 150 200 300

FRAMES = {'traceEvents': [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 150, 'dur': 100, 'name': 'slice'}],
          'stackFrames': {'1': {'name': 'caller'}},
          'samples': [{'cpu': 0, 'tid': 1, 'ts': 110, 'sf': 1, 'weight': 1}, {'cpu': 0, 'tid': 1, 'ts': 210, 'sf': 1, 'weight': 1}]}

UNBOUND = [ # instants begin no flow
    {'ph': 'i', 's': 't', 'pid': 1, 'tid': 1, 'ts': 100, 'name': 'instant', 'bind_id': 1, 'flow_out': True},
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 200, 'dur': 10, 'name': 'step', 'bind_id': '0x1', 'flow_in': True, 'flow_out': True},
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 300, 'dur': 10, 'name': 'end', 'bind_id': 1, 'flow_in': True},
]
BOUND = [ # ids that are one number are one flow
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 100, 'dur': 10, 'name': 'begin', 'bind_id': 1, 'flow_out': True},
] + UNBOUND[1:]

failed = False


def expect(what, found, wanted):
    global failed
    if found != wanted:
        failed = True
        print(f'{what}: expected {wanted!r}, found {found!r}')


def rows(trace, query=SAMPLES, *window):
    out = subprocess.run([sys.argv[1], 'query', trace, '--no-cache', '--format', 'csv', query, *window], check=True,
                         capture_output=True, text=True, timeout=60).stdout
    return [line.replace('"', '') for line in out.split('\n')[1:] if line]


def trim(document, path, begin, end):
    with open(path + '.whole', 'w', encoding='utf8') as f:
        f.write(document if isinstance(document, str) else json.dumps(document))
    subprocess.run([sys.argv[1], 'trim', path + '.whole', path, '--from', begin, '--to', end], check=True, timeout=60)
    with open(path, encoding='utf8') as f:
        return json.load(f)


def names(document):
    text = json.dumps(document)
    return [name for name in ('root', 'caller', 'never', 'callee', 'behind', 'last') if name in text]


with tempfile.TemporaryDirectory() as folder:
    cut, again = os.path.join(folder, 'cut'), os.path.join(folder, 'again')
    found = trim(CHUNKS, cut, '0000000210000', '0000000225000')
    expect('samples of chunks', rows(cut), ['210000,callee', '220000,callee'])
    expect('nodes of chunks', names(found), ['root', 'caller', 'callee'])
    chunk = found['traceEvents'][-1]['args']['data']
    expect('what stands beside the samples', chunk['lines'], [2, 3])
    found = trim(found, again, '0000000220000', '0000000225000')
    expect('a trim of a trim', rows(again), ['220000,callee'])
    expect('its samples', found['traceEvents'][-1]['args']['data']['cpuProfile']['samples'], [4])
    expect('where the trace begins', rows(again + '.whole', SAMPLES, '--to', '1ns'), ['210000,callee'])

    trim(CHUNKS, cut, '0000000310000', '0000000311000')
    expect('a node that is told long before', rows(cut), ['310000,callee'])

    trim(CHUNKS, cut, '0000000126000', '0000000205000')
    expect('samples that are not in order', rows(cut), ['130000,never', '200000,caller'])
    trim(CHUNKS, cut, '0000000105000', '0000000126000')
    expect('samples around one that is outside', rows(cut), ['110000,caller', '125000,never'])

    trim(LATE, cut, '0', '10us')
    expect('a node that is told behind its sample', rows(cut), ['130000,root'])

    found = trim(WHOLE, cut, '0000000200000', '0000000260000')
    expect('samples of a whole profile', rows(cut), ['200000,caller', '250000,caller'])
    expect('its nodes', names(found), ['root', 'caller'])
    expect('slices beside it', rows(cut, 'SELECT name FROM slice'), ['slice'])
    trim(found, again, '0000000250000', '0000000260000')
    expect('samples of a whole profile, trimmed again', rows(again), ['250000,caller'])
    found = trim(WHOLE, cut, '0000000160000', '0000000170000')
    expect('a profile without samples there', names(found), [])
    found = trim(WHOLE, cut, '0000000390000', '0000000410000')
    expect('the instant, with its args', names(found), ['root', 'caller', 'never'])

    for what, trace, samples, faults in (('chunks', NO_TIME, ['210000,root', '220000,root', '240000,root'], ['2']),
                                         ('a whole profile', NO_TIME_WHOLE, ['210000,root'], ['1'])):
        trim(trace, cut, '0000000200000', '0000000310000')
        expect(f'samples of {what} up to no time', rows(cut), samples)
        expect(f'faults of {what}', rows(cut, FAULTS), faults)
        expect(f'faults of the whole, {what}', rows(cut + '.whole', FAULTS), faults)
    trim(HEAD, cut, '0000000200000', '0000000300000')
    expect('nodes beside a tree', rows(cut), ['210000,callee'])
    trim(HEAD, cut, '0000000300000', '0000000310000')
    expect('nodes of a tree', rows(cut), ['300000,below'])
    trim(NO_PID, cut, '0000000200000', '0000000310000')
    expect('a profile of no process', rows(cut), ['210000,root'])
    expect('a thread of none', rows(cut, 'SELECT name FROM slice'), ['last'])
    trim(TWICE, cut, '0000000160000', '0000000310000')
    expect('lists that come twice', rows(cut), ['200000,root', '300000,callee'])
    expect('their nodes', rows(cut, 'SELECT name FROM stack_profile_frame ORDER BY id'), ['root', 'callee'])

    found = trim(FRAMES, cut, '0000000200000', '0000000220000')
    expect('the list of samples', [s['ts'] for s in found['samples']], [210])
    expect('its rows', rows(cut), ['210000,caller'])
    for events, flows in (UNBOUND, ['0']), (BOUND, ['1']):
        trim(events, cut, '0000000150000', '0000000400000')
        expect('flows', rows(cut, 'SELECT count(*) FROM flow'), flows)
sys.exit(failed)
