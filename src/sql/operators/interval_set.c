#include "sql/operators/interval_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

void interval_set_free(struct interval_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->partitions.count; i++) {
        for (int k = 0; k < s->key_count; k++)
            sqlite3_value_free(s->partitions.items[i].keys[k]);
        vec_release(&s->partitions.items[i].intervals.v);
    }
    vec_release(&s->partitions);
    map_release(&s->by_keys);
    free(s);
}

static void free_set(void *s)
{
    interval_set_free(s);
}

static uint64_t hash_keys(sqlite3_value **keys, int count, int stride)
{
    uint64_t hash = 0;
    for (int k = 0; k < count; k++) {
        sqlite3_value *v = keys[k * stride];
        int type = sqlite3_value_type(v);
        if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
            hash = hash_mix(hash, (uint64_t)sqlite3_value_int64(v));
        } else if (type != SQLITE_NULL) {
            struct str s = value_str(v);
            hash = hash_bytes(s.p, s.n, hash);
        }
    }
    return hash;
}

static struct interval_partition *find_partition(struct interval_set *s, sqlite3_value **keys,
                                                 int stride)
{
    const uint32_t *first = map_find(&s->by_keys, hash_keys(keys, s->key_count, stride));
    for (uint32_t i = first ? *first : 0; i > 0; i = s->partitions.items[i - 1].next) {
        bool same = true;
        for (int k = 0; k < s->key_count && same; k++)
            same = values_same(s->partitions.items[i - 1].keys[k], keys[k * stride]);
        if (same)
            return &s->partitions.items[i - 1];
    }
    return NULL;
}

static struct interval_partition *make_partition(struct interval_set *s, sqlite3_value **keys,
                                                 int stride)
{
    struct interval_partition *p = find_partition(s, keys, stride);
    if (p)
        return p;
    bool inserted;
    uint32_t *first = map_insert(&s->by_keys, hash_keys(keys, s->key_count, stride), &inserted);
    p = vec_push(&s->partitions);
    *p = (struct interval_partition){.next = *first};
    *first = (uint32_t)s->partitions.count;
    for (int k = 0; k < s->key_count; k++)
        p->keys[k] = sqlite3_value_dup(keys[k * stride]);
    return p;
}

struct interval_partition *interval_set_find(struct interval_set *s, sqlite3_value **keys)
{
    return find_partition(s, keys, 1);
}

/* The partition of a row whose keys are pairs of a name and a value. */
static struct interval_list *list_of(sqlite3_context *ctx, int key_argc, sqlite3_value **keys)
{
    struct interval_set **s = sqlite3_aggregate_context(ctx, sizeof *s);
    if (!s)
        return NULL;
    if (key_argc < 0 || key_argc % 2 != 0 || key_argc > 2 * INTERVAL_KEYS_MAX) {
        result_error(ctx, "intervals: expected three columns and up to 15 times 'name', value");
        return NULL;
    }
    if (!*s) {
        *s = alloc_array(1, sizeof **s);
        (*s)->key_count = key_argc / 2;
    }
    return &make_partition(*s, keys + 1, 2)->intervals;
}

static bool read_times(sqlite3_context *ctx, sqlite3_value **ts_and_dur, struct interval *out)
{
    int64_t dur = sqlite3_value_int64(ts_and_dur[1]);
    out->ts = sqlite3_value_int64(ts_and_dur[0]);
    /* What Trace Processor says, as scripts may look for it. */
    const char *error = "Interval intersect only works on intervals with non negative duration. "
                        "Of a row, ts or dur is below zero";
    if (dur >= 0 && !__builtin_add_overflow(out->ts, dur, &out->end))
        return true;
    if (dur >= 0)
        error = "intervals: the end is beyond 64 bits";
    result_error(ctx, "%s", error);
    return false;
}

/* Columns as keys: the number of a partition is looked for by the values' bits. */
struct column_keys {
    const struct column **columns;
    int count;
    sqlite3_stmt *value; /* SELECT ?1 */
    struct map by_bits;  /* hash of the bits: the newest partition of it, counted from 1 */
    VEC(uint64_t) bits;  /* of each partition, `count` and one for which of them are null */
    VEC(uint32_t) next;  /* as in struct interval_partition */
};

/* The value's bits; *null becomes true where it has none. */
static uint64_t bits_of(const struct column *c, uint32_t row, bool *null)
{
    bool text = c->def->type == COLUMN_TYPE_STR;
    *null = !c->data || (text ? column_str(c, row) == NULL_STRING : column_null_bit(c, row));
    if (*null)
        return 0;
    return text ? column_str(c, row) : ((const uint64_t *)c->data)[row];
}

/* A value that is not of any statement, or NULL. */
static sqlite3_value *key_value(const struct sql_session *s, struct column_keys *k,
                                const struct column *c, uint32_t row)
{
    bool null;
    uint64_t bits = bits_of(c, row, &null);
    struct str text = {0};
    if (!null && c->def->type == COLUMN_TYPE_STR)
        text = string_pool_get(&s->trace->strings, (string_id)bits);
    if (null)
        sqlite3_bind_null(k->value, 1);
    else if (text.p)
        sqlite3_bind_text(k->value, 1, text.p, (int)text.n, SQLITE_STATIC);
    else
        sqlite3_bind_int64(k->value, 1, (int64_t)bits);
    sqlite3_value *value = sqlite3_step(k->value) == SQLITE_ROW
                               ? sqlite3_value_dup(sqlite3_column_value(k->value, 0))
                               : NULL;
    sqlite3_reset(k->value);
    return value;
}

static struct interval_list *new_list(const struct sql_session *s, struct interval_set *set,
                                      struct column_keys *k, uint32_t row)
{
    sqlite3_value *values[INTERVAL_KEYS_MAX] = {NULL};
    struct interval_list *list = NULL;
    bool made = true;
    for (int i = 0; made && i < k->count; i++)
        made = (values[i] = key_value(s, k, k->columns[i], row)) != NULL;
    if (made)
        list = &make_partition(set, values, 1)->intervals;
    for (int i = 0; i < k->count; i++)
        sqlite3_value_free(values[i]);
    return list;
}

/* NULL where there is no memory. */
static struct interval_list *list_at(const struct sql_session *s, struct interval_set *set,
                                     struct column_keys *k, uint32_t row)
{
    uint64_t bits[INTERVAL_KEYS_MAX + 1], hash = 0, nulls = 0;
    size_t width = (size_t)k->count + 1;
    for (int i = 0; i < k->count; i++) {
        bool null;
        bits[i] = bits_of(k->columns[i], row, &null);
        nulls |= (uint64_t)null << i;
        hash = hash_mix(hash, bits[i]);
    }
    bits[k->count] = nulls;
    bool inserted;
    uint32_t *first = map_insert(&k->by_bits, hash_mix(hash, nulls), &inserted);
    for (uint32_t at = *first; at > 0; at = k->next.items[at - 1])
        if (memcmp(k->bits.items + (at - 1) * width, bits, width * sizeof *bits) == 0)
            return &set->partitions.items[at - 1].intervals;
    *vec_push(&k->next) = *first;
    *first = (uint32_t)k->next.count;
    for (size_t i = 0; i < width; i++)
        *vec_push(&k->bits) = bits[i];
    return new_list(s, set, k, row);
}

static int64_t int_at(const struct column *c, uint32_t row)
{
    return c->data ? ((const int64_t *)c->data)[row] : 0;
}

/* False where the aggregate would fail. */
static bool put_rows(struct sql_session *s, struct interval_set *set,
                     const struct operator_input *input, struct column_keys *k)
{
    uint32_t steps = 0;
    for (uint32_t row = 0; row < input->rows; row++) {
        struct interval it = {.id = int_at(input->columns[0], row),
                              .ts = int_at(input->columns[1], row)};
        int64_t dur = int_at(input->columns[2], row);
        struct interval_list *list = list_at(s, set, k, row);
        if (!list || it.ts < 0 || dur < 0 || __builtin_add_overflow(it.ts, dur, &it.end) ||
            (list->v.count > 0 && vec_last(&list->v).ts > it.ts) || session_poll(s, &steps))
            return false;
        *vec_push(&list->v) = it;
    }
    return true;
}

struct interval_set *interval_set_of_columns(struct sql_session *s,
                                             const struct operator_input *input, int keys)
{
    struct interval_set *set = alloc_array(1, sizeof *set);
    struct column_keys k = {.columns = input->columns + 3, .count = keys};
    set->key_count = keys;
    bool good =
        session_prepare(s, "SELECT ?1", 0, &k.value) == SQLITE_OK && put_rows(s, set, input, &k);
    sqlite3_finalize(k.value);
    map_release(&k.by_bits);
    vec_release(&k.bits);
    vec_release(&k.next);
    if (good)
        return set;
    interval_set_free(set);
    return NULL;
}

/* (id, ts, dur, 'column', value, ...): ts must not be below the one before in its partition. */
static void step_in_order(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct interval_list *list = list_of(ctx, argc - 3, argv + 3);
    struct interval it = {.id = 0};
    if (!list || !read_times(ctx, argv + 1, &it))
        return;
    it.id = sqlite3_value_int64(argv[0]);
    if (it.ts < 0)
        result_error(ctx, "intervals: ts or dur is below zero");
    else if (list->v.count > 0 && vec_last(&list->v).ts > it.ts)
        result_error(ctx, "intervals: rows must come in the order of ts");
    else
        *vec_push(&list->v) = it;
}

/* (id, ts, dur) */
static void step_plain(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct interval_list *list = list_of(ctx, argc - 3, argv + 3);
    struct interval it = {.id = 0};
    if (!list || !read_times(ctx, argv + 1, &it))
        return;
    it.id = sqlite3_value_int64(argv[0]);
    *vec_push(&list->v) = it;
}

/* (ts, dur, value, 'column', value, ...) */
static void step_valued(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct interval_list *list = list_of(ctx, argc - 3, argv + 3);
    struct interval it = {.value = NAN};
    if (!list || !read_times(ctx, argv, &it))
        return;
    int type = sqlite3_value_type(argv[2]);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
        result_error(ctx, "intervals: the value must be a number or NULL");
        return;
    }
    if (type != SQLITE_NULL)
        it.value = sqlite3_value_double(argv[2]);
    *vec_push(&list->v) = it;
}

static void result_set(sqlite3_context *ctx, const char *type)
{
    struct interval_set *s = group_state_made(ctx);
    if (s)
        result_pointer(ctx, s, type, free_set);
}

static void final_in_order(sqlite3_context *ctx)
{
    result_set(ctx, INTERVALS_TYPE);
}

static void final_plain(sqlite3_context *ctx)
{
    result_set(ctx, PLAIN_INTERVALS_TYPE);
}

static void final_valued(sqlite3_context *ctx)
{
    result_set(ctx, VALUED_TYPE);
}

static const struct native_function functions[] = {
    {.name = "__intrinsic_interval_tree_intervals_agg",
     .argc = -1,
     .step = step_in_order,
     .final = final_in_order},
    {.name = "__intrinsic_isi_plain_intervals_agg",
     .argc = 3,
     .step = step_plain,
     .final = final_plain},
    {.name = "__intrinsic_isi_intervals_agg",
     .argc = -1,
     .step = step_valued,
     .final = final_valued},
    {0},
};

const struct sql_family interval_set_family = {.functions = functions};
