#include "sql/hints/named_tables.h"

#include <sqlite3.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/map.h"
#include "sql/engine/session_state.h"
#include "sql/tokens/lexer.h"

/* Asking SQLite takes microseconds for each. */
enum { NAMES_MAX = 4096, NAME_LENGTH_MAX = 256 };

static bool is_table(sqlite3_stmt *stmt, struct str name)
{
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    bool found = sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_reset(stmt);
    return found;
}

void named_tables_find(struct sql_session *s, const struct token_list *tokens,
                       struct named_tables *out)
{
    static const char text[] = "SELECT 1 FROM pragma_table_xinfo(?1) LIMIT 1";
    sqlite3_stmt *stmt = NULL;
    struct map seen = {0};
    *out = (struct named_tables){0};
    bool ok = sqlite3_prepare_v2(s->db, text, -1, &stmt, NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < tokens->v.count && seen.count < NAMES_MAX; i++) {
        struct token t = token_written(tokens->v.items[i]);
        struct str name = token_is_name(t) ? token_name(t) : (struct str){0};
        bool is_new = false;
        if (name.n > 0 && name.n <= NAME_LENGTH_MAX)
            map_insert(&seen, hash_any_case(name.p, name.n, 0), &is_new);
        if (is_new && is_table(stmt, name))
            *vec_push(&out->v) = name;
    }
    sqlite3_finalize(stmt);
    map_release(&seen);
}

void named_tables_release(struct named_tables *t)
{
    vec_release(&t->v);
}
