#include "cli/workspace.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "base/clock.h"
#include "base/standard_streams.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "core/loss.h"
#include "core/trace/settled_args.h"
#include "core/trace_builder.h"
#include "parsers/load.h"
#include "explain/alerts.h"
#include "sql/session.h"

/* How long a statement may take to notice that it shall stop. */
enum { STOP_MICROSECONDS = 60000 };

/* What the signal handlers need, and what lives as long as the process: the system takes memory
 * back faster than we free it. */
static struct {
    struct load_progress progress;
    struct trace trace;
    struct sql_session *session;
    volatile sig_atomic_t interrupted, timed_out, reported;
    volatile sig_atomic_t patience; /* above 0: a report is written, which is waited for */
    bool is_shell, keeps_going;
    int64_t load_time;                 /* ns */
    struct cache_writer *cache_writer; /* NULL: none */
    struct file_identity file;         /* that the trace was read from */
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

static void call_back_soon(void)
{
    struct itimerval timer = {.it_value = {.tv_usec = STOP_MICROSECONDS}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* In any thread. */
static void stop(volatile sig_atomic_t *reason)
{
    if (running.patience > 0 && --running.patience > 0) { /* else two lines would become one */
        call_back_soon();
        return;
    }
    if (running.interrupted || running.timed_out)
        end_now();
    *reason = 1;
    atomic_store(&running.progress.cancel, true);
    if (running.session)
        sql_session_interrupt(running.session);
    call_back_soon();
}

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (!running.keeps_going)
        stop(&running.interrupted);
    else if (running.session)
        sql_session_interrupt(running.session);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    stop(&running.timed_out);
}

int workspace_sort_memory(void *self, const char *value)
{
    return options_sort_memory(value, &((struct workspace_settings *)self)->sort_memory);
}

int workspace_from(void *self, const char *value)
{
    return options_from(value, &((struct workspace_settings *)self)->import.window);
}

int workspace_to(void *self, const char *value)
{
    return options_to(value, &((struct workspace_settings *)self)->import.window);
}

int workspace_as(void *self, const char *value)
{
    return options_format(value, &((struct workspace_settings *)self)->as);
}

/* DIR@NAME; without NAME the folder's own name. */
int workspace_add_package(void *self, const char *value)
{
    struct workspace_settings *q = self;
    size_t n = strlen(value);
    while (n > 1 && value[n - 1] == '/')
        n--;
    const char *at = memrchr(value, '@', n), *slash = memrchr(value, '/', n);
    const char *name = at ? at + 1 : slash ? slash + 1 : value;
    size_t name_size = (size_t)(value + n - name);
    if (name_size == 0)
        return usage_error("--add-sql-package %s: expected DIR or DIR@NAME", value);
    struct sql_package p = {alloc_copy(value, at ? (size_t)(at - value) : n),
                            alloc_copy(name, name_size)};
    *vec_push(&q->packages) = p;
    return EXIT_DONE;
}

int workspace_override_stdlib(void *self, const char *value)
{
    struct workspace_settings *q = self;
    struct sql_package p = {alloc_copy(value, strlen(value)), alloc_copy("", 0)};
    *vec_push(&q->packages) = p;
    return EXIT_DONE;
}

const char *workspace_loading_option(const struct workspace_settings *s)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {s->packages.count > 0, "--add-sql-package or --override-stdlib"},
        {s->may_write_files, "--allow-sql-file-access"},
        {s->curves, "--wattson-curves"},
        {s->as, "--as"},
        {block_store_use().is_fixed, "--memory"},
        {s->sort_memory > 0, "--sort-memory"},
        {s->no_vector, "--no-vector"},
        {s->import.no_typed_ftrace, "--no-ftrace-raw"},
        {s->import.crop_track_events, "--crop-track-events"},
        {s->import.measure_content, "--analyze-trace-proto-content"},
        {s->import.window.has_from, "--from"},
        {s->import.window.has_to, "--to"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

void workspace_settings_release(struct workspace_settings *s)
{
    for (size_t i = 0; i < s->packages.count; i++) {
        free(s->packages.items[i].folder);
        free(s->packages.items[i].name);
    }
    vec_release(&s->packages);
}

/* A message may quote names from the trace; it goes to a terminal. */
void workspace_print(const char *message)
{
    struct str rest = str_from(message);
    if (!running.is_shell)
        fputs("tptui: ", standard_errors());
    for (struct str line; str_next_line(&rest, &line);) {
        char *shown = text_escape(line);
        fprintf(standard_errors(), "%s\n", shown);
        free(shown);
    }
}

int workspace_report(struct status s, int exit_status)
{
    enum { PATIENCE = 4 };
    if (status_ok(s))
        return EXIT_DONE;
    running.patience = PATIENCE;
    running.reported = 1;
    if (running.interrupted) {
        workspace_print("interrupted");
        exit_status = EXIT_INTERRUPT;
    } else if (running.timed_out) {
        workspace_print("timed out");
    } else if (s.code != STATUS_CANCELLED) {
        workspace_print(s.message);
    }
    status_release(&s);
    running.patience = 0;
    return exit_status;
}

void workspace_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

/* 0 stops it; less than a microsecond is one. */
void workspace_set_timeout(double seconds)
{
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

void workspace_warn_about_loss(const struct trace *trace, const char *path)
{
    char text[1024];
    loss_print(trace, text, sizeof text);
    if (loss_total(trace).matters && text[0])
        fprintf(standard_errors(), "tptui: %s: %s\n", path, text);
}

/* What Trace Processor's shell says, for who watches standard error. */
static void print_loaded(const char *path)
{
    struct stat file;
    double size = stat(path, &file) == 0 ? (double)file.st_size / 1e6 : 0;
    double seconds = (double)running.load_time / 1e9;
    fprintf(standard_errors(), "Trace loaded: %.2f MB in %.2fs (%.1f MB/s)\n", size, seconds,
            seconds > 0 ? size / seconds : 0);
}

/* Trace Processor takes a file without a byte for a trace without a packet. */
static bool is_empty_trace(const struct workspace_settings *settings)
{
    struct stat file;
    return stat(settings->trace, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
}

static void say_empty(const char *path)
{
    if (running.is_shell)
        print_loaded(path);
    else
        fprintf(standard_errors(), "tptui: %s: the file is empty, as is each table of the trace\n",
                path);
}

static int load(const struct workspace_settings *settings)
{
    trace_init(&running.trace);
    if (!settings->trace || is_empty_trace(settings)) {
        trace_finish(&running.trace);
        if (settings->trace)
            say_empty(settings->trace);
        return EXIT_DONE;
    }
    int64_t begin = clock_now_ns();
    struct cache_outcome outcome;
    running.trace.builder->options = settings->import;
    struct status s = trace_open(&running.trace, settings->trace, settings->as, &settings->cache,
                                 &running.progress, &outcome);
    if (outcome.note)
        workspace_print(outcome.note);
    free(outcome.note);
    free(outcome.beside);
    running.cache_writer = outcome.writer;
    running.file = outcome.file;
    running.load_time = clock_now_ns() - begin;
    if (running.is_shell && s.code == STATUS_UNKNOWN_FORMAT)
        s = status_suffix(s, ": Unknown trace type provided (ERR:fmt)");
    if (running.is_shell)
        s = status_prefix(s, "Could not read trace file (path: %s)", settings->trace);
    int exit_status = workspace_report(s, EXIT_TRACE);
    if (exit_status == EXIT_DONE && running.is_shell)
        print_loaded(settings->trace);
    /* Trace Processor's shell says nothing of it to programs. */
    if (exit_status == EXIT_DONE && (!running.is_shell || isatty(STDERR_FILENO)))
        workspace_warn_about_loss(&running.trace, settings->trace);
    return exit_status;
}

static void print_complaint(void *self, const char *message)
{
    (void)self;
    workspace_print(message);
}

/* The alerts are modules, which a statement without the schema cannot include. */
static void register_alerts(void *session)
{
    struct status unread; /* files that are given were read before */
    alerts_register(alert_rules(&unread), session);
    status_release(&unread);
}

struct status workspace_prepare(const struct workspace_settings *settings, struct sql_session *s)
{
    struct status status = status_ok_value();
    if (settings->may_write_files)
        sql_session_allow_files(s);
    sql_session_set_curves(s, settings->curves);
    if (settings->sort_memory > 0)
        sql_session_limit_sort_memory(s, settings->sort_memory);
    if (settings->no_vector)
        sql_session_batch_from(s, UINT32_MAX);
    for (size_t i = 0; i < settings->packages.count && status_ok(status); i++) {
        const struct sql_package *p = &settings->packages.items[i];
        status = sql_session_add_package(s, p->folder, p->name);
    }
    if (!status_ok(status))
        return status;
    if (alert_rules_given())
        alert_rules(&status);
    sql_session_on_schema(s, register_alerts, s);
    sql_session_on_complaint(s, print_complaint, NULL);
    return status;
}

static int open_session(const struct workspace_settings *settings)
{
    struct status status;
    struct sql_session *session = settings->only_statements
                                      ? sql_session_new_waiting(&running.trace, &status)
                                      : sql_session_new(&running.trace, &status);
    int exit_status = workspace_report(status, EXIT_SQL);
    if (exit_status != EXIT_DONE)
        return exit_status;
    running.session = session;
    return workspace_report(workspace_prepare(settings, session), EXIT_USAGE);
}

int workspace_open(const struct workspace_settings *settings)
{
    workspace_catch_signals();
    running.is_shell = settings->is_shell;
    int exit_status = load(settings);
    if (exit_status != EXIT_DONE)
        return exit_status;
    return open_session(settings);
}

int workspace_renew(const struct workspace_settings *settings)
{
    struct sql_session *old = running.session;
    running.session = NULL; /* Ctrl-C must not reach it any more */
    sql_session_free(old);
    return open_session(settings);
}

struct load_progress *workspace_progress(void)
{
    return &running.progress;
}

void workspace_hand_over(void)
{
    settled_args_start(&running.trace);
    running.session = NULL;
    signal(SIGINT, SIG_DFL);
}

void workspace_close(void)
{
    struct status s = cache_writer_end(running.cache_writer, &running.progress.cancel);
    running.cache_writer = NULL;
    if (!status_ok(s) && s.code != STATUS_CANCELLED)
        workspace_print(s.message);
    status_release(&s);
}

void workspace_stop_statements_only(void)
{
    settled_args_start(&running.trace);
    running.keeps_going = true;
}

const struct file_identity *workspace_file(void)
{
    return &running.file;
}

int64_t workspace_load_time(void)
{
    return running.load_time;
}

struct sql_session *workspace_session(void)
{
    return running.session;
}

struct trace *workspace_trace(void)
{
    return &running.trace;
}
