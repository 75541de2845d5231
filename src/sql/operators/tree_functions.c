/* Trees given as rows (id, parent id): handed on as a pointer, shown as a table, summed up from the
 * leaves, split by group. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/tree.h"

enum { COLUMN_ID = 1, COLUMN_PARENT, COLUMNS_MAX = 20 };

static struct table_builder *new_tree_builder(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const char *names[COLUMNS_MAX];
    bool good = argc >= 4 && argc % 2 == 0 && argc / 2 <= COLUMNS_MAX;
    for (int i = 0; good && i < argc / 2; i++)
        good = (names[i] = (const char *)sqlite3_value_text(argv[2 * i])) != NULL;
    good =
        good && sqlite3_stricmp(names[0], "id") == 0 && sqlite3_stricmp(names[1], "parent_id") == 0;
    if (good)
        return table_builder_new(&s->trace->strings, argc / 2, names);
    result_error(ctx, "tree_from_table: expected 'id', id, 'parent_id', parent_id and up to 18 "
                      "more of 'column', value");
    return NULL;
}

/* ('id', id, 'parent_id', parent_id, 'column', value, ...) */
static void tree_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct table_builder **b = sqlite3_aggregate_context(ctx, sizeof *b);
    if (!b || (!*b && !(*b = new_tree_builder(ctx, argc, argv))))
        return;
    for (int i = 0; i < argc / 2; i++) {
        struct status status = table_builder_put_value(*b, argv[2 * i + 1]);
        if (!status_ok(status)) {
            result_failed(ctx, status);
            return;
        }
    }
    table_builder_end_row(*b);
}

static void free_tree(void *p)
{
    tree_free(p);
}

static void tree_final(sqlite3_context *ctx)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct table_builder *b = group_state_made(ctx);
    struct tree *t;
    if (!b)
        return;
    if (session_stopped(s)) {
        table_builder_free(b);
        return;
    }
    struct status status =
        tree_new(sql_table_own(table_builder_finish(b, "tree"), &s->trace->strings, &s->cancel),
                 TREE_ORPHANS_FAIL, &t);
    if (status_ok(status))
        result_pointer(ctx, t, TREE_TYPE, free_tree);
    else
        result_failed(ctx, status_prefix(status, "tree_from_table"));
}

/* __intrinsic_tree_to_table(tree): _tree_id, _tree_parent_id and the tree's own columns. */
static void fn_to_table(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct tree *t = pointer_of(argv[0], TREE_TYPE);
    const char *names[2 + COLUMNS_MAX] = {"_tree_id", "_tree_parent_id", "id", "parent_id"};
    int own = t ? (int)t->table->table->def->column_count - 1 : 2;
    for (int i = 0; t && i < own; i++)
        names[2 + i] = t->table->table->columns[1 + i].def->name;
    struct table_builder *b = table_builder_new(&s->trace->strings, 2 + own, names);
    uint32_t steps = 0;
    for (uint32_t i = 0; t && i < t->count && !session_poll(s, &steps); i++) {
        uint32_t row = t->order[i];
        uint32_t up = t->parent[row];
        table_builder_put(b, cell_int(i), up == TREE_NO_ROW ? CELL_NULL : cell_int(t->place[up]));
        for (int c = 0; c < own; c++)
            table_builder_put(b, cell_of(&t->table->table->columns[1 + c], row));
        table_builder_end_row(b);
    }
    ptr_table_result(ctx, s, b);
}

enum { SUM_COUNT, SUM_SIZE, SUM_NATIVE, SUMS };

struct summary {
    int64_t *sums[SUMS]; /* by row */
    uint32_t *depth;
};

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct summary sum_up(const struct sql_session *s, const struct tree *t,
                             const struct column *const *columns)
{
    uint32_t steps = 0;
    struct summary m = {.depth = alloc_array(t->count + (size_t)1, sizeof *m.depth)};
    for (int k = 0; k < SUMS; k++) {
        m.sums[k] = alloc_array(t->count + (size_t)1, sizeof *m.sums[k]);
        for (uint32_t i = 0; i < t->count && !session_poll(s, &steps); i++)
            m.sums[k][i] = column_is_null(columns[k], i) ? 0 : column_int(columns[k], i);
        for (uint32_t i = t->count; i-- > 0 && !session_poll(s, &steps);) {
            uint32_t row = t->order[i], up = t->parent[row];
            if (up != TREE_NO_ROW)
                m.sums[k][up] = add_wrapping(m.sums[k][up], m.sums[k][row]);
        }
    }
    for (uint32_t i = 0; i < t->count && !session_poll(s, &steps); i++) {
        uint32_t row = t->order[i], up = t->parent[row];
        m.depth[row] = up == TREE_NO_ROW ? 1 : m.depth[up] + 1;
    }
    return m;
}

/* The tree's columns that are summed; false where one is missing or no number. */
static bool summed_columns(const struct tree *t, const struct column **columns)
{
    static const char *const names[SUMS] = {"self_count", "self_size", "native_size"};
    for (int k = 0; k < SUMS; k++) {
        int at = sql_table_find(t->table, names[k]);
        if (at < 0 || !tree_column_is_int(&t->table->table->columns[at]))
            return false;
        columns[k] = &t->table->table->columns[at];
    }
    return true;
}

/* __intrinsic_tree_dominator_summary(tree): what each node dominates, itself included. */
static void fn_summary(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct tree *t = pointer_of(argv[0], TREE_TYPE);
    const struct column *columns[SUMS];
    if (t && !summed_columns(t, columns)) {
        result_error(ctx, "tree_dominator_summary: the tree needs the integer columns "
                          "self_size, native_size and self_count");
        return;
    }
    struct table_builder *b =
        table_builder_of(&s->trace->strings,
                         "id, idom_id, dominated_obj_count, dominated_size_bytes, "
                         "dominated_native_size_bytes, depth");
    struct summary m = {0};
    uint32_t steps = 0;
    if (t)
        m = sum_up(s, t, columns);
    for (uint32_t i = 0; t && i < t->count && !session_poll(s, &steps); i++) {
        uint32_t row = t->order[i];
        table_builder_put(b, cell_of(&t->table->table->columns[COLUMN_ID], row),
                          cell_of(&t->table->table->columns[COLUMN_PARENT], row));
        for (int k = 0; k < SUMS; k++)
            table_builder_put(b, cell_int(m.sums[k][row]));
        table_builder_row(b, cell_int(m.depth[row]));
    }
    for (int k = 0; k < SUMS; k++)
        free(m.sums[k]);
    free(m.depth);
    ptr_table_result(ctx, s, b);
}

/* What each row and those below it ("up"), or above it ("down"), have in a column; false where a
 * sum does not fit. */
static bool accumulate(const struct tree *t, const struct column *values, bool up, int64_t *sums)
{
    bool fits = true;
    for (uint32_t i = 0; i < t->count; i++)
        sums[i] = column_is_null(values, i) ? 0 : column_int(values, i);
    for (uint32_t i = 0; i < t->count && fits; i++) {
        uint32_t row = t->order[up ? t->count - 1 - i : i], above = t->parent[row];
        if (above == TREE_NO_ROW)
            continue;
        fits = up ? !__builtin_add_overflow(sums[above], sums[row], &sums[above])
                  : !__builtin_add_overflow(sums[row], sums[above], &sums[row]);
    }
    return fits;
}

enum { FIRST_SUMMED = COLUMN_PARENT + 1 };

/* The sums of all columns behind the parent's id, one array after the other; NULL where there is
 * one that cannot be summed. */
static int64_t *accumulate_all(sqlite3_context *ctx, const struct tree *t, int columns, bool up)
{
    int64_t *sums = alloc_try_array((size_t)columns * t->count + 1, sizeof *sums);
    const char *problem = sums ? NULL : "out of memory";
    for (int c = 0; c < columns && !problem; c++) {
        const struct column *values = &t->table->table->columns[FIRST_SUMMED + c];
        if (!tree_column_is_int(values))
            problem = "SUM takes a column of integers";
        else if (!accumulate(t, values, up, sums + (size_t)c * t->count))
            problem = "integer overflow";
    }
    if (!problem)
        return sums;
    result_error(ctx, "%s", problem);
    free(sums);
    return NULL;
}

/* __intrinsic_tree_accumulate(tree, 'up' or 'down'): the ids, and sums of the further columns under
 * their names. Children come before their parents, or behind them. */
static void fn_accumulate(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct tree *t = pointer_of(argv[0], TREE_TYPE);
    const char *way = (const char *)sqlite3_value_text(argv[1]);
    bool up = way && sqlite3_stricmp(way, "up") == 0;
    const char *names[1 + COLUMNS_MAX] = {"id"};
    if (!t) /* of no rows, which are no table's */
        return;
    int columns = (int)t->table->table->def->column_count - FIRST_SUMMED;
    int64_t *sums = accumulate_all(ctx, t, columns, up);
    if (!sums)
        return;
    for (int c = 0; c < columns; c++)
        names[1 + c] = t->table->table->columns[FIRST_SUMMED + c].def->name;
    struct table_builder *b = table_builder_new(&s->trace->strings, 1 + columns, names);
    uint32_t steps = 0;
    for (uint32_t i = 0; i < t->count && !session_poll(s, &steps); i++) {
        uint32_t row = t->order[up ? t->count - 1 - i : i];
        table_builder_put(b, cell_of(&t->table->table->columns[COLUMN_ID], row));
        for (int c = 0; c < columns; c++)
            table_builder_put(b, cell_int(sums[(size_t)c * t->count + row]));
        table_builder_end_row(b);
    }
    free(sums);
    ptr_table_result(ctx, s, b);
}

/* A row of __intrinsic_structural_tree_partition. */
struct member {
    int64_t id, parent, group;
    bool root;
};

struct members {
    VEC(struct member) v;
    struct map rows; /* id -> position */
};

static void partition_step(SQL_FUNCTION_ARGS)
{
    struct members *m = group_state(ctx, sizeof *m);
    if (!m)
        return;
    int64_t id = sqlite3_value_int64(argv[0]);
    map_set(&m->rows, (uint64_t)id, (uint32_t)m->v.count);
    *vec_push(&m->v) =
        (struct member){id, sqlite3_value_int64(argv[1]), sqlite3_value_int64(argv[2]),
                        sqlite3_value_type(argv[1]) == SQLITE_NULL};
}

/* A walk down the tree which knows the innermost member of each group on the way from the root. */
static uint32_t *nearest_in_group(const struct sql_session *s, const struct members *m,
                                  const struct tree_children *c)
{
    uint32_t steps = 0;
    uint32_t n = (uint32_t)m->v.count;
    uint32_t *nearest = alloc_array(n + (size_t)1, sizeof *nearest);
    struct map innermost = {0}; /* group -> row + 1; 0: none */
    VEC(uint32_t) way = {0};
    for (uint32_t i = 0; i < n; i++)
        nearest[i] = TREE_NO_ROW;
    for (uint32_t row = c->first[n]; row != TREE_NO_ROW && !session_poll(s, &steps);) {
        bool inserted;
        uint32_t *in = map_insert(&innermost, (uint64_t)m->v.items[row].group, &inserted);
        nearest[row] = *in - 1;
        *in = row + 1;
        *vec_push(&way) = row;
        row = c->first[row];
        while (row == TREE_NO_ROW && way.count > 0) {
            uint32_t done = way.items[--way.count];
            *map_find(&innermost, (uint64_t)m->v.items[done].group) = nearest[done] + 1;
            row = c->next[done];
        }
    }
    vec_release(&way);
    map_release(&innermost);
    return nearest;
}

static void put_partition(const struct sql_session *s, struct table_builder *b,
                          const struct members *m)
{
    uint32_t n = (uint32_t)m->v.count;
    uint32_t *parent = alloc_array(n + (size_t)1, sizeof *parent);
    uint32_t steps = 0;
    for (uint32_t i = 0; i < n && !session_poll(s, &steps); i++) {
        const struct member *it = &m->v.items[i];
        const uint32_t *row = it->root ? NULL : map_find(&m->rows, (uint64_t)it->parent);
        parent[i] = row ? *row : TREE_NO_ROW;
    }
    if (session_stopped(s)) { /* some have no parent yet */
        free(parent);
        return;
    }
    struct tree_children c = tree_children_of(parent, n);
    uint32_t *nearest = nearest_in_group(s, m, &c);
    for (uint32_t i = 0; i < n && !session_poll(s, &steps); i++) {
        table_builder_row(b, cell_int(m->v.items[i].id),
                          nearest[i] == TREE_NO_ROW ? CELL_NULL
                                                    : cell_int(m->v.items[nearest[i]].id),
                          cell_int(m->v.items[i].group));
    }
    free(nearest);
    free(parent);
    tree_children_free(c);
}

static void partition_final(sqlite3_context *ctx)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct members *m = group_state_made(ctx);
    struct table_builder *b =
        table_builder_of(&s->trace->strings, "node_id, parent_node_id, group_key");
    if (m) {
        if (!session_stopped(s))
            put_partition(s, b, m);
        map_release(&m->rows);
        vec_release(&m->v);
        free(m);
    }
    ptr_table_result(ctx, s, b);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_tree_from_table", -1, tree),
    SQL_FUNCTION("__intrinsic_tree_to_table", 1, fn_to_table),
    SQL_FUNCTION("__intrinsic_tree_dominator_summary", 1, fn_summary),
    SQL_FUNCTION("__intrinsic_tree_accumulate", 2, fn_accumulate),
    SQL_AGGREGATE("__intrinsic_structural_tree_partition", 3, partition),
    {0},
};

const struct sql_family tree_functions_family = {.functions = functions};
