/* Slices: begin/end events in time order, a stack per track, become nested rows of the slice table.
 */
#ifndef TPTUI_CORE_SLICE_TRACKER_H
#define TPTUI_CORE_SLICE_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/args.h"
#include "core/store/table.h"

struct trace;

enum { SLICES_DEEPEST = 512 }; /* open ones of a track: further ones are dropped */

struct open_slice {
    uint32_t row;
    bool begun;            /* by a begin event: its end was not known then */
    bool ended;            /* and it is now, while others inside it are open */
    struct args_base base; /* what the args are added to; its set is NULL_U32 for none */
    struct arg_list args;  /* grows until the slice ends, then becomes its arg set */
};

struct slice_stack {
    VEC(struct open_slice) open;
    uint32_t deep;  /* entries of `open` in use; the rest keep their memory */
    uint32_t begun; /* those of them ... */
    uint32_t ended; /* ... and those of these */
};

struct slice_tracker {
    VEC(struct slice_stack) stacks; /* by track id */
};

void slice_tracker_release(struct slice_tracker *st);

/* Opens a slice at `ts` (ns, trace clock) under the track's innermost open one. Slices of known
 * duration that ended at or before `ts` are closed first. Returns the slice's id. */
uint32_t slice_begin(struct trace *t, int64_t ts, uint32_t track, string_id category,
                     string_id name);
/* A slice of known duration, >= 0; nests like one that begins and ends. One that would reach beyond
 * the end of a slice that it starts in is dropped (NULL_U32) and counted. */
uint32_t slice_complete(struct trace *t, int64_t ts, int64_t dur, uint32_t track,
                        string_id category, string_id name);
/* Whether slice_complete would keep that slice. */
bool slice_fits(struct trace *t, int64_t ts, int64_t dur, uint32_t track);
/* Closes the innermost open slice with that category and name (NULL_STRING matches anything; a
 * slice without name any name, too). Returns its id, NULL_U32 where there is none. Add args before:
 * slice_find_end. */
uint32_t slice_end(struct trace *t, int64_t ts, uint32_t track, string_id category, string_id name);
/* Closes the slice that slice_find_end found for the same time. */
void slice_close(struct trace *t, int64_t ts, uint32_t track, uint32_t slice);
/* The slice that slice_end would close, or NULL_U32; to add args or flows before. */
uint32_t slice_find_end(struct trace *t, int64_t ts, uint32_t track, string_id category,
                        string_id name);

/* The args of an open slice of this track, to append to; NULL where it is not open any more. */
struct arg_list *slice_args(struct trace *t, uint32_t track, uint32_t slice);
/* The args of an open slice become those of the base and then its own. */
void slice_set_args_base(struct trace *t, uint32_t track, uint32_t slice, struct args_base base);
/* The innermost open slice of a track, or NULL_U32. */
uint32_t slice_top(struct trace *t, uint32_t track);

/* Another file begins (trace_begin_file): what is open on the tracks of the one before, those from
 * `first_track` on, stays so and gets its args. */
void slice_next_file(struct trace *t, uint32_t first_track);
/* Loading has ended: what is open keeps its dur of -1; args are written. */
void slice_tracker_finish(struct trace *t);

#endif
