/* A hash map from 64-bit keys to 32-bit values: ids, pids, uuids, hashes of composite keys. */
#ifndef TPTUI_BASE_MAP_H
#define TPTUI_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used;
};

struct map {
    struct map_slot *slots;
    size_t count, cap; /* cap is zero or a power of two */
};

void map_release(struct map *m); /* an all-zero struct map is an empty one */

/* Makes room for `n` keys, so that filling the map does not move them again and again. */
void map_reserve(struct map *m, size_t n);

/* The value's place, or NULL where the key is not there. Valid until the next insertion. */
uint32_t *map_find(const struct map *m, uint64_t key);
/* The value's place; `*inserted` says whether it is new (then it holds 0). */
uint32_t *map_insert(struct map *m, uint64_t key, bool *inserted);
/* Inserts or overwrites. */
void map_set(struct map *m, uint64_t key, uint32_t value);
void map_remove(struct map *m, uint64_t key);

#endif
