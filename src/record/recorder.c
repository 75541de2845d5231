/* The recording: begins sources, waits, lets them write, ends them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "pb_fields.h"
#include "record/command.h"
#include "record/description.h"
#include "record/dwarf_unwind.h"
#include "record/flight.h"
#include "record/ftrace.h"
#include "record/processes.h"

enum {
    TICK_MS = 200, /* buffers are looked at, if none fills up before */
    CLOCKS_MS = 1000,
    SOURCES_MOST = 32,
    INPUT_AT = 1, /* among what is polled */
};

#define MS INT64_C(1000000)

/* A source that is recorded. */
struct running_source {
    const struct record_source *source;
    void *state;
    int poll_ms;
    int64_t due_ns;
};

struct recording {
    struct recorder r; /* first */
    struct chosen_source chosen[SOURCES_MOST];
    size_t chosen_count;
    struct running_source running[SOURCES_MOST];
    size_t running_count;
    struct record_command command;
    struct record_flight flight; /* of a ring */
    int signals;
    struct record_polled polled;
    int64_t begun_ns, ends_ns, clocks_due_ns;
    bool ended;
};

uint64_t record_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void record_say(struct recorder *r, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    r->settings->listener.say(r->settings->listener.self, line);
}

void record_put(struct recorder *r, const struct record_packet *p)
{
    struct pb_bytes *b = &r->packet;
    b->v.count = 0;
    if (p->ts)
        pb_put_uint(b, PB_TracePacket_timestamp, p->ts);
    pb_put_uint(b, PB_TracePacket_trusted_packet_sequence_id, p->sequence);
    if (p->flags)
        pb_put_uint(b, PB_TracePacket_sequence_flags, p->flags);
    if (p->defaults)
        pb_put_message(b, PB_TracePacket_trace_packet_defaults, p->defaults);
    if (p->interned)
        pb_put_message(b, PB_TracePacket_interned_data, p->interned);
    record_output_packet(&r->out, b, p->field, p->message);
}

bool record_source_at(size_t index, struct record_source_info *out)
{
    const struct record_source *s = record_sources[index];
    if (s)
        *out = (struct record_source_info){s->name, s->about, s->needs, s->usual};
    return s != NULL;
}

bool record_has_dwarf(void)
{
    return dwarf_unwind_registers() != 0;
}

static const struct record_source *find_source(const char *name)
{
    for (size_t i = 0; record_sources[i]; i++)
        if (strcmp(record_sources[i]->name, name) == 0)
            return record_sources[i];
    return NULL;
}

/* Fills in how, as the wishes for it together have it. */
static bool is_wanted(const struct record_settings *s, struct chosen_source *c)
{
    bool any = false;
    c->no_events = true;
    for (size_t i = 0; i < s->sources.count; i++) {
        const struct record_wanted *w = &s->sources.items[i];
        if (find_source(w->name) != c->source)
            continue;
        any = true;
        c->no_events &= w->no_events;
        if (w->poll_ms && (!c->poll_ms || w->poll_ms < c->poll_ms))
            c->poll_ms = w->poll_ms;
    }
    return any;
}

static struct status choose(struct recording *g)
{
    const struct record_settings *s = g->r.settings;
    bool named = s->sources.count > 0 || s->events.count > 0 || s->nothing_usual;
    for (size_t i = 0; i < s->sources.count; i++)
        if (!find_source(s->sources.items[i].name))
            return status_error(STATUS_USAGE, "there is no source %s", s->sources.items[i].name);
    for (size_t i = 0; record_sources[i]; i++) {
        struct chosen_source c = {.source = record_sources[i]};
        if (named ? is_wanted(s, &c) : c.source->usual) {
            c.poll_ms = c.poll_ms ? c.poll_ms : c.source->poll_ms;
            g->chosen[g->chosen_count++] = c;
        }
    }
    return status_ok_value();
}

/* The sources' names with commas between, whose events are left out. */
static void say_without(struct recording *g, const char *why)
{
    char names[256] = "";
    size_t n = 0;
    for (size_t i = 0; i < g->chosen_count && n < sizeof names; i++)
        if (chosen_events(&g->chosen[i]))
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
                                  g->chosen[i].source->name);
    record_say(&g->r, "without events%s%s: %s", n ? " of " : "", names, why);
}

static bool wants_events(const struct recording *g)
{
    bool any = g->r.settings->events.count > 0;
    for (size_t i = 0; i < g->chosen_count; i++)
        any |= chosen_events(&g->chosen[i]) != NULL;
    return any;
}

/* Returns how many sources there are. */
static size_t begin_sources(struct recording *g)
{
    size_t count = 0;
    if (wants_events(g)) {
        struct status s =
            record_ftrace_begin(&g->r, g->chosen, g->chosen_count, g->r.settings->events.items,
                                g->r.settings->events.count);
        if (!status_ok(s))
            say_without(g, s.message);
        count += status_ok(s);
        status_release(&s);
    }
    for (size_t i = 0; i < g->chosen_count; i++) {
        const struct record_source *source = g->chosen[i].source;
        struct running_source *run = &g->running[g->running_count];
        if (!source->begin)
            continue;
        *run = (struct running_source){.source = source, .poll_ms = g->chosen[i].poll_ms};
        struct status s = source->begin(&g->r, &run->state);
        if (!status_ok(s))
            record_say(&g->r, "without %s: %s", source->name, s.message);
        g->running_count += status_ok(s);
        count += status_ok(s);
        status_release(&s);
    }
    return count;
}

static void poll_sources(struct recording *g, int64_t now)
{
    for (size_t i = 0; i < g->running_count; i++) {
        struct running_source *run = &g->running[i];
        if (!run->source->poll || run->due_ns > now)
            continue;
        run->source->poll(&g->r, run->state);
        run->due_ns = now + run->poll_ms * MS;
    }
}

static void end_sources(struct recording *g)
{
    for (size_t i = 0; i < g->running_count; i++)
        g->running[i].source->end(&g->r, g->running[i].state);
    g->running_count = 0;
}

static void add_polled(struct recording *g)
{
    int input = g->r.settings->stdin_ends ? STDIN_FILENO : -1;
    *vec_push(&g->polled.v) = (struct pollfd){.fd = g->signals, .events = POLLIN};
    *vec_push(&g->polled.v) = (struct pollfd){.fd = input, .events = POLLIN};
    if (g->r.ftrace)
        record_ftrace_add_polled(&g->r, &g->polled);
}

static void take_signals(struct recording *g)
{
    struct signalfd_siginfo info;
    while (read(g->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGUSR1)
            g->flight.wanted = true;
        else
            g->ended |= info.ssi_signo != SIGCHLD;
}

/* What it says does not matter, but that it ends. */
static void take_input(struct recording *g)
{
    char piece[256];
    if (g->polled.v.items[INPUT_AT].revents)
        g->ended |= read(STDIN_FILENO, piece, sizeof piece) <= 0;
}

/* Until something is due, a buffer fills up or a signal comes. */
static void wait_a_tick(struct recording *g)
{
    int64_t now = clock_now_ns(), until = now + TICK_MS * MS;
    if (g->ends_ns && g->ends_ns < until)
        until = g->ends_ns;
    if (g->r.settings->shown_path && g->flight.shown_due_ns < until)
        until = g->flight.shown_due_ns;
    int64_t wait = until > now ? until - now : 0;
    const struct timespec t = {.tv_sec = 0, .tv_nsec = wait};
    if (ppoll(g->polled.v.items, g->polled.v.count, &t, NULL) <= 0)
        return;
    take_signals(g);
    take_input(g);
}

/* Each stretch of a ring begins with all that its packets refer to. */
static void begin_stretch(struct recording *g, bool first)
{
    struct recorder *r = &g->r;
    record_put_description(r);
    record_put_config(r, g->chosen, g->chosen_count);
    if (r->ftrace && !first)
        record_ftrace_again(r);
    for (size_t i = 0; i < g->running_count; i++)
        if (g->running[i].source->again)
            g->running[i].source->again(r, g->running[i].state);
    record_processes_scan(r);
}

static void look_after_ring(struct recording *g, int64_t now)
{
    if (!g->r.settings->ring_ns)
        return;
    record_flight_look(&g->r, &g->flight, now);
    if (record_flight_stretch(&g->r, &g->flight, now))
        begin_stretch(g, false);
}

static bool is_full(const struct recording *g)
{
    uint64_t most = g->r.settings->most_bytes;
    return most > 0 && g->r.out.written >= most;
}

static void run(struct recording *g)
{
    while (!g->ended && g->r.out.error == 0) {
        wait_a_tick(g);
        int64_t now = clock_now_ns();
        if (now >= g->clocks_due_ns) {
            record_put_clocks(&g->r);
            g->clocks_due_ns = now + CLOCKS_MS * MS;
        }
        if (g->r.ftrace)
            record_ftrace_drain(&g->r);
        poll_sources(g, now);
        record_processes_flush(&g->r);
        record_output_flush(&g->r.out);
        look_after_ring(g, now);
        g->ended |= is_full(g) || (g->ends_ns && now >= g->ends_ns) ||
                    record_command_has_ended(&g->command);
    }
}

/* Signals are read, so that whatever ends the recording, it is ended in order. */
static sigset_t block_signals(struct recording *g)
{
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGCHLD);
    if (g->r.settings->ring_ns)
        sigaddset(&ours, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    g->signals = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing */
    return before;
}

static struct status check_written(const struct recording *g)
{
    const struct record_output *o = &g->r.out;
    if (o->error == 0 || o->error == EPIPE) /* who reads has seen enough */
        return status_ok_value();
    return status_error(STATUS_IO, "%s: cannot be written: %s", o->path, strerror(o->error));
}

/* The ring's end, or what is still pending. */
static void write_rest(struct recording *g)
{
    struct record_output *o = &g->r.out;
    record_output_flush(o);
    if (!g->r.settings->ring_ns || g->r.settings->fd < 0)
        return;
    o->error = record_output_write_ring(o, g->r.settings->fd);
    o->written = o->ring_bytes;
}

static void end_recording(struct recording *g, struct record_result *result)
{
    record_check_cancel(&g->flight.check); /* it has the instance's files open */
    g->r.out.stretch_most = 0;             /* the last one has what is left */
    if (g->r.ftrace)
        result->lost_events = record_ftrace_end(&g->r);
    end_sources(g);
    record_processes_flush(&g->r);
    record_command_end(&g->command);
}

/* Before the command runs, so that nothing of it is missing. */
static struct status begin_recording(struct recording *g)
{
    const struct record_settings *settings = g->r.settings;
    struct status s = choose(g);
    if (status_ok(s))
        s = record_flight_begin(&g->r, &g->flight);
    if (status_ok(s) && settings->command)
        s = record_command_begin(&g->command, settings->command, settings->quiet_command,
                                 settings->stdin_ends);
    if (!status_ok(s))
        return s;
    g->r.command = g->command.pid;
    if (settings->ring_ns)
        record_flight_stretch(&g->r, &g->flight, clock_now_ns());
    record_put_clocks(&g->r);
    if (begin_sources(g) == 0) {
        record_command_cancel(&g->command);
        return status_error(STATUS_IO, "nothing can be recorded");
    }
    if (ftruncate(settings->fd, 0) != 0)
        errno = 0; /* a pipe: there is nothing to overwrite */
    record_processes_mark(&g->r, getpid(), "recorder");
    if (settings->shown_path) /* who shows it is at work because it is recorded, too */
        record_processes_mark(&g->r, getppid(), "recorder");
    if (g->command.pid)
        record_processes_mark(&g->r, g->command.pid, "recorded");
    begin_stretch(g, true);
    add_polled(g);
    return s;
}

static struct status record(struct recording *g, struct record_result *result)
{
    struct status s = begin_recording(g);
    if (!status_ok(s))
        return s;
    g->begun_ns = clock_now_ns();
    g->clocks_due_ns = g->begun_ns + CLOCKS_MS * MS;
    g->ends_ns = g->r.settings->duration_ns ? g->begun_ns + g->r.settings->duration_ns : 0;
    s = record_command_run(&g->command);
    if (status_ok(s))
        run(g);
    end_recording(g, result);
    if (!status_ok(s))
        return s;
    record_put_clocks(&g->r);
    write_rest(g);
    result->command_status = g->command.status;
    result->bytes = g->r.out.written;
    result->duration_ns = clock_now_ns() - g->begun_ns;
    return check_written(g);
}

struct status record_run(const struct record_settings *settings, struct record_result *result)
{
    struct recording g = {.r = {.settings = settings,
                                .out = {.fd = settings->ring_ns ? -1 : settings->fd,
                                        .path = settings->path,
                                        .compress = settings->compress}},
                          .command = {.go = -1, .problem = -1}};
    *result = (struct record_result){0};
    sigset_t before = block_signals(&g);
    g.r.processes = record_processes_new();
    struct status s = record(&g, result);
    record_processes_free(g.r.processes);
    record_flight_end(&g.flight);
    record_output_release(&g.r.out);
    pb_bytes_release(&g.r.packet);
    vec_release(&g.polled.v);
    if (g.signals >= 0)
        close(g.signals);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s;
}
