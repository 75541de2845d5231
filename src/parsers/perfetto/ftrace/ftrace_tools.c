#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "core/counter.h"

#include <stdarg.h>
#include <stdio.h>

string_id event_format(const struct ftrace_event *e, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        return NULL_STRING;
    size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    return trace_intern(e->t, (struct str){text, length});
}

uint32_t event_global_track(const struct ftrace_event *e, const char *type, const char *name)
{
    struct track_spec spec = {.type = type,
                              .machine = e->cpu->machine,
                              .name = name ? trace_intern_c(e->t, name) : NULL_STRING};
    return track_intern(e->t, &spec);
}

uint32_t event_cpu_track(const struct ftrace_event *e, const char *type, const char *prefix,
                         uint32_t cpu)
{
    struct track_spec spec = {
        .type = type,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("cpu", cpu)},
        .name = event_format(e, "%s %u", prefix, cpu),
    };
    if (cpu < CPUS_PER_MACHINE)
        trace_ucpu(e->t, e->cpu->machine, cpu);
    return track_intern(e->t, &spec);
}

uint32_t event_global_counter(const struct ftrace_event *e, const char *type, const char *name,
                              double value)
{
    uint32_t track =
        track_global_counter(e->t, type, trace_intern_c(e->t, name), NULL, e->cpu->machine);
    return counter_push(e->t, e->ts, track, value);
}

uint32_t event_named_counter(const struct ftrace_event *e, const char *type, const char *key,
                             string_id dimension, string_id name, double value)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_string(key, dimension)},
        .name = name,
    };
    return counter_push(e->t, e->ts, track_intern(e->t, &spec), value);
}

void event_counter_args(const struct ftrace_event *e, uint32_t row, struct arg_list *args)
{
    table_set_u32(&e->t->tables.counter, counter_col_arg_set_id, row,
                  args_intern(&e->t->args, args));
    arg_list_release(args);
}

static struct slice_ref ref_to(struct trace *t, uint32_t track, uint32_t slice)
{
    return (struct slice_ref){t, track, slice,
                              slice == NULL_U32 ? NULL : slice_args(t, track, slice)};
}

struct slice_ref event_begin(const struct ftrace_event *e, uint32_t track, string_id category,
                             string_id name)
{
    return ref_to(e->t, track, slice_begin(e->t, e->ts, track, category, name));
}

struct slice_ref event_instant(const struct ftrace_event *e, uint32_t track, string_id category,
                               string_id name)
{
    return ref_to(e->t, track, slice_complete(e->t, e->ts, 0, track, category, name));
}

struct slice_ref event_ending(const struct ftrace_event *e, uint32_t track, string_id category,
                              string_id name)
{
    return ref_to(e->t, track, slice_find_end(e->t, e->ts, track, category, name));
}

void slice_ref_end(const struct ftrace_event *e, const struct slice_ref *s)
{
    if (s->slice != NULL_U32)
        slice_close(e->t, e->ts, s->track, s->slice);
}

void event_end(const struct ftrace_event *e, uint32_t track)
{
    slice_end(e->t, e->ts, track, NULL_STRING, NULL_STRING);
}

/* A key that is there already gets the new value. */
static void put(const struct slice_ref *s, const char *key, struct arg arg)
{
    if (!s->args)
        return;
    arg.key = arg.flat_key = trace_intern_c(s->t, key);
    for (size_t i = 0; i < s->args->v.count; i++)
        if (s->args->v.items[i].key == arg.key) {
            s->args->v.items[i] = arg;
            return;
        }
    arg_list_add(s->args, arg);
}

void slice_ref_int(const struct slice_ref *s, const char *key, int64_t value)
{
    put(s, key, (struct arg){.type = ARG_INT, .i = value});
}

void slice_ref_uint(const struct slice_ref *s, const char *key, uint64_t value)
{
    put(s, key, (struct arg){.type = ARG_UINT, .i = (int64_t)value});
}

void slice_ref_bool(const struct slice_ref *s, const char *key, bool value)
{
    put(s, key, (struct arg){.type = ARG_BOOL, .i = value});
}

void slice_ref_str(const struct slice_ref *s, const char *key, string_id value)
{
    put(s, key, (struct arg){.type = ARG_STRING, .s = value});
}
