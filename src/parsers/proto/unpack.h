/* Messages as structs, for those that are rare: protobuf-c fills them in, of the types that a
 * comment in protos/ marks as unpacked (scripts/gen_unpacked.py). It takes four to five times as
 * long as reading with wire.h, some 150 instructions a field: what comes by the thousand is read
 * with that.
 *
 *     const Trigger *trigger = unpack(&trigger__descriptor, bytes, size, &arena);
 *     struct str name = UNPACKED_TEXT(trigger, trigger_name);
 *
 * Absent numbers are 0 (has_x says which), absent messages NULL. Enums are numbers, also those that
 * the schema does not name.
 *
 * protobuf-c refuses a message of which any part is malformed: what cannot be read is left out
 * then, and the rest tried again. */
#ifndef TPTUI_PARSERS_PROTO_UNPACK_H
#define TPTUI_PARSERS_PROTO_UNPACK_H

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/str.h"

/* The message in `arena`, with copies of all that it refers to; never NULL. Of malformed bytes,
 * what stands before them in the message that they are in, and all of the messages around that.
 * Fields of another wire type than the schema's are left out. A message that takes much more room
 * than any writer's would is empty. */
const void *unpack(const ProtobufCMessageDescriptor *type, const void *bytes, size_t size,
                   struct arena *arena);

/* An element of a repeated string or bytes field. */
static inline struct str unpacked_str(ProtobufCBinaryData b)
{
    return b.len ? (struct str){(const char *)b.data, b.len} : (struct str){"", 0};
}

/* A string or bytes field; {NULL, 0} where it is absent. */
#define UNPACKED_TEXT(message, field)                                                              \
    ((message)->has_##field ? unpacked_str((message)->field) : (struct str){NULL, 0})

/* A number field into the one of that name in `to`, which stays as it is where the field is absent.
 */
#define UNPACK_OPTIONAL(to, message, field)                                                        \
    do {                                                                                           \
        if ((message)->has_##field)                                                                \
            (to).field = (message)->field;                                                         \
    } while (0)

#endif
