#include "core/stats.h"

#include "base/hash.h"
#include "core/trace.h"

static const struct {
    const char *name, *severity, *source, *description;
    bool indexed;
} defs[] = {
#define STAT_DEF(name, severity, source, indexed, description)                                     \
    {#name, #severity, #source, description, indexed},
    STATS(STAT_DEF)
#undef STAT_DEF
};

/* Single stats of machine 0 live at their key; others are found by key, index and machine. */
static int64_t *indexed_value(struct trace *t, enum stat_key key, int64_t index)
{
    bool inserted;
    uint64_t hash =
        hash_mix((uint64_t)t->stats.machine << 32 | ((uint32_t)key + 1), hash_u64((uint64_t)index));
    uint32_t *at = map_insert(&t->stats.rows, hash, &inserted);
    if (inserted) {
        *at = (uint32_t)t->stats.indexed.count;
        *vec_push(&t->stats.indexed) =
            (struct indexed_stat){.key = key, .machine = t->stats.machine, .index = index};
    }
    return &t->stats.indexed.items[*at].value;
}

static int64_t *value_of(struct trace *t, enum stat_key key, int64_t index)
{
    return index == STAT_SINGLE && t->stats.machine == 0 ? &t->stats.single[key]
                                                         : indexed_value(t, key, index);
}

void stats_add(struct trace *t, enum stat_key key, int64_t index, int64_t n)
{
    int64_t *value = value_of(t, key, index);
    if (__builtin_add_overflow(*value, n, value))
        *value = INT64_MAX;
}

void stats_set(struct trace *t, enum stat_key key, int64_t index, int64_t value)
{
    *value_of(t, key, index) = value;
}

int64_t stats_get(struct trace *t, enum stat_key key, int64_t index)
{
    return *value_of(t, key, index);
}

static void append_row(struct trace *t, enum stat_key key, int64_t index, uint32_t machine,
                       int64_t value)
{
    struct stats_row row = stats_row_null();
    row.name = trace_intern_c(t, defs[key].name);
    row.key = key;
    if (index != STAT_SINGLE)
        row.idx = index;
    row.severity = trace_intern_c(t, defs[key].severity);
    row.source = trace_intern_c(t, defs[key].source);
    row.value = value;
    row.description = trace_intern_c(t, defs[key].description);
    row.machine_id = machine;
    row.trace_id = 0;
    stats_append(&t->tables.stats, &row);
}

void stats_finish(struct trace *t)
{
    for (enum stat_key key = 0; key < STAT_COUNT; key++) {
        if (!defs[key].indexed)
            append_row(t, key, STAT_SINGLE, 0, t->stats.single[key]);
        for (size_t i = 0; i < t->stats.indexed.count; i++) {
            const struct indexed_stat *s = &t->stats.indexed.items[i];
            if (s->key == key)
                append_row(t, key, s->index, s->machine, s->value);
        }
    }
}

int64_t stats_data_loss(const struct trace *trace)
{
    const struct table *t = &trace->tables.stats;
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->rows; i++) {
        struct str severity =
            string_pool_get(&trace->strings, column_str(&t->columns[stats_col_severity], i));
        int64_t value = table_i64(t, stats_col_value)[i];
        if (str_eq(severity, STR("data_loss")) && value > 0)
            sum += value;
    }
    return sum;
}
