#include "summary/structured_query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "pb_fields.h"
#include "sql/session.h"
#include "summary/message.h"
#include "summary/query_writer.h"

/* More queries in one statement are refused: SQLite takes a limited number of tables, too. */
enum { NESTED_MAX = 1000 };

enum table_state { TABLE_NONE, TABLE_OPEN, TABLE_MADE };

/* A query with an id. */
struct shared_query {
    struct str id, bytes;
    bool wanted; /* its table */
    enum table_state state;
};

/* A query of the statement being written. */
struct part {
    struct str bytes, id;
    size_t parent; /* SIZE_MAX: none */
    bool shared;
    char *sql; /* from sqlite3_str */
};

struct structured_queries {
    VEC(struct shared_query) shared;
    VEC(struct part) parts;
    VEC(char *) modules;
    VEC(char *) statements;
    size_t modules_run, statements_run; /* of them, by structured_queries_prepare */
    VEC(size_t) referenced;             /* shared queries that the statement refers to as tables */
    enum reference_kind kind;
};

struct structured_queries *structured_queries_new(void)
{
    return alloc_array(1, sizeof(struct structured_queries));
}

static void release_parts(struct structured_queries *q)
{
    for (size_t i = 0; i < q->parts.count; i++)
        sqlite3_free(q->parts.items[i].sql);
    q->parts.count = 0;
}

void structured_queries_free(struct structured_queries *q)
{
    release_parts(q);
    for (size_t i = 0; i < q->modules.count; i++)
        free(q->modules.items[i]);
    for (size_t i = 0; i < q->statements.count; i++)
        free(q->statements.items[i]);
    vec_release(&q->shared);
    vec_release(&q->parts);
    vec_release(&q->modules);
    vec_release(&q->statements);
    vec_release(&q->referenced);
    free(q);
}

static struct shared_query *find_shared(struct structured_queries *q, struct str id)
{
    for (size_t i = 0; i < q->shared.count; i++)
        if (str_eq(q->shared.items[i].id, id))
            return &q->shared.items[i];
    return NULL;
}

struct status structured_queries_add(struct structured_queries *q, struct str query)
{
    struct str id = message_text(query, PB_PerfettoSqlStructuredQuery_id);
    if (id.n == 0)
        return status_error(STATUS_USAGE, "query: id is missing: a query of a spec needs one");
    if (find_shared(q, id))
        return status_error(STATUS_USAGE, "query %.*s: there are two of this id", (int)id.n, id.p);
    *vec_push(&q->shared) = (struct shared_query){.id = id, .bytes = query};
    return status_ok_value();
}

void writer_put(struct query_writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (status_ok(w->bad))
        sqlite3_str_vappendf(w->sql, format, args);
    va_end(args);
}

void writer_put_str(struct query_writer *w, struct str s)
{
    if (status_ok(w->bad))
        sqlite3_str_append(w->sql, s.p, (int)s.n);
}

void writer_fail(struct query_writer *w, const char *format, ...)
{
    va_list args;
    if (!status_ok(w->bad))
        return;
    va_start(args, format);
    w->bad = status_verror(STATUS_USAGE, format, args);
    va_end(args);
}

struct str writer_need(struct query_writer *w, struct str message, uint32_t number,
                       const char *field)
{
    struct str text = message_text(message, number);
    if (text.n == 0)
        writer_fail(w, "%s is missing", field);
    return text.n ? text : STR("");
}

static size_t add_part(struct structured_queries *q, struct part part)
{
    *vec_push(&q->parts) = part;
    return q->parts.count - 1;
}

size_t writer_nest_bytes(struct query_writer *w, struct str query, const char *field)
{
    struct structured_queries *q = w->queries;
    if (!query.p)
        writer_fail(w, "%s is missing", field);
    else if (q->parts.count >= NESTED_MAX)
        writer_fail(w, "%s: more than %d queries in one", field, NESTED_MAX);
    if (!status_ok(w->bad))
        return 0;
    struct str id = message_text(query, PB_PerfettoSqlStructuredQuery_id);
    return add_part(q, (struct part){.bytes = query, .id = id, .parent = w->index});
}

size_t writer_nest(struct query_writer *w, struct str message, uint32_t number, const char *field)
{
    return writer_nest_bytes(w, message_text(message, number), field);
}

/* Whether the query that is being written is, or is part of, the one of that id. */
static bool is_within(const struct query_writer *w, struct str id)
{
    const struct structured_queries *q = w->queries;
    for (size_t i = w->index; i != SIZE_MAX; i = q->parts.items[i].parent)
        if (q->parts.items[i].id.n > 0 && str_eq(q->parts.items[i].id, id))
            return true;
    return false;
}

static size_t inline_shared(struct query_writer *w, const struct shared_query *s)
{
    struct structured_queries *q = w->queries;
    for (size_t i = 0; i < q->parts.count; i++)
        if (q->parts.items[i].shared && str_eq(q->parts.items[i].id, s->id))
            return i;
    return add_part(
        q, (struct part){.bytes = s->bytes, .id = s->id, .parent = w->index, .shared = true});
}

void writer_put_reference(struct query_writer *w, struct str id)
{
    struct structured_queries *q = w->queries;
    struct shared_query *s = find_shared(q, id);
    if (is_within(w, id))
        writer_fail(w, "inner_query_id: %.*s refers to itself (a cycle)", (int)id.n, id.p);
    else if (!s)
        writer_fail(w, "inner_query_id: there is no query of the id %.*s", (int)id.n, id.p);
    if (!status_ok(w->bad))
        return;
    if (q->kind == REFERENCE_INLINE) {
        writer_put(w, "sq_%llu", (unsigned long long)inline_shared(w, s));
        return;
    }
    s->wanted = true;
    *vec_push(&q->referenced) = (size_t)(s - q->shared.items);
    writer_put(w, "_shared_query_%llu", (unsigned long long)(s - q->shared.items));
}

void writer_need_module(struct query_writer *w, struct str module)
{
    struct structured_queries *q = w->queries;
    for (size_t i = 0; i < q->modules.count; i++)
        if (str_eq(str_from(q->modules.items[i]), module))
            return;
    *vec_push(&q->modules) = alloc_copy(module.p, module.n);
}

void writer_need_statements(struct query_writer *w, struct str sql)
{
    struct structured_queries *q = w->queries;
    for (size_t i = 0; i < q->statements.count; i++)
        if (str_eq(str_from(q->statements.items[i]), sql))
            return;
    *vec_push(&q->statements) = alloc_copy(sql.p, sql.n);
}

static void need_modules(struct query_writer *w, struct str query)
{
    struct pb_reader r = message_reader(query);
    struct pb_field f;
    while (message_next(&r, PB_PerfettoSqlStructuredQuery_referenced_modules, &f))
        writer_need_module(w, pb_str(&f));
}

/* The SELECT of one of the statement's queries. */
static struct status write_part(struct structured_queries *q, size_t index)
{
    struct part part = q->parts.items[index];
    struct query_writer w = {.queries = q, .index = index, .sql = sqlite3_str_new(NULL)};
    need_modules(&w, part.bytes);
    writer_put(&w, "SELECT ");
    writer_put_columns(&w, part.bytes);
    writer_put(&w, "\n  FROM ");
    writer_put_source(&w, part.bytes);
    writer_put_clauses(&w, part.bytes);
    q->parts.items[index].sql = sqlite3_str_finish(w.sql);
    if (status_ok(w.bad) || part.id.n == 0)
        return w.bad;
    return status_prefix(w.bad, "query %.*s", (int)part.id.n, part.id.p);
}

/* Later queries are parts of earlier ones: they come first. */
static char *join_parts(const struct structured_queries *q)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *separator = "WITH ";
    for (size_t i = q->parts.count; i-- > 0; separator = ",\n") {
        const char *part = q->parts.items[i].sql;
        sqlite3_str_appendf(sql, "%ssq_%llu AS (\n  %s\n)", separator, (unsigned long long)i,
                            part ? part : "");
    }
    sqlite3_str_appendall(sql, "\nSELECT * FROM sq_0");
    char *text = sqlite3_str_finish(sql);
    char *copy = alloc_copy(text, strlen(text));
    sqlite3_free(text);
    return copy;
}

struct status structured_query_sql(struct structured_queries *q, struct str query,
                                   enum reference_kind kind, char **sql)
{
    struct status s = status_ok_value();
    release_parts(q);
    q->referenced.count = 0;
    q->kind = kind;
    struct str id = message_text(query, PB_PerfettoSqlStructuredQuery_id);
    add_part(q, (struct part){.bytes = query, .id = id, .parent = SIZE_MAX});
    for (size_t i = 0; i < q->parts.count && status_ok(s); i++)
        s = write_part(q, i);
    if (status_ok(s))
        *sql = join_parts(q);
    return s;
}

struct status structured_query_sql_by_id(struct structured_queries *q, struct str id,
                                         enum reference_kind kind, char **sql)
{
    const struct shared_query *s = find_shared(q, id);
    if (s)
        return structured_query_sql(q, s->bytes, kind, sql);
    return status_error(STATUS_USAGE, "there is no query of the id %.*s", (int)id.n, id.p);
}

static struct status run(struct sql_session *s, const char *sql)
{
    return sql_session_run(s, "structured query", str_from(sql), NULL);
}

/* Indexes of shared queries whose tables are being made: each needs those behind it. */
struct table_stack {
    VEC(size_t) v;
};

/* Makes the SQL of the topmost one, and puts those that it needs on top of it. */
static struct status open_table(struct structured_queries *q, struct table_stack *stack, char **sql)
{
    size_t index = vec_last(&stack->v);
    struct status s = structured_query_sql(q, q->shared.items[index].bytes, REFERENCE_TABLE, sql);
    for (size_t i = 0; i < q->referenced.count && status_ok(s); i++) {
        struct shared_query *needed = &q->shared.items[q->referenced.items[i]];
        if (needed->state == TABLE_OPEN)
            s = status_error(STATUS_USAGE, "query %.*s refers to itself (a cycle)",
                             (int)needed->id.n, needed->id.p);
        else if (needed->state == TABLE_NONE)
            *vec_push(&stack->v) = q->referenced.items[i];
    }
    return s;
}

static struct status create_table(struct structured_queries *q, struct sql_session *s, size_t index,
                                  const char *sql)
{
    char *statement = sqlite3_mprintf("CREATE PERFETTO TABLE _shared_query_%llu AS\n%s",
                                      (unsigned long long)index, sql);
    struct status status = run(s, statement);
    sqlite3_free(statement);
    struct str id = q->shared.items[index].id;
    return status_prefix(status, "query %.*s", (int)id.n, id.p);
}

static void put_preamble(const struct structured_queries *q, size_t module, size_t statement,
                         sqlite3_str *text)
{
    for (; module < q->modules.count; module++)
        sqlite3_str_appendf(text, "INCLUDE PERFETTO MODULE %s;\n", q->modules.items[module]);
    for (; statement < q->statements.count; statement++)
        sqlite3_str_appendf(text, "%s;\n", q->statements.items[statement]);
}

/* What has not run yet. */
static struct status run_preamble(struct structured_queries *q, struct sql_session *s)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    put_preamble(q, q->modules_run, q->statements_run, text);
    q->modules_run = q->modules.count;
    q->statements_run = q->statements.count;
    char *sql = sqlite3_str_finish(text);
    struct status status = sql ? run(s, sql) : status_ok_value();
    sqlite3_free(sql);
    return status;
}

/* Tables that the first of the stack needs, deepest first. */
static struct status make_tables(struct structured_queries *q, struct sql_session *s,
                                 struct table_stack *stack)
{
    struct status status = status_ok_value();
    while (stack->v.count > 0 && status_ok(status)) {
        size_t index = vec_last(&stack->v), depth = stack->v.count;
        struct shared_query *shared = &q->shared.items[index];
        char *sql = NULL;
        if (shared->state == TABLE_MADE) {
            stack->v.count--;
            continue;
        }
        shared->state = TABLE_OPEN;
        status = open_table(q, stack, &sql);
        if (status_ok(status) && stack->v.count == depth) {
            status = run_preamble(q, s);
            if (status_ok(status))
                status = create_table(q, s, index, sql);
            shared->state = TABLE_MADE;
            stack->v.count--;
        }
        free(sql);
    }
    return status;
}

struct status structured_queries_prepare(struct structured_queries *q, struct sql_session *s)
{
    struct status status = run_preamble(q, s);
    for (size_t i = 0; i < q->shared.count && status_ok(status); i++) {
        struct table_stack stack = {0};
        if (!q->shared.items[i].wanted)
            continue;
        *vec_push(&stack.v) = i;
        status = make_tables(q, s, &stack);
        vec_release(&stack.v);
    }
    return status;
}

void structured_queries_drop(struct structured_queries *q, struct sql_session *s)
{
    for (size_t i = 0; i < q->shared.count; i++) {
        char statement[64];
        if (q->shared.items[i].state != TABLE_MADE)
            continue;
        snprintf(statement, sizeof statement, "DROP TABLE IF EXISTS _shared_query_%zu", i);
        struct status status = run(s, statement);
        status_release(&status); /* a table that was never made */
        q->shared.items[i].state = TABLE_NONE;
    }
}

char *structured_queries_preamble(const struct structured_queries *q)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    put_preamble(q, 0, 0, text);
    char *made = sqlite3_str_finish(text);
    char *copy = alloc_copy(made ? made : "", made ? strlen(made) : 0);
    sqlite3_free(made);
    return copy;
}
