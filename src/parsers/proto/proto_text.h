/* Messages as protobuf text, as people write configs: both ways, for any message that the registry
 * of descriptors knows. */
#ifndef TPTUI_PARSERS_PROTO_PROTO_TEXT_H
#define TPTUI_PARSERS_PROTO_PROTO_TEXT_H

#include "base/vec.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/write.h"

struct text {
    VEC(char) v; /* not NUL-terminated; the owner releases it */
};

/* Appends the message, in the order of its bytes, without a newline at the end: two spaces a level,
 * enums by name. Fields without a descriptor and malformed parts are left out. */
void proto_text_append(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                       size_t size);

/* Reads text as a message of `type` (from descriptors_find) and appends its bytes to `out`, fields
 * in the order of the text; repeated numbers that stand together are packed where their field is.
 *
 * All of the text format is understood: "field: value", "field { }", "field: < >", lists in
 * brackets, texts in either quotes and in pieces, escapes, numbers in bases 8, 10 and 16, inf and
 * nan, enums by name or number, extensions as "[package.name]" or by their bare name, comments
 * behind '#', ',' or ';' behind fields. What is refused: fields and enum values that the registry
 * does not know, numbers out of the field's range, a field that is not repeated twice in a message,
 * and more than PROTO_TEXT_DEPTH_MAX messages within each other.
 *
 * An error is STATUS_FORMAT, "SOURCE:LINE:COLUMN: what is wrong", with columns in bytes from 1;
 * nothing has been appended then. The text need not be UTF-8. Takes O(size * depth). */
struct status proto_text_parse(struct pb_bytes *out, struct descriptors *d, uint32_t type,
                               const char *source, struct str text);

enum { PROTO_TEXT_DEPTH_MAX = 64 };

#endif
