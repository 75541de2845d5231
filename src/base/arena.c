#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct arena_block {
    struct arena_block *previous;
    uint64_t bytes[];
};

/* Large arenas have larger blocks, as each may be a map of a file. */
enum { FIRST_BLOCK = 1 << 10, LARGEST_BLOCK = 1 << 20, HUGE_BLOCK = 1 << 24 };

void arena_init(struct arena *a)
{
    *a = (struct arena){0};
}

void arena_release(struct arena *a)
{
    for (struct arena_block *b = a->blocks; b;) {
        struct arena_block *previous = b->previous;
        free(b);
        b = previous;
    }
    *a = (struct arena){0};
}

void arena_reset(struct arena *a)
{
    struct arena_block *b = a->blocks;
    if (!b || a->next == (uint8_t *)b->bytes)
        return;
    size_t kept = (size_t)(a->end - (uint8_t *)b->bytes);
    if (kept > LARGEST_BLOCK) {
        arena_release(a);
        return;
    }
    a->blocks = b->previous;
    uint8_t *end = a->end;
    arena_release(a);
    b->previous = NULL;
    *a = (struct arena){b, (uint8_t *)b->bytes, end, kept + sizeof *b};
}

void *arena_alloc_block(struct arena *a, size_t size)
{
    size_t block = a->total < FIRST_BLOCK ? FIRST_BLOCK : a->total;
    if (block > LARGEST_BLOCK)
        block = a->total < 4 * HUGE_BLOCK ? LARGEST_BLOCK : HUGE_BLOCK;
    if (size > block / 4)
        block = size; /* a block of its own; the current one stays in use if it has more left */
    size_t bytes;
    if (__builtin_add_overflow(block, sizeof(struct arena_block), &bytes))
        bytes = SIZE_MAX;
    struct arena_block *b = alloc_bytes(bytes);
    a->total += bytes;
    uint8_t *start = (uint8_t *)b->bytes;
    if (block == size && a->blocks) {
        b->previous = a->blocks->previous;
        a->blocks->previous = b;
        return start;
    }
    b->previous = a->blocks;
    a->blocks = b;
    a->next = start + size;
    a->end = start + block;
    return start;
}

void *arena_alloc_bytes(struct arena *a, size_t size)
{
    if (!a->next || size > (size_t)(a->end - a->next))
        return arena_alloc_block(a, size);
    void *p = a->next;
    a->next += size;
    return p;
}

struct str arena_copy(struct arena *a, struct str s)
{
    char *copy = arena_alloc_bytes(a, s.n + 1);
    if (s.n)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (struct str){copy, s.n};
}
