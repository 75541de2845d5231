#include "sql/hints/empty_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/data_sources.h"
#include "core/loss.h"
#include "core/store/tables.h"
#include "sql/tables/catalog.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_function.h"
#include "sql/grammar/parse.h"

enum { NAMES_MAX = 256, REASONS_MAX = 2 };

/* Names still to look at, the statement's own first. */
struct reason_search {
    struct sql_session *session;
    VEC(char *) names;
    VEC(const char *) needs; /* of functions, that are said already */
    sqlite3_str *reasons;
    int reason_count;
    bool reads_events; /* which the trace has, or had lost */
    struct loss_total lost;
    char *config; /* the trace's, NULL where it has none */
};

static void add_name(struct reason_search *x, struct str name)
{
    for (size_t i = 0; i < x->names.count; i++)
        if (str_eq_any_case(str_from(x->names.items[i]), name))
            return;
    if (x->names.count < NAMES_MAX)
        *vec_push(&x->names) = alloc_copy(name.p, name.n);
}

/* False where there are enough. */
static bool begin_reason(struct reason_search *x)
{
    if (x->reason_count++ >= REASONS_MAX)
        return false;
    sqlite3_str_appendall(x->reasons, x->reason_count > 1 ? "; " : "");
    return true;
}

static void add_reason(struct reason_search *x, const char *before, struct str name,
                       const char *behind, const char *source)
{
    if (!begin_reason(x))
        return;
    struct str recorded = data_source_recorded(source, str_from(x->config ? x->config : ""));
    sqlite3_str_appendf(x->reasons, "%s%.*s%s: ", before, (int)name.n, name.p, behind);
    if (x->session->trace->is_window)
        sqlite3_str_appendall(x->reasons, "the window has none of it");
    else if (recorded.n > 0)
        sqlite3_str_appendf(x->reasons, "%.*s was recorded, but no such event %s", (int)recorded.n,
                            recorded.p,
                            x->lost.events > 0 || x->lost.more ? "is left" : "occurred");
    else
        sqlite3_str_appendf(x->reasons, "it needs the data source %s", source);
}

static void look_at_track(struct reason_search *x, struct str name)
{
    const char *source = track_data_source(name);
    if (source && query_has_text(x->session->db,
                                 "SELECT 1 WHERE %.*Q NOT IN (SELECT name FROM __intrinsic_track "
                                 "WHERE name NOT NULL)",
                                 (int)name.n, name.p))
        add_reason(x, "no track is called ", name, "", source);
}

struct reading {
    struct reason_search *search;
    const struct token_list *tokens;
};

static struct token token_of(const struct reading *r, const struct sql_node *n)
{
    return r->tokens->v.items[n->span.first];
}

/* Adds what FROM reads, but for what a LEFT JOIN may lack. */
static bool read_node(void *self, const struct sql_node *n)
{
    struct reading *r = self;
    if (n->kind == SQL_JOIN && n->op == SQL_OP_LEFT_JOIN) {
        sql_visit(n->part[JOIN_ON], read_node, self);
        return false;
    }
    if (n->kind == SQL_IN && sql_is(n->part[1], SQL_TABLE)) {
        sql_visit(n->part[0], read_node, self);
        return false;
    }
    if (n->kind == SQL_TABLE)
        add_name(r->search, token_name(token_of(r, n->part[TABLE_NAME])));
    if (n->kind == SQL_LITERAL && token_of(r, n).kind == TOKEN_STRING)
        look_at_track(r->search, token_name(token_of(r, n)));
    return true;
}

/* The tables that a virtual one is made of: its arguments, or only the first. */
static void read_arguments(const struct reading *r, const struct sql_node *n, bool first_only)
{
    bool begins = true;
    for (uint32_t i = n ? n->span.first : 0; n && i < n->span.end; i++) {
        struct token t = r->tokens->v.items[i];
        if (begins && token_is_name(t)) {
            add_name(r->search, token_name(t));
            if (first_only)
                return;
        }
        begins = token_is(t, ',') || (begins && token_is_blank(t));
    }
}

/* Adds the tables that the tokens read. */
static void read_tokens(struct reason_search *x, const struct token_list *tokens)
{
    struct reading r = {x, tokens};
    struct arena arena;
    arena_init(&arena);
    const struct sql_node *root = sql_parse_statement(&arena, tokens).root;
    if (sql_is(root, SQL_VIRTUAL_TABLE)) {
        struct token module = token_of(&r, root->part[2]);
        read_arguments(&r, root->part[3], str_starts(token_name(module), STR("tptui_")));
    } else {
        sql_visit(root, read_node, &r);
    }
    arena_release(&arena);
}

static void read_text(struct reason_search *x, const char *text)
{
    struct sql_source source = {.name = "", .text = str_from(text)};
    struct token_list tokens = {0};
    lexer_statement(&source, 0, &tokens);
    read_tokens(x, &tokens);
    vec_release(&tokens.v);
}

/* What a view, an operator's table or a table made by SQL reads itself. */
static void follow(struct reason_search *x, const char *name)
{
    const char *definition = catalog_definition(&x->session->catalog, name);
    if (definition) {
        read_text(x, definition);
        return;
    }
    char *sql = query_text(x->session->db,
                           "SELECT sql FROM sqlite_master WHERE lower(name) = lower(%Q) AND sql "
                           "IS NOT NULL",
                           name);
    if (sql)
        read_text(x, sql);
    sqlite3_free(sql);
}

/* What a reader calls a table that a view reads: slice for __intrinsic_slice. */
static struct str published_name(const char *name)
{
    const struct table_def *def = table_def_find(str_from(name));
    bool is_stored = def && strcmp(def->name, name) == 0;
    return str_from(is_stored ? table_def_published_name(def) : name);
}

/* False also where it cannot be read. */
static bool is_empty(struct sql_session *s, const char *table)
{
    return query_has_text(s->db, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM \"%w\")", table);
}

static void look_at_function(struct reason_search *x, const struct table_function *f)
{
    for (size_t i = 0; i < x->needs.count; i++)
        if (strcmp(x->needs.items[i], f->needs) == 0)
            return;
    char *missing = f->missing ? query_text(x->session->db, "%s", f->missing) : NULL;
    if (!missing && !is_empty(x->session, f->name))
        return;
    *vec_push(&x->needs) = f->needs;
    if (begin_reason(x))
        sqlite3_str_appendf(x->reasons, "it needs %s", missing ? missing : f->needs);
    sqlite3_free(missing);
}

static void look_at_table(struct reason_search *x, const char *name)
{
    const char *source = table_data_source(str_from(name));
    const struct table_def *def = table_def_find(str_from(name));
    const struct table_function *function = table_function_find(x->session, str_from(name));
    if (function && function->needs)
        look_at_function(x, function);
    x->reads_events |= source || (def && table_def_event_time(def) > 0);
    if (!source)
        follow(x, name);
    else if (is_empty(x->session, name))
        add_reason(x, "", published_name(name), " is empty", source);
}

/* What was lost goes before any other reason, for which it may be the cause. */
static char *take_reasons(struct reason_search *x)
{
    char *reasons = sqlite3_str_finish(x->reasons), loss[1024];
    loss_print(x->session->trace, loss, sizeof loss);
    if (!loss[0] || !(reasons || (x->lost.matters && x->reads_events)))
        return reasons;
    char *all = sqlite3_mprintf("%s%s%s", loss, reasons ? " " : "", reasons ? reasons : "");
    sqlite3_free(reasons);
    return all;
}

char *empty_result_reason(struct sql_session *s, const struct token_list *statement)
{
    struct reason_search x = {.session = s,
                              .reasons = sqlite3_str_new(NULL),
                              .lost = loss_total(s->trace),
                              .config =
                                  query_text(s->db, "SELECT str_value FROM metadata WHERE name "
                                                    "= 'trace_config_pbtxt'")};
    read_tokens(&x, statement);
    for (size_t i = 0; i < x.names.count && x.reason_count < REASONS_MAX; i++)
        look_at_table(&x, x.names.items[i]);
    for (size_t i = 0; i < x.names.count; i++)
        free(x.names.items[i]);
    vec_release(&x.names);
    vec_release(&x.needs);
    sqlite3_free(x.config);
    return take_reasons(&x);
}
