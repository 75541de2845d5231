/* Spans of distributed traces as slices: each service is a process, and spans of a service lie on
 * as few of its lanes, threads, as let them nest. Arrows lead from a span to those that it caused
 * on other lanes. */
#ifndef TPTUI_PARSERS_JSON_SPAN_ROWS_H
#define TPTUI_PARSERS_JSON_SPAN_ROWS_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"

/* Times are ns of the file's clock. */
struct service_span {
    int64_t ts, dur;
    string_id trace, id, parent; /* as the file calls them; `parent` NULL_STRING: none */
    string_id name, service;
    size_t first_arg, args;
    size_t span_plus_one;  /* this is an event in that span, number + 1 of it; 0: a span */
    uint32_t slice, track; /* NULL_U32 before it has rows */
    bool alone;            /* no part of any span but its parent, whatever they have in common */
};

struct span_rows {
    struct trace *trace;
    VEC(struct service_span) spans;
    struct arg_list args;
    struct map services; /* name -> index of `lanes` */
    VEC(struct span_lanes) lanes;
};

/* The tracks of a service. */
struct span_lanes {
    int64_t pid;
    VEC(uint32_t) tracks;
};

/* Appends the args of the span that was added last; `key` is without "args.". */
void span_rows_arg(struct span_rows *s, struct str key, string_id value);
/* Makes rows of all spans, and of their events, which have been added behind their span. */
void span_rows_apply(struct span_rows *s);
void span_rows_release(struct span_rows *s);

#endif
