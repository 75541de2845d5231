/* Descriptors of tracks, threads and processes: tracks are known before the first event is applied,
 * names of threads and processes count from their packet on. */
#define PB_READS_LITTLE
#include <stdio.h>

#include "parsers/perfetto/chrome/chrome_names.h"
#include "parsers/perfetto/chrome/chrome_processes.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/system/pid_namespaces.h"
#include "parsers/perfetto/system/process_args.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

struct thread_descriptor {
    struct thread_reference said;
    bool has_pid, has_tid;
};

static struct thread_descriptor read_thread_descriptor(struct pb_reader r)
{
    struct thread_descriptor d = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ThreadDescriptor_pid:
            d.said.pid = pb_i32(&f);
            d.has_pid = true;
            break;
        case PB_ThreadDescriptor_tid:
            d.said.tid = pb_i64(&f);
            d.has_tid = true;
            break;
        case PB_ThreadDescriptor_reference_timestamp_us:
            d.said.timestamp_us = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_reference_thread_time_us:
            d.said.thread_time_us = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_reference_thread_instruction_count:
            d.said.instructions = pb_i64(&f);
            break;
        default:
            break;
        }
    }
    return d;
}

static bool thread_descriptor_tokenize(struct import *im, struct packet *p)
{
    if (!p->has_sequence) {
        packet_log(im, p, STAT_thread_descriptor_missing_sequence_id, NULL);
        return true;
    }
    if (!p->sequence->state_valid) {
        packet_log_sequence(im, p, STAT_thread_descriptor_skipped_incremental_state_invalid);
        return true;
    }
    struct thread_descriptor d = read_thread_descriptor(bytes_reader(p->field));
    track_event_sequence_set_thread(im, p, &d.said);
    return false;
}

/* The messages of a descriptor that need a second look once its own fields are known. */
struct descriptor_parts {
    struct pb_field process, thread, chrome_thread, counter;
    uint64_t merge_behavior, merge_key_int;
    string_id merge_key, static_name, atrace_name;
    bool has_uuid, has_state, has_merge_key_int, ranked_processes, ranked_threads;
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
    case PB_TrackDescriptor_process_ordering:
        parts->ranked_processes =
            pb_u64(f) == PB_TrackDescriptor_ProcessOrdering_PROCESS_ORDERING_EXPLICIT;
        break;
    case PB_TrackDescriptor_thread_ordering:
        parts->ranked_threads =
            pb_u64(f) == PB_TrackDescriptor_ThreadOrdering_THREAD_ORDERING_EXPLICIT;
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
    struct pb_field f = pb_last(r, number);
    return pb_bool(&f);
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
        packet_log_track(im, p, STAT_track_descriptor_thread_missing_pid_tid, d->uuid);
        return false;
    }
    d->pid = thread.said.pid;
    d->tid = thread.said.tid;
    d->synthetic_tid = thread.said.synthetic_tid =
        read_bool(pb_message(&parts->chrome_thread), PB_ChromeThreadDescriptor_is_sandboxed_tid);
    if (p->sequence->state_valid)
        track_event_sequence_set_thread(im, p, &thread.said);
    return true;
}

static bool describe_process(struct import *im, const struct packet *p,
                             const struct descriptor_parts *parts, struct descriptor_track *d)
{
    struct pb_reader r = pb_message(&parts->process);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessDescriptor_pid)
            d->pid = pb_i32(&f);
    if (d->pid != NO_PID)
        return true;
    packet_log_track(im, p, STAT_track_descriptor_process_missing_pid, d->uuid);
    return false;
}

/* The first of thread, process, counter and state decides what kind of track it is. */
static bool describe_kind(struct import *im, const struct packet *p,
                          const struct descriptor_parts *parts, struct descriptor_track *d)
{
    if (parts->thread.data)
        return describe_thread(im, p, parts, d);
    if (parts->process.data)
        return describe_process(im, p, parts, d);
    if (parts->counter.data)
        read_counter(im, pb_message(&parts->counter), d);
    else if (parts->has_state)
        d->kind = KIND_STATES;
    return true;
}

static bool track_descriptor_tokenize(struct import *im, struct packet *p)
{
    struct descriptor_track d = {.machine = p->machine, .pid = NO_PID, .tid = NO_PID};
    struct descriptor_parts parts = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        read_descriptor_field(im, &f, &d, &parts);
    d.writer = packet_writer(p);
    if (parts.has_uuid && d.uuid == DEFAULT_TRACK_UUID) {
        im->track_event->ranked_processes |= parts.ranked_processes;
        im->track_event->ranked_threads |= parts.ranked_threads;
    }
    if (!parts.has_uuid) {
        packet_log(im, p, STAT_track_descriptor_missing_uuid, NULL);
        return true;
    }
    if (d.ordering > PB_TrackDescriptor_ChildTracksOrdering_EXPLICIT) {
        struct arg_list args = {0};
        arg_list_uint(&args, trace_intern(im->trace, STR("track_uuid")), d.uuid);
        arg_list_int(&args, trace_intern(im->trace, STR("child_order")), d.ordering);
        packet_log(im, p, STAT_track_descriptor_invalid_child_ordering, &args);
        arg_list_release(&args);
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

static string_id intern_or_null(struct import *im, const char *name)
{
    return name ? trace_intern_c(im->trace, name) : NULL_STRING;
}

static void name_thread(struct import *im, uint32_t utid, string_id name,
                        enum thread_name_priority priority)
{
    if (name)
        process_tracker_set_thread_name(im->trace, utid, name, priority);
}

static void name_process(struct import *im, uint32_t upid, string_id name,
                         enum process_name_priority priority)
{
    if (name)
        process_tracker_set_process_name(im->trace, upid, name, priority);
}

/* Where the thread is shown among those of its process. */
static void set_thread_order(struct import *im, uint32_t utid, int64_t index)
{
    struct arg_list args = {0};
    arg_list_int(&args, im->track_event->keys.thread_sort_index, index);
    table_set_u32(&im->trace->tables.thread, thread_col_arg_set_id, utid,
                  args_intern(&im->trace->args, &args));
    arg_list_release(&args);
}

static void set_process_order(struct import *im, uint32_t upid, int64_t index)
{
    arg_list_int(process_args_of(im, upid), im->track_event->keys.process_sort_index, index);
}

static uint32_t apply_thread(struct import *im, const struct packet *p, struct pb_reader r,
                             bool sandboxed)
{
    struct descriptor_track ids = {.machine = p->machine,
                                   .pid = 0,
                                   .tid = 0,
                                   .writer = packet_writer(p),
                                   .synthetic_tid = sandboxed};
    string_id name = NULL_STRING, type_name = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ThreadDescriptor_pid:
            ids.pid = pb_i32(&f);
            break;
        case PB_ThreadDescriptor_tid:
            ids.tid = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_thread_name:
            if (f.value)
                name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_ThreadDescriptor_chrome_thread_type:
            type_name = intern_or_null(im, chrome_thread_name(pb_i32(&f)));
            break;
        default:
            break;
        }
    }
    descriptor_outer_ids(im, &ids);
    uint32_t utid = process_tracker_update_thread(im->trace, p->machine, ids.tid, ids.pid);
    name_thread(im, utid, name ? name : type_name, THREAD_NAME_TRACK_DESCRIPTOR);
    return utid;
}

static void apply_chrome_thread(struct import *im, uint32_t utid, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ChromeThreadDescriptor_thread_type)
            name_thread(im, utid, intern_or_null(im, chrome_thread_name(pb_i32(&f))),
                        THREAD_NAME_TRACK_DESCRIPTOR_THREAD_TYPE);
}

static void add_label(struct import *im, uint32_t upid, uint32_t index, struct str label)
{
    char key[64];
    snprintf(key, sizeof key, "chrome.process_label[%u]", index);
    arg_list_add(process_args_of(im, upid), (struct arg){
                                                .flat_key = im->track_event->keys.process_label,
                                                .key = trace_intern_c(im->trace, key),
                                                .type = ARG_STRING,
                                                .s = trace_intern(im->trace, label),
                                            });
}

static enum process_name_priority priority_of_type(int32_t type)
{
    return chrome_process_is_renderer(type) ? PROCESS_NAME_CHROME_RENDERER
                                            : PROCESS_NAME_CHROME_TYPE;
}

static uint32_t apply_process(struct import *im, const struct packet *p, struct pb_reader message)
{
    struct trace *t = im->trace;
    struct pb_reader r = message;
    struct pb_field f;
    int64_t pid = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessDescriptor_pid)
            pid = pb_i32(&f);
    pid_namespaces_resolve(im, p->machine, packet_writer(p), &pid);
    uint32_t upid = process_tracker_process(t, p->machine, pid), labels = 0;
    chrome_process_described(im, p->ts, upid);
    for (r = message; pb_next(&r, &f);) {
        switch (f.number) {
        case PB_ProcessDescriptor_process_name:
            if (f.value)
                name_process(im, upid, trace_intern(t, pb_str(&f)), PROCESS_NAME_TRACK_DESCRIPTOR);
            break;
        case PB_ProcessDescriptor_start_timestamp_ns:
            if (pb_i64(&f) > 0)
                process_tracker_set_start(t, upid, pb_i64(&f));
            break;
        case PB_ProcessDescriptor_chrome_process_type:
            name_process(im, upid, intern_or_null(im, chrome_process_name(pb_i32(&f))),
                         priority_of_type(pb_i32(&f)));
            break;
        case PB_ProcessDescriptor_process_labels:
            add_label(im, upid, labels++, pb_str(&f));
            break;
        default:
            break;
        }
    }
    return upid;
}

static void apply_chrome_process(struct import *im, uint32_t upid, struct pb_reader r)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    struct arg_list *args = process_args_of(im, upid);
    string_id name = NULL_STRING;
    int32_t type = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ChromeProcessDescriptor_process_type:
            type = pb_i32(&f);
            name = intern_or_null(im, chrome_process_name(type));
            break;
        case PB_ChromeProcessDescriptor_host_app_package_name:
            arg_list_str(args, keys->host_app_package, trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_ChromeProcessDescriptor_crash_trace_id:
            arg_list_uint(args, keys->crash_trace_id, pb_u64(&f));
            break;
        default:
            break;
        }
    }
    arg_list_str(args, keys->process_type, name);
    name_process(im, upid, name, priority_of_type(type));
}

static void thread_descriptor_parse(struct import *im, const struct packet *p)
{
    apply_thread(im, p, bytes_reader(p->field), false);
}

static void process_descriptor_parse(struct import *im, const struct packet *p)
{
    apply_process(im, p, bytes_reader(p->field));
}

static void track_descriptor_parse(struct import *im, const struct packet *p)
{
    struct pb_field thread = {0}, chrome_thread = {0}, process = {0}, chrome_process = {0};
    struct pb_field rank = {0}, f;
    struct pb_reader r = bytes_reader(p->field);
    uint64_t uuid = 0;
    bool has_rank = false;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TrackDescriptor_uuid:
            uuid = pb_u64(&f);
            break;
        case PB_TrackDescriptor_sibling_order_rank:
            rank = f;
            has_rank = true;
            break;
        case PB_TrackDescriptor_thread:
            thread = f;
            break;
        case PB_TrackDescriptor_chrome_thread:
            chrome_thread = f;
            break;
        case PB_TrackDescriptor_process:
            process = f;
            break;
        case PB_TrackDescriptor_chrome_process:
            chrome_process = f;
            break;
        default:
            break;
        }
    }
    if (!descriptor_track_resolve(im, descriptor_track_find(im, p->machine, uuid))) {
        stats_count(im->trace, STAT_track_event_parser_errors);
        return;
    }
    if (thread.data) {
        bool sandboxed =
            read_bool(pb_message(&chrome_thread), PB_ChromeThreadDescriptor_is_sandboxed_tid);
        uint32_t utid = apply_thread(im, p, pb_message(&thread), sandboxed);
        if (has_rank && im->track_event->ranked_threads)
            set_thread_order(im, utid, pb_i32(&rank));
        if (chrome_thread.data)
            apply_chrome_thread(im, utid, pb_message(&chrome_thread));
    } else if (process.data) {
        uint32_t upid = apply_process(im, p, pb_message(&process));
        if (has_rank && im->track_event->ranked_processes)
            set_process_order(im, upid, pb_i32(&rank));
        if (chrome_process.data)
            apply_chrome_process(im, upid, pb_message(&chrome_process));
    }
}

const struct packet_module track_event_descriptors_packets[] = {
    {PB_TracePacket_track_descriptor, .tokenize = track_descriptor_tokenize,
     .parse = track_descriptor_parse, .felt = PACKET_AHEAD, .tells = TELLS_MEANING},
    {PB_TracePacket_thread_descriptor, .tokenize = thread_descriptor_tokenize,
     .parse = thread_descriptor_parse, .felt = PACKET_AHEAD, .tells = TELLS_MEANING},
    {PB_TracePacket_process_descriptor, .parse = process_descriptor_parse, .felt = PACKET_AHEAD},
    {0},
};
