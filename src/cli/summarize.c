/* tptui summarize TRACE SPEC...: a TraceSummary on stdout. */
#include "cli/summarize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "cli/workspace.h"
#include "sql/export/result_writer.h"
#include "sql/session.h"
#include "summary/structured_query.h"
#include "summary/summary.h"

static struct status add_spec(struct summary_specs *specs, const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (status_ok(s))
        s = summary_specs_add(specs, workspace_session(), path, text_file_str(&f), SPEC_BY_LOOKS);
    text_file_release(&f);
    return s;
}

static struct status add_specs(struct summary_specs *specs, const char *const *paths, size_t n)
{
    struct status s = status_ok_value();
    for (size_t i = 0; i < n && status_ok(s); i++)
        s = add_spec(specs, paths[i]);
    return s;
}

static void print_summary(const struct summarize_settings *settings, const struct pb_bytes *summary)
{
    struct text text = {0};
    if (settings->silent)
        return;
    if (settings->binary) {
        fwrite(summary->v.items, 1, summary->v.count, standard_output());
        return;
    }
    summary_append_text(workspace_session(), summary, &text);
    fwrite(text.v.items, 1, text.v.count, standard_output());
    vec_release(&text.v);
}

int summarize(const struct summarize_settings *settings)
{
    struct summary_specs specs = {0};
    struct pb_bytes summary = {0};
    struct summary_request request = {
        .specs = &specs,
        .metrics = str_from(settings->metrics ? settings->metrics : ""),
        .metadata = str_from(settings->metadata_query ? settings->metadata_query : ""),
    };
    struct status s = add_specs(&specs, settings->specs, settings->spec_count);
    if (status_ok(s) && settings->spec_count == 0)
        s = summary_specs_add_own(&specs, workspace_session());
    if (status_ok(s))
        s = summary_compute(workspace_session(), &request, &summary);
    int exit_status = workspace_report(s, EXIT_SQL);
    if (exit_status == EXIT_DONE)
        print_summary(settings, &summary);
    pb_bytes_release(&summary);
    summary_specs_release(&specs);
    return exit_status;
}

struct status structured_query_prepare(const char *const *paths, size_t n, const char *id,
                                       char **sql, char **before)
{
    struct summary_specs specs = {0};
    struct structured_queries *queries = structured_queries_new();
    struct status s = add_specs(&specs, paths, n);
    if (status_ok(s))
        s = summary_specs_queries(&specs, queries);
    if (status_ok(s))
        s = structured_query_sql_by_id(queries, str_from(id), REFERENCE_INLINE, sql);
    if (status_ok(s))
        s = structured_queries_prepare(queries, workspace_session());
    if (before)
        *before = structured_queries_preamble(queries);
    structured_queries_free(queries);
    summary_specs_release(&specs);
    return s;
}

struct summarize_command {
    struct workspace_settings workspace;
    struct summarize_settings summary;
    VEC(const char *) specs;
    const char *after;
};

static int set_format(void *self, const char *value)
{
    struct summarize_command *s = self;
    s->summary.binary = strcmp(value, "binary") == 0;
    if (s->summary.binary || strcmp(value, "text") == 0)
        return EXIT_DONE;
    return usage_error("--output %s: expected text or binary", value);
}

static int set_after(void *self, const char *value)
{
    struct summarize_command *s = self;
    s->after = value;
    s->summary.silent = true;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "metrics-v2",
     .value = "IDS|all",
     .help = "which metrics of the specs, with commas; all if nothing is asked for",
     .more = "Without a spec those that the program brings: startups, frames, CPU, memory, binder, "
             "GPU.",
     OPTION_INTO(struct summarize_command, summary.metrics)},
    {.name = "metadata-query",
     .value = "ID",
     .help = "the query of the specs that gives the metadata, key and value",
     OPTION_INTO(struct summarize_command, summary.metadata_query)},
    {.name = "output",
     .value = "text|binary",
     .help = "how the TraceSummary message is written; text if not given",
     .set = set_format},
    {.name = "post-query",
     .value = "FILE",
     .help = "statements to run afterwards; their rows take the message's place",
     .set = set_after},
    WORKSPACE_OPTIONS,
};

static const struct option_table summarize_options = {"summarize", options,
                                                      sizeof options / sizeof *options};

/* The trace, then specs. */
static int add_word(void *self, const char *word)
{
    struct summarize_command *s = self;
    if (!s->workspace.trace)
        s->workspace.trace = word;
    else
        *vec_push(&s->specs) = word;
    return EXIT_DONE;
}

static int parse(struct summarize_command *s, int argc, char **argv)
{
    int exit_status = options_parse(&summarize_options, s, add_word, argc, argv);
    if (exit_status != EXIT_DONE)
        return exit_status;
    if (!s->workspace.trace)
        return usage_error("summarize needs a trace");
    if (!s->summary.metrics && !s->summary.metadata_query)
        s->summary.metrics = "all";
    s->summary.specs = s->specs.items;
    s->summary.spec_count = s->specs.count;
    return EXIT_DONE;
}

static int print_rows(const char *path)
{
    struct text_file f;
    int exit_status = workspace_report(text_file_read(path, &f), EXIT_USAGE);
    struct result_writer *writer = result_writer_new(standard_output(), &csv_format, false);
    struct sql_sink sink = result_writer_sink(writer);
    if (exit_status == EXIT_DONE)
        exit_status =
            workspace_report(sql_session_run(workspace_session(), path, text_file_str(&f), &sink),
                             EXIT_SQL);
    result_writer_free(writer);
    text_file_release(&f);
    return exit_status;
}

static int summarize_command(int argc, char **argv)
{
    struct summarize_command s = {0};
    int exit_status = parse(&s, argc, argv);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_open(&s.workspace);
    if (exit_status == EXIT_DONE)
        exit_status = summarize(&s.summary);
    if (exit_status == EXIT_DONE && s.after)
        exit_status = print_rows(s.after);
    workspace_settings_release(&s.workspace);
    vec_release(&s.specs);
    return exit_status;
}

const struct command summarize_cmd = {
    .name = "summarize",
    .usage = "TRACE [SPEC...] [--metrics-v2 IDS]\0compute a trace summary\0",
    .options = &summarize_options,
    .run = summarize_command,
};
