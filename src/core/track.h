/* Tracks: where slices and counters happen. A track is known by its type and its dimensions
 * (utid, upid, cpu, a name ...); asking for the same ones again gives the same id. */
#ifndef TPTUI_CORE_TRACK_H
#define TPTUI_CORE_TRACK_H

#include "core/store/args.h"
#include "core/store/tables.h"
#include "base/map.h"

struct trace;

enum track_event_type { TRACK_SLICE, TRACK_COUNTER, TRACK_STATE };

struct track_dimension {
    const char *key; /* "utid", "upid" and "cpu" are known to the thread/process/cpu track tables */
    enum arg_type type;
    union {
        int64_t i;
        string_id s;
    };
};

enum { TRACK_DIMENSIONS = 6 };

/* Everything about a track; zero is right for what is not named. */
struct track_spec {
    const char *type; /* "thread_execution", "cpu_frequency", ... as in the track.type column */
    enum track_event_type event_type;
    uint32_t machine;
    uint32_t dimension_count;
    struct track_dimension dimensions[TRACK_DIMENSIONS];
    /* Not part of the identity; used when the track is new. */
    string_id name;
    string_id unit;                     /* counters */
    uint32_t parent_plus_one;           /* track id + 1; 0 is none */
    const struct arg_list *source_args; /* source_arg_set_id; NULL is none */
    uint32_t group_plus_one;            /* track_group_id + 1; 0 is none */
};

struct track_tracker {
    struct map by_identity;
    struct arg_list dimensions; /* scratch */
    VEC(uint32_t)
    by_thread; /* by utid: its thread_execution track, NULL_U32 where the file that is
                * being read made none yet */
};

void track_tracker_release(struct track_tracker *tt);

/* A hash of what makes a track this one: type, machine and dimensions, and the file that is being
 * read. Files of an archive share no tracks, not even those of threads that are in both. */
uint64_t track_identity(const struct trace *t, const struct track_spec *spec);
/* The track of that identity; made where there is none yet. */
uint32_t track_intern(struct trace *t, const struct track_spec *spec);
/* A new track even where one of that identity exists, which track_intern does not find. */
uint32_t track_new(struct trace *t, const struct track_spec *spec);

/* Whether the track has what its thread itself did: other tracks of threads have names. */
bool track_is_stack_of_thread(const struct trace *t, uint32_t track);

/* A track and how many slices it has. */
struct filled_track {
    uint32_t track, slices;
};

/* Whether `a` tells more of a thread than `b`, another track of it, which may have no slices: a
 * stack does, and of several, of what the kernel and the program itself wrote, that which has more
 * slices. */
bool track_tells_more(const struct trace *t, struct filled_track a, struct filled_track b);

/* The CPU (ucpu) that the track of a loaded trace belongs to by its dimensions, which are read into
 * `scratch`; NULL_U32: to none. */
uint32_t track_ucpu(const struct trace *t, uint32_t track, struct arg_list *scratch);

/* Short cuts for the common ones. */
uint32_t track_thread(struct trace *t, uint32_t utid); /* slices on a thread: thread_execution */
/* Also gives the CPU its row in the table cpu, if it has none. */
uint32_t track_cpu_counter(struct trace *t, const char *type, const char *name, const char *unit,
                           uint32_t machine, uint32_t cpu);
uint32_t track_process_counter(struct trace *t, const char *type, string_id name, const char *unit,
                               uint32_t upid);
uint32_t track_global_counter(struct trace *t, const char *type, string_id name, const char *unit,
                              uint32_t machine);

#endif
