/* trace_processor_shell metrics. */
#include <stdio.h>

#include "base/clock.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/text_file.h"
#include "summary/metrics.h"
#include "sql/session.h"

SHELL_TEXT(metrics)
SHELL_TEXT(pre_metrics)
SHELL_TEXT(metrics_output)
SHELL_TEXT(post_query)
SHELL_TEXT(perf_file)
SHELL_FLAG(interactive)

static int run_silently(const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (status_ok(s))
        s = sql_session_run(workspace_session(), path, text_file_str(&f), NULL);
    text_file_release(&f);
    return workspace_report(s, 1);
}

static int add_extensions(const struct shell_settings *s)
{
    int failed = 0;
    for (size_t i = 0; i < s->metric_extensions.count && !failed; i++)
        failed = workspace_report(metrics_add_extension(workspace_session(),
                                                        s->metric_extensions.items[i]),
                                  1);
    return failed;
}

static int print_metrics(const struct shell_settings *s, const struct metrics_format *format)
{
    struct pb_bytes metrics = {0};
    struct text text = {0};
    struct status status = metrics_compute(workspace_session(), str_from(s->metrics), &metrics);
    if (status_ok(status) && !s->post_query)
        metrics_append(workspace_session(), format, &metrics, &text);
    fwrite(text.v.items, 1, text.v.count, standard_output());
    fflush(standard_output());
    pb_bytes_release(&metrics);
    vec_release(&text.v);
    return workspace_report(status, 1);
}

static int run_metrics(struct shell_settings *s)
{
    const char *name = s->metrics_output ? s->metrics_output : "text";
    const struct metrics_format *format = metrics_format_find(str_from(name));
    if (s->words.count == 0)
        return shell_error("metrics: trace file is required");
    if (!s->metrics)
        return shell_error("metrics: --run is required");
    if (!format)
        return shell_error("metrics: unknown output format '%s' (expected %s)", name,
                           METRICS_FORMAT_NAMES);
    if (s->query_file) /* classic: it runs afterwards */
        s->post_query = s->query_file;
    int failed = shell_open(s, s->words.items[0]) || add_extensions(s);
    int64_t begin = clock_now_ns();
    failed = failed || (s->pre_metrics && run_silently(s->pre_metrics));
    failed = failed || print_metrics(s, format);
    failed = failed || (s->post_query && shell_run_file(s->post_query));
    failed = failed || shell_write_times(s->perf_file, clock_now_ns() - begin);
    if (!failed && s->interactive)
        return shell_interact(s, NULL);
    return failed ? 1 : 0;
}

static const struct command_option options[] = {
    {.name = "run", .value = "NAMES", .help = "which, with commas", .set = set_metrics},
    {.name = "pre", .value = "FILE", .help = "statements to run before", .set = set_pre_metrics},
    {.name = "output",
     .value = "text|binary|json",
     .help = "of the TraceMetrics",
     .set = set_metrics_output},
    {.name = "post-query",
     .value = "FILE",
     .help = "statements to run afterwards; their rows take the metrics' place",
     .set = set_post_query},
    {.name = "perf-file",
     .value = "FILE",
     .help = "write how long loading and the metrics took, in ns",
     .set = set_perf_file},
    {.name = "interactive",
     .letter = 'i',
     .help = "go on as an interactive shell",
     .set = set_interactive},
};

const struct shell_command shell_metrics_cmd = {
    .name = "metrics",
    .words = "TRACE",
    .about = "Computes metrics of version 1.",
    .options = {"metrics", options, sizeof options / sizeof *options},
    .run = run_metrics,
};
