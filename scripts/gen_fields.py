#!/usr/bin/env python3
"""From a serialised FileDescriptorSet: a header of field numbers, the set itself as a C array, and a
table of the ftrace events.

Usage: gen_fields.py SET FIELDS_H DESCRIPTORS_C FTRACE_KINDS_C

FIELDS_H names every field number PB_<Message>_<field> and every enum value PB_<Enum>_<VALUE>, nested
names joined by '_', extensions as fields of the message they extend (PB_<Message>_extension_<field>
where a field of the message has the name already). DESCRIPTORS_C holds the set,
without what reflection does not read, in parts (parsers/proto/embedded.h) compressed by zlib. FTRACE_KINDS_C lists the fields of every
event that FtraceEvent can hold, so that loading a trace needs no descriptors.
"""
import collections
import re
import sys
import zlib

# Field numbers of google/protobuf/descriptor.proto.
FILE = 1
FILE_NAME, FILE_PACKAGE, FILE_DEPENDENCY, FILE_MESSAGE, FILE_ENUM, FILE_EXTENSION = 1, 2, 3, 4, 5, 7
MSG_NAME, MSG_FIELD, MSG_NESTED, MSG_ENUM, MSG_EXTENSION = 1, 2, 3, 4, 6
FIELD_NAME, FIELD_EXTENDEE, FIELD_NUMBER, FIELD_LABEL, FIELD_TYPE, FIELD_TYPE_NAME = 1, 2, 3, 4, 5, 6
FIELD_OPTIONS = 8
TYPE_MESSAGE = 11
OPTIONS_PACKED = 2
ENUM_NAME, ENUM_VALUE = 1, 2
VALUE_NAME, VALUE_NUMBER = 1, 2

MAIN_PACKAGE = 'perfetto.protos'
CONFIG_FILE = 'config.proto'
EVENT_FILE = 'track_event.proto'

# What the embedded set keeps of each kind of message; a dict says how to filter what is nested.
KEEP_FIELD = {FIELD_NAME: None, FIELD_EXTENDEE: None, FIELD_NUMBER: None, FIELD_LABEL: None,
              FIELD_TYPE: None, FIELD_TYPE_NAME: None, FIELD_OPTIONS: {OPTIONS_PACKED: None}}
KEEP_ENUM = {ENUM_NAME: None, ENUM_VALUE: {VALUE_NAME: None, VALUE_NUMBER: None}}
KEEP_MESSAGE = {MSG_NAME: None, MSG_FIELD: KEEP_FIELD, MSG_ENUM: KEEP_ENUM, MSG_EXTENSION: KEEP_FIELD}
KEEP_MESSAGE[MSG_NESTED] = KEEP_MESSAGE
KEEP_FILE = {FILE_NAME: None, FILE_PACKAGE: None, FILE_MESSAGE: KEEP_MESSAGE, FILE_ENUM: KEEP_ENUM,
             FILE_EXTENSION: KEEP_FIELD}


# Android describes its extensions of track events in the traces themselves; those that a trace does not
# describe are not shown as args, though parsers know some of them by their field numbers.
NOT_REFLECTED = ('com.android.internal', '.perfetto.protos.TrackEvent')


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def write_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields_of(data):
    """(number, value) of each field: int for varints, bytes for what has a length."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 2:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise SystemExit('gen_fields.py: wire type %d in a descriptor set' % (tag & 7))
        yield tag >> 3, value


def only(data, number, default=b''):
    for n, value in fields_of(data):
        if n == number:
            default = value
    return default


def text(data, number):
    return only(data, number).decode()


def keep(data, wanted):
    out = bytearray()
    for number, value in fields_of(data):
        if number not in wanted:
            continue
        if isinstance(value, int):
            out += write_varint(number << 3) + write_varint(value)
            continue
        if wanted[number] is not None:
            value = keep(value, wanted[number])
        out += write_varint(number << 3 | 2) + write_varint(len(value)) + value
    return bytes(out)


def is_reflected(package, number, value):
    return number != FILE_EXTENSION or (package, text(value, FIELD_EXTENDEE)) != NOT_REFLECTED


def keep_file(data):
    out = bytearray()
    for number, value in fields_of(data):
        if number in KEEP_FILE and is_reflected(text(data, FILE_PACKAGE), number, value):
            nested = KEEP_FILE[number]
            value = keep(value, nested) if nested is not None else value
            out += write_varint(number << 3 | 2) + write_varint(len(value)) + value
    return bytes(out)


class Names:
    """Every message and enum of the set: full name -> [(member name, number)]."""

    def __init__(self):
        self.members = collections.OrderedDict()
        self.package_of = {}

    def add_file(self, data):
        package = text(data, FILE_PACKAGE)
        for number, value in fields_of(data):
            if number == FILE_MESSAGE:
                self.add_message(value, package, package)
            elif number == FILE_ENUM:
                self.add_enum(value, package, package)
            elif number == FILE_EXTENSION:
                self.add_field(value, text(value, FIELD_EXTENDEE)[1:])

    def add_message(self, data, scope, package):
        name = scope + '.' + text(data, MSG_NAME)
        self.members.setdefault(name, [])
        self.package_of[name] = package
        for number, value in fields_of(data):
            if number == MSG_FIELD:
                self.add_field(value, name)
            elif number == MSG_NESTED:
                self.add_message(value, name, package)
            elif number == MSG_ENUM:
                self.add_enum(value, name, package)
            elif number == MSG_EXTENSION:
                self.add_field(value, text(value, FIELD_EXTENDEE)[1:])

    def add_field(self, data, message):
        self.members.setdefault(message, []).append((text(data, FIELD_NAME), only(data, FIELD_NUMBER, 0)))

    def add_enum(self, data, scope, package):
        name = scope + '.' + text(data, ENUM_NAME)
        self.package_of[name] = package
        values = self.members.setdefault(name, [])
        for number, value in fields_of(data):
            if number == ENUM_VALUE:
                n = only(value, VALUE_NUMBER, 0)
                values.append((text(value, VALUE_NAME), n - (1 << 64) if n >> 63 else n))

    def short_names(self):
        """full name -> C name: without the package where that is unique or the main package's."""
        count = collections.Counter(self.without_package(n) for n in self.package_of)

        def short(name):
            bare = self.without_package(name)
            return bare if count[bare] == 1 or self.package_of[name] == MAIN_PACKAGE else name
        return {n: re.sub(r'\W', '_', short(n)) for n in self.package_of}

    def without_package(self, name):
        return name[len(self.package_of[name]) + 1:]


def write_header(names, path):
    short, seen = names.short_names(), {}
    lines = ['/* Field numbers and enum values, made by gen_fields.py from protos/. */',
             '#ifndef TPTUI_PB_FIELDS_H', '#define TPTUI_PB_FIELDS_H', '']
    for full, members in names.members.items():
        if full not in short or not members:
            continue
        lines.append('enum { /* %s */' % full)
        for name, number in members:
            constant = 'PB_%s_%s' % (short[full], name)
            if seen.get(constant) == full:
                constant = 'PB_%s_extension_%s' % (short[full], name)
            if seen.setdefault(constant, full) != full:
                raise SystemExit('gen_fields.py: %s is in %s and in %s' % (constant, seen[constant], full))
            lines.append('    %s = %d,' % (constant, number))
        lines.append('};')
    lines += ['', '#endif', '']
    with open(path, 'w', encoding='utf8') as out:
        out.write('\n'.join(lines))


def with_dependencies(files, name):
    """The names of a file and of all files that it needs."""
    by_name = {text(f, FILE_NAME): f for f in files}
    found, waiting = set(), [name]
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in found:
            found.add(name)
            waiting += [v.decode() for n, v in fields_of(by_name[name]) if n == FILE_DEPENDENCY]
    return found


def extended_by(data, extension=FILE_EXTENSION, message=FILE_MESSAGE):
    """The names of the messages that a file, or a message, extends."""
    names = set()
    for n, v in fields_of(data):
        if n == extension:
            names.add(text(v, FIELD_EXTENDEE))
        elif n == message:
            names |= extended_by(v, MSG_EXTENSION, MSG_NESTED)
    return names


def embedded_sets(files):
    """The files of the configuration; those of track events, with what extends these; and the others. No file extends a
    message of a set before its own."""
    by_set = [with_dependencies(files, CONFIG_FILE), with_dependencies(files, EVENT_FILE)]
    messages = messages_by_name([f for f in files if text(f, FILE_NAME) in by_set[1]])
    for f in files:
        if extended_by(f) & set(messages):
            by_set[1] |= with_dependencies(files, text(f, FILE_NAME))
    by_set[1] -= by_set[0]
    by_set.append({text(f, FILE_NAME) for f in files} - by_set[0] - by_set[1])
    sets = [[f for f in files if text(f, FILE_NAME) in names] for names in by_set]
    for i, earlier in enumerate(sets):
        later = [f for s in sets[i + 1:] for f in s]
        extended = set().union(*map(extended_by, later)) & set(messages_by_name(earlier))
        if extended:
            raise SystemExit('gen_fields.py: extended by a later set: %s' % ', '.join(extended))
    return sets


def write_arrays(sets, path):
    lines = ['/* FileDescriptorSets, compressed by zlib; made by gen_fields.py from protos/. */',
             '#include "parsers/proto/embedded.h"', '']
    rows = []
    for i, files in enumerate(sets):
        data = b''.join(write_varint(FILE << 3 | 2) + write_varint(len(f)) + f for f in map(keep_file, files))
        packed = zlib.compress(data, 9)
        lines += ['static const unsigned char packed_%d[] = {' % i]
        lines += [','.join(map(str, packed[at:at + 32])) + ',' for at in range(0, len(packed), 32)]
        lines += ['};', '']
        rows.append('    {packed_%d, sizeof packed_%d, %d},' % (i, i, len(data)))
    lines += ['const struct embedded_set embedded_descriptors[EMBEDDED_SETS] = {'] + rows + ['};', '']
    with open(path, 'w', encoding='utf8') as out:
        out.write('\n'.join(lines))


def messages_by_name(files):
    """full name with a leading dot -> serialised descriptor of each outermost message"""
    return {'.' + text(f, FILE_PACKAGE) + '.' + text(m, MSG_NAME): m
            for f in files for n, m in fields_of(f) if n == FILE_MESSAGE}


def field_rows(message):
    """(number, type, name) of the fields that are no messages, by number"""
    fields = [f for n, f in fields_of(message) if n == MSG_FIELD]
    rows = [(only(f, FIELD_NUMBER, 0), only(f, FIELD_TYPE, 0), text(f, FIELD_NAME)) for f in fields]
    return sorted(r for r in rows if r[1] != TYPE_MESSAGE)


def write_ftrace_kinds(files, path):
    messages = messages_by_name(files)
    events = {only(f, FIELD_NUMBER, 0): f
              for n, f in fields_of(messages['.%s.FtraceEvent' % MAIN_PACKAGE])
              if n == MSG_FIELD and only(f, FIELD_TYPE, 0) == TYPE_MESSAGE}
    lines = ['/* The events of FtraceEvent and their fields, made by gen_fields.py from protos/. */',
             '#include "parsers/proto/ftrace_kinds.h"', '']
    kinds = []
    for number, event in sorted(events.items()):
        name = text(event, FIELD_NAME)
        rows = field_rows(messages[text(event, FIELD_TYPE_NAME)])
        if rows:
            lines.append('static const struct ftrace_field_kind %s_fields[] = {' % name)
            lines += ['    {"%s", %d, %d},' % (field, n, kind) for n, kind, field in rows]
            lines.append('};')
        kinds.append('    [%d] = {"%s", %s, %d},' % (number, name, name + '_fields' if rows else '0', len(rows)))
    lines += ['', 'const struct ftrace_event_kind ftrace_event_kinds[] = {'] + kinds + ['};', '']
    lines += ['const uint32_t ftrace_event_kind_count = %d;' % (max(events) + 1), '']
    with open(path, 'w', encoding='utf8') as out:
        out.write('\n'.join(lines))


def main(set_path, header_path, array_path, ftrace_path):
    with open(set_path, 'rb') as f:
        files = [v for n, v in fields_of(f.read()) if n == FILE]
    files = [f for f in files if not text(f, FILE_PACKAGE).startswith('google.')]
    names = Names()
    for f in files:
        names.add_file(f)
    write_header(names, header_path)
    write_arrays(embedded_sets(files), array_path)
    write_ftrace_kinds(files, ftrace_path)


if __name__ == '__main__':
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
