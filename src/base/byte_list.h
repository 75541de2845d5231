/* Bytes that are put together, and read again where they may be damaged. Integers as they lie in
 * memory. */
#ifndef TPTUI_BASE_BYTE_LIST_H
#define TPTUI_BASE_BYTE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

struct byte_list {
    VEC(uint8_t) v;
};

static inline void byte_list_add(struct byte_list *l, const void *p, size_t n)
{
    vec_append(&l->v, p, n);
}

static inline void byte_list_u64(struct byte_list *l, uint64_t v)
{
    byte_list_add(l, &v, sizeof v);
}

static inline void byte_list_u32(struct byte_list *l, uint32_t v)
{
    byte_list_add(l, &v, sizeof v);
}

/* A text with its length in front. */
static inline void byte_list_str(struct byte_list *l, struct str s)
{
    byte_list_u64(l, s.n);
    byte_list_add(l, s.p, s.n);
}

/* What is read behind the end is 0 and makes `failed` true. */
struct byte_reader {
    const uint8_t *p;
    size_t n;
    bool failed;
};

static inline void byte_reader_take(struct byte_reader *r, void *to, size_t n)
{
    memset(to, 0, n);
    if (r->failed || r->n < n) {
        r->failed = true;
        return;
    }
    memcpy(to, r->p, n);
    r->p += n;
    r->n -= n;
}

static inline uint64_t byte_reader_u64(struct byte_reader *r)
{
    uint64_t v;
    byte_reader_take(r, &v, sizeof v);
    return v;
}

static inline uint32_t byte_reader_u32(struct byte_reader *r)
{
    uint32_t v;
    byte_reader_take(r, &v, sizeof v);
    return v;
}

/* Points into the bytes that are read. */
static inline struct str byte_reader_str(struct byte_reader *r)
{
    uint64_t n = byte_reader_u64(r);
    if (r->failed || n > r->n) {
        r->failed = true;
        return (struct str){"", 0};
    }
    struct str s = {(const char *)r->p, (size_t)n};
    r->p += n;
    r->n -= (size_t)n;
    return s;
}

#endif
