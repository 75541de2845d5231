/* The parts of a DeobfuscationMapping. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_NAME_MAPPING_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_NAME_MAPPING_H

#include "core/trace_builder.h"
#include "parsers/proto/wire.h"

enum { MAPPING_NAME_BYTES = 1024 }; /* longer names are cut off */

/* Of a class or a member; empty where not said. */
struct mapping_names {
    struct str obfuscated, readable;
};

/* The package whose names these are; NULL_STRING where the mapping names none. */
string_id mapping_package(struct trace *t, struct bytes mapping);

/* Of an ObfuscatedClass, into which they point. */
struct mapping_names mapping_class_names(struct pb_reader r);

/* Of an ObfuscatedMember of the class `of`, with the class in front; those that were moved into the
 * class have their own. They point into the buffers, or into the message. */
struct mapping_names mapping_member_names(struct mapping_names of, struct pb_reader r,
                                          char obfuscated[MAPPING_NAME_BYTES],
                                          char readable[MAPPING_NAME_BYTES]);

#endif
