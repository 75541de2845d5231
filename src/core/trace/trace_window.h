/* Leaves of a loaded trace what is in a window, as if it were restricted to it by SQL. */
#ifndef TPTUI_CORE_TRACE_TRACE_WINDOW_H
#define TPTUI_CORE_TRACE_TRACE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* Of a finished trace (trace_finish) that nobody reads yet; [from, to) in ns of trace time.
 *
 * Rows with times (table_def_window_time) that overlap the window stay, of values that hold until
 * the next one the last before it, too. What begins before it begins a nanosecond before it then;
 * what ends behind it has not ended, but in a trace that was cut before, which knows such an end
 * only where the begin says it. Rows of other tables stay, unless a column that must name a row
 * names one that is gone; where it may be null it becomes that. Rows get new numbers, in all
 * columns that the schema says name them. trace_bounds becomes what of them is in the window. Takes
 * no memory but a number for each row that had a time. */
void trace_window(struct trace *t, int64_t from, int64_t to);

/* Whether it is a window behind which the recording goes on. */
bool trace_goes_on(const struct trace *t);
/* What there is to say of what has no end. */
const char *trace_open_words(const struct trace *t);

/* What there is to say of what begins at `ts` and, if it is open, has no end: "began before the
 * window", "never ended", both, or nothing. */
struct edge_words {
    char text[64];
};
struct edge_words trace_edge_words(const struct trace *t, int64_t ts, bool is_open);

#endif
