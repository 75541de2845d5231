/* Threads: wakeups, births and deaths, names, signals, system calls. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TASK_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TASK_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_task_module;

struct ftrace_event;

/* A write call must not overlap the slice whose mark it writes: ends the one that is open. */
void ftrace_cut_write_call(const struct ftrace_event *e);

#endif
