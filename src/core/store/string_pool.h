/* Every string of a trace, stored once. Equal ids mean equal bytes; the bytes never move.
 *
 * Reading needs no lock; interning takes one once the load is over. */
#ifndef TPTUI_CORE_STORE_STRING_POOL_H
#define TPTUI_CORE_STORE_STRING_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef uint32_t string_id;

/* The absence of a string: SQL NULL. The empty string has an id of its own. */
#define NULL_STRING ((string_id)0)

enum { STRING_CHUNK_BITS = 14, STRING_CHUNK = 1 << STRING_CHUNK_BITS, STRING_CHUNKS = 1 << 16 };

struct string_pool {
    struct str **chunks; /* STRING_CHUNKS pointers, filled from the front, never moved */
    uint32_t count;      /* published with release order; ids below it may be read by any thread */
    struct arena bytes;
    uint64_t *slots; /* hash in the upper half, id in the lower; 0 is empty */
    size_t cap;
    pthread_mutex_t lock;
    bool shared; /* interning takes the lock; set once loading is over */
};

void string_pool_init(struct string_pool *pool);
void string_pool_release(struct string_pool *pool);

/* The id of these bytes; NULL_STRING where there are none ({NULL, 0}), which is how a field that is
 * absent is read. Never fails; NUL bytes inside are kept. What is added changes nothing that
 * was there, so that the pool of a loaded trace, which is const, takes strings, too. */
string_id string_pool_intern(const struct string_pool *pool, struct str s);
/* The id if the bytes are there already, else NULL_STRING. */
string_id string_pool_lookup(const struct string_pool *pool, struct str s);

/* For a pool that is filled from stored strings, whose bytes stay where they are: the string
 * becomes number `id`, the one behind the last. Number 0, NULL_STRING, is there already: it is not
 * added, and false is returned where it is not empty. Call string_pool_index once all are there. */
bool string_pool_adopt(struct string_pool *pool, struct str s, uint32_t id);
void string_pool_index(struct string_pool *pool);

/* The bytes of an id, with a NUL behind them. NULL_STRING gives {"", 0}. */
static inline struct str string_pool_get(const struct string_pool *pool, string_id id)
{
    return pool->chunks[id >> STRING_CHUNK_BITS][id & (STRING_CHUNK - 1)];
}

#endif
