#include "sql/batches/key_set.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { CAP_FIRST = 4096, CAP_MODEST = 1 << 17, AHEAD = 256 };

void key_set_release(struct key_set *s)
{
    free(s->slots);
    *s = (struct key_set){0};
}

static size_t slot_of(const struct key_set *s, uint64_t key)
{
    return (size_t)hash_u64(key) & (s->cap - 1);
}

/* From the key's slot on. */
static bool put(struct key_set *s, size_t at, uint64_t key)
{
    for (; s->slots[at]; at = (at + 1) & (s->cap - 1))
        if (s->slots[at] == key)
            return false;
    s->slots[at] = key;
    s->count++;
    return true;
}

/* Room for n more; false where there is no memory, and the statement ends. */
static bool reserve(struct key_set *s, uint32_t n)
{
    struct key_set larger = {.cap = s->cap ? s->cap : CAP_FIRST, .has_zero = s->has_zero};
    while (larger.cap / 2 < s->count + n)
        larger.cap *= larger.cap < CAP_MODEST ? 4 : 2;
    if (larger.cap == s->cap)
        return true;
    larger.slots = alloc_try_array(larger.cap, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < s->cap; i++)
        if (s->slots[i])
            put(&larger, slot_of(&larger, s->slots[i]), s->slots[i]);
    free(s->slots);
    *s = larger;
    return true;
}

/* As key_set_add, with room for all of AHEAD keys at most: their slots are on the way while the
 * first ones are looked at. */
static uint32_t add_some(struct key_set *s, const uint64_t *keys, const uint32_t *rows, uint32_t n,
                         uint32_t *out)
{
    size_t at[AHEAD];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[i] = slot_of(s, keys[i]);
        __builtin_prefetch(&s->slots[at[i]], 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool zero = keys[i] == 0, fresh = zero ? !s->has_zero : put(s, at[i], keys[i]);
        s->has_zero |= zero;
        out[kept] = rows[i];
        kept += fresh;
    }
    return kept;
}

uint32_t key_set_add(struct key_set *s, const uint64_t *keys, uint32_t *rows, uint32_t n)
{
    uint32_t kept = 0;
    if (!reserve(s, n))
        return 0;
    for (uint32_t i = 0; i < n; i += AHEAD)
        kept += add_some(s, keys + i, rows + i, n - i < AHEAD ? n - i : AHEAD, rows + kept);
    return kept;
}
