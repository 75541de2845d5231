/* The last value of each counter before a window. An event has a counter for each of its args. */
#ifndef TPTUI_PARSERS_JSON_CUT_COUNTERS_H
#define TPTUI_PARSERS_JSON_CUT_COUNTERS_H

#include "parsers/input/selection.h"
#include "parsers/json/cut_event.h"

struct json_cut_value {
    int64_t ts;
    uint64_t number; /* of its event */
};

/* All zero at first. */
struct json_cut_counters {
    struct map by_key; /* -> index in `last` */
    VEC(struct json_cut_value) last;
};

/* An event of before the window. */
void json_cut_counters_note(struct json_cut_counters *c, const struct json_cut_event *e);
/* Events with such values have to be told again. */
void json_cut_counters_select(const struct json_cut_counters *c, struct selection *selected);
/* Whether the value of the arg `key` is its counter's last. */
bool json_cut_counters_last(const struct json_cut_counters *c, const struct json_cut_event *e,
                            struct str key);
void json_cut_counters_release(struct json_cut_counters *c);

#endif
