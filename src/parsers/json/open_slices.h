/* Slices of threads that are open where a window begins, and the flows that are bound to them: what
 * the events before it come to in core/slice_tracker.h, without rows. */
#ifndef TPTUI_PARSERS_JSON_OPEN_SLICES_H
#define TPTUI_PARSERS_JSON_OPEN_SLICES_H

#include "parsers/input/selection.h"
#include "parsers/json/phases.h"

struct json_thread_event {
    int64_t ts, dur;         /* dur: of JSON_FELT_COMPLETE */
    uint64_t number;         /* in the file */
    uint32_t thread;         /* numbered from 1 */
    uint32_t name, category; /* hashes, 0 for none */
    enum json_felt felt;     /* of those of a thread */
    bool is_first;           /* at its time, see json_end_is_first() */
};

/* A slice that overlapped one of its thread lies beside the others. So that it does again, the one
 * in its way has to be open when it is told. */
struct json_overlap {
    uint64_t in_the_way, slice; /* numbers of the events */
};

/* All zero at first. */
struct json_open_slices {
    VEC(struct json_thread_event) events;
    VEC(struct json_begun) begun; /* by thread */
    bool has_complete; /* the caller's to set, before events are added: the trace has such an event
                        */
    VEC(struct json_overlap) overlaps; /* of those in the way that end before the window */
};

/* Events as they stand in the file, all before the window. */
void json_open_slices_add(struct json_open_slices *o, const struct json_thread_event *e);
/* What has to be told again for what is open at `from`. Once, at the end. */
void json_open_slices_select(struct json_open_slices *o, int64_t from, struct selection *selected);
/* The last of the slices that the event is in the way of; false where it is in nobody's. */
bool json_open_slices_overlapped(const struct json_open_slices *o, uint64_t in_the_way,
                                 uint64_t *slice);
void json_open_slices_release(struct json_open_slices *o);

#endif
