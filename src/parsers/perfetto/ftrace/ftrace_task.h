/* Threads: wakeups, births and deaths, names, signals, system calls. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TASK_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TASK_H

#include "core/trace/trace.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_task_module;

struct ftrace_event;

/* A write call must not overlap the slice whose mark it writes: ends the one that is open. */
void ftrace_cut_write_call(const struct ftrace_event *e);
void ftrace_say_write_cut(const struct ftrace_event *e, struct felt_sink *out);

/* Brings the decoder of system calls' args back (core/trace/stored_columns.h). */
bool ftrace_call_args_restore(struct trace *t, struct byte_reader state);
#define FTRACE_CALL_ARGS_NAME "ftrace_call"

#endif
