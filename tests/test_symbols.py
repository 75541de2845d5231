#!/usr/bin/env python3
"""Finds the functions of callstacks in programs that it compiles, and original names in maps of R8.

Usage: test_symbols.py TPTUI
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

tptui = os.path.abspath(sys.argv[1])
failures = []
folder = tempfile.TemporaryDirectory()
shell = os.path.join(folder.name, 'trace_processor_shell')
os.symlink(tptui, shell)
os.environ.update(HOME=folder.name)
for name in 'PERFETTO_BINARY_PATH', 'PERFETTO_SYMBOLIZER_MODE', 'BREAKPAD_SYMBOL_DIR', 'PERFETTO_PROGUARD_MAP', 'ANDROID_PRODUCT_OUT':
    os.environ.pop(name, None)
os.environ['DEBUGINFOD_URLS'] = ''

SOURCE = '''#include <stdio.h>
static inline __attribute__((always_inline)) int innermost(int x) { __asm__ volatile(".global mark\\nmark: nop"); return x + 1; }
static inline __attribute__((always_inline)) int middle(int x) { return innermost(x) * 3; }
__attribute__((noinline)) int outer(int x) { return middle(x) - 2; }
__attribute__((noinline)) int other(int x) { __asm__ volatile(".global mark2\\nmark2: nop"); return x; }
int main(int argc, char **argv) { (void)argv; printf("%d", outer(argc) + other(argc)); return 0; }
'''

MAP = '''# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
com.example.Main -> a.a:
# {"id":"sourceFile","fileName":"Main.java"}
    int counter -> c
    1:2:void com.example.Helper.help():20:21 -> b
    1:2:void run(int,java.lang.String):10 -> b
    # {"id":"com.android.tools.r8.residualsignature","signature":"(I)V"}
    void plain() -> d

com.example.Helper -> a.b:
'''


def path(*names):
    return os.path.join(folder.name, *names)


def expect(what, got, want):
    if got != want:
        failures.append(what)
        print('--- %s\n  expected %r\n  got      %r' % (what, want, got))


def run(*args, program=tptui, env=None, **options):
    env = {**os.environ, **(env or {})}
    p = subprocess.run([program, *args], capture_output=True, timeout=100, stdin=subprocess.DEVNULL, cwd=folder.name, env=env,
                       **options)
    return p.returncode, p.stdout, p.stderr.decode()


def done(*args, **options):
    status, out, err = run(*args, **options)
    expect('status of %s: %s' % (' '.join(args), err), status, 0)
    return out


def tool(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


def write(name, text):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), 'w') as f:
        f.write(text)
    return path(name)


def build_id(program):
    return re.search(r'Build ID: ([0-9a-f]+)', tool('readelf', '-n', program)).group(1)


def addresses(program):
    return {name: int(at, 16) for at, _, name in (line.split() for line in tool('nm', program).splitlines() if len(line.split()) == 3)}


def bias(program):
    """Where code is in memory, less where it is in the file."""
    for line in tool('readelf', '-lW', program).splitlines():
        w = line.split()
        if w[:1] == ['LOAD'] and 'E' in ''.join(w[6:8]):
            return int(w[2], 16) - int(w[1], 16)


def make_trace(name, file, identity, pcs, load_bias=0):
    """A trace with one sample, whose callstack has these addresses, and an obfuscated method."""
    raw = ''.join('\\x' + identity[i:i + 2] for i in range(0, len(identity), 2))
    frames = ''.join('frames { iid: %d function_name_id: 1 mapping_id: 1 rel_pc: %d }' % (i + 1, pc) for i, pc in enumerate(pcs))
    text = write(name + '.textproto', '''
packet { trusted_packet_sequence_id: 1 process_tree { processes { pid: 100 ppid: 1 cmdline: "com.example" uid: 10037 } } }
packet { packages_list { packages { name: "com.example" uid: 10037 } } }
packet { trusted_packet_sequence_id: 2 sequence_flags: 1 timestamp: 10 interned_data {
  build_ids { iid: 1 str: "%s" }
  mapping_paths { iid: 1 str: "%s" } mapping_paths { iid: 2 str: "base.apk" }
  function_names { iid: 1 str: "" } function_names { iid: 2 str: "a.a.b" }
  mappings { iid: 1 build_id: 1 path_string_ids: 1 load_bias: %d } mappings { iid: 2 path_string_ids: 2 }
  %s frames { iid: 100 function_name_id: 2 mapping_id: 2 rel_pc: 1 }
  callstacks { iid: 1 frame_ids: 100 %s } } }
packet { trusted_packet_sequence_id: 2 timestamp: 20 perf_sample { cpu: 0 pid: 100 tid: 100 callstack_iid: 1 } }
''' % (raw, file.lstrip('/'), load_bias, frames, ' '.join('frame_ids: %d' % (i + 1) for i in range(len(pcs)))))
    done('util', 'text_to_binary', text, path(name), program=shell)
    return path(name)


SYMBOLS = '''SELECT s.name, replace(s.source_file, rtrim(s.source_file, replace(s.source_file, '/', '')), '') AS file, s.line_number
FROM stack_profile_frame f JOIN stack_profile_symbol s USING (symbol_set_id) ORDER BY f.rel_pc, s.id'''
WANTED = [('innermost', 'code.c', '2'), ('middle', 'code.c', '3'), ('outer', 'code.c', '4'), ('other', 'code.c', '5')]


def query_rows(trace, sql):
    out = done('query', '--format', 'json', trace, sql).decode()
    return [tuple(map(str, row.values())) for row in json.loads(out)]


def symbols(trace):
    return query_rows(trace, SYMBOLS)


# A program as a distribution has it: code and debug information apart.
code = write('src/code.c', SOURCE)
os.makedirs(path('device/system/bin'))
program = path('device/system/bin/program')
tool('gcc', '-g', '-O1', '-Wl,--build-id', '-o', program, code)
identity, at = build_id(program), addresses(program)
tool('objcopy', '-N', 'mark', '-N', 'mark2', program)  # no names that the source does not have
pcs = [at['mark'], at['mark2']]
trace = make_trace('plain.pftrace', '/system/bin/program', identity, pcs, bias(program))
expect('the trace by itself', symbols(trace), [])

# By its path below a folder, by its name, by the build id of any file, and of a debug file.
os.makedirs(path('flat'))
shutil.copy(program, path('flat/program'))
os.makedirs(path('renamed/deep/er'))
shutil.copy(program, path('renamed/deep/er/what'))
os.makedirs(path('debug/.build-id', identity[:2]))
tool('objcopy', '--only-keep-debug', program, path('debug/.build-id', identity[:2], identity[2:] + '.debug'))
stripped = path('stripped/system/bin/program')
os.makedirs(os.path.dirname(stripped))
tool('strip', '-o', stripped, program)
for place in 'device', 'flat', 'renamed', 'debug':
    out = path('out-' + place)
    done('symbolize', '--no-auto-symbol-paths', '--symbol-paths', path(place), trace, out)
    expect('symbols of ' + place, symbols(out), WANTED)
    expect('the trace comes first', open(out, 'rb').read().startswith(open(trace, 'rb').read()), True)
for mode, place, found in (('find', 'renamed', False), ('index', 'renamed', True), ('find', 'flat', True), ('index', 'flat', True)):
    env = {'PERFETTO_BINARY_PATH': path('nothing') + ':' + path(place), 'PERFETTO_SYMBOLIZER_MODE': mode}
    packets = done('util', 'symbolize', trace, program=shell, env=env)
    with open(path('joined'), 'wb') as f:
        f.write(open(trace, 'rb').read() + packets)
    expect('mode %s in %s' % (mode, place), symbols(path('joined')), WANTED if found else [])
    expect('packets only', done('symbolize', '--packets-only', '--no-auto-symbol-paths', trace, env=env), packets)

# The better of two files; what the stripped one does not know is looked for further.
env = {'PERFETTO_BINARY_PATH': path('stripped') + ':' + path('debug')}
done('symbolize', '--no-auto-symbol-paths', trace, path('out'), env=env)
expect('a stripped file before the debug file', symbols(path('out')), WANTED)

# Code that lies elsewhere in memory than in the file, of which the trace knows nothing.
moved = path('moved/program')
os.makedirs(os.path.dirname(moved))
tool('gcc', '-g', '-O1', '-no-pie', '-Wl,--build-id', '-Wl,-Ttext-segment=0x700000', '-o', moved, code)
at = addresses(moved)
tool('objcopy', '-N', 'mark', '-N', 'mark2', moved)
raw = make_trace('raw.pftrace', '/x/program', build_id(moved), [at['mark'] - bias(moved), at['mark2'] - bias(moved)])
expect('the file has a bias', bias(moved) > 0, True)
done('symbolize', '--symbol-paths', path('moved'), raw, path('out'))
expect('offsets in the file', symbols(path('out')), WANTED)

# Another build; no file; a file that is none; no program to ask.
wrong = make_trace('wrong.pftrace', '/system/bin/program', 'ab' * 20, pcs)
done('symbolize', '--symbol-paths', path('device'), wrong, path('out'))
expect('another build', symbols(path('out')), [])
status, _, err = run('symbolize', '--verbose', '--no-auto-symbol-paths', '--symbol-paths', path('device'), wrong, path('out'))
expect('why: ' + err, ('of another build' in err and 'no file of that build' in err and '0 of 3 frames' in err), True)
os.makedirs(path('pipe'))
os.mkfifo(path('pipe', 'program')) # a device is not opened either, whatever paths a trace names
_, _, err = run('symbolize', '--verbose', '--no-auto-symbol-paths', '--symbol-paths', path('pipe'), trace, path('out'))
expect('a pipe: ' + err, 'it cannot be read' in err, True)
write('text/program', 'no ELF')
_, _, err = run('symbolize', '--verbose', '--symbol-paths', path('text'), trace, path('out'))
expect('no ELF file: ' + err, 'not an ELF file' in err, True)
_, _, err = run('symbolize', '--no-auto-symbol-paths', '--symbol-paths', path('flat'), trace, path('out'), env={'PATH': path('missing')})
expect('no llvm-symbolizer: ' + err, 'llvm-symbolizer: No such file' in err, True)
status, _, err = run('util', 'symbolize', trace, program=shell)
expect('no paths: ' + err, (status, 'PERFETTO_BINARY_PATH' in err), (1, True))

# Broken ELF files: each byte of the headers changed, and each length.
whole = open(program, 'rb').read()
os.makedirs(path('broken'))
for i in range(0, 64):
    with open(path('broken/%d' % i), 'wb') as f:
        f.write(whole[:i] + b'\xff' + whole[i + 1:])
    with open(path('broken/cut%d' % i), 'wb') as f:
        f.write(whole[:i * len(whole) // 64])
expect('broken files', run('symbolize', '--symbol-paths', path('broken'), wrong, path('out'))[0], 0)

# At the recorded path itself.
recorded = make_trace('recorded.pftrace', program, identity, pcs, bias(program))
done('symbolize', recorded, path('out'))
expect('at the recorded path', symbols(path('out')), WANTED)
done('symbolize', '--no-auto-symbol-paths', recorded, path('out'))
expect('not there', symbols(path('out')), [])

# Breakpad's text: functions, lines, and names for linking.
write('breakpad/%s.breakpad' % identity.upper(), '''MODULE Linux x86_64 %s program
FILE 3 /src/code.c
PUBLIC %x 0 nearest
FUNC %x 4 0 a function(int, char)
%x 2 77 3
PUBLIC %x 0 far_away
''' % (identity.upper(), pcs[1] - 1, pcs[0], pcs[0], min(pcs) - 100))
packets = done('util', 'symbolize', trace, program=shell, env={'BREAKPAD_SYMBOL_DIR': path('breakpad')})
with open(path('joined'), 'wb') as f:
    f.write(open(trace, 'rb').read() + packets)
expect('breakpad', symbols(path('joined')), [('a function(int, char)', 'code.c', '77'), ('nearest', 'None', 'None')])

# What was inlined there, in the newer form of such files and in the older one, which does not name the file of a call.
for call_file in '4 ', '':
    write('breakpad/%s.breakpad' % identity.upper(), '''MODULE Linux x86_64 %s program
FILE 3 /src/code.c
FILE 4 /src/outer.c
INLINE_ORIGIN 1 middle(int)
INLINE_ORIGIN 2 innermost
FUNC %x 4 0 outermost
INLINE 0 20 %s1 %x 1 %x 2
INLINE 1 30 %s2 %x 2
%x 2 77 3
''' % (identity.upper(), pcs[0], call_file, pcs[0] + 64, pcs[0], call_file, pcs[0], pcs[0]))
    packets = done('util', 'symbolize', trace, program=shell, env={'BREAKPAD_SYMBOL_DIR': path('breakpad')})
    with open(path('joined'), 'wb') as f:
        f.write(open(trace, 'rb').read() + packets)
    call = ('outer.c', '30', '20') if call_file else ('None', 'None', 'None')
    expect('breakpad with inlined functions', symbols(path('joined')),
           [('innermost', 'code.c', '77'), ('middle(int)', call[0], call[1]), ('outermost', call[0], call[2])])

# Maps of R8.
NAMES = 'SELECT name, deobfuscated_name FROM stack_profile_frame WHERE deobfuscated_name IS NOT NULL'
mapping = write('map.txt', MAP)
done('deobfuscate', '--proguard-map', 'com.example=' + mapping, trace, path('out'))
renamed = query_rows(path('out'), NAMES)
expect('names', [n for n, _ in renamed], ['a.a.b'])
expect('the method: %r' % renamed, 'com.example.Main.run' in renamed[0][1], True)
packets = done('util', 'deobfuscate', trace, program=shell, env={'PERFETTO_PROGUARD_MAP': 'com.none=%s:com.example=%s' % (mapping, mapping)})
with open(path('names.pb'), 'wb') as f:
    f.write(packets)
text = done('convert', 'text', path('names.pb')).decode()
for part in ('package_name: "com.none"', 'package_name: "com.example"', 'deobfuscated_name: "com.example.Helper.help"',
             'deobfuscated_name: "com.example.Main.run"', 'deobfuscated_name: "com.example.Main.plain"', 'deobfuscated_name: "counter"',
             'obfuscated_line_start: 1', 'obfuscated_line_end: 2', 'source_line_start: 20', 'source_line_end: 21',
             'source_line_start: 10'):
    expect(part, part in text, True)
expect('an inlined method comes first', text.index('Helper.help') < text.index('Main.run'), True)
for bad, where in (('    int a -> b\n', 'line 1'), ('a.B -> c\n', 'line 1'), ('a.B -> c:\n    ? -> d\n', 'line 2'),
                   ('a.B -> c:\n    void f( -> d\n', 'line 2'), ('a -> b:\nc -> b:\n', 'line 2'), ('a -> b:\n int c -> d\n int e -> d\n', 'line 3')):
    status, _, err = run('deobfuscate', '--proguard-map', write('bad.txt', bad), trace, path('out2'))
    expect('a broken map %r: %s' % (bad, err), (status, 'bad.txt: ' + where in err), (1, True))
expect('nothing is written', os.path.exists(path('out2')), False)
expect('no map', run('util', 'deobfuscate', trace, program=shell)[0], 1)
expect('no map is said', 'no map of R8' in run('deobfuscate', '--no-auto-proguard-maps', trace, path('unnamed'))[2], True)

# All in one archive.
for program_, args in (tptui, []), (shell, []):
    args = ['bundle', '--no-auto-symbol-paths', '--symbol-paths', '%s,%s' % (path('nothing'), path('debug')), '--proguard-map',
            'com.example=' + mapping, '--verbose', trace, path('bundle')]
    done(*args, program=program_)
    expect('members', tarfile.open(path('bundle')).getnames(), ['trace.perfetto', 'symbols.pb', 'deobfuscation.pb'])
    expect('symbols of a bundle', symbols(path('bundle')), WANTED)
    expect('names of a bundle', query_rows(path('bundle'), NAMES), renamed)
    with tarfile.open(path('bundle')) as bundle, tarfile.open(path('turned'), 'w') as turned:
        for member in sorted(bundle.getmembers(), key=lambda m: m.name):
            data = bundle.extractfile(member)
            member.name = 'z' + member.name if member.name.startswith('trace') else member.name
            turned.addfile(member, data)
    expect('names before the trace', query_rows(path('turned'), NAMES), renamed)
    status, _, err = run('bundle', trace, trace, program=program_)
    expect('input as output: ' + err, status, 1)
    os.link(trace, path('hard'))
    expect('a hard link', run('bundle', trace, path('hard'), program=program_)[0], 1)
    os.unlink(path('hard'))
    os.symlink('bundle', path('soft'))
    expect('a link as output', run('bundle', trace, path('soft'), program=program_)[0], 1)
    os.unlink(path('soft'))
    expect('a map that is not there', run('bundle', '--proguard-map', path('nothing'), trace, path('b2'), program=program_)[0], 1)
    expect('leaves nothing', os.path.exists(path('b2')), False)
    expect('words', run('bundle', trace, program=program_)[0] != 0, True)

# Gradle's places, by themselves.
write('app/build/outputs/mapping/release/mapping.txt', MAP)
shutil.copytree(path('debug/.build-id'), path('.build-id'))
done('bundle', trace, path('auto'))
expect('usual places', tarfile.open(path('auto')).getnames(), ['trace.perfetto', 'symbols.pb', 'deobfuscation.pb'])
done('bundle', '--no-auto-symbol-paths', '--no-auto-proguard-maps', trace, path('auto'))
expect('without them', tarfile.open(path('auto')).getnames(), ['trace.perfetto'])

# A trace that packets cannot be appended to.
plain_json = write('trace.json', '[{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]')
status, _, err = run('symbolize', plain_json, path('out3'))
expect('JSON: ' + err, (status, 'bundle' in err, os.path.exists(path('out3'))), (1, True, False))
done('bundle', plain_json, path('json-bundle'))
expect('JSON in a bundle', query_rows(path('json-bundle'), 'SELECT name FROM slice'), [('a',)])

print('ok' if not failures else '%d failed' % len(failures))
sys.exit(bool(failures))
