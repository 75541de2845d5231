/* tptui query TRACE SQL: rows on stdout, everything else on stderr. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/trace_builder.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cli/command.h"
#include "parsers/load.h"
#include "sql/export/result_writer.h"
#include "sql/session.h"

struct script {
    const char *name;
    char *text; /* owned */
    size_t size;
};

/* DIR[@NAME], or all modules (no name). */
struct package {
    char *folder, *name; /* owned */
};

struct query_settings {
    const char *trace;
    const struct trace_format *as; /* NULL: what it looks like */
    VEC(struct package) packages;
    VEC(struct script) scripts;
    const struct result_format *format; /* NULL: not given */
    bool reads_stdin;                   /* for statements */
    bool may_write_files;
    uint64_t sort_memory; /* bytes; 0: not given */
    double timeout;       /* seconds; 0 is none */
};

/* How long a statement may take to notice that it shall stop. */
enum { STOP_MICROSECONDS = 60000 };

/* What the signal handlers need, and what lives as long as the process: the system takes memory
 * back faster than we free it. */
static struct {
    struct load_progress progress;
    struct trace trace;
    struct sql_session *session;
    volatile sig_atomic_t interrupted, timed_out, reported;
} running;

/* One call of SQLite's own, a function on a huge string say, cannot be interrupted. */
static void end_now(void)
{
    static const char interrupted[] = "tptui: interrupted\n", timed_out[] = "tptui: timed out\n";
    ssize_t written = 0;
    if (!running.reported && running.interrupted)
        written = write(STDERR_FILENO, interrupted, sizeof interrupted - 1);
    else if (!running.reported)
        written = write(STDERR_FILENO, timed_out, sizeof timed_out - 1);
    (void)written;
    _exit(running.interrupted ? EXIT_INTERRUPT : EXIT_SQL);
}

static void stop(volatile sig_atomic_t *reason)
{
    if (running.interrupted || running.timed_out)
        end_now();
    *reason = 1;
    atomic_store(&running.progress.cancel, true);
    if (running.session)
        sql_session_interrupt(running.session);
    struct itimerval timer = {.it_value = {.tv_usec = STOP_MICROSECONDS}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop(&running.interrupted);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    stop(&running.timed_out);
}

static char *read_stream(FILE *f, size_t *size)
{
    VEC(char) text = {0};
    char buffer[1 << 14];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) {
        vec_reserve(&text, text.count + n + 1);
        memcpy(text.items + text.count, buffer, n);
        text.count += n;
    }
    vec_reserve(&text, text.count + 1);
    text.items[text.count] = 0;
    *size = text.count;
    return text.items;
}

static int add_file(void *self, const char *path)
{
    struct query_settings *q = self;
    bool is_stdin = strcmp(path, "-") == 0;
    q->reads_stdin |= is_stdin;
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    if (!f)
        return usage_error("%s: %s", path, strerror(errno));
    struct script s = {.name = is_stdin ? "<stdin>" : path};
    s.text = read_stream(f, &s.size);
    bool failed = ferror(f) != 0;
    int error = errno;
    if (!is_stdin)
        fclose(f);
    *vec_push(&q->scripts) = s;
    return failed ? usage_error("%s: %s", path, strerror(error)) : EXIT_DONE;
}

static int set_format(void *self, const char *value)
{
    struct query_settings *q = self;
    q->format = result_format_find(value);
    if (q->format)
        return EXIT_DONE;
    return usage_error("--format %s: expected %s", value, RESULT_FORMAT_NAMES);
}

static int set_timeout(void *self, const char *value)
{
    struct query_settings *q = self;
    char *end;
    q->timeout = strtod(value, &end);
    if (*end || end == value || !(q->timeout > 0 && q->timeout < 1e9))
        return usage_error("--timeout %s: expected a number of seconds", value);
    return EXIT_DONE;
}

static int set_sort_memory(void *self, const char *value)
{
    return options_sort_memory(value, &((struct query_settings *)self)->sort_memory);
}

static int set_as(void *self, const char *value)
{
    return options_format(value, &((struct query_settings *)self)->as);
}

/* DIR@NAME; without NAME the folder's own name. */
static int add_package(void *self, const char *value)
{
    struct query_settings *q = self;
    size_t n = strlen(value);
    while (n > 1 && value[n - 1] == '/')
        n--;
    const char *at = memrchr(value, '@', n), *slash = memrchr(value, '/', n);
    const char *name = at ? at + 1 : slash ? slash + 1 : value;
    size_t name_size = (size_t)(value + n - name);
    if (name_size == 0)
        return usage_error("--add-sql-package %s: expected DIR or DIR@NAME", value);
    struct package p = {alloc_copy(value, at ? (size_t)(at - value) : n),
                        alloc_copy(name, name_size)};
    *vec_push(&q->packages) = p;
    return EXIT_DONE;
}

static int override_stdlib(void *self, const char *value)
{
    struct query_settings *q = self;
    struct package p = {alloc_copy(value, strlen(value)), alloc_copy("", 0)};
    *vec_push(&q->packages) = p;
    return EXIT_DONE;
}

static int allow_file_access(void *self, const char *value)
{
    (void)value;
    ((struct query_settings *)self)->may_write_files = true;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "file",
     .letter = 'f',
     .value = "FILE",
     .help = "statements from a file; - is stdin; repeatable",
     .set = add_file},
    {.name = "format",
     .value = RESULT_FORMAT_NAMES,
     .help = "table on a terminal, csv otherwise",
     .more = "Result sets are separated by an empty line.",
     .set = set_format},
    {.name = "timeout",
     .value = "SECONDS",
     .help = "stop the queries after that time",
     .set = set_timeout},
    AS_OPTION(set_as),
    SORT_MEMORY_OPTION(set_sort_memory),
    {.name = "add-sql-package",
     .value = "DIR[@NAME]",
     .help = "let queries include DIR's modules as NAME.file",
     .set = add_package},
    {.name = "override-stdlib",
     .value = "DIR",
     .help = "modules from DIR in place of the built-in ones",
     .set = override_stdlib},
    {.name = "allow-sql-file-access",
     .help = "let queries write files and ATTACH databases",
     .more = "Without it they cannot, as SQL may come from anybody.",
     .set = allow_file_access},
};

const struct option_table query_options = {"query", options, sizeof options / sizeof *options};

/* The trace, then SQL. */
static int add_word(void *self, const char *text)
{
    struct query_settings *q = self;
    if (!q->trace) {
        q->trace = text;
        return EXIT_DONE;
    }
    struct script s = {"query", alloc_copy(text, strlen(text)), strlen(text)};
    *vec_push(&q->scripts) = s;
    return EXIT_DONE;
}

static int parse(struct query_settings *q, int argc, char **argv)
{
    int status = options_parse(&query_options, q, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    if (!q->trace)
        return usage_error("query needs a trace and a query");
    if (q->reads_stdin && strcmp(q->trace, "-") == 0)
        return usage_error("standard input is either the trace or a query");
    if (q->scripts.count == 0)
        return usage_error("query needs SQL, or -f FILE");
    return EXIT_DONE;
}

/* A message may quote names from the trace; it goes to a terminal. */
static void print_message(const char *message)
{
    struct str rest = str_from(message);
    fputs("tptui: ", stderr);
    while (rest.n > 0) {
        size_t n = str_find(rest, '\n');
        char *line = text_escape((struct str){rest.p, n});
        fprintf(stderr, "%s\n", line);
        free(line);
        rest = str_skip(rest, n < rest.n ? n + 1 : n);
    }
}

static void print_note(void *self, const char *reason)
{
    (void)self;
    char *message = alloc_bytes(strlen(reason) + 16);
    snprintf(message, strlen(reason) + 16, "no rows: %s", reason);
    print_message(message);
    free(message);
}

static int report(struct status s, int exit_status)
{
    if (status_ok(s))
        return EXIT_DONE;
    if (running.interrupted) {
        print_message("interrupted");
        exit_status = EXIT_INTERRUPT;
    } else if (running.timed_out) {
        print_message("timed out");
    } else if (s.code != STATUS_CANCELLED) {
        print_message(s.message);
    }
    status_release(&s);
    running.reported = 1;
    return exit_status;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

/* 0 stops it; less than a microsecond is one. */
static void start_timer(double seconds)
{
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* A reader that went away is no error; a full disk or a closed stdout is. */
static int check_output(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    if (errno == EPIPE || errno == 0)
        return EXIT_DONE;
    fprintf(stderr, "tptui: cannot write to stdout: %s\n", strerror(errno));
    return EXIT_SQL;
}

static int run_scripts(const struct query_settings *q)
{
    bool terminal = isatty(STDOUT_FILENO);
    const struct result_format *usual = terminal ? &table_format : &csv_format;
    struct result_writer *writer =
        result_writer_new(stdout, q->format ? q->format : usual, terminal);
    struct sql_sink sink = result_writer_sink(writer);
    sink.note = print_note;
    int exit_status = EXIT_DONE;
    start_timer(q->timeout);
    for (size_t i = 0; i < q->scripts.count && exit_status == EXIT_DONE; i++) {
        struct script s = q->scripts.items[i];
        struct str text = {s.text, s.size};
        struct status status = sql_session_run(running.session, s.name, text, &sink);
        if (status.code == STATUS_CANCELLED && ferror(stdout)) {
            status_release(&status);
            break;
        }
        exit_status = report(status, EXIT_SQL);
    }
    result_writer_free(writer);
    int written = check_output();
    start_timer(0); /* everything is written */
    return exit_status ? exit_status : written;
}

/* For who looks on: rows may be missing. */
static void warn_about_loss(const struct trace *trace)
{
    int64_t lost = stats_data_loss(trace);
    if (lost > 0 && isatty(STDERR_FILENO))
        fprintf(stderr,
                "tptui: the trace says that data was lost (%" PRId64 "): SELECT name, value FROM "
                "stats WHERE severity = 'data_loss' AND value > 0\n",
                lost);
}

static int run(const struct query_settings *q)
{
    struct status status;
    trace_init(&running.trace);
    int exit_status =
        report(trace_load_file_as(&running.trace, q->trace, q->as, &running.progress), EXIT_TRACE);
    if (exit_status != EXIT_DONE)
        return exit_status;
    warn_about_loss(&running.trace);
    running.session = sql_session_new(&running.trace, &status);
    exit_status = report(status, EXIT_SQL);
    if (q->may_write_files)
        sql_session_allow_files(running.session);
    if (q->sort_memory > 0)
        sql_session_limit_sort_memory(running.session, q->sort_memory);
    for (size_t i = 0; i < q->packages.count && exit_status == EXIT_DONE; i++)
        exit_status = report(sql_session_add_package(running.session, q->packages.items[i].folder,
                                                     q->packages.items[i].name),
                             EXIT_USAGE);
    return exit_status == EXIT_DONE ? run_scripts(q) : exit_status;
}

int query_command(int argc, char **argv)
{
    struct query_settings q = {0};
    int exit_status = parse(&q, argc, argv);
    if (exit_status == EXIT_DONE) {
        catch_signals();
        exit_status = run(&q);
    }
    for (size_t i = 0; i < q.scripts.count; i++)
        free(q.scripts.items[i].text);
    for (size_t i = 0; i < q.packages.count; i++) {
        free(q.packages.items[i].folder);
        free(q.packages.items[i].name);
    }
    vec_release(&q.packages);
    vec_release(&q.scripts);
    return exit_status;
}
