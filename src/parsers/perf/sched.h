/* Who ran on which cpu, from the records SWITCH and SWITCH_CPU_WIDE or the scheduler's tracepoints:
 * rows of sched_slice and thread_state. */
#ifndef TPTUI_PARSERS_PERF_SCHED_H
#define TPTUI_PARSERS_PERF_SCHED_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/perf/attrs.h"

struct perf_sched {
    uint32_t machine;
    struct map cpu_numbers; /* cpu -> index of `cpus` */
    VEC(struct sched_cpu) cpus;
    kernel_version version; /* of the recording machine */
    bool has_switches;      /* tracepoints of sched_switch, which say more than records */
    bool has_records;       /* SWITCH and the like */
    bool system_wide;       /* all threads are there, not only those of some processes */
};

void perf_sched_release(struct perf_sched *s);

/* What runs on a cpu. Valid until the next call. */
struct sched_cpu *perf_sched_cpu(struct perf_sched *s, struct trace *t, uint32_t cpu);

/* A thread began to run on a cpu, or left it. */
void perf_sched_in(struct perf_sched *s, struct trace *t, int64_t ts, uint32_t cpu, uint32_t utid);
void perf_sched_out(struct perf_sched *s, struct trace *t, int64_t ts, uint32_t cpu, uint32_t utid,
                    bool preempted);

#endif
