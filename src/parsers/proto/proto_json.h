/* Messages as JSON, as Trace Processor writes metrics. */
#ifndef TPTUI_PARSERS_PROTO_PROTO_JSON_H
#define TPTUI_PARSERS_PROTO_PROTO_JSON_H

#include "parsers/proto/proto_text.h"

/* Appends the message as an object, two spaces a level, without a newline at the end: fields in the
 * order of their first appearance, repeated ones as arrays, enums by name, extensions of the outer
 * message by full name, bytes as texts with a character (U+0000 to U+00FF) a byte, all that is not
 * ASCII as \u escapes. Numbers are never in quotes. Fields without a descriptor and malformed parts
 * are left out. */
void proto_json_append(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                       size_t size);

#endif
