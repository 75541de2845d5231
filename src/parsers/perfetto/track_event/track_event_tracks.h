/* Tracks that descriptors declare: a uuid becomes a thread's, a process' or a global track, or one
 * of a set that siblings share. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_TRACKS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stats.h"
#include "core/store/string_pool.h"

struct import;
struct track_event_sequence;

/* For pid and tid: the descriptor has none. */
#define NO_PID INT64_MIN

enum track_scope { SCOPE_GLOBAL, SCOPE_PROCESS, SCOPE_THREAD };
enum track_kind { KIND_SLICES, KIND_COUNTER, KIND_STATES };
enum sibling_merge { MERGE_BY_NAME, MERGE_NONE, MERGE_BY_KEY };

enum { DEFAULT_TRACK_UUID = 0 }; /* the root of all, and the track of events that name none */

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
    bool has_rank;
    bool incremental;   /* values of the counter are deltas */
    bool separate;      /* not the track of what the system itself tells of the thread */
    bool synthetic_tid; /* tids are unique within their process only */

    /* Whose it is; known from the first use on. */
    bool resolved;
    bool root;      /* the thread's or process' own track, not one below it */
    uint8_t scope;  /* enum track_scope */
    uint32_t owner; /* utid or upid */

    /* The track, or the set of tracks for descriptors that merge with their siblings. */
    enum { TRACK_NONE, TRACK_SINGLE, TRACK_SET } made;
    uint32_t track;
    string_id made_name;
    uint32_t parent_plus_one; /* index in track_event_import.tracks; 0: none */
    uint32_t first_sequence;  /* whose event made the track; 0 for none */
};

/* The index in track_event_import.tracks of a uuid; made, not yet described, where there is none.
 */
uint32_t descriptor_track_find(struct import *im, uint32_t machine, uint64_t uuid);
/* Takes over what a descriptor says about its uuid; contradictions are counted and ignored. */
void descriptor_track_describe(struct import *im, const struct descriptor_track *said);
/* The way from a track up to the root of all. */
struct track_ancestry {
    enum stat_key broken; /* what is wrong with it, where it does not get there */
    bool is_whole;
    uint32_t owned; /* the first track on it, up from this one, that is a thread's or process' own;
                     * an index in track_event_import.tracks, NULL_U32 for none */
};
/* A track that nothing describes is below the root; one that nothing describes is no parent. */
struct track_ancestry descriptor_track_ancestry(struct import *im, uint32_t track);
/* The key of a uuid in tracks_by_uuid. */
uint64_t descriptor_track_key(uint32_t machine, uint64_t uuid);
/* Finds out whose track it is, with all its parents; makes threads and processes. False where the
 * hierarchy is broken, which is counted. */
bool descriptor_track_resolve(struct import *im, uint32_t track);
/* Makes pid and tid those by which the rest of the trace knows the process and thread. */
void descriptor_outer_ids(struct import *im, struct descriptor_track *d);
/* The row of `track` for a slice that begins, that ends, that does both at once; for counters and
 * states. A track without a name takes that of the event, `name`; `sequence` is the id of the
 * event's sequence. NULL_U32 where the track cannot be resolved or is of another kind. */
uint32_t descriptor_track_begin(struct import *im, uint32_t track, string_id name,
                                uint32_t sequence);
uint32_t descriptor_track_end(struct import *im, uint32_t track, string_id name, uint32_t sequence);
uint32_t descriptor_track_instant(struct import *im, uint32_t track, string_id name,
                                  uint32_t sequence);
uint32_t descriptor_track_single(struct import *im, uint32_t track, string_id name,
                                 uint32_t sequence);
bool descriptor_track_is_counter(struct import *im, uint32_t track);
/* The value in the counter's unit, summed up on the sequence where the counter is incremental. */
double descriptor_track_counter_value(struct import *im, struct track_event_sequence *sequence,
                                      uint32_t track, double value);

#endif
