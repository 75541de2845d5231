/* tptui record: a trace of this machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "record/record.h"

#define SECOND 1e9

enum { USUAL_SECONDS = 10 };

struct record_cli {
    const char *out;
    bool list;
    struct record_settings settings;
    VEC(char *) words; /* names that were split; owned */
};

static int set_time(void *self, const char *value)
{
    double seconds;
    int status = options_seconds("time", value, &seconds);
    if (status == EXIT_DONE)
        ((struct record_cli *)self)->settings.duration_ns = (int64_t)(seconds * SECOND);
    return status;
}

static bool is_source(const char *name)
{
    struct record_source_info info;
    for (size_t i = 0; record_source_at(i, &info); i++)
        if (strcmp(info.name, name) == 0)
            return true;
    return false;
}

static int add_sources(void *self, const char *value)
{
    struct record_cli *c = self;
    struct str rest = str_from(value);
    while (rest.n > 0) {
        struct str name = str_cut(&rest, ',');
        char *copy = alloc_copy(name.p, name.n);
        *vec_push(&c->words) = copy;
        *vec_push(&c->settings.sources) = copy;
        if (!is_source(copy))
            return usage_error("there is no source %s: tptui record --list", copy);
    }
    return EXIT_DONE;
}

static int add_events(void *self, const char *value)
{
    *vec_push(&((struct record_cli *)self)->settings.events) = value;
    return EXIT_DONE;
}

static int set_buffer(void *self, const char *value)
{
    uint64_t bytes;
    if (!options_bytes(value, &bytes) || bytes > INT64_MAX)
        return usage_error("--buffer wants bytes, as 16M, not %s", value);
    ((struct record_cli *)self)->settings.buffer_bytes = (int64_t)bytes;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "time",
     .letter = 't',
     .value = "SECONDS",
     .help = "how long (10, or until the command ends)",
     .set = set_time},
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "write the trace there and do not open it; - is stdout",
     OPTION_INTO(struct record_cli, out)},
    {.name = "with",
     .value = "NAMES",
     .help = "what to record, with commas between (what --list marks); repeatable",
     .set = add_sources},
    {.name = "events",
     .value = "PATTERN",
     .help = "events of the kernel, as 'kmem:*', beside what --with names; repeatable",
     .more = "A pattern without a colon is an event's name in any system; * and ? stand for "
             "characters.",
     .set = add_events},
    {.name = "list", .help = "what --with may name", OPTION_INTO(struct record_cli, list)},
    {.name = "compress",
     .help = "compress the packets",
     OPTION_INTO(struct record_cli, settings.compress)},
    {.name = "buffer",
     .value = "BYTES",
     .help = "of the kernel's buffer, a CPU (by memory and rate)",
     .set = set_buffer},
};

static const struct option_table record_options = {"record", options,
                                                   sizeof options / sizeof *options};

static int refuse_word(void *self, const char *word)
{
    (void)self;
    return usage_error("record does not know %s: a command stands behind --", word);
}

static int print_list(void)
{
    struct record_source_info info;
    for (size_t i = 0; record_source_at(i, &info); i++)
        printf("%c %-10s %s; needs %s\n", info.usual ? '*' : ' ', info.name, info.about,
               info.needs);
    puts("\n* is recorded where --with and --events name nothing.");
    return EXIT_DONE;
}

static void say(void *self, const char *line)
{
    (void)self;
    fprintf(stderr, "tptui: %s\n", line);
}

static void say_result(const struct record_cli *c, const struct record_result *result)
{
    if (result->lost_events > 0)
        fprintf(stderr, "tptui: %llu events were lost: the kernel's buffers were full\n",
                (unsigned long long)result->lost_events);
    fprintf(stderr, "tptui: recorded %.1f s, %.1f MB%s%s\n", (double)result->duration_ns / SECOND,
            (double)result->bytes / 1e6, c->out ? " in " : "", c->out ? c->out : "");
}

/* An error in the recording, else that of the command: as env and time give it. */
static int status_of(const struct record_result *result)
{
    int s = result->command_status;
    return WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
}

static int record_into(struct record_cli *c, int fd, const char *path, struct record_result *result)
{
    c->settings.fd = fd;
    c->settings.path = path;
    struct status s = record_run(&c->settings, result);
    if (result->bytes > 0)
        say_result(c, result);
    return workspace_report(s, s.code == STATUS_USAGE ? EXIT_USAGE : EXIT_TRACE);
}

static int record_to_file(struct record_cli *c, struct record_result *result)
{
    struct stat st;
    int fd = open(c->out, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return workspace_report(status_error(STATUS_IO, "%s: cannot be written: %s", c->out,
                                             strerror(errno)),
                                EXIT_TRACE);
    int status = record_into(c, fd, c->out, result);
    if (result->bytes == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
        unlink(c->out);
    close(fd);
    return status;
}

/* Shows the trace, which is removed when the timeline ends. */
static int record_and_show(struct record_cli *c, struct record_result *result)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tptui-record-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return workspace_report(status_error(STATUS_IO, "%s: cannot be written: %s", path,
                                             strerror(errno)),
                                EXIT_TRACE);
    int status = record_into(c, fd, path, result);
    close(fd);
    char *words[] = {"tptui", path, NULL};
    if (status == EXIT_DONE)
        status = view_command(2, words);
    unlink(path);
    return status;
}

static int run(struct record_cli *c)
{
    struct record_result result = {0};
    int status;
    if (!c->out && !isatty(STDOUT_FILENO))
        return usage_error("record needs -o FILE where there is no terminal");
    if (c->settings.duration_ns == 0 && !c->settings.command)
        c->settings.duration_ns = (int64_t)(USUAL_SECONDS * SECOND);
    c->settings.listener.say = say;
    if (!c->out)
        return record_and_show(c, &result);
    c->settings.quiet_command = strcmp(c->out, "-") == 0;
    if (c->settings.quiet_command)
        status = record_into(c, STDOUT_FILENO, "stdout", &result);
    else
        status = record_to_file(c, &result);
    return status == EXIT_DONE ? status_of(&result) : status;
}

/* What stands behind "--" is the command, with its options. */
static int split_command(struct record_cli *c, int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0)
        i++;
    if (i + 1 < argc)
        c->settings.command = argv + i + 1;
    return i;
}

static int record_command(int argc, char **argv)
{
    struct record_cli c = {0};
    int words = split_command(&c, argc, argv);
    int status = options_parse(&record_options, &c, refuse_word, words, argv);
    if (status == EXIT_DONE)
        status = c.list ? print_list() : run(&c);
    for (size_t i = 0; i < c.words.count; i++)
        free(c.words.items[i]);
    vec_release(&c.words);
    vec_release(&c.settings.sources);
    vec_release(&c.settings.events);
    return status;
}

const struct command record_cmd = {
    .name = "record",
    .usage = "[-t SECONDS] [-o FILE] [-- COMMAND ARGS]\0record this machine, and open the trace\0",
    .options = &record_options,
    .run = record_command,
};
