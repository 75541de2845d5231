/* Marks that the user sets, with notes. */
#ifndef TPTUI_TUI_TIMELINE_MARKS_H
#define TPTUI_TUI_TIMELINE_MARKS_H

#include "base/str.h"
#include "tui/view/scene.h"

struct app;

struct note {
    struct mark mark;
    struct timeline_cursor cursor; /* where it was set */
    char text[80];
};

/* Marks the cursor's time; without a note the mark is called like the event there. Says the
 * distance to the mark before. */
void app_mark(struct app *a, struct str note);
/* The same elsewhere, without a word to the user. The note is valid until the next one is set. */
struct note *app_put_mark(struct app *a, const struct timeline_cursor *at, struct str text);

#endif
