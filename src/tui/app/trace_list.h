/* The list that a trace is chosen from, before there is one: those below a folder, or those opened
 * last. It outlives the traces that are opened from it. */
#ifndef TPTUI_TUI_APP_TRACE_LIST_H
#define TPTUI_TUI_APP_TRACE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "tui/context/effects.h"

struct app;
struct trace_list;

/* Of a folder; NULL: of the traces opened last. An error where there are none. */
struct status trace_list_new(const char *folder, struct trace_list **out);
void trace_list_free(struct trace_list *l);

/* Shows app.program->list in place of a trace, and asks what stands out in those of which nobody
 * knows. */
void trace_list_show(struct app *a);
/* Whether it is what the screen shows. */
bool trace_list_is_shown(const struct app *a);
void trace_list_draw(struct app *a);
/* Ends what looks at traces; NULL is ok. */
void trace_list_stop(struct trace_list *l);
/* Takes the item for the trace that app.options name. */
void trace_list_choose(struct app *a, uint32_t item);

#endif
