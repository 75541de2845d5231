/* __intrinsic_stdlib_objects: what the modules define, as their texts and comments say, and the
 * views that the schema declares. */
#include <string.h>

#include "core/tables.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/export/json_text.h"
#include "sql/language/language.h"
#include "sql/language/perfetto_statement.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/sql_type.h"
#include "sql/tokens/token_cursor.h"

enum { SHORT_DESCRIPTION = 160 };

static const struct table_function_column columns[] = {
    {"id", DECLARED_LONG},
    {"package", DECLARED_STRING},
    {"module", DECLARED_STRING},
    {"name", DECLARED_STRING},
    {"qualified_name", DECLARED_STRING},
    {"object_type", DECLARED_STRING},
    {"exposed", DECLARED_LONG},
    {"short_description", DECLARED_STRING},
    {"summary", DECLARED_STRING},
    {"description", DECLARED_STRING},
    {"return_type", DECLARED_STRING},
    {"return_description", DECLARED_STRING},
    {"args", DECLARED_STRING},
    {"cols", DECLARED_STRING},
    {0},
};

/* `name type`, with the comment before it. */
struct entry {
    struct str name;
    char *type, *description; /* for sqlite3_free */
};

struct entries {
    VEC(struct entry) v;
};

struct object {
    struct str package, module, name;
    const char *type; /* "TABLE"; "MODULE" has no name of its own */
    char *description, *return_type, *return_description; /* for sqlite3_free, may be NULL */
    struct entries args, columns;
};

struct listing {
    struct table_builder *b;
    int64_t rows;
};

static void release_entries(struct entries *e)
{
    for (size_t i = 0; i < e->v.count; i++) {
        sqlite3_free(e->v.items[i].type);
        sqlite3_free(e->v.items[i].description);
    }
    vec_release(&e->v);
}

static void release_object(struct object *o)
{
    sqlite3_free(o->description);
    sqlite3_free(o->return_type);
    sqlite3_free(o->return_description);
    release_entries(&o->args);
    release_entries(&o->columns);
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
static void read_entries(struct token_cursor *c, struct entries *out)
{
    if (!cursor_accept_char(c, '('))
        return;
    while (!token_is(cursor_peek(c), ')') && cursor_peek(c).kind != TOKEN_END) {
        struct entry e = {.description = comment_before(c->tokens, c->at)};
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
static void read_result(struct token_cursor *c, struct object *o)
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
static bool read_statement(const struct token_list *statement, struct object *o)
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

static void append(sqlite3_str *out, struct str s)
{
    sqlite3_str_append(out, s.p, (int)s.n);
}

static char *entries_json(const struct entries *e)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendchar(out, 1, '[');
    for (size_t i = 0; i < e->v.count; i++) {
        const struct entry *entry = &e->v.items[i];
        sqlite3_str_appendall(out, i ? ",{\"name\":" : "{\"name\":");
        json_append_text(out, entry->name);
        sqlite3_str_appendall(out, ",\"type\":");
        json_append_text(out, str_from(entry->type ? entry->type : ""));
        sqlite3_str_appendall(out, ",\"description\":");
        json_append_text(out, str_from(entry->description ? entry->description : ""));
        sqlite3_str_appendchar(out, 1, '}');
    }
    sqlite3_str_appendchar(out, 1, ']');
    return sqlite3_str_finish(out);
}

static void append_entries(sqlite3_str *out, const char *heading, const struct entries *e)
{
    if (e->v.count > 0)
        sqlite3_str_appendf(out, "\n%s:", heading);
    for (size_t i = 0; i < e->v.count; i++) {
        const struct entry *entry = &e->v.items[i];
        sqlite3_str_appendall(out, "\n- ");
        append(out, entry->name);
        sqlite3_str_appendf(out, " (%s)%s%s", entry->type ? entry->type : "",
                            entry->description ? ": " : "",
                            entry->description ? entry->description : "");
    }
}

/* Names as words, for searches: "time time conversion time from ns". */
static void append_words(sqlite3_str *out, struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        sqlite3_str_appendchar(out, 1, name.p[i] == '.' || name.p[i] == '_' ? ' ' : name.p[i]);
}

static bool is_exposed(const struct object *o)
{
    return !str_starts(o->name, STR("_"));
}

static char *summary(const struct object *o, const char *qualified_name)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "Package: ");
    append(out, o->package);
    sqlite3_str_appendall(out, "\nModule: ");
    append(out, o->module);
    if (o->name.n > 0) {
        sqlite3_str_appendall(out, "\nName: ");
        append(out, o->name);
    }
    sqlite3_str_appendf(out, "\nQualified name: %s\nSearch aliases: ", qualified_name);
    append_words(out, o->package);
    sqlite3_str_appendchar(out, 1, ' ');
    append_words(out, o->module);
    if (o->name.n > 0)
        sqlite3_str_appendchar(out, 1, ' ');
    append_words(out, o->name);
    sqlite3_str_appendf(out, "\nKind: %s %s", is_exposed(o) ? "public" : "internal", o->type);
    if (o->description)
        sqlite3_str_appendf(out, "\nDescription: %s", o->description);
    append_entries(out, "Arguments", &o->args);
    if (o->return_type)
        sqlite3_str_appendf(out, "\nReturns: %s%s%s", o->return_type,
                            o->return_description ? ": " : "",
                            o->return_description ? o->return_description : "");
    append_entries(out, "Columns", &o->columns);
    return sqlite3_str_finish(out);
}

/* At most that many bytes, no character cut. */
static struct str shorten(struct str s)
{
    if (s.n <= SHORT_DESCRIPTION)
        return s;
    size_t n = SHORT_DESCRIPTION;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (struct str){s.p, n};
}

static void put_owned(struct table_builder *b, int column, char *text)
{
    table_builder_put_str(b, column, str_from(text ? text : ""));
    sqlite3_free(text);
}

static struct str or_empty(const char *s)
{
    return str_from(s ? s : "");
}

static void put_object(struct listing *l, const struct object *o)
{
    struct table_builder *b = l->b;
    struct str module = o->module, name = o->name;
    char *qualified = sqlite3_mprintf("%.*s%s%.*s", (int)module.n, module.p, name.n ? "." : "",
                                      (int)name.n, name.p);
    table_builder_put_int(b, 0, l->rows++);
    table_builder_put_str(b, 1, o->package);
    table_builder_put_str(b, 2, module);
    table_builder_put_str(b, 3, name.n ? name : module);
    table_builder_put_str(b, 4, str_from(qualified));
    table_builder_put_str(b, 5, str_from(o->type));
    table_builder_put_int(b, 6, is_exposed(o));
    table_builder_put_str(b, 7, shorten(or_empty(o->description)));
    put_owned(b, 8, summary(o, qualified));
    table_builder_put_str(b, 9, or_empty(o->description));
    table_builder_put_str(b, 10, or_empty(o->return_type));
    table_builder_put_str(b, 11, or_empty(o->return_description));
    put_owned(b, 12, entries_json(&o->args));
    put_owned(b, 13, entries_json(&o->columns));
    table_builder_end_row(b);
    sqlite3_free(qualified);
}

static void put_module(struct listing *l, struct str name, struct str text)
{
    struct object module = {.package = str_from_to(name, 0, str_find(name, '.')),
                            .module = name,
                            .name = {"", 0},
                            .type = "MODULE"};
    put_object(l, &module);
    struct sql_source source = {.name = "module", .text = text};
    struct token_list statement = {0};
    for (size_t at = 0; at < text.n;) {
        statement.v.count = 0;
        at = lexer_statement(&source, at, &statement);
        struct object o = {.package = module.package, .module = name};
        if (read_statement(&statement, &o))
            put_object(l, &o);
        release_object(&o);
    }
    vec_release(&statement.v);
}

/* The name for people of a table that schema.h calls `key`; NULL for none. */
static const char *published_name(struct sql_session *s, struct str key)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_def *t = &table_defs[i];
        if (!str_eq(str_from(t->key), key))
            continue;
        const char *name = table_def_published_name(t);
        /* The prelude's SQL may show it. */
        return name == t->name && session_name_taken(s, key) ? t->key : name;
    }
    return NULL;
}

/* "LONG", "JOINID(process.id)". For sqlite3_free. */
static char *column_type_text(struct sql_session *s, const struct column_def *column)
{
    if (!column->joins)
        return sqlite3_mprintf("%s", column->declared);
    struct str joins = str_from(column->joins);
    size_t dot = str_find(joins, '.');
    return sqlite3_mprintf("%s(%s%s)", column->declared,
                           published_name(s, str_from_to(joins, 0, dot)), column->joins + dot);
}

static void add_column(struct sql_session *s, struct entries *out, struct str name,
                       const struct column_def *column)
{
    struct entry e = {.name = name,
                      .type = column_type_text(s, column),
                      .description = sqlite3_mprintf("%s", column->description)};
    *vec_push(&out->v) = e;
}

static const struct column_def *find_column(const struct table_def *t, struct str name)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        if (str_eq(str_from(t->columns[i].name), name))
            return &t->columns[i];
    return NULL;
}

/* The columns of a view's list, as schema.h writes it. */
static void read_view_columns(struct sql_session *s, const struct view_def *v, struct entries *out)
{
    const struct table_def *t = &table_defs[v->table];
    struct sql_source source = {.name = v->name, .text = str_from(v->columns)};
    struct token_list list = {0};
    lexer_statement(&source, 0, &list);
    struct token_cursor c = {list.v.items, list.v.count, 0};
    do {
        struct token taken = cursor_take(&c);
        for (uint32_t i = 0; token_is(taken, '*') && i < t->column_count; i++)
            add_column(s, out, str_from(t->columns[i].name), &t->columns[i]);
        if (token_is(taken, '*'))
            continue;
        const struct column_def *column = find_column(t, token_name(taken));
        struct token shown = cursor_accept(&c, "AS") ? cursor_take(&c) : taken;
        if (column)
            add_column(s, out, token_name(shown), column);
    } while (cursor_accept_char(&c, ','));
    vec_release(&list.v);
}

/* The views that the schema declares, as a module of the prelude. */
static void put_core_views(struct sql_session *s, struct listing *l)
{
    struct object module = {.package = STR("prelude"),
                            .module = STR("prelude.tables"),
                            .name = {"", 0},
                            .type = "MODULE"};
    put_object(l, &module);
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        const struct view_def *v = &view_defs[i];
        struct object o = {.package = module.package,
                           .module = module.module,
                           .name = str_from(v->name),
                           .type = "VIEW",
                           .description = sqlite3_mprintf("%s", table_defs[v->table].description)};
        read_view_columns(s, v, &o.columns);
        put_object(l, &o);
        release_object(&o);
    }
}

static struct status fill(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    (void)argv;
    struct listing l = {.b = b};
    put_core_views(s, &l);
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (strncmp(m->name, "prelude.", 8) == 0)
            put_module(&l, str_from(m->name), (struct str){m->text, m->size});
    }
    for (size_t i = 0; i < s->language->modules.count; i++)
        put_module(&l, str_from(s->language->modules.items[i].name),
                   s->language->modules.items[i].text);
    return status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_stdlib_objects", .columns = columns, .fill = fill},
    {0},
};

const struct sql_family stdlib_objects_family = {.table_functions = table_functions};
