/* The options that all commands of trace_processor_shell have, and its classic flags. */
#include "cli/shell.h"

SHELL_FLAG(help)
SHELL_FLAG(classic_help)
SHELL_FLAG(version)
SHELL_FLAG(development)
SHELL_TEXT(remote)
SHELL_TEXT(metatrace)
SHELL_LIST(metric_extensions)
SHELL_FLAG(serves_http)
SHELL_FLAG(serves_stdio)
SHELL_TEXT(port)
SHELL_TEXT(ip_address)
SHELL_TEXT(origins)
SHELL_FLAG(interactive)
SHELL_FLAG(wide)
SHELL_TEXT(query_file)
SHELL_TEXT(query)
SHELL_TEXT(export_file)
SHELL_TEXT(perf_file)
SHELL_FLAG(summary)
SHELL_TEXT(metrics_v2)
SHELL_TEXT(metadata_query)
SHELL_TEXT(summary_format)
SHELL_TEXT(structured_query_id)
SHELL_LIST(specs)
SHELL_TEXT(metrics)
SHELL_TEXT(pre_metrics)
SHELL_TEXT(metrics_output)

/* What says how Trace Processor shall do what is always done here, or what is not done at all. */
static int ignore(void *self, const char *value)
{
    (void)self, (void)value;
    return 0;
}

#define COMMON_OPTIONS                                                                             \
    {.name = "help",                                                                               \
     .letter = 'h',                                                                                \
     .help = "help, of the command where one is named",                                            \
     .set = set_help},                                                                             \
        {.name = "version", .letter = 'v', .help = "the version", .set = set_version},             \
        {.name = "full-sort",                                                                      \
         .help = "accepted: events are always sorted as a whole",                                  \
         .set = ignore},                                                                           \
        {.name = "no-ftrace-raw",                                                                  \
         .help = "keep no row of ftrace_event for events whose fields are known",                  \
         OPTION_INTO(struct shell_settings, workspace.import.no_typed_ftrace)},                    \
        {.name = "analyze-trace-proto-content",                                                    \
         .help = "fill experimental_proto_content and _path",                                      \
         OPTION_INTO(struct shell_settings, workspace.import.measure_content)},                    \
        {.name = "crop-track-events",                                                              \
         .help = "leave out track events before the range of interest",                            \
         OPTION_INTO(struct shell_settings, workspace.import.crop_track_events)},                  \
        {.name = "dev", .help = "allow --override-stdlib", .set = set_development},                \
        {.name = "dev-flag",                                                                       \
         .value = "KEY=VALUE",                                                                     \
         .help = "accepted: there are no such features",                                           \
         .set = ignore},                                                                           \
        {.name = "extra-checks",                                                                   \
         .help = "accepted: all checks of SQL are always made",                                    \
         .set = ignore},                                                                           \
        {.name = "allow-sql-file-access",                                                          \
         .help = "let SQL write files",                                                            \
         OPTION_INTO(struct workspace_settings, may_write_files)},                                 \
        {.name = "add-sql-package",                                                                \
         .value = "DIR[@NAME]",                                                                    \
         .help = "modules from a directory",                                                       \
         .set = workspace_add_package},                                                            \
        {.name = "override-sql-package",                                                           \
         .value = "DIR[@NAME]",                                                                    \
         .help = "the same",                                                                       \
         .set = workspace_add_package},                                                            \
        {.name = "add-sql-module",                                                                 \
         .value = "DIR",                                                                           \
         .help = "the older name of --add-sql-package",                                            \
         .set = workspace_add_package},                                                            \
        {.name = "override-sql-module",                                                            \
         .value = "DIR",                                                                           \
         .help = "the older name of --override-sql-package",                                       \
         .set = workspace_add_package},                                                            \
        {.name = "override-stdlib",                                                                \
         .value = "DIR",                                                                           \
         .help = "modules in place of the built-in ones, with --dev",                              \
         .set = workspace_override_stdlib},                                                        \
        {.name = "register-files-dir",                                                             \
         .value = "DIR",                                                                           \
         .help = "accepted: no importer refers to files",                                          \
         .set = ignore},                                                                           \
        {.name = "metric-extension",                                                               \
         .value = "DISK@VIRTUAL",                                                                  \
         .help = "messages and SQL of further metrics",                                            \
         .set = add_metric_extensions},                                                            \
        {.name = "metatrace",                                                                      \
         .letter = 'm',                                                                            \
         .value = "FILE",                                                                          \
         .help = "write a trace of the queries that ran",                                          \
         .set = set_metatrace},                                                                    \
        {.name = "metatrace-buffer-capacity",                                                      \
         .value = "N",                                                                             \
         .help = "accepted: the last 100 queries are kept",                                        \
         .set = ignore},                                                                           \
    {                                                                                              \
        .name = "metatrace-categories", .value = "LIST",                                           \
        .help = "accepted: queries are the one category", .set = ignore                            \
    }

static const struct command_option common[] = {
    COMMON_OPTIONS,
    {.name = "remote",
     .value = "NAME|PATH",
     .help = "a warm session (server unix) instead of a trace",
     .set = set_remote},
};

const struct option_table shell_common_options = {"shell", common, sizeof common / sizeof *common};

static const struct command_option classic[] = {
    COMMON_OPTIONS,
    {.name = "debug",
     .letter = 'd',
     .help = "accepted: there is nothing more to say",
     .set = ignore},
    {.name = "help-classic", .help = "these flags", .set = set_classic_help},
    {.name = "httpd", .letter = 'D', .help = "as server http", .set = set_serves_http},
    {.name = "http-port", .value = "PORT", .help = "of it (9001)", .set = set_port},
    {.name = "http-ip-address", .value = "IP", .help = "of it (127.0.0.1)", .set = set_ip_address},
    {.name = "http-additional-cors-origins",
     .value = "LIST",
     .help = "whose pages may use it, besides the Perfetto UI",
     .set = set_origins},
    {.name = "stdiod", .help = "as server stdio", .set = set_serves_stdio},
    {.name = "interactive",
     .letter = 'i',
     .help = "go on as an interactive shell",
     .set = set_interactive},
    {.name = "query-file",
     .letter = 'q',
     .value = "FILE",
     .help = "run the statements of a file",
     .set = set_query_file},
    {.name = "query-string",
     .letter = 'Q',
     .value = "SQL",
     .help = "run these statements",
     .set = set_query},
    {.name = "export",
     .letter = 'e',
     .value = "FILE",
     .help = "as export sqlite",
     .set = set_export_file},
    {.name = "perf-file",
     .letter = 'p',
     .value = "FILE",
     .help = "write how long loading and the queries took, in ns",
     .set = set_perf_file},
    {.name = "wide",
     .letter = 'W',
     .help = "columns of the interactive shell twice as wide",
     .set = set_wide},
    {.name = "summary", .help = "as summarize", .set = set_summary},
    {.name = "summary-metrics-v2",
     .value = "IDS|all",
     .help = "which metrics of the specs",
     .set = set_metrics_v2},
    {.name = "summary-metadata-query",
     .value = "ID",
     .help = "which query gives the metadata",
     .set = set_metadata_query},
    {.name = "summary-spec",
     .value = "FILE",
     .help = "a TraceSummarySpec; repeatable",
     .set = add_specs},
    {.name = "summary-format",
     .value = "text|binary",
     .help = "of the TraceSummary",
     .set = set_summary_format},
    {.name = "structured-query-spec",
     .value = "FILE",
     .help = "a TraceSummarySpec; repeatable",
     .set = add_specs},
    {.name = "structured-query-id",
     .value = "ID",
     .help = "run this query of the specs",
     .set = set_structured_query_id},
    {.name = "run-metrics", .value = "NAMES", .help = "as metrics --run", .set = set_metrics},
    {.name = "pre-metrics",
     .value = "FILE",
     .help = "run its statements before the metrics",
     .set = set_pre_metrics},
    {.name = "metrics-output",
     .value = "text|binary|json",
     .help = "of the TraceMetrics",
     .set = set_metrics_output},
};

const struct option_table shell_classic_options = {"the classic shell", classic,
                                                   sizeof classic / sizeof *classic};
