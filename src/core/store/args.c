#include "core/store/args.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/store/args_sets.h"
#include "core/store/table.h"

void args_init(struct args *a)
{
    *a = (struct args){.place_bits = 31};
    pthread_mutex_init(&a->lock, NULL);
    a->cap = 1024;
    a->slots = alloc_array(a->cap, sizeof *a->slots);
    *vec_push(&a->kinds) = (struct args_kind){0}; /* ARGS_LISTS */
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
    args_deferred_forget(a);
    free(a->slots);
    pthread_mutex_destroy(&a->lock);
}

uint32_t args_add_decoder(struct args *a, struct args_decoder decoder)
{
    *vec_push(&a->decoders) = decoder;
    return (uint32_t)a->decoders.count - 1;
}

uint32_t args_last_decoder(const struct args *a,
                           void (*decode)(void *self, uint32_t context, const uint8_t *payload,
                                          size_t n, struct arg_list *out))
{
    for (size_t i = a->decoders.count; i > 0; i--)
        if (a->decoders.items[i - 1].decode == decode)
            return (uint32_t)i - 1;
    return NULL_U32;
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
    struct args_set s = {.kind = base ? base->kind : ARGS_LISTS,
                         .on_base = base != NULL,
                         .data = a->packed.items,
                         .size = (size_t)(end - a->packed.items)};
    if (base && base->set & ARGS_DEFERRED)
        return args_defer_on_top(a, &s);
    return args_set_intern(a, &s);
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
    struct args_set s = {.kind = kind, .data = payload ? payload : (const uint8_t *)"", .size = n};
    return args_set_intern(a, &s);
}

uint32_t args_intern_payload_later(struct args *a, uint32_t kind, const uint8_t *payload, size_t n)
{
    uint32_t id = args_defer_payload(a, kind, payload, n);
    return id == NULL_U32 ? args_intern_payload(a, kind, payload, n) : id;
}

static void decode(const struct args *a, const struct args_kind *kind, const struct args_set *s,
                   bool defaults, struct arg_list *out)
{
    const struct args_decoder *d = &a->decoders.items[kind->decoder];
    if (defaults && d->decode_defaults)
        d->decode_defaults(d->self, kind->context, s->data, s->size, out);
    else
        d->decode(d->self, kind->context, s->data, s->size, out);
}

/* Deferred ones are read by who made them, while the trace loads. */
static struct args_set get(const struct args *a, uint32_t id)
{
    return id & ARGS_DEFERRED ? args_deferred_get(a, id) : args_set_get(a, id);
}

static void read_set(const struct args *a, uint32_t id, bool defaults, struct arg_list *out)
{
    struct args_set s = get(a, id);
    const struct args_kind *kind = &a->kinds.items[s.kind];
    const uint8_t *p = s.data, *end = s.data + s.size;
    size_t from = out->v.count;
    if (s.on_base) {
        struct args_set base = get(a, (uint32_t)unpack_varint(&p));
        decode(a, kind, &base, defaults, out);
    } else if (s.kind != ARGS_LISTS) {
        decode(a, kind, &s, defaults, out);
        p = end;
    }
    while (p < end)
        p = unpack_arg(p, vec_push(&out->v));
    if (s.kind != ARGS_LISTS)
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
    if ((id > 0 && id <= args_count(a)) || args_deferred_readable(a, id))
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
    struct args_set s = {.kind = kind, .data = payload, .size = n};
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
    size_t at = args_set_offset(a, id);
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
    if (kind >> 1 != ARGS_LISTS && !on_base)
        return true; /* its decoder takes any bytes */
    if (on_base) {
        uint64_t base = checked_varint(&r);
        if (r.failed || kind >> 1 == ARGS_LISTS || base == 0 || base > args_count(a))
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
