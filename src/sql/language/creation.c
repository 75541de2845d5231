#include "sql/language/creation.h"

#include <stdio.h>

#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/script.h"
#include "sql/tokens/source_error.h"

struct status creation_body(struct creation *p, struct token_list *out)
{
    if (cursor_peek(&p->c).kind == TOKEN_END)
        return expected_error(cursor_peek(&p->c), "SELECT");
    return script_expand(p->session, p->c.tokens + p->c.at, p->c.count - p->c.at, out);
}

bool session_object_exists(struct sql_session *s, struct str name, char type[8])
{
    if (!s->language->has_pragmas && schema_names_ready(s)) {
        const struct schema_definition *o = schema_names_find(s, name);
        snprintf(type, 8, "%s", o ? o->type : "");
        return o;
    }
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(s->db, "SELECT type FROM sqlite_master WHERE lower(name) = lower(?1)", -1,
                       &stmt, NULL);
    sqlite3_bind_text(stmt, 1, name.p, (int)name.n, SQLITE_STATIC);
    bool found = sqlite3_step(stmt) == SQLITE_ROW;
    snprintf(type, 8, "%s", found ? (const char *)sqlite3_column_text(stmt, 0) : "");
    sqlite3_finalize(stmt);
    return found;
}

bool session_name_taken(struct sql_session *s, struct str name)
{
    char type[8];
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *key = s->language->functions.items[i];
        if (sqlite3_strnicmp(key, name.p, (int)name.n) == 0 && key[name.n] == '/')
            return true;
    }
    return session_object_exists(s, name, type);
}
