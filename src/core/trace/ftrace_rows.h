/* Rows of ftrace_event, the largest table of a kernel's recording, which few sessions read: while a
 * trace loads they are noted in some six bytes each, a fifth of what they and their deferred args
 * take (core/trace/settled_args.h), and become rows when the table is read first, in their order
 * and with the same values. Until then it has no columns; how many rows there are it says from the
 * start.
 *
 * Who loads appends with the functions here. Who reads the table asks stored_table_ready, as for
 * any table, or ftrace_rows_ready. */
#ifndef TPTUI_CORE_TRACE_FTRACE_ROWS_H
#define TPTUI_CORE_TRACE_FTRACE_ROWS_H

#include "core/store/rows.h"
#include "core/trace/trace.h"

/* About so many rows are to come. */
void ftrace_rows_expect(struct trace *t, uint32_t rows);
/* Appends a row. */
void ftrace_rows_append(struct trace *t, const struct ftrace_event_row *row);
/* The same for one whose args are a payload of that kind, which args_intern_payload_later would be
 * called with; row->arg_set_id is set. Such a set may be the base of others; it
 * cannot be read before the trace is loaded. */
void ftrace_rows_append_payload(struct trace *t, struct ftrace_event_row *row, uint32_t kind,
                                const uint8_t *payload, size_t n);

/* Makes the rows that are only noted, once; from any thread. */
void ftrace_rows_make(const struct trace *t);

static inline bool ftrace_rows_are_noted(const struct trace *t)
{
    return atomic_load_explicit(&t->ftrace.state, memory_order_acquire) == FTRACE_ROWS_NOTED;
}

/* To be asked before a row is read: that table. */
static inline const struct table *ftrace_rows_ready(const struct trace *t)
{
    if (ftrace_rows_are_noted(t))
        ftrace_rows_make(t);
    return &t->tables.ftrace_event;
}

/* The first and the last time of rows that are only noted; false: there are none. */
bool ftrace_rows_noted_times(const struct trace *t, int64_t *first, int64_t *last);
/* Calls `found` for each CPU that has a row, perhaps more than once; makes no rows. */
void ftrace_rows_cpus(const struct trace *t, void (*found)(void *self, uint32_t ucpu), void *self);

#endif
