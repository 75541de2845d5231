/* How arg sets lie in memory, for who adds and reads them: core/store/args.c and
 * core/store/args_deferred.c.
 * A set is its kind with a bit for a base, its size, and as many bytes, one behind the other. */
#ifndef TPTUI_CORE_STORE_ARGS_SETS_H
#define TPTUI_CORE_STORE_ARGS_SETS_H

#include "core/store/args.h"

enum { VARINT_MAX = 10, ARGS_SET_HEADER_MAX = 2 * VARINT_MAX };

/* The kind of ready lists, the first of all. */
enum { ARGS_LISTS = 0 };

static inline uint8_t *pack_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static inline uint64_t unpack_varint(const uint8_t **from)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*from)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

/* A set, before it exists or when it is read. On a base, its bytes begin with the base's id. */
struct args_set {
    uint32_t kind;
    bool on_base;
    const uint8_t *data;
    size_t size;
};

/* Writes what is before a set's bytes, at most ARGS_SET_HEADER_MAX; returns how much that is. */
size_t args_set_header(const struct args_set *s, uint8_t *to);
/* The set whose header is at `p`, all of which is there. */
struct args_set args_set_unpack(const uint8_t *p);

enum { ARGS_DEFERRED_SIZE_BITS = 12, ARGS_DEFERRED_KIND_BITS = 12 };
enum { ARGS_DEFERRED_MOST = 1 << 30 };

/* Whether a payload can be deferred: where it lies in the file. */
static inline bool args_can_defer(const struct args *a, uint32_t kind, const uint8_t *payload,
                                  size_t n, uint64_t *offset)
{
    const struct args_deferred *d = &a->deferred;
    *offset = (uintptr_t)payload - (uintptr_t)d->bytes;
    return *offset < d->n && n <= d->n - *offset && n >> ARGS_DEFERRED_SIZE_BITS == 0 &&
           kind >> ARGS_DEFERRED_KIND_BITS == 0 && d->count < ARGS_DEFERRED_MOST;
}

/* Takes the id of a payload that can be deferred, and which the caller notes. */
static inline uint32_t args_defer_elsewhere(struct args *a)
{
    return ARGS_DEFERRED | a->deferred.count++;
}

/* Notes where a payload lies, or a set whose base is deferred; the deferred id, or NULL_U32 where
 * it cannot be. */
uint32_t args_defer_payload(struct args *a, uint32_t kind, const uint8_t *payload, size_t n);
uint32_t args_defer_on_top(struct args *a, const struct args_set *s);
/* Whether it is the id of a deferred set whose bytes are there, and that set. */
bool args_deferred_readable(const struct args *a, uint32_t id);
struct args_set args_deferred_get(const struct args *a, uint32_t id);

/* Where the set with this id, which exists, begins in its area. */
size_t args_set_offset(const struct args *a, uint32_t id);
struct args_set args_set_get(const struct args *a, uint32_t id);
/* The id of the set with these bytes, which are copied where it is new; NULL_U32 where there are
 * too many. */
uint32_t args_set_intern(struct args *a, const struct args_set *s);

#endif
