#include "core/args.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "core/table.h"

/* Lists up to this long are searched, longer ones hashed. */
enum { SHORT_LIST = 24 };

void arg_list_release(struct arg_list *list)
{
    vec_release(&list->v);
}

/* Equal args are equal bytes, padding and the unused half of the union included: sets are compared
 * and hashed as memory. */
void arg_list_add(struct arg_list *list, struct arg a)
{
    struct arg *slot = vec_push(&list->v);
    memset(slot, 0, sizeof *slot);
    slot->flat_key = a.flat_key;
    slot->key = a.key;
    slot->type = a.type;
    if (a.type == ARG_STRING || a.type == ARG_JSON)
        slot->s = a.s;
    else if (a.type != ARG_NULL)
        slot->i = a.i;
}

void arg_list_int(struct arg_list *list, string_id key, int64_t v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_INT, .i = v});
}

void arg_list_uint(struct arg_list *list, string_id key, uint64_t v)
{
    arg_list_add(list,
                 (struct arg){.flat_key = key, .key = key, .type = ARG_UINT, .i = (int64_t)v});
}

void arg_list_str(struct arg_list *list, string_id key, string_id v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_STRING, .s = v});
}

void arg_list_real(struct arg_list *list, string_id key, double v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_REAL, .d = v});
}

void arg_list_bool(struct arg_list *list, string_id key, bool v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_BOOL, .i = v});
}

void arg_list_pointer(struct arg_list *list, string_id key, uint64_t v)
{
    arg_list_add(list,
                 (struct arg){.flat_key = key, .key = key, .type = ARG_POINTER, .i = (int64_t)v});
}

void arg_list_append(struct arg_list *list, const struct arg_list *other)
{
    for (size_t i = 0; i < other->v.count; i++)
        arg_list_add(list, other->v.items[i]);
}

static bool has_later(const struct arg_list *list, size_t i)
{
    for (size_t k = i + 1; k < list->v.count; k++)
        if (list->v.items[k].key == list->v.items[i].key)
            return true;
    return false;
}

static void drop_replaced_in_long_list(struct arg_list *list, size_t from)
{
    struct map last = {0};
    for (size_t i = from; i < list->v.count; i++)
        map_set(&last, list->v.items[i].key, (uint32_t)i);
    size_t kept = from;
    for (size_t i = from; i < list->v.count; i++)
        if (*map_find(&last, list->v.items[i].key) == i)
            list->v.items[kept++] = list->v.items[i];
    list->v.count = kept;
    map_release(&last);
}

void arg_list_drop_replaced(struct arg_list *list, size_t from)
{
    if (list->v.count - from > SHORT_LIST) {
        drop_replaced_in_long_list(list, from);
        return;
    }
    size_t i = from;
    while (i < list->v.count && !has_later(list, i))
        i++;
    size_t kept = i;
    for (; i < list->v.count; i++)
        if (!has_later(list, i))
            list->v.items[kept++] = list->v.items[i];
    list->v.count = kept;
}

void args_init(struct args *a)
{
    *a = (struct args){0};
    arena_init(&a->arena);
    pthread_mutex_init(&a->lock, NULL);
    a->cap = 1024;
    a->slots = alloc_array(a->cap, sizeof *a->slots);
}

void args_release(struct args *a)
{
    for (size_t i = 0; i < a->decoders.count; i++)
        if (a->decoders.items[i].free)
            a->decoders.items[i].free(a->decoders.items[i].self);
    vec_release(&a->decoders);
    vec_release(&a->sets);
    vec_release(&a->row_starts);
    vec_release(&a->packed);
    free(a->slots);
    arena_release(&a->arena);
    pthread_mutex_destroy(&a->lock);
}

uint32_t args_add_decoder(struct args *a, struct args_decoder decoder)
{
    *vec_push(&a->decoders) = decoder;
    return (uint32_t)a->decoders.count;
}

enum { ADDRESS_BITS = 48, HUGE_PAGE = 2 << 20 };

static struct arg_set *slot_set(uint64_t slot)
{
    return (struct arg_set *)(uintptr_t)(slot & ((UINT64_C(1) << ADDRESS_BITS) - 1));
}

/* What identifies a set, before it exists. */
struct wanted_set {
    const uint8_t *data;
    uint32_t size, decoder, context;
};

static uint64_t hash_of(const struct wanted_set *w)
{
    return hash_bytes(w->data, w->size, hash_u64((uint64_t)w->decoder << 32 | w->context));
}

/* Zeroed slots. A large table is probed all over: huge pages spare it most misses of the TLB. */
static uint64_t *slots_new(size_t cap)
{
    size_t bytes = cap * sizeof(uint64_t);
    if (bytes < HUGE_PAGE)
        return alloc_array(cap, sizeof(uint64_t));
    uint64_t *slots = aligned_alloc(HUGE_PAGE, bytes);
    if (!slots)
        return alloc_array(cap, sizeof(uint64_t));
    madvise(slots, bytes, MADV_HUGEPAGE);
    memset(slots, 0, bytes);
    return slots;
}

static void grow(struct args *a)
{
    free(a->slots);
    a->cap *= 2;
    a->slots = slots_new(a->cap);
    /* In the order of the arena, not of the old table: the sets are read one behind the other. */
    for (size_t i = 0; i < a->sets.count; i++) {
        const struct arg_set *s = a->sets.items[i];
        struct wanted_set w = {s->data, s->size, s->decoder, s->context};
        uint64_t hash = hash_of(&w);
        size_t at = (size_t)hash & (a->cap - 1);
        while (a->slots[at] != 0)
            at = (at + 1) & (a->cap - 1);
        a->slots[at] = hash >> ADDRESS_BITS << ADDRESS_BITS | (uint64_t)(uintptr_t)s;
    }
}

static bool same_set(const struct arg_set *s, const struct wanted_set *w)
{
    return s->size == w->size && s->decoder == w->decoder && s->context == w->context &&
           memcmp(s->data, w->data, s->size) == 0;
}

/* The set's bytes are copied where it is new. */
static uint32_t intern(struct args *a, const struct wanted_set *w)
{
    uint64_t hash = hash_of(w), tag = hash >> ADDRESS_BITS;
    size_t at = (size_t)hash & (a->cap - 1);
    for (; a->slots[at] != 0; at = (at + 1) & (a->cap - 1)) {
        const struct arg_set *s = slot_set(a->slots[at]);
        if (a->slots[at] >> ADDRESS_BITS == tag && same_set(s, w))
            return s->id;
    }
    struct arg_set *s = arena_alloc(&a->arena, sizeof *s + w->size);
    s->size = w->size;
    s->decoder = w->decoder;
    s->context = w->context;
    if (w->size)
        memcpy(s->data, w->data, w->size);
    *vec_push(&a->sets) = s;
    s->id = (uint32_t)a->sets.count;
    a->slots[at] = tag << ADDRESS_BITS | (uint64_t)(uintptr_t)s;
    if (a->sets.count * 4 > a->cap * 3)
        grow(a);
    return s->id;
}

/* --- Packed lists: key, type with a bit for a flat key of its own, flat key, value. Numbers are
 * varints, signed ones zigzag; doubles are their 8 bytes. */

enum { PACKED_FLAT_KEY = 0x80, PACKED_ARG_MAX = 5 + 1 + 5 + 10 };

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

static bool may_have_replaced(const struct arg_list *list)
{
    if (list->v.count > SHORT_LIST)
        return true;
    size_t i = 0;
    while (i < list->v.count && !has_later(list, i))
        i++;
    return i < list->v.count;
}

static uint32_t intern_list(struct args *a, const struct arg_list *list)
{
    size_t most;
    if (__builtin_mul_overflow(list->v.count, (size_t)PACKED_ARG_MAX, &most) || most > UINT32_MAX)
        return NULL_U32;
    vec_reserve(&a->packed, most);
    uint8_t *end = a->packed.items;
    for (size_t i = 0; i < list->v.count; i++)
        end = pack_arg(end, &list->v.items[i]);
    struct wanted_set w = {.data = a->packed.items, .size = (uint32_t)(end - a->packed.items)};
    return intern(a, &w);
}

uint32_t args_intern(struct args *a, const struct arg_list *list)
{
    if (list->v.count == 0)
        return NULL_U32;
    if (!may_have_replaced(list))
        return intern_list(a, list);
    struct arg_list kept = {0};
    arg_list_append(&kept, list);
    arg_list_drop_replaced(&kept, 0);
    uint32_t id = intern_list(a, &kept);
    arg_list_release(&kept);
    return id;
}

uint32_t args_intern_payload(struct args *a, uint32_t decoder, uint32_t context,
                             const uint8_t *payload, size_t n)
{
    struct wanted_set w = {.data = payload ? payload : (const uint8_t *)"",
                           .size = (uint32_t)n,
                           .decoder = decoder,
                           .context = context};
    return intern(a, &w);
}

static void read_set(struct args *a, const struct arg_set *s, struct arg_list *out)
{
    if (s->decoder) {
        const struct args_decoder *d = &a->decoders.items[s->decoder - 1];
        size_t from = out->v.count;
        d->decode(d->self, s->context, s->data, s->size, out);
        arg_list_drop_replaced(out, from);
        return;
    }
    const uint8_t *end = s->data + s->size;
    for (const uint8_t *p = s->data; p < end;)
        p = unpack_arg(p, vec_push(&out->v));
}

void args_read(struct args *a, uint32_t id, struct arg_list *out)
{
    if (id == 0 || id > a->sets.count)
        return;
    pthread_mutex_lock(&a->lock);
    read_set(a, a->sets.items[id - 1], out);
    pthread_mutex_unlock(&a->lock);
}

/* Called with the lock held. */
static void count_rows(struct args *a)
{
    if (a->row_starts.count == a->sets.count + 1)
        return;
    struct arg_list list = {0};
    uint32_t row = 0;
    a->row_starts.count = 0;
    for (size_t i = 0; i < a->sets.count; i++) {
        *vec_push(&a->row_starts) = row;
        arg_list_clear(&list);
        read_set(a, a->sets.items[i], &list);
        row += (uint32_t)list.v.count;
    }
    *vec_push(&a->row_starts) = row;
    arg_list_release(&list);
}

uint64_t args_row_count(struct args *a)
{
    pthread_mutex_lock(&a->lock);
    count_rows(a);
    uint64_t n = vec_last(&a->row_starts);
    pthread_mutex_unlock(&a->lock);
    return n;
}

uint32_t args_row_start(struct args *a, uint32_t id)
{
    if (id == 0 || id > a->sets.count)
        return 0;
    pthread_mutex_lock(&a->lock);
    count_rows(a);
    uint32_t row = a->row_starts.items[id - 1];
    pthread_mutex_unlock(&a->lock);
    return row;
}

const char *arg_type_name(enum arg_type type)
{
    static const char *const names[] = {
        [ARG_NULL] = "null",     [ARG_INT] = "int",   [ARG_UINT] = "uint",
        [ARG_STRING] = "string", [ARG_REAL] = "real", [ARG_POINTER] = "pointer",
        [ARG_BOOL] = "bool",     [ARG_JSON] = "json",
    };
    return names[type];
}
