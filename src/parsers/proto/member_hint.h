/* What a name may have meant that a message or enum does not have. */
#ifndef TPTUI_PARSERS_PROTO_MEMBER_HINT_H
#define TPTUI_PARSERS_PROTO_MEMBER_HINT_H

#include "parsers/proto/descriptors.h"

/* The end of an error: ": did you mean X?", or ": it has A, B, C" of few fields or values; "" where
 * neither helps. The caller frees it. */
char *member_hint(const struct descriptors *d, uint32_t type, struct str name);

#endif
