/* tptui query TRACE SQL: rows on stdout, everything else on stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "text/duration_text.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/summarize.h"
#include "cli/text_file.h"
#include "cli/workspace.h"
#include "parsers/load.h"
#include "rpc/remote.h"
#include "sql/export/result_writer.h"
#include "sql/session.h"

struct query_settings {
    struct workspace_settings workspace;
    VEC(struct text_file) scripts;
    const struct result_format *format; /* NULL: not given */
    VEC(const char *) specs;
    const char *structured_query; /* id of a query of the specs; NULL: none */
    bool print_sql;               /* of it, instead of its rows */
    bool units;                   /* beside durations */
    bool now;                     /* of the first part of a large file */
    const char *remote;           /* a session elsewhere; NULL: the trace is loaded here */
    bool reads_stdin;             /* for statements */
    double timeout;               /* seconds; 0 is none */
};

static int add_file(void *self, const char *path)
{
    struct query_settings *q = self;
    q->reads_stdin |= strcmp(path, "-") == 0;
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (f.text)
        *vec_push(&q->scripts) = f;
    if (status_ok(s))
        return EXIT_DONE;
    int exit_status = usage_error("%s", s.message);
    status_release(&s);
    return exit_status;
}

static int set_format(void *self, const char *value)
{
    return options_result_format(value, &((struct query_settings *)self)->format);
}

static int set_timeout(void *self, const char *value)
{
    return options_seconds("timeout", value, &((struct query_settings *)self)->timeout);
}

static int add_spec(void *self, const char *value)
{
    *vec_push(&((struct query_settings *)self)->specs) = value;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "file",
     .letter = 'f',
     .value = "FILE",
     .help = "statements from a file; - is stdin; repeatable",
     .set = add_file},
    {.name = "format",
     .value = RESULT_FORMAT_NAMES,
     .help = "table on a terminal, csv otherwise",
     .more = "Result sets are separated by an empty line.",
     .set = set_format},
    {.name = "timeout",
     .value = "SECONDS",
     .help = "stop the queries after that time",
     .set = set_timeout},
    {.name = "remote",
     .value = "NAME|PATH",
     .help = "ask the session that serve unix keeps, without a trace",
     OPTION_INTO(struct query_settings, remote)},
    {.name = "structured-query-id",
     .value = "ID",
     .help = "run this structured query of the specs",
     OPTION_INTO(struct query_settings, structured_query)},
    {.name = "summary-spec",
     .value = "FILE",
     .help = "a TraceSummarySpec with structured queries; repeatable",
     .set = add_spec},
    {.name = "units",
     .help = "say in tables what durations come to: 5375203 (5.375 ms)",
     .more = "Of the columns dur, *_dur and what functions make of those, with --format table or "
             "markdown.",
     OPTION_INTO(struct query_settings, units)},
    {.name = "now",
     .help = "ask the first 32 MB of a file only, where not all of it is kept",
     .more =
         "What has been read is said on stderr; of what is compressed it is an eighth of that. Of "
         "Perfetto's traces, JSON and ftrace's text.",
     OPTION_INTO(struct query_settings, now)},
    {.name = "print-sql",
     .help = "print the structured query's SQL instead of running it",
     OPTION_INTO(struct query_settings, print_sql)},
    WORKSPACE_OPTIONS,
};

static const struct option_table query_options = {"query", options,
                                                  sizeof options / sizeof *options};

/* A file where SQL is expected; `trace` is the word before it. */
static int explain_file(const char *trace, const char *path)
{
    if (strcmp(trace, "-") != 0 && access(trace, F_OK) != 0)
        return usage_error("the trace comes first: tptui query %s SQL", path);
    return usage_error("%s is a file, not SQL: -f %s runs its statements; tptui batch asks several "
                       "traces, tptui diff and merge take two",
                       path, path);
}

/* The trace, then SQL. */
static int add_word(void *self, const char *text)
{
    struct query_settings *q = self;
    if (!q->workspace.trace) {
        q->workspace.trace = text;
        return EXIT_DONE;
    }
    if (!q->remote && access(text, F_OK) == 0)
        return explain_file(q->workspace.trace, text);
    *vec_push(&q->scripts) =
        (struct text_file){"query", alloc_copy(text, strlen(text)), strlen(text)};
    return EXIT_DONE;
}

/* With --remote the first word is SQL as the others are. */
static void move_trace_to_scripts(struct query_settings *q)
{
    const char *sql = q->workspace.trace;
    if (!sql)
        return;
    *vec_push(&q->scripts) = (struct text_file){"query", alloc_copy(sql, strlen(sql)), strlen(sql)};
    for (size_t i = q->scripts.count - 1; i > 0; i--) {
        struct text_file moved = q->scripts.items[i];
        q->scripts.items[i] = q->scripts.items[i - 1];
        q->scripts.items[i - 1] = moved;
    }
    q->workspace.trace = NULL;
}

/* Statements that a pipe or a file brings where no other are given. */
static int read_piped_statements(struct query_settings *q)
{
    bool free_for_sql = q->remote || strcmp(q->workspace.trace, "-") != 0;
    int exit_status = EXIT_DONE;
    if (free_for_sql && !isatty(STDIN_FILENO))
        exit_status = add_file(q, "-");
    if (exit_status != EXIT_DONE)
        return exit_status;
    if (q->scripts.count == 0 || q->scripts.items[0].size == 0)
        return usage_error("query needs SQL, -f FILE, or statements on standard input");
    return EXIT_DONE;
}

static int parse(struct query_settings *q, int argc, char **argv)
{
    int status = options_parse(&query_options, q, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    if (q->remote && q->structured_query)
        return usage_error("--structured-query-id needs a trace, not --remote");
    const char *loading = q->remote ? workspace_loading_option(&q->workspace) : NULL;
    if (loading)
        return usage_error(
            "%s is for who loads the trace: give it to serve unix, not with --remote", loading);
    if (q->remote)
        move_trace_to_scripts(q);
    else if (!q->workspace.trace)
        return usage_error("query needs a trace and a query");
    if (q->reads_stdin && !q->remote && strcmp(q->workspace.trace, "-") == 0)
        return usage_error("standard input is either the trace or a query");
    if (q->structured_query && q->specs.count == 0)
        return usage_error("--structured-query-id needs --summary-spec FILE");
    if (q->now &&
        (q->remote || q->workspace.import.window.has_from || q->workspace.import.window.has_to))
        return usage_error("--now is for a trace that is loaded, without --from and --to");
    if (q->now && strcmp(q->workspace.trace, "-") == 0)
        return usage_error("--now needs a file: a pipe is read as it comes by the timeline only");
    if (q->print_sql && !q->structured_query)
        return usage_error("--print-sql needs --structured-query-id ID");
    return q->scripts.count > 0 || q->structured_query ? EXIT_DONE : read_piped_statements(q);
}

static void print_note(void *self, const char *reason)
{
    (void)self;
    char *message = alloc_bytes(strlen(reason) + 16);
    snprintf(message, strlen(reason) + 16, "no rows: %s", reason);
    workspace_print(message);
    free(message);
}

/* All of a script's statements, here or there. */
static struct status run_script(struct remote *remote, const struct text_file *f,
                                const struct sql_sink *sink)
{
    struct status s = status_ok_value();
    bool found = true;
    if (!remote)
        return sql_session_run(workspace_session(), f->name, text_file_str(f), sink);
    for (size_t at = 0; at < f->size && found && status_ok(s);)
        s = remote_run_next(remote, text_file_str(f), &at, sink, &found);
    return s;
}

static int run_scripts(const struct query_settings *q, struct remote *remote)
{
    bool terminal = isatty(STDOUT_FILENO);
    const struct result_format *usual = terminal ? &table_format : &csv_format;
    struct result_writer *writer =
        result_writer_new(standard_output(), q->format ? q->format : usual, terminal);
    if (q->units)
        result_writer_show_units(writer, name_is_of_durations);
    struct sql_sink sink = result_writer_sink(writer);
    sink.note = print_note;
    int exit_status = EXIT_DONE;
    workspace_set_timeout(q->timeout);
    for (size_t i = 0; i < q->scripts.count && exit_status == EXIT_DONE; i++) {
        const struct text_file *f = &q->scripts.items[i];
        struct status status = run_script(remote, f, &sink);
        if (status.code == STATUS_CANCELLED && ferror(standard_output())) {
            status_release(&status);
            break;
        }
        exit_status = workspace_report(status, EXIT_SQL);
    }
    result_writer_free(writer);
    fflush(standard_output());
    workspace_set_timeout(0); /* everything is written */
    return exit_status;
}

/* A structured query's SQL comes behind the other scripts, or is printed. */
static int add_structured_query(struct query_settings *q)
{
    char *sql = NULL, *before = NULL;
    if (!q->structured_query)
        return EXIT_DONE;
    struct status s = structured_query_prepare(q->specs.items, q->specs.count, q->structured_query,
                                               &sql, &before);
    if (status_ok(s) && q->print_sql)
        fprintf(standard_output(), "%s%s;\n", before, sql);
    free(before);
    if (!status_ok(s) || q->print_sql) {
        free(sql);
        return workspace_report(s, EXIT_USAGE);
    }
    *vec_push(&q->scripts) = (struct text_file){"structured query", sql, strlen(sql)};
    return EXIT_DONE;
}

/* How much of the trace --now reads; 0: all. */
static uint64_t part_now(const struct query_settings *q)
{
    struct stat file;
    bool is_large = q->now && stat(q->workspace.trace, &file) == 0 && S_ISREG(file.st_mode) &&
                    file.st_size > IMPORT_HEAD;
    return is_large && !cache_has(q->workspace.trace, q->workspace.as) ? IMPORT_HEAD : 0;
}

static int open_workspace(struct query_settings *q)
{
    uint64_t part = part_now(q);
    q->workspace.only_statements = !q->structured_query;
    q->workspace.import.head = part;
    q->workspace.import.growing = part > 0; /* what is cut is not lost */
    int exit_status = workspace_open(&q->workspace);
    struct stat file = {0};
    if (part && exit_status == EXIT_DONE && stat(q->workspace.trace, &file) == 0)
        fprintf(standard_errors(), "tptui: %s: rows are of its first %.1f of %.1f MB (--now)\n",
                q->workspace.trace, (double)trace_head_bytes(q->workspace.trace, part) / 1e6,
                (double)file.st_size / 1e6);
    return exit_status;
}

/* Where the queries run: over a trace that is loaded, or where --remote says. */
static int run_query(struct query_settings *q)
{
    struct remote *remote = NULL;
    int exit_status = EXIT_DONE;
    if (q->remote)
        exit_status = workspace_report(remote_open(q->remote, &remote), EXIT_TRACE);
    else
        exit_status = open_workspace(q);
    if (exit_status == EXIT_DONE)
        exit_status = add_structured_query(q);
    if (exit_status == EXIT_DONE)
        exit_status = run_scripts(q, remote);
    if (remote)
        remote_close(remote);
    return exit_status;
}

static int query_command(int argc, char **argv)
{
    struct query_settings q = {0};
    int exit_status = parse(&q, argc, argv);
    if (exit_status == EXIT_DONE)
        exit_status = run_query(&q);
    for (size_t i = 0; i < q.scripts.count; i++)
        text_file_release(&q.scripts.items[i]);
    workspace_settings_release(&q.workspace);
    vec_release(&q.scripts);
    vec_release(&q.specs);
    return exit_status;
}

const struct command query_cmd = {
    .name = "query",
    .usage = "TRACE SQL\0print the rows of a query\0"
             "--remote NAME SQL\0the same of the session that serve unix keeps\0"
             "TRACE -f FILE\0the same from a file; - is stdin, as without SQL; repeatable\0",
    .options = &query_options,
    .run = query_command,
};
