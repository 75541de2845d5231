/* Records of samples: rows of profiler_sample with their stacks and counters. */
#ifndef TPTUI_PARSERS_PERF_SAMPLE_H
#define TPTUI_PARSERS_PERF_SAMPLE_H

#include "parsers/perf/import.h"

/* What a sample says, as far as it is read; what it does not say is zero. */
struct perf_sample {
    uint32_t pid, tid, cpu;
    struct bytes raw; /* of a tracepoint: its fields */
    uint32_t utid;    /* set by perf_sample_add */
};

/* Adds the sample's rows. False where the record cannot be used. */
bool perf_sample_add(struct perf_import *im, int64_t ts, struct perf_attr *attr,
                     const struct perf_record *record, struct perf_sample *sample);

#endif
