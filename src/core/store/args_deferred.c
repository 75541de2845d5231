#include "core/store/args_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "core/store/table.h"

/* Of a deferred set, where its payload lies in the file, how long it is, and its kind; of one on
 * top of another, where it begins in `on_top`, with the kind of lists, which are never deferred.
 * Once it is settled, its id. */
enum {
    OFFSET_BITS = 40,
    SIZE_BITS = ARGS_DEFERRED_SIZE_BITS,
    KIND_BITS = ARGS_DEFERRED_KIND_BITS,
    SIZE_END = 1 << SIZE_BITS,
};
_Static_assert(OFFSET_BITS + SIZE_BITS + KIND_BITS == 64, "where a payload lies is 64 bits");

static const uint64_t offset_end = UINT64_C(1) << OFFSET_BITS;
/* Of a set that is noted elsewhere, until it is told: a payload of that size would end behind
 * offset_end, up to which they are deferred. */
static const uint64_t untold = UINT64_MAX;

static uint64_t pack_note(uint64_t offset, size_t size, uint32_t kind)
{
    return offset | (uint64_t)size << OFFSET_BITS | (uint64_t)kind << (OFFSET_BITS + SIZE_BITS);
}

static uint32_t defer(struct args *a, uint64_t offset, size_t size, uint32_t kind)
{
    struct args_deferred *d = &a->deferred;
    *vec_push(&d->sets) = pack_note(offset, size, kind);
    if (d->elsewhere)
        *vec_push(&d->numbers) = d->count;
    return ARGS_DEFERRED | d->count++;
}

uint32_t args_defer_payload(struct args *a, uint32_t kind, const uint8_t *payload, size_t n)
{
    uint64_t offset;
    return args_can_defer(a, kind, payload, n, &offset) ? defer(a, offset, n, kind) : NULL_U32;
}

void args_begin_elsewhere(struct args *a)
{
    struct args_deferred *d = &a->deferred;
    d->elsewhere = true;
    for (uint32_t i = 0; i < d->count; i++)
        *vec_push(&d->numbers) = i;
}

/* From the last to the first: no note is written over before it was moved. */
void args_defer_all(struct args *a)
{
    struct args_deferred *d = &a->deferred;
    size_t from = d->sets.count;
    vec_reserve(&d->sets, d->count);
    d->sets.count = d->count;
    for (size_t i = d->count; i-- > 0;) {
        bool is_noted = from > 0 && d->numbers.items[from - 1] == i;
        d->sets.items[i] = is_noted ? d->sets.items[--from] : untold;
    }
    vec_release(&d->numbers);
    d->elsewhere = false;
}

uint32_t args_defer_next(struct args *a, uint32_t *next, uint32_t kind, uint64_t offset, size_t n)
{
    uint64_t *sets = a->deferred.sets.items;
    while (sets[*next] != untold)
        ++*next;
    sets[*next] = pack_note(offset, n, kind);
    return ARGS_DEFERRED | (*next)++;
}

uint32_t args_defer_on_top(struct args *a, const struct args_set *s)
{
    struct args_deferred *d = &a->deferred;
    uint64_t offset = d->on_top.count;
    uint8_t header[ARGS_SET_HEADER_MAX];
    size_t header_size = args_set_header(s, header);
    if (offset >= offset_end || d->count >= ARGS_DEFERRED_MOST)
        return NULL_U32;
    vec_append(&d->on_top, header, header_size);
    vec_append(&d->on_top, s->data, s->size);
    return defer(a, offset, 0, ARGS_LISTS);
}

/* The set that is noted, whose payload lies in `bytes`. */
static struct args_set noted(const struct args_deferred *d, uint64_t note, const uint8_t *bytes)
{
    uint64_t offset = note & (offset_end - 1);
    uint32_t kind = (uint32_t)(note >> (OFFSET_BITS + SIZE_BITS));
    if (kind == ARGS_LISTS)
        return args_set_unpack(d->on_top.items + offset);
    return (struct args_set){.kind = kind,
                             .data = bytes + offset,
                             .size = (size_t)(note >> OFFSET_BITS) & (SIZE_END - 1)};
}

/* Where a set's note is in `sets`, sets.count where it is noted elsewhere. */
static size_t find_note(const struct args_deferred *d, uint32_t id)
{
    uint32_t number = id & ~ARGS_DEFERRED;
    if (!d->elsewhere)
        return number;
    size_t at = BISECT(i, 0, d->numbers.count, d->numbers.items[i] < number);
    bool found = at < d->numbers.count && d->numbers.items[at] == number;
    return found ? at : d->sets.count;
}

bool args_deferred_readable(const struct args *a, uint32_t id)
{
    const struct args_deferred *d = &a->deferred;
    if (!d->bytes || !(id & ARGS_DEFERRED) || find_note(d, id) >= d->sets.count)
        return false;
    struct args_set s = args_deferred_get(a, id);
    uint32_t base = s.on_base ? (uint32_t)unpack_varint(&s.data) : NULL_U32;
    return !s.on_base || !(base & ARGS_DEFERRED) || find_note(d, base) < d->sets.count;
}

struct args_set args_deferred_get(const struct args *a, uint32_t id)
{
    const struct args_deferred *d = &a->deferred;
    return noted(d, d->sets.items[find_note(d, id)], d->bytes);
}

void args_defer(struct args *a, const uint8_t *bytes, size_t n)
{
    if (bytes && a->deferred.count > 0)
        return; /* of another file, which is not there any more */
    a->deferred.bytes = bytes;
    a->deferred.n = !bytes ? 0 : n < offset_end ? n : offset_end;
}

bool args_any_deferred(const struct args *a)
{
    return a->deferred.count > 0 && !a->deferred.file.self;
}

void args_deferred_lie_in(struct args *a, struct args_file file)
{
    a->deferred.file = file;
    atomic_store(&a->deferred.state, ARGS_UNSETTLED);
}

/* The base, whose id comes before that of what lies on top of it, is settled already. */
static uint32_t intern_on_top(struct args *a, struct args_set s)
{
    const uint8_t *list = s.data, *end = s.data + s.size;
    uint32_t base = args_settled_id(a, (uint32_t)unpack_varint(&list));
    if (base == NULL_U32)
        return NULL_U32;
    vec_reserve(&a->packed, VARINT_MAX + s.size);
    uint8_t *to = pack_varint(a->packed.items, base);
    memcpy(to, list, (size_t)(end - list));
    s.data = a->packed.items;
    s.size = (size_t)(to - s.data) + (size_t)(end - list);
    return args_set_intern(a, &s);
}

static void intern_all(struct args *a, const uint8_t *bytes, size_t n)
{
    enum { STEP = 4 << 20 };
    struct args_deferred *d = &a->deferred;
    uint64_t forgotten = 0;
    for (size_t i = 0; i < d->sets.count; i++) {
        struct args_set s = noted(d, d->sets.items[i], bytes);
        if (s.on_base) {
            d->sets.items[i] = intern_on_top(a, s);
            continue;
        }
        uint64_t at = (uint64_t)(s.data - bytes);
        bool there = at <= n && s.size <= n - at;
        d->sets.items[i] = there ? args_set_intern(a, &s) : NULL_U32;
        if (at > forgotten + STEP) {
            d->file.forget(d->file.self);
            forgotten = at;
        }
    }
}

void args_end_lookups(struct args *a)
{
    if (a->deferred.count > 0)
        return; /* they will be added */
    free(a->slots);
    a->slots = NULL;
    a->cap = 0;
}

bool args_settle(struct args *a)
{
    struct args_deferred *d = &a->deferred;
    size_t n = 0;
    const uint8_t *bytes = d->file.map(d->file.self, &n);
    if (bytes)
        intern_all(a, bytes, n);
    return bytes && d->file.unmap(d->file.self);
}

uint32_t args_settled_id(const struct args *a, uint32_t id)
{
    const struct args_deferred *d = &a->deferred;
    if (id == NULL_U32 || !(id & ARGS_DEFERRED))
        return id;
    return (uint32_t)d->sets.items[id & ~ARGS_DEFERRED];
}

void args_deferred_forget(struct args *a)
{
    struct args_deferred *d = &a->deferred;
    if (d->file.self)
        d->file.free(d->file.self);
    d->file = (struct args_file){0};
    vec_release(&d->sets);
    vec_release(&d->numbers);
    vec_release(&d->on_top);
    d->count = 0;
    d->elsewhere = false;
    args_end_lookups(a);
}
