/* Track events, shared by the track_event*.c files: tokenizing (track_event.c) leaves one record an
 * event; track_event_parse.c applies it, on the tracks of track_event_tracks.c, with the args of
 * track_event_args.c. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H

#include "core/track_set.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/track_event/translation.h"
#include "parsers/proto/wire.h"

enum { TRACK_EVENT_EXTRA_COUNTERS = 8 };

/* No pid or tid in a descriptor. */
#define NO_PID INT64_MIN

enum track_scope { SCOPE_GLOBAL, SCOPE_PROCESS, SCOPE_THREAD };
enum track_kind { KIND_SLICES, KIND_COUNTER, KIND_STATES };
enum sibling_merge { MERGE_BY_NAME, MERGE_NONE, MERGE_BY_KEY };

/* What a track descriptor says about a uuid, and the track that it became. */
struct descriptor_track {
    uint64_t uuid, parent_uuid;
    uint32_t machine;
    bool described; /* false: only events have named the uuid so far */

    int64_t pid, tid;
    int64_t writer; /* pid of the process that described it; 0: not known */
    int64_t unit_multiplier;
    string_id name, description, merge_key;
    string_id category, unit, builtin_type, y_axis_key; /* counters */
    int32_t order_rank;
    uint8_t ordering; /* TrackDescriptor.ChildTracksOrdering */
    uint8_t merge;    /* enum sibling_merge */
    uint8_t kind;     /* enum track_kind */
    bool has_rank, incremental, separate, synthetic_tid;

    /* Whose it is; known from the first use on. */
    bool resolved, root;
    uint8_t scope;  /* enum track_scope */
    uint32_t owner; /* utid or upid */

    /* The track, or the set of tracks for descriptors that merge with their siblings. */
    enum { TRACK_NONE, TRACK_SINGLE, TRACK_SET } made;
    uint32_t track;
    string_id made_name;
    uint32_t parent_plus_one;
    uint32_t first_sequence; /* whose event made the track; 0 for none */

    uint32_t open_state; /* row of `state` that has no end yet, or NULL_U32 */
};

/* Pid and tid that a sequence's thread descriptor gave, as one of its generations sees them, and
 * the generation's names that were looked up already. */
struct event_generation {
    const struct interned_generation *interned;
    uint32_t sequence_id, machine;
    uint32_t default_track; /* index in `tracks`, NULL_U32 for none */
    bool has_thread, synthetic_tid;
    int64_t pid, tid;
    VEC(string_id) names, categories; /* by iid; 0: not looked up yet */
};

/* What the deltas of a sequence are relative to. */
struct track_event_sequence {
    uint32_t generation; /* number of the newest one seen */
    bool timestamps_valid;
    int64_t timestamp, thread_time, thread_instructions;
    struct map counters; /* descriptor track -> position in counter_values */
    VEC(double) counter_values;
};

enum {
    RECORD_HAS_THREAD_TIME = 1,
    RECORD_HAS_INSTRUCTIONS = 2,
    RECORD_HAS_COUNTER = 4,
};

/* One event between reading and its turn. Behind it follow, as far as its flags say, thread time
 * and instruction count (int64_t), counter value (double), the extra counters' values (double) and
 * then their tracks (uint32_t). */
struct track_event_record {
    const uint8_t *event; /* TrackEvent */
    uint32_t size;
    uint32_t generation;
    uint32_t track; /* index in `tracks` */
    uint16_t flags, extra_counters;
};

/* Keys of args, made once. */
#define TRACK_EVENT_KEYS(K)                                                                        \
    K(thread_time, "thread_time")                                                                  \
    K(thread_instruction_count, "thread_instruction_count")                                        \
    K(task_file, "task.posted_from.file_name")                                                     \
    K(task_function, "task.posted_from.function_name")                                             \
    K(task_line, "task.posted_from.line_number")                                                   \
    K(log_body, "track_event.log_message.message")                                                 \
    K(log_function, "track_event.log_message.function_name")                                       \
    K(log_file, "track_event.log_message.file_name")                                               \
    K(log_line, "track_event.log_message.line_number")                                             \
    K(log_priority, "track_event.priority")                                                        \
    K(source_function, "source.function_name")                                                     \
    K(source_file, "source.file_name")                                                             \
    K(source_line, "source.line_number")                                                           \
    K(raw_legacy_event, "track_event.legacy_event")                                                \
    K(passthrough_utid, "legacy_event.passthrough_utid")                                           \
    K(legacy_category, "legacy_event.category")                                                    \
    K(legacy_name, "legacy_event.name")                                                            \
    K(legacy_phase, "legacy_event.phase")                                                          \
    K(legacy_duration, "legacy_event.duration_ns")                                                 \
    K(legacy_thread_ts, "legacy_event.thread_timestamp_ns")                                        \
    K(legacy_thread_dur, "legacy_event.thread_duration_ns")                                        \
    K(legacy_instructions, "legacy_event.thread_instruction_count")                                \
    K(legacy_instruction_delta, "legacy_event.thread_instruction_delta")                           \
    K(legacy_use_async_tts, "legacy_event.use_async_tts")                                          \
    K(legacy_unscoped_id, "legacy_event.unscoped_id")                                              \
    K(legacy_global_id, "legacy_event.global_id")                                                  \
    K(legacy_local_id, "legacy_event.local_id")                                                    \
    K(legacy_id_scope, "legacy_event.id_scope")                                                    \
    K(legacy_source_id, "legacy_trace_source_id")                                                  \
    K(histogram_name, "chrome_histogram_sample.name")                                              \
    K(view_class, "android_view_dump.activity.view.class_name")                                    \
    K(correlation_id, "correlation_id")                                                            \
    K(host_app_package, "chrome.host_app_package_name")                                            \
    K(crash_trace_id, "chrome.crash_trace_id")                                                     \
    K(process_label, "chrome.process_label")                                                       \
    K(process_type, "chrome.process_type")                                                         \
    K(source, "source")                                                                            \
    K(trace_id, "trace_id")                                                                        \
    K(trace_id_is_process_scoped, "trace_id_is_process_scoped")                                    \
    K(source_scope, "source_scope")                                                                \
    K(upid, "upid")                                                                                \
    K(chrome, "chrome")                                                                            \
    K(descriptor, "descriptor")                                                                    \
    K(is_root_in_scope, "is_root_in_scope")                                                        \
    K(category, "category")                                                                        \
    K(builtin_counter_type, "builtin_counter_type")                                                \
    K(y_axis_share_key, "y_axis_share_key")                                                        \
    K(has_first_packet, "has_first_packet_on_sequence")                                            \
    K(child_ordering, "child_ordering")                                                            \
    K(explicit_order, "explicit")                                                                  \
    K(lexicographic, "lexicographic")                                                              \
    K(chronological, "chronological")                                                              \
    K(sibling_order_rank, "sibling_order_rank")                                                    \
    K(description, "description")                                                                  \
    K(default_track, "Default Track")

struct track_event_keys {
#define K(name, text) string_id name;
    TRACK_EVENT_KEYS(K)
#undef K
};

struct process_args {
    uint32_t upid;
    struct arg_list args;
};

struct track_event_import {
    struct track_event_keys keys;
    struct map tracks_by_uuid;
    VEC(struct descriptor_track) tracks;
    struct map track_of_utid, track_of_upid;  /* of root descriptors, to notice reuse of ids */
    VEC(struct event_generation) generations; /* number - 1 is the index */
    struct map first_packet_sequences;
    struct translations translations;
    struct map async_names;           /* legacy async ids -> name of their first event */
    struct arg_list args, track_args; /* scratch */
    VEC(char) text;                   /* scratch */
    struct map process_args_of;       /* upid -> position in process_args */
    VEC(struct process_args) process_args;
    struct event_reflect *reflect; /* track_event_args.c; made at the first event with args */
};

static inline struct descriptor_track *track_event_track(struct import *im, uint32_t track)
{
    return &im->track_event->tracks.items[track];
}

static inline struct event_generation *track_event_generation(struct import *im, uint32_t number)
{
    return &im->track_event->generations.items[number - 1];
}

/* High half the pid: unique where tids are not. */
static inline int64_t synthetic_tid(int64_t tid, int64_t pid)
{
    return (int64_t)((uint64_t)pid << 32 | (uint64_t)tid);
}

static inline bool is_synthetic_tid(int64_t tid)
{
    return ((uint64_t)tid >> 32) != 0;
}

/* An event as read from its bytes in its turn, and what its track says about it. */
struct track_event {
    int64_t ts;
    const struct track_event_record *record;
    struct event_generation *generation;
    struct pb_reader bytes;

    string_id category, name;
    uint64_t name_iid;
    int32_t type;
    bool has_type, has_track_uuid, has_categories, has_flows;
    bool has_args, has_typed_args, has_annotations;
    struct pb_field task_execution, log_message, histogram_sample, active_processes;
    struct pb_field correlation_id_str, callstack, gpu_correlation;
    struct pb_field process_start, binder_death; /* Android's extensions */
    uint64_t source_location_iid, correlation_id, correlation_id_iid, callstack_iid;
    double callstack_weight;
    bool has_source_location, has_correlation_id, has_correlation_id_iid, has_callstack_iid;
    bool has_callstack_weight;

    struct legacy_event {
        uint64_t name_iid, id, bind_id;
        struct str id_scope;
        int64_t duration_us, thread_duration_us, instruction_delta;
        int32_t phase;
        int64_t pid_override, tid_override;
        uint32_t flow_direction, instant_scope;
        enum { LEGACY_ID_NONE, LEGACY_ID_LOCAL, LEGACY_ID_GLOBAL, LEGACY_ID_UNSCOPED } id_kind;
        bool has_phase, has_duration, has_thread_duration, has_instruction_delta, has_bind_id;
        bool has_id_scope, has_flow_direction, has_pid_override, has_tid_override;
        bool use_async_tts, bind_to_enclosing;
    } legacy;

    /* NULL_U32 where it belongs to none. */
    uint32_t utid, upid, passthrough_utid;
    bool on_sequence_thread; /* no track, but the sequence's or an overriding pid and tid */
    int64_t thread_time, instructions;
    bool has_thread_time, has_instructions;
    int64_t source_id; /* of legacy async events */
    bool has_source_id;
};

/* The pid and tid of the sequence. */
static inline int64_t generation_tid(const struct event_generation *g)
{
    return g->synthetic_tid ? synthetic_tid(g->tid, g->pid) : g->tid;
}

/* track_event.c: for other packets whose times are relative to their sequence's */
struct sequence_thread {
    int64_t pid, tid;
    bool known;
};

/* The sequence's time at this packet (trace clock), and its thread. False where it has none, or one
 * that overflowed. */
bool track_event_sequence_now(struct import *im, const struct packet *p, int64_t *ts,
                              struct sequence_thread *thread);
/* Moves the time on; false where it overflows. Only after track_event_sequence_now. */
bool track_event_sequence_advance(const struct packet *p, int64_t delta_us);

/* track_event_descriptors.c: what will be the args of the row of `process`. */
struct arg_list *track_event_process_args(struct import *im, uint32_t upid);

/* track_event_tracks.c */

/* The index of a uuid's track; made, not yet described, where there is none. */
uint32_t descriptor_track_find(struct import *im, uint32_t machine, uint64_t uuid);
/* Takes over what a descriptor says about its uuid; contradictions are counted and ignored. */
void descriptor_track_describe(struct import *im, const struct descriptor_track *said);
/* Finds out whose track it is, with all its parents; makes threads and processes. False where the
 * hierarchy is broken, which is counted. */
bool descriptor_track_resolve(struct import *im, uint32_t track);
/* Makes pid and tid those by which the rest of the trace knows the process and thread. */
void descriptor_outer_ids(struct import *im, struct descriptor_track *d);
/* The track for slices that begin, that end, that do both at once; for counters and states. `name`
 * of the event names a track that has none. NULL_U32 where the track cannot be resolved or is of
 * another kind. */
uint32_t descriptor_track_begin(struct import *im, uint32_t track, string_id name,
                                uint32_t sequence);
uint32_t descriptor_track_end(struct import *im, uint32_t track, string_id name, uint32_t sequence);
uint32_t descriptor_track_instant(struct import *im, uint32_t track, string_id name,
                                  uint32_t sequence);
uint32_t descriptor_track_single(struct import *im, uint32_t track, string_id name,
                                 uint32_t sequence);
/* The value in the counter's unit, summed up on the sequence where the counter is incremental.
 * False where the track is not a counter. */
bool descriptor_track_counter_value(struct import *im, struct track_event_sequence *sequence,
                                    uint32_t track, double value, double *out);

/* track_event_read.c: fills in all that the event's bytes say but its args. */
void track_event_read(struct import *im, struct track_event *event);

/* track_event_args.c */

/* Appends the event's args. False where some of them cannot be read. */
bool track_event_add_args(struct import *im, const struct track_event *event, struct arg_list *out);
void track_event_reflect_release(struct import *im);

/* chrome_processes.c */
void chrome_process_described(struct import *im, int64_t ts, uint32_t upid);
void chrome_process_active(struct import *im, uint32_t machine, int64_t ts, int64_t pid);

/* track_event_callstacks.c: the event's callstack, if any, is where the slice begins or ends. */
void track_event_add_callstack(struct import *im, const struct track_event *event, uint32_t slice,
                               bool ends);

/* android_processes.c: what the system server says about an app's process. */
void android_process_started(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r);
void android_process_died(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r);

/* chrome_names.c: names for Chrome's kinds of processes and threads, NULL for unknown ones. */
const char *chrome_process_name(int32_t type);
const char *chrome_thread_name(int32_t type);

#endif
