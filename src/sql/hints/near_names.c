#include "sql/hints/near_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/language/definitions.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/hints/named_tables.h"

static void add_near(struct nearest *near, const char *name, int d)
{
    int at = near->count < NEAR_COUNT ? near->count : NEAR_COUNT;
    for (int i = 0; i < near->count; i++)
        if (compare_any_case(near->names[i], name) == 0)
            return;
    while (at > 0 && near->distances[at - 1] > d)
        at--;
    if (at == NEAR_COUNT)
        return;
    if (near->count == NEAR_COUNT)
        free(near->names[--near->count]);
    for (int i = near->count++; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->distances[i] = near->distances[i - 1];
    }
    near->names[at] = alloc_copy(name, strlen(name));
    near->distances[at] = d;
}

void near_consider(struct nearest *near, const char *wanted, const char *name)
{
    int d = edits_between(wanted, name);
    if (d > 0 && edits_are_slip(wanted, d) && strncmp(name, "sqlite_", 7) != 0)
        add_near(near, name, d);
}

static const char *last_part(const char *module)
{
    const char *dot = strrchr(module, '.');
    return dot ? dot + 1 : module;
}

/* Modules share the names of their folders, so that many look alike that have little in common. */
static void consider_module(struct nearest *near, const char *wanted, const char *name)
{
    int d = edits_between(wanted, name);
    if (d <= NEAR_MODULE_EDITS || strcmp(last_part(wanted), last_part(name)) == 0)
        add_near(near, name, d);
}

static void consider_rows(struct sql_session *s, struct nearest *near, const char *wanted,
                          const char *sql,
                          void (*each)(struct nearest *, const char *, const char *))
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return;
    while (sqlite3_step(stmt) == SQLITE_ROW)
        if (sqlite3_column_text(stmt, 0))
            each(near, wanted, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
}

/* What included modules would define. */
static void consider_deferred(struct sql_session *s, struct nearest *near, const char *wanted)
{
    for (size_t i = 0; i < s->language->deferred.v.count; i++) {
        struct str n = s->language->deferred.v.items[i].name;
        char *name = alloc_copy(n.p, n.n);
        near_consider(near, wanted, name);
        free(name);
    }
}

/* Names that begin with _ are the modules' own, and only meant where little else is wrong. */
static bool is_meant(const char *wanted, struct str name)
{
    bool own = str_starts(name, STR("_")) && wanted[0] != '_';
    return name.n <= NEAR_NAME_LENGTH && (!own || str_eq(str_skip(name, 1), str_from(wanted)));
}

/* What other modules would define. */
static void consider_definitions(struct sql_session *s, struct nearest *near, const char *wanted)
{
    for (size_t i = 0; i < s->language->modules.count; i++) {
        const struct sql_module *m = &s->language->modules.items[i];
        struct str found;
        for (size_t at = 0; !m->included && definition_next(m, &at, &found);) {
            if (!is_meant(wanted, found))
                continue;
            char *name = alloc_copy(found.p, found.n);
            near_consider(near, wanted, name);
            free(name);
        }
    }
}

static bool begins_part(const char *name, const char *start)
{
    size_t n = strlen(start);
    return compare_any_case_n(name, start, n) == 0 && name[n] == '_';
}

/* parent for parent_id, dur_ns for dur, timestamp for ts. */
static bool is_same_column(const char *wanted, const char *name)
{
    static const char *const synonyms[][2] = {{"duration", "dur"},
                                              {"timestamp", "ts"},
                                              {"time", "ts"},
                                              {"start", "ts"}};
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (compare_any_case(wanted, synonyms[i][0]) == 0 &&
            compare_any_case(name, synonyms[i][1]) == 0)
            return true;
    return begins_part(name, wanted) || begins_part(wanted, name);
}

static void consider_column(struct nearest *near, const char *wanted, const char *name)
{
    if (is_same_column(wanted, name))
        add_near(near, name, 1);
    else
        near_consider(near, wanted, name);
}

/* The columns of every table that the statement names. */
static void consider_columns(struct sql_session *s, struct nearest *near, const char *wanted,
                             const struct token_list *tokens)
{
    struct named_tables tables;
    named_tables_find(s, tokens, &tables);
    for (size_t i = 0; i < tables.v.count; i++) {
        struct str n = tables.v.items[i];
        char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_xinfo('%.*q')", (int)n.n, n.p);
        consider_rows(s, near, wanted, sql, consider_column);
        sqlite3_free(sql);
    }
    named_tables_release(&tables);
}

static void consider_keywords(struct nearest *near, const char *wanted)
{
    static const char *const own[] = {"PERFETTO", "INCLUDE", "MODULE",
                                      "FUNCTION", "MACRO",   "RETURNS"};
    char keyword[NEAR_NAME_LENGTH + 1];
    const char *name;
    int length;
    if (sqlite3_keyword_check(wanted, (int)strlen(wanted)))
        return;
    for (int i = 0; sqlite3_keyword_name(i, &name, &length) == SQLITE_OK; i++) {
        snprintf(keyword, sizeof keyword, "%.*s", length, name);
        near_consider(near, wanted, keyword);
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        near_consider(near, wanted, own[i]);
}

enum { SHORTEST_SLIP = 3, SLIPS_TRIED = 50 };

/* A slip of a keyword passes as an alias (FROM slice WHRE dur > 0): the word behind is the first
 * that is in no place. A comma or a parenthesis that closes has a place behind any name. */
static void consider_keywords_before(struct nearest *near, const char *unexpected,
                                     const struct token_list *tokens)
{
    struct str before = {0};
    int left = strchr(",);", unexpected[0]) ? 0 : SLIPS_TRIED;
    for (size_t i = 0; left > 0 && i < tokens->v.count && near->count == 0; i++) {
        struct token t = token_written(tokens->v.items[i]);
        if (token_is_blank(t))
            continue;
        if (before.n >= SHORTEST_SLIP && before.n <= NEAR_NAME_LENGTH &&
            str_eq(t.text, str_from(unexpected))) {
            char word[NEAR_NAME_LENGTH + 1];
            snprintf(word, sizeof word, "%.*s", (int)before.n, before.p);
            consider_keywords(near, word);
            left--;
        }
        before = t.kind == TOKEN_WORD ? t.text : (struct str){0};
    }
}

void near_find(struct sql_session *s, struct nearest *near, enum missing missing,
               const char *wanted, const struct token_list *tokens)
{
    switch (missing) {
    case MISSING_TABLE:
        consider_rows(s, near, wanted, "SELECT name FROM sqlite_master", near_consider);
        consider_rows(s, near, wanted, "SELECT name FROM pragma_module_list", near_consider);
        consider_deferred(s, near, wanted);
        consider_definitions(s, near, wanted);
        break;
    case MISSING_COLUMN:
        consider_columns(s, near, wanted, tokens);
        break;
    case MISSING_FUNCTION:
        consider_rows(s, near, wanted, "SELECT DISTINCT name FROM pragma_function_list",
                      near_consider);
        consider_deferred(s, near, wanted);
        consider_definitions(s, near, wanted);
        break;
    case MISSING_MACRO:
        for (size_t i = 0; i < s->language->macros.v.count; i++)
            near_consider(near, wanted, s->language->macros.v.items[i].name);
        consider_definitions(s, near, wanted);
        break;
    case MISSING_KEYWORD:
        consider_keywords(near, wanted);
        if (near->count == 0)
            consider_keywords_before(near, wanted, tokens);
        break;
    case AMBIGUOUS_COLUMN:
        break;
    case MISSING_OPERATOR:
        consider_rows(s, near, wanted, "SELECT name FROM pragma_module_list", near_consider);
        break;
    case MISSING_MODULE:
        for (size_t i = 0; i < s->language->modules.count; i++)
            consider_module(near, wanted, s->language->modules.items[i].name);
        break;
    }
}
