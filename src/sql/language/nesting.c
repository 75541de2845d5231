#include "sql/language/nesting.h"

#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/tokens/source_error.h"
#include "sql/tokens/token_cursor.h"

/* What a macro may stand for, until the schema has been looked at. */
enum { MACRO_SELECTS = 100 };

enum made { MADE_OTHER, MADE_VIEW, MADE_TRIGGER };

static enum made made_by(const struct token_list *tokens)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    if (!cursor_accept(&c, "CREATE"))
        return MADE_OTHER;
    if (cursor_accept(&c, "OR"))
        cursor_accept(&c, "REPLACE");
    bool skipped = cursor_accept(&c, "TEMP") || cursor_accept(&c, "TEMPORARY") ||
                   cursor_accept(&c, "PERFETTO");
    (void)skipped;
    if (cursor_accept(&c, "VIEW"))
        return MADE_VIEW;
    return cursor_accept(&c, "TRIGGER") ? MADE_TRIGGER : MADE_OTHER;
}

static uint64_t count_selects(const struct token_list *tokens)
{
    uint64_t n = 1;
    for (size_t i = 0; i < tokens->v.count; i++)
        n += token_is_word(tokens->v.items[i], "SELECT") ? 1
             : token_is(tokens->v.items[i], '!')         ? MACRO_SELECTS
                                                         : 0;
    return n;
}

/* What there is of it: each definition's length less that without the word says how often it is
 * there, and every view has one. */
static uint64_t count_all(struct sql_session *s, enum made made)
{
    static const char *const queries[] = {
        [MADE_VIEW] =
            "SELECT sum(1 + (length(sql) - length(replace(upper(sql), 'SELECT', ''))) / 6) FROM ("
            "SELECT sql FROM main.sqlite_schema WHERE type = 'view' UNION ALL "
            "SELECT sql FROM temp.sqlite_schema WHERE type = 'view')",
        [MADE_TRIGGER] = "SELECT count(*) FROM (SELECT type FROM main.sqlite_schema UNION ALL "
                         "SELECT type FROM temp.sqlite_schema) WHERE type = 'trigger'",
    };
    sqlite3_stmt *stmt = NULL;
    uint64_t n = 0;
    sqlite3_prepare_v2(s->db, queries[made], -1, &stmt, NULL);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        n = (uint64_t)sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

struct status nesting_check_made(struct sql_session *s, const struct token_list *tokens)
{
    struct nesting *n = &s->language->nesting;
    enum made made = made_by(tokens);
    if (made == MADE_OTHER)
        return status_ok_value();
    bool view = made == MADE_VIEW;
    uint64_t more = view ? count_selects(tokens) : 1;
    uint64_t *count = view ? &n->view_selects : &n->triggers;
    uint64_t most = view ? VIEW_SELECTS_MAX : TRIGGERS_MAX;
    if (tokens->v.items[0].source->is_program) {
        n->program_selects += view ? more : 0;
        return status_ok_value();
    }
    *count += more;
    if (*count <= most)
        return status_ok_value();
    uint64_t all = count_all(s, made), own = view ? n->program_selects : 0;
    *count = (all > own ? all - own : 0) + more;
    if (*count <= most)
        return status_ok_value();
    return token_error(tokens->v.items[0],
                       view ? "views of scripts may have %d SELECTs in all: drop some of them"
                            : "there may be %d triggers: drop some of them",
                       (int)most);
}

/* name AS [NOT] [MATERIALIZED] (SELECT */
static bool begins_with_select(struct token_cursor c)
{
    cursor_accept(&c, "NOT");
    cursor_accept(&c, "MATERIALIZED");
    return cursor_accept_char(&c, '(') &&
           (cursor_accept(&c, "SELECT") || cursor_accept(&c, "WITH") ||
            cursor_accept(&c, "VALUES"));
}

struct status nesting_check_with(const struct token_list *tokens)
{
    enum { TOKENS_EACH = 6 }; /* a AS (SELECT 1), */
    size_t found = 0;
    if (tokens->v.count < (size_t)WITH_SELECTS_MAX * TOKENS_EACH)
        return status_ok_value();
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token_cursor c = {tokens->v.items, tokens->v.count, i};
        if (!token_is_word(tokens->v.items[i], "AS"))
            continue;
        c.at++;
        if (begins_with_select(c) && ++found > WITH_SELECTS_MAX)
            return token_error(tokens->v.items[i], "a statement may have %d SELECTs in its WITHs",
                               WITH_SELECTS_MAX);
    }
    return status_ok_value();
}
