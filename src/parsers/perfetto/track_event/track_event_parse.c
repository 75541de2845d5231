#include "parsers/perfetto/track_event/track_event_parse.h"

#include <stddef.h>
#include <string.h>

#include "parsers/perfetto/android/android_processes.h"
#include "parsers/perfetto/gpu/gpu_flows.h"
#include "parsers/perfetto/packets/content.h"
#include "parsers/perfetto/track_event/track_event_args.h"
#include "parsers/perfetto/track_event/track_event_callstacks.h"
#include "parsers/perfetto/track_event/track_event_counters.h"
#include "parsers/perfetto/track_event/track_event_flows.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_legacy.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/track_event/track_event_place.h"
#include "parsers/perfetto/track_event/track_event_read.h"
#include "pb_fields.h"
#include "core/state_tracker.h"
#include "core/store/rows.h"

/* What extensions say goes into tables of their own, once the slice is there. */
static void apply_extensions(struct import *im, const struct track_event *e, uint32_t slice,
                             bool ends)
{
    if (!e->has_args)
        return;
    track_event_add_callstack(im, e, slice, ends);
    uint32_t machine = e->generation->machine;
    if (e->gpu_correlation.data)
        gpu_flow_correlate(im, pb_message(&e->gpu_correlation), slice);
    if (e->process_start.data)
        android_process_started(im, machine, e->ts, pb_message(&e->process_start));
    if (e->binder_death.data)
        android_process_died(im, machine, e->ts, pb_message(&e->binder_death));
}

struct flow_end {
    struct trace *trace;
    uint32_t slice;
};

static void add_flow(void *self, enum track_flow_kind kind, uint64_t id)
{
    struct trace *t = ((struct flow_end *)self)->trace;
    uint32_t slice = ((struct flow_end *)self)->slice;
    switch (kind) {
    case TRACK_FLOW_UNKNOWN:
        stats_count(t, STAT_flow_without_direction);
        return;
    case TRACK_FLOW_BEGIN:
        flow_begin(t, slice, id);
        return;
    case TRACK_FLOW_STEP:
        flow_step(t, slice, id, (int64_t)id);
        return;
    case TRACK_FLOW_THROUGH:
        if (flow_known(t, id))
            flow_step(t, slice, id, (int64_t)id);
        else
            flow_begin(t, slice, id);
        return;
    case TRACK_FLOW_END:
        flow_end(t, slice, id, false, (int64_t)id);
        return;
    case TRACK_FLOW_CLOSE:
        if (flow_known(t, id))
            flow_end(t, slice, id, true, (int64_t)id);
        return;
    }
}

static void add_flows(struct import *im, const struct track_event *e, uint32_t slice)
{
    const struct legacy_event *l = &e->legacy;
    struct flow_end end = {im->trace, slice};
    if (l->has_bind_id)
        add_flow(&end, track_flow_of_direction(l->flow_direction), l->bind_id);
    if (e->has_flows)
        track_event_flows(e->bytes, add_flow, &end);
}

static void set_slice_i64(struct import *im, uint32_t column, uint32_t slice, int64_t v)
{
    table_set_i64(&im->trace->tables.slice, column, slice, v);
}

static bool slice_i64(struct import *im, uint32_t column, uint32_t slice, int64_t *out)
{
    const struct column *c = &im->trace->tables.slice.columns[column];
    if (column_is_null(c, slice))
        return false;
    *out = column_int(c, slice);
    return true;
}

static void set_thread_begin(struct import *im, const struct track_event *e, uint32_t slice)
{
    if (e->has_thread_time)
        set_slice_i64(im, slice_col_thread_ts, slice, e->thread_time);
    if (e->has_instructions)
        set_slice_i64(im, slice_col_thread_instruction_count, slice, e->instructions);
}

static void set_thread_deltas(struct import *im, const struct track_event *e, uint32_t slice,
                              int64_t thread_dur, int64_t instruction_delta)
{
    set_thread_begin(im, e, slice);
    if (e->has_thread_time)
        set_slice_i64(im, slice_col_thread_dur, slice, thread_dur);
    if (e->has_instructions)
        set_slice_i64(im, slice_col_thread_instruction_delta, slice, instruction_delta);
}

/* What the event says of the slice that it begins or is. */
static void add_slice_args(struct import *im, const struct track_event *e,
                           const struct phase *phase, uint32_t track, uint32_t slice)
{
    struct arg_list *args = slice_args(im->trace, track, slice);
    track_event_add_args(im, e, args);
    if (phase->in_args)
        track_event_add_phase(im, phase->letter, args);
}

static bool apply_begin(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    uint32_t track = track_event_track_of(im, e, USE_BEGIN);
    if (track == NULL_U32)
        return false;
    uint32_t slice = slice_begin(t, e->ts, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    add_slice_args(im, e, phase, track, slice);
    if (phase->of_thread)
        set_thread_begin(im, e, slice);
    add_flows(im, e, slice);
    apply_extensions(im, e, slice, false);
    return true;
}

static void set_thread_end(struct import *im, const struct track_event *e, uint32_t slice)
{
    int64_t at_begin;
    if (e->has_thread_time && slice_i64(im, slice_col_thread_ts, slice, &at_begin) &&
        e->thread_time != at_begin)
        set_slice_i64(im, slice_col_thread_dur, slice, time_minus(e->thread_time, at_begin));
    if (e->has_instructions && slice_i64(im, slice_col_thread_instruction_count, slice, &at_begin))
        set_slice_i64(im, slice_col_thread_instruction_delta, slice,
                      time_minus(e->instructions, at_begin));
}

static bool apply_end(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    uint32_t track = track_event_track_of(im, e, USE_END);
    if (track == NULL_U32)
        return false;
    string_id name = translate_slice_name(im, e->name);
    uint32_t slice = slice_find_end(t, e->ts, track, e->category, name);
    if (slice == NULL_U32)
        return true;
    track_event_add_args(im, e, slice_args(t, track, slice));
    slice_close(t, e->ts, track, slice);
    add_flows(im, e, slice);
    apply_extensions(im, e, slice, true);
    if (phase->of_thread)
        set_thread_end(im, e, slice);
    return true;
}

static bool apply_complete(struct import *im, struct track_event *e, const struct phase *phase)
{
    (void)phase;
    struct trace *t = im->trace;
    const struct legacy_event *l = &e->legacy;
    int64_t dur;
    if (l->duration_us < 0 || __builtin_mul_overflow(l->duration_us, 1000, &dur))
        return false;
    uint32_t track = track_event_track_of(im, e, USE_SINGLE);
    if (track == NULL_U32)
        return false;
    uint32_t slice =
        slice_complete(t, e->ts, dur, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    track_event_add_args(im, e, slice_args(t, track, slice));
    int64_t thread_dur;
    if (__builtin_mul_overflow(l->thread_duration_us, 1000, &thread_dur))
        thread_dur = 0;
    set_thread_deltas(im, e, slice, thread_dur, l->instruction_delta);
    add_flows(im, e, slice);
    apply_extensions(im, e, slice, false);
    return true;
}

static bool apply_instant(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    uint32_t track = track_event_track_of(im, e, USE_INSTANT);
    if (track == NULL_U32)
        return false;
    uint32_t slice =
        slice_complete(t, e->ts, 0, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    add_slice_args(im, e, phase, track, slice);
    if (e->utid != NULL_U32 &&
        !phase_is_async(legacy_phase(e))) /* async ones were only sent by it */
        set_thread_deltas(im, e, slice, 0, 0);
    if (phase->has_flows)
        add_flows(im, e, slice);
    apply_extensions(im, e, slice, false);
    return true;
}

/* An event without a name only ends the state. */
static bool apply_state(struct import *im, struct track_event *e)
{
    uint32_t index = e->record->track;
    if (track_event_track(im, index)->kind != KIND_STATES || e->on_sequence_thread)
        return false; /* threads have no states of this kind */
    uint32_t track = track_event_track_of(im, e, USE_SINGLE);
    if (track == NULL_U32)
        return false;
    struct arg_list *args = &im->track_event->args;
    arg_list_clear(args);
    if (e->name)
        track_event_add_args(im, e, args);
    state_update(im->trace, e->ts, track, e->name, e->category, args);
    return true;
}

const struct phase track_event_phases[PHASES] = {
    ['B'] = {apply_begin, .span = SPAN_BEGIN, .of_thread = true, .has_flows = true},
    ['E'] = {apply_end, .span = SPAN_END, .of_thread = true, .has_flows = true},
    ['X'] = {apply_complete, .span = SPAN_DURATION, .of_thread = true, .has_flows = true},
    ['i'] = {apply_instant, .span = SPAN_MOMENT, .place = PLACE_SCOPE, .has_flows = true},
    ['I'] = {apply_instant, .span = SPAN_MOMENT, .place = PLACE_SCOPE, .has_flows = true},
    ['R'] = {apply_instant, .span = SPAN_MOMENT, .letter = 'R', .in_args = true, .has_flows = true},
    ['b'] = {apply_begin, .span = SPAN_BEGIN, .place = PLACE_ASYNC_BEGIN, .has_flows = true},
    ['n'] = {apply_instant, .span = SPAN_MOMENT, .place = PLACE_ASYNC_POINT, .has_flows = true},
    ['e'] = {apply_end, .span = SPAN_END, .place = PLACE_ASYNC_END, .has_flows = true},
    ['S'] = {apply_begin, .span = SPAN_BEGIN, .place = PLACE_ASYNC_BEGIN, .letter = 'S',
             .named = true, .in_args = true, .has_flows = true},
    ['T'] = {apply_instant, .span = SPAN_MOMENT, .place = PLACE_ASYNC_END, .letter = 'T',
             .named = true, .in_args = true},
    ['p'] = {apply_instant, .span = SPAN_MOMENT, .place = PLACE_ASYNC_POINT, .letter = 'p',
             .named = true, .in_args = true},
    ['F'] = {apply_end, .span = SPAN_END, .place = PLACE_ASYNC_POINT, .named = true,
             .has_flows = true},
    ['s'] = {track_event_apply_flow, .span = SPAN_MOMENT, .letter = 's'},
    ['t'] = {track_event_apply_flow, .span = SPAN_MOMENT, .letter = 't'},
    ['f'] = {track_event_apply_flow, .span = SPAN_MOMENT, .letter = 'f'},
    ['M'] = {track_event_apply_metadata, .span = SPAN_ALWAYS},
    ['P'] = {.span = SPAN_ALWAYS}, /* v8_samples.c */
};

const struct event_type track_event_types[EVENT_TYPES] = {
    [PB_TrackEvent_Type_TYPE_SLICE_BEGIN] = {.on_thread = 'B', .elsewhere = 'b'},
    [PB_TrackEvent_Type_TYPE_SLICE_END] = {.on_thread = 'E', .elsewhere = 'e'},
    [PB_TrackEvent_Type_TYPE_INSTANT] = {.on_thread = 'i', .elsewhere = 'n'},
    [PB_TrackEvent_Type_TYPE_COUNTER] = {.span = SPAN_MOMENT, .apply = track_event_apply_counter},
    [PB_TrackEvent_Type_TYPE_STATE] = {.span = SPAN_LAST, .apply = apply_state},
};

static bool apply_phase(struct import *im, struct track_event *e)
{
    const struct phase *phase = phase_of_event(e, e->utid != NULL_U32);
    if (phase->of_thread && e->utid == NULL_U32)
        return false;
    return phase->apply ? phase->apply(im, e, phase) : track_event_apply_raw(im, e, phase);
}

static bool apply(struct import *im, struct track_event *e)
{
    if (!event_has_meaning(e))
        return false;
    content_measure_event(im, (uintptr_t)e->record, e->category, e->name);
    if (!track_event_associate(im, e))
        return false;
    track_event_add_counters(im, e);
    const struct event_type *type = type_of_event(e->type);
    return type->apply ? type->apply(im, e) : apply_phase(im, e);
}

/* All packets have been read when events are applied: the range is known. */
static bool is_cropped(const struct trace *t, int64_t ts)
{
    return t->builder->options.crop_track_events && ts / 1000 < t->builder->range_of_interest_us;
}

/* Of an event of which a plain record says all. */
enum { PLAIN_BYTES = offsetof(struct track_event, category_fields) };

void track_event_parse(struct import *im, int64_t ts, uint64_t ref)
{
    const struct track_event_record *record = (const void *)(uintptr_t)ref;
    bool plain = record->flags & RECORD_IS_PLAIN;
    struct track_event e;
    memset(&e, 0, PLAIN_BYTES);
    e.ts = ts;
    e.record = record;
    e.generation = track_event_generation(im, record->generation);
    e.utid = e.upid = e.passthrough_utid = NULL_U32;
    stats_enter_machine(im->trace, e.generation->machine);
    if (is_cropped(im->trace, ts)) {
        stats_count(im->trace, STAT_track_event_dropped_packets_outside_of_range_of_interest);
        return;
    }
    if (plain) {
        track_event_read_plain(im, &e);
    } else {
        memset((char *)&e + PLAIN_BYTES, 0, sizeof e - PLAIN_BYTES);
        track_event_read(im, &e);
    }
    if (!apply(im, &e))
        stats_count(im->trace, STAT_track_event_parser_errors);
}
