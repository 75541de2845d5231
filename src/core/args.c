#include "core/args.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/table.h"

void args_init(struct args *a)
{
    *a = (struct args){.place_bits = 31};
    pthread_mutex_init(&a->lock, NULL);
    a->cap = 1024;
    a->slots = alloc_array(a->cap, sizeof *a->slots);
    *vec_push(&a->kinds) = (struct args_kind){0}; /* LISTS */
}

void args_release(struct args *a)
{
    for (size_t i = 0; i < a->decoders.count; i++)
        if (a->decoders.items[i].free)
            a->decoders.items[i].free(a->decoders.items[i].self);
    vec_release(&a->decoders);
    vec_release(&a->kinds);
    map_release(&a->kind_numbers);
    vec_release(&a->shared.bytes);
    vec_release(&a->shared.laps);
    vec_release(&a->unshared.bytes);
    vec_release(&a->unshared.laps);
    vec_release(&a->places);
    vec_release(&a->row_starts);
    vec_release(&a->packed);
    free(a->slots);
    pthread_mutex_destroy(&a->lock);
}

uint32_t args_add_decoder(struct args *a, struct args_decoder decoder)
{
    *vec_push(&a->decoders) = decoder;
    return (uint32_t)a->decoders.count - 1;
}

uint32_t args_kind(struct args *a, uint32_t decoder, uint32_t context)
{
    bool inserted;
    uint32_t *number = map_insert(&a->kind_numbers, (uint64_t)decoder << 32 | context, &inserted);
    if (inserted) {
        *number = (uint32_t)a->kinds.count;
        *vec_push(&a->kinds) = (struct args_kind){.decoder = decoder, .context = context};
    }
    return *number;
}

/* --- Varints */

enum { VARINT_MAX = 10 };

static uint8_t *pack_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static uint64_t unpack_varint(const uint8_t **from)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*from)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
}

/* --- Sets, one behind the other: kind with a bit for a base, size, and as many bytes. */

enum { HEADER_MAX = 2 * VARINT_MAX, LISTS = 0 };

/* Of a kind's first payloads at least so many must be equal to earlier ones, or they are not looked
 * up any more: to find that a payload is new costs more than to keep it twice. Where equal ones
 * come later only (pointers that are used again), sharing is worth while: sets are fewer to read.
 */
enum { TRIED = 1 << 12, LEAST_FOUND = 1 << 6 };

static size_t set_offset(const struct args *a, uint32_t id)
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
    return area->bytes.items + set_offset(a, id);
}

/* A set, before it exists or when it is read. */
struct set {
    uint32_t kind;
    bool on_base;
    const uint8_t *data;
    size_t size;
};

static size_t header_write(const struct set *s, uint8_t *to)
{
    if (s->kind < 0x40 && s->size < 0x80) { /* nearly all */
        to[0] = (uint8_t)(s->kind << 1 | s->on_base);
        to[1] = (uint8_t)s->size;
        return 2;
    }
    uint8_t *end = pack_varint(to, (uint64_t)s->kind << 1 | s->on_base);
    return (size_t)(pack_varint(end, s->size) - to);
}

static struct set set_get(const struct args *a, uint32_t id)
{
    const uint8_t *p = set_at(a, id);
    uint64_t kind = unpack_varint(&p), size = unpack_varint(&p);
    return (struct set){(uint32_t)(kind >> 1), kind & 1, p, size};
}

static uint32_t set_add(struct args *a, const uint8_t *header, size_t header_size,
                        const struct set *s)
{
    bool unshared = a->kinds.items[s->kind].unshared;
    struct args_area *area = unshared ? &a->unshared : &a->shared;
    size_t offset = area->bytes.count;
    if (args_count(a) == UINT32_MAX - 1)
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
                       const struct set *s)
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

/* The set with these bytes, which are copied where it is new. */
static uint32_t intern(struct args *a, const struct set *s)
{
    struct args_kind *kind = &a->kinds.items[s->kind];
    uint8_t header[HEADER_MAX];
    size_t header_size = header_write(s, header);
    if (s->kind != LISTS && kind->tried++ == TRIED)
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

/* --- Packed lists: key, type with a bit for a flat key of its own, flat key, value. Numbers are
 * varints, signed ones zigzag; doubles are their 8 bytes. */

enum { PACKED_FLAT_KEY = 0x80, PACKED_ARG_MAX = 5 + 1 + 5 + VARINT_MAX };

static uint8_t *pack_arg(uint8_t *to, const struct arg *a)
{
    bool flat = a->flat_key != a->key;
    to = pack_varint(to, a->key);
    *to++ = (uint8_t)((unsigned)a->type | (flat ? PACKED_FLAT_KEY : 0));
    if (flat)
        to = pack_varint(to, a->flat_key);
    switch (a->type) {
    case ARG_NULL:
        return to;
    case ARG_REAL:
        memcpy(to, &a->d, sizeof a->d);
        return to + sizeof a->d;
    case ARG_STRING:
    case ARG_JSON:
        return pack_varint(to, a->s);
    case ARG_INT:
    case ARG_UINT:
    case ARG_POINTER:
    case ARG_BOOL:
        break;
    }
    return pack_varint(to, (uint64_t)a->i << 1 ^ (uint64_t)(a->i >> 63));
}

static const uint8_t *unpack_arg(const uint8_t *from, struct arg *a)
{
    a->key = a->flat_key = (string_id)unpack_varint(&from);
    unsigned type = *from++;
    if (type & PACKED_FLAT_KEY)
        a->flat_key = (string_id)unpack_varint(&from);
    a->type = (enum arg_type)(type & ~(unsigned)PACKED_FLAT_KEY);
    a->i = 0;
    switch (a->type) {
    case ARG_NULL:
        return from;
    case ARG_REAL:
        memcpy(&a->d, from, sizeof a->d);
        return from + sizeof a->d;
    case ARG_STRING:
    case ARG_JSON:
        a->s = (string_id)unpack_varint(&from);
        return from;
    case ARG_INT:
    case ARG_UINT:
    case ARG_POINTER:
    case ARG_BOOL:
        break;
    }
    uint64_t v = unpack_varint(&from);
    a->i = (int64_t)(v >> 1 ^ (0 - (v & 1)));
    return from;
}

static uint32_t intern_list(struct args *a, const struct args_base *base,
                            const struct arg_list *list)
{
    size_t most;
    if (__builtin_mul_overflow(list->v.count, (size_t)PACKED_ARG_MAX, &most) || most > UINT32_MAX)
        return NULL_U32;
    vec_reserve(&a->packed, VARINT_MAX + most);
    uint8_t *end = a->packed.items;
    if (base)
        end = pack_varint(end, base->set);
    for (size_t i = 0; i < list->v.count; i++)
        end = pack_arg(end, &list->v.items[i]);
    struct set s = {.kind = base ? base->kind : LISTS,
                    .on_base = base != NULL,
                    .data = a->packed.items,
                    .size = (size_t)(end - a->packed.items)};
    return intern(a, &s);
}

static uint32_t intern_unreplaced(struct args *a, const struct args_base *base,
                                  const struct arg_list *list)
{
    if (!arg_list_may_have_replaced(list))
        return intern_list(a, base, list);
    struct arg_list kept = {0};
    arg_list_append(&kept, list);
    arg_list_drop_replaced(&kept, 0);
    uint32_t id = intern_list(a, base, &kept);
    arg_list_release(&kept);
    return id;
}

uint32_t args_intern(struct args *a, const struct arg_list *list)
{
    return list->v.count ? intern_unreplaced(a, NULL, list) : NULL_U32;
}

uint32_t args_intern_on(struct args *a, struct args_base base, const struct arg_list *list)
{
    return intern_unreplaced(a, &base, list);
}

uint32_t args_intern_payload(struct args *a, uint32_t kind, const uint8_t *payload, size_t n)
{
    struct set s = {.kind = kind, .data = payload ? payload : (const uint8_t *)"", .size = n};
    return intern(a, &s);
}

static void decode(const struct args *a, const struct args_kind *kind, const struct set *s,
                   bool defaults, struct arg_list *out)
{
    const struct args_decoder *d = &a->decoders.items[kind->decoder];
    if (defaults && d->decode_defaults)
        d->decode_defaults(d->self, kind->context, s->data, s->size, out);
    else
        d->decode(d->self, kind->context, s->data, s->size, out);
}

static void read_set(const struct args *a, uint32_t id, bool defaults, struct arg_list *out)
{
    struct set s = set_get(a, id);
    const struct args_kind *kind = &a->kinds.items[s.kind];
    const uint8_t *p = s.data, *end = s.data + s.size;
    size_t from = out->v.count;
    if (s.on_base) {
        struct set base = set_get(a, (uint32_t)unpack_varint(&p));
        decode(a, kind, &base, defaults, out);
    } else if (s.kind != LISTS) {
        decode(a, kind, &s, defaults, out);
        p = end;
    }
    while (p < end)
        p = unpack_arg(p, vec_push(&out->v));
    if (s.kind != LISTS)
        arg_list_drop_replaced(out, from);
}

/* Called with the lock held. */
static void check_once(struct args *a)
{
    bool (*check)(void *self) = a->check;
    a->check = NULL;
    if (check && !check(a->check_self))
        a->places.count = 0;
}

/* What reading needs: the lock, and room for what it finds out. No args are defined const, they are
 * only passed so. */
static struct args *writable(const struct args *a)
{
    return (struct args *)(uintptr_t)a;
}

static void read_locked(struct args *a, uint32_t id, bool defaults, struct arg_list *out)
{
    pthread_mutex_lock(&a->lock);
    check_once(a);
    if (id > 0 && id <= args_count(a))
        read_set(a, id, defaults, out);
    pthread_mutex_unlock(&a->lock);
}

void args_read(const struct args *a, uint32_t id, struct arg_list *out)
{
    read_locked(writable(a), id, false, out);
}

void args_decode(const struct args *args, uint32_t kind, const uint8_t *payload, size_t n,
                 struct arg_list *out)
{
    struct args *a = writable(args);
    struct set s = {.kind = kind, .data = payload, .size = n};
    size_t from = out->v.count;
    pthread_mutex_lock(&a->lock);
    decode(a, &a->kinds.items[kind], &s, false, out);
    arg_list_drop_replaced(out, from);
    pthread_mutex_unlock(&a->lock);
}

void args_read_defaults(const struct args *a, uint32_t id, struct arg_list *out)
{
    read_locked(writable(a), id, true, out);
}

/* Called with the lock held. */
static void count_rows(struct args *a)
{
    check_once(a);
    if (a->row_starts.count == (size_t)args_count(a) + 1)
        return;
    struct arg_list list = {0};
    uint32_t row = 0;
    a->row_starts.count = 0;
    for (uint32_t id = 1; id <= args_count(a); id++) {
        *vec_push(&a->row_starts) = row;
        arg_list_clear(&list);
        read_set(a, id, false, &list);
        row += (uint32_t)list.v.count;
    }
    *vec_push(&a->row_starts) = row;
    arg_list_release(&list);
}

uint64_t args_row_count(const struct args *args)
{
    struct args *a = writable(args);
    pthread_mutex_lock(&a->lock);
    count_rows(a);
    uint64_t n = vec_last(&a->row_starts);
    pthread_mutex_unlock(&a->lock);
    return n;
}

uint32_t args_row_start(const struct args *args, uint32_t id)
{
    struct args *a = writable(args);
    if (id == 0 || id > args_count(a))
        return 0;
    pthread_mutex_lock(&a->lock);
    count_rows(a);
    uint32_t row = a->row_starts.items[id - 1];
    pthread_mutex_unlock(&a->lock);
    return row;
}

/* --- Sets that were stored may be anything. */

static uint64_t checked_varint(struct byte_reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte;
        byte_reader_take(r, &byte, 1);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    r->failed = true;
    return 0;
}

static bool packed_arg_is_sound(struct byte_reader *r, uint32_t string_count)
{
    uint8_t type;
    double real;
    uint64_t key = checked_varint(r), flat_key = key;
    byte_reader_take(r, &type, 1);
    if (type & PACKED_FLAT_KEY)
        flat_key = checked_varint(r);
    type &= (uint8_t)~PACKED_FLAT_KEY;
    if (key >= string_count || flat_key >= string_count || type > ARG_JSON)
        return false;
    if (type == ARG_REAL)
        byte_reader_take(r, &real, sizeof real);
    else if (type != ARG_NULL && checked_varint(r) >= string_count &&
             (type == ARG_STRING || type == ARG_JSON))
        return false;
    return !r->failed;
}

/* The set that begins at `id`'s place: its kind, and `r` at its data. */
static bool open_set(const struct args *a, uint32_t id, uint64_t *kind, struct byte_reader *r)
{
    const struct args_area *area = a->places.items[id - 1] & 1 ? &a->unshared : &a->shared;
    size_t at = set_offset(a, id);
    if (at >= area->bytes.count)
        return false;
    *r = (struct byte_reader){area->bytes.items + at, area->bytes.count - at, false};
    *kind = checked_varint(r);
    uint64_t size = checked_varint(r);
    if (r->failed || size > r->n || *kind >> 1 >= a->kinds.count)
        return false;
    r->n = (size_t)size;
    return true;
}

static bool set_is_sound(const struct args *a, uint32_t id, uint32_t string_count)
{
    struct byte_reader r;
    uint64_t kind;
    if (!open_set(a, id, &kind, &r))
        return false;
    bool on_base = kind & 1;
    if (kind >> 1 != LISTS && !on_base)
        return true; /* its decoder takes any bytes */
    if (on_base) {
        uint64_t base = checked_varint(&r);
        if (r.failed || kind >> 1 == LISTS || base == 0 || base > args_count(a))
            return false;
    }
    while (r.n > 0)
        if (!packed_arg_is_sound(&r, string_count))
            return false;
    return true;
}

bool args_are_sound(const struct args *a, uint32_t string_count)
{
    for (uint32_t id = 1; id <= args_count(a); id++)
        if (!set_is_sound(a, id, string_count))
            return false;
    return true;
}
