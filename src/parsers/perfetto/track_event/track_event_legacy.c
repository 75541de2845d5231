#include "parsers/perfetto/track_event/track_event_legacy.h"

#include "parsers/perfetto/track_event/track_event_args.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/track_event/track_event_place.h"
#include "pb_fields.h"
#include "core/store/rows.h"

void track_event_add_phase(struct import *im, char phase, struct arg_list *args)
{
    if (args)
        arg_list_str(args, im->track_event->keys.legacy_phase,
                     trace_intern(im->trace, (struct str){&phase, 1}));
}

/* Flow events of their own, which bind to slices of their thread. */
bool track_event_apply_flow(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    if (e->legacy.id_kind != LEGACY_ID_UNSCOPED) {
        stats_count(t, STAT_flow_invalid_id);
        return false;
    }
    uint64_t id = flow_named_id(t, e->legacy.id, e->category, e->name);
    uint32_t track = track_event_track_of(im, e, USE_SINGLE);
    if (track == NULL_U32)
        return false;
    if (phase->letter == 'f' && !e->legacy.bind_to_enclosing) {
        flow_end_at_next_slice(t, track, id);
        return true;
    }
    uint32_t slice = slice_top(t, track);
    if (slice == NULL_U32)
        stats_count(t, STAT_flow_no_enclosing_slice);
    else if (phase->letter == 's')
        flow_begin(t, slice, id);
    else if (phase->letter == 't')
        flow_step(t, slice, id, (int64_t)id);
    else
        flow_end(t, slice, id, false, (int64_t)id);
    return true;
}

static void add_raw_id(struct import *im, const struct legacy_event *l, struct arg_list *args)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    switch (l->id_kind) {
    case LEGACY_ID_NONE:
        return;
    case LEGACY_ID_UNSCOPED:
        arg_list_uint(args, keys->legacy_unscoped_id, l->id);
        break;
    case LEGACY_ID_GLOBAL:
        arg_list_uint(args, keys->legacy_global_id, l->id);
        break;
    case LEGACY_ID_LOCAL:
        arg_list_uint(args, keys->legacy_local_id, l->id);
        break;
    }
    if (l->id_scope.n)
        arg_list_str(args, keys->legacy_id_scope, trace_intern(im->trace, l->id_scope));
}

static int64_t us_to_ns_arg(int64_t us)
{
    return (int64_t)((uint64_t)us * 1000);
}

/* Events without a meaning of their own are kept as rows of chrome_raw. */
bool track_event_apply_raw(struct import *im, struct track_event *e, const struct phase *phase)
{
    (void)phase;
    const struct track_event_keys *keys = &im->track_event->keys;
    const struct legacy_event *l = &e->legacy;
    if (e->utid == NULL_U32)
        return false;
    struct arg_list *args = &im->track_event->args;
    arg_list_clear(args);
    arg_list_str(args, keys->legacy_category, e->category);
    arg_list_str(args, keys->legacy_name, e->name);
    track_event_add_phase(im, (char)l->phase, args);
    if (l->has_duration)
        arg_list_int(args, keys->legacy_duration, us_to_ns_arg(l->duration_us));
    if (e->has_thread_time)
        arg_list_int(args, keys->legacy_thread_ts, e->thread_time);
    if (e->has_thread_time && l->has_thread_duration)
        arg_list_int(args, keys->legacy_thread_dur, us_to_ns_arg(l->thread_duration_us));
    if (e->has_instructions)
        arg_list_int(args, keys->legacy_instructions, e->instructions);
    if (e->has_instructions && l->has_instruction_delta)
        arg_list_int(args, keys->legacy_instruction_delta, l->instruction_delta);
    if (l->use_async_tts)
        arg_list_bool(args, keys->legacy_use_async_tts, true);
    add_raw_id(im, l, args);
    track_event_add_args(im, e, args);
    struct chrome_raw_row row = {
        .ts = e->ts,
        .name = keys->raw_legacy_event,
        .utid = e->utid,
        .arg_set_id = args_intern(&im->trace->args, args),
    };
    chrome_raw_append(&im->trace->tables.chrome_raw, &row);
    return true;
}

/* The string value of the first debug annotation. */
static string_id first_annotation_string(struct import *im, const struct track_event *e,
                                         bool *present)
{
    struct pb_reader r = e->bytes;
    struct pb_field f, value;
    *present = false;
    while (pb_next(&r, &f)) {
        if (f.number != PB_TrackEvent_debug_annotations)
            continue;
        *present = true;
        struct pb_reader annotation = pb_message(&f);
        while (pb_next(&annotation, &value))
            if (value.number == PB_DebugAnnotation_string_value && value.value)
                return trace_intern(im->trace, pb_str(&value));
        break;
    }
    return NULL_STRING;
}

/* Names of threads and processes. */
bool track_event_apply_metadata(struct import *im, struct track_event *e, const struct phase *phase)
{
    if (!e->name)
        return false;
    struct str event_name = string_pool_get(&im->trace->strings, e->name);
    bool of_thread = str_eq(event_name, STR("thread_name"));
    if (!of_thread && !str_eq(event_name, STR("process_name"))) {
        track_event_apply_raw(im, e, phase);
        return true;
    }
    bool present;
    string_id name = first_annotation_string(im, e, &present);
    if (!present || (of_thread ? e->utid : e->upid) == NULL_U32)
        return false;
    if (!name)
        return true;
    if (of_thread)
        process_tracker_set_thread_name(im->trace, e->utid, name,
                                        THREAD_NAME_TRACK_DESCRIPTOR_THREAD_TYPE);
    else
        process_tracker_set_process_name(im->trace, e->upid, name, PROCESS_NAME_TRACK_DESCRIPTOR);
    return true;
}
