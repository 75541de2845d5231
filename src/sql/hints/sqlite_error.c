#include "sql/hints/sqlite_error.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/engine/database.h"
#include "sql/engine/session_state.h"
#include "sql/hints/suggest.h"
#include "sql/tokens/source_error.h"

enum { EXPANSION_SHOWN = 600 };

/* What macros made of a statement, where an error in it is reported. */
static struct status add_expansion(struct status status, const struct token_list *tokens)
{
    bool macro = false;
    for (size_t i = 0; i < tokens->v.count; i++)
        macro |= tokens->v.items[i].source->is_macro;
    if (!macro)
        return status;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < tokens->v.count && sqlite3_str_length(text) < EXPANSION_SHOWN; i++) {
        struct token t = tokens->v.items[i];
        if (token_is_blank(t))
            sqlite3_str_appendall(text, sqlite3_str_length(text) ? " " : "");
        else
            sqlite3_str_append(text, t.text.p, (int)t.text.n);
    }
    char *expanded = sqlite3_str_finish(text);
    struct status longer =
        status_error(status.code, "%s\nexpanded to: %s", status.message, expanded);
    sqlite3_free(expanded);
    status_release(&status);
    return longer;
}

static struct status error_at_end(const struct token_list *tokens, const char *message)
{
    size_t i = tokens->v.count;
    while (i > 1 && token_is_blank(tokens->v.items[i - 1]))
        i--;
    struct token last = tokens->v.items[i - 1];
    return source_error(last.source, token_at(last) + last.text.n, message);
}

static struct status locate(const struct token_list *tokens, const char *message, int offset)
{
    struct token named = suggest_position(tokens, message);
    size_t at = 0;
    if (tokens->v.count == 0)
        return status_error(STATUS_SQL, "%s", message);
    if (strcmp(message, "incomplete input") == 0)
        return error_at_end(tokens, "the statement ends too early");
    if (offset < 0 && named.kind != TOKEN_END)
        return source_error(named.source, token_at(named), message);
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token t = tokens->v.items[i];
        bool here = offset >= 0 && (size_t)offset < at + t.text.n;
        if (here && token_is_open_quote(t))
            message = "this quote is not closed";
        if (here)
            return source_error(t.source, token_at(t) + ((size_t)offset - at), message);
        at += t.text.n;
        if (offset < 0 && !token_is_blank(t))
            return source_error(t.source, token_at(t), message);
    }
    return error_at_end(tokens, message);
}

struct status sqlite_error(struct sql_session *s, const struct token_list *tokens)
{
    int offset = sqlite3_error_offset(s->db);
    return add_expansion(locate(tokens, database_message(s->db, &s->rules), offset), tokens);
}
