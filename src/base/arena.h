/* Memory that is given out in pieces and freed all at once. Pointers stay valid until then. */
#ifndef TPTUI_BASE_ARENA_H
#define TPTUI_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdint.h>

#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *blocks;
    uint8_t *next, *end;
    size_t total; /* bytes obtained from the system */
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
/* All pieces are given back; some memory is kept for those to come. */
void arena_reset(struct arena *a);

/* arena_alloc where the current block has no room. */
void *arena_alloc_block(struct arena *a, size_t size);

/* Uninitialised memory aligned to 8 bytes; never NULL. */
static inline void *arena_alloc(struct arena *a, size_t size)
{
    size_t pad = (size_t)(-(uintptr_t)a->next & 7);
    size_t room = (size_t)((uintptr_t)a->end - (uintptr_t)a->next);
    if (pad > room || size > room - pad || !a->next)
        return arena_alloc_block(a, size);
    uint8_t *p = a->next + pad;
    a->next = p + size;
    return p;
}

/* As arena_alloc but with no alignment: for bytes. */
void *arena_alloc_bytes(struct arena *a, size_t size);
/* A copy of the text, with a NUL behind it. */
struct str arena_copy(struct arena *a, struct str s);

#endif
