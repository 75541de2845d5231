#include "sql/language/documentation.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/tokens/lexer.h"
#include "sql/tokens/token_cursor.h"

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

static char *join(const struct token *tokens, size_t from, size_t to)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = from; i < to; i++)
        if (!token_is_blank(tokens[i]))
            sqlite3_str_append(text, tokens[i].text.p, (int)tokens[i].text.n);
    return sqlite3_str_finish(text);
}

/* "(name TYPE, ...)" from the cursor on; the cursor ends behind it. */
static void read_entries(struct token_cursor *c, struct documented_entries *out)
{
    if (!cursor_accept_char(c, '('))
        return;
    while (!token_is(cursor_peek(c), ')') && cursor_peek(c).kind != TOKEN_END) {
        struct documented_entry e = {.description = comment_before(c->tokens, c->at)};
        e.name = token_name(cursor_take(c));
        (void)cursor_peek(c); /* the type starts behind the blanks */
        size_t from = c->at;
        for (int depth = 0; cursor_peek(c).kind != TOKEN_END; cursor_take(c)) {
            bool ends = token_is(cursor_peek(c), ',') || token_is(cursor_peek(c), ')');
            if (depth == 0 && ends)
                break;
            depth += token_is(cursor_peek(c), '(') - token_is(cursor_peek(c), ')');
        }
        e.type = join(c->tokens, from, c->at);
        *vec_push(&out->v) = e;
        if (!cursor_accept_char(c, ','))
            break;
    }
    cursor_accept_char(c, ')');
}

/* RETURNS TYPE, RETURNS TABLE(...) */
static void read_result(struct token_cursor *c, struct documented_object *o)
{
    (void)cursor_peek(c);
    size_t at = c->at;
    if (!cursor_accept(c, "RETURNS"))
        return;
    o->return_description = comment_before(c->tokens, at);
    if (cursor_accept(c, "TABLE")) {
        o->type = "TABLE_FUNCTION";
        o->return_type = sqlite3_mprintf("TABLE");
        read_entries(c, &o->columns);
        return;
    }
    (void)cursor_peek(c);
    size_t from = c->at;
    while (cursor_peek(c).kind != TOKEN_END && !token_is_word(cursor_peek(c), "AS") &&
           !token_is_word(cursor_peek(c), "DELEGATES"))
        cursor_take(c);
    o->return_type = join(c->tokens, from, c->at);
}

/* False where the statement defines nothing that is listed. */
static bool read_statement(const struct token_list *statement, struct documented_object *o)
{
    struct token_cursor c = {statement->v.items, statement->v.count, 0};
    if (statement->v.count == 0 || !token_is_word(cursor_peek(&c), "CREATE"))
        return false;
    size_t start = c.at;
    cursor_take(&c);
    if (cursor_accept(&c, "OR"))
        cursor_accept(&c, "REPLACE");
    if (!cursor_accept(&c, "PERFETTO"))
        return false;
    static const char *const kinds[] = {"TABLE", "VIEW", "FUNCTION", "MACRO"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !o->type; i++)
        if (cursor_accept(&c, kinds[i]))
            o->type = kinds[i];
    if (!o->type || !token_is_name(cursor_peek(&c)))
        return false;
    o->name = token_name(cursor_take(&c));
    o->description = comment_before(statement->v.items, start);
    bool called = strcmp(o->type, "FUNCTION") == 0 || strcmp(o->type, "MACRO") == 0;
    read_entries(&c, called ? &o->args : &o->columns);
    if (called)
        read_result(&c, o);
    return true;
}

bool documented_object_next(struct str text, size_t *at, struct documented_object *out)
{
    struct sql_source source = {.name = "module", .text = text};
    struct token_list statement = {0};
    bool found = false;
    while (*at < text.n && !found) {
        statement.v.count = 0;
        *at = lexer_statement(&source, *at, &statement);
        *out = (struct documented_object){0};
        found = read_statement(&statement, out);
    }
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
