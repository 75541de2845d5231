#include "sql/hints/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/language/definitions.h"
#include "sql/hints/dialect.h"
#include "sql/hints/explain.h"
#include "sql/hints/former_names.h"
#include "sql/hints/join_hints.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/hints/named_tables.h"
#include "sql/hints/near_names.h"
#include "sql/tokens/token_cursor.h"

enum { BELOW_LISTED = 8, COLUMNS_LISTED = 16 };

static bool read_message(const char *message, enum missing *missing,
                         char name[NEAR_NAME_LENGTH + 1])
{
    static const struct {
        const char *prefix;
        enum missing missing;
    } prefixes[] = {
        {"no such table: ", MISSING_TABLE},
        {"no such column: ", MISSING_COLUMN},
        {"cannot join using column ", MISSING_COLUMN},
        {"no such function: ", MISSING_FUNCTION},
        {"no such macro: ", MISSING_MACRO},
        {"no such module: ", MISSING_MODULE},
        {"near \"", MISSING_KEYWORD},
        {"ambiguous column name: ", AMBIGUOUS_COLUMN},
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *hit = strstr(message, prefixes[i].prefix);
        if (!hit)
            continue;
        hit += strlen(prefixes[i].prefix);
        hit += *hit == '"'; /* a module's name in quotes, which has none */
        size_t n = strcspn(hit, " \n\"");
        const char *dot =
            prefixes[i].missing == MISSING_COLUMN || prefixes[i].missing == MISSING_TABLE
                ? memrchr(hit, '.', n)
                : NULL;
        if (dot) {
            n -= (size_t)(dot + 1 - hit);
            hit = dot + 1;
        }
        if (n == 0 || n > NEAR_NAME_LENGTH)
            return false;
        memcpy(name, hit, n);
        name[n] = 0;
        *missing = prefixes[i].missing;
        return true;
    }
    return false;
}

static struct token find_token(const struct token_list *tokens, const char *name)
{
    struct token none = {.kind = TOKEN_END};
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token t = token_written(tokens->v.items[i]);
        struct str n = token_is_name(t) ? token_name(t) : t.text;
        if (str_eq_any_case(n, str_from(name)))
            return t;
    }
    return none;
}

struct token suggest_position(const struct token_list *tokens, const char *message)
{
    enum missing missing;
    char name[NEAR_NAME_LENGTH + 1];
    if (!read_message(message, &missing, name) || missing == MISSING_KEYWORD)
        return (struct token){.kind = TOKEN_END};
    return find_token(tokens, name);
}

/* With the modules, unless NULL, of those that are not included. */
static void append_question(const struct sql_session *modules, sqlite3_str *text,
                            struct nearest *near)
{
    for (int i = 0; i < near->count; i++) {
        const char *before = i == 0 ? "did you mean " : i + 1 < near->count ? ", " : " or ";
        const struct sql_module *m = modules ? definition_find(modules, near->names[i]) : NULL;
        sqlite3_str_appendf(text, "%s%s%s%s", before, near->names[i], m ? " of " : "",
                            m ? m->name : "");
        free(near->names[i]);
    }
    if (near->count > 0)
        sqlite3_str_appendall(text, "?");
}

/* The modules below a folder that was named as if it were one; NULL: there are none. */
static char *modules_below(const struct sql_session *s, const char *folder)
{
    size_t length = strlen(folder), count = 0;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < s->language->modules.count; i++) {
        const char *name = s->language->modules.items[i].name;
        if (strncmp(name, folder, length) != 0 || name[length] != '.')
            continue;
        if (count < BELOW_LISTED)
            sqlite3_str_appendf(text, "%s%s", count > 0 ? ", " : "", name);
        count++;
    }
    if (count > BELOW_LISTED)
        sqlite3_str_appendf(text, " and %d more", (int)(count - BELOW_LISTED));
    char *list = sqlite3_str_finish(text);
    char *hint = list ? sqlite3_mprintf("the modules below %s are %s; %s.* includes all", folder,
                                        list, folder)
                      : NULL;
    sqlite3_free(list);
    return hint;
}

static char *near_names(struct sql_session *s, enum missing missing, const char *name,
                        const struct token_list *tokens)
{
    struct nearest near = {.count = 0};
    near_find(s, &near, missing, name, tokens);
    bool in_modules =
        missing == MISSING_TABLE || missing == MISSING_FUNCTION || missing == MISSING_MACRO;
    sqlite3_str *text = sqlite3_str_new(NULL);
    append_question(in_modules ? s : NULL, text, &near);
    if (missing == MISSING_MODULE && (near.count == 0 || near.distances[0] > NEAR_MODULE_EDITS))
        sqlite3_str_appendf(text,
                            "%s%s is not part of tptui: --add-sql-package DIR loads the modules "
                            "below a folder",
                            near.count > 0 ? " " : "", name);
    return sqlite3_str_finish(text);
}

/* The module to include for a name; NULL for none. */
static char *defining_module(const struct sql_session *s, const char *name)
{
    const struct sql_module *m = definition_find(s, name);
    return m ? sqlite3_mprintf("%s is in %s: INCLUDE PERFETTO MODULE %s;", name, m->name, m->name)
             : NULL;
}

/* An object, or the module's file, where INCLUDE takes a module; NULL: it is neither. */
static char *explain_module(const struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->language->modules.count; i++) {
        const char *module = s->language->modules.items[i].name;
        size_t n = strlen(module);
        if (strncmp(name, module, n) == 0 && name[n] == '.')
            return sqlite3_mprintf("the module is %s", module);
    }
    return defining_module(s, name);
}

static bool is_function(struct sql_session *s, const char *name)
{
    return query_has_text(s->db, "SELECT 1 FROM pragma_function_list WHERE lower(name) = lower(%Q)",
                          name);
}

static bool is_table_function(struct sql_session *s, const char *name)
{
    return query_has_text(s->db, "SELECT 1 FROM pragma_module_list WHERE lower(name) = lower(%Q)",
                          name);
}

/* name(...) */
static bool is_called(const struct token_list *tokens, const char *name)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END;)
        if (token_is_name(t) && str_eq(token_name(t), str_from(name)))
            return token_is(cursor_peek(&c), '(');
    return false;
}

/* What a name is that the statement takes for something else: a module, a macro or a function, or
 * what a module defines; NULL: nothing. */
static char *other_kind(struct sql_session *s, const struct token_list *tokens,
                        enum missing missing, const char *message, const char *name)
{
    const char *table = missing == MISSING_TABLE ? strstr(message, "no such table: ") : NULL;
    struct str whole = table ? str_from(table + strlen("no such table: ")) : STR("");
    whole.n = whole.n ? strcspn(whole.p, " \n\"") : 0;
    for (size_t i = 0; whole.n > 0 && i < s->language->modules.count; i++)
        if (str_eq(str_from(s->language->modules.items[i].name), whole))
            return sqlite3_mprintf("%.*s is a module: INCLUDE PERFETTO MODULE %.*s; makes what it "
                                   "defines available",
                                   (int)whole.n, whole.p, (int)whole.n, whole.p);
    if (missing != MISSING_MACRO && macro_find(&s->language->macros, str_from(name)))
        return sqlite3_mprintf("%s is a macro: %s!(...)", name, name);
    if (missing != MISSING_FUNCTION && is_function(s, name) &&
        (missing == MISSING_MACRO || is_called(tokens, name)))
        return sqlite3_mprintf("%s is a function: SELECT %s(...)", name, name);
    if (missing != MISSING_TABLE && is_table_function(s, name))
        return sqlite3_mprintf("%s is a table function: SELECT * FROM %s(...)", name, name);
    return defining_module(s, name);
}

/* Tables that have the column that none of the statement's has; NULL: none. */
static char *tables_with_column(struct sql_session *s, const char *column)
{
    return query_text(
        s->db,
        "SELECT %Q || ' is a column of ' || group_concat(name, ', ') FROM (SELECT m.name FROM "
        "sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') AND "
        "m.name NOT GLOB '_*' AND lower(c.name) = lower(%Q) ORDER BY length(m.name), m.name "
        "LIMIT 5)",
        column, column);
}

/* The columns of a table that a statement names; NULL: it is none. */
static char *columns_of_table(struct sql_session *s, struct str table)
{
    return query_text(
        s->db,
        "SELECT %.*Q || ' has ' || group_concat(name, ', ') || iif(n > %d, ' and ' || (n - %d) || "
        "' more', '') FROM (SELECT name, count(*) OVER () AS n FROM pragma_table_info(%.*Q) "
        "WHERE name NOT GLOB '_*' LIMIT %d)",
        (int)table.n, table.p, COLUMNS_LISTED, COLUMNS_LISTED, (int)table.n, table.p,
        COLUMNS_LISTED);
}

/* What the statement's table has, where it names one only; NULL otherwise. */
static char *columns_there(struct sql_session *s, const struct token_list *tokens)
{
    struct named_tables tables;
    named_tables_find(s, tokens, &tables);
    char *columns = tables.v.count == 1 ? columns_of_table(s, tables.v.items[0]) : NULL;
    named_tables_release(&tables);
    return columns;
}

/* Which columns the statement's table has, and which tables have the column. */
static char *where_columns_are(struct sql_session *s, const struct token_list *tokens,
                               const char *column)
{
    char *there = columns_there(s, tokens), *elsewhere = tables_with_column(s, column);
    char *hint = there || elsewhere
                     ? sqlite3_mprintf("%s%s%s", there ? there : "", there && elsewhere ? "; " : "",
                                       elsewhere ? elsewhere : "")
                     : NULL;
    sqlite3_free(there);
    sqlite3_free(elsewhere);
    return hint;
}

/* Which two of the statement's tables have a column; NULL: it does not name two that do. */
static char *explain_ambiguous(struct sql_session *s, const struct token_list *tokens,
                               const char *column)
{
    struct named_tables tables;
    struct str two[2];
    int count = 0;
    named_tables_find(s, tokens, &tables);
    for (size_t i = 0; count < 2 && i < tables.v.count; i++)
        if (table_has_column(s, tables.v.items[i], column))
            two[count++] = tables.v.items[i];
    named_tables_release(&tables);
    return count == 2
               ? sqlite3_mprintf("%.*s and %.*s have it: write %.*s.%s, or the table's alias",
                                 (int)two[0].n, two[0].p, (int)two[1].n, two[1].p, (int)two[1].n,
                                 two[1].p, column)
               : NULL;
}

/* What there is in the place of a name that older versions or other databases have; NULL: none has
 * it. */
static char *name_instead(enum missing missing, const char *name)
{
    bool is_other = missing == MISSING_KEYWORD || missing == MISSING_COLUMN;
    const char *instead = is_other                    ? NULL
                          : missing == MISSING_MODULE ? former_module(name)
                                                      : former_name(name);
    if (instead)
        return sqlite3_mprintf("%s is of older versions: use %s", name, instead);
    instead = missing == MISSING_FUNCTION ? dialect_function(name) : NULL;
    return instead ? sqlite3_mprintf("use %s", instead) : NULL;
}

/* What the name is, or where it is; NULL: that is not known. */
static char *specific_hint(struct sql_session *s, const struct token_list *tokens,
                           enum missing missing, const char *message, const char *name)
{
    if (missing == MISSING_MODULE) {
        char *below = modules_below(s, name);
        return below ? below : explain_module(s, name);
    }
    if (missing == MISSING_COLUMN)
        return suggest_join(s, tokens, name);
    if (missing == MISSING_KEYWORD || missing == MISSING_OPERATOR)
        return NULL;
    return other_kind(s, tokens, missing, message, name);
}

static char *hint_for_name(struct sql_session *s, const struct token_list *tokens,
                           const char *message)
{
    enum missing missing;
    char name[NEAR_NAME_LENGTH + 1], *hint = NULL;
    if (!read_message(message, &missing, name))
        return NULL;
    if (missing == AMBIGUOUS_COLUMN)
        return explain_ambiguous(s, tokens, name);
    if (missing == MISSING_MODULE && token_is_name(find_token(tokens, "VIRTUAL")))
        missing = MISSING_OPERATOR;
    if ((hint = name_instead(missing, name)))
        return hint;
    hint = specific_hint(s, tokens, missing, message, name);
    if (!hint)
        hint = near_names(s, missing, name, tokens);
    return hint || missing != MISSING_COLUMN ? hint : where_columns_are(s, tokens, name);
}

void suggest_names(struct sql_session *s, const struct token_list *tokens, struct status *status)
{
    if (status->code != STATUS_SQL || s->language->explained)
        return;
    s->language->explained = true; /* the scripts around this one need not try again */
    char *hint = explain_error(s, tokens, status->message);
    if (!hint)
        hint = hint_for_name(s, tokens, status->message);
    if (!hint)
        return;
    struct status longer = status_error(STATUS_SQL, "%s\n%s", status->message, hint);
    status_release(status);
    *status = longer;
    sqlite3_free(hint);
}

struct status suggest_metric(struct sql_session *s, const char *name)
{
    uint32_t type = descriptors_find(&s->descriptors, STR("perfetto.protos.TraceMetrics"));
    const struct language *l = s->language;
    struct nearest near = {.count = 0};
    char metric[NEAR_NAME_LENGTH + 1];
    for (size_t i = 0; i < l->metric_files.count; i++) {
        struct str stem = metric_file_stem(&l->metric_files.items[i]);
        if (stem.n > NEAR_NAME_LENGTH)
            continue;
        memcpy(metric, stem.p, stem.n);
        metric[stem.n] = 0;
        if (descriptors_field_named(&s->descriptors, type, stem)) /* others help these */
            near_consider(&near, name, metric);
    }
    sqlite3_str *text = sqlite3_str_new(NULL);
    append_question(NULL, text, &near);
    char *question = sqlite3_str_finish(text);
    struct status status = status_error(STATUS_USAGE, "there is no such metric%s%s",
                                        question ? ": " : "", question ? question : "");
    sqlite3_free(question);
    return status;
}
