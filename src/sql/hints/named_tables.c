#include "sql/hints/named_tables.h"

#include <sqlite3.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/map.h"
#include "sql/engine/session_state.h"
#include "sql/grammar/parse.h"

/* Asking SQLite takes microseconds for each. */
enum { NAMES_MAX = 4096, NAME_LENGTH_MAX = 256 };

static bool is_table(sqlite3_stmt *stmt, struct str name)
{
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    bool found = sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_reset(stmt);
    return found;
}

struct table_search {
    const struct token_list *tokens;
    struct named_tables *out;
    sqlite3_stmt *stmt;
    struct map seen;
};

/* What a source of rows is called, as it was written. */
static bool look_at(void *self, const struct sql_node *n)
{
    struct table_search *s = self;
    bool is_new = false;
    if (n->kind != SQL_TABLE || s->seen.count >= NAMES_MAX)
        return true;
    struct token t = token_written(s->tokens->v.items[n->part[TABLE_NAME]->span.first]);
    struct str name = token_name(t);
    if (token_is_name(t) && name.n > 0 && name.n <= NAME_LENGTH_MAX)
        map_insert(&s->seen, hash_any_case(name.p, name.n, 0), &is_new);
    if (is_new && is_table(s->stmt, name))
        *vec_push(&s->out->v) = name;
    return true;
}

void named_tables_find(struct sql_session *s, const struct token_list *tokens,
                       struct named_tables *out)
{
    static const char text[] = "SELECT 1 FROM pragma_table_xinfo(?1) LIMIT 1";
    struct table_search search = {.tokens = tokens, .out = out};
    struct arena arena;
    *out = (struct named_tables){0};
    arena_init(&arena);
    if (sqlite3_prepare_v2(s->db, text, -1, &search.stmt, NULL) == SQLITE_OK)
        sql_visit(sql_parse_part(&arena, tokens).root, look_at, &search);
    sqlite3_finalize(search.stmt);
    map_release(&search.seen);
    arena_release(&arena);
}

void named_tables_release(struct named_tables *t)
{
    vec_release(&t->v);
}
