/* Times as people write them: "614.037" is ms from the begin of the trace; with a unit (ns, us, ms,
 * s, min, h), that; "1:02:03.5" is hours, minutes and seconds, "2:03" minutes and seconds; a bare
 * number with 12 digits or more is a timestamp, with a minus a negative one; else with a sign, how
 * far from some other time. */
#ifndef TPTUI_TEXT_TIME_TEXT_H
#define TPTUI_TEXT_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "text/time.h"

enum time_origin { TIME_OF_TRACE_CLOCK, TIME_FROM_START, TIME_RELATIVE };

struct time_text {
    enum time_origin origin; /* what `ns` counts from */
    int64_t ns;
};

/* False where it is no time. */
bool time_text_read(struct str s, struct time_text *out);

/* On the trace clock. `now` is what times with a sign are from. */
static inline int64_t time_text_resolve(struct time_text t, int64_t start, int64_t now)
{
    if (t.origin == TIME_OF_TRACE_CLOCK)
        return t.ns;
    return time_plus(t.origin == TIME_RELATIVE ? now : start, t.ns);
}

/* A part of a trace; all zero: all of it. */
struct time_window {
    bool has_from, has_to;
    struct time_text from, to; /* [from, to); `to` may be relative to `from` */
};

#endif
