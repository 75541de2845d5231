/* V8's CPU profiles in a JSON trace of which a window is cut out. They come in parts: events that
 * begin a profile, that add nodes and samples to it, or that hold all of it. A window needs the
 * samples that are in it, their nodes, those that called them, and the begin. */
#ifndef TPTUI_PARSERS_JSON_CUT_PROFILES_H
#define TPTUI_PARSERS_JSON_CUT_PROFILES_H

#include "base/map.h"
#include "base/vec.h"
#include "parsers/input/trace_cut.h"
#include "parsers/json/cut_event.h"
#include "parsers/samples/v8_profile.h"

struct json_cut_profile {
    bool is_used;    /* the window has samples of it */
    bool needs_all;  /* nodes: which of those with the same id counts is not known here */
    int64_t ts;      /* of the last sample so far, ns */
    int64_t told_ts; /* likewise, of those that the window has */
};

/* From when to when samples are, ns; first > last: there are none. */
struct json_sampled {
    int64_t first, last;
};

struct json_cut_part {
    uint64_t number; /* of the event */
    uint32_t profile;
    bool begins;     /* the profile, perhaps again */
    bool is_written; /* the window has it: */
    bool is_whole;   /* as it stands */
    int64_t before;  /* the profile's `ts` then */
    struct json_sampled sampled;
};

struct json_cut_node {
    bool is_told; /* first by this part: */
    uint32_t part;
    bool is_needed;
    struct json_sampled sampled;
};

struct json_cut_profiles {
    struct v8_chunk chunk; /* scratch: of the event that is looked at */
    VEC(int64_t) times;    /* scratch: of its samples */
    struct map by_id;      /* -> position in `items` */
    VEC(struct json_cut_profile) items;
    VEC(struct json_cut_part) parts; /* by number */
    VEC(struct json_cut_node) nodes;
    struct map node_of; /* of a profile, by id -> position in `nodes` */
    struct map callers; /* likewise -> id of the caller */
};

/* First, each event of JSON_FELT_PART and JSON_FELT_PROFILE; and when all samples are that have a
 * node, without which they become no rows. */
void json_cut_profiles_note(struct json_cut_profiles *p, const struct json_cut_event *e);
struct json_sampled json_cut_profiles_sampled(const struct json_cut_profiles *p);

/* Then those that have samples in the window [from, to): whether any of the events [first, end)
 * does, and what is needed of one; at last once json_cut_profiles_settle. */
bool json_cut_profiles_reach(const struct json_cut_profiles *p, uint64_t first, uint64_t end,
                             int64_t from, int64_t to);
void json_cut_profiles_select(struct json_cut_profiles *p, const struct json_cut_event *e,
                              int64_t from, int64_t to);
void json_cut_profiles_settle(struct json_cut_profiles *p);

/* Whether the window has any of the events [first, end). */
bool json_cut_profiles_have(const struct json_cut_profiles *p, uint64_t first, uint64_t end);
/* Writes what it has of one. In order; all that stands beside nodes and samples stays. */
void json_cut_profiles_put(struct json_cut_profiles *p, struct cut_output *out,
                           const struct json_cut_event *e, int64_t from, int64_t to);

void json_cut_profiles_release(struct json_cut_profiles *p);

#endif
