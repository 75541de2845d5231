#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/edits.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/shell.h"
#include "cli/workspace.h"
#include "commit.h"
#include "parsers/formats.h"
#include "tui/app/app.h"
#include "tui/cells/cells.h"

const char program_version[] = TPTUI_VERSION;
const char program_build[] = "tptui " TPTUI_VERSION " (" TPTUI_COMMIT ")";

#define POINTER(NAME) &NAME##_cmd,
static const struct command *const commands[] = {COMMAND_LIST(POINTER)};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char exit_statuses[] =
    "\nExit status: 0 done, 1 SQL error, 2 usage, 3 the trace cannot be read.\n";

/* Whose help answers what was asked wrongly; NULL: the program's. */
static const struct command *running;

int usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(standard_errors(), "tptui: %s", config_place());
    vfprintf(standard_errors(), format, args);
    fprintf(standard_errors(), "\ntry: tptui %s%s--help\n", running ? running->name : "",
            running ? " " : "");
    va_end(args);
    return EXIT_USAGE;
}

int refuse_command(const char *word)
{
    const char *nearest = NULL;
    int least = EDITS_MAX_LENGTH;
    for (size_t i = 0; i < COMMANDS; i++) {
        int edits = edits_between(word, commands[i]->name);
        if (edits >= least || !edits_are_slip(word, edits))
            continue;
        least = edits;
        nearest = commands[i]->name;
    }
    if (nearest)
        return usage_error("there is no file and no command %s: did you mean %s?", word, nearest);
    return usage_error("there is no file and no command %s", word);
}

/* A file opened later must not become stdin, stdout or stderr because those were closed. */
static void hold_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Blocks of their own for all that grows large, which then moves by remapping and leaves no holes:
 * by itself the allocator gives that up for sizes up to the largest block that was ever freed,
 * which cost 3 MB of the 47 that a trace took. */
static void keep_large_blocks_apart(void)
{
#ifdef __GLIBC__ /* nobody else has such settings */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

static int print_help(void *self, const char *value);
static int print_options(void *self, const char *value);

static int print_keys(void *self, const char *value)
{
    (void)self, (void)value;
    char *keys = tui_list_actions();
    fputs(keys, standard_output());
    free(keys);
    return EXIT_DONE;
}

/* What a theme gives colours. */
static int print_roles(void *self, const char *value)
{
    (void)self, (void)value;
    for (uint16_t i = 0; i < ROLE_COUNT; i++)
        fprintf(standard_output(), "%s\n", role_name(i));
    return EXIT_DONE;
}

static int print_version(void *self, const char *value)
{
    (void)self, (void)value;
    fprintf(standard_output(), "%s\nbuilt with " TPTUI_BUILT_WITH "\nrunning with SQLite %s\n",
            program_build, sqlite3_libversion());
    return EXIT_DONE;
}

/* What stands alone behind the program's name. */
static const struct command_option questions[] = {
    {.name = "help", .letter = 'h', .help = "this text", .set = print_help},
    {.name = "version",
     .help = "the version, its commit, and what it was built with",
     .set = print_version},
    {.name = "keys",
     .help = "the keys of the timeline, an action a line: keys, action, what it does, group",
     .set = print_keys},
    {.name = "roles", .help = "what a theme gives colours, a role a line", .set = print_roles},
    {.name = "options",
     .help = "all options, one a line: whose, short, long, value, what it does, more",
     .set = print_options},
};

static const struct option_table other_options = {"tptui", questions,
                                                  sizeof questions / sizeof *questions};

static int print_options(void *self, const char *value)
{
    (void)self, (void)value;
    options_print_list(&view_options, standard_output());
    for (size_t i = 0; i < COMMANDS; i++)
        options_print_list(commands[i]->options, standard_output());
    options_print_list(&other_options, standard_output());
    options_print_list(&shell_classic_options, standard_output());
    return EXIT_DONE;
}

/* A format a line: its key and what it is. */
static int print_formats(void *self, const char *value)
{
    (void)self, (void)value;
    for (size_t i = 0; trace_formats[i]; i++)
        fprintf(standard_output(), "%-18s %s\n", trace_format_key(trace_formats[i]),
                trace_formats[i]->about);
    fputs(
        "\nEach may be compressed with gzip, zstd, xz or bzip2. --as FORMAT reads a file as one of "
        "these.\n",
        standard_output());
    return EXIT_DONE;
}

static const struct command_option formats_question = {.set = print_formats};

static void print_usage(const char *lead, const char *command, const char *usage)
{
    for (const char *p = usage; *p; p += strlen(p) + 1) {
        int n = fprintf(standard_output(), "%s%s%s%s", lead, command, *command ? " " : "", p);
        p += strlen(p) + 1;
        fprintf(standard_output(), "%*s%s\n", n < 40 ? 40 - n : 1, "", p);
        lead = "       tptui ";
    }
}

static int print_help(void *self, const char *value)
{
    (void)self, (void)value;
    print_usage("Usage: tptui ", "",
                "TRACE\0open the timeline\0"
                "[FOLDER]\0list the traces below it, or those opened last, to open one\0");
    for (size_t i = 0; i < COMMANDS; i++)
        print_usage("       tptui ", commands[i]->name, commands[i]->usage);
    print_usage("       tptui ", "", "formats\0what can be read: format, what it is, its looks\0");
    fputs("TRACE may be - for standard input, or a FIFO. tptui COMMAND --help lists a command's "
          "options.\n",
          standard_output());
    fputs("\nOptions of the timeline:\n", standard_output());
    options_print_help(&view_options, standard_output());
    fputs("\nOther:\n", standard_output());
    options_print_help(&other_options, standard_output());
    fputs(exit_statuses, standard_output());
    return EXIT_DONE;
}

/* How one command is called, and its options. */
static void print_command_help(const struct command *c)
{
    print_usage("Usage: tptui ", c->name, c->usage);
    if (c->options->count > 0)
        fputs("\nOptions:\n", standard_output());
    options_print_help(c->options, standard_output());
}

static const struct command_option *find_question(const char *word)
{
    for (size_t i = 0; i < other_options.count; i++) {
        const struct command_option *o = &questions[i];
        if (word[0] != '-')
            return NULL;
        if ((word[1] == '-' && strcmp(word + 2, o->name) == 0) ||
            (o->letter && word[1] == o->letter && !word[2]))
            return o;
    }
    return NULL;
}

/* NULL: the word is none's name. */
static const struct command *find_command(const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* Whether help is wanted, wherever in the line. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0)
            return true;
    return argc > 1 && strcmp(argv[1], "-h") == 0;
}

/* tptui help, tptui help COMMAND, unless a file of that name is meant. */
static bool is_help_command(int argc, char **argv)
{
    return strcmp(argv[1], "help") == 0 && access(argv[1], F_OK) != 0 &&
           (argc == 2 || (argc == 3 && find_command(argv[2])));
}

/* What is asked of the program itself; -1: nothing. Returns an exit status. */
static int answer(int argc, char **argv)
{
    const struct command *command = find_command(argv[1]);
    bool help = is_help_command(argc, argv);
    if (help && argc == 3)
        command = find_command(argv[2]);
    if (command && (help || asks_for_help(argc - 1, argv + 1))) {
        print_command_help(command);
        return EXIT_DONE;
    }
    const struct command_option *question = find_question(argv[1]);
    if (!command && (help || asks_for_help(argc, argv)))
        question = &questions[0];
    else if (strcmp(argv[1], "formats") == 0 && argc == 2)
        question = &formats_question;
    if (!question)
        return -1;
    return question->set(NULL, NULL);
}

/* As main() does, but for standard output. */
static int run(int argc, char **argv)
{
    if (argc > 0 && shell_is_meant(argv[0]))
        return shell_main(argc, argv);
    if (argc < 2)
        return view_command(argc, argv);
    int answered = answer(argc, argv);
    if (answered >= 0)
        return answered;
    const struct command *command = find_command(argv[1]);
    if (!command)
        return view_command(argc, argv);
    running = command;
    int status = command->run(argc - 1, argv + 1);
    workspace_close();
    return status;
}

int main(int argc, char **argv)
{
    keep_large_blocks_apart();
    hold_standard_files();
    standard_streams_guard();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of who writes it */
    return standard_output_end(run(argc, argv));
}
