/* tptui record: a trace of this machine. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/standard_streams.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/record_remote.h"
#include "cli/removal.h"
#include "cli/text_file.h"
#include "cli/workspace.h"
#include "text/time_text.h"
#include "record/config.h"
#include "record/record.h"
#include "record/trigger.h"

#define SECOND 1e9

enum {
    USUAL_SECONDS = 10,
    RING_BYTES = 256 << 20,
    LIVE_BYTES = 32 << 20,
    LIVE_SECONDS = 60,
    FIRST_WAIT_US = 20000
};

struct record_cli {
    const char *out, *script, *config, *host;
    int argc; /* of the options */
    char **argv;
    struct text_file config_file;
    bool list;
    struct record_settings settings;
    struct arena texts;
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
        const char *copy = arena_copy(&c->texts, name).p;
        *vec_push(&c->settings.sources) = (struct record_wanted){.name = copy};
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

static int set_ring(void *self, const char *value)
{
    struct time_text t;
    if (!time_text_read(str_from(value), &t) || t.origin != TIME_FROM_START || t.ns <= 0 ||
        str_is_digit(value[strlen(value) - 1]))
        return usage_error("--ring wants a time with a unit, as 60s, not %s", value);
    ((struct record_cli *)self)->settings.ring_ns = t.ns;
    return EXIT_DONE;
}

static int set_keep(void *self, const char *value)
{
    uint64_t bytes;
    if (!options_bytes(value, &bytes))
        return usage_error("--keep wants bytes, as 256M, not %s", value);
    ((struct record_cli *)self)->settings.ring_bytes = (size_t)bytes;
    return EXIT_DONE;
}

static int add_trigger(void *self, const char *value)
{
    *vec_push(&((struct record_cli *)self)->settings.triggers) = value;
    return EXIT_DONE;
}

static int set_dwarf(void *self, const char *value)
{
    uint64_t bytes = RECORD_DWARF_BYTES;
    if (value && (!options_bytes(value, &bytes) || bytes < 8 || bytes > RECORD_DWARF_BYTES_MOST))
        return usage_error("--dwarf-stack wants up to %d bytes, as 16K, not %s",
                           RECORD_DWARF_BYTES_MOST, value);
    struct record_cli *c = self;
    if (value || c->settings.dwarf_bytes == 0)
        c->settings.dwarf_bytes = (uint32_t)bytes & ~7U;
    return EXIT_DONE;
}

#define WHAT_OPTIONS                                                                               \
    {.name = "with",                                                                               \
     .value = "NAMES",                                                                             \
     .help = "what to record, with commas between (what --list marks); repeatable",                \
     .set = add_sources},                                                                          \
        {.name = "events",                                                                         \
         .value = "PATTERN",                                                                       \
         .help = "events of the kernel, as 'kmem:*', beside what --with names; repeatable",        \
         .more = "A pattern without a colon is an event's name in any system; * and ? stand for "  \
                 "characters.",                                                                    \
         .set = add_events},                                                                       \
        {.name = "buffer",                                                                         \
         .value = "BYTES",                                                                         \
         .help = "of the kernel's buffer, a CPU (by memory and rate)",                             \
         .set = set_buffer},                                                                       \
        {.name = "dwarf",                                                                          \
         .help = "stacks by what code says of its frames, not by frame pointers",                  \
         .more = "Part of each stack is copied and unwound by libdw, as far as files have "        \
                 ".eh_frame. Costs more than frame pointers.",                                     \
         .set = set_dwarf},                                                                        \
        {.name = "dwarf-stack",                                                                    \
         .value = "BYTES",                                                                         \
         .help = "how much of each stack is copied (8K, at most 65528); with --dwarf",             \
         .set = set_dwarf},                                                                        \
    {                                                                                              \
        .name = "keep", .value = "BYTES",                                                          \
        .help = "at most as many in memory of a ring (256M; live: 32M)", .set = set_keep           \
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
    WHAT_OPTIONS,
    {.name = "ring",
     .value = "TIME",
     .help = "keep the last TIME (60s) in memory, and write it at the end, on SIGUSR1, and when "
             "--until says so",
     .more = "It ends with Ctrl-C, SIGTERM, -t or the command. Files before the end are numbered: "
             "x-1.pftrace beside x.pftrace.",
     .set = set_ring},
    {.name = "until",
     .value = "RULE",
     .help = "write the ring when this is met: 'sched_wait > 50ms', the name of an alert, or a "
             "SELECT of ts, dur, name; repeatable",
     .more = "Asked every second of the last seconds. --list has what can be compared.",
     .set = add_trigger},
    ALERTS_OPTION,
    {.name = "config",
     .value = "FILE",
     .help = "record what one of Perfetto's configs asks for, text or encoded; - is stdin",
     .more = "What has no counterpart here is said, and left out. What other options say goes "
             "before it; --with and --events add to it. Without duration_ms it goes on until it "
             "is ended.",
     OPTION_INTO(struct record_cli, config)},
    {.name = "ssh",
     .value = "HOST",
     .help = "record on another machine, as ssh knows it; the trace comes here",
     .more = "This program is copied there, into a folder that only the user sees and that is "
             "gone at the end, where the same build is not installed: a static one "
             "(-Dstatic=true) runs everywhere. Ctrl-C ends the recording there.",
     OPTION_INTO(struct record_cli, host)},
    {.name = "stdin-ends",
     .help = "the end of standard input ends the recording: a connection that is lost, say",
     OPTION_INTO(struct record_cli, settings.stdin_ends)},
    {.name = "list", .help = "what --with may name", OPTION_INTO(struct record_cli, list)},
    {.name = "compress",
     .help = "compress the packets",
     OPTION_INTO(struct record_cli, settings.compress)},
};

static const struct option_table record_options = {"record", options,
                                                   sizeof options / sizeof *options};

static int refuse_word(void *self, const char *word)
{
    (void)self;
    return usage_error("what is %s? A command to record stands behind --", word);
}

static int print_list(void)
{
    struct record_source_info info;
    for (size_t i = 0; record_source_at(i, &info); i++)
        fprintf(standard_output(), "%c %-10s %s; needs %s\n", info.usual ? '*' : ' ', info.name,
                info.about, info.needs);
    fputs("\n* is recorded where --with and --events name nothing.\n\nWhat --until compares:\n",
          standard_output());
    const char *name, *about;
    for (size_t i = 0; record_measure_at(i, &name, &about); i++)
        fprintf(standard_output(), "  %-14s %s\n", name, about);
    return EXIT_DONE;
}

static void say(void *self, const char *line)
{
    (void)self;
    fprintf(standard_errors(), "tptui: %s\n", line);
}

static void say_result(const struct record_cli *c, const struct record_result *result)
{
    if (result->lost_events > 0)
        fprintf(standard_errors(), "tptui: %llu events were lost: the kernel's buffers were full\n",
                (unsigned long long)result->lost_events);
    fprintf(standard_errors(), "tptui: recorded %.1f s, %.1f MB%s%s\n",
            (double)result->duration_ns / SECOND, (double)result->bytes / 1e6, c->out ? " in " : "",
            c->out ? c->out : "");
}

/* An error in the recording, else that of the command: as env and time give it. */
static int status_of(const struct record_result *result)
{
    int s = result->command_status;
    return WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
}

/* Stacks are among what is named, where anything is. */
static int settle_dwarf(struct record_settings *s)
{
    if (s->dwarf_bytes == 0)
        return EXIT_DONE;
    if (!record_has_dwarf())
        return usage_error("--dwarf: this program was built without libdw, or for a processor "
                           "whose registers it does not know");
    if (s->sources.count > 0 || s->events.count > 0)
        *vec_push(&s->sources) = (struct record_wanted){.name = "stacks"};
    return EXIT_DONE;
}

static int record_remotely(const struct record_cli *c, int fd, struct record_result *result)
{
    static const char *const own[] = {"ssh", "output", "config", NULL};
    const struct remote_recording remote = {.host = c->host,
                                            .options = &record_options,
                                            .argc = c->argc,
                                            .argv = c->argv,
                                            .own = own,
                                            .command = c->settings.command,
                                            .config = text_file_str(&c->config_file)};
    struct remote_result r = {0};
    struct status s = remote_record(&remote, fd, &r);
    result->bytes = r.bytes;
    if (!status_ok(s))
        return workspace_report(s, EXIT_TRACE);
    return r.exit_status;
}

static int record_into(struct record_cli *c, int fd, const char *path, struct record_result *result)
{
    if (c->host)
        return record_remotely(c, fd, result);
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
    struct removal removal = removal_begin(path, NULL);
    if (status == EXIT_DONE)
        status = view_command(2, words);
    removal_end(&removal);
    return status;
}

/* What it asks for is said where it is recorded. */
static int read_config(struct record_cli *c)
{
    struct text_file *f = &c->config_file;
    struct status s = text_file_read(c->config, f);
    if (status_ok(s) && c->host && memchr(f->text, '\0', f->size))
        return usage_error("--ssh takes a --config that is text");
    if (status_ok(s) && !c->host)
        s = record_config_read(&c->settings, &c->texts, f->name, text_file_str(f));
    return workspace_report(s, EXIT_USAGE);
}

static int run(struct record_cli *c)
{
    struct record_result result = {0};
    int status = c->config ? read_config(c) : EXIT_DONE;
    if (status == EXIT_DONE && !c->host) /* else it is said there */
        status = settle_dwarf(&c->settings);
    if (status != EXIT_DONE)
        return status;
    if (!c->out && !isatty(STDOUT_FILENO))
        return usage_error("record needs -o FILE where there is no terminal");
    bool ring = c->settings.ring_ns > 0;
    if (c->settings.triggers.count > 0 && !ring)
        return usage_error("--until is for a ring: --ring 60s");
    if (ring && (!c->out || strcmp(c->out, "-") == 0))
        return usage_error("--ring needs -o FILE");
    if (c->settings.triggers.count > 0) {
        struct status s;
        c->settings.alerts = alert_rules(&s);
        if (!status_ok(s))
            return workspace_report(s, EXIT_USAGE);
    }
    if (c->host && (ring || *c->host == '-'))
        return usage_error(ring ? "--ring is of this machine: a file is written where it records"
                                : "--ssh wants a host, not %s",
                           c->host);
    if (c->settings.duration_ns == 0 && !c->settings.command && !ring && !c->config)
        c->settings.duration_ns = (int64_t)(USUAL_SECONDS * SECOND);
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

static void release(struct record_cli *c)
{
    arena_release(&c->texts);
    text_file_release(&c->config_file);
    vec_release(&c->settings.sources);
    vec_release(&c->settings.events);
    vec_release(&c->settings.triggers);
}

static int record_command(int argc, char **argv)
{
    struct record_cli c = {.settings = {.ring_bytes = RING_BYTES, .listener.say = say}};
    arena_init(&c.texts);
    int words = split_command(&c, argc, argv);
    c.argc = words;
    c.argv = argv;
    int status = options_parse(&record_options, &c, refuse_word, words, argv);
    if (status == EXIT_DONE)
        status = c.list ? print_list() : run(&c);
    release(&c);
    return status;
}

const struct command record_cmd = {
    .name = "record",
    .usage = "[-t SECONDS] [-o FILE] [-- COMMAND ARGS]\0record this machine, and open the trace\0",
    .options = &record_options,
    .run = record_command,
};

static const struct command_option live_table[] = {
    {.name = "ring",
     .value = "TIME",
     .help = "how much of the past is kept and shown (60s)",
     .set = set_ring},
    WHAT_OPTIONS,
    {.name = "script",
     .value = "FILE",
     .help = "keys and commands from a file, without a terminal",
     OPTION_INTO(struct record_cli, script)},
};

static const struct option_table live_options = {"live", live_table,
                                                 sizeof live_table / sizeof *live_table};

/* Records into the ring, beside the timeline, and ends with it. */
static _Noreturn void record_beside(struct record_cli *c, int errors)
{
    struct record_result result;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0); /* the terminal's signals are the timeline's */
    dup2(errors, STDERR_FILENO);
    struct status s = record_run(&c->settings, &result);
    _exit(workspace_report(s, EXIT_TRACE));
}

/* Until there is something to show, or the recorder has ended: then false. */
static bool wait_for_first(const char *path, pid_t recorder)
{
    while (access(path, F_OK) != 0) {
        if (waitpid(recorder, NULL, WNOHANG) == recorder)
            return false;
        usleep(FIRST_WAIT_US);
    }
    return true;
}

/* What the recorder had to say while the screen was the timeline's. */
static void print_errors(int fd)
{
    char text[4096];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)n, standard_errors());
}

static int show_live(struct record_cli *c, const char *path, int errors)
{
    pid_t recorder = fork();
    if (recorder == 0)
        record_beside(c, errors);
    if (recorder < 0)
        return workspace_report(status_error(STATUS_IO, "no process: %s", strerror(errno)),
                                EXIT_TRACE);
    int status = EXIT_TRACE;
    if (wait_for_first(path, recorder)) {
        status = view_live(path, c->script);
        kill(recorder, SIGTERM);
        waitpid(recorder, NULL, 0);
    }
    print_errors(errors);
    return status;
}

static int run_live(struct record_cli *c)
{
    const char *parent = getenv("TMPDIR");
    char folder[4096], path[4200];
    snprintf(folder, sizeof folder, "%s/tptui-live-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        return workspace_report(status_error(STATUS_IO, "%s: cannot be made: %s", folder,
                                             strerror(errno)),
                                EXIT_TRACE);
    int errors = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    snprintf(path, sizeof path, "%s/live.pftrace", folder);
    c->settings.fd = -1;
    c->settings.path = c->settings.shown_path = path;
    if (c->settings.ring_ns == 0)
        c->settings.ring_ns = (int64_t)(LIVE_SECONDS * SECOND);
    struct removal removal = removal_begin(path, folder);
    int status = show_live(c, path, errors);
    close(errors);
    removal_end(&removal);
    return status;
}

static int live_command(int argc, char **argv)
{
    struct record_cli c = {.settings = {.ring_bytes = LIVE_BYTES, .listener.say = say}};
    arena_init(&c.texts);
    int status = options_parse(&live_options, &c, refuse_word, argc, argv);
    if (status == EXIT_DONE && !c.script && !isatty(STDOUT_FILENO))
        status = usage_error("live needs a terminal");
    if (status == EXIT_DONE)
        status = settle_dwarf(&c.settings);
    if (status == EXIT_DONE)
        status = run_live(&c);
    release(&c);
    return status;
}

const struct command live_cmd = {
    .name = "live",
    .usage = "\0the last minute of this machine; the timeline follows\0",
    .options = &live_options,
    .run = live_command,
};
