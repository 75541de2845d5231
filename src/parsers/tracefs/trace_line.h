/* One line of ftrace's text, in any of the forms that the kernel, atrace and trace-cmd print:
 *
 *     kworker/u16:1-77    (   77) [004] ....   316.196720: tracing_mark_write: B|77|name
 *     <idle>-0     [001]  0.002188: sched_switch: prev_comm=swapper prev_pid=0 ...
 *     bash-1234      [001] d..2.  18557905279810: sched_waking: ...     a clock that counts
 *     bash-1234      0d..2.   12us+: sched_waking: ...                  option latency-format
 *     bash    1234   0 1 00000002 000006b7 [1a99b1223] 7140479.523ms (+0.023ms): sched_waking: ...
 *     bash  1234 [001] 14388.142763:  sched:sched_waking: ...   perf script, perf sched script
 *
 * and what stands behind the time, where it is no event:
 *
 *     sys_read(fd: 3, buf: 7ffd2e2c, count: 40)       sys_read -> 0x40
 *     do_sys_open                                     do_sys_open (sys_open)      old kernels
 *     do_sys_open <-__x64_sys_openat                  #1  context  irq timer_latency  932 ns */
#ifndef TPTUI_PARSERS_TRACEFS_TRACE_LINE_H
#define TPTUI_PARSERS_TRACEFS_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum trace_line_kind {
    LINE_EVENT,
    LINE_CALL,     /* `event` is a system call that begins with `args` */
    LINE_RETURN,   /* one that returned `args` */
    LINE_FUNCTION, /* `args` is the whole: a kernel function and its caller */
    LINE_TRACER,   /* `args` is the whole, which tracer_text_read understands */
};

struct trace_line {
    enum trace_line_kind kind;
    bool is_of_cpu;     /* no task is known: `pid` is 0 */
    bool has_no_cpu;    /* only where perf_line_read has read it; `cpu` is 0 then, */
    bool has_no_time;   /* and so is `ts` */
    int64_t ts;         /* ns, or the number of a clock that counts */
    uint32_t pid, tgid; /* tgid is NULL_U32 where it is not known */
    uint32_t cpu;
    uint32_t flags;               /* as common_flags of the event */
    struct str task, event, args; /* within the text */
};

/* False where the text is no such line. */
bool trace_line_read(struct str text, struct trace_line *l);

/* "# entries-in-buffer/entries-written: 444334/468430", or of tracers of latency "# latency: 9 us,
 * #4/12, CPU#0": how many events were overwritten. */
bool trace_line_overwritten(struct str text, uint64_t *events);

/* "CPU:3 [LOST 12 EVENTS]", as trace_pipe and trace-cmd tell of events that are missing; 0 where
 * they do not say how many. */
bool trace_line_lost(struct str text, uint32_t *cpu, uint64_t *events);

#endif
