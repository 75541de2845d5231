/* CREATE VIRTUAL TABLE t USING __intrinsic_flamegraph((SELECT id, parent_id, name, ...)), and
 * t(__intrinsic_flamegraph_config('view', ..., 'value', ...)): the frames merged and placed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/operator_vtab.h"
#include "sql/values/real_text.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/flamegraph_config.h"

/* The input, and the names of the columns made of it. Columns of the table: _auto_id, id, parent_id
 * and whatever the input has, name among it. */
struct flamegraph_input {
    struct sql_session *session;
    struct table_builder *rows; /* while reading */
    struct tree *tree;
    uint32_t name;
    VEC(uint32_t) properties; /* all but the ids and the name */
    VEC(uint32_t) numbers;    /* those of them that can be values */
    VEC(char *) names;        /* owned */
};

enum { OUT_ID, OUT_PARENT, OUT_DEPTH, OUT_NAME, OUT_PROPERTIES };

static void free_source(void *p)
{
    struct flamegraph_input *s = p;
    table_builder_free(s->rows);
    tree_free(s->tree);
    for (size_t i = 0; i < s->names.count; i++)
        sqlite3_free(s->names.items[i]);
    vec_release(&s->names);
    vec_release(&s->properties);
    vec_release(&s->numbers);
    free(s);
}

static struct status begin_source(void *self, sqlite3_stmt *stmt)
{
    struct flamegraph_input *s = self;
    int n = sqlite3_column_count(stmt);
    const char **names = alloc_array((size_t)n, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(stmt, i);
    s->rows = table_builder_new(&s->session->trace->strings, n, names);
    bool good = sqlite3_stricmp(names[0], "id") == 0 && sqlite3_stricmp(names[1], "parent_id") == 0;
    free(names);
    return good ? status_ok_value()
                : status_error(STATUS_SQL, "the first columns must be id and parent_id");
}

static struct status add_row(void *self, sqlite3_stmt *stmt)
{
    return table_builder_add(((struct flamegraph_input *)self)->rows, stmt);
}

static const char *column_name(const struct flamegraph_input *s, uint32_t column)
{
    return s->tree->table->table->columns[column].def->name;
}

static void add_column(struct flamegraph_input *s, struct operator_columns *columns,
                       const char *format, const char *name)
{
    char *text = sqlite3_mprintf(format, name);
    *vec_push(&s->names) = text;
    *vec_push(&columns->v) = text;
}

static void name_columns(struct flamegraph_input *s, struct operator_columns *columns)
{
    const struct table *t = s->tree->table->table;
    for (uint32_t c = 3; c < t->def->column_count; c++) {
        enum column_type type = t->columns[c].def->type;
        if (c == s->name)
            continue;
        *vec_push(&s->properties) = c;
        if (type != COLUMN_TYPE_STR)
            *vec_push(&s->numbers) = c;
        add_column(s, columns, "%s", column_name(s, c));
    }
    add_column(s, columns, "%s", "x_start");
    add_column(s, columns, "%s", "x_end");
    for (size_t i = 0; i < s->numbers.count; i++) {
        const char *name = column_name(s, s->numbers.items[i]);
        add_column(s, columns, "self_%s", name);
        add_column(s, columns, "cumulative_%s", name);
        add_column(s, columns, "parent_cumulative_%s", name);
    }
}

static struct status create(struct sql_session *session, const char *input, void **state,
                            struct operator_columns *columns)
{
    static const struct operator_reader reader = {3, begin_source, add_row};
    struct flamegraph_input *s = *state = alloc_array(1, sizeof *s);
    s->session = session;
    struct status status = operator_read(session, input, &reader, s);
    if (status_ok(status)) {
        struct table *t = table_builder_finish(s->rows, "frames");
        s->rows = NULL;
        /* Slices of an area are those that have an end: what is around them may have none. */
        status = tree_new(sql_table_own(t, &session->trace->strings, &session->cancel),
                          TREE_ORPHANS_ARE_ROOTS, &s->tree);
    }
    int name = status_ok(status) ? sql_table_find(s->tree->table, "name") : 0;
    if (name < 0)
        status = status_error(STATUS_SQL, "the input has no column name");
    s->name = (uint32_t)name;
    if (status_ok(status))
        name_columns(s, columns);
    return status_prefix(status, "flamegraph");
}

/* A call's columns, by name. */
struct resolved {
    VEC(uint32_t) groups, values; /* of the tree's table */
    VEC(uint32_t) inputs;         /* of each aggregate */
};

static void release_resolved(struct resolved *r)
{
    vec_release(&r->groups);
    vec_release(&r->values);
    vec_release(&r->inputs);
}

static struct status find_column(const struct flamegraph_input *s, const char *name, uint32_t *out)
{
    int c = sql_table_find(s->tree->table, name);
    if (c < 3)
        return status_error(STATUS_SQL, "flamegraph: the input has no column %s for that", name);
    *out = (uint32_t)c;
    return status_ok_value();
}

static bool is_text(const struct flamegraph_input *s, uint32_t column)
{
    return s->tree->table->table->columns[column].def->type == COLUMN_TYPE_STR;
}

static struct status resolve(const struct flamegraph_input *s, const struct flamegraph_config *c,
                             struct resolved *r)
{
    struct status status = status_ok_value();
    uint32_t column = 0;
    for (size_t i = 0; i < c->groups.count && status_ok(status); i++) {
        status = find_column(s, c->groups.items[i], &column);
        *vec_push(&r->groups) = column;
    }
    for (size_t i = 0; i < c->values.count && status_ok(status); i++) {
        status = find_column(s, c->values.items[i], &column);
        *vec_push(&r->values) = column;
        if (status_ok(status) && is_text(s, column))
            status = status_error(STATUS_SQL, "flamegraph: the value %s is text, not a number",
                                  c->values.items[i]);
    }
    for (size_t i = 0; i < c->aggregates.count && status_ok(status); i++) {
        const struct flamegraph_aggregate *a = &c->aggregates.items[i];
        status = find_column(s, a->in, &column);
        *vec_push(&r->inputs) = column;
        if (status_ok(status))
            status = find_column(s, a->out, &column);
        if (status_ok(status) && a->kind == FLAMEGRAPH_SUM && is_text(s, vec_last(&r->inputs)))
            status = status_error(STATUS_SQL, "flamegraph: SUM of %s, which is text", a->in);
    }
    if (!status_ok(status))
        return status;
    if (c->values.count == 0)
        return status_error(STATUS_SQL, "flamegraph: the call names no 'value' column");
    if ((c->view == FLAMEGRAPH_PIVOT || c->view == FLAMEGRAPH_FROM_FRAME) && !c->pattern.text)
        return status_error(STATUS_SQL, "flamegraph: the view %s needs a 'view_pattern'",
                            flamegraph_view_name(c->view));
    return status_ok_value();
}

struct flamegraph_output {
    const struct flamegraph_input *source;
    const struct flamegraph_config *config;
    const struct resolved *resolved;
    const struct flamegraph *graph;
    struct table_builder *out;
};

/* A column's value as text for sqlite3_free, NULL where it has none. */
static char *value_text(const struct flamegraph_input *s, const struct column *c, uint32_t row)
{
    if (column_is_null(c, row))
        return NULL;
    if (c->def->type == COLUMN_TYPE_F64)
        return isnan(column_f64(c, row)) ? NULL : real_text(column_f64(c, row));
    if (c->def->type != COLUMN_TYPE_STR)
        return sqlite3_mprintf("%lld", (long long)column_int(c, row));
    struct str text = string_pool_get(&s->session->trace->strings, column_str(c, row));
    return sqlite3_mprintf("%.*s", (int)text.n, text.p);
}

struct node_rows {
    VEC(uint32_t) v;
};

/* The rows of a node, with what hidden frames gave to them. */
static void rows_of_node(const struct flamegraph *f, const struct flamegraph_node *node,
                         struct node_rows *rows)
{
    rows->v.count = 0;
    for (uint32_t p = node->first_part; p != TREE_NO_ROW; p = f->parts.items[p].next) {
        uint32_t row = f->parts.items[p].row;
        *vec_push(&rows->v) = row;
        for (uint32_t g = f->first_given[row]; g != TREE_NO_ROW; g = f->next_given[g])
            *vec_push(&rows->v) = g;
    }
}

static struct table_cell sum_of_rows(const struct column *c, const struct node_rows *rows)
{
    struct flamegraph_amount total = {0, 0};
    bool any = false, real = c->def->type == COLUMN_TYPE_F64;
    for (size_t i = 0; i < rows->v.count; i++) {
        uint32_t row = rows->v.items[i];
        if (column_is_null(c, row))
            continue;
        any = true;
        if (real)
            total.d += column_f64(c, row);
        else
            total.i = (int64_t)((uint64_t)total.i + (uint64_t)column_int(c, row));
    }
    return !any ? CELL_NULL : real ? cell_real(total.d) : cell_int(total.i);
}

/* "a,b,b", or "a", or "a and 2 others" where there are two different values. */
static void put_texts(const struct flamegraph_output *o, enum flamegraph_summary kind,
                      const struct column *c, const struct node_rows *rows)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    struct map seen = {0};
    for (size_t i = 0; i < rows->v.count; i++) {
        char *value = value_text(o->source, c, rows->v.items[i]);
        bool inserted = false;
        if (!value)
            continue;
        *map_insert(&seen, string_pool_intern(&o->source->session->trace->strings, str_from(value)),
                    &inserted) = 1;
        if (seen.count == 1 && inserted)
            sqlite3_str_appendall(text, value);
        else if (kind == FLAMEGRAPH_CONCAT)
            sqlite3_str_appendf(text, ",%s", value);
        sqlite3_free(value);
    }
    if (kind == FLAMEGRAPH_ONE_OR_SUMMARY && seen.count > 1)
        sqlite3_str_appendf(text, " and %lld others", (long long)seen.count);
    bool any = seen.count > 0;
    char *all = sqlite3_str_finish(text);
    table_builder_put(o->out, cell_chars(!any || all ? all : ""));
    sqlite3_free(all);
    map_release(&seen);
}

static const struct column *column_of(const struct flamegraph_output *o, uint32_t column)
{
    return &o->source->tree->table->table->columns[column];
}

static void put_property(const struct flamegraph_output *o, uint32_t column, uint32_t first_row,
                         const struct node_rows *rows)
{
    const struct flamegraph_config *c = o->config;
    for (size_t i = 0; i < c->aggregates.count; i++) {
        const struct flamegraph_aggregate *a = &c->aggregates.items[i];
        if (sqlite3_stricmp(a->out, column_name(o->source, column)) != 0)
            continue;
        const struct column *in = column_of(o, o->resolved->inputs.items[i]);
        if (a->kind == FLAMEGRAPH_SUM)
            table_builder_put(o->out, sum_of_rows(in, rows));
        else
            put_texts(o, a->kind, in, rows);
        return;
    }
    bool grouped = false;
    for (size_t i = 0; i < o->resolved->groups.count; i++)
        grouped |= o->resolved->groups.items[i] == column;
    table_builder_put(o->out, grouped ? cell_of(column_of(o, column), first_row) : CELL_NULL);
}

static bool is_real(const struct flamegraph_output *o, size_t value)
{
    return column_of(o, o->resolved->values.items[value])->def->type == COLUMN_TYPE_F64;
}

static struct table_cell cell_amount(const struct flamegraph_output *o, size_t value,
                                     struct flamegraph_amount a)
{
    return is_real(o, value) ? cell_real(a.d) : cell_int(a.i);
}

/* The number of the value that a column is, or -1. */
static int value_of_column(const struct flamegraph_output *o, uint32_t column)
{
    for (size_t i = 0; i < o->resolved->values.count; i++)
        if (o->resolved->values.items[i] == column)
            return (int)i;
    return -1;
}

static void put_values(const struct flamegraph_output *o, const struct flamegraph_node *node,
                       uint32_t number)
{
    const struct flamegraph *f = o->graph;
    for (size_t k = 0; k < o->source->numbers.count; k++) {
        int v = value_of_column(o, o->source->numbers.items[k]);
        if (v < 0) {
            table_builder_put(o->out, CELL_NULL, CELL_NULL, CELL_NULL);
            continue;
        }
        size_t at = (size_t)v, n = f->value_count;
        const struct flamegraph_amount *all = f->cumulative.items;
        table_builder_put(o->out, cell_amount(o, at, f->self.items[number * n + at]),
                          cell_amount(o, at, all[number * n + at]),
                          node->parent == TREE_NO_ROW
                              ? CELL_NULL
                              : cell_amount(o, at, all[node->parent * n + at]));
    }
}

/* False when cancelled. */
static bool put_nodes(const struct flamegraph_output *o)
{
    const struct flamegraph *f = o->graph;
    const struct flamegraph_input *s = o->source;
    uint32_t *place = alloc_array(f->nodes.count + 1, sizeof *place);
    struct node_rows rows = {0};
    uint32_t steps = 0;
    bool cancelled = false;
    for (uint32_t i = 0; i < f->nodes.count; i++)
        place[f->shown[i]] = i;
    for (uint32_t i = 0; i < f->nodes.count && !cancelled; i++) {
        uint32_t number = f->shown[i];
        const struct flamegraph_node *node = &f->nodes.items[number];
        struct flamegraph_amount width = f->cumulative.items[number * f->value_count];
        table_builder_put(o->out, cell_int(i),
                          node->parent == TREE_NO_ROW ? CELL_NULL : cell_int(place[node->parent]),
                          cell_int(node->depth), cell_of(column_of(o, s->name), node->row));
        if (o->config->aggregates.count > 0)
            rows_of_node(f, node, &rows);
        for (size_t k = 0; k < s->properties.count; k++)
            put_property(o, s->properties.items[k], node->row, &rows);
        table_builder_put(o->out, cell_amount(o, 0, node->start),
                          cell_amount(o, 0, flamegraph_sum(node->start, width)));
        put_values(o, node, number);
        table_builder_end_row(o->out);
        cancelled = session_poll(s->session, &steps);
    }
    vec_release(&rows.v);
    free(place);
    return !cancelled;
}

/* The row above all roots, which __intrinsic_flamegraph_find(_tree_id, 'SUPER_ROOT') asks for. */
static void put_super_root(const struct flamegraph_output *o)
{
    const struct flamegraph_input *s = o->source;
    int columns = OUT_PROPERTIES + (int)s->properties.count + 2 + 3 * (int)s->numbers.count;
    int x = OUT_PROPERTIES + (int)s->properties.count;
    for (int i = 0; i < columns; i++) {
        int number = i >= x + 2 && (i - x - 2) % 3 == 1 ? (i - x - 2) / 3 : -1;
        int v = number < 0 ? -1 : value_of_column(o, s->numbers.items[number]);
        if (i == OUT_DEPTH)
            table_builder_put(o->out, cell_int(0));
        else if (i == x)
            table_builder_put(o->out, cell_real(0));
        else if (i == x + 1)
            table_builder_put(o->out, cell_real(o->graph->total[0].d));
        else
            table_builder_put(o->out, v >= 0 ? cell_real(o->graph->total[v].d) : CELL_NULL);
    }
    table_builder_end_row(o->out);
}

static struct status compute(const struct operator_call *call, struct table_builder *out)
{
    const struct flamegraph_input *s = call->state;
    const struct flamegraph_config *c = pointer_of(call->arguments[0], FLAMEGRAPH_CONFIG_TYPE);
    struct resolved r = {0};
    struct flamegraph graph;
    if (!c)
        return status_error(STATUS_SQL,
                            "flamegraph: the argument must be __intrinsic_flamegraph_config(...)");
    struct status status = resolve(s, c, &r);
    if (status_ok(status)) {
        struct flamegraph_query q = {
            .session = call->session,
            .tree = s->tree,
            .name = s->name,
            .view = c->view,
            .pattern = &c->pattern,
            .filters = c->filters.items,
            .filter_count = c->filters.count,
            .groups = r.groups.items,
            .group_count = r.groups.count,
            .values = r.values.items,
            .value_count = r.values.count,
        };
        status = flamegraph_make(&q, &graph);
        if (status_ok(status) && call->marked)
            put_super_root(&(struct flamegraph_output){s, c, &r, &graph, out});
        else if (status_ok(status) &&
                 !put_nodes(&(struct flamegraph_output){s, c, &r, &graph, out}))
            status = status_error(STATUS_CANCELLED, "interrupted");
        flamegraph_release(&graph);
    }
    release_resolved(&r);
    return status;
}

static const char *const columns[] = {"_tree_id", "_tree_parent_id", "depth", "name", NULL};

static const struct operator_table operators[] = {
    {
        .name = "__intrinsic_flamegraph",
        .columns = columns,
        .parameters = "config",
        .create = create,
        .destroy = free_source,
        .compute = compute,
        .marker = "__intrinsic_flamegraph_find",
    },
    {0},
};

const struct sql_family flamegraph_operator_family = {.operators = operators};
