#!/usr/bin/env python3
"""Checks that each folder of src/ includes only itself and what stands before it in ORDER.

A folder stands for the files in it; a line may name several folders, which may not include each
other.

Connections to SQLite are opened, and told what they may do, in one file. What is printed goes through standard_output()
and standard_errors(), which show control characters.

One name is one thing: what a header calls a struct, an enum or a union is called so nowhere else, and no
two files of a folder give one name to two things.

Who cuts windows out of traces names no event of ftrace: what is felt of one, and how one is told again, stands beside
its reader.

What core/stats.h declares, something counts, or UNCOUNTED says why nothing can: a trace would be called clean else.
"""
import collections
import pathlib
import re
import sys

ORDER = """
base
text
core/schema
core/store
core/trace
core
parsers/input
parsers/proto
parsers/samples
parsers/perf
parsers/art
parsers/apple
parsers/primes
parsers/text
parsers/perfetto/packets
parsers/perfetto/system
parsers/perfetto/profile
parsers/perfetto/ftrace
parsers/tracefs
parsers/json
parsers/gecko
parsers/perfetto/android parsers/perfetto/chrome parsers/perfetto/gpu parsers/perfetto/power parsers/perfetto/winscope
parsers/perfetto/track_event
parsers/perfetto/trace
parsers/perfetto/window
parsers/perfetto
parsers/fuchsia
parsers/tracedat
parsers/archive
parsers
symbols
sql/tokens
sql/grammar
sql/values
sql/tables
sql/engine
sql/batches
sql/vector
sql/export
sql/functions
sql/operators
sql/language
sql/hints
sql/pipelines
sql/script
sql
fmt
complete
summary
explain
record
rpc
mcp
tui/index
tui/cells
tui/result
tui/term tui/view
tui/view/events tui/view/tabs
tui/input
tui/context
tui/timeline
tui/query
tui/tabs
tui/app
tui/app/actions
cli
cli/batch cli/shell
"""


def shared_names(src):
    """A line for each name of a type that stands for two things."""
    places = collections.defaultdict(list)
    for path in sorted(src.rglob('*.[ch]')):
        for found in re.finditer(r'^((?:struct|enum|union) \w+) \{', path.read_text(), re.M):
            places[found.group(1)].append(path.relative_to(src))
    for name, paths in sorted(places.items()):
        one_folder = len({path.parent for path in paths}) < len(paths)
        if len(paths) > 1 and (one_folder or any(path.suffix == '.h' for path in paths)):
            yield f'{name} is two things: in {", ".join(path.as_posix() for path in paths)}'


OPENS = 'sql/engine/database.c'


def open_elsewhere(src):
    """A line for each file that opens a database by itself."""
    for path in sorted(src.rglob('*.[ch]')):
        name = path.relative_to(src).as_posix()
        found = re.search(r'sqlite3_open\w*\(|sqlite3_set_authorizer\(|sqlite3_enable_load_extension\(', path.read_text())
        if found and name != OPENS:
            yield f'{name}: {found.group()}...) stands in {OPENS} only'


PRINTS = 'base/standard_streams.c'


def prints_past(src):
    """A line for each file that prints past the streams that show control characters."""
    not_code = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
    for path in sorted(src.rglob('*.[ch]')):
        name = path.relative_to(src).as_posix()
        found = re.search(r'\b(?:stdout|stderr|(?:v?printf|puts|putchar|perror)\()', not_code.sub('', path.read_text()))
        if found and name != PRINTS:
            yield f'{name}: {found.group()} stands in {PRINTS} only'


CUTTERS = ['parsers/perfetto/window/*.[ch]', 'parsers/tracefs/text_cut.[ch]', 'parsers/json/cut*.[ch]',
           'parsers/input/trace_cut.[ch]', 'core/trace/trace_window.[ch]']
EVENT_HEAD = {'timestamp', 'pid', 'common_flags'} # what all of ftrace's events have


def names_events(src):
    """A line for each place where who cuts windows names an event of ftrace: what it means stands in its handler's row."""
    bundle = src.parent / 'protos' / 'ftrace.proto'
    events = set(re.findall(r'^ +\w+ (\w+) = \d+;', bundle.read_text().split('message FtraceEvent {')[1].split('\n}')[0], re.M))
    events -= EVENT_HEAD
    if len(events) < 100:
        yield f'{bundle}: expected the events of ftrace, found {len(events)}'
    quoted = re.compile(r'"((?:\\.|[^"\\])*)"')
    for pattern in CUTTERS:
        paths = sorted(src.glob(pattern))
        if not paths:
            yield f'{pattern}: no such file cuts windows any more'
        for path in paths:
            for number, line in enumerate(path.read_text().split('\n'), 1):
                found = [f for f in re.findall(r'\bPB_FtraceEvent_(\w+)', line) if f not in EVENT_HEAD]
                found += re.findall(r'\bPB_\w+FtraceEvent_\w+|\bPB_FtraceEventBundle_CompactSched_\w+', line)
                found += [w for text in quoted.findall(line) for w in re.findall(r'\w+', text) if w in events and '_' in w]
                if found:
                    yield f'{path.relative_to(src)}:{number}: who cuts names no event: {found[0]}'


# Stats are Trace Processor's, with their numbers. By reason: those that nothing counts.
UNCOUNTED = {
    'Trace Processor does not count it either':
        'android_br_parse_errors clock_sync_failure entity_state_descriptor_invalid fuchsia_invalid_event_arg_name '
        'fuchsia_unknown_event_arg gpu_counters_missing_spec hprof_record_counter rss_stat_unknown_keys '
        'thread_time_in_state_unknown_cpu_freq '
        'tokenizer_skipped_packets track_event_thread_invalid_end track_event_tokenizer_errors '
        'vulkan_allocations_invalid_string_id winscope_protolog_invalid_interpolation_parse_errors',
    'how long Trace Processor itself takes': 'guess_trace_type_duration_ns parse_trace_duration_ns',
    'descriptors of messages are built in: no bytes make one lack':
        'android_input_event_parse_errors winscope_inputmethod_clients_parse_errors '
        'winscope_inputmethod_manager_service_parse_errors winscope_inputmethod_service_parse_errors '
        'winscope_sf_layers_parse_errors winscope_shell_transitions_parse_errors winscope_viewcapture_parse_errors',
    'no descriptors are given but those of the trace': 'extra_parsing_descriptors_error',
    'all states have names': 'mali_unknown_mcu_state_id',
    'a sample without a backtrace is no sample': 'instruments_row_missing_backtrace',
    'threads are linked where one has just begun, which has no process yet': 'process_tracker_errors',
    'all of a trace is sorted at once: nothing comes too late': 'sorter_push_event_out_of_order',
    'pictures are kept however many there are': 'android_video_parse_size_cap_hit',
}


def uncounted(src):
    """A line for each stat that nothing counts and UNCOUNTED does not have, and for each that it has without a need."""
    header = src / 'core' / 'stats.h'
    declared = set(re.findall(r'^    S\((\w+), ', header.read_text(), re.M))
    if len(declared) < 300:
        yield f'{header}: expected the stats, found {len(declared)}'
    not_code = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.S)
    counted = set()
    for path in sorted(src.rglob('*.[ch]')):
        if path == header:
            continue
        text = not_code.sub('', path.read_text()).replace('\\\n', ' ')
        counted |= set(re.findall(r'\bSTAT_(\w+)\b(?!##)', text))
        for macro, given, body in re.findall(r'^#define (\w+)\((\w+)\)(.*)', text, re.M):
            for name in re.findall(r'\bSTAT_(\w*##\w+(?:##\w+)*)', body):
                for arg in re.findall(r'\b' + macro + r'\((\w+)\)', text):
                    counted.add(re.sub(rf'##{given}\b', arg, name).replace('##', ''))
    excused = {name for names in UNCOUNTED.values() for name in names.split()}
    for name in sorted(declared - counted - excused):
        yield f'core/stats.h: nothing counts {name}'
    for name in sorted(excused & counted | excused - declared):
        yield f'UNCOUNTED: {name} is counted, or is no stat'


def main():
    src = pathlib.Path(sys.argv[1])
    rank = {}
    for i, line in enumerate(ORDER.split('\n')):
        for folder in line.split():
            rank[folder] = i
    wrong = []
    for path in sorted(src.rglob('*.[ch]')):
        folder = path.parent.relative_to(src).as_posix()
        if folder not in rank:
            wrong.append(f'{path.relative_to(src)}: the folder {folder} is not in the order')
            continue
        for number, line in enumerate(path.read_text().split('\n'), 1):
            found = re.match(r'#include "(.*/.*)"', line)
            if not found:
                continue
            target = found.group(1).rsplit('/', 1)[0]
            if target != folder and (target not in rank or rank[target] >= rank[folder]):
                wrong.append(f'{path.relative_to(src)}:{number}: {folder} may not include {found.group(1)}')
    wrong.extend(shared_names(src))
    wrong.extend(open_elsewhere(src))
    wrong.extend(prints_past(src))
    wrong.extend(names_events(src))
    wrong.extend(uncounted(src))
    print('\n'.join(wrong) or 'every include follows the order, every name of a type is one thing')
    return 1 if wrong else 0


sys.exit(main())
