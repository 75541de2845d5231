#!/usr/bin/env python3
"""A schema for protoc-c: of a serialised FileDescriptorSet, the messages that are read as structs.

Usage: gen_unpacked.py SET OUT.proto FILE.proto...

A comment above a message says so: `// unpacked`, with all of its fields, or `// unpacked: field ...`, with
those that are named; and the messages of these fields, unless they have such a comment of their own. A field
that is written `field:bytes` is not taken apart.

What protoc-c makes of the schema as it stands would not do: texts end at a NUL, extensions are missing,
names and helpers take more room than the rest. So texts are bytes, enums are int32 (pb_fields.h has their
values), members of a oneof are optional fields (the last one that is there counts), defaults are left
out. A message must not contain itself: protobuf-c would recurse as deep as the input says.
"""
import re
import sys

from gen_fields import (FILE, FILE_MESSAGE, FILE_PACKAGE, FIELD_LABEL, FIELD_NAME, FIELD_NUMBER, FIELD_TYPE,
                        FIELD_TYPE_NAME, MAIN_PACKAGE, MSG_FIELD, MSG_NAME, MSG_NESTED, TYPE_MESSAGE, fields_of,
                        only, text)

SCALARS = {1: 'double', 2: 'float', 3: 'int64', 4: 'uint64', 5: 'int32', 6: 'fixed64', 7: 'fixed32', 8: 'bool',
           9: 'bytes', 12: 'bytes', 13: 'uint32', 14: 'int32', 15: 'sfixed32', 16: 'sfixed64', 17: 'sint32',
           18: 'sint64'}
REPEATED = 3

HEADER = """syntax = "proto2";
import "protobuf-c/protobuf-c.proto";
option optimize_for = CODE_SIZE;
option (pb_c_file).gen_pack_helpers = false;
option (pb_c_file).gen_init_helpers = false;
"""


def fail(message):
    raise SystemExit('gen_unpacked.py: ' + message)


def read_marks(path):
    """name, nested ones joined by dots -> {field: whether it stays bytes}, or None: all fields"""
    wanted, scopes, mark = {}, [], None
    with open(path, encoding='utf8') as lines:
        for line in lines:
            code = line.split('//')[0]
            opened = re.match(r'\s*message (\w+) ', code)
            for brace in re.findall('[{}]', code):
                if brace == '{':
                    scopes.append(opened.group(1) if opened else None)
                    if opened and mark is not None:
                        name = '.'.join(filter(None, scopes))
                        wanted[name] = {f.split(':')[0]: f.endswith(':bytes') for f in mark} or None
                else:
                    scopes.pop()
            found = re.fullmatch(r'\s*// unpacked(?:: (.*))?\s*', line)
            mark = (found.group(1) or '').split() if found else None
    return wanted


def read_messages(set_path):
    """name -> full name with a leading dot and the fields' descriptors, and full name -> name"""
    messages, names = {}, {}

    def add(message, scope, package):
        name = scope + text(message, MSG_NAME)
        full = '.%s.%s' % (package, name)
        names[full] = name
        if package == MAIN_PACKAGE or name not in messages:
            messages[name] = full, [v for n, v in fields_of(message) if n == MSG_FIELD]
        for number, value in fields_of(message):
            if number == MSG_NESTED:
                add(value, name + '.', package)

    with open(set_path, 'rb') as f:
        files = [v for n, v in fields_of(f.read()) if n == FILE]
    for file in files:
        for number, value in fields_of(file):
            if number == FILE_MESSAGE:
                add(value, '', text(file, FILE_PACKAGE))
    return messages, names


class Schema:
    def __init__(self, messages, names, wanted):
        self.messages, self.names, self.wanted = messages, names, wanted
        self.lines = {}  # name -> the lines of its fields
        self.open = []

    def add(self, name):
        if name in self.open:
            fail('%s contains itself: name the fields that are read' % name)
        if name in self.lines:
            return
        if name not in self.messages:
            fail('no message is called ' + name)
        chosen = self.wanted.get(name)
        fields = [f for f in self.messages[name][1] if chosen is None or text(f, FIELD_NAME) in chosen]
        missing = set(chosen or ()) - {text(f, FIELD_NAME) for f in fields}
        if missing:
            fail('%s has no field %s' % (name, ', '.join(sorted(missing))))
        self.open.append(name)
        self.lines[name] = [self.field(f, (chosen or {}).get(text(f, FIELD_NAME))) for f in fields]
        self.open.pop()

    def field(self, field, stays_bytes):
        kind = SCALARS.get(only(field, FIELD_TYPE, 0), 'bytes')
        if only(field, FIELD_TYPE, 0) == TYPE_MESSAGE and not stays_bytes:
            full = text(field, FIELD_TYPE_NAME)
            target = self.names[full]
            if self.messages[target][0] != full:
                fail('%s is hidden by %s' % (full, self.messages[target][0]))
            self.add(target)
            kind = '.' + target
        label = 'repeated' if only(field, FIELD_LABEL, 0) == REPEATED else 'optional'
        return '%s %s %s = %d;' % (label, kind, text(field, FIELD_NAME), only(field, FIELD_NUMBER, 0))

    def write(self, out):
        children = {}
        for name in self.lines:
            parts = name.split('.')
            for i in range(len(parts)):
                siblings = children.setdefault('.'.join(parts[:i]), [])
                if '.'.join(parts[:i + 1]) not in siblings:
                    siblings.append('.'.join(parts[:i + 1]))

        def write(name):
            out.write('message %s {\n' % name.split('.')[-1])
            for child in children.get(name, ()):
                write(child)
            out.writelines(line + '\n' for line in self.lines.get(name, ()))
            out.write('}\n')

        out.write(HEADER)
        for name in children.get('', ()):
            write(name)


def main(set_path, out_path, *proto_paths):
    wanted = {}
    for path in proto_paths:
        wanted.update(read_marks(path))
    schema = Schema(*read_messages(set_path), wanted)
    for name in sorted(wanted):
        schema.add(name)
    with open(out_path, 'w', encoding='utf8') as out:
        schema.write(out)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
