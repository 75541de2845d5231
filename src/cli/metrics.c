/* tptui metrics TRACE --run METRIC,...: a TraceMetrics message on stdout. */
#include <stdio.h>
#include <string.h>

#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "cli/workspace.h"
#include "sql/export/result_writer.h"
#include "summary/metrics.h"
#include "sql/session.h"

struct metrics_settings {
    struct workspace_settings workspace;
    const struct metrics_format *format;
    VEC(const char *) extensions;
    const char *names, *before, *after; /* NULL: not given */
    bool lists;                         /* metrics, instead of computing some */
};

static int set_format(void *self, const char *value)
{
    struct metrics_settings *m = self;
    m->format = metrics_format_find(str_from(value));
    if (m->format)
        return EXIT_DONE;
    return usage_error("--output %s: expected %s", value, METRICS_FORMAT_NAMES);
}

static int add_extension(void *self, const char *value)
{
    *vec_push(&((struct metrics_settings *)self)->extensions) = value;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "run",
     .value = "METRICS",
     .help = "which, with commas in between: names, or .sql files",
     .more = "The file of a metric x leaves a view x_output of one row, a message.",
     OPTION_INTO(struct metrics_settings, names)},
    {.name = "list",
     .help = "print the names of all metrics; needs no trace",
     OPTION_INTO(struct metrics_settings, lists)},
    {.name = "output",
     .value = METRICS_FORMAT_NAMES,
     .help = "how the TraceMetrics message is written; text if not given",
     .set = set_format},
    {.name = "pre",
     .value = "FILE",
     .help = "statements to run before",
     OPTION_INTO(struct metrics_settings, before)},
    {.name = "post-query",
     .value = "FILE",
     .help = "statements to run afterwards; their rows take the message's place",
     OPTION_INTO(struct metrics_settings, after)},
    {.name = "metric-extension",
     .value = "DIR@PREFIX",
     .help = "metrics below DIR/sql, called PREFIX/file.sql",
     .more = "The .proto files below DIR/protos define their messages.",
     .set = add_extension},
    WORKSPACE_OPTIONS,
};

static const struct option_table metrics_options = {"metrics", options,
                                                    sizeof options / sizeof *options};

static int add_word(void *self, const char *word)
{
    struct metrics_settings *m = self;
    if (m->workspace.trace)
        return usage_error("metrics takes one trace, and the metrics behind --run");
    m->workspace.trace = word;
    return EXIT_DONE;
}

static int parse(struct metrics_settings *m, int argc, char **argv)
{
    int status = options_parse(&metrics_options, m, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    if (!m->lists && (!m->workspace.trace || !m->names))
        return usage_error("metrics needs a trace, and --run METRIC; metrics --list names them");
    return EXIT_DONE;
}

/* Runs a file's statements, if there is one. */
static int run_file(const char *path, const struct sql_sink *sink)
{
    struct text_file f = {0};
    if (!path)
        return EXIT_DONE;
    int exit_status = workspace_report(text_file_read(path, &f), EXIT_USAGE);
    if (exit_status == EXIT_DONE)
        exit_status =
            workspace_report(sql_session_run(workspace_session(), f.name, text_file_str(&f), sink),
                             EXIT_SQL);
    text_file_release(&f);
    return exit_status;
}

static int print_metrics(const struct metrics_settings *m, const struct pb_bytes *metrics)
{
    struct text text = {0};
    const struct metrics_format *format = m->format ? m->format : metrics_format_find(STR("text"));
    metrics_append(workspace_session(), format, metrics, &text);
    fwrite(text.v.items, 1, text.v.count, standard_output());
    vec_release(&text.v);
    return EXIT_DONE;
}

static int print_rows(const char *path)
{
    struct result_writer *writer = result_writer_new(standard_output(), &csv_format, false);
    struct sql_sink sink = result_writer_sink(writer);
    int exit_status = run_file(path, &sink);
    result_writer_free(writer);
    return exit_status;
}

static void print_name(void *self, struct str name)
{
    (void)self;
    fprintf(standard_output(), "%.*s\n", (int)name.n, name.p);
}

static int run(const struct metrics_settings *m)
{
    struct pb_bytes metrics = {0};
    int exit_status = EXIT_DONE;
    for (size_t i = 0; i < m->extensions.count && exit_status == EXIT_DONE; i++)
        exit_status =
            workspace_report(metrics_add_extension(workspace_session(), m->extensions.items[i]),
                             EXIT_USAGE);
    if (exit_status == EXIT_DONE && m->lists) {
        metrics_each_name(workspace_session(), print_name, NULL);
        return EXIT_DONE;
    }
    if (exit_status == EXIT_DONE)
        exit_status = run_file(m->before, NULL);
    if (exit_status == EXIT_DONE)
        exit_status =
            workspace_report(metrics_compute(workspace_session(), str_from(m->names), &metrics),
                             EXIT_SQL);
    if (exit_status == EXIT_DONE)
        exit_status = m->after ? print_rows(m->after) : print_metrics(m, &metrics);
    pb_bytes_release(&metrics);
    return exit_status;
}

static int metrics_command(int argc, char **argv)
{
    struct metrics_settings m = {0};
    int exit_status = parse(&m, argc, argv);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_open(&m.workspace);
    if (exit_status == EXIT_DONE)
        exit_status = run(&m);
    workspace_settings_release(&m.workspace);
    vec_release(&m.extensions);
    return exit_status;
}

const struct command metrics_cmd = {
    .name = "metrics",
    .usage = "TRACE --run METRIC,...\0compute metrics as published; --list names them\0",
    .options = &metrics_options,
    .run = metrics_command,
};
