#include "core/store/args_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/store/table.h"

/* Of a kind's first payloads at least so many must be equal to earlier ones, or they are not looked
 * up any more: to find that a payload is new costs more than to keep it twice. Where equal ones
 * come later only (pointers that are used again), sharing is worth while: sets are fewer to read.
 */
enum { TRIED = 1 << 12, LEAST_FOUND = 1 << 6 };

size_t args_set_offset(const struct args *a, uint32_t id)
{
    uint32_t place = a->places.items[id - 1];
    const struct args_area *area = place & 1 ? &a->unshared : &a->shared;
    uint64_t offset = place >> 1;
    for (size_t i = 0; i < area->laps.count && area->laps.items[i] <= id; i++)
        offset += UINT64_C(1) << a->place_bits;
    return offset;
}

static const uint8_t *set_at(const struct args *a, uint32_t id)
{
    const struct args_area *area = a->places.items[id - 1] & 1 ? &a->unshared : &a->shared;
    return area->bytes.items + args_set_offset(a, id);
}

size_t args_set_header(const struct args_set *s, uint8_t *to)
{
    if (s->kind < 0x40 && s->size < 0x80) { /* nearly all */
        to[0] = (uint8_t)(s->kind << 1 | s->on_base);
        to[1] = (uint8_t)s->size;
        return 2;
    }
    uint8_t *end = pack_varint(to, (uint64_t)s->kind << 1 | s->on_base);
    return (size_t)(pack_varint(end, s->size) - to);
}

struct args_set args_set_unpack(const uint8_t *p)
{
    uint64_t kind = unpack_varint(&p), size = unpack_varint(&p);
    return (struct args_set){(uint32_t)(kind >> 1), kind & 1, p, size};
}

struct args_set args_set_get(const struct args *a, uint32_t id)
{
    return args_set_unpack(set_at(a, id));
}

static uint32_t set_add(struct args *a, const uint8_t *header, size_t header_size,
                        const struct args_set *s)
{
    bool unshared = a->kinds.items[s->kind].unshared;
    struct args_area *area = unshared ? &a->unshared : &a->shared;
    size_t offset = area->bytes.count;
    if (args_count(a) == ARGS_MOST)
        return NULL_U32;
    vec_reserve(&area->bytes, offset + header_size + s->size);
    memcpy(area->bytes.items + offset, header, header_size);
    if (s->size)
        memcpy(area->bytes.items + offset + header_size, s->data, s->size);
    area->bytes.count += header_size + s->size;
    uint32_t low = (uint32_t)(offset & ((UINT64_C(1) << a->place_bits) - 1));
    *vec_push(&a->places) = low << 1 | unshared;
    while (area->laps.count < offset >> a->place_bits)
        *vec_push(&area->laps) = args_count(a);
    return args_count(a);
}

/* memcmp for a few bytes that are equal, mostly: a call of it took longer than comparing. */
static inline bool bytes_equal(const uint8_t *p, const uint8_t *q, size_t n)
{
    uint64_t a, b;
    if (n < 8) {
        for (size_t i = 0; i < n; i++)
            if (p[i] != q[i])
                return false;
        return true;
    }
    for (size_t i = 0; i + 8 < n; i += 8) {
        memcpy(&a, p + i, 8);
        memcpy(&b, q + i, 8);
        if (a != b)
            return false;
    }
    memcpy(&a, p + n - 8, 8);
    memcpy(&b, q + n - 8, 8);
    return a == b;
}

static bool set_equals(const struct args *a, uint32_t id, const uint8_t *header, size_t header_size,
                       const struct args_set *s)
{
    const uint8_t *p = set_at(a, id);
    size_t left = (size_t)(a->shared.bytes.items + a->shared.bytes.count - p);
    return left >= header_size && left - header_size >= s->size &&
           bytes_equal(p, header, header_size) && bytes_equal(p + header_size, s->data, s->size);
}

static void grow(struct args *a)
{
    uint64_t *old = a->slots;
    size_t old_cap = a->cap;
    a->cap *= 2;
    a->slots = alloc_array(a->cap, sizeof *a->slots);
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i] == 0)
            continue;
        size_t at = (size_t)(old[i] >> 32) & (a->cap - 1);
        while (a->slots[at] != 0)
            at = (at + 1) & (a->cap - 1);
        a->slots[at] = old[i];
    }
    free(old);
}

uint32_t args_set_intern(struct args *a, const struct args_set *s)
{
    struct args_kind *kind = &a->kinds.items[s->kind];
    uint8_t header[ARGS_SET_HEADER_MAX];
    size_t header_size = args_set_header(s, header);
    if (s->kind != ARGS_LISTS && kind->tried++ == TRIED)
        kind->unshared = kind->found < LEAST_FOUND;
    if (kind->unshared)
        return set_add(a, header, header_size, s);
    uint64_t seed = (uint64_t)s->kind << 1 | s->on_base;
    uint32_t tag = (uint32_t)(hash_bytes(s->data, s->size, hash_u64(seed)) >> 32);
    size_t at = tag & (a->cap - 1);
    for (; a->slots[at] != 0; at = (at + 1) & (a->cap - 1)) {
        uint32_t id = (uint32_t)a->slots[at];
        if (a->slots[at] >> 32 == tag && set_equals(a, id, header, header_size, s)) {
            kind->found++;
            return id;
        }
    }
    uint32_t id = set_add(a, header, header_size, s);
    if (id == NULL_U32)
        return id;
    a->slots[at] = (uint64_t)tag << 32 | id;
    if (++a->hashed * 4 > a->cap * 3)
        grow(a);
    return id;
}
