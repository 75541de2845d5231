/* Flows of which a window has not all. A flow goes from slice to slice, by links: a begin, and
 * steps; a begin of one that has begun is none. Where a link is left out of the window, those from
 * before it do not lead to those behind it: of a link from before the window, they say nothing of
 * the flow any more; behind one that is in it, as its slice ended before, the flow goes by another
 * id. The next step begins it, and no begin does. */
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
    struct json_flow_place begin;
    struct json_flow_place left; /* the last link that is left out before the window */
    bool is_told;                /* the begin */
};

struct json_flow_link {
    uint32_t flow;
    struct json_flow_place place;
};

struct json_cut_flows {
    int64_t from;      /* the window's begin; the caller's to set */
    struct map by_key; /* -> index in `flows` */
    VEC(struct json_cut_flow_state) flows;
    VEC(struct json_flow_link) steps; /* that the window has */
    VEC(struct json_flow_link) left;  /* links in the window that are left out */
    struct map begun_by;              /* numbers of the steps that begin it */
};

/* First, of events from before the window, in any order. The flow begins with one, if it has not
 * before; a step of the flow is left out. */
void json_cut_flow_begun(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number);
void json_cut_flow_left(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number);
/* Likewise, of events in the window: a step is left out. */
void json_cut_flow_left_inside(struct json_cut_flows *f, const struct json_cut_event *e);

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
/* The id by which it goes then; 0: its own. */
int64_t json_cut_flow_id(const struct json_cut_flows *f, const struct json_cut_event *e);
void json_cut_flows_release(struct json_cut_flows *f);

#endif
