/* trace_processor_shell summarize. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/summarize.h"
#include "cli/text_file.h"

SHELL_TEXT(metrics_v2)
SHELL_TEXT(metadata_query)
SHELL_TEXT(summary_format)
SHELL_TEXT(post_query)
SHELL_TEXT(perf_file)
SHELL_FLAG(interactive)

int shell_run_file(const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    int failed = 1;
    if (status_ok(s))
        failed = shell_run_query(path, text_file_str(&f));
    else
        shell_error("Unable to read file %s. If you're passing an SQL query, did you mean to use "
                    "the -Q flag instead?",
                    path);
    status_release(&s);
    text_file_release(&f);
    return failed;
}

/* The specs: the words behind the trace, or classic --summary-spec. */
static int run_summary(const struct shell_settings *s)
{
    bool named = s->words.count > 1;
    struct summarize_settings settings = {
        .specs = named ? s->words.items + 1 : s->specs.items,
        .spec_count = named ? s->words.count - 1 : s->specs.count,
        .metrics = s->metrics_v2,
        .metadata_query = s->metadata_query,
        .binary = s->summary_format && strcmp(s->summary_format, "binary") == 0,
        .silent = s->post_query != NULL,
    };
    if (s->summary_format && strcmp(s->summary_format, "text") != 0 && !settings.binary)
        return shell_error("summarize: unknown format '%s' (expected text|binary)",
                           s->summary_format);
    if (!settings.spec_count && !settings.metrics && !settings.metadata_query)
        fputs("Note: without specs, --metrics-v2 all computes the metrics of this program.\n",
              standard_errors());
    return summarize(&settings) == EXIT_DONE ? 0 : 1;
}

static int run_summarize(struct shell_settings *s)
{
    if (s->words.count == 0)
        return shell_error("summarize: trace file is required");
    if (s->summary) /* classic: the query file runs afterwards */
        s->post_query = s->query_file;
    int failed = shell_open(s, s->words.items[0]);
    int64_t begin = clock_now_ns();
    failed = failed || run_summary(s);
    failed = failed || (s->post_query && shell_run_file(s->post_query));
    failed = failed || shell_write_times(s->perf_file, clock_now_ns() - begin);
    if (!failed && s->interactive)
        return shell_interact(s, NULL);
    return failed;
}

static const struct command_option options[] = {
    {.name = "metrics-v2", .value = "IDS|all", .help = "which metrics", .set = set_metrics_v2},
    {.name = "metadata-query",
     .value = "ID",
     .help = "which query gives the metadata",
     .set = set_metadata_query},
    {.name = "format",
     .value = "text|binary",
     .help = "of the TraceSummary",
     .set = set_summary_format},
    {.name = "post-query",
     .value = "FILE",
     .help = "statements to run afterwards; their rows take the summary's place",
     .set = set_post_query},
    {.name = "perf-file",
     .value = "FILE",
     .help = "write how long loading and the summary took, in ns",
     .set = set_perf_file},
    {.name = "interactive",
     .letter = 'i',
     .help = "go on as an interactive shell",
     .set = set_interactive},
};

const struct shell_command shell_summarize_cmd = {
    .name = "summarize",
    .words = "TRACE [SPEC...]",
    .about = "Computes a trace summary.",
    .options = {"summarize", options, sizeof options / sizeof *options},
    .run = run_summarize,
};
