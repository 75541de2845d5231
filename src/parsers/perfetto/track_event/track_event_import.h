/* What the files of this folder share while a trace is imported. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_IMPORT_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_IMPORT_H

#include "core/store/args.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/perfetto/track_event/track_event_tracks.h"
#include "parsers/perfetto/track_event/translation.h"

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
    K(process_sort_index, "process_sort_index_hint")                                               \
    K(thread_sort_index, "thread_sort_index_hint")                                                 \
    K(description, "description")                                                                  \
    K(default_track, "Default Track")

struct track_event_keys {
#define K(name, text) string_id name;
    TRACK_EVENT_KEYS(K)
#undef K
};

struct track_event_import {
    struct track_event_keys keys;
    struct map tracks_by_uuid;
    VEC(struct descriptor_track) tracks;
    struct map track_of_utid, track_of_upid;  /* of root descriptors, to notice reuse of ids */
    VEC(struct event_generation) generations; /* number - 1 is the index */
    bool ranked_processes, ranked_threads; /* their tracks' ranks are the order to show them in */
    struct translations translations;
    struct map async_names;           /* legacy async ids -> name of their first event */
    struct arg_list args, track_args; /* scratch */
    VEC(char) text;                   /* scratch */
    struct event_reflect *reflect;    /* track_event_args.c; made at the first event with args */
};

static inline struct descriptor_track *track_event_track(struct import *im, uint32_t track)
{
    return &im->track_event->tracks.items[track];
}

static inline struct event_generation *track_event_generation(struct import *im, uint32_t number)
{
    return &im->track_event->generations.items[number - 1];
}

/* Makes and frees im->track_event, and what the sequences keep. */
void track_event_import_init(struct import *im);
void track_event_import_release(struct import *im);

#endif
