/* What flamegraphs are of: the queries for stacks, and what their values are. */
#ifndef TPTUI_TUI_TABS_FLAME_SOURCE_H
#define TPTUI_TUI_TABS_FLAME_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct app;

/* Sources are numbered: those that every trace may have, then a kind of value of profiles that are
 * sums each. */
uint32_t flame_source_count(const struct app *a);
struct str flame_source_title(const struct app *a, uint32_t source);
struct str flame_source_unit(const struct app *a, uint32_t source);
/* How many rows the trace has of it. */
uint32_t flame_source_rows(const struct app *a, uint32_t source);
/* The query for the stacks of the area, or of the trace where none is chosen: id, parent_id, value,
 * name. For free(). */
char *flame_source_sql(struct app *a, uint32_t source);

/* A value in the unit of the pane's profile. */
void flame_print_value(const struct app *a, double value, char *out, size_t size);
/* The same below a heading: without a unit that is but a word, "samples". */
void flame_print_in_list(const struct app *a, double value, char *out, size_t size);

#endif
