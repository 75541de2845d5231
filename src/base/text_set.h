/* Different texts, numbered as they come. */
#ifndef TPTUI_BASE_TEXT_SET_H
#define TPTUI_BASE_TEXT_SET_H

#include "base/str.h"
#include "base/vec.h"

struct text_set {
    VEC(struct str) texts; /* by number; their bytes are the caller's */
    uint32_t *slots;       /* numbers + 1, by hash */
    size_t slot_count;
};

/* An all-zero struct is an empty set. */
void text_set_release(struct text_set *t);

/* The number of the text, which is the count of those before where it is new: then its bytes must
 * stay as long as the set. */
uint32_t text_set_add(struct text_set *t, struct str s);

/* Bytewise; what another text begins with comes before it. */
int text_compare(struct str a, struct str b);

#endif
