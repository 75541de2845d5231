/* Writing the rows of a result to files; the helper does it. */
#ifndef TPTUI_TUI_QUERY_GRID_EXPORT_H
#define TPTUI_TUI_QUERY_GRID_EXPORT_H

#include "base/str.h"

struct app;

/* Writes the rows and columns shown to a file, in the format that its name ends in. */
void grid_export(struct app *a, struct str path);

#endif
