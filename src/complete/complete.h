/* What may stand at a place of a script. */
#ifndef TPTUI_COMPLETE_COMPLETE_H
#define TPTUI_COMPLETE_COMPLETE_H

#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"
#include "complete/schema.h"

struct candidate {
    char *text;       /* what is inserted: "dur", "count(", "_intervals_merge!(" */
    const char *kind; /* "column", "table", "keyword" ... */
    char *detail;     /* type, signature, description; "" for none */
    int rank;         /* the smaller, the more likely */
};

struct completion {
    size_t from, to; /* the bytes that a candidate takes the place of: what is typed so far */
    VEC(struct candidate) v; /* the likeliest first */
};

/* Finds what can stand at `caret`: columns of what stands in FROM first, tables behind FROM,
 * modules behind INCLUDE PERFETTO MODULE. Nothing within strings and comments. `schema` may be
 * NULL. `out` is zeroed or was released. */
void complete(const struct schema *schema, struct str text, size_t caret, struct completion *out);
void completion_release(struct completion *c);

#endif
