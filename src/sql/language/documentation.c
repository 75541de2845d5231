#include "sql/language/documentation.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/grammar/parse.h"

static void release_entries(struct documented_entries *e)
{
    for (size_t i = 0; i < e->v.count; i++) {
        sqlite3_free(e->v.items[i].type);
        sqlite3_free(e->v.items[i].description);
    }
    vec_release(&e->v);
}

static bool is_comment(struct token t)
{
    return token_is_blank(t) && str_starts(t.text, STR("--"));
}

/* An empty line parts comments. */
static bool parts_comments(struct token t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t.text.n && !is_comment(t); i++)
        lines += t.text.p[i] == '\n';
    return lines > 1;
}

/* The comment that ends right before token `at`, its lines joined; an empty comment line starts a
 * paragraph. For sqlite3_free. */
static char *comment_before(const struct token *tokens, size_t at)
{
    size_t first = at;
    while (first > 0 && token_is_blank(tokens[first - 1]) && !parts_comments(tokens[first - 1]))
        first--;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = first; i < at; i++) {
        if (!is_comment(tokens[i]))
            continue;
        struct str line = str_trim(str_skip(tokens[i].text, 2));
        int n = sqlite3_str_length(text);
        if (line.n == 0 && n > 0)
            sqlite3_str_appendchar(text, 1, '\n');
        else if (n > 0 && sqlite3_str_value(text)[n - 1] != '\n')
            sqlite3_str_appendchar(text, 1, ' ');
        sqlite3_str_append(text, line.p, (int)line.n);
    }
    return sqlite3_str_finish(text);
}

static char *join(const struct token *tokens, struct sql_span span)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (uint32_t i = span.first; i < span.end; i++)
        if (!token_is_blank(tokens[i]))
            sqlite3_str_append(text, tokens[i].text.p, (int)tokens[i].text.n);
    return sqlite3_str_finish(text);
}

static void add_entries(const struct token_list *tokens, const struct sql_node *declared,
                        struct documented_entries *out)
{
    for (uint32_t i = 0; declared && i < declared->count; i++) {
        const struct sql_node *name = declared->part[i]->part[0],
                              *type = declared->part[i]->part[1];
        *vec_push(&out->v) =
            (struct documented_entry){token_name(tokens->v.items[name->span.first]),
                                      join(tokens->v.items, type->span),
                                      comment_before(tokens->v.items, name->span.first)};
    }
}

/* RETURNS TYPE, RETURNS TABLE(...) */
static void add_result(const struct token_list *tokens, const struct sql_node *returns,
                       struct documented_object *o)
{
    uint32_t at = returns->span.first;
    while (!token_is_word(tokens->v.items[at], "RETURNS"))
        at--;
    o->return_description = comment_before(tokens->v.items, at);
    if (!sql_is(returns, SQL_RETURNS_TABLE)) {
        o->return_type = join(tokens->v.items, returns->span);
        return;
    }
    o->type = "TABLE_FUNCTION";
    o->return_type = sqlite3_mprintf("TABLE");
    add_entries(tokens, returns->part[0], &o->columns);
}

/* False where the statement defines nothing that is listed. */
static bool read_statement(const struct token_list *tokens, const struct sql_tree *tree,
                           struct documented_object *o)
{
    static const char *const types[SQL_NODE_KIND_COUNT] = {[SQL_CREATE_TABLE] = "TABLE",
                                                           [SQL_CREATE_VIEW] = "VIEW",
                                                           [SQL_CREATE_FUNCTION] = "FUNCTION",
                                                           [SQL_CREATE_MACRO] = "MACRO"};
    const struct sql_node *made = tree->root;
    if (!tree->whole || !made || !types[made->kind])
        return false;
    bool called = made->kind == SQL_CREATE_FUNCTION || made->kind == SQL_CREATE_MACRO;
    o->type = types[made->kind];
    o->name = token_name(tokens->v.items[made->part[CREATE_NAME]->span.first]);
    o->description = comment_before(tokens->v.items, made->span.first);
    add_entries(tokens, made->part[CREATE_COLUMNS], called ? &o->args : &o->columns);
    if (called)
        add_result(tokens, made->part[CREATE_FUNCTION_RETURNS], o);
    return true;
}

bool documented_object_next(struct str text, size_t *at, struct documented_object *out)
{
    struct sql_source source = {.name = "module", .text = text};
    struct token_list statement = {0};
    struct arena arena;
    bool found = false;
    arena_init(&arena);
    while (*at < text.n && !found) {
        statement.v.count = 0;
        *at = lexer_statement(&source, *at, &statement);
        *out = (struct documented_object){0};
        struct sql_tree tree = sql_parse_head(&arena, &statement);
        found = read_statement(&statement, &tree, out);
        arena_reset(&arena);
    }
    arena_release(&arena);
    vec_release(&statement.v);
    return found;
}

static char *declared_type(const struct column_def *c)
{
    bool joins = c->joins && strcmp(c->declared, "JOINID") == 0; /* else it is not published so */
    const char *dot = joins ? strchr(c->joins, '.') : NULL;
    for (size_t i = 0; dot && i < TABLE_COUNT; i++) {
        const struct table_def *t = &table_defs[i];
        if (str_eq(str_from(t->key), (struct str){c->joins, (size_t)(dot - c->joins)}))
            return sqlite3_mprintf("%s(%s%s)", c->declared, table_def_published_name(t), dot);
    }
    return sqlite3_mprintf("%s", c->declared);
}

static void add_column(struct documented_object *o, struct str name, const struct column_def *c)
{
    *vec_push(&o->columns.v) =
        (struct documented_entry){name, declared_type(c), sqlite3_mprintf("%s", c->description)};
}

struct documented_object documented_table(const struct table_def *t)
{
    struct documented_object o = {.name = str_from(t->name),
                                  .type = "TABLE",
                                  .description = sqlite3_mprintf("%s", t->description)};
    for (uint32_t i = 0; i < t->column_count; i++)
        add_column(&o, str_from(t->columns[i].name), &t->columns[i]);
    return o;
}

struct documented_object documented_view(const struct view_def *v)
{
    struct documented_object o = {.name = str_from(v->name),
                                  .type = "VIEW",
                                  .description =
                                      sqlite3_mprintf("%s", table_defs[v->table].description)};
    struct view_column c;
    for (uint32_t i = 0; view_column_at(v, i, &c); i++)
        add_column(&o, c.name, c.def);
    return o;
}

void documented_object_release(struct documented_object *o)
{
    sqlite3_free(o->description);
    sqlite3_free(o->return_type);
    sqlite3_free(o->return_description);
    release_entries(&o->args);
    release_entries(&o->columns);
}
