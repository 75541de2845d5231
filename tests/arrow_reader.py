"""Reads files of Apache Arrow (the IPC file format), as far as traces are exported to it: integers, reals and
dictionary-encoded texts. Written from the format's description, to check what the program writes; strict about alignment.
"""
import struct

MAGIC = b'ARROW1'


class Table:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from('<i', data, at)[0]
        assert at % 4 == 0 and self.fields % 2 == 0, 'a table is not aligned'

    def place(self, number):
        size = struct.unpack_from('<H', self.data, self.fields)[0]
        offset = struct.unpack_from('<H', self.data, self.fields + 4 + 2 * number)[0] if 4 + 2 * number < size else 0
        return self.at + offset if offset else None

    def scalar(self, number, kind, default=0):
        at = self.place(number)
        assert at is None or at % struct.calcsize('<' + kind) == 0, 'a scalar is not aligned'
        return default if at is None else struct.unpack_from('<' + kind, self.data, at)[0]

    def target(self, number):
        at = self.place(number)
        return None if at is None else at + struct.unpack_from('<I', self.data, at)[0]

    def table(self, number):
        at = self.target(number)
        return None if at is None else Table(self.data, at)

    def text(self, number):
        at = self.target(number)
        n = struct.unpack_from('<I', self.data, at)[0]
        assert self.data[at + 4 + n] == 0
        return self.data[at + 4:at + 4 + n].decode()

    def tables(self, number):
        at = self.target(number)
        n = struct.unpack_from('<I', self.data, at)[0]
        places = [at + 4 + 4 * i for i in range(n)]
        return [Table(self.data, p + struct.unpack_from('<I', self.data, p)[0]) for p in places]

    def structs(self, number, kind):
        at = self.target(number)
        n = struct.unpack_from('<I', self.data, at)[0]
        assert n == 0 or (at + 4) % 8 == 0, 'structs are not aligned'
        return list(struct.iter_unpack('<' + kind, self.data[at + 4:at + 4 + n * struct.calcsize('<' + kind)]))


def root(data):
    return Table(data, struct.unpack_from('<I', data)[0])


def parse_schema(schema):
    """Names, formats of struct and dictionaries of the columns."""
    columns = []
    for field in schema.tables(1):
        kind, type_, encoding = field.scalar(2, 'B'), field.table(3), field.table(4)
        assert field.tables(5) == []
        if kind == 2:
            code = {8: 'b', 16: 'h', 32: 'i', 64: 'q'}[type_.scalar(0, 'i')]
            code = code if type_.scalar(1, 'B') else code.upper()
        elif kind == 3:
            assert type_.scalar(0, 'h') == 2
            code = 'd'
        else:
            assert kind == 5 and encoding.table(1).scalar(0, 'i') == 32
            code = 'i'
        columns.append((field.text(0), code, encoding.scalar(0, 'q') if encoding else None, bool(field.scalar(1, 'B'))))
    return columns


def read_message(data, block):
    offset, metadata_size, _, body_size = block
    continuation, size = struct.unpack_from('<iI', data, offset)
    assert continuation == -1 and size + 8 == metadata_size and offset % 8 == 0 and metadata_size % 8 == 0
    message = root(data[offset + 8:offset + metadata_size])
    assert message.scalar(0, 'h') == 4 and message.scalar(3, 'q') == body_size
    return message, data[offset + metadata_size:offset + metadata_size + body_size]


def read_buffers(batch, body):
    buffers = batch.structs(2, 'qq')
    assert all(at % 8 == 0 and at + size <= len(body) for at, size in buffers)
    return [body[at:at + size] for at, size in buffers]


def read_dictionary(data, block):
    message, body = read_message(data, block)
    assert message.scalar(1, 'B') == 2
    dictionary = message.table(2)
    batch = dictionary.table(1)
    _, ends, texts = read_buffers(batch, body)
    ends = [e for e, in struct.iter_unpack('<i', ends)]
    assert len(ends) == batch.scalar(0, 'q') + 1
    return dictionary.scalar(0, 'q'), [texts[a:b].decode() for a, b in zip(ends, ends[1:])]


def read_values(column, dictionaries, rows, node, valid, values):
    _, code, dictionary, nullable = column
    assert node[0] == rows and (nullable or node[1] == 0)
    numbers = [v for v, in struct.iter_unpack('<' + code, values)]
    assert len(numbers) == rows
    shown = [not valid or valid[i // 8] >> i % 8 & 1 for i in range(rows)]
    assert rows - sum(map(bool, shown)) == node[1]
    if dictionary is not None:
        numbers = [dictionaries[dictionary][v] if s else None for v, s in zip(numbers, shown)]
    return [v if s else None for v, s in zip(numbers, shown)]


def read(data):
    """A file's columns: a dict of name to list."""
    assert data[:8] == MAGIC + b'\0\0' and data[-6:] == MAGIC
    size = struct.unpack_from('<i', data, len(data) - 10)[0]
    footer = root(data[len(data) - 10 - size:len(data) - 10])
    columns = parse_schema(footer.table(1))
    offset, end = 8, struct.unpack_from('<iI', data, 8)[1] + 16
    assert parse_schema(root(data[offset + 8:end]).table(2)) == columns, 'the schemas differ'
    dictionaries = dict(read_dictionary(data, block) for block in footer.structs(2, 'qiiq'))
    out = {name: [] for name, *_ in columns}
    for block in footer.structs(3, 'qiiq'):
        message, body = read_message(data, block)
        assert message.scalar(1, 'B') == 3
        batch = message.table(2)
        buffers = read_buffers(batch, body)
        for i, (column, node) in enumerate(zip(columns, batch.structs(1, 'qq'))):
            out[column[0]] += read_values(column, dictionaries, batch.scalar(0, 'q'), node, *buffers[2 * i:2 * i + 2])
    return out


SIZES = {'uint32': 4, 'int32': 4, 'int64': 8, 'double': 8, 'string': 4}


def check_whole(data, schema):
    """What Trace Processor asks of a member of its own exports: one batch at the end, behind dictionaries that are numbered in
    the order of the texts' columns, and for each column but `id` a bitmap, where it may be null, and the values."""
    footer_at = len(data) - 10 - struct.unpack_from('<i', data, len(data) - 10)[0]
    footer = root(data[footer_at:len(data) - 10])
    (block,), dictionaries = footer.structs(3, 'qiiq'), footer.structs(2, 'qiiq')
    assert block[0] + block[1] + block[3] + 8 == footer_at and data[footer_at - 8:footer_at] == b'\xff\xff\xff\xff\0\0\0\0'
    assert all(d[0] + d[1] + d[3] <= block[0] for d in dictionaries)
    columns = [c for c in schema['columns'] if c['type'] != 'id']
    assert [read_dictionary(data, d)[0] for d in dictionaries] == list(range(sum(c['type'] == 'string' for c in columns)))
    batch = read_message(data, block)[0].table(2)
    rows = batch.scalar(0, 'q')
    assert rows == schema['row_count'] and len(batch.structs(1, 'qq')) == len(columns)
    wanted = []
    for column in columns:
        wanted += [0 if column['nullability'] == 'non_null' else (rows + 7) // 8, rows * SIZES[column['type']]]
    assert [size for _, size in batch.structs(2, 'qq')] == wanted
