#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/shown_table.h"
#include "sql/vector/bind.h"
#include "sql/vector/memory.h"

/* SQLite's parser has room for 100 symbols, of which a level of parentheses or CASEs takes up to
 * eight: whether more levels are an error is its to say. */
enum { LEVELS_MAX = 12 };

struct words *bind_words(struct plan *p, const struct token *tokens, size_t n)
{
    int levels = 0;
    struct words *w = arena_alloc(&p->arena, sizeof *w);
    struct token *items = arena_alloc(&p->arena, (n + 1) * sizeof *items);
    uint32_t *at = arena_alloc(&p->arena, (n + 1) * sizeof *at);
    *w = (struct words){.items = items, .at = at, .all = tokens};
    for (size_t i = 0; i < n; i++) {
        if (token_is_blank(tokens[i]))
            continue;
        levels += token_is(tokens[i], '(') || token_is_word(tokens[i], "CASE");
        levels -= token_is(tokens[i], ')') || token_is_word(tokens[i], "END");
        p->refused |= levels > LEVELS_MAX;
        items[w->count] = tokens[i];
        at[w->count++] = (uint32_t)i;
    }
    return w;
}

/* The tokens of a text that SQLite stores. */
static struct words *words_of(struct plan *p, struct str text)
{
    struct sql_source *source = arena_alloc(&p->arena, sizeof *source);
    char *copy = arena_alloc_bytes(&p->arena, text.n + 1);
    struct token_list list = {0};
    memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    *source = (struct sql_source){.name = "view", .text = {copy, text.n}};
    (void)lexer_statement(source, 0, &list);
    struct token *tokens = arena_alloc(&p->arena, (list.v.count + 1) * sizeof *tokens);
    if (list.v.count)
        memcpy(tokens, list.v.items, list.v.count * sizeof *tokens);
    struct words *w = bind_words(p, tokens, list.v.count);
    vec_release(&list.v);
    return w;
}

/* CREATE VIEW name AS SELECT ...: from the SELECT on. A view that names its columns is none that is
 * looked through. */
static struct words *view_words(struct plan *p, struct str sql)
{
    struct words *w = words_of(p, sql);
    bool view = w->count > 4 && token_is_word(w->items[0], "CREATE") &&
                token_is_word(w->items[1], "VIEW") && token_is_word(w->items[3], "AS");
    if (!view)
        return NULL;
    w->items += 4;
    w->at += 4;
    w->count -= 4;
    return w;
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

/* What a table or view of the main schema was defined with; NULL where there is none. Valid until
 * the schema changes or the next name is looked up. */
static const char *definition_of(struct plan *p, struct str name)
{
    const char *known = vector_memory_definition(p->session, name);
    if (known)
        return known;
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
        vector_memory_keep(p->session, name, sql);
    }
    sqlite3_reset(stmt);
    return sql;
}

bool names_find(struct plan *p, struct str name, struct named_relation *out)
{
    *out = (struct named_relation){.table = shown_table_find(p->session, name)};
    if (out->table)
        return true;
    const char *sql = definition_of(p, name);
    if (sql && strstr(sql, "USING tptui_table") && strncmp(sql, "CREATE VIRTUAL ", 15) == 0) {
        connect(p, name);
        out->table = shown_table_find(p->session, name);
    } else if (sql) {
        out->view = view_words(p, str_from(sql));
    }
    return out->table || out->view;
}
