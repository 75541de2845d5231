/* Which 64-bit keys have been seen. */
#ifndef TPTUI_SQL_VECTOR_KEY_SET_H
#define TPTUI_SQL_VECTOR_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key_set {
    uint64_t *slots; /* 0 is empty */
    size_t cap, count;
    bool has_zero;
};

void key_set_release(struct key_set *s);

/* Adds keys[0..n). rows[i] stays where keys[i] is new; returns how many stay. */
uint32_t key_set_add(struct key_set *s, const uint64_t *keys, uint32_t *rows, uint32_t n);

#endif
