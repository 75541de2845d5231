#include "core/store/string_pool.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

static void append(struct string_pool *pool, struct str s)
{
    uint32_t id = pool->count, chunk = id >> STRING_CHUNK_BITS;
    if (!pool->chunks[chunk])
        pool->chunks[chunk] = alloc_array(STRING_CHUNK, sizeof(struct str));
    pool->chunks[chunk][id & (STRING_CHUNK - 1)] = s;
    __atomic_store_n(&pool->count, id + 1, __ATOMIC_RELEASE);
}

void string_pool_init(struct string_pool *pool)
{
    *pool = (struct string_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
    arena_init(&pool->bytes);
    pool->chunks = alloc_array(STRING_CHUNKS, sizeof *pool->chunks);
    pool->cap = 1024;
    pool->slots = alloc_array(pool->cap, sizeof *pool->slots);
    append(pool, STR("")); /* NULL_STRING */
}

void string_pool_release(struct string_pool *pool)
{
    for (size_t i = 0; pool->chunks && i < STRING_CHUNKS && pool->chunks[i]; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    free(pool->slots);
    arena_release(&pool->bytes);
    pthread_mutex_destroy(&pool->lock);
}

static void grow(struct string_pool *pool)
{
    size_t old_cap = pool->cap, cap = old_cap * 2;
    uint64_t *old = pool->slots;
    uint64_t *slots = pool->count + (size_t)1 < old_cap ? alloc_try_array(cap, sizeof *slots)
                                                        : alloc_array(cap, sizeof *slots);
    if (!slots)
        return; /* what is free is enough for now, and who interns is to stop */
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i] == 0)
            continue;
        size_t at = (size_t)(old[i] >> 32) & (cap - 1);
        while (slots[at] != 0)
            at = (at + 1) & (cap - 1);
        slots[at] = old[i];
    }
    free(old);
    pool->slots = slots;
    pool->cap = cap;
}

/* The slot that holds the string, or the empty one where it would go. */
static size_t probe(const struct string_pool *pool, struct str s, uint32_t hash)
{
    size_t at = hash & (pool->cap - 1);
    for (; pool->slots[at] != 0; at = (at + 1) & (pool->cap - 1)) {
        uint64_t slot = pool->slots[at];
        if ((uint32_t)(slot >> 32) == hash && str_eq(string_pool_get(pool, (uint32_t)slot), s))
            break;
    }
    return at;
}

static uint32_t hash_of(struct str s)
{
    return (uint32_t)(hash_bytes(s.p, s.n, 0) >> 32);
}

static string_id intern(struct string_pool *pool, struct str s)
{
    uint32_t hash = hash_of(s);
    size_t at = probe(pool, s, hash);
    if (pool->slots[at] != 0)
        return (string_id)pool->slots[at];
    if (pool->count == UINT32_MAX || pool->count >> STRING_CHUNK_BITS >= STRING_CHUNKS)
        return NULL_STRING;
    string_id id = pool->count;
    append(pool, arena_copy(&pool->bytes, s));
    pool->slots[at] = (uint64_t)hash << 32 | id;
    if ((size_t)pool->count * 2 > pool->cap)
        grow(pool);
    return id;
}

/* No pool is defined const: it is only passed so. */
static struct string_pool *writable(const struct string_pool *pool)
{
    return (struct string_pool *)(uintptr_t)pool;
}

string_id string_pool_intern(const struct string_pool *pool, struct str s)
{
    struct string_pool *p = writable(pool);
    if (!s.p)
        return NULL_STRING;
    if (!p->shared)
        return intern(p, s);
    pthread_mutex_lock(&p->lock);
    string_id id = intern(p, s);
    pthread_mutex_unlock(&p->lock);
    return id;
}

string_id string_pool_lookup(const struct string_pool *pool, struct str s)
{
    struct string_pool *p = writable(pool);
    pthread_mutex_lock(&p->lock);
    string_id id = (string_id)p->slots[probe(p, s, hash_of(s))];
    pthread_mutex_unlock(&p->lock);
    return id;
}

bool string_pool_adopt(struct string_pool *pool, struct str s, uint32_t id)
{
    if (id == 0)
        return s.n == 0;
    append(pool, s);
    return true;
}

void string_pool_index(struct string_pool *pool)
{
    while (pool->cap < (size_t)pool->count * 2)
        pool->cap *= 2;
    free(pool->slots);
    pool->slots = alloc_array(pool->cap, sizeof *pool->slots);
    for (uint32_t id = 1; id < pool->count; id++) {
        struct str s = string_pool_get(pool, id);
        uint32_t hash = hash_of(s);
        size_t at = probe(pool, s, hash);
        if (pool->slots[at] == 0)
            pool->slots[at] = (uint64_t)hash << 32 | id;
    }
}
