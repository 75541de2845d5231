/* Scans over graphs: rows that start at some nodes are carried along the edges, and a query of the
 * user's makes each step's rows from those that arrived.
 *
 * The plain scan steps once for each row and edge, so a node may be given out many times. The
 * aggregating one waits for all that can arrive at a node and steps once for it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/graph.h"
#include "sql/operators/tree.h"
#include "sql/tokens/lexer.h"

#define FRAME_TYPE "ROW_DATAFRAME"

enum { COLUMNS_MAX = 20, ROWS_MAX = 1 << 26 };

/* __intrinsic_row_dataframe_agg('column', value, ...): the rows as a table. */
static void frame_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct table_builder **b = sqlite3_aggregate_context(ctx, sizeof *b);
    const char *names[COLUMNS_MAX];
    int n = argc / 2;
    bool good = n > 0 && argc % 2 == 0 && n <= COLUMNS_MAX;
    if (!b)
        return;
    for (int i = 0; good && !*b && i < n; i++)
        good = (names[i] = (const char *)sqlite3_value_text(argv[2 * i])) != NULL;
    if (!good) {
        result_error(ctx, "row_dataframe_agg: expected up to 20 of 'column', value");
        return;
    }
    if (!*b)
        *b = table_builder_new(&s->trace->strings, n, names);
    for (int i = 0; i < n; i++) {
        struct status status = table_builder_put_value(*b, argv[2 * i + 1]);
        if (!status_ok(status)) {
            result_failed(ctx, status);
            return;
        }
    }
    table_builder_end_row(*b);
}

static void frame_final(sqlite3_context *ctx)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct table_builder *b = group_state_made(ctx);
    if (b)
        result_pointer(ctx,
                       sql_table_own(table_builder_finish(b, "rows"), &s->trace->strings,
                                     &s->cancel),
                       FRAME_TYPE, ptr_table_unref);
}

struct scan {
    struct sql_session *session;
    const struct graph *graph; /* NULL: without edges */
    const char *name;          /* of the function, for messages */
    char *column_text;         /* what `columns` points into */
    const char *columns[COLUMNS_MAX];
    int column_count;
    sqlite3_stmt *start, *step; /* ?1 is the table of the rows that arrived */
    struct table_builder *out;
    uint32_t rows, steps;
};

static const char *const no_memory = "out of memory";

/* "(a, b)" as the columns id, a, b. */
static struct status read_columns(struct scan *s, const char *list)
{
    struct sql_source source = {.name = "columns", .text = str_from(list)};
    size_t n = strlen(list);
    char *to = s->column_text = alloc_bytes(2 * n + 4);
    s->columns[s->column_count++] = "id";
    for (size_t at = 0; at < n;) {
        struct token t = lexer_token(&source, at);
        at += t.text.n;
        if (!token_is_name(t))
            continue;
        if (s->column_count == COLUMNS_MAX)
            return status_error(STATUS_SQL, "%s: carries at most %d columns", s->name,
                                COLUMNS_MAX - 1);
        struct str name = token_name(t);
        s->columns[s->column_count++] = memcpy(to, name.p, name.n);
        to[name.n] = 0;
        to += name.n + 1;
    }
    return status_ok_value();
}

/* A SELECT of the columns from the table behind ?1. */
static char *source_query(const struct scan *s)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (int i = 0; i < s->column_count; i++)
        sqlite3_str_appendf(text, "%s c%d AS \"%w\"", i ? "," : "(SELECT", i, s->columns[i]);
    sqlite3_str_appendall(text, " FROM __intrinsic_table_ptr(?1)");
    for (int i = 0; i < s->column_count; i++)
        sqlite3_str_appendf(text, " %s __intrinsic_table_ptr_bind(c%d, %Q)", i ? "AND" : "WHERE", i,
                            s->columns[i]);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

static struct status prepare(struct scan *s, char *query, sqlite3_stmt **out)
{
    int rc = query ? session_prepare(s->session, query, 0, out) : SQLITE_NOMEM;
    sqlite3_free(query);
    if (rc != SQLITE_OK)
        return status_error(STATUS_SQL, "%s: in the step's query: %s", s->name,
                            query ? sqlite3_errmsg(s->session->db) : no_memory);
    int found = sqlite3_column_count(*out);
    if (found != s->column_count)
        return status_error(STATUS_SQL, "%s: the step's query has %d columns, expected id and %d",
                            s->name, found, s->column_count - 1);
    return status_ok_value();
}

/* The step's query with `source` in the place of $table. */
static char *step_query(const char *step, const char *source)
{
    struct sql_source tokens = {.name = "step", .text = str_from(step)};
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "SELECT * FROM ");
    for (size_t at = 0; at < tokens.text.n;) {
        struct token t = lexer_token(&tokens, at);
        at += t.text.n;
        if (t.kind == TOKEN_VARIABLE && t.text.n == 6 &&
            sqlite3_strnicmp(t.text.p, "$table", 6) == 0)
            sqlite3_str_appendall(text, source);
        else
            sqlite3_str_append(text, t.text.p, (int)t.text.n);
    }
    return sqlite3_str_finish(text);
}

static struct status prepare_queries(struct scan *s, const char *step)
{
    char *source = source_query(s);
    char *start = source ? sqlite3_mprintf("SELECT * FROM %s", source) : NULL;
    char *query = source ? step_query(step, source) : NULL;
    sqlite3_free(source);
    struct status status = prepare(s, start, &s->start);
    if (status_ok(status))
        return prepare(s, query, &s->step);
    sqlite3_free(query);
    return status;
}

static struct table_builder *new_rows(const struct scan *s)
{
    return table_builder_new(&s->session->trace->strings, s->column_count, s->columns);
}

/* Appends the statement's row with another id. */
static struct status put_row(struct scan *s, struct table_builder *to, int64_t id,
                             sqlite3_stmt *stmt)
{
    struct status status = status_ok_value();
    if (session_poll(s->session, &s->steps))
        return interrupted();
    if (++s->rows > ROWS_MAX)
        return status_error(STATUS_SQL,
                            "%s: made more than %d rows: the graph may have a cycle that the step "
                            "does not end",
                            s->name, ROWS_MAX);
    table_builder_put(to, cell_int(id));
    for (int i = 1; i < s->column_count && status_ok(status); i++)
        status = table_builder_put_value(to, sqlite3_column_value(stmt, i));
    table_builder_end_row(to);
    return status_prefix(status, "%s", s->name);
}

/* Gives out a statement's rows, and carries each along the edges: with `arrivals`, to the table
 * that it returns for the target (an error where that is NULL). */
struct carrier {
    struct table_builder *(*arrivals)(struct carrier *c, uint32_t target);
};

static struct status carry_row(struct scan *s, struct carrier *c, sqlite3_stmt *stmt)
{
    int64_t id = sqlite3_column_int64(stmt, 0);
    struct status status = put_row(s, s->out, id, stmt);
    uint32_t node = s->graph ? graph_find(s->graph, id) : GRAPH_NOBODY;
    if (node == GRAPH_NOBODY)
        return status;
    for (uint32_t e = s->graph->starts[node]; e < s->graph->starts[node + 1]; e++) {
        uint32_t target = s->graph->targets[e];
        if (!status_ok(status))
            return status;
        struct table_builder *to = c->arrivals(c, target);
        if (!to)
            return status_error(STATUS_SQL,
                                "%s: the step's query made a row for node %lld, which was not "
                                "among those of $table",
                                s->name, (long long)id);
        status = put_row(s, to, s->graph->ids.items[target], stmt);
    }
    return status;
}

/* Runs the query on `table`, whose reference it takes. */
static struct status carry_rows(struct scan *s, struct carrier *c, sqlite3_stmt *stmt,
                                struct sql_table *table)
{
    struct status status = status_ok_value();
    int rc = bind_pointer(stmt, 1, table, PTR_TABLE_TYPE, ptr_table_unref);
    while (rc == SQLITE_OK && status_ok(status)) {
        rc = session_step(s->session, stmt);
        if (rc != SQLITE_ROW)
            break;
        status = carry_row(s, c, stmt);
        rc = SQLITE_OK;
    }
    if (rc == SQLITE_INTERRUPT)
        status = interrupted();
    else if (rc != SQLITE_OK && rc != SQLITE_DONE)
        status = status_error(STATUS_SQL, "%s: %s", s->name, session_message(s->session));
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return status;
}

static struct status step_rows(struct scan *s, struct carrier *c, struct table_builder *arrived)
{
    struct sql_table *t = sql_table_own(table_builder_finish(arrived, "arrived"),
                                        &s->session->trace->strings, &s->session->cancel);
    return carry_rows(s, c, s->step, t);
}

struct plain_carrier {
    struct carrier base;
    const struct scan *scan;
    struct table_builder *next; /* NULL while nothing arrived */
};

static struct table_builder *plain_arrivals(struct carrier *base, uint32_t target)
{
    (void)target;
    struct plain_carrier *c = (struct plain_carrier *)base;
    if (!c->next)
        c->next = new_rows(c->scan);
    return c->next;
}

static struct status scan_plain(struct scan *s, struct sql_table *starts)
{
    struct plain_carrier c = {{plain_arrivals}, s, NULL};
    struct status status = carry_rows(s, &c.base, s->start, starts);
    while (status_ok(status) && c.next) {
        struct table_builder *arrived = c.next;
        c.next = NULL;
        status = step_rows(s, &c.base, arrived);
    }
    table_builder_free(c.next);
    return status;
}

/* Nodes in waves: a node's wave comes after those of all nodes from which something may arrive. */
struct wave_carrier {
    struct carrier base;
    const struct scan *scan;
    uint32_t *wave; /* of each node that something can arrive at, else GRAPH_NOBODY */
    struct table_builder **arrived; /* of each wave; NULL while nothing arrived */
    uint32_t wave_count, now;
};

static struct table_builder *wave_arrivals(struct carrier *base, uint32_t target)
{
    struct wave_carrier *c = (struct wave_carrier *)base;
    uint32_t wave = c->wave[target];
    if (wave == GRAPH_NOBODY || wave < c->now)
        return NULL;
    if (!c->arrived[wave])
        c->arrived[wave] = new_rows(c->scan);
    return c->arrived[wave];
}

struct node_list {
    VEC(uint32_t) v;
};

/* Marks (wave 0) and lists what can be reached by at least one edge from the start rows. */
static struct status reach(struct scan *s, uint32_t *wave, struct sql_table *starts,
                           struct node_list *reached)
{
    const struct graph *g = s->graph;
    const struct column *id = &starts->table->columns[sql_table_find(starts, "id")];
    struct node_list sources = {0};
    for (uint32_t i = 0; i < starts->table->rows; i++) {
        uint32_t node = column_is_null(id, i) ? GRAPH_NOBODY : graph_find(g, column_int(id, i));
        if (node != GRAPH_NOBODY)
            *vec_push(&sources.v) = node;
    }
    struct status status = status_ok_value();
    for (size_t i = 0; i < sources.v.count + reached->v.count && status_ok(status); i++) {
        uint32_t from =
            i < sources.v.count ? sources.v.items[i] : reached->v.items[i - sources.v.count];
        for (uint32_t e = g->starts[from]; e < g->starts[from + 1]; e++) {
            uint32_t to = g->targets[e];
            if (wave[to] != GRAPH_NOBODY)
                continue;
            wave[to] = 0;
            *vec_push(&reached->v) = to;
        }
        if (session_poll(s->session, &s->steps))
            status = interrupted();
    }
    vec_release(&sources.v);
    return status;
}

/* Gives each node that was reached its wave, taking away nodes that wait for none. */
static struct status make_waves(struct scan *s, struct wave_carrier *c,
                                const struct node_list *reached)
{
    const struct graph *g = s->graph;
    uint32_t *waits_for = alloc_array(g->ids.count + 1, sizeof *waits_for);
    struct node_list free_nodes = {0};
    for (size_t i = 0; i < reached->v.count; i++)
        for (uint32_t n = reached->v.items[i], e = g->starts[n]; e < g->starts[n + 1]; e++)
            waits_for[g->targets[e]]++;
    for (size_t i = 0; i < reached->v.count; i++)
        if (waits_for[reached->v.items[i]] == 0)
            *vec_push(&free_nodes.v) = reached->v.items[i];
    for (size_t i = 0; i < free_nodes.v.count; i++) {
        uint32_t n = free_nodes.v.items[i], after = c->wave[n] + 1;
        c->wave_count = after > c->wave_count ? after : c->wave_count;
        for (uint32_t e = g->starts[n]; e < g->starts[n + 1]; e++) {
            uint32_t to = g->targets[e];
            c->wave[to] = after > c->wave[to] ? after : c->wave[to];
            if (--waits_for[to] == 0)
                *vec_push(&free_nodes.v) = to;
        }
    }
    struct status status = status_ok_value();
    for (size_t i = 0; i < reached->v.count && status_ok(status); i++)
        if (waits_for[reached->v.items[i]] > 0)
            status = status_error(STATUS_SQL,
                                  "%s: the graph has a cycle (node %lld is on one or behind one)",
                                  s->name, (long long)g->ids.items[reached->v.items[i]]);
    vec_release(&free_nodes.v);
    free(waits_for);
    return status;
}

static struct status run_waves(struct scan *s, struct wave_carrier *c, struct sql_table *starts)
{
    c->arrived = alloc_array(c->wave_count + (size_t)1, sizeof(struct table_builder *));
    starts->references++;
    struct status status = carry_rows(s, &c->base, s->start, starts);
    for (c->now = 0; c->now < c->wave_count && status_ok(status);) {
        struct table_builder *arrived = c->arrived[c->now];
        c->arrived[c->now++] = NULL;
        if (arrived)
            status = step_rows(s, &c->base, arrived);
    }
    for (uint32_t i = 0; i < c->wave_count; i++)
        table_builder_free(c->arrived[i]);
    free(c->arrived);
    return status;
}

static struct status scan_aggregating(struct scan *s, struct sql_table *starts)
{
    struct wave_carrier c = {.base = {wave_arrivals}, .scan = s};
    struct node_list reached = {0};
    struct status status = status_ok_value();
    if (s->graph) {
        c.wave = alloc_array(s->graph->ids.count + 1, sizeof *c.wave);
        for (size_t i = 0; i < s->graph->ids.count; i++)
            c.wave[i] = GRAPH_NOBODY;
        status = reach(s, c.wave, starts, &reached);
        if (status_ok(status))
            status = make_waves(s, &c, &reached);
    }
    if (status_ok(status))
        status = run_waves(s, &c, starts);
    sql_table_unref(starts);
    vec_release(&reached.v);
    free(c.wave);
    return status;
}

/* The start rows must have the scan's columns, with integers as ids. */
static struct status check_starts(const struct scan *s, const struct sql_table *starts)
{
    for (int i = 0; i < s->column_count; i++)
        if (sql_table_find(starts, s->columns[i]) < 0)
            return status_error(STATUS_SQL, "%s: the start rows have no column %s", s->name,
                                s->columns[i]);
    if (!tree_column_is_int(&starts->table->columns[sql_table_find(starts, "id")]))
        return status_error(STATUS_SQL, "%s: the start rows' ids are not integers", s->name);
    return status_ok_value();
}

/* (graph, start rows, step's query, '(columns)') */
static void run_scan(sqlite3_context *ctx, sqlite3_value **argv, const char *name,
                     struct status (*run)(struct scan *s, struct sql_table *starts))
{
    struct scan s = {.session = sqlite3_user_data(ctx), .name = name};
    struct sql_table *starts = pointer_of(argv[1], FRAME_TYPE);
    const char *step = (const char *)sqlite3_value_text(argv[2]);
    const char *columns = (const char *)sqlite3_value_text(argv[3]);
    if (!step || !columns) {
        result_error(ctx, "%s: takes a graph, start rows, a query and a list of columns", name);
        return;
    }
    s.graph = graph_of_value(argv[0]);
    struct status status = read_columns(&s, columns);
    if (status_ok(status)) {
        s.out = new_rows(&s);
        status = prepare_queries(&s, step);
    }
    if (status_ok(status) && starts)
        status = check_starts(&s, starts);
    if (status_ok(status) && starts) {
        starts->references++;
        status = run(&s, starts);
    }
    sqlite3_finalize(s.start);
    sqlite3_finalize(s.step);
    if (status_ok(status)) {
        ptr_table_result(ctx, s.session, s.out);
    } else {
        table_builder_free(s.out);
        result_failed(ctx, status);
    }
    free(s.column_text);
}

static void fn_scan(SQL_FUNCTION_ARGS)
{
    run_scan(ctx, argv, "graph_scan", scan_plain);
}

static void fn_aggregating_scan(SQL_FUNCTION_ARGS)
{
    run_scan(ctx, argv, "graph_aggregating_scan", scan_aggregating);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_row_dataframe_agg", -1, frame),
    SQL_FUNCTION("__intrinsic_graph_scan", 4, fn_scan),
    SQL_FUNCTION("__intrinsic_graph_aggregating_scan", 4, fn_aggregating_scan),
    {0},
};

const struct sql_family graph_scan_family = {.functions = functions};
