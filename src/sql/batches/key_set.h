/* Which 64-bit keys have been seen. */
#ifndef TPTUI_SQL_BATCHES_KEY_SET_H
#define TPTUI_SQL_BATCHES_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one. */
struct key_set {
    uint64_t *slots; /* 0 is empty */
    size_t cap, count;
    bool has_zero;
};

void key_set_release(struct key_set *s);

/* Adds keys[0..n). Of rows[0..n) those whose key is new move to the front, in order; returns how
 * many; 0 where there is no memory, and the statement is to end. */
uint32_t key_set_add(struct key_set *s, const uint64_t *keys, uint32_t *rows, uint32_t n);

#endif
