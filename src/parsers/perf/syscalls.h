/* System calls as slices of threads, from the tracepoints raw_syscalls:sys_enter and sys_exit, or
 * syscalls:sys_enter_NAME and sys_exit_NAME: as ftrace's are. */
#ifndef TPTUI_PARSERS_PERF_SYSCALLS_H
#define TPTUI_PARSERS_PERF_SYSCALLS_H

#include "core/trace_builder.h"

struct perf_syscalls {
    string_id arch; /* of the recording machine, as uname says */
    VEC(string_id) names;
    string_id return_key;
};

void perf_syscalls_release(struct perf_syscalls *s);

/* "sys_read" of that machine, "sys_123" where the number is not known. */
string_id perf_syscall_name(struct perf_syscalls *s, struct trace *t, uint64_t number);

/* A thread calls, or comes back. `args` may be NULL. */
void perf_syscall_enter(struct trace *t, int64_t ts, uint32_t utid, string_id name,
                        const struct arg_list *args);
void perf_syscall_exit(struct perf_syscalls *s, struct trace *t, int64_t ts, uint32_t utid,
                       string_id name, int64_t result);

#endif
