/* Slices of threads, and of ids of async events, that are open where a window begins, and the flows
 * that are bound to them: what the events before it come to in core/slice_tracker.h, without rows.
 * What is said of threads here is true of such ids, too. */
#ifndef TPTUI_PARSERS_JSON_OPEN_SLICES_H
#define TPTUI_PARSERS_JSON_OPEN_SLICES_H

#include "parsers/input/selection.h"
#include "parsers/json/cut_flows.h"
#include "parsers/json/order.h"
#include "parsers/json/phases.h"

struct json_thread_event {
    int64_t ts, dur;         /* dur: of JSON_FELT_COMPLETE */
    uint64_t number;         /* in the file */
    uint32_t thread;         /* numbered from 1 */
    uint32_t name, category; /* hashes, 0 for none */
    uint64_t flow;           /* of JSON_FELT_FLOW_BEGIN and _STEP */
    enum json_felt felt;     /* of those of a thread, or async */
    bool is_first;           /* at its time, see order.h */
};

struct json_open_slice {
    struct json_thread_event event;
    int64_t dur;       /* SLICE_DUR_PENDING: not known yet */
    bool is_ended;     /* by an event, while others were open in it: */
    uint64_t ended_by; /* its number */
};

/* A flow, and the slice that it is bound to. */
struct json_bound_flow {
    struct json_thread_event flow;
    uint64_t slice; /* its number */
    size_t depth;   /* where it lies while it is open */
};

/* What a thread's events so far came to. */
struct json_thread_stack {
    VEC(struct json_open_slice) open;
    VEC(struct json_bound_flow) bound;
    VEC(struct json_thread_event) waiting; /* flows to the next slice */
};

/* A slice that overlapped one of its thread lies beside the others. So that it does again, the one
 * in its way has to be open when it is told. */
struct json_overlap {
    uint64_t in_the_way, slice; /* numbers of the events */
};

/* A flow is bound to the thread's last slice also where that has ended, until another begins or
 * ends. */
struct json_thread_begin {
    bool is_left;                  /* that one ended before the window */
    bool has_next;                 /* in the window */
    struct json_thread_event next; /* the first that begins or ends a slice */
};

/* All zero at first, but for what is the caller's to set. Once there are many events, those before
 * the last time of their thread are taken, where a thread's come in order of time: the others would
 * be missed. */
struct json_open_slices {
    struct selection *selected;   /* what has to be told again; the caller's to set */
    struct json_cut_flows *flows; /* likewise: what learns of them; NULL: there are none */
    int64_t from;                 /* the window's begin; likewise */
    bool is_async;     /* likewise: its events are of ids: those of one time come as in the file */
    bool keeps_all;    /* likewise: none is taken early, as events were out of order ... */
    bool out_of_order; /* ... which is said here: begin anew, and set that */
    VEC(struct json_thread_event) events;
    size_t take_at, many; /* events at which they are taken; `many` at least, 0: as it is usual */
    VEC(int64_t) taken;   /* by thread: those before that time are taken */
    VEC(struct json_thread_stack *) stacks; /* likewise; NULL: nothing is open */
    VEC(struct json_begun) begun;           /* likewise */
    VEC(struct json_thread_begin) begins;   /* likewise */
    const struct json_order *order;         /* of all events; the caller's to set */
    VEC(struct json_overlap) overlaps;      /* of those in the way that end before the window */
};

/* Events as they stand in the file, all before the window. */
void json_open_slices_add(struct json_open_slices *o, const struct json_thread_event *e);
/* Likewise, of those from `from` on: what begins or ends a slice of its thread. */
void json_open_slices_add_later(struct json_open_slices *o, const struct json_thread_event *e);
/* What has to be told again for what is open at `from`. Once, at the end. */
void json_open_slices_select(struct json_open_slices *o);
/* The last of the slices that the event is in the way of; false where it is in nobody's. */
bool json_open_slices_overlapped(const struct json_open_slices *o, uint64_t in_the_way,
                                 uint64_t *slice);
/* After that: whether a flow from `from` on is bound to a slice that is not in the window. */
bool json_open_slices_leave(const struct json_open_slices *o, const struct json_thread_event *flow);
void json_open_slices_release(struct json_open_slices *o);

#endif
