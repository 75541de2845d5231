/* Callstacks sampled on threads, from formats that are only about those: rows of
 * cpu_profile_stack_sample. */
#ifndef TPTUI_PARSERS_SAMPLES_SAMPLES_H
#define TPTUI_PARSERS_SAMPLES_SAMPLES_H

#include "core/trace_builder.h"

struct samples {
    struct trace *trace;
    struct map tasks;      /* utid -> row of profiler_task_context */
    struct map executions; /* ucpu and mode -> row of profiler_execution_context */
    string_id source;
    bool of_threads; /* no process is named beside the thread */
};

/* `source` is what sampled, as the tables name it. */
struct samples samples_begin(struct trace *t, struct str source);
void samples_release(struct samples *s);

/* The row of stack_profile_mapping of a file that is not known to be mapped somewhere. */
uint32_t samples_mapping(struct trace *t, string_id name);
/* The call site of a function in a file, called from `parent` (NULL_U32: from nowhere). */
uint32_t samples_callsite(struct samples *s, uint32_t parent, string_id file, string_id function,
                          int64_t rel_pc);
/* The row of stack_profile_frame for a frame of which only the names of its function and of what it
 * is part of are known; `file` may be NULL_STRING, `line` NULL_U32. */
uint32_t samples_named_frame(struct trace *t, string_id mapping, string_id function, string_id file,
                             uint32_t line);
/* A thread of which only a name is known, which may be NULL_STRING, of the process `pid`; 0: of one
 * of its own. Numbers are made up that no other thread has so far. Returns the utid. */
uint32_t samples_new_thread(struct trace *t, int64_t pid, string_id name);
/* `callsite` is NULL_U32 for a sample without a callstack. */
void samples_add(struct samples *s, int64_t ts, uint32_t utid, uint32_t callsite);

/* The row of profiler_task_context, or of profiler_execution_context, of these contents. */
uint32_t samples_task(struct samples *s, uint32_t utid);
uint32_t samples_execution(struct samples *s, uint32_t ucpu, string_id cpu_mode);

#endif
