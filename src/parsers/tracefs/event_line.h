/* Events of ftrace_event as the lines that the kernel's text interface and systrace have for them.
 */
#ifndef TPTUI_PARSERS_TRACEFS_EVENT_LINE_H
#define TPTUI_PARSERS_TRACEFS_EVENT_LINE_H

#include "core/trace/trace.h"
#include "parsers/proto/proto_text.h"

struct event_lines;

/* `t` must outlive it. */
struct event_lines *event_lines_new(const struct trace *t);
void event_lines_free(struct event_lines *lines);

/* Appends the line of a row, without a newline. The table and the args must be ready. */
void event_lines_put(struct event_lines *lines, uint32_t row, struct text *out);

#endif
