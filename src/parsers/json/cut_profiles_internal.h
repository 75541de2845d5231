/* Between cut_profiles.c, which notes what a window needs of V8's profiles, and cut_profiles_put.c,
 * which writes it. */
#ifndef TPTUI_PARSERS_JSON_CUT_PROFILES_INTERNAL_H
#define TPTUI_PARSERS_JSON_CUT_PROFILES_INTERNAL_H

#include "parsers/json/cut_profiles.h"

/* The event's part; NULL: it has none. */
struct json_cut_part *cut_profiles_part(const struct json_cut_profiles *p,
                                        const struct json_cut_event *e);
/* Reads a part again, into p->chunk, and the times of its samples into p->times. */
bool cut_profiles_read(struct json_cut_profiles *p, const struct json_cut_event *e,
                       const struct json_cut_part *part);

/* The key of a node in p->node_of and p->callers. */
static inline uint64_t cut_profiles_node_key(uint32_t profile, uint32_t id)
{
    return (uint64_t)profile << 32 | id;
}

/* Of such a chunk no sample counts. */
static inline bool cut_profiles_uneven(const struct v8_chunk *c)
{
    return c->samples.count != c->deltas.count;
}

static inline bool cut_profiles_within(int64_t ts, int64_t from, int64_t to)
{
    return ts >= from && ts < to;
}

#endif
