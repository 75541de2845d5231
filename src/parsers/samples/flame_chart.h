/* Samples of one thread as slices: a call lasts as long as samples that follow each other are in
 * it. For profiles that say nothing else of what happened when. */
#ifndef TPTUI_PARSERS_SAMPLES_FLAME_CHART_H
#define TPTUI_PARSERS_SAMPLES_FLAME_CHART_H

#include "base/vec.h"
#include "core/trace_builder.h"

struct flame_call {
    uint32_t callsite, slice;
};

struct flame_chart {
    struct trace *trace;
    uint32_t track;
    uint32_t hidden; /* outermost calls that are not shown: roots that every stack has */
    uint32_t shown;  /* the call site of the last sample; NULL_U32: none */
    size_t budget;   /* slices that there may still be; deeper calls are left out then */
    VEC(struct flame_call) open; /* outermost first */
    VEC(uint32_t) stack;         /* scratch */
};

/* `samples` is about how many will be added: more than sixty new calls a sample are damage. */
struct flame_chart flame_chart_begin(struct trace *t, uint32_t utid, uint32_t hidden,
                                     size_t samples);
void flame_chart_release(struct flame_chart *c);

/* From `ts` on, not before that of the sample before: the calls of this call site; NULL_U32: none.
 */
void flame_chart_add(struct flame_chart *c, int64_t ts, uint32_t callsite);
/* From `ts` on: the calls of the sample before and, as if they had called it, the innermost
 * function of this call site. */
void flame_chart_interrupt(struct flame_chart *c, int64_t ts, uint32_t callsite);

#endif
