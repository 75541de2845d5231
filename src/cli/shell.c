#include "cli/shell.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "pb_fields.h"
#include "rpc/metatrace.h"

static const struct shell_command *const commands[] = {
    &shell_query_cmd,     &shell_interactive_cmd, &shell_convert_cmd,
    &shell_summarize_cmd, &shell_server_cmd,      &shell_export_cmd,
    &shell_metrics_cmd,   &shell_bundle_cmd,      &shell_util_cmd,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

bool shell_refuses_loading(const struct shell_settings *s)
{
    const char *option = workspace_loading_option(&s->workspace);
    if (!option && s->metric_extensions.count > 0)
        option = "--metric-extension";
    if (!option && s->metatrace)
        option = "--metatrace";
    if (option)
        shell_error("%s cannot be used with --remote: give it to the server that loads the trace",
                    option);
    return option;
}

int shell_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(standard_output());
    vfprintf(standard_errors(), format, args);
    fputc('\n', standard_errors());
    va_end(args);
    return 1;
}

bool shell_is_meant(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return strcmp(name, "trace_processor_shell") == 0 || strcmp(name, "trace_processor") == 0;
}

static bool is_url(const char *trace)
{
    return strncmp(trace, "http://", 7) == 0 || strncmp(trace, "https://", 8) == 0;
}

static bool overrides_stdlib(const struct workspace_settings *s)
{
    for (size_t i = 0; i < s->packages.count; i++)
        if (!*s->packages.items[i].name)
            return true;
    return false;
}

/* Extensions are read by commands that compute metrics; what is mistyped is told by all. */
static int check_extensions(const struct shell_settings *s)
{
    for (size_t i = 0; i < s->metric_extensions.count; i++) {
        const char *extension = s->metric_extensions.items[i], *at = strrchr(extension, '@');
        struct stat folder;
        if (!at || at == extension)
            return shell_error("--metric-extension %s: expected DISK@VIRTUAL", extension);
        char *disk = alloc_copy(extension, (size_t)(at - extension));
        bool found = stat(disk, &folder) == 0 && S_ISDIR(folder.st_mode);
        if (!found)
            shell_error("--metric-extension %s: no such folder: %s", extension, disk);
        free(disk);
        if (!found)
            return 1;
    }
    return 0;
}

int shell_prepare(struct shell_settings *s, const char *trace)
{
    if (check_extensions(s) != 0)
        return 1;
    if (trace && is_url(trace))
        return shell_error("%s: traces are not fetched from URLs: download it first", trace);
    if (overrides_stdlib(&s->workspace) && !s->development)
        return shell_error("Overriding stdlib requires --dev flag");
    s->workspace.trace = trace;
    s->workspace.is_shell = true;
    s->workspace.cache.off = true; /* as that program: it leaves nothing behind */
    return 0;
}

int shell_open(struct shell_settings *s, const char *trace)
{
    if (shell_prepare(s, trace) != 0)
        return 1;
    return workspace_open(&s->workspace) == EXIT_DONE ? 0 : 1;
}

static const struct shell_command *find_command(const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

static const struct command_option *find_option(const struct option_table *t, const char *word)
{
    bool is_long = word[0] == '-' && word[1] == '-';
    for (size_t i = 0; i < t->count; i++) {
        const struct command_option *o = &t->options[i];
        if (is_long ? strcmp(word + 2, o->name) == 0
                    : o->letter && word[1] == o->letter && !word[2])
            return o;
    }
    return NULL;
}

/* Whether the word behind this option is its value, in whatever command it is one. */
static bool takes_next(const char *option)
{
    const struct command_option *o = find_option(&shell_classic_options, option);
    if (!o)
        o = find_option(&shell_common_options, option);
    for (size_t i = 0; i < COMMANDS && !o; i++)
        o = find_option(&commands[i]->options, option);
    return o && o->value;
}

/* The first word that is no option; argc where there is none. */
static int first_word(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-')
        i += takes_next(argv[i]) ? 2 : 1;
    return i < argc ? i : argc;
}

static void print_help(const char *program)
{
    fprintf(
        standard_output(),
        "Usage: %s [COMMAND] [OPTIONS] [TRACE]\n\n"
        "Perfetto's trace_processor_shell, done by tptui. Without a command: an interactive SQL\n"
        "shell.\n\nCommands:\n",
        program);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(standard_output(), "  %-13s %s\n", commands[i]->name, commands[i]->about);
    fputs("\nOptions of all of them:\n", standard_output());
    options_print_help(&shell_common_options, standard_output());
    fprintf(standard_output(),
            "\n`%s help COMMAND` tells of one, `%s --help-classic` of the flags without a "
            "command.\n",
            program, program);
}

static void print_usage(const char *program, const struct shell_command *c, FILE *f)
{
    fprintf(f, "Usage: %s %s [OPTIONS] %s\n\n%s\n\nOptions:\n", program, c->name, c->words,
            c->about);
    options_print_help(&c->options, f);
    fputs("\nOptions of all commands:\n", f);
    options_print_help(&shell_common_options, f);
}

static int print_classic(const char *program, FILE *f, int status)
{
    fprintf(f, "Usage: %s [FLAGS] TRACE\n\n", program);
    options_print_help(&shell_classic_options, f);
    return status;
}

static int print_version(void)
{
    fprintf(standard_output(), "tptui %s\nTrace Processor RPC API version: %d\n", program_version,
            PB_TraceProcessorApiVersion_TRACE_PROCESSOR_CURRENT_API_VERSION);
    return 0;
}

static int help(const char *program, const char *command)
{
    const struct shell_command *c = command ? find_command(command) : NULL;
    if (command && !c)
        return shell_error("Unknown command '%s'.", command);
    if (c)
        print_usage(program, c, standard_output());
    else
        print_help(program);
    return 0;
}

/* Below the usage, which is longer than a screen, what getopt said above it. */
static int name_refused(const struct option_table *options, char **argv)
{
    char wanted[64];
    const char *word = argv[optind - 1];
    if (strncmp(word, "--", 2) != 0 || optopt != 0)
        return 1;
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = options_nearest(options, wanted + 2);
    return nearest ? shell_error("\nUnknown option %s: did you mean --%s?", wanted, nearest)
                   : shell_error("\nUnknown option %s.", wanted);
}

/* The command's options and the common ones in one table, whose options are for free(). */
static struct option_table join_options(const struct option_table *a, const struct option_table *b)
{
    struct command_option *joined = alloc_array(a->count + b->count, sizeof *joined);
    memcpy(joined, a->options, a->count * sizeof *joined);
    memcpy(joined + a->count, b->options, b->count * sizeof *joined);
    return (struct option_table){a->owner, joined, a->count + b->count};
}

static int run_command(struct shell_settings *s, const struct shell_command *c, int argc,
                       char **argv)
{
    struct option_table all = join_options(&c->options, &shell_common_options);
    int word = options_parse_usual(&all, s, argc, argv);
    if (word < 0) {
        fputc('\n', standard_errors());
        print_usage(s->program, c, standard_errors());
        name_refused(&all, argv);
    }
    free((void *)(uintptr_t)all.options);
    if (word < 0)
        return 1;
    if (s->help)
        return help(s->program, c->name);
    if (s->version)
        return print_version();
    for (; word < argc; word++)
        *vec_push(&s->words) = argv[word];
    return c->run(s);
}

/* Which command the flags mean. */
static const struct shell_command *classic_command(const struct shell_settings *s)
{
    if (s->serves_http || s->serves_stdio)
        return &shell_server_cmd;
    if (s->summary)
        return &shell_summarize_cmd;
    if (s->metrics)
        return &shell_metrics_cmd;
    if (s->export_file)
        return &shell_export_cmd;
    bool query = s->query_file || s->query || s->structured_query_id;
    return query ? &shell_query_cmd : &shell_interactive_cmd;
}

static int run_classic(struct shell_settings *s, int argc, char **argv)
{
    int word = options_parse_usual(&shell_classic_options, s, argc, argv);
    if (word < 0) {
        print_classic(s->program, standard_errors(), 1);
        return name_refused(&shell_classic_options, argv);
    }
    if (s->classic_help)
        return print_classic(s->program, standard_output(), 0);
    if (s->help)
        return help(s->program, NULL);
    if (s->version)
        return print_version();
    const struct shell_command *c = classic_command(s);
    bool serves = s->serves_http || s->serves_stdio;
    if (s->perf_file && (s->interactive || c == &shell_interactive_cmd))
        return print_classic(s->program, standard_errors(), 1); /* there is no end to measure */
    if (s->summary && s->metrics)
        return shell_error("Cannot specify both metrics v1 and trace summarization");
    if (s->export_file && s->query_file)
        return shell_error("Cannot combine -e (export) with -q (query). Use the 'export' "
                           "subcommand directly.");
    if (word != argc - 1 && !serves) {
        print_classic(s->program, standard_errors(), 1);
        return word < argc
                   ? shell_error("\nOne trace at a time; '%s' is the second.", argv[word + 1])
                   : shell_error("\nA trace is missing.");
    }
    if (word == argc - 1)
        *vec_push(&s->words) = argv[word];
    return c->run(s);
}

static int run(struct shell_settings *s, int argc, char **argv)
{
    int at = first_word(argc, argv);
    if (argc == 1) /* statements without a trace */
        return shell_open(s, NULL) || shell_interact(s, NULL);
    if (at < argc && strcmp(argv[at], "help") == 0)
        return help(s->program, at + 1 < argc ? argv[at + 1] : NULL);
    const struct shell_command *c = at < argc ? find_command(argv[at]) : NULL;
    if (!c)
        return run_classic(s, argc, argv);
    if (access(argv[at], F_OK) == 0)
        fprintf(standard_errors(), "Note: '%s' is a command and a file; ./%s means the file.\n",
                argv[at], argv[at]);
    memmove(&argv[at], &argv[at + 1], (size_t)(argc - at) * sizeof *argv);
    return run_command(s, c, argc - 1, argv);
}

/* The statements that ran, as a trace. */
static int write_metatrace(const char *path)
{
    struct pb_bytes trace = {0};
    metatrace_write(workspace_session(), 0, &trace);
    struct status s = replace_or_write_text(path, (const char *)trace.v.items, trace.v.count);
    pb_bytes_release(&trace);
    return workspace_report(s, 1);
}

int shell_main(int argc, char **argv)
{
    struct shell_settings s = {.program = argv[0]};
    int status = run(&s, argc, argv);
    if (s.metatrace && workspace_session())
        status |= write_metatrace(s.metatrace);
    workspace_settings_release(&s.workspace);
    vec_release(&s.words);
    vec_release(&s.specs);
    vec_release(&s.metric_extensions);
    vec_release(&s.symbol_paths);
    vec_release(&s.proguard_maps);
    return status;
}
