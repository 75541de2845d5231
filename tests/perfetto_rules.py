"""The rules of Perfetto's format that a trace must keep so that other readers open it.

A file is packets and nothing else; a packet that needs incremental state comes behind one of its sequence that begins it,
and ids of names, categories and annotations behind their interned data; clocks are told before times, where the trace tells
them.
"""
PACKET = 1  # of Trace
CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS, CLEARED = 6, 8, 10, 11, 12, 13, 41  # of TracePacket
BEGINS_STATE, NEEDS_STATE = 1, 2  # of sequence_flags
# Of TrackEvent: a field with an id, and where InternedData has its texts.
REFERENCES = {10: 2, 3: 1}
ANNOTATION, ANNOTATION_NAMES = 4, 3


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Pairs of a field's number and its value, bytes where it is not a varint. Raises IndexError where a field is cut."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = varint(data, at)
            if kind not in (1, 2, 5) or at + size > len(data):
                raise IndexError('field %d of kind %d at %d' % (tag >> 3, kind, at))
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


class Sequence:
    def __init__(self):
        self.begun = False
        self.known = set()  # (field of InternedData, id)

    def learn(self, interned):
        for kind, entry in fields(interned):
            if isinstance(entry, bytes):
                self.known |= {(kind, value) for number, value in fields(entry) if number == 1}

    def unknown(self, event):
        """Names of ids that nothing has told."""
        for number, value in fields(event):
            if number in REFERENCES and isinstance(value, int) and (REFERENCES[number], value) not in self.known:
                yield 'id %d of field %d' % (value, number)
            if number == ANNOTATION:
                for inner, name in fields(value):
                    if inner == 1 and (ANNOTATION_NAMES, name) not in self.known:
                        yield 'name %d of an annotation' % name


def problems(data):
    sequences, has_clocks = {}, False
    tells_clocks = any(number == CLOCK_SNAPSHOT for _, packet in fields(data) for number, _ in fields(packet))
    for index, (number, packet) in enumerate(fields(data)):
        if number != PACKET:
            yield 'field %d beside the packets' % number
            continue
        parts = {}
        for part, value in fields(packet):
            parts.setdefault(part, []).append(value)
        flags = parts.get(FLAGS, [0])[0]
        sequence = sequences.setdefault(parts.get(SEQUENCE, [None])[0], Sequence())
        if flags & BEGINS_STATE or parts.get(CLEARED, [0])[0]:
            sequence.begun, sequence.known = True, set()
        if flags & NEEDS_STATE and not sequence.begun:
            yield 'packet %d needs state that nothing began' % index
        for interned in parts.get(INTERNED, []):
            sequence.learn(interned)
        for event in parts.get(TRACK_EVENT, []):
            for what in sequence.unknown(event):
                yield 'packet %d: %s is not known' % (index, what)
        has_clocks |= CLOCK_SNAPSHOT in parts
        if tells_clocks and TIMESTAMP in parts and not has_clocks:
            yield 'packet %d has a time before any clock is told' % index
