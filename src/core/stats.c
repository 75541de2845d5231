#include "core/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

enum stat_kind {
    STAT_KIND_single = 0,
    STAT_KIND_extra = 1,
    STAT_INDEXED = 2,
    STAT_GLOBAL = 4,
    STAT_KIND_unpublished = 8,
};
enum {
    STAT_KIND_indexed = STAT_INDEXED,
    STAT_KIND_single_global = STAT_GLOBAL,
    STAT_KIND_indexed_global = STAT_INDEXED | STAT_GLOBAL,
};

const struct stat_def stat_defs[STAT_COUNT] = {
#define STAT_DEF(stat, how_bad, of, rows, means, text, advice)                                     \
    {.name = #stat,                                                                                \
     .severity = #how_bad,                                                                         \
     .source = #of,                                                                                \
     .description = text,                                                                          \
     .remedy = advice,                                                                             \
     .kind = STAT_KIND_##rows,                                                                     \
     .loss = STAT_LOSS_##means},
    STATS(STAT_DEF)
#undef STAT_DEF
};

void stats_init(struct trace *t)
{
    stats_enter(t, NULL_U32, 0);
}

void stats_release(struct trace *t)
{
    for (size_t i = 0; i < t->builder->stats.scopes.count; i++)
        free(t->builder->stats.scopes.items[i].single);
    vec_release(&t->builder->stats.scopes);
    map_release(&t->builder->stats.scope_of);
    map_release(&t->builder->stats.rows);
    vec_release(&t->builder->stats.indexed);
}

/* All counts of a scope take 3 KB, and the rows of those that are 0 ten: of what archives have more
 * members than this, the others have what is not 0. */
enum { SCOPES_WITH_ALL_COUNTS = 256 };

void stats_enter(struct trace *t, uint32_t machine, uint32_t file)
{
    struct stats *s = &t->builder->stats;
    bool inserted;
    if (s->scopes.count > 0 && stats_scope(t)->file != file)
        map_release(&s->scope_of); /* files come one after the other */
    uint32_t *at = map_insert(&s->scope_of, (uint64_t)machine << 32 | file, &inserted);
    if (inserted) {
        *at = (uint32_t)s->scopes.count;
        bool all = s->scopes.count < SCOPES_WITH_ALL_COUNTS;
        *vec_push(&s->scopes) =
            (struct stat_scope){.machine = machine,
                                .file = file,
                                .single = all ? alloc_array(STAT_COUNT, sizeof(int64_t)) : NULL};
    }
    s->scope = *at;
}

static uint64_t indexed_hash(enum stat_key key, uint32_t scope, int64_t index)
{
    return hash_mix((uint64_t)scope << 32 | ((uint32_t)key + 1), hash_u64((uint64_t)index));
}

static uint32_t scope_of(const struct trace *t, enum stat_key key)
{
    return stat_defs[key].kind & STAT_GLOBAL ? 0 : t->builder->stats.scope;
}

static int64_t *indexed_value(struct trace *t, enum stat_key key, uint32_t scope, int64_t index)
{
    bool inserted;
    uint32_t *at = map_insert(&t->builder->stats.rows, indexed_hash(key, scope, index), &inserted);
    if (inserted) {
        *at = (uint32_t)t->builder->stats.indexed.count;
        *vec_push(&t->builder->stats.indexed) =
            (struct indexed_stat){.key = key, .scope = scope, .index = index};
    }
    return &t->builder->stats.indexed.items[*at].value;
}

static int64_t *value_of(struct trace *t, enum stat_key key, int64_t index)
{
    uint32_t scope = scope_of(t, key);
    int64_t *single = t->builder->stats.scopes.items[scope].single;
    return index == STAT_SINGLE && single ? &single[key] : indexed_value(t, key, scope, index);
}

void stats_add(struct trace *t, enum stat_key key, int64_t index, int64_t n)
{
    if (n == 0 && index == STAT_SINGLE && !stats_scope(t)->single)
        return;
    int64_t *value = value_of(t, key, index);
    if (__builtin_add_overflow(*value, n, value))
        *value = INT64_MAX;
}

void stats_set(struct trace *t, enum stat_key key, int64_t index, int64_t value)
{
    *value_of(t, key, index) = value;
}

bool stats_find(const struct trace *t, enum stat_key key, int64_t index, int64_t *value)
{
    const struct stats *s = &t->builder->stats;
    uint32_t scope = scope_of(t, key);
    const int64_t *single = s->scopes.items[scope].single;
    if (index == STAT_SINGLE && single) {
        *value = single[key];
        return true;
    }
    const uint32_t *at = map_find(&s->rows, indexed_hash(key, scope, index));
    if (at)
        *value = s->indexed.items[*at].value;
    return at != NULL;
}

int64_t stats_get(const struct trace *t, enum stat_key key, int64_t index)
{
    int64_t value = 0;
    stats_find(t, key, index, &value);
    return value;
}

static bool is_of(enum stat_key key, const char *prefix, const char *severity)
{
    return strncmp(stat_defs[key].name, prefix, strlen(prefix)) == 0 &&
           (!severity || strcmp(stat_defs[key].severity, severity) == 0);
}

bool stats_any(const struct trace *t, const char *prefix, const char *severity)
{
    const struct stats *s = &t->builder->stats;
    const int64_t *single = s->scopes.items[s->scope].single;
    for (enum stat_key key = 0; single && key < STAT_COUNT; key++)
        if (single[key] > 0 && is_of(key, prefix, severity))
            return true;
    for (size_t i = 0; i < s->indexed.count; i++) {
        const struct indexed_stat *row = &s->indexed.items[i];
        if (row->scope == s->scope && row->value > 0 && is_of(row->key, prefix, severity))
            return true;
    }
    return false;
}

static void append_row(struct trace *t, enum stat_key key, int64_t index, uint32_t scope,
                       int64_t value)
{
    struct stats_row row = stats_row_null();
    row.name = trace_intern_c(t, stat_defs[key].name);
    row.key = key;
    if (index != STAT_SINGLE)
        row.idx = index;
    row.severity = trace_intern_c(t, stat_defs[key].severity);
    row.source = trace_intern_c(t, stat_defs[key].source);
    row.value = value;
    row.description = trace_intern_c(t, stat_defs[key].description);
    if (!(stat_defs[key].kind & STAT_GLOBAL)) {
        row.machine_id = t->builder->stats.scopes.items[scope].machine;
        row.trace_id = t->builder->stats.scopes.items[scope].file;
    }
    stats_append(&t->tables.stats, &row);
}

static void append_single(struct trace *t, enum stat_key key)
{
    size_t n = stat_defs[key].kind & STAT_GLOBAL ? 1 : t->builder->stats.scopes.count;
    for (size_t i = 0; i < n && t->builder->stats.scopes.items[i].single; i++) {
        const struct stat_scope *scope = &t->builder->stats.scopes.items[i];
        int64_t value = scope->single[key];
        bool always = stat_defs[key].kind & STAT_GLOBAL ||
                      (stat_defs[key].kind != STAT_KIND_extra && scope->machine != NULL_U32);
        if (value != 0 || always)
            append_row(t, key, STAT_SINGLE, (uint32_t)i, value);
    }
}

void stats_finish(struct trace *t)
{
    for (enum stat_key key = 0; key < STAT_COUNT; key++)
        if (!(stat_defs[key].kind & (STAT_INDEXED | STAT_KIND_unpublished)))
            append_single(t, key);
    for (size_t i = 0; i < t->builder->stats.indexed.count; i++) {
        const struct indexed_stat *s = &t->builder->stats.indexed.items[i];
        if (stat_defs[s->key].kind != STAT_KIND_unpublished)
            append_row(t, s->key, s->index, s->scope, s->value);
    }
}

int64_t stats_unpublished(const struct trace *t, enum stat_key key)
{
    const struct stats *s = &t->builder->stats;
    int64_t sum = 0;
    if (stat_defs[key].kind != STAT_KIND_unpublished)
        return 0;
    for (size_t i = 0; i < s->scopes.count; i++)
        sum += s->scopes.items[i].single ? s->scopes.items[i].single[key] : 0;
    for (size_t i = 0; i < s->indexed.count; i++)
        sum += s->indexed.items[i].key == key ? s->indexed.items[i].value : 0;
    return sum;
}

int64_t stats_total(const struct trace *trace, enum stat_key key)
{
    const struct table *t = &trace->tables.stats;
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->rows; i++)
        if (table_i64(t, stats_col_key)[i] == key)
            sum += table_i64(t, stats_col_value)[i];
    return sum;
}
