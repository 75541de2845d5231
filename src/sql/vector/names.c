#include <string.h>

#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/tables/shown_table.h"
#include "sql/grammar/parse.h"
#include "sql/vector/bind.h"
#include "sql/vector/eligibility.h"
#include "sql/batches/memory.h"

void names_refresh(struct plan *p)
{
    if (!p->refreshed)
        vector_memory_refresh(p->session);
    p->refreshed = true;
}

/* A view's SELECT, read once for a plan. */
struct named_view {
    struct str name;
    const struct view_select *view; /* NULL where it is none that is looked through */
    struct named_view *next;
};

/* CREATE VIEW name AS SELECT ..., as SQLite stores it. A view that names its columns is none that
 * is looked through. What is handed out is the arena's. */
static const struct view_select *parse_view(struct arena *arena, struct str sql)
{
    struct sql_source *source = arena_alloc(arena, sizeof *source);
    struct view_select *view = arena_alloc(arena, sizeof *view);
    struct token_list list = {0};
    *source = (struct sql_source){.name = "view", .text = arena_copy(arena, sql)};
    (void)lexer_statement(source, 0, &list);
    struct sql_tree tree = sql_parse_statement(arena, &list);
    const struct sql_node *root = tree.root;
    bool fits = tree.whole && sql_is(root, SQL_PLAIN_CREATE) && root->op == SQL_OP_VIEW &&
                root->op2 == SQL_OP_NONE && !root->part[PLAIN_COLUMNS];
    struct token *tokens = arena_alloc(arena, (list.v.count + 1) * sizeof *tokens);
    if (list.v.count)
        memcpy(tokens, list.v.items, list.v.count * sizeof *tokens);
    vec_release(&list.v);
    if (!fits)
        return NULL;
    *view = (struct view_select){.tokens = tokens, .select = root->part[PLAIN_SELECT]};
    view->too_deep = eligible_is_too_deep(view->select);
    return view;
}

/* Has SQLite connect a table that nobody has asked for yet. */
static void connect(struct plan *p, struct str name)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("SELECT 1 FROM main.\"%.*w\"", (int)name.n, name.p);
    sqlite3_prepare_v2(p->session->db, sql, -1, &stmt, NULL);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
}

/* The arguments of a virtual table's module: `count` of them, NUL-terminated. */
struct arguments {
    char **items;
    uint32_t count;
};

/* From the text in parentheses behind the module's name, which may be missing. False where it has
 * more than names and commas. */
static bool split_arguments(struct plan *p, const char *text, struct arguments *out)
{
    size_t n = strlen(text);
    *out = (struct arguments){0};
    if (n == 0)
        return true;
    if (n < 2 || text[0] != '(' || text[n - 1] != ')' || strpbrk(text + 1, "(\"'`[;"))
        return false;
    struct str rest = {text + 1, n - 2};
    out->items = arena_alloc(&p->arena, n * sizeof *out->items);
    while (rest.n > 0) {
        const char *comma = memchr(rest.p, ',', rest.n);
        struct str one = {rest.p, comma ? (size_t)(comma - rest.p) : rest.n};
        size_t taken = one.n + (comma != NULL);
        rest = (struct str){rest.p + taken, rest.n - taken};
        for (; one.n > 0 && one.p[0] == ' '; one.n--)
            one.p++;
        while (one.n > 0 && one.p[one.n - 1] == ' ')
            one.n--;
        out->items[out->count] = arena_alloc_bytes(&p->arena, one.n + 1);
        if (one.n)
            memcpy(out->items[out->count], one.p, one.n);
        out->items[out->count++][one.n] = 0;
    }
    return true;
}

static void show_all(struct shown_table *t)
{
    for (uint32_t i = 0; i < t->table->column_count; i++)
        t->columns[t->column_count++] =
            (struct shown_column){i, (char *)(uintptr_t)t->table->columns[i].name};
}

/* "column" or "column AS name" */
static bool show_one(struct shown_table *t, char *argument)
{
    char *as = strstr(argument, " AS "), *name = as ? as + strlen(" AS ") : argument;
    if (as)
        *as = 0;
    int column = sql_table_find(t->table, argument);
    if (column >= 0)
        t->columns[t->column_count++] = (struct shown_column){(uint32_t)column, name};
    return column >= 0;
}

/* A table that SQLite is not connected to yet, as that would show it: connecting takes longer than
 * all else in a small plan. NULL where the definition is more than this reads. */
static const struct shown_table *unconnected(struct plan *p, struct str name, const char *sql)
{
    static const char module[] = "USING tptui_table";
    const char *using = strstr(sql, module);
    struct arguments arguments;
    if (!split_arguments(p, using + strlen(module), &arguments))
        return NULL;
    struct shown_table *t = arena_alloc(&p->arena, sizeof *t);
    const char *stored = arguments.count > 0 ? arguments.items[0] : arena_copy(&p->arena, name).p;
    *t = (struct shown_table){.table = catalog_find(&p->session->catalog, stored),
                              .all = arguments.count <= 1};
    if (!t->table || !sql_table_ready(t->table, p->session->trace))
        return NULL;
    size_t columns = t->table->column_count + (size_t)arguments.count;
    t->columns = arena_alloc(&p->arena, (columns + 1) * sizeof *t->columns);
    uint32_t at = 1;
    bool star = arguments.count > 1 && strcmp(arguments.items[1], "*") == 0;
    if (t->all || star)
        show_all(t);
    for (at += star; at < arguments.count; at++)
        if (!show_one(t, arguments.items[at]))
            return NULL;
    return t;
}

/* What a table or view of the main schema was defined with; NULL where there is none. Valid until
 * the schema changes or the next name is looked up. */
static const char *definition_of(struct plan *p, struct str name)
{
    names_refresh(p);
    if (vector_memory_of(p->session)->current)
        return vector_memory_definition(p->session, name);
    sqlite3_stmt *stmt =
        vector_memory_statement(p->session, &vector_memory_of(p->session)->schema,
                                "SELECT sql FROM main.sqlite_schema"
                                " WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')");
    if (!stmt)
        return NULL;
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    char *sql = NULL;
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0)) {
        size_t size = (size_t)sqlite3_column_bytes(stmt, 0) + 1;
        sql = arena_alloc_bytes(&p->arena, size);
        memcpy(sql, sqlite3_column_text(stmt, 0), size);
    }
    sqlite3_reset(stmt);
    return sql;
}

static const struct named_view *known_view(const struct plan *p, struct str name)
{
    const struct named_view *v = p->views;
    while (v && !same_name(v->name, name))
        v = v->next;
    return v;
}

/* Read once for a session, or once for the plan where the session does not know its names. */
static const struct view_select *read_view(struct plan *p, struct str name, const char *sql)
{
    struct known_name *known = vector_memory_known(p->session, name);
    if (!known)
        return parse_view(&p->arena, str_from(sql));
    if (!known->is_read)
        known->view = parse_view(&vector_memory_of(p->session)->views, str_from(sql));
    known->is_read = true;
    return known->view;
}

static const struct view_select *keep_view(struct plan *p, struct str name, const char *sql)
{
    struct named_view *v = arena_alloc(&p->arena, sizeof *v);
    *v = (struct named_view){name, read_view(p, name, sql), p->views};
    p->views = v;
    p->refused |= v->view && v->view->too_deep;
    return v->view;
}

/* A span join, which SQLite is connected to from then on. */
static bool find_spans(struct plan *p, struct str name, struct named_relation *out)
{
    out->spans = span_source_find(p->session, name);
    if (!out->spans) {
        connect(p, name);
        out->spans = span_source_find(p->session, name);
    }
    return out->spans;
}

/* Whether a temporary table or view hides what else has the name. */
static bool is_hidden(struct plan *p, struct str name)
{
    sqlite3_stmt *stmt =
        vector_memory_statement(p->session, &vector_memory_of(p->session)->temporary,
                                "SELECT 1 FROM temp.sqlite_schema WHERE name = ?1 COLLATE NOCASE");
    if (!stmt)
        return true;
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    bool hidden = sqlite3_step(stmt) != SQLITE_DONE;
    sqlite3_reset(stmt);
    return hidden;
}

bool names_find(struct plan *p, struct str name, struct named_relation *out)
{
    const struct named_view *view = known_view(p, name);
    *out = (struct named_relation){.view = view ? view->view : NULL};
    if (view || is_hidden(p, name))
        return out->view;
    out->table = shown_table_find(p->session, name);
    if (out->table)
        return true;
    const char *sql = definition_of(p, name);
    if (!sql)
        return false;
    bool is_virtual = strncmp(sql, "CREATE VIRTUAL ", 15) == 0;
    bool is_stored = is_virtual && strstr(sql, "USING tptui_table");
    if (is_virtual && !is_stored && find_spans(p, name, out))
        return true;
    if (!is_stored) {
        out->view = keep_view(p, name, sql);
        return out->view;
    }
    out->table = unconnected(p, name, sql);
    if (out->table)
        return true;
    connect(p, name);
    out->table = shown_table_find(p->session, name);
    return out->table;
}
