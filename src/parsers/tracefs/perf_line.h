/* A line of perf script about a tracepoint, whichever of its columns were printed (--fields):
 *
 *     comm 1234/1234 K [001] 2026-11-23 02:52:20.336152 14388.142763:     1
 *         sched:sched_waking: args  ffffffff813 f+0x2 (dso)
 *
 * (on one line). All in front of the event may be missing, and so may the frame behind its args,
 * which stands there where no stacks were recorded. */
#ifndef TPTUI_PARSERS_TRACEFS_PERF_LINE_H
#define TPTUI_PARSERS_TRACEFS_PERF_LINE_H

#include "parsers/tracefs/trace_line.h"

/* False where the text is no such line. */
bool perf_line_read(struct str text, struct trace_line *l);

/* What stands behind the event's name: the args without the frame, which is empty where there is
 * none. Both are within `text`. */
struct perf_line_args {
    struct str args, frame;
};
struct perf_line_args perf_line_args(struct str text);

/* "14388.142763", with at least six digits behind the point. Microseconds go through a real number,
 * as Trace Processor's do; nanoseconds are exact. */
bool perf_line_read_time(struct str text, int64_t *ns);

/* The column `tod` at the end, "2026-11-23 02:52:20.336152", which is taken off: ns since 1970,
 * where it is taken for UTC. False where there is none. */
bool perf_line_take_day(struct str *rest, int64_t *ns);

/* The last word, which is taken off; empty where there is none. */
struct str perf_line_take_last(struct str *rest);

/* Whether it is the column `misc`: "K", "U", "KSp". */
bool perf_line_is_misc(struct str word);

#endif
