/* __intrinsic_flamechart(tree, ts, leaf): samples of stacks as runs. At each depth a run lasts
 * while samples that follow each other have the same frame there and the same ones around it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/tree.h"

enum { COLUMN_ID = 1 };

struct run {
    uint32_t node;
    int64_t ts, samples;
};

/* The tree's nodes are copied: the pointer lives no longer than a step. */
struct flamechart {
    struct table_builder *runs;
    struct map nodes; /* by id */
    int64_t *ids;
    uint32_t *parents;
    VEC(struct run) open; /* by depth */
    VEC(uint32_t) stack;  /* of the sample: the innermost node first */
    int64_t ts;
};

static struct flamechart *new_flamechart(struct sql_session *s, const struct tree *t)
{
    const struct column *id = &t->table->table->columns[COLUMN_ID];
    struct flamechart *f = alloc_array(1, sizeof *f);
    f->runs = table_builder_of(&s->trace->strings, "ts, dur, depth, id, sample_count");
    f->ids = alloc_array(t->count + (size_t)1, sizeof *f->ids);
    f->parents = alloc_array(t->count + (size_t)1, sizeof *f->parents);
    f->ts = INT64_MIN;
    for (uint32_t i = 0; i < t->count; i++) {
        f->ids[i] = column_int(id, i);
        f->parents[i] = t->parent[i];
        map_set(&f->nodes, (uint64_t)f->ids[i], i);
    }
    return f;
}

static void free_flamechart(struct flamechart *f)
{
    map_release(&f->nodes);
    vec_release(&f->open);
    vec_release(&f->stack);
    free(f->ids);
    free(f->parents);
    free(f);
}

/* Ends the runs from a depth on; -1 is the duration of those that no sample ends. */
static void end_runs(struct flamechart *f, size_t depth, bool unfinished)
{
    for (size_t i = depth; i < f->open.count; i++) {
        const struct run *r = &f->open.items[i];
        if (r->ts == f->ts && !unfinished)
            continue;
        table_builder_row(f->runs, cell_int(r->ts), cell_int(unfinished ? -1 : f->ts - r->ts),
                          cell_int((int64_t)i), cell_int(f->ids[r->node]), cell_int(r->samples));
    }
    f->open.count = depth;
}

static void add_sample(struct flamechart *f, uint32_t leaf)
{
    size_t same = 0;
    f->stack.count = 0;
    for (uint32_t node = leaf; node != TREE_NO_ROW; node = f->parents[node])
        *vec_push(&f->stack) = node;
    const uint32_t *outermost = &vec_last(&f->stack);
    while (same < f->open.count && same < f->stack.count &&
           f->open.items[same].node == outermost[-(ptrdiff_t)same])
        f->open.items[same++].samples++;
    end_runs(f, same, false);
    for (; same < f->stack.count; same++)
        *vec_push(&f->open) = (struct run){outermost[-(ptrdiff_t)same], f->ts, 1};
}

static bool is_int_or_null(sqlite3_value *v)
{
    int type = sqlite3_value_type(v);
    return type == SQLITE_INTEGER || type == SQLITE_NULL;
}

static void flamechart_step(SQL_FUNCTION_ARGS)
{
    struct flamechart **f = sqlite3_aggregate_context(ctx, sizeof *f);
    const struct tree *t = pointer_of(argv[0], TREE_TYPE);
    if (!f)
        return;
    if (!t) {
        result_error(ctx, "flamechart: first argument must be a TREE pointer");
        return;
    }
    if (!is_int_or_null(argv[1]) || !is_int_or_null(argv[2])) {
        result_error(ctx, "flamechart: ts and leaf_id must be integers");
        return;
    }
    if (!*f)
        *f = new_flamechart(sqlite3_user_data(ctx), t);
    int64_t ts = sqlite3_value_int64(argv[1]);
    const uint32_t *leaf = map_find(&(*f)->nodes, (uint64_t)sqlite3_value_int64(argv[2]));
    bool missing = sqlite3_value_type(argv[1]) == SQLITE_NULL ||
                   sqlite3_value_type(argv[2]) == SQLITE_NULL || !leaf;
    if (missing)
        return;
    if (ts < (*f)->ts) {
        result_error(ctx, "flamechart: samples must come in the order of ts");
        return;
    }
    (*f)->ts = ts;
    add_sample(*f, *leaf);
}

static void flamechart_final(sqlite3_context *ctx)
{
    struct flamechart *f = group_state_made(ctx);
    if (!f)
        return;
    end_runs(f, 0, true);
    ptr_table_result(ctx, sqlite3_user_data(ctx), f->runs);
    free_flamechart(f);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_flamechart", 3, flamechart),
    {0},
};

const struct sql_family flamechart_family = {.functions = functions};
