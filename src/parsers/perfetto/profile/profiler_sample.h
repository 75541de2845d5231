/* Rows of profiler_sample and what they refer to, for all packets that bring stack samples. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_PROFILER_SAMPLE_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_PROFILER_SAMPLE_H

#include "parsers/perfetto/packets/import.h"

/* The row of profiler_task_context, profiler_execution_context with these values, made where there
 * is none yet. NULL_U32, NULL_STRING: not known. */
uint32_t profiler_task_context(struct import *im, uint32_t upid, uint32_t utid,
                               uint32_t async_context);
uint32_t profiler_execution_context(struct import *im, uint32_t ucpu, string_id cpu_mode);
/* The row of the session that a packet's sequence belongs to; made at the first call. */
uint32_t profiler_session(struct import *im, const struct packet *p, string_id source);
/* Of what is counted between its samples; the first that is told counts. */
void profiler_session_set_unit(struct import *im, uint32_t session, string_id unit);

/* Counter values of one sample: rows of `counter` on their tracks, tied to the sample. */
struct sample_counters {
    uint32_t first_row, count; /* of profiler_counter_set */
};

/* A value at `ts` (ns, trace clock). */
void sample_counters_add(struct import *im, struct sample_counters *c, int64_t ts, uint32_t track,
                         double value);
/* The counter_set_id, NULL_U32 where there are no values. */
uint32_t sample_counters_id(const struct sample_counters *c);

#endif
