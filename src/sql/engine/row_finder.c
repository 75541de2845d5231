#include "sql/engine/row_finder.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"

static const uint32_t *parents(const struct sql_table *t, uint32_t column)
{
    return table_u32(t->table, column);
}

static bool cancelled(const struct row_finder *f)
{
    return atomic_load_explicit(&f->session->cancel, memory_order_relaxed);
}

/* From the start's parent up to the root, written root first. A parent stands before its child in
 * the table, which ends chains that a broken trace may have closed to a ring. */
static void find_ancestors(struct row_finder *f, const struct sql_table *t, uint32_t column,
                           uint32_t row)
{
    const uint32_t *parent = parents(t, column);
    f->rows.v.count = 0;
    for (uint32_t at = parent[row]; at < row; at = parent[at]) {
        *vec_push(&f->rows.v) = at;
        row = at;
    }
    for (size_t i = 0, n = f->rows.v.count; i < n / 2; i++) {
        uint32_t swap = f->rows.v.items[i];
        f->rows.v.items[i] = f->rows.v.items[n - 1 - i];
        f->rows.v.items[n - 1 - i] = swap;
    }
}

bool find_ancestor_slices(struct row_finder *f, uint32_t slice)
{
    find_ancestors(f, f->slices, slice_col_parent_id, slice);
    return true;
}

bool find_ancestor_callsites(struct row_finder *f, uint32_t callsite)
{
    find_ancestors(f, f->callsites, stack_profile_callsite_col_parent_id, callsite);
    return true;
}

/* The rows whose `column` is `row`; none when cancelled while the index is built. */
static struct index_rows rows_of(struct sql_table *t, uint32_t column, uint32_t row)
{
    const struct sql_index *index = sql_table_index(t, column);
    return index ? sql_index_find(index, key_of_int(row)) : (struct index_rows){NULL, 0};
}

static int compare_rows(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void push_children(struct row_finder *f, struct found_rows *out, uint32_t slice)
{
    struct index_rows children = rows_of(f->slices, slice_col_parent_id, slice);
    for (uint32_t i = 0; i < children.count; i++)
        if (children.items[i] > slice)
            *vec_push(&out->v) = children.items[i];
}

bool find_descendant_slices(struct row_finder *f, uint32_t slice)
{
    struct found_rows *rows = &f->rows;
    bool ordered = true;
    rows->v.count = 0;
    push_children(f, rows, slice);
    for (size_t i = 0; i < rows->v.count; i++) {
        push_children(f, rows, rows->v.items[i]);
        if ((i & 0xfff) == 0xfff && cancelled(f))
            return false;
    }
    for (size_t i = 1; i < rows->v.count && ordered; i++)
        ordered = rows->v.items[i - 1] < rows->v.items[i];
    if (!ordered)
        ordered = poll_sort(&f->session->cancel, rows->v.items, rows->v.count,
                            sizeof *rows->v.items, compare_rows);
    return ordered;
}

/* False where there is no memory. */
static bool start(struct row_finder *f)
{
    if (!f->slice_seen)
        f->slice_seen = alloc_try_array(f->slices->table->rows + (size_t)1, sizeof *f->slice_seen);
    if (!f->flow_seen)
        f->flow_seen = alloc_try_array(f->flows->table->rows + (size_t)1, sizeof *f->flow_seen);
    f->call++;
    f->queue.v.count = 0;
    return f->slice_seen && f->flow_seen;
}

static void visit(struct row_finder *f, uint32_t slice)
{
    if (slice >= f->slices->table->rows || f->slice_seen[slice] == f->call)
        return;
    f->slice_seen[slice] = f->call;
    *vec_push(&f->queue.v) = slice;
}

/* The flows that leave (or reach) a slice join the result, their other ends the queue. */
static void follow(struct row_finder *f, uint32_t slice, bool forward)
{
    uint32_t from = forward ? flow_col_slice_out : flow_col_slice_in;
    uint32_t to = forward ? flow_col_slice_in : flow_col_slice_out;
    const uint32_t *ends = table_u32(f->flows->table, to);
    struct index_rows flows = rows_of(f->flows, from, slice);
    for (uint32_t i = 0; i < flows.count; i++) {
        uint32_t flow = flows.items[i];
        if (f->flow_seen[flow] == f->call)
            continue;
        f->flow_seen[flow] = f->call;
        *vec_push(&f->rows.v) = flow;
        visit(f, ends[flow]);
    }
}

static bool walk(struct row_finder *f, uint32_t slice, bool forward, bool relatives)
{
    if (!start(f))
        return false;
    visit(f, slice);
    for (size_t i = 0; i < f->queue.v.count; i++) {
        uint32_t at = f->queue.v.items[i];
        follow(f, at, forward);
        if (relatives && forward) {
            struct index_rows children = rows_of(f->slices, slice_col_parent_id, at);
            for (uint32_t k = 0; k < children.count; k++)
                visit(f, children.items[k]);
        } else if (relatives) {
            visit(f, parents(f->slices, slice_col_parent_id)[at]);
        }
        if ((i & 0xfff) == 0xfff && cancelled(f))
            return false;
    }
    return true;
}

bool find_connected_flows(struct row_finder *f, uint32_t slice)
{
    f->rows.v.count = 0;
    return walk(f, slice, true, false) && walk(f, slice, false, false);
}

bool find_following_flows(struct row_finder *f, uint32_t slice)
{
    f->rows.v.count = 0;
    return walk(f, slice, true, true);
}

bool find_preceding_flows(struct row_finder *f, uint32_t slice)
{
    f->rows.v.count = 0;
    return walk(f, slice, false, true);
}
