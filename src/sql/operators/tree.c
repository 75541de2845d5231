#include "sql/operators/tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"

enum { COLUMN_ID = 1, COLUMN_PARENT };

bool tree_column_is_int(const struct column *c)
{
    enum column_type type = c->def->type;
    return type == COLUMN_TYPE_U32 || type == COLUMN_TYPE_SMALL || type == COLUMN_TYPE_I64;
}

static bool is_cancelled(const struct tree *t, uint32_t row)
{
    return (row & 0xfff) == 0 && atomic_load_explicit(t->table->cancel, memory_order_relaxed);
}

static struct status number_ids(const struct tree *t, struct map *by_id)
{
    const struct column *id = &t->table->table->columns[COLUMN_ID];
    for (uint32_t i = 0; i < t->count; i++) {
        bool inserted;
        if (is_cancelled(t, i))
            return status_error(STATUS_CANCELLED, "interrupted");
        if (column_is_null(id, i))
            return status_error(STATUS_SQL, "row %u of the tree has no id", i);
        *map_insert(by_id, (uint64_t)column_int(id, i), &inserted) = i;
        if (!inserted)
            return status_error(STATUS_SQL, "two rows of the tree have the id %lld",
                                (long long)column_int(id, i));
    }
    return status_ok_value();
}

static struct status find_parents(struct tree *t, const struct map *by_id,
                                  enum tree_orphans orphans)
{
    const struct column *id = &t->table->table->columns[COLUMN_ID];
    const struct column *up = &t->table->table->columns[COLUMN_PARENT];
    for (uint32_t i = 0; i < t->count; i++) {
        t->parent[i] = TREE_NO_ROW;
        if (is_cancelled(t, i))
            return status_error(STATUS_CANCELLED, "interrupted");
        if (column_is_null(up, i))
            continue;
        const uint32_t *row = map_find(by_id, (uint64_t)column_int(up, i));
        if (!row && orphans == TREE_ORPHANS_ARE_ROOTS)
            continue;
        if (!row)
            return status_error(STATUS_SQL,
                                "the parent %lld of the row with id %lld is not in the tree",
                                (long long)column_int(up, i), (long long)column_int(id, i));
        t->parent[i] = *row;
    }
    return status_ok_value();
}

struct tree_children tree_children_of(const uint32_t *parent, uint32_t count)
{
    struct tree_children c = {alloc_array(count + (size_t)1, sizeof *c.first),
                              alloc_array(count + (size_t)1, sizeof *c.next)};
    for (uint32_t i = 0; i <= count; i++)
        c.first[i] = TREE_NO_ROW;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t p = parent[i] == TREE_NO_ROW ? count : parent[i];
        c.next[i] = c.first[p];
        c.first[p] = i;
    }
    return c;
}

void tree_children_free(struct tree_children c)
{
    free(c.first);
    free(c.next);
}

/* Level by level from the roots where some parent stands behind its child, else as the rows are. */
static struct status order_rows(struct tree *t)
{
    uint32_t n = 0;
    while (n < t->count && (t->parent[n] == TREE_NO_ROW || t->parent[n] < n)) {
        t->order[n] = n;
        n++;
    }
    if (n < t->count) {
        struct tree_children c = tree_children_of(t->parent, t->count);
        n = 0;
        for (uint32_t r = c.first[t->count]; r != TREE_NO_ROW; r = c.next[r])
            t->order[n++] = r;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t r = c.first[t->order[i]]; r != TREE_NO_ROW; r = c.next[r])
                t->order[n++] = r;
        tree_children_free(c);
    }
    for (uint32_t i = 0; i < n; i++)
        t->place[t->order[i]] = i;
    if (n == t->count)
        return status_ok_value();
    return status_error(STATUS_SQL, "some rows of the tree are their own ancestors");
}

static struct status build(struct tree *t, enum tree_orphans orphans)
{
    const struct table *rows = t->table->table;
    struct map by_id = {0};
    struct status status = status_ok_value();
    if (!tree_column_is_int(&rows->columns[COLUMN_ID]) ||
        !tree_column_is_int(&rows->columns[COLUMN_PARENT]))
        return status_error(STATUS_SQL, "the ids of a tree must be integers");
    status = number_ids(t, &by_id);
    if (status_ok(status))
        status = find_parents(t, &by_id, orphans);
    if (status_ok(status))
        status = order_rows(t);
    map_release(&by_id);
    return status;
}

struct status tree_new(struct sql_table *table, enum tree_orphans orphans, struct tree **out)
{
    struct tree *t = alloc_array(1, sizeof *t);
    t->table = table;
    t->count = table->table->rows;
    t->parent = alloc_array(t->count + (size_t)1, sizeof *t->parent);
    t->order = alloc_array(t->count + (size_t)1, sizeof *t->order);
    t->place = alloc_array(t->count + (size_t)1, sizeof *t->place);
    struct status status = build(t, orphans);
    if (status_ok(status))
        *out = t;
    else
        tree_free(t);
    return status;
}

void tree_free(struct tree *t)
{
    if (!t)
        return;
    sql_table_unref(t->table);
    free(t->parent);
    free(t->order);
    free(t->place);
    free(t);
}
