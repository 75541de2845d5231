#include "parsers/perfetto/ftrace/ftrace_generic.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/ftrace/ftrace_binder.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "core/counter.h"

enum { FIELDS_MAX = 32 };

enum generic_scope { SCOPE_THREAD, SCOPE_PROCESS, SCOPE_CPU, SCOPE_CUSTOM };

/* Field numbers of the convention; 0 where the event has no such field. */
struct generic_track_event {
    uint32_t type, slice_name, track_name, value, scope_field;
    enum generic_scope scope;
};

struct generic_event {
    uint32_t kind; /* for the decoder */
    struct generic_track_event track_event;
    struct ftrace_binder_event binder;
};

struct ftrace_generic {
    struct map by_id;
    VEC(struct generic_event) events;
};

void ftrace_generic_free(struct ftrace_generic *g)
{
    if (!g)
        return;
    map_release(&g->by_id);
    vec_release(&g->events);
    free(g);
}

static bool is_varint(uint8_t type)
{
    return type == PB_FieldDescriptorProto_Type_TYPE_INT64 ||
           type == PB_FieldDescriptorProto_Type_TYPE_UINT64 ||
           type == PB_FieldDescriptorProto_Type_TYPE_INT32 ||
           type == PB_FieldDescriptorProto_Type_TYPE_UINT32;
}

static void match_convention(struct generic_track_event *e, struct str name, uint8_t type,
                             uint32_t number)
{
    if (type == PB_FieldDescriptorProto_Type_TYPE_STRING) {
        if (str_eq(name, STR("slice_name")))
            e->slice_name = number;
        else if (str_eq(name, STR("track_name")))
            e->track_name = number;
        return;
    }
    if (!is_varint(type))
        return;
    if (str_eq(name, STR("track_event_type"))) {
        e->type = number;
    } else if (str_eq(name, STR("counter_value"))) {
        e->value = number;
    } else if (str_starts(name, STR("scope_"))) {
        e->scope_field = number;
        e->scope = str_eq(name, STR("scope_tgid"))  ? SCOPE_PROCESS
                   : str_eq(name, STR("scope_cpu")) ? SCOPE_CPU
                                                    : SCOPE_CUSTOM;
    }
}

/* FieldDescriptorProto; false where it makes no sense. */
static bool read_field(struct trace *t, struct pb_reader r, struct ftrace_field fields[FIELDS_MAX],
                       uint32_t *count, struct generic_track_event *track_event)
{
    struct str name = STR("");
    uint64_t number = 0, type = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FieldDescriptorProto_name:
            name = pb_str(&f);
            break;
        case PB_FieldDescriptorProto_number:
            number = pb_u64(&f);
            break;
        case PB_FieldDescriptorProto_type:
            type = pb_u64(&f);
            break;
        }
    }
    if (number >= FIELDS_MAX || type > PB_FieldDescriptorProto_Type_TYPE_SINT64)
        return false;
    fields[number] = (struct ftrace_field){trace_intern(t, name), (uint8_t)type};
    if (number >= *count)
        *count = (uint32_t)number + 1;
    match_convention(track_event, name, (uint8_t)type, (uint32_t)number);
    return true;
}

/* DescriptorProto of one event. */
static void add_event(struct ftrace_import *f, uint32_t id, struct pb_reader r)
{
    struct trace *t = f->im->trace;
    struct ftrace_field fields[FIELDS_MAX] = {0};
    struct ftrace_schema schema = {.fields = fields};
    struct generic_event event = {0};
    struct pb_field field;
    while (pb_next(&r, &field)) {
        if (field.number == PB_DescriptorProto_name)
            schema.name = trace_intern(t, pb_str(&field));
        else if (field.number == PB_DescriptorProto_field &&
                 !read_field(t, pb_message(&field), fields, &schema.field_count,
                             &event.track_event)) {
            stats_count(t, STAT_ftrace_generic_descriptor_errors);
            return;
        }
    }
    event.kind = ftrace_decoder_add(f->decoder, &schema);
    event.binder = ftrace_binder_match(t, &schema);
    map_set(&f->generic->by_id, id, (uint32_t)f->generic->events.count);
    *vec_push(&f->generic->events) = event;
}

void ftrace_generic_add(struct ftrace_import *f, struct bytes descriptor_entry)
{
    struct pb_reader r = pb_reader_from(descriptor_entry.p, descriptor_entry.n), descriptor = {0};
    struct pb_field field;
    uint32_t id = 0;
    while (pb_next(&r, &field)) {
        if (field.number == PB_FtraceEventBundle_GenericEventDescriptor_field_id)
            id = pb_u32(&field);
        else if (field.number == PB_FtraceEventBundle_GenericEventDescriptor_event_descriptor)
            descriptor = pb_message(&field);
    }
    if (!f->generic)
        f->generic = alloc_array(1, sizeof *f->generic);
    if (ftrace_generic_is(id) && !map_find(&f->generic->by_id, id))
        add_event(f, id, descriptor);
}

static const struct generic_event *find_event(const struct ftrace_import *f, uint32_t id)
{
    const uint32_t *at = f->generic ? map_find(&f->generic->by_id, id) : NULL;
    return at ? &f->generic->events.items[*at] : NULL;
}

uint32_t ftrace_generic_kind(struct ftrace_import *f, uint32_t id)
{
    const struct generic_event *event = find_event(f, id);
    return event ? event->kind : FTRACE_KIND_NONE;
}

string_id ftrace_generic_name(const struct ftrace_event *e)
{
    return event_string(e, PB_GenericFtraceEvent_event_name);
}

static uint32_t scoped_track(const struct ftrace_event *e, const struct generic_track_event *info,
                             bool counter, string_id event_name, string_id track_name)
{
    static const struct {
        const char *slice, *counter, *key;
    } kinds[] = {
        [SCOPE_THREAD] = {"kernel_trackevent_thread_slice", "kernel_trackevent_thread_counter",
                          "utid"},
        [SCOPE_PROCESS] = {"kernel_trackevent_process_slice", "kernel_trackevent_process_counter",
                           "upid"},
        [SCOPE_CPU] = {"kernel_trackevent_cpu_slice", "kernel_trackevent_cpu_counter", "cpu"},
        [SCOPE_CUSTOM] = {"kernel_trackevent_custom_slice", "kernel_trackevent_custom_counter",
                          "scope"},
    };
    int64_t scope = info->scope_field ? event_int(e, info->scope_field) : 0;
    if (info->scope == SCOPE_THREAD)
        scope = e->utid;
    else if (info->scope == SCOPE_PROCESS)
        scope = process_tracker_process(e->t, e->cpu->machine, (uint32_t)scope);
    struct track_spec spec = {
        .type = counter ? kinds[info->scope].counter : kinds[info->scope].slice,
        .event_type = counter ? TRACK_COUNTER : TRACK_SLICE,
        .machine = e->cpu->machine,
        .dimension_count = 3,
        .dimensions = {dimension_int(kinds[info->scope].key, scope),
                       dimension_string("tracepoint", event_name),
                       dimension_string("name", track_name)},
        .name = track_name,
    };
    return track_intern(e->t, &spec);
}

static void format_error(const struct ftrace_event *e)
{
    stats_count(e->t, STAT_kernel_trackevent_format_error);
}

static void apply_slice(const struct ftrace_event *e, const struct generic_track_event *info,
                        uint32_t track)
{
    if (!event_has(e, info->type) || !event_has(e, info->slice_name)) {
        format_error(e);
        return;
    }
    switch ((char)event_int(e, info->type)) {
    case 'B':
        slice_begin(e->t, e->ts, track, NULL_STRING, event_string(e, info->slice_name));
        return;
    case 'E':
        slice_end(e->t, e->ts, track, NULL_STRING, NULL_STRING);
        return;
    case 'I':
        slice_complete(e->t, e->ts, 0, track, NULL_STRING, event_string(e, info->slice_name));
        return;
    default:
        format_error(e);
    }
}

static void apply_track_event(const struct ftrace_event *e, const struct generic_event *event)
{
    const struct generic_track_event *info = &event->track_event;
    bool is_slice = info->type && info->slice_name;
    if (!is_slice && !info->value)
        return;
    if ((info->track_name && !event_has(e, info->track_name)) ||
        (info->scope_field && !event_has(e, info->scope_field))) {
        format_error(e);
        return;
    }
    string_id event_name = ftrace_decoder_schema(e->f->decoder, event->kind)->name;
    string_id track_name = info->track_name ? event_string(e, info->track_name) : event_name;
    uint32_t track = scoped_track(e, info, !is_slice, event_name, track_name);
    if (is_slice)
        apply_slice(e, info, track);
    else if (event_has(e, info->value))
        counter_push(e->t, e->ts, track, (double)event_int(e, info->value));
    else
        format_error(e);
}

void ftrace_generic_handle(const struct ftrace_event *e)
{
    const struct generic_event *event = find_event(e->f, e->id);
    if (!event || event->kind == FTRACE_KIND_NONE)
        return;
    if (event->binder.handle)
        event->binder.handle(e, &event->binder.fields);
    else
        apply_track_event(e, event);
}

static bool is_told(const struct ftrace_event *e, uint32_t field)
{
    return !field || event_has(e, field);
}

void ftrace_generic_say(const struct ftrace_event *e, struct felt_sink *out)
{
    const struct generic_event *event = find_event(e->f, e->id);
    if (!event || event->kind == FTRACE_KIND_NONE)
        return;
    if (event->binder.say) {
        event->binder.say(e, &event->binder.fields, out);
        return;
    }
    const struct generic_track_event *info = &event->track_event;
    bool is_slice = info->type && info->slice_name;
    if (!is_told(e, info->track_name) || !is_told(e, info->scope_field))
        return;
    uint64_t track =
        info->scope == SCOPE_THREAD ? felt_key_of_thread(e, e->id) : felt_key(e, e->id);
    if (info->track_name)
        track = felt_key_by(track, e, info->track_name);
    if (info->scope_field)
        track = felt_key_by(track, e, info->scope_field);
    char phase = is_slice && event_has(e, info->slice_name) ? (char)event_int(e, info->type) : 0;
    if (!is_slice && info->value)
        felt_last(out, track);
    else if (phase == 'B')
        felt_mark(out, MARK_BEGIN, track, FELT_ANY, 0);
    else if (phase == 'E')
        felt_mark(out, MARK_END, track, FELT_ANY, 0);
}
