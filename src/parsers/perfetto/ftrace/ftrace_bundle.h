/* Bundles of ftrace events: each event becomes a record in the queue of its cpu. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BUNDLE_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BUNDLE_H

#include "parsers/perfetto/ftrace/ftrace_import.h"

extern const struct packet_module ftrace_bundle_packets[];

/* A bundle while it is read. */
struct bundle_context {
    struct ftrace_import *f;
    const struct packet *packet;
    uint32_t queue; /* of its cpu, in the sorter */
    int64_t clock;
    bool is_trace_time; /* the clock is that of the trace, as was found out by the first time */
    bool is_clock_known;
};

/* What a bundle says of its times, for who does not import it. */
struct bundle_span {
    uint32_t cpu;
    int64_t offset;      /* what is added to its times to make them trace times */
    int64_t first, last; /* of its events, trace time; first > last: it has none */
    /* Who runs on a cpu compact events tell from its first switch on: up to it they leave no rows.
     * INT64_MAX: there is none. */
    int64_t first_switch; /* of the bundle's clock */
    int64_t first_row;    /* as `first`, without these */
    int64_t valid_from;   /* before it events of this cpu may have been lost; INT64_MIN: not said */
};
/* False where the bundle cannot be read, or has times that cannot be converted. */
bool ftrace_bundle_span(struct import *im, const struct packet *p, struct bundle_span *out);

/* For a walk over packets whose bundles' clocks are known from one before. */
struct bundle_context ftrace_bundle_context(struct import *im, const struct packet *p);

/* Converts a time of the bundle's clock; false (counted) where that is not possible. */
bool bundle_convert_time(struct bundle_context *b, int64_t ts, int64_t *out);
/* The same, with the usual case inline. */
static inline bool bundle_time(struct bundle_context *b, int64_t ts, int64_t *out)
{
    *out = ts;
    return b->is_trace_time || bundle_convert_time(b, ts, out);
}

/* Whether an event makes its row, goes to its handler, or both: what an event tells may have
 * happened at another time than the event. */
enum ftrace_push { FTRACE_PUSH_WHOLE, FTRACE_PUSH_ROW, FTRACE_PUSH_HANDLER };

/* Pushes the event whose length prefix is at `at` into the sorter, at `ts`. */
void ftrace_push(struct ftrace_import *f, uint32_t queue, int64_t ts, const uint8_t *at,
                 enum ftrace_push how);

#endif
