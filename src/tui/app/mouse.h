/* The mouse, where it is switched on: rows and events, folds, an area by dragging, tabs and links
 * of the details, the pane's edge, the rows of lists and results; the wheel scrolls what is below
 * the pointer, with Ctrl it zooms the tracks about it, with Shift it pans them. */
#ifndef TPTUI_TUI_APP_MOUSE_H
#define TPTUI_TUI_APP_MOUSE_H

#include "tui/context/effects.h"
#include "tui/term/keys.h"

struct app;

enum drag { DRAG_NONE, DRAG_TRACKS, DRAG_AREA, DRAG_PANE, DRAG_GUTTER, DRAG_OVERVIEW, DRAG_COLUMN };

/* From a press in the pane to one elsewhere, or a key, it is as high as it was (timeline_view.h),
 * so that tabs and lines stay below the pointer. */
struct mouse {
    enum drag drag; /* what the button that is down holds */
};

/* Whether the event is the mouse's. */
bool mouse_is_event(const struct key_event *key);
effects mouse_event(struct app *a, const struct key_event *key);

#endif
