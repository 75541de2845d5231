/* What handlers share: an event's fields, strings, tracks, and slices with args. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TOOLS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TOOLS_H

#include "core/trace/trace.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/proto/wire.h"

/* ---- Fields of an event ---- */
/* The last occurrence of a field in an encoded message; false where it is absent. */
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

/* Without bytes where it is absent, which becomes NULL_STRING. */
static inline struct str event_str(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field f;
    return payload_find(e->p, e->n, number, &f) ? pb_str(&f) : (struct str){0};
}

/* NULL_STRING where it is absent. */
static inline string_id event_string(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field f;
    return payload_find(e->p, e->n, number, &f) ? trace_intern(e->t, pb_str(&f)) : NULL_STRING;
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

/* ---- Strings ---- */
/* printf into a string of the pool, cut at 255 bytes. */
string_id event_format(const struct ftrace_event *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Precision and pointer of a view, for "%.*s". */
#define STR_ARG(s) (int)((s).n > 255 ? 255 : (s).n), (s).p ? (s).p : ""

/* ---- Tracks ---- */
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
/* A slice track of a cpu, named by `prefix` and the number of the cpu. */
uint32_t event_cpu_track(const struct ftrace_event *e, const char *type, const char *prefix,
                         uint32_t cpu);
/* Adds a value to the counter that has no dimensions; returns the row of `counter`. */
uint32_t event_global_counter(const struct ftrace_event *e, const char *type, const char *name,
                              double value);
/* The same for a counter with one string dimension. */
uint32_t event_named_counter(const struct ftrace_event *e, const char *type, const char *key,
                             string_id dimension, string_id name, double value);
/* Gives the counter of that row these args, whose memory it releases. */
void event_counter_args(const struct ftrace_event *e, uint32_t row, struct arg_list *args);

/* ---- Slices with args ---- */
/* The slice that args are added to; `slice` is NULL_U32 where none was opened. */
struct slice_ref {
    struct trace *t;
    uint32_t track, slice;
    struct arg_list *args; /* NULL where there is no slice */
};

/* A slice of the event's time: one that lasts until it is ended, and one without a length. */
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
