/* Shared between the files of the ftrace importer: its state, one event as handlers see it, and the
 * handlers' tools. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_INTERNAL_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_INTERNAL_H

#include "core/sched_tracker.h"
#include "parsers/perfetto/ftrace/ftrace_decoder.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* What compact scheduling events say besides the time: of a switch the next thread and the previous
 * one's state, which has 13 bits; of a waking the thread, its cpu and the flags. Events that say
 * the same share one while they wait in the sorter. */
struct compact_event {
    int32_t pid, prio;
    string_id comm;
    int32_t prev_state;
    uint16_t target_cpu, common_flags;
};

/* One per queue of the sorter that is not queue 0. */
struct ftrace_cpu {
    uint32_t machine, cpu, ucpu;
    bool known; /* ucpu is set */
    bool seen_bundle;
    int64_t valid_from; /* of the machine */
    struct sched_cpu sched;
    uint32_t irq_track_plus_one, softirq_track_plus_one;
};

/* Where the events of a bundle lie, to find the interned data that they refer to. */
struct ftrace_bundle {
    const uint8_t *start, *end;
    const struct interned_generation *generation;
};

struct ftrace_machine {
    /* Before this time some cpu's buffer had been overwritten: events only become rows of
     * ftrace_event, as what begins then may have ended unseen. INT64_MIN: from the start. */
    int64_t valid_from;
    kernel_version version;
    string_id release; /* that `version` was read from */
};

/* A kind of event: its name, the field that holds the interned id of a kernel function (0: none),
 * and the kind of its args with the symbols that were last used; 0 before the first. */
struct ftrace_kind {
    string_id name;
    uint32_t symbol_field, symbols, args;
};

/* Files that handle a subject keep their state behind a pointer of their own. */
struct ftrace_import {
    struct import *im;
    VEC(struct ftrace_cpu) cpus; /* by queue */
    VEC(struct ftrace_machine) machines;
    VEC(struct compact_event) compact_events;
    struct map compact_numbers; /* hash -> index of compact_events */
    VEC(struct ftrace_bundle) bundles;
    bool bundles_sorted, one_generation;
    int64_t last_clock_snapshot;
    bool started; /* the first record was applied */
    bool keep_old_data;
    int64_t drop_before;
    struct ftrace_decoder *decoder; /* owned by the trace's args */
    uint32_t decoder_number;
    string_id switch_name, waking_name;
    uint32_t switch_args, waking_args; /* kinds of payload */
    VEC(struct ftrace_kind) kinds;     /* of built-in events, by field number */
    struct ftrace_retimed *retimed;
    struct ftrace_generic *generic;
    struct ftrace_memory *memory;
    struct ftrace_task *task;
    struct ftrace_power *power;
    struct ftrace_gpu *gpu;
    struct ftrace_device *device;
    struct ftrace_video *video;
};

/* One event, in time order. */
struct ftrace_event {
    struct ftrace_import *f;
    struct trace *t;
    struct ftrace_cpu *cpu;
    int64_t ts;
    uint32_t id; /* field number in FtraceEvent */
    uint32_t pid, utid, common_flags;
    uint32_t arg_set; /* the payload as args of its row; NULL_U32 where there is no row */
    const uint8_t *p; /* payload */
    size_t n;
};

typedef void ftrace_handler(const struct ftrace_event *e);

/* What to do with an event beyond its row of ftrace_event, or NULL. */
ftrace_handler *ftrace_handler_of(uint32_t id);

/* --- ftrace.c */
struct ftrace_cpu *ftrace_cpu_of(struct ftrace_import *f, uint32_t queue);
struct ftrace_machine *ftrace_machine_of(struct ftrace_import *f, uint32_t machine);
kernel_version ftrace_kernel_version(struct ftrace_import *f, uint32_t machine);
/* The interned data that the event at `p` refers to; NULL where it has none. */
const struct interned_generation *ftrace_generation(struct ftrace_import *f, const uint8_t *p);
/* The name of a kernel function by its interned id, NULL_STRING where it is not known. */
string_id ftrace_symbol(const struct ftrace_event *e, uint64_t iid);
/* The same, else the number in hexadecimal. */
string_id ftrace_symbol_or_number(const struct ftrace_event *e, uint64_t iid);

/* --- ftrace_bundle.c */
struct bundle_context {
    struct ftrace_import *f;
    const struct packet *packet;
    uint32_t queue;
    int64_t clock;
    bool is_trace_time; /* the clock is that of the trace */
};
/* Converts a time of the bundle's clock; false (counted) where that is not possible. */
bool bundle_convert_time(const struct bundle_context *b, int64_t ts, int64_t *out);
static inline bool bundle_time(const struct bundle_context *b, int64_t ts, int64_t *out)
{
    *out = ts;
    return b->is_trace_time || bundle_convert_time(b, ts, out);
}
/* Pushes an event. With `row_only` it is not handled, with `handle_only` it makes no row: for those
 * whose time is not that of what they tell. */
enum ftrace_push { FTRACE_PUSH_WHOLE, FTRACE_PUSH_ROW, FTRACE_PUSH_HANDLER };
void ftrace_push(struct ftrace_import *f, uint32_t queue, int64_t ts, const uint8_t *at,
                 enum ftrace_push how);

/* --- ftrace_compact.c */
void ftrace_compact_tokenize(const struct bundle_context *b, struct bytes compact_sched);

/* --- ftrace_retime.c */
/* Events that tell of another time than their own. True: pushed (or dropped). */
bool ftrace_retime(const struct bundle_context *b, uint32_t id, int64_t ts, const uint8_t *at,
                   struct bytes payload);
void ftrace_retimed_free(struct ftrace_retimed *r);

/* --- ftrace_generic.c */
void ftrace_generic_free(struct ftrace_generic *g);
void ftrace_generic_add(struct ftrace_import *f, struct bytes descriptor_entry);
/* Whether an event's id was given out by the trace itself; its kind for the decoder. */
bool ftrace_generic_is(uint32_t id);
uint32_t ftrace_generic_kind(struct ftrace_import *f, uint32_t id);
void ftrace_generic_handle(const struct ftrace_event *e);
/* The name of a legacy generic event. */
string_id ftrace_generic_name(const struct ftrace_event *e);

/* State of the subjects; each free takes NULL. */
void ftrace_memory_free(struct ftrace_memory *m);
void ftrace_task_free(struct ftrace_task *s);
void ftrace_power_free(struct ftrace_power *p);
void ftrace_gpu_free(struct ftrace_gpu *g);
void ftrace_device_free(struct ftrace_device *d);
void ftrace_video_free(struct ftrace_video *v);
/* A write call must not overlap the slice whose mark it writes. */
void ftrace_cut_write_call(const struct ftrace_event *e);

/* --- Tools of handlers: the fields of an event ... */
/* The last occurrence of a field of a message. */
static inline bool payload_find(const uint8_t *p, size_t n, uint32_t number, struct pb_field *out)
{
    struct pb_reader r = pb_reader_from(p, n);
    struct pb_field f;
    bool found = false;
    while (pb_next(&r, &f)) {
        if (f.number != number)
            continue;
        *out = f;
        found = true;
    }
    return found;
}

static inline bool event_has(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field f;
    return payload_find(e->p, e->n, number, &f);
}

static inline int64_t event_int(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field f;
    return payload_find(e->p, e->n, number, &f) ? pb_i64(&f) : 0;
}

static inline uint64_t event_uint(const struct ftrace_event *e, uint32_t number)
{
    return (uint64_t)event_int(e, number);
}

static inline uint32_t event_u32(const struct ftrace_event *e, uint32_t number)
{
    return (uint32_t)event_int(e, number);
}

static inline int32_t event_i32(const struct ftrace_event *e, uint32_t number)
{
    return (int32_t)(uint32_t)event_int(e, number);
}

static inline struct str event_str(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field f;
    return payload_find(e->p, e->n, number, &f) ? pb_str(&f) : STR("");
}

static inline string_id event_string(const struct ftrace_event *e, uint32_t number)
{
    return trace_intern(e->t, event_str(e, number));
}

/* All number fields below EVENT_VALUES in one pass, for events that come by the hundred thousand.
 */
enum { EVENT_VALUES = 8 };

struct event_values {
    uint64_t v[EVENT_VALUES]; /* 0 where absent */
    uint32_t present;         /* bits */
};

static inline struct event_values event_read(const struct ftrace_event *e)
{
    struct event_values values = {0};
    struct pb_reader r = pb_reader_from(e->p, e->n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number >= EVENT_VALUES)
            continue;
        values.v[f.number] = f.value;
        values.present |= 1u << f.number;
    }
    return values;
}

/* ... strings: */
/* printf into a string of the pool, cut at 255 bytes. */
string_id event_format(const struct ftrace_event *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Precision and pointer of a view, for "%.*s". */
#define STR_ARG(s) (int)((s).n > 255 ? 255 : (s).n), (s).p

/* ... tracks: */
static inline struct track_dimension dimension_int(const char *key, int64_t i)
{
    return (struct track_dimension){.key = key, .type = ARG_INT, .i = i};
}

static inline struct track_dimension dimension_string(const char *key, string_id s)
{
    return (struct track_dimension){.key = key, .type = ARG_STRING, .s = s};
}

static inline uint32_t event_thread_track(const struct ftrace_event *e)
{
    return track_thread(e->t, e->utid);
}

/* A slice track without dimensions. */
uint32_t event_global_track(const struct ftrace_event *e, const char *type, const char *name);
/* A slice track of a cpu, named by `format` with the cpu number. */
uint32_t event_cpu_track(const struct ftrace_event *e, const char *type, const char *prefix,
                         uint32_t cpu);
/* A value of the counter that has no dimensions. */
void event_global_counter(const struct ftrace_event *e, const char *type, const char *name,
                          double value);
/* A value of the counter with one string dimension. */
void event_named_counter(const struct ftrace_event *e, const char *type, const char *key,
                         string_id dimension, string_id name, double value);

/* ... and slices with args: the slice is NULL_U32 where nothing was opened. */
struct slice_ref {
    struct trace *t;
    uint32_t track, slice;
    struct arg_list *args; /* NULL where there is no slice */
};

struct slice_ref event_begin(const struct ftrace_event *e, uint32_t track, string_id category,
                             string_id name);
struct slice_ref event_instant(const struct ftrace_event *e, uint32_t track, string_id category,
                               string_id name);
/* The slice that would end now: add args, then slice_ref_end. */
struct slice_ref event_ending(const struct ftrace_event *e, uint32_t track, string_id category,
                              string_id name);
void slice_ref_end(const struct ftrace_event *e, const struct slice_ref *s);
/* Ends the innermost slice of the track. */
void event_end(const struct ftrace_event *e, uint32_t track);

void slice_ref_int(const struct slice_ref *s, const char *key, int64_t value);
void slice_ref_uint(const struct slice_ref *s, const char *key, uint64_t value);
void slice_ref_bool(const struct slice_ref *s, const char *key, bool value);
void slice_ref_str(const struct slice_ref *s, const char *key, string_id value);

#endif
