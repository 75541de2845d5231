/* Packets as structs: see parsers/proto/unpack.h. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_UNPACKED_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_UNPACKED_H

#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/unpack.h"
#include "unpacked.pb-c.h"

/* The message is there until the packet's tokenize or parse, or the record's apply, returns. */
static inline const void *unpack_bytes(struct import *im, const ProtobufCMessageDescriptor *type,
                                       struct bytes b)
{
    im->has_unpacked = true;
    return unpack(type, b.p, b.n, &im->unpacked);
}

/* The packet's payload, likewise. */
static inline const void *unpack_packet(struct import *im, const ProtobufCMessageDescriptor *type,
                                        const struct packet *p)
{
    return unpack_bytes(im, type, p->field);
}

/* After each packet and record: its messages are no longer needed. */
static inline void forget_unpacked(struct import *im)
{
    if (!im->has_unpacked)
        return;
    im->has_unpacked = false;
    arena_reset(&im->unpacked);
}

/* Interns UNPACKED_TEXT(); an absent text is NULL_STRING. */
static inline string_id intern_unpacked(struct import *im, struct str text)
{
    return text.p ? trace_intern(im->trace, text) : NULL_STRING;
}

#endif
