/* Track events in file order: timestamps and counters lose their deltas here, where the order in
 * which a sequence wrote them is still known. */
#include "parsers/perfetto/track_event/track_event.h"

#include "base/alloc.h"
#include "pb_fields.h"

void track_event_import_init(struct import *im)
{
    struct track_event_import *te = alloc_array(1, sizeof *te);
#define K(name, text) te->keys.name = trace_intern_c(im->trace, text);
    TRACK_EVENT_KEYS(K)
#undef K
    im->track_event = te;
}

void track_event_import_release(struct import *im)
{
    struct track_event_import *te = im->track_event;
    if (!te)
        return;
    track_event_reflect_release(im);
    for (size_t i = 0; i < te->generations.count; i++) {
        vec_release(&te->generations.items[i].names);
        vec_release(&te->generations.items[i].categories);
    }
    for (size_t i = 0; i < te->process_args.count; i++)
        arg_list_release(&te->process_args.items[i].args);
    vec_release(&te->process_args);
    map_release(&te->process_args_of);
    vec_release(&te->generations);
    vec_release(&te->tracks);
    map_release(&te->tracks_by_uuid);
    map_release(&te->track_of_utid);
    map_release(&te->track_of_upid);
    map_release(&te->first_packet_sequences);
    map_release(&te->async_names);
    translations_release(&te->translations);
    arg_list_release(&te->args);
    arg_list_release(&te->track_args);
    vec_release(&te->text);
    free(te);
    im->track_event = NULL;
}

void track_event_finish(struct import *im)
{
    struct trace *t = im->trace;
    const struct track_event_import *te = im->track_event;
    for (size_t i = 0; i < te->process_args.count; i++) {
        struct process_args *p = &te->process_args.items[i];
        table_set_u32(&t->tables.process, process_col_arg_set_id, p->upid,
                      args_intern(&t->args, &p->args));
    }
}

void track_event_sequence_reset(struct packet_sequence *seq)
{
    struct track_event_sequence *s = seq->track_event;
    if (!s)
        return;
    s->timestamps_valid = false;
    s->timestamp = s->thread_time = s->thread_instructions = 0;
    map_release(&s->counters);
    s->counter_values.count = 0;
}

void track_event_sequence_release(struct packet_sequence *seq)
{
    struct track_event_sequence *s = seq->track_event;
    if (!s)
        return;
    map_release(&s->counters);
    vec_release(&s->counter_values);
    free(s);
    seq->track_event = NULL;
}

static struct pb_reader track_event_defaults(const struct interned_generation *g)
{
    struct pb_reader r = pb_reader_from(g->defaults.p, g->defaults.n), found = {0};
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacketDefaults_track_event_defaults)
            found = pb_message(&f);
    return found;
}

/* The track_uuid of the sequence's defaults; NULL_U32 for none. */
static uint32_t default_track(struct import *im, const struct packet *p)
{
    struct pb_reader r = track_event_defaults(p->generation);
    struct pb_field f;
    uint32_t track = NULL_U32;
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEventDefaults_track_uuid)
            track = descriptor_track_find(im, p->machine, pb_u64(&f));
    return track;
}

/* What is kept for the packet's generation; a new one takes over the thread of the one before. */
static struct event_generation *generation_of(struct import *im, const struct packet *p)
{
    struct track_event_import *te = im->track_event;
    struct packet_sequence *seq = p->sequence;
    if (!seq->track_event)
        seq->track_event = alloc_array(1, sizeof *seq->track_event);
    uint32_t number = p->generation->number;
    while (te->generations.count < number)
        *vec_push(&te->generations) = (struct event_generation){0};
    struct event_generation *g = track_event_generation(im, number);
    if (g->interned)
        return g;
    if (seq->track_event->generation) {
        const struct event_generation *before =
            track_event_generation(im, seq->track_event->generation);
        g->has_thread = before->has_thread;
        g->synthetic_tid = before->synthetic_tid;
        g->pid = before->pid;
        g->tid = before->tid;
    }
    g->interned = p->generation;
    g->sequence_id = seq->id;
    g->machine = seq->machine;
    g->default_track = default_track(im, p);
    g = track_event_generation(im, number);
    if (number > seq->track_event->generation)
        seq->track_event->generation = number;
    return g;
}

static int64_t us_to_ns(int64_t us)
{
    int64_t ns;
    if (__builtin_mul_overflow(us, 1000, &ns))
        return us < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

struct thread_descriptor {
    int64_t pid, tid;
    int64_t timestamp_us, thread_time_us, instructions;
    bool has_pid, has_tid;
};

static struct thread_descriptor read_thread_descriptor(struct pb_reader r)
{
    struct thread_descriptor d = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ThreadDescriptor_pid:
            d.pid = pb_i32(&f);
            d.has_pid = true;
            break;
        case PB_ThreadDescriptor_tid:
            d.tid = pb_i64(&f);
            d.has_tid = true;
            break;
        case PB_ThreadDescriptor_reference_timestamp_us:
            d.timestamp_us = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_reference_thread_time_us:
            d.thread_time_us = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_reference_thread_instruction_count:
            d.instructions = pb_i64(&f);
            break;
        default:
            break;
        }
    }
    return d;
}

static void set_thread(struct import *im, const struct packet *p, const struct thread_descriptor *d,
                       bool synthetic)
{
    struct event_generation *g = generation_of(im, p);
    g->has_thread = true;
    g->pid = d->pid;
    g->tid = d->tid;
    g->synthetic_tid = synthetic;
    struct track_event_sequence *s = p->sequence->track_event;
    s->timestamps_valid = true;
    s->timestamp = us_to_ns(d->timestamp_us);
    s->thread_time = us_to_ns(d->thread_time_us);
    s->thread_instructions = d->instructions;
}

bool thread_descriptor_tokenize(struct import *im, struct packet *p)
{
    if (!p->has_sequence) {
        stats_count(im->trace, STAT_thread_descriptor_missing_sequence_id);
        return true;
    }
    if (!p->sequence->state_valid) {
        stats_count(im->trace, STAT_thread_descriptor_skipped_incremental_state_invalid);
        return true;
    }
    struct thread_descriptor d = read_thread_descriptor(pb_reader_from(p->field.p, p->field.n));
    set_thread(im, p, &d, false);
    return false;
}

bool range_of_interest_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    struct pb_field f;
    bool has_start = false;
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEventRangeOfInterest_start_us) {
            has_start = true;
            metadata_set_int(im->trace, "range_of_interest_start_us", pb_i64(&f));
        }
    if (!has_start)
        stats_count(im->trace, STAT_track_event_range_of_interest_missing_start_us);
    return true;
}

/* The messages of a descriptor that need a second look once its own fields are known. */
struct descriptor_parts {
    struct pb_field process, thread, chrome_thread, counter;
    uint64_t merge_behavior, merge_key_int;
    string_id merge_key, static_name, atrace_name;
    bool has_uuid, has_state, has_merge_key_int;
};

static void read_descriptor_name(struct import *im, const struct pb_field *f,
                                 struct descriptor_track *d, struct descriptor_parts *parts)
{
    string_id text = trace_intern(im->trace, pb_str(f));
    switch (f->number) {
    case PB_TrackDescriptor_name:
        d->name = text;
        break;
    case PB_TrackDescriptor_static_name:
        parts->static_name = text;
        break;
    case PB_TrackDescriptor_atrace_name:
        parts->atrace_name = text;
        break;
    case PB_TrackDescriptor_description:
        d->description = text;
        break;
    default:
        parts->merge_key = text;
    }
}

static void read_descriptor_field(struct import *im, const struct pb_field *f,
                                  struct descriptor_track *d, struct descriptor_parts *parts)
{
    switch (f->number) {
    case PB_TrackDescriptor_uuid:
        d->uuid = pb_u64(f);
        parts->has_uuid = true;
        break;
    case PB_TrackDescriptor_parent_uuid:
        d->parent_uuid = pb_u64(f);
        break;
    case PB_TrackDescriptor_name:
    case PB_TrackDescriptor_static_name:
    case PB_TrackDescriptor_atrace_name:
    case PB_TrackDescriptor_description:
    case PB_TrackDescriptor_sibling_merge_key:
        read_descriptor_name(im, f, d, parts);
        break;
    case PB_TrackDescriptor_process:
        parts->process = *f;
        break;
    case PB_TrackDescriptor_thread:
        parts->thread = *f;
        break;
    case PB_TrackDescriptor_chrome_thread:
        parts->chrome_thread = *f;
        break;
    case PB_TrackDescriptor_counter:
        parts->counter = *f;
        break;
    case PB_TrackDescriptor_state:
        parts->has_state = true;
        break;
    case PB_TrackDescriptor_disallow_merging_with_system_tracks:
        d->separate = pb_bool(f);
        break;
    case PB_TrackDescriptor_child_ordering:
        d->ordering = pb_u64(f) < UINT8_MAX ? (uint8_t)pb_u64(f) : UINT8_MAX;
        break;
    case PB_TrackDescriptor_sibling_order_rank:
        d->order_rank = pb_i32(f);
        d->has_rank = true;
        break;
    case PB_TrackDescriptor_sibling_merge_behavior:
        parts->merge_behavior = pb_u64(f);
        break;
    case PB_TrackDescriptor_sibling_merge_key_int:
        parts->merge_key_int = pb_u64(f);
        parts->has_merge_key_int = true;
        break;
    default:
        break;
    }
}

static void set_merge(struct import *im, struct descriptor_track *d,
                      const struct descriptor_parts *parts)
{
    if (parts->merge_behavior ==
        PB_TrackDescriptor_SiblingMergeBehavior_SIBLING_MERGE_BEHAVIOR_NONE)
        d->merge = MERGE_NONE;
    if (parts->merge_behavior !=
        PB_TrackDescriptor_SiblingMergeBehavior_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY)
        return;
    d->merge = MERGE_BY_KEY;
    d->merge_key = parts->merge_key;
    if (parts->merge_key || !parts->has_merge_key_int)
        return;
    char text[64];
    snprintf(text, sizeof text, "sibling_merge_key_int:%llu",
             (unsigned long long)parts->merge_key_int);
    d->merge_key = trace_intern_c(im->trace, text);
}

static bool read_bool(struct pb_reader r, uint32_t number)
{
    struct pb_field f;
    bool value = false;
    while (pb_next(&r, &f))
        if (f.number == number)
            value = pb_bool(&f);
    return value;
}

static void set_counter_unit(struct import *im, struct descriptor_track *d, uint64_t type,
                             uint64_t unit, string_id unit_name)
{
    static const char *const units[] = {
        [PB_CounterDescriptor_Unit_UNIT_TIME_NS] = "ns",
        [PB_CounterDescriptor_Unit_UNIT_COUNT] = "count",
        [PB_CounterDescriptor_Unit_UNIT_SIZE_BYTES] = "bytes",
    };
    const struct track_event_keys *keys = &im->track_event->keys;
    if (type == PB_CounterDescriptor_BuiltinCounterType_COUNTER_THREAD_TIME_NS) {
        unit = PB_CounterDescriptor_Unit_UNIT_TIME_NS;
        d->builtin_type = keys->thread_time;
    } else if (type == PB_CounterDescriptor_BuiltinCounterType_COUNTER_THREAD_INSTRUCTION_COUNT) {
        unit = PB_CounterDescriptor_Unit_UNIT_COUNT;
        d->builtin_type = keys->thread_instruction_count;
    }
    if (!d->name)
        d->name = d->builtin_type;
    bool known = unit && unit < sizeof units / sizeof *units;
    d->unit = known ? trace_intern_c(im->trace, units[unit]) : unit_name;
}

/* Categories, or other strings, put together with commas. */
static string_id join(struct import *im, string_id so_far, struct str more)
{
    if (!so_far)
        return trace_intern(im->trace, more);
    struct track_event_import *te = im->track_event;
    struct str first = string_pool_get(&im->trace->strings, so_far);
    size_t n = first.n + 1 + more.n;
    vec_reserve(&te->text, n);
    memcpy(te->text.items, first.p, first.n);
    te->text.items[first.n] = ',';
    memcpy(te->text.items + first.n + 1, more.p, more.n);
    return trace_intern(im->trace, (struct str){te->text.items, n});
}

static void read_counter(struct import *im, struct pb_reader r, struct descriptor_track *d)
{
    uint64_t type = 0, unit = 0;
    string_id unit_name = NULL_STRING;
    struct pb_field f;
    d->kind = KIND_COUNTER;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_CounterDescriptor_type:
            type = pb_u64(&f);
            break;
        case PB_CounterDescriptor_categories:
            d->category = join(im, d->category, pb_str(&f));
            break;
        case PB_CounterDescriptor_unit:
            unit = pb_u64(&f);
            break;
        case PB_CounterDescriptor_unit_name:
            unit_name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_CounterDescriptor_unit_multiplier:
            d->unit_multiplier = pb_i64(&f);
            break;
        case PB_CounterDescriptor_is_incremental:
            d->incremental = pb_bool(&f);
            break;
        case PB_CounterDescriptor_y_axis_share_key:
            d->y_axis_key = trace_intern(im->trace, pb_str(&f));
            break;
        default:
            break;
        }
    }
    set_counter_unit(im, d, type, unit, unit_name);
}

static bool describe_thread(struct import *im, const struct packet *p,
                            const struct descriptor_parts *parts, struct descriptor_track *d)
{
    struct thread_descriptor thread = read_thread_descriptor(pb_message(&parts->thread));
    if (!thread.has_pid || !thread.has_tid) {
        stats_count(im->trace, STAT_track_descriptor_thread_missing_pid_tid);
        return false;
    }
    d->pid = thread.pid;
    d->tid = thread.tid;
    d->synthetic_tid =
        read_bool(pb_message(&parts->chrome_thread), PB_ChromeThreadDescriptor_is_sandboxed_tid);
    if (p->sequence->state_valid)
        set_thread(im, p, &thread, d->synthetic_tid);
    return true;
}

static bool describe_process(struct import *im, const struct descriptor_parts *parts,
                             struct descriptor_track *d)
{
    struct pb_reader r = pb_message(&parts->process);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessDescriptor_pid)
            d->pid = pb_i32(&f);
    if (d->pid != NO_PID)
        return true;
    stats_count(im->trace, STAT_track_descriptor_process_missing_pid);
    return false;
}

/* The first of thread, process, counter and state decides what kind of track it is. */
static bool describe_kind(struct import *im, const struct packet *p,
                          const struct descriptor_parts *parts, struct descriptor_track *d)
{
    if (parts->thread.data)
        return describe_thread(im, p, parts, d);
    if (parts->process.data)
        return describe_process(im, parts, d);
    if (parts->counter.data)
        read_counter(im, pb_message(&parts->counter), d);
    else if (parts->has_state)
        d->kind = KIND_STATES;
    return true;
}

bool track_descriptor_tokenize(struct import *im, struct packet *p)
{
    struct descriptor_track d = {.machine = p->machine,
                                 .pid = NO_PID,
                                 .tid = NO_PID,
                                 .open_state = NULL_U32};
    struct descriptor_parts parts = {0};
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    struct pb_field f;
    if (p->first_on_sequence)
        map_set(&im->track_event->first_packet_sequences, p->sequence->id, 1);
    while (pb_next(&r, &f))
        read_descriptor_field(im, &f, &d, &parts);
    d.writer = packet_writer(p);
    if (!parts.has_uuid) {
        stats_count(im->trace, STAT_track_descriptor_missing_uuid);
        return true;
    }
    if (d.ordering > PB_TrackDescriptor_ChildTracksOrdering_EXPLICIT) {
        stats_count(im->trace, STAT_track_descriptor_invalid_child_ordering);
        return true;
    }
    if (!d.name)
        d.name = parts.static_name ? parts.static_name : parts.atrace_name;
    set_merge(im, &d, &parts);
    if (!describe_kind(im, p, &parts, &d))
        return true;
    descriptor_track_describe(im, &d);
    return false;
}

/* A TrackEvent as far as it matters before its turn. */
struct event_head {
    int64_t timestamp_delta_us, timestamp_absolute_us;
    int64_t thread_time_delta_us, thread_time_absolute_us;
    int64_t instructions_delta, instructions_absolute;
    uint64_t track_uuid;
    double counter_value;
    int32_t type;
    bool has_timestamp_delta, has_thread_time_delta, has_thread_time, has_instructions_delta;
    bool has_instructions, has_track_uuid, has_int_value, has_double_value, has_extra;
};

static void read_head(struct pb_reader r, struct event_head *h)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TrackEvent_type:
            h->type = pb_i32(&f);
            break;
        case PB_TrackEvent_track_uuid:
            h->track_uuid = pb_u64(&f);
            h->has_track_uuid = true;
            break;
        case PB_TrackEvent_timestamp_delta_us:
            h->timestamp_delta_us = pb_i64(&f);
            h->has_timestamp_delta = true;
            break;
        case PB_TrackEvent_timestamp_absolute_us:
            h->timestamp_absolute_us = pb_i64(&f);
            break;
        case PB_TrackEvent_thread_time_delta_us:
            h->thread_time_delta_us = pb_i64(&f);
            h->has_thread_time_delta = true;
            break;
        case PB_TrackEvent_thread_time_absolute_us:
            h->thread_time_absolute_us = pb_i64(&f);
            h->has_thread_time = true;
            break;
        case PB_TrackEvent_thread_instruction_count_delta:
            h->instructions_delta = pb_i64(&f);
            h->has_instructions_delta = true;
            break;
        case PB_TrackEvent_thread_instruction_count_absolute:
            h->instructions_absolute = pb_i64(&f);
            h->has_instructions = true;
            break;
        case PB_TrackEvent_counter_value:
            h->counter_value = (double)pb_i64(&f);
            h->has_int_value = true;
            break;
        case PB_TrackEvent_double_counter_value:
            if (!h->has_int_value)
                h->counter_value = pb_real(&f);
            h->has_double_value = true;
            break;
        case PB_TrackEvent_extra_counter_values:
        case PB_TrackEvent_extra_double_counter_values:
            h->has_extra = true;
            break;
        default:
            break;
        }
    }
}

/* The old timestamps are in MONOTONIC; where no snapshot relates it to the trace clock they stand
 * as they are. */
static int64_t from_monotonic(struct import *im, const struct packet *p, int64_t ts)
{
    int64_t out;
    if (import_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC,
                             ts, &out))
        return out;
    clock_count_failure(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC);
    return ts;
}

/* False where the event has no usable time, which is counted. */
static bool event_time(struct import *im, const struct packet *p, const struct event_head *h,
                       int64_t *out)
{
    struct track_event_sequence *s = p->sequence->track_event;
    int64_t ts;
    if (h->has_timestamp_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace, STAT_track_event_skipped_timestamp_delta_without_valid_state);
            return false;
        }
        ts = s->timestamp = time_plus(s->timestamp, us_to_ns(h->timestamp_delta_us));
    } else if (h->timestamp_absolute_us) {
        ts = us_to_ns(h->timestamp_absolute_us);
    } else if (p->has_timestamp) {
        *out = p->ts;
        return true;
    } else {
        stats_count(im->trace, STAT_track_event_missing_timestamp);
        return false;
    }
    if (ts != INT64_MIN && ts != INT64_MAX)
        ts = from_monotonic(im, p, ts);
    if (ts < 0 || ts == INT64_MAX) {
        stats_count(im->trace, STAT_track_event_invalid_timestamp);
        return false;
    }
    *out = ts;
    return true;
}

bool track_event_sequence_now(struct import *im, const struct packet *p, int64_t *ts,
                              struct sequence_thread *thread)
{
    const struct event_generation *g = generation_of(im, p);
    const struct track_event_sequence *s = p->sequence->track_event;
    if (!s->timestamps_valid || s->timestamp == INT64_MIN || s->timestamp == INT64_MAX)
        return false;
    *thread = (struct sequence_thread){g->pid, generation_tid(g), g->has_thread};
    *ts = from_monotonic(im, p, s->timestamp);
    return true;
}

bool track_event_sequence_advance(const struct packet *p, int64_t delta_us)
{
    struct track_event_sequence *s = p->sequence->track_event;
    s->timestamp = time_plus(s->timestamp, us_to_ns(delta_us));
    return s->timestamp != INT64_MIN && s->timestamp != INT64_MAX;
}

/* A record under construction: what will stand behind it. */
struct record_values {
    struct track_event_record record;
    int64_t thread_time, instructions;
    double counter, extra[TRACK_EVENT_EXTRA_COUNTERS];
    uint32_t extra_tracks[TRACK_EVENT_EXTRA_COUNTERS];
};

static bool thread_counts(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    struct track_event_sequence *s = p->sequence->track_event;
    if (h->has_thread_time_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace, STAT_track_event_skipped_thread_time_delta_without_valid_state);
            return false;
        }
        v->thread_time = s->thread_time =
            time_plus(s->thread_time, us_to_ns(h->thread_time_delta_us));
    } else if (h->has_thread_time) {
        v->thread_time = us_to_ns(h->thread_time_absolute_us);
    }
    if (h->has_thread_time_delta || h->has_thread_time)
        v->record.flags |= RECORD_HAS_THREAD_TIME;
    if (h->has_instructions_delta) {
        if (!s->timestamps_valid) {
            stats_count(im->trace,
                        STAT_track_event_skipped_thread_instruction_delta_without_valid_state);
            return false;
        }
        v->instructions = s->thread_instructions =
            time_plus(s->thread_instructions, h->instructions_delta);
    } else if (h->has_instructions) {
        v->instructions = h->instructions_absolute;
    }
    if (h->has_instructions_delta || h->has_instructions)
        v->record.flags |= RECORD_HAS_INSTRUCTIONS;
    return true;
}

static bool counter_value(struct import *im, const struct packet *p, const struct event_head *h,
                          struct record_values *v)
{
    if (!h->has_track_uuid) {
        stats_count(im->trace, STAT_track_event_counter_missing_track_uuid);
        return false;
    }
    if (!h->has_int_value && !h->has_double_value) {
        stats_count(im->trace, STAT_track_event_counter_missing_value);
        return false;
    }
    if (!descriptor_track_counter_value(im, p->sequence->track_event, v->record.track,
                                        h->counter_value, &v->counter)) {
        stats_count(im->trace, STAT_track_event_counter_invalid_track_uuid);
        return false;
    }
    v->record.flags |= RECORD_HAS_COUNTER;
    return true;
}

struct uuid_list {
    uint64_t items[TRACK_EVENT_EXTRA_COUNTERS];
    uint32_t count;
};

static void read_uuids(struct pb_reader r, uint32_t number, struct uuid_list *out)
{
    struct pb_field f;
    uint64_t uuid;
    while (pb_next(&r, &f)) {
        if (f.number != number)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (out->count < TRACK_EVENT_EXTRA_COUNTERS && pb_packed_next(&it, &uuid))
            out->items[out->count++] = uuid;
    }
}

/* Adds the values of one of the two kinds; their tracks stand in the event or in the defaults. */
static bool extra_values(struct import *im, const struct packet *p, uint32_t value_field,
                         uint32_t uuid_field, struct record_values *v)
{
    struct pb_reader event = pb_reader_from(p->field.p, p->field.n), r = event;
    bool real = value_field == PB_TrackEvent_extra_double_counter_values;
    struct uuid_list uuids = {.count = 0};
    uint32_t used = 0;
    struct pb_field f;
    uint64_t bits;
    while (pb_next(&r, &f)) {
        if (f.number != value_field)
            continue;
        struct pb_packed it = pb_packed_begin(&f, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
        while (pb_packed_next(&it, &bits)) {
            if (used == 0) {
                read_uuids(event, uuid_field, &uuids);
                if (uuids.count == 0)
                    read_uuids(track_event_defaults(p->generation), uuid_field, &uuids);
                if (uuids.count == 0) {
                    stats_count(im->trace, STAT_track_event_extra_counter_missing_track_uuids);
                    return false;
                }
            }
            if (v->record.extra_counters >= TRACK_EVENT_EXTRA_COUNTERS) {
                stats_count(im->trace, STAT_track_event_extra_counter_exceeds_max);
                return false;
            }
            if (used >= uuids.count) {
                stats_count(im->trace, STAT_track_event_extra_counter_track_uuid_mismatch);
                return false;
            }
            double value = (double)(int64_t)bits;
            if (real)
                memcpy(&value, &bits, sizeof value);
            uint16_t at = v->record.extra_counters++;
            v->extra_tracks[at] = descriptor_track_find(im, p->machine, uuids.items[used++]);
            if (!descriptor_track_counter_value(im, p->sequence->track_event, v->extra_tracks[at],
                                                value, &v->extra[at])) {
                stats_count(im->trace, STAT_track_event_extra_counter_invalid_track);
                return false;
            }
        }
    }
    return true;
}

static void push_record(struct import *im, int64_t ts, const struct record_values *v)
{
    size_t n = v->record.extra_counters;
    size_t words = n + ((v->record.flags & RECORD_HAS_THREAD_TIME) != 0) +
                   ((v->record.flags & RECORD_HAS_INSTRUCTIONS) != 0) +
                   ((v->record.flags & RECORD_HAS_COUNTER) != 0);
    uint8_t *at = arena_alloc(&im->arena, sizeof v->record + words * 8 + n * 4);
    uint64_t ref = (uintptr_t)at;
    memcpy(at, &v->record, sizeof v->record);
    at += sizeof v->record;
    if (v->record.flags & RECORD_HAS_THREAD_TIME) {
        memcpy(at, &v->thread_time, 8);
        at += 8;
    }
    if (v->record.flags & RECORD_HAS_INSTRUCTIONS) {
        memcpy(at, &v->instructions, 8);
        at += 8;
    }
    if (v->record.flags & RECORD_HAS_COUNTER) {
        memcpy(at, &v->counter, 8);
        at += 8;
    }
    memcpy(at, v->extra, n * 8);
    memcpy(at + n * 8, v->extra_tracks, n * 4);
    sorter_push(&im->sorter, 0, ts, RECORD_TRACK_EVENT, ref);
}

/* The event's track_uuid, or its sequence's default. */
static void find_track(struct import *im, const struct packet *p, struct event_head *h,
                       struct record_values *v)
{
    const struct event_generation *g = generation_of(im, p);
    if (!h->has_track_uuid && g->default_track != NULL_U32) {
        h->has_track_uuid = true;
        v->record.track = g->default_track;
        return;
    }
    v->record.track = descriptor_track_find(im, p->machine, h->track_uuid);
}

bool track_event_tokenize(struct import *im, struct packet *p)
{
    if (!p->has_sequence) {
        stats_count(im->trace, STAT_track_event_missing_sequence_id);
        return true;
    }
    if (p->field.n > UINT32_MAX)
        return true;
    if (p->first_on_sequence)
        map_set(&im->track_event->first_packet_sequences, p->sequence->id, 1);
    struct event_head h = {0};
    struct record_values v = {.record = {.event = p->field.p,
                                         .size = (uint32_t)p->field.n,
                                         .generation = p->generation->number}};
    int64_t ts;
    generation_of(im, p);
    read_head(pb_reader_from(p->field.p, p->field.n), &h);
    if (!event_time(im, p, &h, &ts) || !thread_counts(im, p, &h, &v))
        return true;
    find_track(im, p, &h, &v);
    if (h.type == PB_TrackEvent_Type_TYPE_COUNTER && !counter_value(im, p, &h, &v))
        return true;
    if (h.type == PB_TrackEvent_Type_TYPE_STATE && !h.has_track_uuid) {
        stats_count(im->trace, STAT_track_event_state_missing_track_uuid);
        return true;
    }
    if (h.has_extra && (!extra_values(im, p, PB_TrackEvent_extra_counter_values,
                                      PB_TrackEvent_extra_counter_track_uuids, &v) ||
                        !extra_values(im, p, PB_TrackEvent_extra_double_counter_values,
                                      PB_TrackEvent_extra_double_counter_track_uuids, &v)))
        return true;
    push_record(im, ts, &v);
    return true;
}
