#include "sql/script/table_fill.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/compile_memory.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/hints/sqlite_error.h"
#include "sql/script/script_parts.h"
#include "sql/script/script_plan.h"
#include "sql/tokens/source_error.h"

/* Understanding a token takes up to 2,000 instructions, SQLite 300 or more for a row: with so many
 * tokens more rows than usual are waited for. Parts have SQLite compile the statement again.
 */
enum { FEW_TOKENS = 64, PARTS_LATER = 4 };
/* An eighth of the rows is enough where four times as many are to come. */
enum { MANY = 4, EARLY = 8, ROWS_BETWEEN = 256 };

struct filling {
    struct table_rows what;
    struct table_builder *builder;
    size_t parts_outside; /* of statements that this one runs inside */
    uint64_t read, asked; /* rows of tables; those after which it is asked again */
    bool looked;          /* whether all of it can be done over columns */
    bool stops;           /* SQLite's run: there is another way */
    struct plan *plan;
    struct script_parts parts;
    bool has_parts;
};

static void begin_rows(struct filling *f)
{
    sqlite3_stmt *stmt = f->what.stmt;
    const struct declared_columns *schema = f->what.schema;
    int n = sqlite3_column_count(stmt);
    const char **names = alloc_array((size_t)n, sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(stmt, i);
    table_builder_free(f->builder);
    f->builder = table_builder_new(&f->what.session->trace->strings, n, names);
    for (int i = 0; schema->v.count > 0 && i < n; i++)
        table_builder_declare(f->builder, i,
                              schema->v.items[declared_columns_find(schema, names[i])].type);
    free(names);
}

static struct status add_rows(struct filling *f, sqlite3_stmt *stmt)
{
    int rc;
    while ((rc = compile_memory_step(stmt)) == SQLITE_ROW) {
        struct status status = table_builder_add(f->builder, stmt);
        if (!status_ok(status)) {
            struct status located = token_error(f->what.name, "%s", status.message);
            status_release(&status);
            return located;
        }
    }
    if (rc == SQLITE_DONE || f->stops)
        return status_ok_value();
    return rc == SQLITE_INTERRUPT ? interrupted() : sqlite_error(f->what.session, f->what.select);
}

static bool declares(enum declared_type declared, enum sql_type type)
{
    return declared == DECLARED_ANY || (declared == DECLARED_LONG && type == SQL_INT) ||
           (declared == DECLARED_DOUBLE && type == SQL_REAL) ||
           (declared == DECLARED_STRING && type == SQL_TEXT);
}

static bool declares_all(const struct declared_columns *schema, const struct plan *plan)
{
    for (uint32_t i = 0; schema->v.count > 0 && i < vector_columns(plan); i++) {
        int at = declared_columns_find(schema, vector_column_name(plan, i));
        if (at < 0 || !declares(schema->v.items[at].type, vector_column_type(plan, i)))
            return false;
    }
    return true;
}

static void find_plan(struct filling *f)
{
    f->looked = true;
    f->plan = script_plan(f->what.session, f->what.select, f->what.tree, true, NULL);
    if (f->plan && !declares_all(f->what.schema, f->plan)) {
        vector_free(f->plan);
        f->plan = NULL;
    }
    f->stops = f->plan;
}

static void find_parts(struct filling *f)
{
    f->has_parts =
        script_parts_find(f->what.session, f->what.select, f->what.tree, NULL, &f->parts);
    f->stops = f->has_parts;
}

static uint64_t least_rows(const struct filling *f)
{
    uint64_t least = f->what.session->vector_rows, tokens = f->what.select->v.count;
    return tokens > FEW_TOKENS ? least * (tokens / FEW_TOKENS) : least;
}

/* Looks whether all of the SELECT, or then whether parts of it can be done over columns. */
static void look_further(struct filling *f)
{
    if (f->looked)
        find_parts(f);
    else
        find_plan(f);
}

/* What a row_watch asks. */
static uint64_t rows_read(void *self, uint64_t coming)
{
    struct filling *f = self;
    uint64_t least = least_rows(f) * (f->looked ? PARTS_LATER : 1);
    f->read += f->asked;
    f->asked = ROWS_BETWEEN;
    /* Parts of a statement inside this one end before any that are added now. */
    bool inside = f->what.session->parts.v.count != f->parts_outside;
    if (f->stops)
        return 0;
    if (inside || (f->read < least && coming < MANY * least))
        return ROWS_BETWEEN;
    bool last = f->looked;
    look_further(f);
    if (f->stops)
        return 0;
    return last ? UINT64_MAX : ROWS_BETWEEN;
}

static struct status run_over_rows(struct filling *f)
{
    struct sql_session *s = f->what.session;
    struct row_watch outer = s->row_watch;
    bool at_once = s->vector_rows == 0;
    for (int i = 0; at_once && !f->stops && i < 2; i++)
        look_further(f);
    if (f->stops)
        return status_ok_value();
    f->asked = least_rows(f) / EARLY + 1;
    s->row_watch = at_once ? ROW_WATCH_NONE : (struct row_watch){f->asked, rows_read, f};
    struct status status = add_rows(f, f->what.stmt);
    s->row_watch = outer;
    return status;
}

/* The parts, then the statement that reads them; or all by SQLite after all. */
static struct status run_with_parts(struct filling *f)
{
    struct sql_session *s = f->what.session;
    const struct token_list *tokens = &f->parts.tokens;
    sqlite3_stmt *reader = NULL;
    enum vector_result result = f->has_parts ? script_parts_run(s, &f->parts) : VECTOR_REFUSED;
    if (result == VECTOR_DONE) {
        char *text = tokens_text(tokens->v.items, tokens->v.count);
        session_prepare(s, text, 0, &reader);
        free(text);
    }
    struct status status =
        result == VECTOR_ABORTED ? interrupted() : add_rows(f, reader ? reader : f->what.stmt);
    sqlite3_finalize(reader);
    if (f->has_parts)
        script_parts_end(s, &f->parts);
    return status;
}

static struct status run_otherwise(struct filling *f)
{
    enum vector_result result = f->plan ? vector_build(f->plan, f->builder) : VECTOR_REFUSED;
    f->stops = false;
    if (result == VECTOR_DONE)
        return status_ok_value();
    if (result == VECTOR_ABORTED)
        return interrupted();
    if (f->plan)
        find_parts(f);
    f->stops = false;
    return run_with_parts(f);
}

struct status table_fill(const struct table_rows *rows, struct table **out)
{
    struct filling f = {.what = *rows, .parts_outside = rows->session->parts.v.count};
    struct str name = token_name(rows->name);
    begin_rows(&f);
    struct status status = run_over_rows(&f);
    if (f.stops) {
        sqlite3_reset(rows->stmt);
        begin_rows(&f);
        status = run_otherwise(&f);
    }
    vector_free(f.plan);
    if (!status_ok(status)) {
        table_builder_free(f.builder);
        return status;
    }
    char *copy = alloc_copy(name.p, name.n);
    *out = table_builder_finish(f.builder, copy);
    free(copy);
    return status;
}
