/* Slices that overlap but belong on one logical track: each takes a track of its own out of a set,
 * as few as nest correctly. The tracks of a set share the spec's type and dimensions and a
 * track_group_id; the dimension track_compressor_idx tells them apart. */
#ifndef TPTUI_CORE_TRACK_SET_H
#define TPTUI_CORE_TRACK_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/track.h"

struct trace;

/* One track of a set: held by a cookie between begin and end, or busy until a time. */
struct track_set_member {
    uint32_t track;
    uint32_t nested; /* begins without an end; 0: another cookie may take the track */
    int64_t cookie;  /* or the time until which it is busy */
    bool timed;
};

struct track_set {
    VEC(struct track_set_member) members;
    uint32_t first_unused; /* those before it are held by a cookie, or timed */
};

struct track_sets {
    struct map by_identity;
    struct map holders;         /* hash of set and cookie -> the member it took last */
    VEC(struct track_set) sets; /* the index is the track_group_id */
};

void track_sets_release(struct track_sets *ts);

/* The track for a slice that begins, known by `cookie` until it ends. Slices of the same cookie
 * nest. At most TRACK_DIMENSIONS - 1 dimensions may be in `spec`. */
uint32_t track_set_begin(struct trace *t, const struct track_spec *spec, int64_t cookie);
/* The same where a cookie begins and ends at most once at a time, however often it says so. */
uint32_t track_set_begin_once(struct trace *t, const struct track_spec *spec, int64_t cookie);
/* The track on which the slice of `cookie` ends; one that never began gets a track, too. */
uint32_t track_set_end(struct trace *t, const struct track_spec *spec, int64_t cookie);
/* The track that others of another kind hang below: the set's first. */
uint32_t track_set_first(struct trace *t, const struct track_spec *spec);
/* The track for a slice from `ts` to `ts + dur`. */
uint32_t track_set_complete(struct trace *t, const struct track_spec *spec, int64_t ts,
                            int64_t dur);
/* A new track of the set, for who knows what fits on those that are there. */
uint32_t track_set_add(struct trace *t, const struct track_spec *spec);

/* The number of the spec's set, for those who keep it and spare themselves the spec. */
uint32_t track_set_number(struct trace *t, const struct track_spec *spec);
/* The member that holds the cookie, or takes it over; NULL where all are busy: then one of the
 * functions above makes a new one, or the next does. */
struct track_set_member *track_set_member_find(struct track_sets *ts, uint32_t set, int64_t cookie);
struct track_set_member *track_set_member_add(struct track_sets *ts, uint32_t set, uint32_t track,
                                              int64_t cookie);
/* A slice of the member's cookie ends. */
void track_set_member_end(struct track_sets *ts, uint32_t set, struct track_set_member *m);

/* All slices are there: where several machines or files were read, of which each went through its
 * own events, the groups are numbered by when their first slice begins, as if all had been read at
 * once. */
void track_sets_number(struct trace *t);

#endif
