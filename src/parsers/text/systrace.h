/* The text of trace markers: what atrace and its imitators write into trace_marker.
 *
 *     B|1636|name            begin of a slice on the writing thread     E|1636
 *     C|1636|name|0          counter of the process
 *     S|1636|name|123        begin of an async slice                    F|1636|name|123
 *     I|1636|name            instant on the thread
 *     N|1636|track|name      instant on a track of the process
 *     G|1636|track|name|789  begin of an async slice on a track         H|1636|track|[name|]789 */
#ifndef TPTUI_PARSERS_TEXT_SYSTRACE_H
#define TPTUI_PARSERS_TEXT_SYSTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct atrace_point;
struct trace;

/* What the mark says, pointing into `line`; false where it is none. */
bool systrace_point(struct str line, struct atrace_point *p);

/* Reads and applies one mark; trailing newlines and NULs are ignored, what is no mark is counted in
 * stats. `tid` wrote the line. */
void systrace_parse(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, struct str line);

#endif
