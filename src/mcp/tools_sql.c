/* open, query, schema and metrics. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "explain/report.h"
#include "mcp/request.h"
#include "mcp/tools.h"
#include "sql/bounded_run.h"
#include "sql/export/result_writer.h"
#include "summary/metrics.h"
#include "sql/session.h"

enum { ROWS_USUAL = 50, ROWS_MOST = 1000, BYTES_MOST = 60000, SECONDS_MOST = 120 };

#define TRACE_PARAM                                                                                \
    {                                                                                              \
        "trace", MCP_TEXT, false, "path of the trace; the one used last by itself"                 \
    }

/* Rows as CSV, up to a number of rows and bytes. */
struct limited_rows {
    struct sql_sink inner;
    FILE *out;
    int64_t rows, most;
    bool full;
};

static bool begin_result(void *self, int columns, const char *const *names)
{
    struct limited_rows *l = self;
    return l->inner.begin(l->inner.self, columns, names);
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    struct limited_rows *l = self;
    l->full = l->full || l->rows >= l->most || ftell(l->out) > BYTES_MOST;
    if (l->full)
        return false;
    l->rows++;
    return l->inner.row(l->inner.self, columns, values);
}

static bool end_result(void *self)
{
    struct limited_rows *l = self;
    return !l->inner.end || l->inner.end(l->inner.self);
}

static void take_note(void *self, const char *reason)
{
    struct limited_rows *l = self;
    fprintf(l->out, "no rows: %s\n", reason);
}

/* Runs SQL with bounds; the rows go to the answer. */
static struct status run_rows(struct mcp_call *c, struct mcp_trace *t, const char *sql,
                              int64_t most, struct limited_rows *l)
{
    const struct sql_bounds bounds = {
        .seconds = (double)mcp_call_number(c, "seconds", 20, 1, SECONDS_MOST),
        .memory = UINT64_C(2) << 30,
        .rows = 10000000,
        .value = 1 << 20,
    };
    struct result_writer *writer = result_writer_new(c->out, &csv_format, false);
    *l = (struct limited_rows){.inner = result_writer_sink(writer), .out = c->out, .most = most};
    struct sql_sink sink = {begin_result, take_row, end_result, l, take_note};
    mcp_call_running(c, t->session);
    struct sql_spent spent = {0};
    struct status s =
        sql_session_run_bounded(t->session, "query", str_from(sql), &bounds, &spent, &sink);
    mcp_call_running(c, NULL);
    result_writer_free(writer);
    if (l->full && s.code == STATUS_CANCELLED) {
        status_release(&s);
        s = status_ok_value();
    }
    return s;
}

/* Whether later statements may see something else because of these. Words in texts and comments
 * count, too: that costs a new session only. */
static bool changes_session(const char *sql)
{
    static const char *const words[] = {"%CREATE%", "%DROP%",   "%ALTER%", "%INSERT%",   "%UPDATE%",
                                        "%DELETE%", "%PRAGMA%", "%BEGIN%", "%SAVEPOINT%"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sqlite3_strlike(words[i], sql, 0) == 0)
            return true;
    return false;
}

static struct status run_query(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct limited_rows l;
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char *sql = mcp_text_member(c->arguments, "sql");
    s = run_rows(c, t, sql, mcp_call_number(c, "limit", ROWS_USUAL, 1, ROWS_MOST), &l);
    if (changes_session(sql)) {
        struct status renewed = mcp_trace_renew(t);
        if (status_ok(s))
            s = renewed;
        else
            status_release(&renewed);
    }
    free(sql);
    if (status_ok(s) && l.full)
        fprintf(c->out, "\n(cut after %" PRId64 " rows; ask for sums, or a limit up to %d)\n",
                l.rows, ROWS_MOST);
    return s;
}

const struct mcp_tool query_tool = {
    .name = "query",
    .description =
        "Runs PerfettoSQL on a trace and returns rows as CSV. Reads only: what statements "
        "define is gone after the call. Tables: slice, "
        "thread, process, thread_state, sched, counter, track, args; INCLUDE PERFETTO "
        "MODULE for more. Times are ns. Use schema to find tables.",
    .params = {TRACE_PARAM,
               {"sql", MCP_TEXT, true, "one or more statements"},
               {"limit", MCP_NUMBER, false, "rows at most: 50 by itself, up to 1000"},
               {"seconds", MCP_NUMBER, false, "how long it may take: 20 by itself, up to 120"}},
    .run = run_query,
};

static struct status run_open(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct limited_rows l;
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char dur[32];
    report_time(dur, sizeof dur, t->trace.end_ts - t->trace.start_ts);
    fprintf(c->out, "%s: %s, from %" PRId64 " to %" PRId64 " ns\n", t->path, dur, t->trace.start_ts,
            t->trace.end_ts);
    s = run_rows(c, t,
                 "SELECT 'slices' AS what, count() AS count FROM slice\n"
                 "UNION ALL SELECT 'threads', count() FROM thread\n"
                 "UNION ALL SELECT 'processes', count() FROM process\n"
                 "UNION ALL SELECT 'runs on a CPU', count() FROM sched\n"
                 "UNION ALL SELECT 'values of counters', count() FROM counter",
                 10, &l);
    fputs("next: explain says what is wrong; query and schema are for questions of your own\n",
          c->out);
    return s;
}

const struct mcp_tool open_tool = {
    .name = "open",
    .description = "Opens a trace of any format that tptui reads and says what it has. The other "
                   "tools open traces by themselves, too; a few stay open.",
    .params = {{"trace", MCP_TEXT, true, "path of the trace"}},
    .run = run_open,
};

/* What is empty of the tables that were found. */
static bool is_empty(struct sql_session *s, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT 1)", table);
    int64_t rows = 1;
    if (!sql)
        alloc_fail();
    struct status status = sql_session_int(s, sql, &rows);
    sqlite3_free(sql);
    status_release(&status);
    return rows == 0;
}

struct schema_rows {
    struct mcp_call *c;
    struct sql_session *session;
    int rows;
    VEC(char *) tables; /* of the prelude, owned: can be looked at without including a module */
};

static struct str text_of(const struct sql_value *v)
{
    return v->type == SQL_TEXT ? v->s : STR("");
}

static bool take_object(void *self, int columns, const struct sql_value *values)
{
    struct schema_rows *r = self;
    struct str kind = text_of(&values[0]), module = text_of(&values[2]);
    struct str name = text_of(&values[1]), help = text_of(&values[3]);
    (void)columns;
    fprintf(r->c->out, "%.*s %.*s (module %.*s): %.*s\n", (int)kind.n, kind.p, (int)name.n, name.p,
            (int)module.n, module.p, (int)help.n, help.p);
    bool is_table = str_eq(kind, STR("VIEW")) || str_eq(kind, STR("TABLE"));
    if (is_table && str_starts(module, STR("prelude.")))
        *vec_push(&r->tables) = alloc_copy(name.p, name.n);
    r->rows++;
    return true;
}

static struct status run_schema(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    struct schema_rows r = {.c = c, .session = t->session};
    struct sql_sink sink = {.row = take_object, .self = &r};
    char *search = mcp_text_member(c->arguments, "search");
    char *sql = sqlite3_mprintf(
        "SELECT object_type, name, module, iif(name = %Q, description, short_description)\n"
        "FROM __intrinsic_stdlib_objects\n"
        "WHERE exposed AND object_type != 'MODULE' AND instr(lower(name || ' ' || module || ' ' || "
        "ifnull(short_description, '')), lower(%Q)) > 0\n"
        "ORDER BY name = %Q DESC, instr(lower(name), lower(%Q)) > 0 DESC, length(name) LIMIT 20",
        search, search, search, search);
    if (!sql)
        alloc_fail();
    mcp_call_running(c, t->session);
    s = sql_session_run(t->session, "schema", str_from(sql), &sink);
    for (size_t i = 0; i < r.tables.count; i++) {
        if (status_ok(s) && is_empty(t->session, r.tables.items[i]))
            fprintf(c->out, "empty in this trace: %s\n", r.tables.items[i]);
        free(r.tables.items[i]);
    }
    mcp_call_running(c, NULL);
    if (status_ok(s) && r.rows == 0)
        fprintf(c->out, "nothing has %s in its name, module or description; try a shorter word\n",
                search);
    else if (status_ok(s))
        fputs("next: the whole name of one gives its columns; a module is included by INCLUDE "
              "PERFETTO MODULE\n",
              c->out);
    vec_release(&r.tables);
    sqlite3_free(sql);
    free(search);
    return s;
}

const struct mcp_tool schema_tool = {
    .name = "schema",
    .description =
        "Finds tables, views, functions and macros of PerfettoSQL by a word of their name, "
        "module or description, and says which tables are empty in the trace.",
    .params = {TRACE_PARAM, {"search", MCP_TEXT, true, "a word, or a whole name for its columns"}},
    .run = run_schema,
};

static void put_name(void *self, struct str name)
{
    fprintf(self, "%.*s\n", (int)name.n, name.p);
}

static struct status run_metrics(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct pb_bytes message = {0};
    struct text text = {0};
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char *names = mcp_text_member(c->arguments, "names");
    if (!names) {
        metrics_each_name(t->session, put_name, c->out);
        return s;
    }
    bool path = strchr(names, '/') != NULL; /* would name a file */
    mcp_call_running(c, t->session);
    s = path ? status_error(STATUS_USAGE, "%s: no name of a metric", names)
             : metrics_compute(t->session, str_from(names), &message);
    mcp_call_running(c, NULL);
    if (status_ok(s)) {
        metrics_append(t->session, metrics_format_find(STR("text")), &message, &text);
        size_t n = text.v.count < BYTES_MOST ? text.v.count : BYTES_MOST;
        fwrite(text.v.items, 1, n, c->out);
        if (n < text.v.count)
            fputs("\n(cut; query the metric's tables for parts of it)\n", c->out);
    }
    vec_release(&text.v);
    pb_bytes_release(&message);
    free(names);
    return s;
}

const struct mcp_tool metrics_tool = {
    .name = "metrics",
    .description = "Computes metrics of Trace Processor; without names lists them.",
    .params = {TRACE_PARAM, {"names", MCP_TEXT, false, "names with commas in between"}},
    .run = run_metrics,
};
