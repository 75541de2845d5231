/* The fields of a track event, with its names looked up. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_READ_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/string_pool.h"
#include "parsers/perfetto/track_event/track_event.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/proto/wire.h"

/* An event as read from its bytes in its turn, and what its track says about it. */
struct track_event {
    int64_t ts;
    const struct track_event_record *record;
    struct event_generation *generation;
    struct pb_reader bytes; /* nothing where the record is plain */

    string_id category, name;
    uint64_t name_iid;
    int32_t type;
    bool has_type, has_track_uuid, has_flows;
    bool has_args, has_typed_args, has_annotations;

    struct legacy_event {
        uint64_t name_iid, id, bind_id;
        struct str id_scope;
        int64_t duration_us, thread_duration_us, instruction_delta;
        int32_t phase;
        int64_t pid_override, tid_override;
        uint32_t flow_direction, instant_scope;
        enum { LEGACY_ID_NONE, LEGACY_ID_LOCAL, LEGACY_ID_GLOBAL, LEGACY_ID_UNSCOPED } id_kind;
        bool has_phase, has_duration, has_thread_duration, has_instruction_delta, has_bind_id;
        bool has_id_scope, has_pid_override, has_tid_override;
        bool use_async_tts, bind_to_enclosing;
    } legacy;

    /* NULL_U32 where it belongs to none. */
    uint32_t utid, upid;
    uint32_t passthrough_utid; /* the thread that sent it, where it belongs to none */
    bool on_sequence_thread;   /* no track, but the sequence's or an overriding pid and tid */
    int64_t thread_time, instructions;
    bool has_thread_time, has_instructions;
    int64_t source_id; /* of legacy async events */
    bool has_source_id;

    /* From here on nothing is set for plain records, which have none of it. */
    uint32_t category_fields;       /* that name categories ... */
    struct pb_field category_field; /* ... and the last of them */
    struct pb_field spelt_name;     /* counts where there is no iid */
    const uint8_t *args, *args_end; /* the fields that have args lie between, where it has any */
    struct pb_field task_execution, log_message, histogram_sample, active_processes;
    struct pb_field correlation_id_str, callstack, gpu_correlation;
    struct pb_field process_start, binder_death; /* Android's extensions */
    uint64_t source_location_iid, correlation_id, correlation_id_iid, callstack_iid;
    double callstack_weight;
    bool has_source_location, has_correlation_id, has_correlation_id_iid, has_callstack_iid;
    bool has_callstack_weight;
};

/* Fills in what the event's bytes say, but what takes an import: names and args. */
void track_event_read_fields(struct track_event *event, struct pb_reader bytes);
/* Fills in all that the event's bytes say but its args. */
void track_event_read(struct import *im, struct track_event *event);
/* The same of a plain record. */
void track_event_read_plain(struct import *im, struct track_event *event);

#endif
