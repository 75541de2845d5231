#include "sql/functions/ordered_aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

/* The rows of one group. */
struct group {
    VEC(sqlite3_value *) values; /* `width` a row */
    size_t width, arguments;
    char *flags; /* without the `u` */
    bool distinct;
};

/* A row of a group, as what is sorted. */
struct place {
    const struct group *group;
    size_t row;
};

/* One aggregate. A statement runs it over sorted rows, whose values it asks for one by one. */
struct ordered {
    struct ordered_aggregates *all;
    char *name; /* of f */
    size_t arguments;
    sqlite3_stmt *stmt; /* kept for the next group */
    bool distinct;      /* what the statement does */
};

struct ordered_aggregates {
    struct sql_session *session;
    VEC(char *) names;         /* of the functions that are there */
    const struct group *group; /* that is read now */
    const struct place *order;
};

static void free_ordered(void *p)
{
    struct ordered *o = p;
    if (!o->all->session->closing)
        sqlite3_finalize(o->stmt);
    free(o->name);
    free(o);
}

static struct group *begin_group(const struct ordered *o, int argc, sqlite3_value **argv)
{
    struct group *g = alloc_array(1, sizeof *g);
    struct str flags = value_str(argv[0]);
    g->distinct = str_starts(flags, STR("u"));
    flags = str_skip(flags, g->distinct);
    g->width = (size_t)argc - 1;
    g->flags = alloc_copy(flags.p, flags.n);
    g->arguments = o->arguments;
    return g;
}

static void step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct ordered *o = sqlite3_user_data(ctx);
    struct group **g = sqlite3_aggregate_context(ctx, sizeof *g);
    if (!g || (size_t)argc < o->arguments + 1)
        return;
    struct str flags = value_str(argv[0]);
    size_t letters = flags.n - str_starts(flags, STR("u"));
    if ((size_t)argc - 1 - o->arguments > letters) {
        result_error(ctx, "ORDER BY in a call takes at most %d keys", (int)letters);
        return;
    }
    if (!*g)
        *g = begin_group(o, argc, argv);
    for (int i = 1; i < argc; i++)
        *vec_push(&(*g)->values) = sqlite3_value_dup(argv[i]);
}

static void free_group(struct group *g)
{
    for (size_t i = 0; i < g->values.count; i++)
        sqlite3_value_free(g->values.items[i]);
    vec_release(&g->values);
    free(g->flags);
    free(g);
}

static int compare_numbers(sqlite3_value *a, sqlite3_value *b)
{
    if (sqlite3_value_type(a) == SQLITE_INTEGER && sqlite3_value_type(b) == SQLITE_INTEGER) {
        sqlite3_int64 x = sqlite3_value_int64(a), y = sqlite3_value_int64(b);
        return (x > y) - (x < y);
    }
    double x = sqlite3_value_double(a), y = sqlite3_value_double(b);
    return (x > y) - (x < y);
}

/* NULL, numbers, text, blobs. */
static int rank(sqlite3_value *v)
{
    switch (sqlite3_value_type(v)) {
    case SQLITE_NULL:
        return 0;
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return 1;
    case SQLITE_TEXT:
        return 2;
    default:
        return 3;
    }
}

static int compare_values(sqlite3_value *a, sqlite3_value *b)
{
    int x = rank(a), y = rank(b);
    if (x != y || x == 0)
        return x - y;
    if (x == 1)
        return compare_numbers(a, b);
    struct str s = value_str(a), t = value_str(b);
    int order = memcmp(s.p, t.p, s.n < t.n ? s.n : t.n);
    return order ? order : (s.n > t.n) - (s.n < t.n);
}

static int compare_rows(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    const struct group *g = p->group;
    size_t x = p->row, y = q->row;
    for (size_t k = g->arguments; k < g->width; k++) {
        char flag = g->flags[k - g->arguments];
        sqlite3_value *v = g->values.items[x * g->width + k];
        sqlite3_value *w = g->values.items[y * g->width + k];
        int order = compare_values(v, w);
        bool null = rank(v) == 0 || rank(w) == 0;
        bool descending = flag == 'd' || flag == 'D';
        bool largest = flag == 'A' || flag == 'D';
        if (order)
            return descending != (null && largest) ? -order : order;
    }
    return (x > y) - (x < y);
}

/* SELECT "f"(value(i, 0), value(i, 1) ...) over i = 0 .. ?1 - 1. */
static char *statement_text(const struct ordered *o, bool distinct)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text,
                        "WITH RECURSIVE n(i) AS (SELECT 0 WHERE ?1 > 0 UNION ALL SELECT i + 1 FROM"
                        " n WHERE i + 1 < ?1) SELECT \"%w\"(%s",
                        o->name, distinct ? "DISTINCT " : "");
    for (size_t i = 0; i < o->arguments; i++)
        sqlite3_str_appendf(text, "%stptui_ordered_value(i, %d)", i ? ", " : "", (int)i);
    sqlite3_str_appendall(text, ") FROM n");
    return sqlite3_str_finish(text);
}

/* The kept statement where it does the same and is not running already. */
static int prepare(struct ordered *o, bool distinct, sqlite3_stmt **out)
{
    if (o->stmt && o->distinct == distinct) {
        *out = o->stmt;
        o->stmt = NULL;
        return SQLITE_OK;
    }
    char *text = statement_text(o, distinct);
    int rc =
        sqlite3_prepare_v3(o->all->session->db, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    sqlite3_free(text);
    return rc;
}

static void give_back(struct ordered *o, bool distinct, sqlite3_stmt *stmt)
{
    sqlite3_reset(stmt);
    sqlite3_finalize(o->stmt);
    o->stmt = stmt;
    o->distinct = distinct;
}

static void aggregate(struct ordered *o, size_t rows, bool distinct, sqlite3_context *ctx)
{
    sqlite3_stmt *stmt = NULL;
    int rc = prepare(o, distinct, &stmt);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, (sqlite3_int64)rows);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        result_value(ctx, sqlite3_column_value(stmt, 0));
    else if (rc == SQLITE_INTERRUPT)
        sqlite3_result_error_code(ctx, rc);
    else
        result_error(ctx, "%s", sqlite3_errmsg(o->all->session->db));
    give_back(o, distinct, stmt);
}

static void aggregate_group(struct ordered *o, struct group *g, sqlite3_context *ctx)
{
    struct ordered_aggregates *all = o->all;
    size_t rows = g->values.count / g->width;
    struct place *order = alloc_array(rows, sizeof *order);
    for (size_t i = 0; i < rows; i++)
        order[i] = (struct place){g, i};
    if (!poll_sort(&all->session->cancel, order, rows, sizeof *order, compare_rows)) {
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        free(order);
        return;
    }
    const struct group *outer = all->group;
    const struct place *outer_order = all->order;
    all->group = g;
    all->order = order;
    aggregate(o, rows, g->distinct, ctx);
    all->group = outer;
    all->order = outer_order;
    free(order);
}

static void finish(sqlite3_context *ctx)
{
    struct ordered *o = sqlite3_user_data(ctx);
    struct group *g = group_state_made(ctx);
    if (!g) {
        aggregate(o, 0, false, ctx);
        return;
    }
    if (atomic_load(&o->all->session->cancel)) /* called to clean up */
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    else
        aggregate_group(o, g, ctx);
    free_group(g);
}

static void value(SQL_FUNCTION_ARGS)
{
    const struct ordered_aggregates *all = sqlite3_user_data(ctx);
    if (!all->group)
        return;
    const struct group *g = all->group;
    size_t row = (size_t)sqlite3_value_int64(argv[0]), i = (size_t)sqlite3_value_int64(argv[1]);
    if (i < g->width && row < g->values.count / g->width)
        result_value(ctx, g->values.items[all->order[row].row * g->width + i]);
}

static void *make_aggregates(struct sql_session *s)
{
    s->ordered = alloc_array(1, sizeof *s->ordered);
    s->ordered->session = s;
    return s->ordered;
}

static void free_aggregates(void *p)
{
    struct ordered_aggregates *all = p;
    for (size_t i = 0; i < all->names.count; i++)
        free(all->names.items[i]);
    vec_release(&all->names);
    free(all);
}

static const struct native_function functions[] = {
    {.name = "tptui_ordered_value", .argc = 2, .flags = SQLITE_INNOCUOUS, .call = value},
    {0},
};

const struct sql_family ordered_aggregate_family = {.functions = functions,
                                                    .init = make_aggregates,
                                                    .release = free_aggregates};

void ordered_aggregate_define(struct ordered_aggregates *all, struct str f, int arguments)
{
    if (!all)
        return;
    char *name = sqlite3_mprintf("tptui_ordered_%d_%.*s", arguments, (int)f.n, f.p);
    bool known = false;
    for (size_t i = 0; i < all->names.count && !known; i++)
        known = sqlite3_stricmp(all->names.items[i], name) == 0;
    if (!known) {
        struct ordered *o = alloc_array(1, sizeof *o);
        *o = (struct ordered){.all = all,
                              .name = alloc_copy(f.p, f.n),
                              .arguments = (size_t)arguments};
        *vec_push(&all->names) = alloc_copy(name, strlen(name));
        sqlite3_create_function_v2(all->session->db, name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, o,
                                   NULL, step, finish, free_ordered);
    }
    sqlite3_free(name);
}
