/* What core/trace/ftrace_rows.h has of a trace: rows that are only noted. */
#ifndef TPTUI_CORE_TRACE_FTRACE_NOTES_H
#define TPTUI_CORE_TRACE_FTRACE_NOTES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum ftrace_rows_state {
    FTRACE_ROWS_UNKNOWN, /* none came yet */
    FTRACE_ROWS_MADE,    /* they are in the table */
    FTRACE_ROWS_NOTED,
};

struct ftrace_note_state; /* what a row is told apart from */

struct ftrace_notes {
    _Atomic(enum ftrace_rows_state) state;
    pthread_mutex_t lock; /* around making rows */
    VEC(uint8_t) bytes;
    struct ftrace_note_state *last;
    VEC(uint32_t) ucpus; /* that have rows; some more than once */
    int64_t first_ts, last_ts;
};

void ftrace_notes_init(struct ftrace_notes *n);
void ftrace_notes_release(struct ftrace_notes *n);

#endif
