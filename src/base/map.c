#include "base/map.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

void map_release(struct map *m)
{
    free(m->slots);
    *m = (struct map){0};
}

/* The slot that holds the key, or the empty one where it would go. */
static size_t probe(const struct map *m, uint64_t key)
{
    size_t mask = m->cap - 1, i = (size_t)hash_u64(key) & mask;
    while (m->slots[i].used && m->slots[i].key != key)
        i = (i + 1) & mask;
    return i;
}

static void grow_to(struct map *m, size_t cap)
{
    struct map old = *m;
    struct map_slot *slots = old.count + 1 < old.cap ? alloc_try_array(cap, sizeof *slots)
                                                     : alloc_array(cap, sizeof *slots);
    if (!slots)
        return; /* what is free is enough for now, and who fills the map is to stop */
    m->cap = cap;
    m->slots = slots;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].used)
            m->slots[probe(m, old.slots[i].key)] = old.slots[i];
    free(old.slots);
}

static void grow(struct map *m)
{
    grow_to(m, m->cap ? m->cap * 2 : 16);
}

void map_reserve(struct map *m, size_t n)
{
    size_t cap = m->cap ? m->cap : 16;
    while (cap / 4 * 3 <= n && cap <= SIZE_MAX / 2)
        cap *= 2;
    if (cap > m->cap)
        grow_to(m, cap);
}

uint32_t *map_find(const struct map *m, uint64_t key)
{
    if (m->count == 0)
        return NULL;
    size_t i = probe(m, key);
    return m->slots[i].used ? &m->slots[i].value : NULL;
}

uint32_t *map_insert(struct map *m, uint64_t key, bool *inserted)
{
    if (m->count * 4 >= m->cap * 3)
        grow(m);
    size_t i = probe(m, key);
    *inserted = !m->slots[i].used;
    if (*inserted) {
        m->slots[i] = (struct map_slot){.key = key, .used = 1};
        m->count++;
    }
    return &m->slots[i].value;
}

void map_set(struct map *m, uint64_t key, uint32_t value)
{
    bool inserted;
    *map_insert(m, key, &inserted) = value;
}

void map_remove(struct map *m, uint64_t key)
{
    if (m->count == 0)
        return;
    size_t mask = m->cap - 1, hole = probe(m, key);
    if (!m->slots[hole].used)
        return;
    m->count--;
    for (size_t i = (hole + 1) & mask; m->slots[i].used; i = (i + 1) & mask) {
        size_t home = (size_t)hash_u64(m->slots[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].used = 0;
}
