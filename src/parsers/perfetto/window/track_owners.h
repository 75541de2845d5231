/* Whose the tracks of track events are, by all descriptors of a trace: an event belongs to whom one
 * that stands behind it names, too. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_OWNERS_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct descriptor_track;
struct import;

/* The thread or process of a track or of one above it. */
struct track_owner {
    bool of_thread, of_process;
    bool is_thread; /* it is the thread's one track, which all that tell of the thread share */
    bool is_broken; /* the way up to the root: nothing can happen on it */
    int64_t pid, tid;
};

struct track_owners {
    struct map by_uuid; /* see descriptor_track_key */
    VEC(struct track_owner) tracks;
};

/* At the end of a walk over all packets; of zeroed `o`. */
void track_owners_read(struct track_owners *o, struct import *im);
/* Of a track of this or of a later walk. */
struct track_owner track_owner_of(const struct track_owners *o, const struct descriptor_track *d);
void track_owners_release(struct track_owners *o);

#endif
