#include "complete/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/grammar/parse.h"

struct source_reading {
    struct sources *out;
    const struct schema *schema;
    struct token_list tokens;
    uint32_t caret; /* the number of tokens before it */
};

static void release_source(struct source *s)
{
    for (size_t i = 0; i < s->columns.count; i++)
        free(s->columns.items[i]);
    vec_release(&s->columns);
    free(s->name);
}

void sources_release(struct sources *s)
{
    for (size_t i = 0; i < s->used.count; i++)
        release_source(&s->used.items[i]);
    for (size_t i = 0; i < s->ctes.count; i++)
        release_source(&s->ctes.items[i]);
    vec_release(&s->used);
    vec_release(&s->ctes);
}

static bool is_called(const struct source *s, struct str name)
{
    return str_eq_any_case(str_from(s->name), name);
}

const struct source *sources_find(const struct sources *s, struct str name)
{
    for (size_t i = 0; i < s->used.count; i++)
        if (is_called(&s->used.items[i], name))
            return &s->used.items[i];
    for (size_t i = 0; i < s->ctes.count; i++)
        if (is_called(&s->ctes.items[i], name))
            return &s->ctes.items[i];
    return NULL;
}

static struct str name_of(const struct source_reading *r, const struct sql_node *n)
{
    if (!sql_is(n, SQL_NAME))
        return (struct str){"", 0};
    return token_name(r->tokens.v.items[n->span.first]);
}

static void add_column(struct source *s, struct str name)
{
    if (name.n > 0)
        *vec_push(&s->columns) = alloc_copy(name.p, name.n);
}

/* The columns of a source, for SELECT *. */
static void copy_columns(struct source *to, const struct schema *schema, const struct source *from)
{
    for (uint32_t i = 0; from->table && i < from->table->column_count; i++)
        add_column(to, str_from(schema_columns(schema, from->table)[i].name));
    for (size_t i = 0; i < from->columns.count; i++)
        add_column(to, str_from(from->columns.items[i]));
}

/* What `name` is: of WITH, or a table. */
static void resolve(const struct source_reading *r, struct str name, struct source *out)
{
    for (size_t i = 0; i < r->out->ctes.count; i++)
        if (is_called(&r->out->ctes.items[i], name)) {
            copy_columns(out, r->schema, &r->out->ctes.items[i]);
            return;
        }
    out->table = r->schema ? schema_table(r->schema, name) : NULL;
}

struct source_list {
    VEC(struct source) v;
};

static void release_list(struct source_list *l)
{
    for (size_t i = 0; i < l->v.count; i++)
        release_source(&l->v.items[i]);
    vec_release(&l->v);
}

static void read_select(const struct source_reading *r, const struct sql_node *select,
                        struct source *out);
static void read_from(const struct source_reading *r, const struct sql_node *from,
                      struct source_list *out);

/* A table, function, macro or subquery with its alias. Nodes nest up to SQL_TREE_DEPTH deep. */
static void read_source(const struct source_reading *r, const struct sql_node *n,
                        struct source_list *out)
{
    struct source s = {0};
    const struct sql_node *alias = NULL;
    struct str name = {"", 0};
    if (sql_is(n, SQL_TABLE_JOIN)) {
        read_from(r, n->part[0], out);
        return;
    }
    if (sql_is(n, SQL_TABLE)) {
        name = name_of(r, n->part[TABLE_NAME]);
        alias = n->part[TABLE_ALIAS];
        resolve(r, name, &s);
    } else if (sql_is(n, SQL_TABLE_SELECT)) {
        alias = n->part[1];
        read_select(r, n->part[0], &s);
    } else if (sql_is(n, SQL_TABLE_MACRO)) {
        name = name_of(r, n->part[0]->part[MACRO_NAME]);
        alias = n->part[1];
    }
    if (alias)
        name = name_of(r, alias);
    s.name = alloc_copy(name.p, name.n);
    *vec_push(&out->v) = s;
}

static void read_from(const struct source_reading *r, const struct sql_node *from,
                      struct source_list *out)
{
    for (uint32_t i = 0; from && i < from->count; i++)
        read_source(r, from->part[i]->part[JOIN_SOURCE], out);
}

/* All columns of what FROM names, or of one table of it. */
static void add_star(const struct source_reading *r, const struct sql_node *core, struct str table,
                     struct source *out)
{
    struct source_list from = {0};
    read_from(r, core->part[CORE_FROM], &from);
    for (size_t i = 0; i < from.v.count; i++)
        if (table.n == 0 || is_called(&from.v.items[i], table))
            copy_columns(out, r->schema, &from.v.items[i]);
    release_list(&from);
}

/* The SELECT of a compound that says what its columns are called; NULL for what has none. */
static const struct sql_node *first_core(const struct sql_node *select)
{
    if (!sql_is(select, SQL_SELECT))
        return NULL;
    const struct sql_node *body = select->part[SELECT_BODY];
    if (sql_is(body, SQL_COMPOUND))
        body = body->part[0]->part[0];
    return sql_is(body, SQL_CORE) ? body : NULL;
}

/* The names of the columns of a SELECT: what AS says, else a column's own. */
static void read_select(const struct source_reading *r, const struct sql_node *select,
                        struct source *out)
{
    const struct sql_node *core = first_core(select);
    const struct sql_node *results = core ? core->part[CORE_RESULTS] : NULL;
    for (uint32_t i = 0; results && i < results->count; i++) {
        const struct sql_node *result = results->part[i];
        if (sql_is(result, SQL_STAR))
            add_star(r, core, name_of(r, result->part[STAR_TABLE]), out);
        else if (result->part[RESULT_NAME])
            add_column(out, name_of(r, result->part[RESULT_NAME]));
        else if (sql_is(result->part[RESULT_VALUE], SQL_COLUMN))
            add_column(out, name_of(r, result->part[RESULT_VALUE]->part[COLUMN_NAME]));
    }
}

/* What the WITHs of the statement define, wherever they stand. */
static void read_withs(struct source_reading *r, const struct sql_node *n)
{
    if (sql_is(n, SQL_WITH_TABLE)) {
        const struct sql_node *names = n->part[WITH_TABLE_COLUMNS];
        struct str name = name_of(r, n->part[WITH_TABLE_NAME]);
        struct source cte = {.name = alloc_copy(name.p, name.n)};
        for (uint32_t i = 0; names && i < names->count; i++)
            add_column(&cte, name_of(r, names->part[i]));
        if (!names)
            read_select(r, n->part[WITH_TABLE_SELECT], &cte);
        *vec_push(&r->out->ctes) = cte;
    }
    for (uint32_t i = 0; n && i < n->count; i++)
        read_withs(r, n->part[i]);
}

/* Whether the caret stands in parentheses that the node begins with, or else anywhere in it. */
static bool holds_caret(const struct source_reading *r, const struct sql_node *n)
{
    const struct token *tokens = r->tokens.v.items;
    uint32_t end = n->span.end;
    bool closed = end > n->span.first && token_is(tokens[end - 1], ')');
    return n->span.first < r->caret && (closed ? r->caret < end : r->caret <= end);
}

static bool is_scope(const struct sql_node *n)
{
    return sql_is(n, SQL_CORE) || sql_is(n, SQL_PIPE_FROM) || sql_is(n, SQL_DELETE) ||
           sql_is(n, SQL_UPDATE);
}

static void use_sources(struct source_reading *r, const struct sql_node *scope)
{
    struct source_list list = {0};
    if (sql_is(scope, SQL_CORE)) {
        read_from(r, scope->part[CORE_FROM], &list);
    } else if (sql_is(scope, SQL_PIPE_FROM)) {
        read_source(r, scope->part[0], &list);
    } else {
        struct source s = {0};
        struct str name = name_of(r, scope->part[1]);
        resolve(r, name, &s);
        s.name = alloc_copy(name.p, name.n);
        *vec_push(&list.v) = s;
    }
    vec_append(&r->out->used, list.v.items, list.v.count);
    vec_release(&list.v);
}

/* Whether a child holds a SELECT apart from the one around it. */
static bool opens_scope(const struct sql_node *n)
{
    return sql_is(n, SQL_SUBQUERY) || sql_is(n, SQL_EXISTS) || sql_is(n, SQL_TABLE_SELECT) ||
           sql_is(n, SQL_WITH_TABLE);
}

/* The SELECTs around the caret, the innermost first. Of a compound's the last that begins before
 * it; what follows a SELECT without being part of it (its ORDER BY, a space) still reads its
 * tables. */
static void read_around(struct source_reading *r, const struct sql_node *n)
{
    for (uint32_t i = 0; n && i < n->count; i++) {
        const struct sql_node *part = n->part[i];
        if (!part || part->span.first >= r->caret || (opens_scope(part) && !holds_caret(r, part)))
            continue;
        if (sql_is(n, SQL_COMPOUND) && i + 1 < n->count && n->part[i + 1]->span.first < r->caret)
            continue;
        read_around(r, part);
    }
    if (is_scope(n))
        use_sources(r, n);
}

void sources_read(struct sources *out, const struct schema *schema, struct str statement,
                  size_t caret)
{
    struct sql_source source = {.name = "query", .text = statement};
    struct source_reading r = {.out = out, .schema = schema};
    struct arena arena;
    arena_init(&arena);
    lexer_statement(&source, 0, &r.tokens);
    while (r.caret < r.tokens.v.count && token_at(r.tokens.v.items[r.caret]) < caret)
        r.caret++;
    struct sql_tree tree = sql_parse_statement(&arena, &r.tokens);
    read_withs(&r, tree.root);
    read_around(&r, tree.root);
    vec_release(&r.tokens.v);
    arena_release(&arena);
}
