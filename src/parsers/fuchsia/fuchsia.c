/* Fuchsia's traces (fxt): records of 64-bit words, of which the first says the kind and length.
 * Providers, each with its strings and threads by number, take turns; events of all of them are
 * applied in order of time. Packets of Perfetto may be among them: they come last. The
 * records are as fuchsia.dev's "Fuchsia trace format" says. */
#include <string.h>

#include "base/arena.h"
#include "base/little_endian.h"
#include "parsers/fuchsia/events.h"
#include "parsers/input/progress.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/perfetto/perfetto.h"

enum record_type {
    RECORD_METADATA,
    RECORD_INITIALIZATION,
    RECORD_STRING,
    RECORD_THREAD,
    RECORD_EVENT,
    RECORD_BLOB,
    RECORD_KERNEL_OBJECT = 7,
    RECORD_SCHEDULER,
    RECORD_LARGE = 15,
};

enum { METADATA_PROVIDER = 1, METADATA_SECTION };
enum { SCHEDULER_LEGACY_SWITCH, SCHEDULER_SWITCH, SCHEDULER_WAKEUP };
enum { OBJECT_PROCESS = 1, OBJECT_THREAD };
enum {
    WORD = 8,
    INLINE_STRING = 0x8000,
    INLINE_LENGTH = 0x7fff,
    BLOB_PERFETTO = 3,
    ARGS_MAX = 15,
    PROGRESS_RECORDS = 4096,
};

#define USUAL_TICKS UINT64_C(1000000000)

struct provider {
    uint64_t ticks_per_second;
    struct map strings;       /* number -> string_id */
    struct map thread_number; /* -> index of `threads` */
    VEC(struct fuchsia_thread) threads;
};

struct fuchsia {
    struct trace *trace;
    struct arena arena;
    struct fuchsia_events events;
    struct map provider_of; /* id -> index of `providers` */
    VEC(struct provider) providers;
    struct provider *provider; /* the current one; NULL: one that was never told of */
    VEC(struct timed) entries;
    VEC(uint8_t) packets; /* Perfetto's */
    string_id process, weight, waker, incoming_weight, outgoing_weight;
};

/* Words of a record, from its header on. */
struct word_cursor {
    const uint8_t *p, *end;
};

static bool read_word(struct word_cursor *c, uint64_t *out)
{
    if (c->end - c->p < WORD)
        return false;
    *out = load_le64(c->p);
    c->p += WORD;
    return true;
}

/* Bytes are padded to whole words. */
static bool read_bytes(struct word_cursor *c, size_t n, const uint8_t **out)
{
    size_t padded = (n + WORD - 1) / WORD * WORD;
    if ((size_t)(c->end - c->p) < padded)
        return false;
    *out = c->p;
    c->p += padded;
    return true;
}

static uint32_t bits(uint64_t word, unsigned from, unsigned to)
{
    return (uint32_t)(word >> from & ((UINT64_C(1) << (to - from + 1)) - 1));
}

static bool fail(struct fuchsia *f, enum stat_key key)
{
    stats_count(f->trace, key);
    return false;
}

/* Ticks as ns in the way that others compute them, last digits included; -1 where they do not fit.
 */
static int64_t ticks_to_ns(uint64_t ticks, uint64_t per_second)
{
    if (per_second == 0)
        return -1;
    uint64_t high, sum;
    if (__builtin_mul_overflow(ticks >> 32, (USUAL_TICKS << 32) / per_second, &high))
        return -1;
    sum = high + (ticks & UINT32_MAX) * USUAL_TICKS / per_second;
    return (int64_t)sum < 0 ? -1 : (int64_t)sum;
}

static bool read_time(struct fuchsia *f, struct word_cursor *c, int64_t *ts)
{
    uint64_t ticks;
    if (!read_word(c, &ticks))
        return fail(f, STAT_fuchsia_record_read_error);
    *ts = ticks_to_ns(ticks, f->provider->ticks_per_second);
    return *ts >= 0 || fail(f, STAT_fuchsia_timestamp_overflow);
}

/* A string that follows, or one that the provider has numbered. */
static bool read_string(struct fuchsia *f, struct word_cursor *c, uint32_t reference,
                        string_id *out)
{
    const uint8_t *p;
    if (reference == 0 || (reference & INLINE_STRING)) {
        size_t n = reference & INLINE_LENGTH;
        if (!read_bytes(c, n, &p))
            return fail(f, STAT_fuchsia_record_read_error);
        *out = trace_intern(f->trace, (struct str){(const char *)p, n});
        return true;
    }
    const uint32_t *known = map_find(&f->provider->strings, reference);
    if (!known)
        return fail(f, STAT_fuchsia_invalid_string_ref);
    *out = *known;
    return true;
}

static bool read_inline_thread(struct word_cursor *c, struct fuchsia_thread *out)
{
    return read_word(c, &out->pid) && read_word(c, &out->tid);
}

static bool read_thread(struct fuchsia *f, struct word_cursor *c, uint32_t reference,
                        struct fuchsia_thread *out)
{
    *out = (struct fuchsia_thread){0};
    if (reference == 0)
        return read_inline_thread(c, out) || fail(f, STAT_fuchsia_record_read_error);
    const uint32_t *at = map_find(&f->provider->thread_number, reference);
    if (at)
        *out = f->provider->threads.items[*at];
    return true;
}

static bool read_value(struct fuchsia *f, struct word_cursor *c, uint64_t header,
                       struct fuchsia_arg *arg)
{
    uint64_t word = 0;
    switch (arg->type) {
    case FUCHSIA_ARG_INT32:
        arg->i = (int32_t)bits(header, 32, 63);
        return true;
    case FUCHSIA_ARG_UINT32:
        arg->i = bits(header, 32, 63);
        return true;
    case FUCHSIA_ARG_BOOL:
        arg->i = bits(header, 32, 63) != 0;
        return true;
    case FUCHSIA_ARG_STRING:
        return read_string(f, c, bits(header, 32, 47), &arg->s);
    case FUCHSIA_ARG_DOUBLE:
    case FUCHSIA_ARG_INT64:
    case FUCHSIA_ARG_UINT64:
    case FUCHSIA_ARG_POINTER:
    case FUCHSIA_ARG_KOID:
        if (!read_word(c, &word))
            return fail(f, STAT_fuchsia_record_read_error);
        memcpy(&arg->i, &word, sizeof word);
        return true;
    default:
        arg->i = 0;
        return true;
    }
}

static bool read_args(struct fuchsia *f, struct word_cursor *c, uint32_t count,
                      struct fuchsia_arg args[ARGS_MAX])
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *start = c->p;
        uint64_t header;
        if (!read_word(c, &header))
            return fail(f, STAT_fuchsia_record_read_error);
        args[i] = (struct fuchsia_arg){.type = (uint8_t)bits(header, 0, 3)};
        if (!read_string(f, c, bits(header, 16, 31), &args[i].name) ||
            !read_value(f, c, header, &args[i]))
            return false;
        size_t size = (size_t)bits(header, 4, 15) * WORD;
        if ((size_t)(c->end - start) < size)
            return fail(f, STAT_fuchsia_record_read_error);
        c->p = start + size;
    }
    return true;
}

static void keep(struct fuchsia *f, int64_t ts, const struct fuchsia_event *event,
                 const struct fuchsia_arg *args)
{
    size_t size = event->arg_count * sizeof *args;
    struct fuchsia_event *kept = arena_alloc(&f->arena, sizeof *kept + size);
    *kept = *event;
    if (size > 0)
        memcpy(kept->args, args, size);
    *vec_push(&f->entries) = (struct timed){.ts = ts, .record = kept};
}

static bool read_event(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    struct fuchsia_arg args[ARGS_MAX];
    int64_t ts;
    struct fuchsia_event e = {.type = (uint8_t)bits(header, 16, 19),
                              .arg_count = (uint8_t)bits(header, 20, 23)};
    if (!read_time(f, c, &ts) || !read_thread(f, c, bits(header, 24, 31), &e.thread) ||
        !read_string(f, c, bits(header, 32, 47), &e.category) ||
        !read_string(f, c, bits(header, 48, 63), &e.name) || !read_args(f, c, e.arg_count, args))
        return false;
    bool has_id = e.type == FUCHSIA_COUNTER || e.type >= FUCHSIA_ASYNC_BEGIN;
    if (e.type >= FUCHSIA_EVENT_TYPES)
        return true;
    uint64_t word = 0;
    if ((has_id || e.type == FUCHSIA_COMPLETE) && !read_word(c, &word))
        return fail(f, STAT_fuchsia_record_read_error);
    if (e.type == FUCHSIA_COMPLETE)
        e.end = ticks_to_ns(word, f->provider->ticks_per_second);
    else
        e.id = word;
    keep(f, ts, &e, args);
    return true;
}

static bool read_provider(struct fuchsia *f, uint32_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&f->provider_of, id, &inserted);
    if (inserted) {
        *at = (uint32_t)f->providers.count;
        *vec_push(&f->providers) = (struct provider){0};
    }
    struct provider *p = &f->providers.items[*at];
    map_release(&p->strings);
    map_release(&p->thread_number);
    vec_release(&p->threads);
    *p = (struct provider){.ticks_per_second = USUAL_TICKS};
    f->provider = p;
    return true;
}

static bool read_metadata(struct fuchsia *f, uint64_t header)
{
    uint32_t id = bits(header, 20, 51);
    switch (bits(header, 16, 19)) {
    case METADATA_PROVIDER:
        return read_provider(f, id);
    case METADATA_SECTION: {
        const uint32_t *at = map_find(&f->provider_of, id);
        f->provider = at ? &f->providers.items[*at] : NULL;
        return true;
    }
    default:
        return true;
    }
}

static bool read_string_record(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    uint32_t index = bits(header, 16, 30);
    const uint8_t *p;
    size_t n = bits(header, 32, 46);
    if (index == 0)
        return true;
    if (!read_bytes(c, n, &p))
        return fail(f, STAT_fuchsia_record_read_error);
    map_set(&f->provider->strings, index, trace_intern(f->trace, (struct str){(const char *)p, n}));
    return true;
}

static bool read_thread_record(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    struct provider *p = f->provider;
    struct fuchsia_thread thread;
    uint32_t index = bits(header, 16, 23);
    if (index == 0)
        return true;
    if (!read_inline_thread(c, &thread))
        return fail(f, STAT_fuchsia_record_read_error);
    bool inserted;
    uint32_t *at = map_insert(&p->thread_number, index, &inserted);
    if (inserted) {
        *at = (uint32_t)p->threads.count;
        vec_push(&p->threads);
    }
    p->threads.items[*at] = thread;
    return true;
}

static bool read_blob(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    string_id name;
    const uint8_t *p;
    size_t n = bits(header, 32, 46);
    if (bits(header, 48, 55) != BLOB_PERFETTO)
        return true;
    if (!read_string(f, c, bits(header, 16, 31), &name))
        return false;
    if (!read_bytes(c, n, &p))
        return fail(f, STAT_fuchsia_record_read_error);
    vec_append(&f->packets, p, n);
    return true;
}

static bool name_thread(struct fuchsia *f, struct word_cursor *c, uint64_t header, uint64_t tid,
                        string_id name)
{
    struct fuchsia_arg args[ARGS_MAX];
    struct trace *t = f->trace;
    uint32_t count = bits(header, 40, 43);
    uint64_t pid = 0;
    if (!read_args(f, c, count, args))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i].name != f->process)
            continue;
        if (args[i].type != FUCHSIA_ARG_KOID)
            return fail(f, STAT_fuchsia_invalid_event_arg_type);
        pid = (uint64_t)args[i].i;
    }
    fuchsia_events_thread(&f->events, tid, pid);
    uint32_t utid =
        process_tracker_update_thread(t, f->events.machine, (uint32_t)tid, (uint32_t)pid);
    table_set_str(&t->tables.thread, thread_col_name, utid, name);
    return true;
}

static bool read_kernel_object(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    struct trace *t = f->trace;
    uint64_t id;
    string_id name;
    if (!read_word(c, &id))
        return fail(f, STAT_fuchsia_record_read_error);
    if (!read_string(f, c, bits(header, 24, 39), &name))
        return false;
    switch (bits(header, 16, 23)) {
    case OBJECT_PROCESS: {
        uint32_t upid = process_tracker_process(t, f->events.machine, (uint32_t)id);
        process_tracker_set_process_name(t, upid, name, PROCESS_NAME_SYSTEM);
        return true;
    }
    case OBJECT_THREAD:
        return name_thread(f, c, header, id, name);
    default:
        return true;
    }
}

static bool read_legacy_switch(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    int64_t ts;
    struct fuchsia_thread next;
    struct fuchsia_event e = {
        .type = FUCHSIA_SWITCH,
        .is_legacy = true,
        .cpu = bits(header, 16, 23),
        .state = (uint8_t)bits(header, 24, 27),
        .out_weight = (int32_t)bits(header, 44, 51),
        .in_weight = (int32_t)bits(header, 52, 59),
    };
    if (!read_time(f, c, &ts) || !read_thread(f, c, bits(header, 28, 35), &e.thread) ||
        !read_thread(f, c, bits(header, 36, 43), &next))
        return false;
    e.next_tid = next.tid;
    keep(f, ts, &e, NULL);
    return true;
}

/* The arg of that name; false where it is of another type. */
static bool find_arg(struct fuchsia *f, const struct fuchsia_arg *args, uint32_t count,
                     string_id name, enum fuchsia_arg_type type, const struct fuchsia_arg **out)
{
    *out = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i].name != name)
            continue;
        if (args[i].type != type)
            return fail(f, STAT_fuchsia_invalid_event_arg_type);
        *out = &args[i];
    }
    return true;
}

static bool find_weight(struct fuchsia *f, const struct fuchsia_arg *args, uint32_t count,
                        string_id name, int32_t *out)
{
    const struct fuchsia_arg *arg;
    if (!find_arg(f, args, count, name, FUCHSIA_ARG_INT32, &arg))
        return false;
    *out = arg ? (int32_t)arg->i : 0;
    return true;
}

static bool read_switch(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    struct fuchsia_arg args[ARGS_MAX];
    int64_t ts;
    uint32_t count = bits(header, 16, 19);
    struct fuchsia_event e = {.type = FUCHSIA_SWITCH,
                              .cpu = bits(header, 20, 35),
                              .state = (uint8_t)bits(header, 36, 39)};
    if (!read_time(f, c, &ts))
        return false;
    if (!read_word(c, &e.thread.tid) || !read_word(c, &e.next_tid))
        return fail(f, STAT_fuchsia_record_read_error);
    if (!read_args(f, c, count, args) ||
        !find_weight(f, args, count, f->incoming_weight, &e.in_weight) ||
        !find_weight(f, args, count, f->outgoing_weight, &e.out_weight))
        return false;
    keep(f, ts, &e, NULL);
    return true;
}

static bool read_wakeup(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    struct fuchsia_arg args[ARGS_MAX];
    const struct fuchsia_arg *waker;
    int64_t ts;
    uint32_t count = bits(header, 16, 19);
    struct fuchsia_event e = {.type = FUCHSIA_WAKEUP, .cpu = bits(header, 20, 35)};
    if (!read_time(f, c, &ts))
        return false;
    if (!read_word(c, &e.thread.tid))
        return fail(f, STAT_fuchsia_record_read_error);
    if (!read_args(f, c, count, args) || !find_weight(f, args, count, f->weight, &e.in_weight) ||
        !find_arg(f, args, count, f->waker, FUCHSIA_ARG_KOID, &waker))
        return false;
    e.has_waker = waker;
    e.waker_tid = waker ? (uint64_t)waker->i : 0;
    keep(f, ts, &e, NULL);
    return true;
}

static bool read_scheduler(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    switch (bits(header, 60, 63)) {
    case SCHEDULER_LEGACY_SWITCH:
        return read_legacy_switch(f, c, header);
    case SCHEDULER_SWITCH:
        return read_switch(f, c, header);
    case SCHEDULER_WAKEUP:
        return read_wakeup(f, c, header);
    default:
        return true;
    }
}

static bool read_record(struct fuchsia *f, struct word_cursor *c, uint64_t header)
{
    enum record_type type = bits(header, 0, 3);
    if (type == RECORD_METADATA)
        return read_metadata(f, header);
    if (!f->provider)
        return fail(f, STAT_fuchsia_invalid_event);
    switch (type) {
    case RECORD_INITIALIZATION:
        return read_word(c, &f->provider->ticks_per_second) ||
               fail(f, STAT_fuchsia_record_read_error);
    case RECORD_STRING:
        return read_string_record(f, c, header);
    case RECORD_THREAD:
        return read_thread_record(f, c, header);
    case RECORD_EVENT:
        return read_event(f, c, header);
    case RECORD_BLOB:
        return read_blob(f, c, header);
    case RECORD_KERNEL_OBJECT:
        return read_kernel_object(f, c, header);
    case RECORD_SCHEDULER:
        return read_scheduler(f, c, header);
    default:
        return true;
    }
}

/* False where loading was cancelled. */
static bool read_records(struct fuchsia *f, struct bytes data, struct load_progress *progress)
{
    struct word_cursor file = {data.p, data.p + data.n};
    uint64_t header;
    for (uint32_t n = 0; read_word(&file, &header); n++) {
        bool is_large = bits(header, 0, 3) == RECORD_LARGE;
        size_t words = is_large ? bits(header, 4, 35) : bits(header, 4, 15);
        size_t left = (size_t)(file.end - file.p) / WORD;
        if (words == 0 || words - 1 > left) {
            stats_count(f->trace, STAT_fuchsia_record_read_error);
            if (words > 0) /* a record of none is damage, of which nobody knows where it ends */
                trace_format_ends_early(f->trace);
            return true;
        }
        struct word_cursor record = {file.p, file.p + (words - 1) * WORD};
        read_record(f, &record, header);
        file.p += (words - 1) * WORD;
        if (n % PROGRESS_RECORDS == 0 && !progress_report(progress, (uint64_t)(file.p - data.p)))
            return false;
    }
    if (file.p < file.end)
        trace_format_ends_early(f->trace);
    return true;
}

static void init(struct fuchsia *f, struct trace *t)
{
    *f = (struct fuchsia){
        .trace = t,
        .process = trace_intern(t, STR("process")),
        .weight = trace_intern(t, STR("weight")),
        .waker = trace_intern(t, STR("waker")),
        .incoming_weight = trace_intern(t, STR("incoming_weight")),
        .outgoing_weight = trace_intern(t, STR("outgoing_weight")),
    };
    arena_init(&f->arena);
    fuchsia_events_init(&f->events, t);
    read_provider(f, 0);
}

static void release(struct fuchsia *f)
{
    for (size_t i = 0; i < f->providers.count; i++) {
        map_release(&f->providers.items[i].strings);
        map_release(&f->providers.items[i].thread_number);
        vec_release(&f->providers.items[i].threads);
    }
    vec_release(&f->providers);
    map_release(&f->provider_of);
    vec_release(&f->entries);
    vec_release(&f->packets);
    fuchsia_events_release(&f->events);
    arena_release(&f->arena);
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct fuchsia f;
    init(&f, t);
    struct status s = status_ok_value();
    if (!read_records(&f, data, progress))
        s = progress_cancelled(name);
    time_sort(f.entries.items, f.entries.count);
    for (size_t i = 0; status_ok(s) && i < f.entries.count; i++)
        fuchsia_events_apply(&f.events, f.entries.items[i].ts, f.entries.items[i].record);
    if (status_ok(s) && f.packets.count > 0)
        s = perfetto_trace_format.read(t, name, (struct bytes){f.packets.items, f.packets.count},
                                       progress);
    release(&f);
    return s;
}

static bool sniff(struct bytes data)
{
    return str_starts(trace_format_head(data), STR("\x10\x00\x04\x46\x78\x54\x16\x00"));
}

const struct trace_format fuchsia_trace_format = {
    .name = "Fuchsia",
    .type = "fuchsia",
    .about = "recordings of Fuchsia (fxt): begins with the record 10 00 04 46 78 54 16 00",
    .sniff = sniff,
    .read = import,
};
