#include "sql/hints/explain.h"

#include <string.h>

#include "sql/engine/memory_vfs.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/hints/dialect.h"
#include "sql/hints/syntax_hints.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/token_cursor.h"

/* The word behind `before` in the message, up to a blank, a bracket or the end. */
static struct str word_behind(const char *message, const char *before)
{
    const char *hit = strstr(message, before);
    if (!hit)
        return STR("");
    hit += strlen(before);
    return (struct str){hit, strcspn(hit, " \n()")};
}

/* "table x already exists" where a plain CREATE ran a second time. */
static char *explain_existing(const struct token_list *tokens, const char *message)
{
    static const char *const kinds[] = {"table", "view"};
    const char *end = strstr(message, " already exists");
    if (!end || strstr(message, "OR REPLACE"))
        return NULL;
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    cursor_accept(&c, "CREATE");
    bool virtual = cursor_accept(&c, "VIRTUAL");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char before[16];
        snprintf(before, sizeof before, ": %s ", kinds[i]);
        const char *name = strstr(message, before);
        if (!name || name > end)
            continue;
        name += strlen(before);
        int n = (int)(end - name);
        char drop[8];
        snprintf(drop, sizeof drop, "%s", i == 0 ? "TABLE" : "VIEW");
        if (virtual)
            return sqlite3_mprintf("DROP %s %.*s makes room for it, CREATE VIRTUAL TABLE IF NOT "
                                   "EXISTS keeps the one that is there",
                                   drop, n, name);
        return sqlite3_mprintf("CREATE OR REPLACE PERFETTO %s %.*s would replace it, DROP %s %.*s "
                               "makes room for it",
                               drop, n, name, drop, n, name);
    }
    return NULL;
}

/* Whether the statement has the name other than as NAME.column. */
static bool is_source(const struct token_list *tokens, struct str name)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END;) {
        struct str n = token_is_name(t) ? token_name(t) : STR("");
        if (str_eq_any_case(n, name) && !token_is(cursor_peek(&c), '.'))
            return true;
    }
    return false;
}

/* args.debug.x, debug.x */
static char *explain_argument(struct str name)
{
    if (str_starts(name, STR("args.")))
        name = str_skip(name, strlen("args."));
    return sqlite3_mprintf("an argument is read with EXTRACT_ARG(arg_set_id, '%.*s')", (int)name.n,
                           name.p);
}

static char *explain_column(const struct token_list *tokens, const char *message)
{
    struct str name = word_behind(message, "no such column: ");
    const char *dot = memrchr(name.p, '.', name.n);
    if (name.n == 0)
        return NULL;
    struct str qualifier = {name.p, dot ? (size_t)(dot - name.p) : 0};
    struct str column = str_skip(name, dot ? qualifier.n + 1 : 0);
    if (str_ends(column, STR("stack_id")) && (tokens_mention(tokens, "slice") || dot))
        return sqlite3_mprintf("slice has no %.*s since Perfetto v54: INCLUDE PERFETTO MODULE "
                               "slices.stack; has it in slice_with_stack_id, parent_id often does "
                               "as well",
                               (int)column.n, column.p);
    if (dot && !is_source(tokens, qualifier) &&
        (str_eq(qualifier, STR("debug")) || str_starts(name, STR("args."))))
        return explain_argument(name);
    if (dot && !is_source(tokens, qualifier))
        return sqlite3_mprintf("%.*s is neither a table nor an alias in this statement: name it in "
                               "FROM, or write %.*s for the tables that are",
                               (int)qualifier.n, qualifier.p, (int)column.n, column.p);
    return dot ? NULL : syntax_explain_parameter(tokens, column);
}

/* What argument counts a function takes. */
static char *explain_arguments(struct sql_session *s, const char *message)
{
    struct str name = word_behind(message, "wrong number of arguments to function ");
    if (name.n == 0)
        return NULL;
    return query_text(s->db,
                      "SELECT %.*Q || ' takes ' || counts || iif(counts = '1', ' argument', "
                      "' arguments') FROM (SELECT group_concat(narg, ' or ') AS counts FROM "
                      "(SELECT DISTINCT narg FROM pragma_function_list WHERE lower(name) = "
                      "lower(%.*Q) AND narg >= 0 ORDER BY narg))",
                      (int)name.n, name.p, (int)name.n, name.p);
}

/* Tables of a trace and what CREATE PERFETTO TABLE makes are fixed. */
static char *explain_fixed(const char *message)
{
    if (strstr(message, "virtual tables may not be indexed"))
        return sqlite3_mprintf("CREATE PERFETTO INDEX name ON table(column) makes one for what "
                               "CREATE PERFETTO TABLE has made; tables of the trace need none");
    if (strstr(message, " may not be modified") || strstr(message, "tables may not be altered"))
        return sqlite3_mprintf("CREATE TABLE copy AS SELECT * FROM it makes a table that can be "
                               "changed");
    return NULL;
}

/* Sorting, grouping and what is kept for later, where neither memory nor disk has room for it. */
static char *explain_overflow(const struct sql_session *s)
{
    if (!memory_vfs_overflowed(s->files))
        return NULL;
    return sqlite3_mprintf(
        "what the statement sorts or keeps is larger than --sort-memory, and the "
        "folder of $SQLITE_TMPDIR, $TMPDIR, /var/tmp or /tmp has no room for the rest");
}

char *explain_error(struct sql_session *s, const struct token_list *tokens, const char *message)
{
    char *text = explain_existing(tokens, message);
    if (!text)
        text = syntax_explain(tokens, message);
    if (!text)
        text = explain_column(tokens, message);
    if (!text)
        text = explain_fixed(message);
    if (!text)
        text = explain_overflow(s);
    if (!text)
        text = dialect_explain(tokens, message);
    return text ? text : explain_arguments(s, message);
}

char *explain_plan(struct str detail)
{
    static const char words[] = " VIRTUAL TABLE INDEX ";
    const char *hit = memmem(detail.p, detail.n, words, sizeof words - 1);
    if (!hit)
        return sqlite3_mprintf("%.*s", (int)detail.n, detail.p);
    struct str head = {detail.p, (size_t)(hit - detail.p)};
    struct str rest = str_skip(detail, head.n + sizeof words - 1);
    rest = str_skip(rest, str_find(rest, ':') + 1);
    while (rest.n > 0 && rest.p[0] == ' ')
        rest = str_skip(rest, 1);
    return sqlite3_mprintf("%.*s%s%.*s", (int)head.n, head.p, rest.n ? ": " : "", (int)rest.n,
                           rest.p);
}
