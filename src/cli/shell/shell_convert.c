/* trace_processor_shell convert and export. */
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/convert.h"
#include "cli/shell.h"

SHELL_TEXT(export_file)
SHELL_TEXT(truncate)
SHELL_TEXT(profile_pid)
SHELL_TEXT(output_folder)
SHELL_FLAG(allocations)
SHELL_FLAG(samples)
SHELL_FLAG(java_heap)
SHELL_TEXT(timestamps)

static int run_export(struct shell_settings *s)
{
    bool named = s->words.count > 0 && exporter_find(s->words.items[0]);
    const char *format = named ? s->words.items[0] : "sqlite"; /* classic -e has no word for it */
    size_t first = named ? 1 : 0;
    if (!s->export_file)
        return shell_error("export: -o is required");
    if (s->words.count != first + 1)
        return shell_error("export: expected a format (" EXPORTER_NAMES ") and a trace");
    if (shell_open(s, s->words.items[first]) != 0)
        return 1;
    if (s->query && shell_run_query("stdin", str_from(s->query)) != 0)
        return 1;
    return workspace_report(export_run(exporter_find(format), s->words.items[first],
                                       s->export_file),
                            1)
               ? 1
               : 0;
}

static const struct command_option export_options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the file to write",
     .set = set_export_file},
};

const struct shell_command shell_export_cmd = {
    .name = "export",
    .words = EXPORTER_NAMES " TRACE",
    .about = "Writes all tables to a database or a tar of Arrow files.",
    .options = {"export", export_options, sizeof export_options / sizeof *export_options},
    .run = run_export,
};

static int run_convert(struct shell_settings *s)
{
    const struct converter *c = s->words.count ? converter_find(s->words.items[0]) : NULL;
    struct convert_settings settings = {
        .in = s->words.count > 1 ? s->words.items[1] : "-",
        .out = s->words.count > 2 ? s->words.items[2] : NULL,
        .output_folder = s->output_folder,
        .heap = s->allocations,
        .samples = s->samples,
        .java_heap = s->java_heap,
        .timestamps = s->timestamps,
        .single_kind = true,
    };
    if (!c)
        return shell_error("convert: expected one of " CONVERTER_NAMES);
    if (s->words.count > 3)
        return shell_error("convert: unexpected argument '%s'", s->words.items[3]);
    if (s->truncate && strcmp(s->truncate, "start") != 0 && strcmp(s->truncate, "end") != 0)
        return shell_error("convert: --truncate must be one of start, end");
    if (s->truncate)
        settings.part = s->truncate[0] == 's' ? SYSTRACE_START : SYSTRACE_END;
    if (s->profile_pid && !str_to_u64(str_from(s->profile_pid), 10, &settings.pid))
        return shell_error("convert: --pid must be a number");
    if (s->timestamps && !convert_is_number_list(s->timestamps))
        return shell_error("convert: --timestamps must be numbers with commas between them");
    if (c->needs_workspace && shell_open(s, settings.in) != 0)
        return 1;
    return workspace_report(convert_run(c, &settings), 1) ? 1 : 0;
}

static const struct command_option convert_options[] = {
    {.name = "truncate",
     .letter = 't',
     .value = "start|end",
     .help = "keep only that end of systrace",
     .set = set_truncate},
    {.name = "pid", .value = "PID", .help = "profiles of this process", .set = set_profile_pid},
    {.name = "alloc", .help = "profiles of heaps", .set = set_allocations},
    {.name = "perf", .help = "profiles of samples", .set = set_samples},
    {.name = "java-heap", .help = "profiles of Java heaps", .set = set_java_heap},
    {.name = "timestamps",
     .value = "NS,...",
     .help = "of heaps, the dumps of these times",
     .set = set_timestamps},
    {.name = "output-dir", .value = "DIR", .help = "where profiles go", .set = set_output_folder},
};

const struct shell_command shell_convert_cmd = {
    .name = "convert",
    .words = CONVERTER_NAMES " [IN [OUT]]",
    .about = "Writes a trace in another format.",
    .options = {"convert", convert_options, sizeof convert_options / sizeof *convert_options},
    .run = run_convert,
};
