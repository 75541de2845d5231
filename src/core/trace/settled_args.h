/* Sets of args that were deferred while a trace loaded (core/store/args.h) get their ids, in the
 * args and in the columns that refer to them, which are COLUMN_DEFERRED.
 *
 * The first statement that reads such a set, or `args`, has all of them looked up in the order
 * of the events and the columns renumbered; what stays open (the timeline, the prompt, a server)
 * does so in a thread of its own right after the load. What comes out of something packed or
 * through a pipe is looked up while it loads, as is the second of two files. */
#ifndef TPTUI_CORE_TRACE_SETTLED_ARGS_H
#define TPTUI_CORE_TRACE_SETTLED_ARGS_H

#include "core/trace/trace.h"

/* settled_args_ready, where it has to be found out. */
bool settled_args_settle(const struct trace *t);

/* To be asked before such a row of a column is read, or an arg set whose id is none of args_count,
 * from any thread: settles them, once. False where they are lost, because the trace file was
 * changed before: the ids of such sets are null then, and a statement that reads them is to fail.
 */
static inline bool settled_args_ready(const struct trace *t)
{
    return atomic_load_explicit(&t->args.deferred.state, memory_order_acquire) == ARGS_SETTLED ||
           settled_args_settle(t);
}

/* Whether an id is of a set that waits for its own. */
static inline bool settled_args_waits(uint32_t set)
{
    return set != NULL_U32 && (set & ARGS_DEFERRED);
}

/* The same for a row of a COLUMN_DEFERRED column: whoever asks row by row seldom has to wait. */
static inline bool settled_args_row_ready(const struct trace *t, const struct column *c,
                                          uint32_t row)
{
    int state = atomic_load_explicit(&t->args.deferred.state, memory_order_acquire);
    bool waits = state == ARGS_UNSETTLED && settled_args_waits(((const uint32_t *)c->data)[row]);
    return state == ARGS_SETTLED || (state == ARGS_UNSETTLED && !waits) || settled_args_settle(t);
}

/* settled_args_ready for one column of any table: true for those that are not COLUMN_DEFERRED. */
static inline bool settled_args_column_ready(const struct trace *t, const struct column *c)
{
    return !(c->def->flags & COLUMN_DEFERRED) || settled_args_ready(t);
}

/* The arg set in a row of a U32 column, for who reads single rows: waits only where the set is
 * deferred. NULL_U32 for none, also where it is lost. */
uint32_t settled_args_of(const struct trace *t, const struct column *c, uint32_t row);

/* Settles them in a thread of its own, which trace_release waits for: for a trace that stays open,
 * as its file may be changed meanwhile. Rows that are only noted (core/trace/ftrace_rows.h) are
 * made first, as sets have their ids in the order of events. */
void settled_args_start(struct trace *t);
/* For trace_release. */
void settled_args_join(struct trace *t);

/* What to tell the user where they are lost. */
extern const char settled_args_lost[];

#endif
