#include "sql/script/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/compile_memory.h"
#include "sql/engine/family.h"
#include "sql/engine/query_log.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/language/distinct.h"
#include "sql/hints/empty_result.h"
#include "sql/hints/explain.h"
#include "sql/language/language.h"
#include "sql/language/macro.h"
#include "sql/language/nesting.h"
#include "sql/script/include.h"
#include "sql/script/perfetto_statement.h"
#include "sql/script/prelude.h"
#include "sql/pipelines/rewriting.h"
#include "sql/script/script_parts.h"
#include "sql/script/script_plan.h"
#include "sql/hints/sqlite_error.h"
#include "sql/hints/suggest.h"
#include "sql/tokens/token_cursor.h"
#include "sql/vector/vector.h"

enum { RUN_DEPTH_MAX = 100 };

static struct sql_value column_value(sqlite3_stmt *stmt, int i)
{
    struct sql_value v = {.type = SQL_NULL};
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER:
        v.type = SQL_INT;
        v.i = sqlite3_column_int64(stmt, i);
        break;
    case SQLITE_FLOAT:
        v.type = SQL_REAL;
        v.d = sqlite3_column_double(stmt, i);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB: {
        v.type = sqlite3_column_type(stmt, i) == SQLITE_TEXT ? SQL_TEXT : SQL_BLOB;
        const char *p = sqlite3_column_blob(stmt, i);
        v.s = (struct str){p ? p : "", (size_t)sqlite3_column_bytes(stmt, i)};
        break;
    }
    default:
        break;
    }
    return v;
}

/* A prepared statement of the script. */
struct running {
    sqlite3_stmt *stmt;
    struct plan *plan;                 /* over columns, instead of `stmt` */
    const struct written_names *names; /* NULL where there is no sink */
    struct written_names counted;      /* see distinct.h */
    const struct token_list *tokens;
    struct sql_session *session;
    const struct script_refusals *refusals; /* of EXPLAIN QUERY PLAN, or NULL */
};

static const char *given_name(const struct running *r, int column)
{
    return r->plan ? vector_column_name(r->plan, (uint32_t)column)
                   : sqlite3_column_name(r->stmt, column);
}

static bool begin_result(const struct running *r, int columns, const struct sql_sink *sink)
{
    const char **names = alloc_array((size_t)columns, sizeof *names);
    r->session->result_begun = true;
    for (int i = 0; i < columns; i++)
        names[i] = written_names_find(r->names, written_names_find(&r->counted, given_name(r, i)));
    bool go_on = sink_begin(sink, columns, names);
    free(names);
    return go_on;
}

/* sqlstats tells of what users run, not of what modules do meanwhile. */
static bool is_logged(const struct sql_session *s)
{
    return s->language->run_depth == 1 && !s->language->schema;
}

static void note_row(struct sql_session *s)
{
    if (is_logged(s))
        query_log_row(&s->log);
}

static void explain_empty(const struct running *r, const struct sql_sink *sink)
{
    struct status schema = prelude_need(r->session);
    char *reason = status_ok(schema) ? empty_result_reason(r->session, r->tokens) : NULL;
    status_release(&schema);
    if (reason)
        sink->note(sink->self, reason);
    sqlite3_free(reason);
}

/* Scripts that only want what a statement does name its column so. */
static bool is_suppressed(sqlite3_stmt *stmt)
{
    return sqlite3_column_count(stmt) == 1 &&
           strcmp(sqlite3_column_name(stmt, 0), "suppress_query_output") == 0;
}

/* To rename something SQLite compiles all views, and asks nobody. */
static int step_silently(struct sql_session *s, sqlite3_stmt *stmt)
{
    struct compile_memory memory = {0};
    int rc;
    if (s->rules.alters)
        compile_memory_begin(&memory, &s->cancel);
    while ((rc = compile_memory_step(stmt)) == SQLITE_ROW)
        note_row(s);
    compile_memory_end(&memory);
    s->rules.too_large |= memory.exceeded;
    return rc == SQLITE_NOMEM && memory.cancelled ? SQLITE_INTERRUPT : rc;
}

/* Behind SQLite's plan: why it does what the plan says. */
static bool tell_refusals(const struct running *r, int columns, struct sql_value *values,
                          const struct sql_sink *sink)
{
    bool go_on = true;
    for (size_t i = 0; go_on && r->refusals && i < r->refusals->v.count; i++) {
        char *detail = sqlite3_mprintf("ROWS: %s", r->refusals->v.items[i].construct);
        values[0] = (struct sql_value){.type = SQL_INT, .i = values[0].i + 1};
        for (int c = 1; c < columns - 1; c++)
            values[c] = (struct sql_value){.type = SQL_INT};
        values[columns - 1] = (struct sql_value){.type = SQL_TEXT, .s = str_from(detail)};
        go_on = sink->row(sink->self, columns, values);
        sqlite3_free(detail);
    }
    return go_on;
}

/* Steps to the end; SQLITE_DONE, SQLITE_ABORT where the sink had enough, or an error. */
static int step_all(struct sql_session *s, const struct running *r, const struct sql_sink *sink)
{
    sqlite3_stmt *stmt = r->stmt;
    int columns = sqlite3_column_count(stmt), rc = SQLITE_ROW;
    if (!sink || columns == 0 || is_suppressed(stmt))
        return step_silently(s, stmt);
    struct sql_value *values = alloc_array((size_t)columns, sizeof *values);
    bool go_on = true, begun = false, is_plan = sqlite3_stmt_isexplain(stmt) == 2;
    while (go_on && (rc = compile_memory_step(stmt)) == SQLITE_ROW) {
        note_row(s);
        if (!begun && columns == 1 && value_is_void(sqlite3_column_value(stmt, 0))) {
            rc = step_silently(s, stmt);
            free(values);
            return rc;
        }
        go_on = begun || begin_result(r, columns, sink);
        begun = true;
        for (int i = 0; i < columns; i++)
            values[i] = column_value(stmt, i);
        char *plan = is_plan ? explain_plan(values[columns - 1].s) : NULL;
        if (plan)
            values[columns - 1].s = str_from(plan);
        go_on = go_on && sink->row(sink->self, columns, values);
        sqlite3_free(plan);
    }
    if (go_on && begun && is_plan && rc == SQLITE_DONE)
        go_on = tell_refusals(r, columns, values, sink);
    free(values);
    bool empty = rc == SQLITE_DONE && !begun;
    if (empty)
        go_on = begin_result(r, columns, sink);
    if (rc == SQLITE_DONE)
        go_on = go_on && sink_end(sink);
    if (empty && go_on && sink->note) {
        sqlite3_reset(stmt);
        explain_empty(r, sink);
    }
    return go_on ? rc : SQLITE_ABORT;
}

/* With count(DISTINCT) replaced where that compiles, else as it is written. */
static int prepare(struct sql_session *s, const struct token_list *tokens, struct running *out)
{
    *out = (struct running){.tokens = tokens, .session = s};
    char *text = s->language->has_collations ? NULL : distinct_rewrite(tokens, &out->counted);
    int rc = text ? session_prepare(s, text, 0, &out->stmt) : SQLITE_ERROR;
    free(text);
    if (rc == SQLITE_OK)
        return rc;
    written_names_release(&out->counted);
    out->counted = (struct written_names){0};
    text = tokens_text(tokens->v.items, tokens->v.count);
    rc = session_prepare(s, text, 0, &out->stmt);
    free(text);
    return rc;
}

/* Has SQLite run a statement: `written`, or what reads parts of it. */
static struct status run_prepared(struct sql_session *s, const struct token_list *tokens,
                                  const struct token_list *written,
                                  const struct written_names *names,
                                  const struct script_refusals *refusals,
                                  const struct sql_sink *sink)
{
    struct running r;
    int rc = prepare(s, tokens, &r);
    r.tokens = written;
    r.names = names;
    r.refusals = refusals;
    if (rc == SQLITE_OK && r.stmt)
        rc = step_all(s, &r, sink);
    struct status status = status_ok_value();
    if (rc == SQLITE_ABORT || rc == SQLITE_INTERRUPT)
        status = interrupted();
    else if (rc != SQLITE_OK && rc != SQLITE_DONE)
        status = sqlite_error(s, written);
    sqlite3_finalize(r.stmt);
    written_names_release(&r.counted);
    return status;
}

struct status script_run_sqlite(struct sql_session *s, const struct token_list *tokens)
{
    return run_prepared(s, tokens, tokens, NULL, NULL, NULL);
}

/* The statement's tree, where every token has its place in it. */
static const struct sql_node *whole_tree(const struct sql_parsed *p)
{
    return p->tree.whole ? p->tree.root : NULL;
}

/* What EXPLAIN QUERY PLAN is of; NULL: it is none. */
static const struct sql_node *explained(const struct sql_parsed *p)
{
    const struct sql_node *root = whole_tree(p);
    return sql_is(root, SQL_EXPLAIN) && root->op == SQL_OP_QUERY_PLAN ? root->part[0] : NULL;
}

/* Has SQLite run what the parts of the statement leave of it. */
static struct status run_with_parts(struct sql_session *s, const struct sql_parsed *p,
                                    const struct written_names *names,
                                    struct script_refusals *refusals, const struct sql_sink *sink)
{
    struct script_parts parts;
    const struct token_list *tokens = &p->tokens;
    const struct sql_node *plan_of = explained(p);
    /* What is run for its effect may keep the statement's text. */
    if (!sink || s->schema_waits ||
        !script_parts_find(s, tokens, plan_of ? plan_of : whole_tree(p), plan_of ? refusals : NULL,
                           &parts))
        return run_prepared(s, tokens, tokens, names, refusals, sink);
    enum vector_result result = plan_of ? VECTOR_DONE : script_parts_run(s, &parts);
    const struct token_list *run = result == VECTOR_DONE ? &parts.tokens : tokens;
    struct status status = result == VECTOR_ABORTED
                               ? interrupted()
                               : run_prepared(s, run, tokens, names, refusals, sink);
    script_parts_end(s, &parts);
    return status;
}

/* Columns of plain tables may compare text in their own ways, and pragmas change what operators
 * mean. */
static void note_changes(struct sql_session *s, const struct token_list *tokens)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    s->language->has_pragmas |= token_is_word(cursor_peek(&c), "PRAGMA");
    if (!cursor_accept(&c, "CREATE") && !cursor_accept(&c, "ALTER"))
        return;
    for (size_t i = 0; i < tokens->v.count; i++) {
        struct token t = tokens->v.items[i];
        s->language->has_collations |= token_is_word(t, "COLLATE");
    }
}

struct column_run {
    struct running running;
    const struct sql_sink *sink;
    int columns;
    uint64_t rows;
};

/* The result is begun with its first row: what SQLite has to do may turn out before that. */
static bool column_row(void *self, const struct sql_value *values)
{
    struct column_run *run = self;
    if (run->rows == 0 && !begin_result(&run->running, run->columns, run->sink))
        return false;
    run->rows++;
    note_row(run->running.session);
    return run->sink->row(run->sink->self, run->columns, values);
}

/* Runs the statement over columns, where it can be; `*status` is then how that went. */
static bool run_over_columns(struct sql_session *s, const struct sql_parsed *p,
                             const struct written_names *names, const struct sql_sink *sink,
                             struct status *status)
{
    bool can = sink && !s->schema_waits;
    struct plan *plan = can ? script_plan(s, &p->tokens, whole_tree(p), false, NULL) : NULL;
    if (!plan)
        return false;
    struct column_run run = {
        .running = {.plan = plan, .names = names, .tokens = &p->tokens, .session = s},
        .sink = sink,
        .columns = (int)vector_columns(plan)};
    bool silent =
        run.columns == 1 && strcmp(vector_column_name(plan, 0), "suppress_query_output") == 0;
    struct vector_sink out = {column_row, &run};
    enum vector_result result = silent ? VECTOR_REFUSED : vector_run(plan, &out);
    bool go_on = result == VECTOR_DONE, empty = run.rows == 0;
    if (go_on && empty)
        go_on = begin_result(&run.running, run.columns, sink);
    go_on = go_on && sink_end(sink);
    if (go_on && empty && sink->note)
        explain_empty(&run.running, sink);
    vector_free(plan);
    if (result == VECTOR_REFUSED)
        return false;
    *status = go_on ? status_ok_value() : interrupted();
    return true;
}

/* EXPLAIN QUERY PLAN of what runs over columns; else `refusals` get why it does not. */
static bool explain_columns(struct sql_session *s, const struct sql_parsed *p,
                            struct script_refusals *refusals, const struct sql_sink *sink,
                            struct status *status)
{
    static const char *const names[] = {"id", "parent", "notused", "detail"};
    const struct sql_node *plan_of = explained(p);
    struct vector_refusal refusal = {0};
    struct plan *plan = sink ? script_plan(s, &p->tokens, plan_of, false, &refusal) : NULL;
    if (!plan) {
        script_refusals_add(refusals, &refusal);
        return false;
    }
    char *detail = vector_describe(plan);
    struct sql_value row[] = {{.type = SQL_INT, .i = 2},
                              {.type = SQL_INT},
                              {.type = SQL_INT},
                              {.type = SQL_TEXT, .s = str_from(detail)}};
    vector_free(plan);
    bool go_on = sink_begin(sink, 4, names) && sink->row(sink->self, 4, row) && sink_end(sink);
    sqlite3_free(detail);
    *status = go_on ? status_ok_value() : interrupted();
    return true;
}

static bool is_empty(const struct token_list *tokens)
{
    for (size_t i = 0; i < tokens->v.count; i++)
        if (!token_is_blank(tokens->v.items[i]))
            return false;
    return true;
}

static void log_start(struct sql_session *s, const struct token_list *tokens)
{
    size_t first = 0;
    while (first < tokens->v.count && token_is_blank(tokens->v.items[first]))
        first++;
    if (!is_logged(s))
        return;
    const struct token *t = tokens->v.items;
    const struct token end = vec_last(&tokens->v);
    query_log_start(&s->log, (struct str){t[first].text.p,
                                          (size_t)(end.text.p + end.text.n - t[first].text.p)});
}

struct status script_expand(struct sql_session *s, const struct token *tokens, size_t n,
                            struct sql_parsed *out, struct written_names *names)
{
    bool macros = macro_is_called(tokens, n);
    *out = (struct sql_parsed){0};
    arena_init(&out->arena);
    struct status status = macro_expand(&s->language->macros, &s->language->scratch, &s->cancel,
                                        tokens, n, &out->tokens);
    if (status_ok(status) && macros)
        status = deferred_run(s, &out->tokens);
    if (status_ok(status))
        status = statement_rewrite(s, out, names);
    return status_ok(status) ? nesting_check_with(&out->tokens) : status;
}

static struct status run_statement(struct sql_session *s, const struct token_list *tokens,
                                   const struct sql_sink *sink)
{
    struct status status = deferred_run(s, tokens);
    if (status_ok(status))
        status = nesting_check_made(s, tokens);
    if (!status_ok(status) || perfetto_statement(s, tokens, &status))
        return status;
    note_changes(s, tokens);
    struct sql_parsed expanded;
    struct written_names names = {0};
    struct script_refusals refusals = {0};
    status = script_expand(s, tokens->v.items, tokens->v.count, &expanded, &names);
    if (status_ok(status))
        status = macro_check_variables(expanded.tokens.v.items, expanded.tokens.v.count);
    if (status_ok(status) && !run_over_columns(s, &expanded, &names, sink, &status) &&
        !explain_columns(s, &expanded, &refusals, sink, &status))
        status = run_with_parts(s, &expanded, &names, &refusals, sink);
    vec_release(&refusals.v);
    written_names_release(&names);
    sql_parsed_release(&expanded);
    return status;
}

/* With the schema where the statement needs it, which may turn out by its failing without. */
static struct status run_with_schema(struct sql_session *s, const struct token_list *tokens,
                                     const struct sql_sink *sink)
{
    struct status status = status_ok_value();
    s->result_begun = false;
    if (s->schema_waits && prelude_can_wait(s, tokens)) {
        status = run_statement(s, tokens, sink);
        if (status_ok(status) || status.code == STATUS_CANCELLED)
            return status;
    }
    bool begun = s->result_begun; /* the schema's statements are run, too */
    struct status schema = prelude_need(s);
    if (begun || !status_ok(schema)) { /* the rows cannot be taken back */
        status_release(status_ok(status) ? &status : &schema);
        return status_ok(status) ? schema : status;
    }
    status_release(&status);
    return run_statement(s, tokens, sink);
}

static struct status run_and_suggest(struct sql_session *s, const struct token_list *tokens,
                                     const struct sql_sink *sink)
{
    s->language->explained = false;
    if (atomic_load(&s->cancel))
        return interrupted();
    struct status status = run_with_schema(s, tokens, sink);
    if (!status_ok(status))
        suggest_names(s, tokens, &status);
    return status;
}

struct status script_run_statement(struct sql_session *s, const struct token_list *tokens)
{
    return run_and_suggest(s, tokens, NULL);
}

struct status script_run_part(struct sql_session *s, const struct sql_source *source, size_t from,
                              size_t to, const struct sql_sink *sink)
{
    struct token_list tokens = {0};
    struct status status = status_ok_value();
    if (s->language->run_depth >= RUN_DEPTH_MAX)
        return status_error(STATUS_SQL, "more than %d modules or scripts run inside each other",
                            RUN_DEPTH_MAX);
    s->language->run_depth++;
    for (size_t at = from; at < to && status_ok(status);) {
        tokens.v.count = 0;
        at = lexer_statement(source, at, &tokens);
        if (is_empty(&tokens))
            continue;
        log_start(s, &tokens);
        status = run_and_suggest(s, &tokens, sink);
        if (is_logged(s))
            query_log_end(&s->log);
    }
    vec_release(&tokens.v);
    if (--s->language->run_depth == 0) {
        arena_release(&s->language->scratch);
        arena_init(&s->language->scratch);
    }
    return status;
}

struct status script_run(struct sql_session *s, const struct sql_source *source,
                         const struct sql_sink *sink)
{
    return script_run_part(s, source, 0, source->text.n, sink);
}
