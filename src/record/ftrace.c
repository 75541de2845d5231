#include "record/ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "parsers/tracedat/compact_columns.h"
#include "parsers/tracedat/dat_events.h"
#include "parsers/tracedat/ring_buffer.h"
#include "pb_fields.h"
#include "record/buffer_size.h"
#include "record/event_choice.h"
#include "record/processes.h"
#include "record/tracefs.h"

enum {
    BUNDLE_BYTES = 64 << 10,
    PID_AT = 4, /* in all events */
    CLONE_THREAD_FLAG = 0x10000,
    WAKE_PERCENT = 25, /* of a buffer that is full: not waited any longer */
};

struct ring_cpu {
    uint32_t number;
    int fd; /* trace_pipe_raw */
    struct compact_cpu compact;
    uint64_t last_ts; /* of the event that was read last */
    struct buffer_size size;
};

/* An event that tells of a new task, or program; places are 0 where it has none such. */
struct task_event {
    uint16_t id, pid_at, flags_at;
};

struct record_ftrace {
    struct tracefs fs;
    struct event_choice events;
    struct dat_file file;
    struct byte_list header, printk, symbols;
    struct dat_events encoder;
    struct compact_columns compact;
    struct task_event new_task, new_program;
    VEC(struct ring_cpu) cpus;
    size_t drains;
    size_t page_size;
    uint8_t *page;
    struct pb_bytes bundle, stats;
    struct byte_list text;
    bool bundle_has_events, begins_state; /* the next packet begins a state */
};

static uint16_t field_at(const struct event_format *format, struct str name, uint32_t size)
{
    for (size_t i = 0; i < format->fields.count; i++) {
        const struct event_field *f = &format->fields.items[i];
        if (str_eq(f->name, name) && f->size == size && f->offset < UINT16_MAX - size)
            return (uint16_t)f->offset;
    }
    return 0;
}

/* What is handled besides being written. */
static void note_format(struct record_ftrace *f, const struct event_format *format)
{
    compact_formats_add(&f->compact.formats, format);
    uint16_t id = (uint16_t)format->id, pid = field_at(format, STR("pid"), 4);
    if (str_eq(format->name, STR("task_newtask")))
        f->new_task = (struct task_event){id, pid, field_at(format, STR("clone_flags"), 8)};
    else if (str_eq(format->name, STR("sched_process_exec")))
        f->new_program = (struct task_event){id, pid, 0};
}

static void read_formats(struct record_ftrace *f)
{
    struct event_format format = {0};
    for (size_t i = 0; i < f->events.chosen.count; i++) {
        const struct chosen_event *e = &f->events.chosen.items[i];
        *vec_push(&f->file.formats) =
            (struct dat_format){.text = str_from(e->format), .is_syscall = e->is_syscall};
        if (event_format_read(str_from(e->format), &format) && format.id <= UINT16_MAX)
            note_format(f, &format);
    }
    event_format_release(&format);
}

static struct str as_text(const struct byte_list *l)
{
    return (struct str){(const char *)l->v.items, l->v.count};
}

/* Texts of trace_printk and names of functions, as far as an event that is recorded needs them. */
static void read_names(struct record_ftrace *f)
{
    read_file_at(f->fs.root, "events/header_page", &f->header);
    read_file_at(f->fs.root, "printk_formats", &f->printk);
    if (f->events.needs_symbols)
        read_file_at(AT_FDCWD, "/proc/kallsyms", &f->symbols);
    f->file.header_page = as_text(&f->header);
    f->file.printk = as_text(&f->printk);
    f->file.kallsyms = as_text(&f->symbols);
    f->file.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static void add_cpus(struct recorder *r, struct record_ftrace *f)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "per_cpu/cpu%ld/trace_pipe_raw", i);
        int fd = openat(f->fs.instance, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0)
            continue;
        *vec_push(&f->cpus) =
            (struct ring_cpu){.number = (uint32_t)i,
                              .fd = fd,
                              .compact = {-1},
                              .last_ts = record_now(),
                              .size =
                                  buffer_size_begin(f->fs.instance, (uint32_t)i,
                                                    r->settings->buffer_bytes, (uint32_t)count)};
    }
}

static uint64_t number_behind(struct str text, struct str label)
{
    const char *at = text.n ? memmem(text.p, text.n, label.p, label.n) : NULL;
    if (!at)
        return 0;
    struct str rest = str_skip(text, (size_t)(at - text.p) + label.n);
    uint64_t v = 0;
    str_to_u64(str_trim(str_from_to(rest, 0, str_find(rest, '\n'))), 10, &v);
    return v;
}

static double seconds_behind(struct str text, struct str label)
{
    const char *at = text.n ? memmem(text.p, text.n, label.p, label.n) : NULL;
    double v = 0;
    if (at) {
        struct str rest = str_skip(text, (size_t)(at - text.p) + label.n);
        str_to_f64(str_trim(str_from_to(rest, 0, str_find(rest, '\n'))), &v);
    }
    return v;
}

/* One cpu's counts, as the kernel keeps them; returns what is lost. */
static uint64_t put_cpu_stats(struct record_ftrace *f, uint32_t cpu, struct pb_bytes *out)
{
    char path[64];
    snprintf(path, sizeof path, "per_cpu/cpu%u/stats", cpu);
    f->text.v.count = 0;
    read_file_at(f->fs.instance, path, &f->text);
    struct str text = as_text(&f->text);
    uint64_t overrun = number_behind(text, STR("\noverrun:"));
    uint64_t commit = number_behind(text, STR("\ncommit overrun:"));
    uint64_t dropped = number_behind(text, STR("\ndropped events:"));
    struct pb_bytes s = {0};
    pb_put_uint(&s, PB_FtraceCpuStats_cpu, cpu);
    pb_put_uint(&s, PB_FtraceCpuStats_entries, number_behind(text, STR("entries:")));
    pb_put_uint(&s, PB_FtraceCpuStats_overrun, overrun);
    pb_put_uint(&s, PB_FtraceCpuStats_commit_overrun, commit);
    pb_put_uint(&s, PB_FtraceCpuStats_bytes_read, number_behind(text, STR("\nbytes:")));
    pb_put_double(&s, PB_FtraceCpuStats_oldest_event_ts,
                  seconds_behind(text, STR("\noldest event ts:")));
    pb_put_double(&s, PB_FtraceCpuStats_now_ts, seconds_behind(text, STR("\nnow ts:")));
    pb_put_uint(&s, PB_FtraceCpuStats_dropped_events, dropped);
    pb_put_uint(&s, PB_FtraceCpuStats_read_events, number_behind(text, STR("\nread events:")));
    pb_put_message(out, PB_FtraceStats_cpu_stats, &s);
    pb_bytes_release(&s);
    return overrun + commit + dropped;
}

static uint64_t put_stats(struct recorder *r, uint64_t phase)
{
    struct record_ftrace *f = r->ftrace;
    uint64_t lost = 0;
    f->stats.v.count = 0;
    pb_put_uint(&f->stats, PB_FtraceStats_phase, phase);
    for (size_t i = 0; i < f->cpus.count; i++)
        lost += put_cpu_stats(f, f->cpus.items[i].number, &f->stats);
    record_put(r, &(struct record_packet){.sequence = FTRACE_SEQUENCE,
                                          .field = PB_TracePacket_ftrace_stats,
                                          .ts = record_now(),
                                          .message = &f->stats});
    return lost;
}

static struct status prepare(struct recorder *r, struct record_ftrace *f)
{
    struct status s = tracefs_begin(&f->fs);
    if (!status_ok(s))
        return s;
    char percent[8];
    snprintf(percent, sizeof percent, "%d", WAKE_PERCENT);
    write_file_at(f->fs.instance, "buffer_percent", percent); /* since Linux 5.0; by time, too */
    if (!write_file_at(f->fs.instance, "trace_clock", "boot"))
        return status_error(STATUS_IO, "tracefs: the clock cannot be boot: %s", strerror(errno));
    add_cpus(r, f);
    if (f->cpus.count == 0)
        return status_error(STATUS_IO, "tracefs: no ring buffer can be read: %s", strerror(errno));
    return status_ok_value();
}

static void release(struct record_ftrace *f)
{
    for (size_t i = 0; i < f->cpus.count; i++)
        close(f->cpus.items[i].fd);
    vec_release(&f->cpus);
    tracefs_end(&f->fs); /* an instance whose files are open cannot be removed */
    event_choice_release(&f->events);
    dat_events_release(&f->encoder);
    vec_release(&f->file.formats);
    compact_columns_release(&f->compact);
    vec_release(&f->header.v);
    vec_release(&f->printk.v);
    vec_release(&f->symbols.v);
    vec_release(&f->text.v);
    pb_bytes_release(&f->bundle);
    pb_bytes_release(&f->stats);
    free(f->page);
    free(f);
}

static void say_stale(void *self, const char *name)
{
    record_say(self, "removed what a recorder that was killed had left enabled: %s", name);
}

/* Enables what was chosen. False where none could be. */
static bool enable(struct record_ftrace *f)
{
    bool any = false;
    for (size_t i = 0; i < f->events.chosen.count; i++) {
        struct chosen_event *e = &f->events.chosen.items[i];
        char path[192];
        snprintf(path, sizeof path, "events/%s/%s/enable", e->system, e->name);
        any |= write_file_at(f->fs.instance, path, "1");
    }
    return any;
}

static void add_events_of(struct recorder *r, struct record_ftrace *f,
                          const struct chosen_source *c)
{
    const struct record_source *s = c->source;
    if (chosen_events(c) && !event_choice_add(&f->events, f->fs.root, s->events))
        record_say(r, "without events of %s: this kernel has none", s->name);
}

struct status record_ftrace_begin(struct recorder *r, const struct chosen_source *sources,
                                  size_t source_count, const char *const *patterns,
                                  size_t pattern_count)
{
    struct record_ftrace *f = alloc_array(1, sizeof *f);
    f->fs.instance = -1;
    f->page_size = (size_t)sysconf(_SC_PAGESIZE);
    f->page = alloc_bytes(f->page_size);
    f->begins_state = true;
    struct status s = tracefs_open(&f->fs);
    if (status_ok(s)) {
        tracefs_remove_stale(&f->fs, say_stale, r);
        for (size_t i = 0; i < source_count; i++)
            add_events_of(r, f, &sources[i]);
        for (size_t i = 0; i < pattern_count; i++)
            if (!event_choice_add(&f->events, f->fs.root, patterns[i]))
                record_say(r, "no event %s", patterns[i]);
        s = prepare(r, f);
    }
    if (status_ok(s)) {
        read_formats(f);
        read_names(f);
        dat_events_init(&f->encoder, &f->file, false);
        r->ftrace = f;
        put_stats(r, PB_FtraceStats_Phase_START_OF_TRACE);
        if (enable(f))
            return s;
        s = status_error(STATUS_IO, "tracefs: no event can be enabled: %s", strerror(errno));
    }
    r->ftrace = NULL;
    release(f);
    return s;
}

static void begin_bundle(struct record_ftrace *f, const struct ring_cpu *cpu)
{
    f->bundle.v.count = 0;
    f->bundle_has_events = false;
    pb_put_uint(&f->bundle, PB_FtraceEventBundle_cpu, cpu->number);
    pb_put_uint(&f->bundle, PB_FtraceEventBundle_previous_bundle_end_timestamp, cpu->last_ts);
    if (f->begins_state)
        pb_put_raw(&f->bundle, f->encoder.descriptors.v.items, f->encoder.descriptors.v.count);
}

static void end_bundle(struct recorder *r)
{
    struct record_ftrace *f = r->ftrace;
    if (!f->bundle_has_events)
        return;
    compact_columns_put(&f->compact, &f->bundle);
    struct pb_bytes *names = &f->encoder.interned;
    record_put(r, &(struct record_packet){
                      .sequence = FTRACE_SEQUENCE,
                      .field = PB_TracePacket_ftrace_events,
                      .message = &f->bundle,
                      .interned = names->v.count || f->begins_state ? names : NULL,
                      .flags = f->begins_state
                                   ? PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED
                                   : PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE});
    names->v.count = 0;
    f->begins_state = false;
}

static int32_t int_at(struct bytes event, size_t at)
{
    int32_t v = 0;
    if (at > 0 && event.n >= at + sizeof v)
        memcpy(&v, event.p + at, sizeof v);
    return v;
}

/* Tells the process tree of new tasks and programs. */
static void note_task(struct recorder *r, uint64_t ts, struct bytes event)
{
    const struct record_ftrace *f = r->ftrace;
    uint16_t id;
    memcpy(&id, event.p, sizeof id);
    int32_t by = int_at(event, PID_AT);
    record_processes_note(r->processes, by);
    if (f->new_task.id && id == f->new_task.id) {
        bool is_thread = (int_at(event, f->new_task.flags_at) & CLONE_THREAD_FLAG) != 0;
        record_processes_made(r, by, int_at(event, f->new_task.pid_at), is_thread, ts);
    } else if (f->new_program.id && id == f->new_program.id) {
        record_processes_changed(r->processes, int_at(event, f->new_program.pid_at));
    }
}

static void take_event(struct recorder *r, struct ring_cpu *cpu, uint64_t ts, struct bytes event)
{
    struct record_ftrace *f = r->ftrace;
    if (compact_columns_take(&f->compact, &cpu->compact, ts, event)) {
        record_processes_note(r->processes, cpu->compact.running);
    } else if (event.n > PID_AT) {
        note_task(r, ts, event);
        dat_events_encode(&f->encoder, ts, event, &f->bundle);
    }
    f->bundle_has_events = true;
    cpu->last_ts = ts;
}

/* The bytes that the columns of a bundle will take count, too. */
static bool is_bundle_full(const struct record_ftrace *f)
{
    return f->bundle.v.count + 6 * f->compact.switch_ts.v.count + 6 * f->compact.waking_ts.v.count >
           BUNDLE_BYTES;
}

static void take_page(struct recorder *r, struct ring_cpu *cpu, size_t n)
{
    struct record_ftrace *f = r->ftrace;
    struct ring_buffer ring = ring_buffer_make((struct bytes){f->page, n}, f->page_size,
                                               f->file.header_page, f->file.big);
    struct bytes event;
    while (ring_buffer_next(&ring, &event)) {
        if (ring.lost || is_bundle_full(f)) {
            end_bundle(r);
            begin_bundle(f, cpu);
        }
        if (ring.lost)
            pb_put_uint(&f->bundle, PB_FtraceEventBundle_lost_events, 1);
        ring.lost = false;
        take_event(r, cpu, ring.ts, event);
    }
}

/* Not forever, where events come as fast as they are taken, and no more than a ring's stretch. */
static bool may_take(const struct recorder *r, const struct ring_cpu *cpu, uint64_t until,
                     size_t taken)
{
    return (taken == 0 || cpu->last_ts < until) && taken < cpu->size.bytes &&
           !record_output_is_full(&r->out);
}

/* A page a read: full ones the kernel takes out of the buffer, of that which is being written it
 * copies the events. splice() would leave out the latter, and takes twice the time: the kernel
 * clears a new page for each, where reading has it use the one before. */
static void drain_cpu(struct recorder *r, struct ring_cpu *cpu)
{
    struct record_ftrace *f = r->ftrace;
    uint64_t now = record_now();
    size_t taken = 0;
    ssize_t n;
    begin_bundle(f, cpu);
    while (may_take(r, cpu, now, taken) && (n = read(cpu->fd, f->page, f->page_size)) > 0) {
        take_page(r, cpu, (size_t)n);
        taken += (size_t)n;
    }
    end_bundle(r);
    buffer_size_grow(&cpu->size, f->fs.instance, cpu->number, taken);
}

void record_ftrace_drain(struct recorder *r)
{
    struct record_ftrace *f = r->ftrace;
    size_t first =
        f->drains++; /* each is the first in its turn: a stretch may be full before all */
    for (size_t i = 0; i < f->cpus.count; i++)
        drain_cpu(r, &f->cpus.items[(first + i) % f->cpus.count]);
}

void record_ftrace_again(struct recorder *r)
{
    r->ftrace->begins_state = true;
    dat_events_forget_interned(&r->ftrace->encoder);
    for (size_t i = 0; i < r->ftrace->cpus.count; i++)
        r->ftrace->cpus.items[i].compact.running = -1; /* the next switch is told whole */
}

uint64_t record_ftrace_end(struct recorder *r)
{
    struct record_ftrace *f = r->ftrace;
    write_file_at(f->fs.instance, "tracing_on", "0");
    record_ftrace_drain(r);
    uint64_t lost = put_stats(r, PB_FtraceStats_Phase_END_OF_TRACE);
    r->ftrace = NULL;
    release(f);
    return lost;
}

void record_ftrace_add_polled(const struct recorder *r, struct record_polled *p)
{
    for (size_t i = 0; i < r->ftrace->cpus.count; i++)
        *vec_push(&p->v) = (struct pollfd){.fd = r->ftrace->cpus.items[i].fd, .events = POLLIN};
}

size_t record_ftrace_event_count(const struct record_ftrace *f)
{
    return f->events.chosen.count;
}

const char *record_ftrace_event(const struct record_ftrace *f, size_t index)
{
    return f->events.chosen.items[index].both;
}
