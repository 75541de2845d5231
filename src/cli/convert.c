/* tptui convert FORMAT IN OUT, tptui export FORMAT -o FILE TRACE. */
#include "cli/convert.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/convert_profile.h"
#include "cli/convert_text.h"
#include "cli/workspace.h"
#include "sql/export/arrow_export.h"
#include "sql/export/json_export.h"
#include "sql/export/database_export.h"
#include "sql/session.h"

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static struct status to_json(const struct convert_settings *s)
{
    return json_export(workspace_session(), s->file);
}

/* A file being written, maybe packed. */
struct text_output {
    FILE *file;
    z_stream z;
    bool packs;
};

static bool deflate_piece(struct text_output *o, struct str piece, int flush)
{
    uint8_t packed[1 << 14];
    o->z.next_in = (Bytef *)(uintptr_t)piece.p;
    o->z.avail_in = (uInt)piece.n;
    do {
        o->z.next_out = packed;
        o->z.avail_out = sizeof packed;
        if (deflate(&o->z, flush) == Z_STREAM_ERROR)
            return false;
        fwrite(packed, 1, sizeof packed - o->z.avail_out, o->file);
    } while (o->z.avail_out == 0);
    return !ferror(o->file);
}

static bool write_piece(void *self, struct str piece)
{
    struct text_output *o = self;
    if (o->packs)
        return deflate_piece(o, piece, Z_NO_FLUSH);
    return fwrite(piece.p, 1, piece.n, o->file) == piece.n;
}

static struct status write_systrace(const struct convert_settings *s, bool packs)
{
    struct text_output o = {.file = s->file, .packs = packs};
    if (packs && deflateInit(&o.z, Z_DEFAULT_COMPRESSION) != Z_OK)
        o.packs = false;
    fputs("TRACE:\n", o.file);
    struct status status = systrace_export(workspace_session(), s->part, write_piece, &o);
    if (o.packs) {
        deflate_piece(&o, STR(""), Z_FINISH);
        deflateEnd(&o.z);
    }
    return status;
}

static struct status to_systrace(const struct convert_settings *s)
{
    return write_systrace(s, false);
}

static struct status to_ctrace(const struct convert_settings *s)
{
    return write_systrace(s, true);
}

static bool write_text_value(void *self, int columns, const struct sql_value *values)
{
    if (columns != 1 || values[0].type != SQL_TEXT)
        return true;
    return fwrite(values[0].s.p, 1, values[0].s.n, self) == values[0].s.n;
}

static struct status to_firefox(const struct convert_settings *s)
{
    static const char query[] = "INCLUDE PERFETTO MODULE export.to_firefox_profile; "
                                "SELECT export_to_firefox_profile()";
    struct sql_sink sink = {.row = write_text_value, .self = s->file};
    return sql_session_run(workspace_session(), "firefox", STR(query), &sink);
}

bool convert_is_number_list(const char *text)
{
    struct str rest = str_from(text);
    uint64_t number;
    bool good = rest.n > 0;
    while (good && rest.n > 0) {
        size_t n = str_find(rest, ',');
        good = str_to_u64((struct str){rest.p, n}, 10, &number) && n + 1 != rest.n;
        rest = str_behind(rest, n);
    }
    return good;
}

#define WITHOUT_FTRACE                                                                             \
    "SELECT 'the trace has no ftrace events, which are all that systrace holds' "                  \
    "|| iif(EXISTS (SELECT 1 FROM slice) OR EXISTS (SELECT 1 FROM counter), "                      \
    "'; json holds its slices and counters', '') "                                                 \
    "WHERE NOT EXISTS (SELECT 1 FROM ftrace_event)"

static const char without_slices[] =
    "SELECT 'the trace has no slices and no counters, which are all that json holds' "
    "|| iif(EXISTS (SELECT 1 FROM ftrace_event), '; systrace holds its ftrace events', '') "
    "|| iif(EXISTS (SELECT 1 FROM stack_sample), '; firefox holds its samples of callstacks', '') "
    "WHERE NOT EXISTS (SELECT 1 FROM slice) AND NOT EXISTS (SELECT 1 FROM counter)";

static const char without_samples[] =
    "SELECT iif(n, 'none of the ' || n || ' samples of the trace has a thread and a callstack', "
    "'the trace has no samples of callstacks with times') || ', which are all that firefox holds' "
    "|| iif(EXISTS (SELECT 1 FROM slice) OR EXISTS (SELECT 1 FROM counter), "
    "'; json holds its slices and counters', '') "
    "FROM (SELECT count(*) AS n FROM stack_sample) "
    "WHERE NOT EXISTS (SELECT 1 FROM stack_sample AS s JOIN stack_sample_task_context AS t "
    "ON t.id = s.task_context_id WHERE t.utid IS NOT NULL AND s.callsite_id IS NOT NULL)";

static const struct converter converters[] = {
    {.name = "systrace",
     .about = "ftrace events as text",
     .needs_workspace = true,
     .run = to_systrace,
     .why_empty = WITHOUT_FTRACE},
    {.name = "ctrace",
     .about = "the same, packed",
     .needs_workspace = true,
     .run = to_ctrace,
     .why_empty = WITHOUT_FTRACE},
    {.name = "json",
     .about = "slices, counters and flows as Chrome's JSON",
     .needs_workspace = true,
     .run = to_json,
     .why_empty = without_slices},
    {.name = "text",
     .about = "the packets of a Perfetto trace as protobuf text",
     .run = convert_to_text},
    {.name = "profile",
     .about = "heaps and samples for pprof, a file a process",
     .needs_workspace = true,
     .many_files = true,
     .run = convert_to_profiles},
    {.name = "firefox",
     .about = "samples for profiler.firefox.com",
     .needs_workspace = true,
     .run = to_firefox,
     .why_empty = without_samples},
};

const struct converter *converter_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof converters / sizeof *converters; i++)
        if (strcmp(name, converters[i].name) == 0)
            return &converters[i];
    return NULL;
}

/* A conversion whose output is a file. */
struct conversion {
    const struct converter *converter;
    struct convert_settings settings;
};

static bool print_reason(void *self, int columns, const struct sql_value *values)
{
    char text[512];
    (void)self, (void)columns;
    snprintf(text, sizeof text, "no events were written: %.*s", (int)values[0].s.n, values[0].s.p);
    workspace_print(text);
    return true;
}

static struct status convert_to(void *self, FILE *file)
{
    struct conversion *c = self;
    struct sql_sink reasons = {.row = print_reason};
    c->settings.file = file;
    struct status status = c->converter->run(&c->settings);
    if (status_ok(status) && c->converter->why_empty && fflush(file) == 0) /* somebody reads it */
        status = sql_session_run(workspace_session(), "convert", str_from(c->converter->why_empty),
                                 &reasons);
    return status;
}

struct status convert_run(const struct converter *c, const struct convert_settings *s)
{
    struct conversion conversion = {c, *s};
    if (c->many_files)
        return c->run(s);
    if (is_stdout(s->out))
        return convert_to(&conversion, standard_output());
    struct status status = check_other_file(s->out, s->in);
    return status_ok(status) ? replace_or_write_file(s->out, convert_to, &conversion) : status;
}

struct status export_run(table_exporter run, const char *in, const char *out)
{
    struct status status = check_other_file(out, in);
    return status_ok(status) ? run(out) : status;
}

static struct status to_sqlite(const char *path)
{
    return database_export(workspace_session(), path);
}

static struct status to_perfetto(const char *path)
{
    return perfetto_export(workspace_session(), path);
}

static struct status to_arrow_tar(const char *path)
{
    return arrow_export(workspace_session(), path);
}

table_exporter exporter_find(const char *name)
{
    static const struct {
        const char *name;
        table_exporter run;
    } exporters[] = {{"sqlite", to_sqlite}, {"arrow_tar", to_arrow_tar}, {"perfetto", to_perfetto}};
    for (size_t i = 0; name && i < sizeof exporters / sizeof *exporters; i++)
        if (strcmp(name, exporters[i].name) == 0)
            return exporters[i].run;
    return NULL;
}

struct convert_command {
    struct workspace_settings workspace;
    struct convert_settings convert;
    const char *format, *out;
};

static int set_part(void *self, const char *value)
{
    struct convert_command *s = self;
    if (strcmp(value, "start") != 0 && strcmp(value, "end") != 0)
        return usage_error("--truncate %s: expected start or end", value);
    s->convert.part = value[0] == 's' ? SYSTRACE_START : SYSTRACE_END;
    return EXIT_DONE;
}

static int set_pid(void *self, const char *value)
{
    struct convert_command *s = self;
    if (str_to_u64(str_from(value), 10, &s->convert.pid) && s->convert.pid > 0)
        return EXIT_DONE;
    return usage_error("--pid wants a number, not %s", value);
}

static int set_timestamps(void *self, const char *value)
{
    ((struct convert_command *)self)->convert.timestamps = value;
    if (convert_is_number_list(value))
        return EXIT_DONE;
    return usage_error("--timestamps wants numbers with commas between them, not %s", value);
}

static const struct command_option convert_table[] = {
    {.name = "truncate",
     .letter = 't',
     .value = "start|end",
     .help = "of systrace, keep only that end: 150000 events",
     .set = set_part},
    {.name = "pid", .value = "PID", .help = "profiles of this process only", .set = set_pid},
    {.name = "alloc",
     .help = "profiles of heaps only",
     OPTION_INTO(struct convert_command, convert.heap)},
    {.name = "perf",
     .help = "profiles of samples only",
     OPTION_INTO(struct convert_command, convert.samples)},
    {.name = "java-heap",
     .help = "profiles of Java heaps only",
     OPTION_INTO(struct convert_command, convert.java_heap)},
    {.name = "timestamps",
     .value = "NS,...",
     .help = "of heaps, the dumps of these times only",
     .set = set_timestamps},
    {.name = "output-dir",
     .value = "DIR",
     .help = "where profiles go (OUT, or a new folder below $TMPDIR)",
     OPTION_INTO(struct convert_command, convert.output_folder)},
    AS_OPTION(workspace_as),
    WINDOW_OPTIONS(workspace_from, workspace_to),
};

static const struct option_table convert_options = {"convert", convert_table,
                                                    sizeof convert_table / sizeof *convert_table};

static int add_convert_word(void *self, const char *word)
{
    struct convert_command *s = self;
    if (!s->format)
        s->format = word;
    else if (!s->convert.in)
        s->convert.in = word;
    else if (!s->convert.out)
        s->convert.out = word;
    else
        return usage_error("convert takes a format, an input and an output, not also %s", word);
    return EXIT_DONE;
}

static int run_convert(struct convert_command *s, const struct converter *c)
{
    int exit_status = EXIT_DONE;
    const struct time_window *window = &s->workspace.import.window;
    s->workspace.trace = s->convert.in ? s->convert.in : "-";
    if (c->many_files && !s->convert.output_folder && !is_stdout(s->convert.out))
        s->convert.output_folder = s->convert.out;
    if (window->has_from || window->has_to)
        s->convert.window = window;
    if (c->needs_workspace)
        exit_status = workspace_open(&s->workspace);
    if (is_stdout(s->convert.out))
        signal(SIGPIPE, SIG_DFL); /* a reader that went away ends it without a word */
    return exit_status == EXIT_DONE ? workspace_report(convert_run(c, &s->convert), EXIT_SQL)
                                    : exit_status;
}

static int convert_command(int argc, char **argv)
{
    struct convert_command s = {0};
    int exit_status = options_parse(&convert_options, &s, add_convert_word, argc, argv);
    const struct converter *c = converter_find(s.format);
    if (exit_status == EXIT_DONE && !c)
        exit_status = usage_error("convert %s: expected %s", s.format ? s.format : "needs a format",
                                  CONVERTER_NAMES);
    if (exit_status == EXIT_DONE)
        exit_status = run_convert(&s, c);
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command convert_cmd = {
    .name = "convert",
    .usage = "FORMAT [IN [OUT]]\0write a trace as " CONVERTER_NAMES "\0",
    .words = CONVERTER_NAMES,
    .options = &convert_options,
    .run = convert_command,
};

static const struct command_option export_table[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the file to write",
     OPTION_INTO(struct convert_command, out)},
    WORKSPACE_OPTIONS,
};

static const struct option_table export_options = {"export", export_table,
                                                   sizeof export_table / sizeof *export_table};

static int add_export_word(void *self, const char *word)
{
    struct convert_command *s = self;
    if (!s->format)
        s->format = word;
    else if (!s->workspace.trace)
        s->workspace.trace = word;
    else
        return usage_error("export takes one trace: %s and %s", s->workspace.trace, word);
    return EXIT_DONE;
}

static int export_command(int argc, char **argv)
{
    struct convert_command s = {0};
    int exit_status = options_parse(&export_options, &s, add_export_word, argc, argv);
    table_exporter run = exporter_find(s.format);
    if (exit_status == EXIT_DONE && !run)
        exit_status = usage_error("export %s: expected " EXPORTER_NAMES,
                                  s.format ? s.format : "needs a format");
    if (exit_status == EXIT_DONE && (!s.out || !s.workspace.trace))
        exit_status = usage_error("export %s needs -o FILE and a trace", s.format);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_open(&s.workspace);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_report(export_run(run, s.workspace.trace, s.out), EXIT_SQL);
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command export_cmd = {
    .name = "export",
    .usage = EXPORTER_NAMES " -o FILE TRACE\0write all tables as a database, or as a tar of Arrow "
                            "files\0",
    .words = EXPORTER_NAMES,
    .options = &export_options,
    .run = export_command,
};
