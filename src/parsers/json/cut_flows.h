/* Flows that began before a window. A flow goes from slice to slice, by links: a begin, and steps;
 * a begin of one that has begun is none. Where a link is left out of the window, those from before
 * it say nothing of the flow any more, the next step begins it, and no begin does. */
#ifndef TPTUI_PARSERS_JSON_CUT_FLOWS_H
#define TPTUI_PARSERS_JSON_CUT_FLOWS_H

#include "base/map.h"
#include "base/vec.h"
#include "parsers/json/cut_event.h"

/* Where an event is among others. */
struct json_flow_place {
    int64_t ts;
    uint64_t number; /* of the event */
    bool is_there;
};

/* Of one flow. */
struct json_cut_flow_state {
    struct json_flow_place begin; /* before the window */
    struct json_flow_place left;  /* the last link that is left out of the window */
    struct json_flow_place next;  /* the step that begins it there */
    bool is_told;                 /* the begin */
};

struct json_flow_step {
    uint32_t flow;
    struct json_flow_place place;
};

struct json_cut_flows {
    struct map by_key; /* -> index in `flows` */
    VEC(struct json_cut_flow_state) flows;
    VEC(struct json_flow_step) steps; /* that the window has */
};

/* First, of events from before the window, in any order. The flow begins with one, if it has not
 * before; a step of the flow is left out. */
void json_cut_flow_begun(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number);
void json_cut_flow_left(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number);

/* Then each event that tells of a flow, but what the thread's slices decide on, and whether the
 * window has it; then once json_cut_flows_settle. */
void json_cut_flow_seen(struct json_cut_flows *f, const struct json_cut_event *e, bool is_written);
void json_cut_flows_settle(struct json_cut_flows *f);

enum json_flow_change {
    JSON_FLOW_STAYS,
    JSON_FLOW_BEGINS, /* no step of one any more */
    JSON_FLOW_GOES,   /* says nothing of it */
};

/* At last, what becomes of the flow of an event that is in the window. */
enum json_flow_change json_cut_flow_change(const struct json_cut_flows *f,
                                           const struct json_cut_event *e);
void json_cut_flows_release(struct json_cut_flows *f);

#endif
