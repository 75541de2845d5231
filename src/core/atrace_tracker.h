/* Atrace: the begin, end, counter and async marks that Android's userspace and some drivers write,
 * as slices and counters. The text form is read by parsers/text/systrace.h. */
#ifndef TPTUI_CORE_ATRACE_TRACKER_H
#define TPTUI_CORE_ATRACE_TRACKER_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/process_counter.h"

struct trace;

struct atrace_point {
    char phase;   /* one of B E C S F I N G H */
    int64_t tgid; /* process of the writer as it says itself; 0 where it does not */
    struct str name, track;
    int64_t value; /* counter value or async cookie */
};

/* A track on which only the first of several begins counts. */
struct atrace_once {
    int64_t begins, last_begin;
};

struct atrace_tracker {
    struct map once_tracks; /* track -> once */
    VEC(struct atrace_once) once;
};

/* A track of G and H that is nobody's: the state of the device. */
#define ATRACE_DEVICE_TRACK "DeviceStateChanged"

void atrace_tracker_release(struct atrace_tracker *at);

/* `tid` wrote the mark. */
void atrace_apply(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                  const struct atrace_point *p);

/* The counter oom_score_adj, of which two sources tell. */
struct process_counter atrace_oom_score_counter(struct trace *t);

#endif
