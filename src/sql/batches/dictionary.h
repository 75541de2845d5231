/* Numbers for keys: the first key that is seen gets 0, the next one 1. */
#ifndef TPTUI_SQL_BATCHES_DICTIONARY_H
#define TPTUI_SQL_BATCHES_DICTIONARY_H

#include "base/map.h"

enum { DICTIONARY_DIRECT = 1 << 20 }; /* smaller keys are looked up without hashing */

/* All zero is an empty one. */
struct dictionary {
    uint32_t *direct; /* by keys below `size`: number + 1, 0 for none */
    uint64_t size;
    struct map map;   /* of the others */
    uint32_t count;   /* of different keys so far */
    uint32_t null_id; /* number + 1 of NULL */
};

void dictionary_release(struct dictionary *d);
/* For a small key that is not in `direct` yet, or a large one. */
uint32_t dictionary_add(struct dictionary *d, uint64_t key);
uint32_t dictionary_null(struct dictionary *d);

static inline uint32_t dictionary_number(struct dictionary *d, uint64_t key)
{
    if (key < d->size && d->direct[key])
        return d->direct[key] - 1;
    return dictionary_add(d, key);
}

/* The number of a key; UINT32_MAX where it has none. */
static inline uint32_t dictionary_find(const struct dictionary *d, uint64_t key)
{
    if (key < DICTIONARY_DIRECT)
        return key < d->size ? d->direct[key] - 1 : UINT32_MAX;
    const uint32_t *number = map_find(&d->map, key);
    return number ? *number : UINT32_MAX;
}

/* A key of two numbers. Pairs of small ones are small. */
static inline uint64_t pair_key(uint32_t a, uint32_t b)
{
    bool small = b < 64 && a < (1 << 14);
    return small ? (uint64_t)a << 6 | b : UINT64_C(1) << 63 | (uint64_t)a << 32 | b;
}

#endif
