/* The query of the pane while it runs, and what becomes of it. */
#ifndef TPTUI_TUI_QUERY_QUERY_RUN_H
#define TPTUI_TUI_QUERY_QUERY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tui/context/effects.h"

struct app;
struct query_pane;

/* Runs the text, or only the statement that the caret stands in. */
void query_run(struct app *a, bool only_statement);
/* Takes what the query that runs has yielded by now. */
effects query_look(struct app *a);
/* Stops the query that runs; the screen does not wait for its end. What it has yielded stays. */
effects query_cancel(struct app *a);

/* What the pane says below the text: an error, or what came out. */
void query_set_message(struct query_pane *q, bool failed, const char *text);

double query_seconds_since(const struct timespec *start);
/* "12,345 rows" */
void query_print_rows(char *out, size_t size, uint32_t rows);

int query_lines(const char *text); /* how many it has */

/* Of a result that does not fit below the prompt of a shell so many rows stay there. */
enum { QUERY_HEAD_ROWS = 10 };
/* Whether the rows that there are fit between the prompt and the end of the screen. */
bool query_fits_below_prompt(struct app *a);

#endif
