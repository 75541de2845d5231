#!/usr/bin/env python3
"""Runs `tptui explain` on recordings of gen/scenarios.py and looks at what all of its output promises.

Usage: test_explain.py TPTUI
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gen'))
import scenarios
import wire

PROGRAM = sys.argv[1]


def run(*words, status=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        sys.exit(f'{words}: exit status {done.returncode}, not {status}: {done.stderr.decode()}')
    return done.stdout.decode() if status == 0 else done.stderr.decode()


def write(folder, kind):
    path = os.path.join(folder, kind + '.systrace')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(scenarios.make(kind, 'small', 0)[0])
    return path


def explain(path, *words):
    return json.loads(run('explain', '--format', 'json', *words, path))


def rows(path, sql):
    return [line.split(',') for line in run('query', '--format', 'csv', path, sql).splitlines()[1:]]


def test_time_adds_up(path):
    """All of a symptom's time is in a leaf, and the numbers are those of SQL."""
    found = 0
    for problem in explain(path, '--limit', '0')['problems']:
        if problem['chain']:
            found += 1
            assert sum(problem['time_ns'].values()) == problem['walked_ns'] == problem['dur'], problem
            states = rows(path, problem['sql'])
            assert sum(int(r[-1]) for r in states) == problem['dur'], states
        for inner, outer in zip(problem['chain'][1:], problem['chain']):
            assert inner['ns'] <= outer['ns'], problem['chain']
    assert found, 'no problem has a chain'


def test_sql_gives_the_numbers(folder):
    """Each statement runs by itself, whatever tables its rule shares with others; without scheduling it is about slices."""
    for kind in ('gc', 'thread_spam', 'hot_function', 'slow_rank', 'java_heap', 'scroll_jank_of_page'):
        path = write(folder, kind)
        for problem in explain(path, '--limit', '0')['problems']:
            found = rows(path, problem['sql'])
            assert found, problem
            if 'unscheduled' in problem['time_ns'] and problem['count'] == 1:
                told = {r[1]: int(r[-1]) for r in found}
                assert all(told[s['name']] == s['ns'] for s in problem['chain'] if s['kind'] == 'slice'), (problem['chain'], told)


def test_slice(path):
    """Any slice can be asked about; what can be believed is said, too."""
    (number, dur), = rows(path, "SELECT id, dur FROM slice WHERE name = 'request' ORDER BY dur DESC LIMIT 1")
    problem, = explain(path, '--slice', number)['problems']
    assert problem['dur'] == int(dur) and problem['place'].startswith(f'slice {number} window '), problem
    nothing = explain(path, '--slice', '999999')
    assert nothing['problems'] == [] and nothing['not_asked'] == [] and nothing['beliefs'], nothing
    for words in (('--slice', '999999'), ('--slice', 'first'), ('--slice', '0x'), ('--thread', 'nobody')):
        for form in 'text', 'markdown':
            assert 'What was asked for: not in this trace' in run('explain', '--format', form, *words, path), words


def test_thread(path):
    problems = explain(path, '--thread', 'http-*')['problems']
    assert problems and all('http-' in p['name'] for p in problems), problems


def test_window(path):
    """A window is explained as if no more had been recorded."""
    whole, part = explain(path), explain(path, '--from', '1s', '--to', '1.2s')
    assert part['end'] - part['start'] < (whole['end'] - whole['start']) / 4, part


def screen_at(place, path):
    """The timeline as it opens at a place, as text."""
    with tempfile.TemporaryDirectory() as folder:
        script, picture = os.path.join(folder, 'script'), os.path.join(folder, 'picture.txt')
        with open(script, 'w', encoding='utf-8') as f:
            f.write(f':size 120x30\n:wait-idle\n:screenshot {picture}\n')
        run('--goto', place, '--script', script, path)
        with open(picture, encoding='utf-8') as f:
            return f.read()


def test_place_opens(path):
    """The command that is shown opens the timeline at the slice."""
    place = explain(path)['problems'][0]['place']
    assert 'request' in screen_at(place, path), place


def test_place_is_on_the_thread(folder, path):
    """What is about a time of a thread is shown there: with the thread, and without a word of another window."""
    problem = explain(path, '--thread', 'http-1')['problems'][0]
    assert re.match(r'(slice|state) [0-9]+ window ', problem['place']), problem['place']
    assert 'http-1' in screen_at(problem['place'], path), problem['place']
    far = write_text(folder, 'far.json', slices((1, 'early', '', 0, 1, {}), *((1, 'work', '', 10 ** 12 + i, 1, {}) for i in range(999))))
    assert 'the window shows' not in screen_at(f'time {10 ** 15 + 5000} window {10 ** 15} 1000000', far)


def test_pictures(path):
    with tempfile.TemporaryDirectory() as folder:
        run('explain', '--limit', '2', '--pictures', os.path.join(folder, 'new'), path)
        names = sorted(os.listdir(os.path.join(folder, 'new')))
        assert names == ['1.svg', '2.svg'], names
        with open(os.path.join(folder, 'new', '1.svg'), encoding='utf-8') as f:
            text = f.read()
        assert text.startswith('<svg') and 'request' in text, text[:200]
    run('explain', '--pictures', '/nowhere/there', path, status=2)


def test_markdown(path):
    text = run('explain', '--format', 'markdown', '--sql', '--limit', '0', path)
    assert len(text) <= 60000, len(text)
    assert text.count('<details>') == text.count('</details>') > 1, text
    assert re.search(r'1\. \*\*severe\*\*', text), text
    first = run('explain', '--format', 'markdown', '--limit', '1', path)
    count = json.loads(run('explain', '--format', 'json', path))['problem_count']
    assert count > 1 and f'<summary>{count - 1} more</summary>' in first, first
    assert first.count('tptui --goto') == 1 and len(re.findall(r'^[0-9]+\. \*\*', first, re.M)) == count, first


def test_markdown_of_many(folder):
    """Of hundreds of problems as many stand in it as it has room for."""
    events = [(i % 400, f'work {"x" * 80}{"abcdefghij"[i % 400 // 40] * (i % 40)}', '', i * 100000, 90000 if i >= 4000 else 900, {})
              for i in range(4400)]
    path = write_text(folder, 'many.json', slices(*events))
    text = run('explain', '--format', 'markdown', '--limit', '0', '--sql', path)
    assert 50000 < len(text.encode()) <= 60000 and re.search(r'\nand [0-9]+ more\.\n</details>\n$', text), (len(text), text[-300:])


def test_command_is_for_a_shell(path):
    odd = os.path.join(os.path.dirname(path), "it's odd.systrace")
    os.link(path, odd)
    command = [line.strip() for line in run('explain', '--limit', '1', odd).splitlines() if '--goto' in line][0]
    words = subprocess.run(['sh', '-c', 'printf "%s\\n" ' + command], capture_output=True, check=True).stdout.decode().splitlines()
    assert words[:2] == ['tptui', '--goto'] and words[3] == odd, words


def test_percents_add_up(folder):
    for kind in ('cpu_taken', 'cold_cache', 'throttling', 'irq_storm', 'binder_chain'):
        text = run('explain', '--limit', '0', write(folder, kind))
        times = re.findall(r'^ +time:((?: +[a-z_]+ [0-9]+ %)+)$', re.sub(r'\n {7,}(?=[a-z_]+ [0-9]+ %)', ' ', text), re.M)
        assert times and all(sum(map(int, re.findall(r'([0-9]+) %', t))) == 100 for t in times), times


def test_one_cause(folder):
    """What chains end in and what a rule finds by itself are one problem, which has the chain and the rule's words."""
    for kind, key, words in ('gc', 'gc|HeapTaskDaemon', 'collects garbage all the time'), ('reclaim', 'reclaim', 'direct reclaim'):
        problem, = [p for p in explain(write(folder, kind))['problems'] if p['level'] != 'note']
        assert problem['key'] == key and problem['symptom'] == 'slow slice' and words in problem['cause'], problem
        assert problem['chain'] and problem['count'] > 1, problem


def test_text_fits(path):
    for line in run('explain', path).splitlines():
        assert len(line) <= 100 or ' ' not in line.strip() or '--goto' in line, line


def test_missing_is_said(folder):
    """Without scheduling there is no guess, but a word what to record."""
    path = os.path.join(folder, 'marks.json')
    with open(path, 'w', encoding='utf-8') as f:
        events = [{'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'request', 'ts': i * 10000, 'dur': 90000 if i == 20 else 900}
                  for i in range(20)]
        events.append({'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'request', 'ts': 300000, 'dur': 90000})
        events.append({'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'decode', 'ts': 301000, 'dur': 80000})
        json.dump(events, f)
    result = explain(path)
    assert any(b['kind'] == 'missing' and 'no scheduling' in b['text'] for b in result['beliefs']), result['beliefs']
    assert result['problems'][0]['time_ns'] == {'unscheduled': 90000000}, result['problems'][0]
    assert 'decode' in result['problems'][0]['cause'], result['problems'][0]


def test_thread_of_many(folder):
    """What a thread does that is not its process's first is no worse than a problem where it may have waited for work; it is named."""
    for tid, level in ((1, 'severe'), (7, 'problem')):
        path = write_text(folder, 'pool.json', slices(*((tid, 'decode', '', i * 100000, 90000 if i == 20 else 900, {}) for i in range(21))))
        problem, = explain(path)['problems']
        assert problem['level'] == level and problem['cause'].endswith('in `decode`'), problem


def test_loss_comes_first(folder, trace):
    """What is missing stands before what may be wrong because of it."""
    path = os.path.join(folder, 'lossy.systrace')
    with open(trace, encoding='utf-8') as f, open(path, 'w', encoding='utf-8') as out:
        out.write('# entries-in-buffer/entries-written: 100/900100   #P:2\n' + f.read())
    assert explain(path)['beliefs'][0]['kind'] == 'lost', explain(path)['beliefs']
    assert run('explain', '--format', 'markdown', path).startswith('lost: 900000 events'), run('explain', '--format', 'markdown', path)
    script = os.path.join(folder, 'findings.script')
    with open(script, 'w', encoding='utf-8') as out:
        out.write(':wait-idle\n:screenshot 120x36.txt\n')
    subprocess.run([os.path.abspath(PROGRAM), '--script', script, path], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    with open(os.path.join(folder, '120x36.txt'), encoding='utf-8') as f:
        screen = f.read()
    assert 0 < screen.find('900000 events (') < max(screen.find('severe '), screen.find('problem ')), screen


def switch(cpu, ts, before, state, after):
    return (f'{before}-{PIDS[before]} [00{cpu}] {ts:.6f}: sched_switch: prev_comm={before} '
            f'prev_pid={PIDS[before]} prev_prio=120 prev_state={state} ==> next_comm={after} next_pid={PIDS[after]} next_prio=120\n')


PIDS = {'swapper': 0, 'waiting': 100, 'busy': 200, 'other': 300}


def test_wait_while_idle(folder):
    """Who waits for a CPU that idles does not wait for that CPU: neither it nor what ran before is to blame."""
    path = os.path.join(folder, 'idle.systrace')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('# tracer: nop\n')
        f.write(switch(0, 1.0, 'swapper', 'R', 'busy'))
        f.write('busy-200 [000] 1.100000: sched_waking: comm=waiting pid=100 prio=120 target_cpu=000\n')
        f.write(switch(0, 1.5, 'busy', 'S', 'swapper'))
        f.write(switch(0, 2.5, 'swapper', 'R', 'other'))
        f.write(switch(0, 2.7, 'other', 'S', 'waiting'))
        f.write(switch(0, 2.8, 'waiting', 'S', 'swapper'))
    problem, = explain(path, '--thread', 'waiting')['problems']
    assert problem['time_ns'] == {'running': 100000000, 'cpu': 200000000, 'lost': 1400000000, 'unknown': 100000000}, problem
    assert not problem['certain'] and problem['unknown_percent'] > 80, problem


def test_who_has_the_cpu(folder):
    """Threads of which no process is known are not one cause."""
    path = os.path.join(folder, 'taken.systrace')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('# tracer: nop\n')
        for i, (other, task) in enumerate((('busy', 200), ('other', 300))):
            f.write(switch(0, 1.0 + i, 'swapper', 'R', other))
            f.write(f'{other}-{task} [000] {1.1 + i:.6f}: sched_waking: comm=waiting pid=100 prio=120 target_cpu=000\n')
            f.write(switch(0, 1.5 + i, other, 'S', 'waiting'))
            f.write(switch(0, 1.6 + i, 'waiting', 'S', 'swapper'))
    waits = [p['cause'] for p in explain(path, '--limit', '0')['problems'] if p['symptom'] == 'wait for a CPU']
    assert sorted(waits) == ['busy had the CPU', 'other had the CPU'], waits


def write_text(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def causes_of(path):
    return [p['cause'] for p in explain(path)['problems']]


def slices(*rows_):
    return json.dumps({'traceEvents': [
        {'ph': 'X', 'pid': 1, 'tid': tid, 'name': name, 'cat': category, 'ts': ts, 'dur': dur, 'args': args}
        for tid, name, category, ts, dur, args in rows_]})


def test_stack_that_tells_most():
    """Of two stacks of a thread that is read which the timeline shows as its row."""
    screen = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'screens', 'two_stacks')
    problem, = explain(screen + '.textproto', '--thread', 'Main')['problems']
    told = [part['name'] for part in problem['parts'] if part['kind'] == 'slice']
    with open(os.path.join(screen, 'found.txt'), encoding='utf-8') as f:
        shown = f.read()
    assert told and all(name in shown for name in told), (told, shown)


def test_builds(folder):
    """The critical path as Bazel says it; headers and templates as clang does."""
    bazel = write_text(folder, 'bazel.json', slices(
        (0, "action 'Compiling big.cc'", 'critical path component', 100, 6000000, {}),
        (0, "action 'Linking app'", 'critical path component', 6000100, 1500000, {}),
        (12, 'Compiling a.cc', 'action processing', 100, 900000, {})))
    assert causes_of(bazel) == ["action 'Compiling big.cc'", "action 'Linking app'"], causes_of(bazel)
    clang = write_text(folder, 'clang.json', slices(
        (1, 'ExecuteCompiler', '', 0, 9000000, {}), (1, 'Source', '', 1, 3000000, {'detail': 'regex'}),
        (1, 'Source', '', 3000010, 100, {'detail': 'map'}),
        (1, 'InstantiateFunction', '', 4000000, 2000000, {'detail': 'std::sort<int>'})))
    assert causes_of(clang) == ['the header regex', 'the template std::sort<int>'], causes_of(clang)


def test_gpu_memory(folder):
    gpu = ''.join(f'app-100 [000] {ts}.0: gpu_mem_total: gpu_id=0 pid=100 size={size}\n'
                  for ts, size in ((1, 10000000), (2, 80000000), (3, 180000000)))
    path = write_text(folder, 'gpu.systrace', '# tracer: nop\n' + switch(0, 1.5, 'swapper', 'R', 'busy') + gpu)
    assert any('took 170 MB more GPU memory' in c for c in causes_of(path)), causes_of(path)


def test_device_wakes(folder):
    """A device that sleeps little is woken by what its reasons say most; who held wakelocks is said by the battery's statistics."""
    lines = ['# tracer: nop\n']
    for i in range(10):
        lines.append(f'x-0 [000] {1 + 2 * i}.0: suspend_resume_minimal: start=1\n')
        lines.append(f'x-0 [000] {2 + 2 * i}.0: suspend_resume_minimal: start=0\n')
        reason = '440 wlan_wake' if i % 5 else '21 rtc_alarm'
        lines.append(f'x-1 [000] {2 + 2 * i}.1: tracing_mark_write: N|1|wakeup_reason|{reason}\n')
    for ts in 5, 11:
        lines.append(f'x-1 [000] {ts}.3: tracing_mark_write: N|1|battery_stats.longwake|+longwake=10042:"*job*/com.mail"\n')
    problems = {p['symptom']: p for p in explain(write_text(folder, 'wakes.systrace', ''.join(lines)))['problems']}
    woken, held = problems['wake-ups of the device'], problems['long wakelocks']
    assert woken['level'] == 'problem' and woken['cause'] == 'mostly by wlan_wake (80 %), then rtc_alarm (20 %)', woken
    assert woken['name'].startswith('woken 10 times, 1895 an hour, awake for 47 %'), woken
    assert (held['level'], held['cause']) == ('problem', 'a wakelock of uid 10042: *job*/com.mail'), held
    assert held['name'] == 'held 2 times for longer than a minute', held


def test_rails(folder):
    """The rails that took most of what all took; one that took little is left out."""
    rails = wire.put_message(40, b''.join(
        [wire.put_message(1, wire.put_number(1, i) + wire.put_message(2, name)) for i, name in enumerate((b'cpu.big', b'display', b'modem'))] +
        [wire.put_message(2, wire.put_number(1, i) + wire.put_number(2, ms) + wire.put_number(3, uws))
         for i, uws_end in enumerate((6000000, 3000000, 1000000)) for ms, uws in ((1000, 0), (11000, uws_end))]))
    path = os.path.join(folder, 'rails.pftrace')
    with open(path, 'wb') as f:
        f.write(wire.put_message(1, wire.put_number(8, 1000000000) + rails))
    assert causes_of(path) == ['cpu.big drew 600 mW on average, 60 % of all rails', 'display drew 300 mW on average, 30 % of all rails'], causes_of(path)


def test_logs(folder):
    lines = [f'11-24 10:00:{i:02}.000  100  100 E Net     : connect failed: ECONNREFUSED to host{i}\n' for i in range(30)]
    lines.append('11-24 10:00:31.000  100  101 E AndroidRuntime: FATAL EXCEPTION: worker\n')
    problems = explain(write_text(folder, 'log.txt', ''.join(lines)))['problems']
    assert [(p['level'], p['cause']) for p in problems] == [
        ('severe', 'AndroidRuntime: FATAL EXCEPTION: worker'), ('note', 'Net: connect failed: ECONNREFUSED to host0')], problems
    # Crashes of one thread's name are one where the exception and the place are.
    lines = [f'11-24 10:00:{i:02}.000  {100 + i}  {100 + i} E AndroidRuntime: {text}\n'
             for i, what in enumerate(('Cart.add', 'Cart.add', 'Login.show'))
             for text in ('FATAL EXCEPTION: main', f'Process: acme, PID: {100 + i}', 'java.lang.Error: x', '\tat java.util.X.y', f'\tat acme.{what}(A.java:7)')]
    crashes = explain(write_text(folder, 'crashes.txt', ''.join(lines)))['problems']
    assert sorted((p['cause'], p['count']) for p in crashes) == [
        ('AndroidRuntime: FATAL EXCEPTION: main: java.lang.Error: x, at acme.Cart.add(A.java:7)', 2),
        ('AndroidRuntime: FATAL EXCEPTION: main: java.lang.Error: x, at acme.Login.show(A.java:7)', 1)], crashes


def test_symptoms_of_android(folder):
    """Apps that do not respond and kills are told by counters."""
    for kind, symptom in ('anr', 'not responding'), ('memory_kill', 'low-memory kill'):
        problem = explain(write(folder, kind))['problems'][0]
        assert (problem['level'], problem['symptom']) == ('severe', symptom), problem


def test_frames_and_starts(folder):
    """Frames are asked for by their number, starts by the package."""
    marks = []
    for i in range(20):
        ts, dur = 1 + i * 0.05, 0.04 if i == 7 else 0.004
        marks += [(ts, f'B|100|Choreographer#doFrame {500 + i}'), (ts + dur, 'E|100')]
    lines = ['# tracer: nop\n'] + [f'main-100 ( 100) [000] {ts:.6f}: tracing_mark_write: {m}\n' for ts, m in marks]
    launch = [(3.0, 'S|50|launchingActivity#3|3'), (4.5, 'F|50|launchingActivity#3|3'),
              (4.6, 'B|50|launchingActivity#3:completed-cold:com.example.app'), (4.601, 'E|50')]
    lines += [f'server-50 ( 50) [000] {ts:.6f}: tracing_mark_write: {m}\n' for ts, m in launch]
    path = write_text(folder, 'frames.systrace', ''.join(lines))
    frame, = explain(path, '--frame', '507')['problems']
    assert (frame['name'], frame['dur']) == ('Choreographer#doFrame 507', 40000000), frame
    assert explain(path, '--frame', '999')['problems'] == []
    start, = explain(path, '--startup', 'com.example.*')['problems']
    assert (start['name'], start['dur']) == ('start of com.example.app', 1500000000), start
    assert explain(path, '--startup', 'com.other')['problems'] == []
    slow, = [p for p in explain(path)['problems'] if p['symptom'] == 'slow frame']
    assert slow['name'].startswith('Choreographer#doFrame 507'), slow


def test_no_rule_fails(path):
    assert explain(path)['not_asked'] == []


def test_little_was_recorded(folder):
    """Neither a moment without an end nor a heap of which nothing is held has a rule fail, or say what is not so."""
    instant = write_text(folder, 'instant.json', json.dumps([{'ph': 'i', 'pid': 1, 'tid': 1, 'name': 'i', 'ts': 1}]))
    texts = [b['text'] for b in explain(instant)['beliefs']]
    assert '1 slices' in texts and not any('all events' in t for t in texts), texts
    test_no_rule_fails(write_text(folder, 'garbage.textproto', '''
        packet { timestamp: 10 trusted_packet_sequence_id: 1
          heap_graph { pid: 2 types { id: 1 class_name: "A" } objects { id: 1 type_id: 1 self_size: 5 } } }'''))


def test_what_is_refused(path):
    assert 'wants a trace' in run('explain', status=2)
    assert 'text|markdown|json' in run('explain', '--format', 'xml', path, status=2)
    assert 'number of problems' in run('explain', '--limit', 'x', path, status=2)
    run('explain', '/nowhere', status=3)


def write_all(folder, kind, seeds):
    paths = []
    for seed in seeds:
        paths.append(os.path.join(folder, f'{kind}{seed}.systrace'))
        with open(paths[-1], 'w', encoding='utf-8') as f:
            f.write(scenarios.make(kind, 'small', seed)[0])
    return paths


def test_comparison(folder):
    """What appeared is named, beyond chance; conditions that hold end with 4; like recordings do not differ."""
    before, after = write_all(folder, 'healthy', range(1, 9)), write_all(folder, 'cold_cache', range(1, 5))
    compare = ('explain', '--format', 'json', '--baseline', *before[:4], '--')
    rows_ = json.loads(run(*compare, *after))['rows']
    appeared = [r for r in rows_ if r['verdict'] == 'appeared']
    assert 'filemap_fault' in appeared[0]['cause'] and appeared[0]['chance'] < 0.03, rows_
    waits, = [r for r in rows_ if r.get('measure') == 'disk.waits']
    assert waits['medians'][1] > 1.5 * waits['medians'][0] and waits['chance'] < 0.03, waits
    same = json.loads(run(*compare, *before[4:]))['rows']
    assert all(r['chance'] > 0.02 or r['verdict'] != 'appeared' for r in same), same
    assert 'holds: disk.waits > +10%' in run(*compare, *after, '--fail-if', 'disk.waits > +10%', status=4)
    run(*compare, *before[4:], '--fail-if', 'severe > 0')
    thresholds = os.path.join(folder, 'thresholds')
    with open(thresholds, 'w', encoding='utf-8') as f:
        f.write('# none\nseverity > 0\n')
    assert 'no such measure' in run(*compare, *after, '--fail-if', '@' + thresholds, status=2)
    # What is no condition is said before a trace is read.
    assert 'no condition' in run(*compare, 'there is none', '--fail-if', 'severe', status=2)
    assert 'not what --baseline compares' in run(*compare, *after, '--slice', '3', status=2)
    assert 'about one of' in run('explain', before[0], '--slice', '3', '--thread', 'main', status=2)
    assert 'before and behind --' in run('explain', '--baseline', before[0], status=2)


def test_what_a_side_lacks(folder, trace):
    """What was not recorded on one side is said before what seems to have changed."""
    marks = write_text(folder, 'only_marks.json', slices(*((1, 'request', '', i * 10000, 900, {}) for i in range(20))))
    told = json.loads(run('explain', '--format', 'json', '--baseline', trace, trace, '--', marks))['beliefs']
    assert [(b['kind'], b['recordings']) for b in told if 'no scheduling' in b['text']] == [('missing', [0, 1])], told
    for form in 'text', 'markdown':
        text = run('explain', '--format', form, '--baseline', trace, trace, '--', marks)
        assert 0 < text.find('missing in 0 of 2 before, 1 of 1 after: no scheduling') < text.find('vanished'), text


def test_where_time_was_added(folder):
    """Work that takes longer each time is no problem of a recording, but named between two groups of them."""
    sides = []
    for side, factor in enumerate((1, 2)):
        for i in range(4):
            marks, ts = ['# tracer: nop\n'], 1.0
            for n in range(40):
                for name, dur in ('parse', 0.001), ('render', factor * (0.002 + i * 0.0001)):
                    marks += [f'worker-{7 + n % 2 + i} ( 100) [000] {t:.6f}: tracing_mark_write: {m}\n'
                              for t, m in ((ts, f'B|100|{name} {n}'), (ts + dur, 'E|100'))]
                    ts += 0.01
            sides.append(write_text(folder, f'time{side}{i}.systrace', ''.join(marks)))
    rows_ = json.loads(run('explain', '--format', 'json', '--baseline', *sides[:4], '--', *sides[4:]))['rows']
    assert not [r for r in rows_ if 'key' in r], rows_
    told = [r for r in rows_ if 'time' in r]
    assert [(r['time'], r['verdict']) for r in told] == [('`render` of worker', 'more')] and told[0]['chance'] < 0.03, told
    # A measure that one side lacks is not the same on both.
    frames = write_text(folder, 'frames_only.systrace', '# tracer: nop\n' + ''.join(
        f'main-100 ( 100) [000] {1 + i / 10 + d:.6f}: tracing_mark_write: {m}\n' for i in range(5) for d, m in ((0, 'B|100|Choreographer#doFrame'), (0.02, 'E|100'))))
    p95, = [line for line in run('explain', '--baseline', frames, '--', sides[0]).splitlines() if line.endswith('frames.p95')]
    assert p95.split()[:4] == ['vanished', '20', '->', '-'], p95
    before, after = told[0]['medians']
    assert abs(after / before - 2) < 0.01 and 80e6 < before < 95e6, told


def test_many(folder):
    """batch ranks the causes of many recordings; --resume keeps what each had."""
    paths = write_all(folder, 'lock_convoy', range(20, 23)) + write_all(folder, 'healthy', range(20, 22))
    command = ('batch', '--explain', '--resume', os.path.join(folder, 'kept'), '--format', 'json', *paths)
    causes = json.loads(run(*command))
    first = causes[0]
    assert (first['level'], first['traces'], first['of'], first['certain']) == ('severe', 3, 5, 1), first
    assert 'flush_index' in first['cause'] and first['trace'] in paths[:3] and first['problems'] > 3, first
    assert first['place'] == explain(first['trace'])['problems'][0]['place'], first
    assert json.loads(run(*command)) == causes
    assert 'one of' in run('batch', '--explain', '--metric', 'android_startup', *paths, status=2)
    assert '--metadata' in run('batch', '--explain', '--metadata', 'x', *paths, status=2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        convoy = write(folder, 'lock_convoy')
        for kind in ('cold_cache', 'lock_convoy', 'cpu_taken'):
            test_time_adds_up(write(folder, kind))
        for test in (test_slice, test_thread, test_window, test_place_opens, test_pictures, test_markdown, test_text_fits, test_command_is_for_a_shell,
                     test_no_rule_fails, test_what_is_refused):
            test(convoy)
        test_place_is_on_the_thread(folder, convoy)
        test_missing_is_said(folder)
        test_thread_of_many(folder)
        test_loss_comes_first(folder, convoy)
        test_percents_add_up(folder)
        test_one_cause(folder)
        test_sql_gives_the_numbers(folder)
        test_wait_while_idle(folder)
        test_who_has_the_cpu(folder)
        test_stack_that_tells_most()
        test_builds(folder)
        test_gpu_memory(folder)
        test_device_wakes(folder)
        test_rails(folder)
        test_logs(folder)
        test_symptoms_of_android(folder)
        test_markdown_of_many(folder)
        test_frames_and_starts(folder)
        test_comparison(folder)
        test_where_time_was_added(folder)
        test_what_a_side_lacks(folder, convoy)
        test_little_was_recorded(folder)
        test_many(folder)


if __name__ == '__main__':
    main()
