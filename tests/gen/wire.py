"""Reading and writing Protobuf's wire format."""


def varint(data, at):
    """The number at `at`, and where the next thing begins."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """Each field's number, and its value: a number, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 4 if tag & 7 == 5 else 8
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def put_varint(value):
    out = b''
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def put_number(field, value):
    return put_varint(field << 3) + put_varint(value)


def put_message(field, *parts):
    """A field of bytes: texts, and messages' fields."""
    body = b''.join(part.encode() if isinstance(part, str) else part for part in parts)
    return put_varint(field << 3 | 2) + put_varint(len(body)) + body
