/* A text in full over the timeline: a cell, a line of a table, a line of a log. */
#ifndef TPTUI_TUI_CONTEXT_TEXT_VIEW_H
#define TPTUI_TUI_CONTEXT_TEXT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct app;

struct text_view {
    char *title, *text; /* owned */
    uint32_t top;       /* first line shown */
    bool of_record;     /* of a result: h and l lead to its neighbours */
};

void text_view_release(struct text_view *v);

/* Shows it until text_close; line breaks in `text` are kept. */
void app_show_text(struct app *a, struct str title, struct str text);
void text_close(struct app *a);

#endif
