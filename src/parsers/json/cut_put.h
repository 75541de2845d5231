/* Writes an event of JSON as it is in a window: at another time, of another flow. */
#ifndef TPTUI_PARSERS_JSON_CUT_PUT_H
#define TPTUI_PARSERS_JSON_CUT_PUT_H

#include "parsers/input/trace_cut.h"
#include "parsers/json/cut_counters.h"
#include "parsers/json/cut_event.h"
#include "parsers/json/cut_flows.h"

/* Times are ns. */
struct json_cut_change {
    bool is_told; /* again, at `ts`: */
    int64_t ts;
    bool lasts; /* likewise, for `dur` */
    int64_t dur;
    const struct json_cut_counters
        *counters; /* NULL, or of which only last values are told again */
    enum json_flow_change flow;
    int64_t flow_id; /* by which its flow goes; 0: its own */
};

/* All but what is changed stays as it stands. */
void json_cut_put(struct cut_output *out, const struct json_cut_event *e,
                  const struct json_cut_change *to);

#endif
