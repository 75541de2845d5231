/* Messages as protobuf text, as people write configs: two spaces a level, enums by name. */
#ifndef TPTUI_PARSERS_PROTO_PROTO_TEXT_H
#define TPTUI_PARSERS_PROTO_PROTO_TEXT_H

#include "base/vec.h"
#include "parsers/proto/descriptors.h"

struct text {
    VEC(char) v; /* not NUL-terminated */
};

/* Appends the message, in the order of its bytes, without a newline at the end. Fields without a
 * descriptor and malformed parts are left out. */
void proto_text_append(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                       size_t size);

#endif
