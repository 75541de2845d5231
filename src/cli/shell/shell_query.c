/* trace_processor_shell query, and what other commands of it do with statements. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/summarize.h"
#include "cli/text_file.h"
#include "rpc/remote.h"
#include "sql/session.h"

/* A statement's result set; it is printed once the statement has ended well. */
struct result_text {
    char *text;
    size_t size;
    FILE *out; /* to `text`; NULL: the statement has no result set */
};

static bool begin_result(void *self, int columns, const char *const *names)
{
    struct result_text *r = self;
    r->out = open_memstream(&r->text, &r->size);
    for (int i = 0; r->out && i < columns; i++)
        fprintf(r->out, "%s\"%s\"", i ? "," : "", names[i]);
    return r->out && putc('\n', r->out) != EOF;
}

/* Text ends at its first NUL and is not escaped: so do the scripts that read it expect it. */
static void print_value(FILE *out, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_NULL:
        fputs("\"[NULL]\"", out);
        break;
    case SQL_INT:
        fprintf(out, "%" PRId64, v->i);
        break;
    case SQL_REAL:
        fprintf(out, "%f", v->d);
        break;
    case SQL_TEXT:
        putc('"', out);
        fwrite(v->s.p, 1, strnlen(v->s.p, v->s.n), out);
        putc('"', out);
        break;
    case SQL_BLOB:
        fputs("\"<raw bytes>\"", out);
        break;
    }
}

static bool put_row(void *self, int columns, const struct sql_value *values)
{
    const struct result_text *r = self;
    for (int i = 0; i < columns; i++) {
        if (i)
            putc(',', r->out);
        print_value(r->out, &values[i]);
    }
    return putc('\n', r->out) != EOF;
}

/* The single column of this name says that nobody wants to see the result, not even its head. */
static bool is_suppressed(const struct result_text *r)
{
    static const char head[] = "\"suppress_query_output\"\n";
    return r->size == sizeof head - 1 && memcmp(r->text, head, r->size) == 0;
}

/* Runs the statement at `*at`, here or where `remote` is, and moves `*at` behind it. */
static struct status run_statement(struct remote *remote, const char *name, struct str sql,
                                   size_t *at, struct result_text *r, bool *found)
{
    struct sql_sink sink = {.begin = begin_result, .row = put_row, .self = r};
    struct status s = status_ok_value();
    *r = (struct result_text){0};
    size_t from = remote ? 0 : sql_script_next(sql, at);
    *found = from < sql.n;
    if (remote)
        s = remote_run_next(remote, sql, at, &sink, found);
    else if (*found)
        s = sql_session_run_part(workspace_session(), name, sql, from, *at, &sink);
    if (r->out && fclose(r->out) != 0 && status_ok(s))
        s = status_error(STATUS_SQL, "out of memory");
    return s;
}

int shell_run_script(struct remote *remote, const char *name, struct str sql)
{
    bool any = false, printed = false, found = true;
    int64_t taken = 0;
    for (size_t at = 0; at < sql.n && found; any |= found) {
        struct result_text r;
        int64_t begin = clock_now_ns();
        struct status s = run_statement(remote, name, sql, &at, &r, &found);
        taken += clock_now_ns() - begin;
        bool shown = status_ok(s) && r.out && !is_suppressed(&r);
        if (shown && printed)
            putc('\n', standard_output());
        if (shown)
            fwrite(r.text, 1, r.size, standard_output());
        printed |= shown;
        free(r.text);
        if (!status_ok(s)) {
            fflush(standard_output());
            workspace_report(s, 1);
            return 1;
        }
    }
    if (!any)
        return shell_error("No valid SQL to run");
    fflush(standard_output());
    fprintf(standard_errors(), "Query executed in %" PRId64 " ms\n", taken / 1000000);
    return 0;
}

int shell_run_query(const char *name, struct str sql)
{
    return shell_run_script(NULL, name, sql);
}

int shell_write_times(const char *path, int64_t query_time)
{
    if (!path)
        return 0;
    char times[64];
    int n =
        snprintf(times, sizeof times, "%" PRId64 ",%" PRId64, workspace_load_time(), query_time);
    struct status s = replace_or_write_text(path, times, (size_t)n);
    if (status_ok(s))
        return 0;
    status_release(&s);
    return shell_error("Failed to write perf data");
}

/* The statements: a word, else a file, else standard input where that is no terminal. */
static int read_query(const struct shell_settings *s, const char *word, struct text_file *out)
{
    if (word) {
        *out = (struct text_file){"stdin", alloc_copy(word, strlen(word)), strlen(word)};
        return 0;
    }
    const char *path = s->query_file;
    if (!path && !isatty(STDIN_FILENO))
        path = "-";
    if (!path)
        return shell_error(
            "query: no SQL provided. Use positional arg, -f FILE, or pipe to stdin.");
    struct status status = text_file_read(path, out);
    if (!status_ok(status)) {
        status_release(&status);
        return shell_error("query: unable to read file '%s'", path);
    }
    if (out->size > 0)
        return 0;
    text_file_release(out);
    return shell_error("query: no SQL provided. Use positional arg, -f FILE, or pipe to stdin.");
}

/* The query of that id, out of the specs. */
static int run_structured(struct shell_settings *s)
{
    char *sql = NULL;
    if (s->specs.count == 0)
        return shell_error("query: --structured-query-id requires at least one --summary-spec");
    if (shell_open(s, s->words.items[0]) != 0)
        return 1;
    int64_t begin = clock_now_ns();
    struct status status = structured_query_prepare(s->specs.items, s->specs.count,
                                                    s->structured_query_id, &sql, NULL);
    int failed = workspace_report(status, 1);
    failed = failed || shell_run_query("structured query", str_from(sql));
    free(sql);
    return failed || shell_write_times(s->perf_file, clock_now_ns() - begin);
}

/* Over a session that runs elsewhere: there is no trace among the words. */
static int run_remotely(const struct shell_settings *s)
{
    struct remote *remote;
    struct text_file query;
    if (s->words.count > 1)
        return shell_error("query: unexpected argument '%s': the session of --remote has its trace",
                           s->words.items[access(s->words.items[0], F_OK) == 0 ? 0 : 1]);
    if (read_query(s, s->words.count ? s->words.items[0] : s->query, &query) != 0)
        return 1;
    struct status status = remote_open(s->remote, &remote);
    int failed = workspace_report(status, 1);
    if (!failed) {
        failed = shell_run_script(remote, query.name, text_file_str(&query));
        if (!failed && s->interactive)
            shell_interact(s, remote);
        remote_close(remote);
    }
    text_file_release(&query);
    return failed ? 1 : 0;
}

static int run_query(struct shell_settings *s)
{
    if (s->remote)
        return shell_refuses_loading(s) ? 1 : run_remotely(s);
    if (s->words.count > 2)
        return shell_error("query: unexpected argument '%s'", s->words.items[2]);
    if (s->words.count == 0)
        return shell_error("query: trace file is required");
    if (s->structured_query_id)
        return run_structured(s);
    struct text_file query;
    const char *word = s->words.count > 1 ? s->words.items[1] : s->query;
    int failed = read_query(s, word, &query);
    if (failed)
        return failed;
    failed = shell_open(s, s->words.items[0]);
    int64_t begin = clock_now_ns();
    failed = failed || shell_run_query(query.name, text_file_str(&query));
    text_file_release(&query);
    failed = failed || shell_write_times(s->perf_file, clock_now_ns() - begin);
    if (!failed && s->interactive)
        return shell_interact(s, NULL);
    return failed;
}

SHELL_TEXT(query_file)
SHELL_FLAG(interactive)
SHELL_FLAG(wide)
SHELL_TEXT(perf_file)
SHELL_TEXT(structured_query_id)
SHELL_LIST(specs)

static const struct command_option options[] = {
    {.name = "query-file",
     .letter = 'f',
     .value = "FILE",
     .help = "statements from a file; - is stdin",
     .set = set_query_file},
    {.name = "structured-query-id",
     .value = "ID",
     .help = "run this query of the specs",
     .set = set_structured_query_id},
    {.name = "summary-spec",
     .value = "FILE",
     .help = "a TraceSummarySpec; repeatable",
     .set = add_specs},
    {.name = "interactive",
     .letter = 'i',
     .help = "go on as an interactive shell",
     .set = set_interactive},
    {.name = "wide",
     .letter = 'W',
     .help = "columns of the interactive shell twice as wide",
     .set = set_wide},
    {.name = "perf-file",
     .value = "FILE",
     .help = "write how long loading and the queries took, in ns",
     .set = set_perf_file},
};

const struct shell_command shell_query_cmd = {
    .name = "query",
    .words = "TRACE [SQL]",
    .about = "Loads a trace and runs SQL.",
    .options = {"query", options, sizeof options / sizeof *options},
    .run = run_query,
};
