/* In which order events of one time come, in one place for who applies them and who cuts windows
 * out of them. As Trace Processor has it, they stay as they stand in the file up to the first time
 * at which the file is out of order, or, behind its first complete event, has a time twice. From
 * there on, if there is any complete event, ends come before all else at their time, so that what
 * begins then is not in what ends, and complete events before all others, the longer first, as they
 * nest. But an end stays behind its begin. */
#ifndef TPTUI_PARSERS_JSON_ORDER_H
#define TPTUI_PARSERS_JSON_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "parsers/input/json_scan.h"

/* The member of a document that says from when on, in ns, so that a part of a trace has the order
 * of the whole; it stands in front of the events. */
#define JSON_ORDER_MEMBER "tptuiEndsFirstFrom"

/* All zero at first. */
struct json_order {
    bool begun, is_complete; /* there was an event, a complete one */
    bool is_given;           /* the document says it */
    bool is_broken;
    int64_t latest, from; /* from: once it is broken */
};

/* Takes the events as they stand in the file, but for samples. */
void json_order_note(struct json_order *o, char phase, int64_t ts);
/* What JSON_ORDER_MEMBER says. */
void json_order_give(struct json_order *o, struct json_value from);
/* After all events: whether those of the time do not stay as they stand in the file. */
bool json_order_changes(const struct json_order *o, int64_t ts);

/* By which begins and ends belong together; 0 for none. */
struct json_called {
    uint32_t category, name;
};

bool json_may_end(struct json_called begin, struct json_called end);

/* The begins without an end of a thread at the time of its last one. All zero at first. */
struct json_begun {
    int64_t ts;
    VEC(struct json_called) open;
};

/* Takes the begins and ends of a thread as they stand in the file. */
void json_begun_add(struct json_begun *begun, int64_t ts, struct json_called begin);
/* Whether the end comes before all else at its time, where the order changes. */
bool json_end_is_first(struct json_begun *begun, int64_t ts, struct json_called end);
void json_begun_release(struct json_begun *begun);

#endif
