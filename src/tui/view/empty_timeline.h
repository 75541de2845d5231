/* What stands in place of tracks where no event of the trace has a time: what the file holds and
 * why nothing is drawn. */
#ifndef TPTUI_TUI_VIEW_EMPTY_TIMELINE_H
#define TPTUI_TUI_VIEW_EMPTY_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

struct trace;

bool timeline_is_empty(const struct trace *t);
/* Writes it, a line each sentence. Costs as much as there are tables. */
void empty_timeline_print(const struct trace *t, char *out, size_t size);

#endif
