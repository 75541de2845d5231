#include "parsers/perfetto/track_event/track_event_parse.h"

#include "base/hash.h"
#include "parsers/perfetto/android/android_processes.h"
#include "parsers/perfetto/gpu/gpu_flows.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_args.h"
#include "parsers/perfetto/track_event/track_event_callstacks.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_read.h"
#include "pb_fields.h"

/* Where an event with a phase happens. */
enum phase_place {
    PLACE_OWN,         /* the track that it names, else its thread */
    PLACE_SCOPE,       /* its thread, or its process or the whole trace where it says so */
    PLACE_ASYNC_BEGIN, /* the track of its id, on which it begins, ends, or does both at once */
    PLACE_ASYNC_END,
    PLACE_ASYNC_POINT,
};

/* What a phase means: a letter by which the events of the Trace Event Format (Chrome's JSON) say
 * what they are, and legacy track events still do. */
struct phase {
    bool (*apply)(struct import *im, struct track_event *e, const struct phase *phase);
    enum phase_place place;
    char letter;
    bool of_thread;     /* happens on a thread only, and has its times */
    bool named;         /* ids are apart by name, not by category */
    bool in_args;       /* the letter becomes an arg */
    bool without_flows; /* flows of the event do not count */
};

enum { PHASES = 128 };

static const struct phase phases[PHASES]; /* at the end of the file: by letter */

/* Never NULL. */
static const struct phase *phase_of_letter(int32_t letter)
{
    return &phases[letter >= 0 && letter < PHASES ? letter : 0];
}

/* The phase that the event names; that of letter 0, which has no meaning, where it names none. */
static const struct phase *legacy_phase(const struct track_event *e)
{
    return phase_of_letter(e->legacy.has_phase ? e->legacy.phase : 0);
}

static bool is_async(const struct phase *phase)
{
    return phase->place >= PLACE_ASYNC_BEGIN;
}

static uint32_t process_of_thread(struct import *im, uint32_t utid)
{
    return table_u32(&im->trace->tables.thread, thread_col_upid)[utid];
}

/* The thread that the sequence's descriptor named, NULL_U32 where there was none. */
static uint32_t sequence_thread(struct import *im, const struct event_generation *g)
{
    if (!g->has_thread)
        return NULL_U32;
    return process_tracker_update_thread(im->trace, g->machine, generation_tid(g), g->pid);
}

/* Whose event it is by its track. */
static bool associate_by_track(struct import *im, struct track_event *e)
{
    if (!descriptor_track_resolve(im, e->record->track))
        return false;
    const struct descriptor_track *d = track_event_track(im, e->record->track);
    uint32_t thread = NULL_U32;
    switch (d->scope) {
    case SCOPE_THREAD:
        e->utid = d->owner;
        e->upid = process_of_thread(im, d->owner);
        break;
    case SCOPE_PROCESS:
        e->upid = d->owner;
        thread = sequence_thread(im, e->generation);
        if (thread != NULL_U32 && process_of_thread(im, thread) == e->upid)
            e->passthrough_utid = thread;
        break;
    default:
        e->passthrough_utid = sequence_thread(im, e->generation);
    }
    return true;
}

/* Whose event it is where it has no track: its sequence's, or that of the pid and tid that it
 * carries itself. */
static bool associate_by_thread(struct import *im, struct track_event *e)
{
    const struct event_generation *g = e->generation;
    const struct legacy_event *l = &e->legacy;
    e->on_sequence_thread = ((!e->has_track_uuid || !e->has_type) && g->has_thread) ||
                            l->has_pid_override || (l->has_tid_override && g->has_thread);
    if (!e->on_sequence_thread)
        return true;
    int64_t pid = g->pid, tid = generation_tid(g);
    if (l->has_pid_override) {
        pid = (int64_t)(uint32_t)l->pid_override;
        tid = synthetic_tid(-1, pid);
    }
    if (l->has_tid_override) {
        tid = (int64_t)(uint32_t)l->tid_override;
        if (is_synthetic_tid(generation_tid(g)))
            tid = synthetic_tid(tid, pid);
    }
    if (pid == 0 || tid == 0)
        return false;
    e->utid = process_tracker_update_thread(im->trace, g->machine, tid, pid);
    e->upid = process_of_thread(im, e->utid);
    return true;
}

/* Phases may imply another track than the thread's. */
static bool associate_by_phase(struct track_event *e)
{
    const struct phase *phase = legacy_phase(e);
    if (is_async(phase))
        e->passthrough_utid = e->utid;
    if (phase->place != PLACE_SCOPE)
        return true;
    switch (e->legacy.instant_scope) {
    case PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_GLOBAL:
        break;
    case PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_PROCESS:
        if (e->upid == NULL_U32)
            return false;
        break;
    default:
        return e->utid != NULL_U32;
    }
    e->passthrough_utid = e->utid;
    e->utid = NULL_U32;
    return true;
}

static bool associate(struct import *im, struct track_event *e)
{
    bool has_track = track_event_track(im, e->record->track)->uuid != 0;
    bool known = has_track ? associate_by_track(im, e) : associate_by_thread(im, e);
    return known && associate_by_phase(e);
}

enum track_use { USE_BEGIN, USE_END, USE_INSTANT, USE_SINGLE };

/* Catapult's rule: nestable events of one id in different categories are apart, as are old async
 * events with different names. */
static string_id async_scope(struct import *im, const struct track_event *e)
{
    const struct legacy_event *l = &e->legacy;
    if (!l->has_id_scope)
        return legacy_phase(e)->named ? e->name : e->category;
    struct track_event_import *te = im->track_event;
    struct str category = string_pool_get(&im->trace->strings, e->category);
    size_t n = category.n + 1 + l->id_scope.n;
    vec_reserve(&te->text, n);
    memcpy(te->text.items, category.p, category.n);
    te->text.items[category.n] = ':';
    memcpy(te->text.items + category.n + 1, l->id_scope.p, l->id_scope.n);
    return trace_intern(im->trace, (struct str){te->text.items, n});
}

static const struct arg_list *async_source_args(struct import *im, bool of_process, uint32_t upid,
                                                string_id scope)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    struct arg_list *args = &im->track_event->track_args;
    arg_list_clear(args);
    arg_list_str(args, keys->source, keys->chrome);
    arg_list_bool(args, keys->trace_id_is_process_scoped, of_process);
    arg_list_uint(args, keys->upid, upid);
    arg_list_str(args, keys->source_scope, scope);
    return args;
}

/* The track of an async event of the old kind, by its id. The first name of an id names the track.
 */
static uint32_t async_track(struct import *im, struct track_event *e)
{
    struct trace *t = im->trace;
    const struct legacy_event *l = &e->legacy;
    bool of_process = l->id_kind == LEGACY_ID_LOCAL;
    if (l->id_kind == LEGACY_ID_NONE || (of_process && e->upid == NULL_U32))
        return NULL_U32;
    e->source_id = (int64_t)l->id;
    e->has_source_id = true;
    string_id scope = async_scope(im, e);
    string_id name = of_process ? translate_process_track_name(im, e->name) : e->name;
    bool inserted;
    uint64_t key = of_process ? hash_mix(hash_u64(l->id), e->upid + 1) : hash_u64(l->id);
    uint32_t *root_name = map_insert(&im->track_event->async_names, key, &inserted);
    if (inserted)
        *root_name = name;
    struct track_spec spec = {
        .type = of_process ? "legacy_async_process_slice" : "legacy_async_global_slice",
        .machine = e->generation->machine,
        .name = name,
        .source_args = async_source_args(im, of_process, e->upid == NULL_U32 ? 0 : e->upid, scope),
    };
    if (of_process)
        spec.dimensions[spec.dimension_count++] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = e->upid};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "scope", .type = ARG_STRING, .s = scope};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "name", .type = ARG_STRING, .s = *root_name};
    enum phase_place place = legacy_phase(e)->place;
    uint32_t track = NULL_U32;
    if (place != PLACE_ASYNC_END)
        track = track_set_begin(t, &spec, e->source_id);
    return place == PLACE_ASYNC_BEGIN ? track : track_set_end(t, &spec, e->source_id);
}

static uint32_t instant_track(struct import *im, const struct track_event *e)
{
    struct arg_list *args = &im->track_event->track_args;
    arg_list_clear(args);
    arg_list_str(args, im->track_event->keys.source, im->track_event->keys.chrome);
    bool global =
        e->legacy.instant_scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_GLOBAL;
    struct track_spec spec = {
        .type = global ? "legacy_chrome_global_instants" : "chrome_process_instant",
        .machine = e->generation->machine,
        .source_args = args,
    };
    if (!global)
        spec.dimensions[spec.dimension_count++] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = e->upid};
    return track_intern(im->trace, &spec);
}

/* The track that the event's uuid stands for. */
static uint32_t described_track(struct import *im, const struct track_event *e, enum track_use use)
{
    uint32_t track = e->record->track, sequence = e->generation->sequence_id;
    switch (use) {
    case USE_BEGIN:
        return descriptor_track_begin(im, track, e->name, sequence);
    case USE_END:
        return descriptor_track_end(im, track, e->name, sequence);
    case USE_INSTANT:
        return descriptor_track_instant(im, track, e->name, sequence);
    case USE_SINGLE:
        break;
    }
    return descriptor_track_single(im, track, e->name, sequence);
}

/* The track that the event happens on; NULL_U32 where there is none. The one of its uuid is made
 * even where the phase implies another. */
static uint32_t track_of(struct import *im, struct track_event *e, enum track_use use)
{
    uint32_t described = e->on_sequence_thread ? NULL_U32 : described_track(im, e, use);
    const struct phase *phase = legacy_phase(e);
    if (is_async(phase))
        return async_track(im, e);
    if (phase->place == PLACE_SCOPE &&
        (e->legacy.instant_scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_GLOBAL ||
         e->legacy.instant_scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_PROCESS))
        return instant_track(im, e);
    return e->on_sequence_thread ? track_thread(im->trace, e->utid) : described;
}

static const uint8_t *record_values(const struct track_event_record *record)
{
    return (const uint8_t *)(record + 1);
}

static uint32_t thread_counter_track(struct import *im, uint32_t utid, const char *type,
                                     string_id name)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = table_u32(&im->trace->tables.thread, thread_col_machine_id)[utid],
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}},
        .name = name,
    };
    return track_intern(im->trace, &spec);
}

/* Thread time and instruction count that came as fields of the event are counters, too. */
static void add_thread_counters(struct import *im, struct track_event *e)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    const uint8_t *p = record_values(e->record);
    if (e->record->flags & RECORD_HAS_THREAD_TIME) {
        memcpy(&e->thread_time, p, sizeof e->thread_time);
        p += sizeof e->thread_time;
        e->has_thread_time = true;
    }
    if (e->record->flags & RECORD_HAS_INSTRUCTIONS) {
        memcpy(&e->instructions, p, sizeof e->instructions);
        e->has_instructions = true;
    }
    if (e->utid == NULL_U32)
        return;
    if (e->has_thread_time)
        counter_push(im->trace, e->ts,
                     thread_counter_track(im, e->utid, "thread_time", keys->thread_time),
                     (double)e->thread_time);
    if (e->has_instructions)
        counter_push(im->trace, e->ts,
                     thread_counter_track(im, e->utid, "thread_instructions",
                                          keys->thread_instruction_count),
                     (double)e->instructions);
}

/* A double that may have come from anywhere as an integer, without undefined behaviour. */
static int64_t to_int(double v)
{
    if (v >= 9.2e18)
        return INT64_MAX;
    if (!(v > -9.2e18))
        return INT64_MIN;
    return (int64_t)v;
}

static void add_extra_counters(struct import *im, struct track_event *e)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    uint32_t n = e->record->extra_counters;
    uint32_t before = (uint32_t)__builtin_popcount(e->record->flags);
    const uint8_t *values = record_values(e->record) + before * 8;
    for (uint32_t i = 0; i < n; i++) {
        double value;
        uint32_t index;
        memcpy(&value, values + i * 8, sizeof value);
        memcpy(&index, values + n * 8 + i * 4, sizeof index);
        uint32_t track =
            descriptor_track_single(im, index, NULL_STRING, e->generation->sequence_id);
        if (track == NULL_U32)
            continue;
        counter_push(im->trace, e->ts, track, value);
        string_id name = track_event_track(im, index)->name;
        if (name == keys->thread_time) {
            e->thread_time = to_int(value);
            e->has_thread_time = true;
        } else if (name == keys->thread_instruction_count) {
            e->instructions = to_int(value);
            e->has_instructions = true;
        }
    }
}

static void add_args(struct import *im, const struct track_event *e, struct arg_list *args)
{
    if (!args)
        return;
    size_t before = args->v.count;
    if ((e->has_args || e->has_source_id) && !track_event_add_args(im, e, args))
        stats_count(im->trace, STAT_track_event_parser_errors);
    translate_args(im, args, before);
    if (e->passthrough_utid == NULL_U32)
        return;
    string_id key = im->track_event->keys.passthrough_utid;
    for (size_t i = 0; i < args->v.count; i++)
        if (args->v.items[i].key == key)
            return;
    arg_list_uint(args, key, e->passthrough_utid);
}

/* What extensions say goes into tables of their own, once the slice is there. */
static void apply_extensions(struct import *im, const struct track_event *e, uint32_t slice,
                             bool ends)
{
    track_event_add_callstack(im, e, slice, ends);
    uint32_t machine = e->generation->machine;
    if (e->gpu_correlation.data)
        gpu_flow_correlate(im, pb_message(&e->gpu_correlation), slice);
    if (e->process_start.data)
        android_process_started(im, machine, e->ts, pb_message(&e->process_start));
    if (e->binder_death.data)
        android_process_died(im, machine, e->ts, pb_message(&e->binder_death));
}

static void add_phase(struct import *im, char phase, struct arg_list *args)
{
    if (args)
        arg_list_str(args, im->track_event->keys.legacy_phase,
                     trace_intern(im->trace, (struct str){&phase, 1}));
}

static void add_legacy_flow(struct import *im, const struct track_event *e, uint32_t slice)
{
    const struct legacy_event *l = &e->legacy;
    struct trace *t = im->trace;
    if (!l->has_bind_id)
        return;
    switch (l->has_flow_direction ? l->flow_direction : 0) {
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_OUT:
        flow_begin(t, slice, l->bind_id);
        break;
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_INOUT:
        flow_step(t, slice, l->bind_id, (int64_t)l->bind_id);
        break;
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_IN:
        flow_end(t, slice, l->bind_id, false, (int64_t)l->bind_id);
        break;
    default:
        stats_count(t, STAT_flow_without_direction);
    }
}

/* Flow ids of one field on the slice. Returns whether there were any. */
static bool add_flow_field(struct import *im, const struct track_event *e, uint32_t slice,
                           uint32_t field, bool terminating)
{
    struct trace *t = im->trace;
    bool fixed = field == PB_TrackEvent_flow_ids || field == PB_TrackEvent_terminating_flow_ids;
    struct pb_reader r = e->bytes;
    struct pb_field f;
    uint64_t id;
    bool any = false;
    while (pb_next(&r, &f)) {
        if (f.number != field)
            continue;
        any = true;
        struct pb_packed it = pb_packed_begin(&f, fixed ? PB_WIRE_I64 : PB_WIRE_VARINT);
        while (pb_packed_next(&it, &id)) {
            bool known = flow_known(t, id);
            if (terminating && known)
                flow_end(t, slice, id, true, (int64_t)id);
            else if (!terminating && known)
                flow_step(t, slice, id, (int64_t)id);
            else if (!terminating)
                flow_begin(t, slice, id);
        }
    }
    return any;
}

static void add_flows(struct import *im, const struct track_event *e, uint32_t slice)
{
    add_legacy_flow(im, e, slice);
    if (!e->has_flows)
        return;
    if (!add_flow_field(im, e, slice, PB_TrackEvent_flow_ids, false))
        add_flow_field(im, e, slice, PB_TrackEvent_flow_ids_old, false);
    if (!add_flow_field(im, e, slice, PB_TrackEvent_terminating_flow_ids, true))
        add_flow_field(im, e, slice, PB_TrackEvent_terminating_flow_ids_old, true);
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

static bool apply_begin(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    uint32_t track = track_of(im, e, USE_BEGIN);
    if (track == NULL_U32)
        return false;
    uint32_t slice = slice_begin(t, e->ts, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    struct arg_list *args = slice_args(t, track, slice);
    add_args(im, e, args);
    if (phase->in_args)
        add_phase(im, phase->letter, args);
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
    uint32_t track = track_of(im, e, USE_END);
    if (track == NULL_U32)
        return false;
    string_id name = translate_slice_name(im, e->name);
    uint32_t slice = slice_find_end(t, e->ts, track, e->category, name);
    if (slice == NULL_U32)
        return true;
    add_args(im, e, slice_args(t, track, slice));
    slice_end(t, e->ts, track, e->category, name);
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
    uint32_t track = track_of(im, e, USE_SINGLE);
    if (track == NULL_U32)
        return false;
    uint32_t slice =
        slice_complete(t, e->ts, dur, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    add_args(im, e, slice_args(t, track, slice));
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
    uint32_t track = track_of(im, e, USE_INSTANT);
    if (track == NULL_U32)
        return false;
    uint32_t slice =
        slice_complete(t, e->ts, 0, track, e->category, translate_slice_name(im, e->name));
    if (slice == NULL_U32)
        return true;
    struct arg_list *args = slice_args(t, track, slice);
    add_args(im, e, args);
    if (phase->in_args)
        add_phase(im, phase->letter, args);
    if (e->utid != NULL_U32 && !is_async(legacy_phase(e))) /* async ones were only sent by it */
        set_thread_deltas(im, e, slice, 0, 0);
    if (!phase->without_flows)
        add_flows(im, e, slice);
    apply_extensions(im, e, slice, false);
    return true;
}

static bool apply_counter(struct import *im, struct track_event *e)
{
    uint32_t track = track_of(im, e, USE_SINGLE);
    if (track == NULL_U32 || !(e->record->flags & RECORD_HAS_COUNTER))
        return false;
    uint32_t before = (uint32_t)__builtin_popcount(e->record->flags & (RECORD_HAS_COUNTER - 1));
    double value;
    memcpy(&value, record_values(e->record) + before * 8, sizeof value);
    uint32_t row = counter_push(im->trace, e->ts, track, value);
    struct arg_list *args = &im->track_event->args;
    arg_list_clear(args);
    add_args(im, e, args);
    if (args->v.count)
        table_set_u32(&im->trace->tables.counter, counter_col_arg_set_id, row,
                      args_intern(&im->trace->args, args));
    return true;
}

/* A state lasts until the next one of its track; an event without a name only ends it. */
static bool apply_state(struct import *im, struct track_event *e)
{
    struct trace *t = im->trace;
    struct table *states = &t->tables.state;
    uint32_t index = e->record->track;
    if (track_event_track(im, index)->kind != KIND_STATES)
        return false;
    uint32_t track = track_of(im, e, USE_SINGLE);
    if (track == NULL_U32)
        return false;
    struct descriptor_track *d = track_event_track(im, index);
    if (d->open_state != NULL_U32)
        table_set_i64(states, state_col_dur, d->open_state,
                      time_minus(e->ts, table_i64(states, state_col_ts)[d->open_state]));
    d->open_state = NULL_U32;
    if (!e->name)
        return true;
    struct arg_list *args = &im->track_event->args;
    arg_list_clear(args);
    add_args(im, e, args);
    struct state_row row = state_row_null();
    row.ts = e->ts;
    row.dur = -1;
    row.track_id = track;
    row.category = e->category;
    row.value = e->name;
    row.arg_set_id = args_intern(&t->args, args);
    d->open_state = state_append(states, &row);
    return true;
}

/* Flow events of their own, which bind to slices of their thread. */
static bool apply_flow(struct import *im, struct track_event *e, const struct phase *phase)
{
    struct trace *t = im->trace;
    if (e->legacy.id_kind != LEGACY_ID_UNSCOPED) {
        stats_count(t, STAT_flow_invalid_id);
        return false;
    }
    uint64_t id = flow_named_id(t, e->legacy.id, e->category, e->name);
    uint32_t track = track_of(im, e, USE_SINGLE);
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
static bool apply_raw(struct import *im, struct track_event *e, const struct phase *phase)
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
    add_phase(im, (char)l->phase, args);
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
    add_args(im, e, args);
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
static bool apply_metadata(struct import *im, struct track_event *e, const struct phase *phase)
{
    if (!e->name)
        return false;
    struct str event_name = string_pool_get(&im->trace->strings, e->name);
    bool of_thread = str_eq(event_name, STR("thread_name"));
    if (!of_thread && !str_eq(event_name, STR("process_name"))) {
        apply_raw(im, e, phase);
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

static const struct phase phases[PHASES] = {
    ['B'] = {apply_begin, .of_thread = true},
    ['E'] = {apply_end, .of_thread = true},
    ['X'] = {apply_complete, .of_thread = true},
    ['i'] = {apply_instant, .place = PLACE_SCOPE},
    ['I'] = {apply_instant, .place = PLACE_SCOPE},
    ['R'] = {apply_instant, .letter = 'R', .in_args = true},
    ['b'] = {apply_begin, .place = PLACE_ASYNC_BEGIN},
    ['n'] = {apply_instant, .place = PLACE_ASYNC_POINT},
    ['e'] = {apply_end, .place = PLACE_ASYNC_END},
    ['S'] = {apply_begin, .place = PLACE_ASYNC_BEGIN, .letter = 'S', .named = true,
             .in_args = true},
    ['T'] = {apply_instant, .place = PLACE_ASYNC_END, .letter = 'T', .named = true, .in_args = true,
             .without_flows = true},
    ['p'] = {apply_instant, .place = PLACE_ASYNC_POINT, .letter = 'p', .named = true,
             .in_args = true, .without_flows = true},
    ['F'] = {apply_end, .place = PLACE_ASYNC_POINT, .named = true},
    ['s'] = {apply_flow, .letter = 's'},
    ['t'] = {apply_flow, .letter = 't'},
    ['f'] = {apply_flow, .letter = 'f'},
    ['M'] = {.apply = apply_metadata},
};

/* The phase that the event names, or that of its type. */
static const struct phase *phase_of(const struct track_event *e)
{
    bool on_thread = e->utid != NULL_U32;
    if (e->legacy.has_phase)
        return legacy_phase(e);
    switch (e->type) {
    case PB_TrackEvent_Type_TYPE_SLICE_BEGIN:
        return phase_of_letter(on_thread ? 'B' : 'b');
    case PB_TrackEvent_Type_TYPE_SLICE_END:
        return phase_of_letter(on_thread ? 'E' : 'e');
    case PB_TrackEvent_Type_TYPE_INSTANT:
        return phase_of_letter(on_thread ? 'i' : 'n');
    default:
        return phase_of_letter(0);
    }
}

static bool apply_phase(struct import *im, struct track_event *e)
{
    const struct phase *phase = phase_of(e);
    if (phase->of_thread && e->utid == NULL_U32)
        return false;
    return phase->apply ? phase->apply(im, e, phase) : apply_raw(im, e, phase);
}

static bool apply(struct import *im, struct track_event *e)
{
    if (e->type == PB_TrackEvent_Type_TYPE_UNSPECIFIED && !e->legacy.has_phase)
        return false;
    if (!associate(im, e))
        return false;
    add_thread_counters(im, e);
    add_extra_counters(im, e);
    if (e->type == PB_TrackEvent_Type_TYPE_COUNTER)
        return apply_counter(im, e);
    if (e->type == PB_TrackEvent_Type_TYPE_STATE)
        return apply_state(im, e);
    return apply_phase(im, e);
}

void track_event_parse(struct import *im, int64_t ts, uint64_t ref)
{
    const struct track_event_record *record = (const void *)(uintptr_t)ref;
    struct track_event e = {
        .ts = ts,
        .record = record,
        .generation = track_event_generation(im, record->generation),
        .bytes = pb_reader_from(record->event, record->size),
        .utid = NULL_U32,
        .upid = NULL_U32,
        .passthrough_utid = NULL_U32,
    };
    stats_enter_machine(im->trace, e.generation->machine);
    track_event_read(im, &e);
    if (!apply(im, &e))
        stats_count(im->trace, STAT_track_event_parser_errors);
}
