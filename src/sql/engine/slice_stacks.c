#include "sql/engine/slice_stacks.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/map.h"
#include "core/trace/stored_columns.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

struct rows_of_path {
    VEC(uint32_t) v; /* the innermost first */
};

/* Behind what was hashed: the hash of a slice's own category and name, in decimal digits. */
static uint64_t add_slice(uint64_t hash, const struct trace *t, uint32_t row)
{
    const struct column *c = t->tables.slice.columns;
    struct str category = string_pool_get(&t->strings, column_str(&c[slice_col_category], row));
    struct str name = string_pool_get(&t->strings, column_str(&c[slice_col_name], row));
    uint64_t own = fnv1a(fnv1a(FNV_START, category.p, category.n), "|", 1);
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRId64, (int64_t)fnv1a(own, name.p, name.n));
    return fnv1a(hash, digits, (size_t)n);
}

/* The slice, then those around it from the outermost on. */
static int64_t hash_path(const struct sql_session *s, struct rows_of_path *path, uint32_t row,
                         uint32_t *steps)
{
    const uint32_t *parent = table_u32(&s->trace->tables.slice, slice_col_parent_id);
    uint64_t hash = add_slice(FNV_START, s->trace, row);
    path->v.count = 0;
    for (; parent[row] < row; row = parent[row])
        *vec_push(&path->v) = parent[row];
    for (size_t i = path->v.count; i-- > 0 && !session_poll(s, steps);)
        hash = add_slice(fnv1a(hash, "|", 1), s->trace, path->v.items[i]);
    return (int64_t)hash;
}

const int64_t *slice_stacks_of(struct sql_session *s)
{
    const struct table *t = &s->trace->tables.slice;
    const uint32_t *parent = table_u32(t, slice_col_parent_id);
    struct map known = {0}; /* a row of each stack, by the stack above it, category and name */
    struct rows_of_path path = {0};
    uint32_t steps = 0;
    if (s->slice_stacks || !stored_table_ready(s->trace, t))
        return s->slice_stacks;
    int64_t *stacks = alloc_try_array(t->rows + (size_t)1, sizeof *stacks);
    for (uint32_t row = 0; stacks && row < t->rows && !session_poll(s, &steps); row++) {
        uint64_t above = parent[row] < row ? (uint64_t)stacks[parent[row]] : 0;
        uint64_t own = (uint64_t)column_str(&t->columns[slice_col_category], row) << 32 |
                       column_str(&t->columns[slice_col_name], row);
        bool fresh;
        uint32_t *first = map_insert(&known, hash_mix(above, own), &fresh);
        if (fresh)
            *first = row;
        stacks[row] = fresh ? hash_path(s, &path, row, &steps) : stacks[*first];
    }
    map_release(&known);
    vec_release(&path.v);
    if (!session_stopped(s))
        return s->slice_stacks = stacks;
    free(stacks);
    return NULL;
}
