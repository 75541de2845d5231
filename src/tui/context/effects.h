/* What an action leaves to be done: it returns a set of these, and the loop does them once
 * (update.h). */
#ifndef TPTUI_TUI_CONTEXT_EFFECTS_H
#define TPTUI_TUI_CONTEXT_EFFECTS_H

typedef unsigned effects;

enum {
    EFFECT_NONE = 0,
    /* What the layout, the links or the rows are made from has changed: panes, focus, folds, pins.
     */
    EFFECT_ROWS = 1,
    /* The cursor or the window has moved: rows as above; the details follow once the cursor has
     * rested, from their first line. */
    EFFECT_MOVED = 2,
    /* The cursor stands on a row and a time, but not yet on an event: it takes the one there. */
    EFFECT_SELECT = 4,
    /* The same at the time that vertical moves keep (app.view->goal_ts). */
    EFFECT_ENTER = 8,
    /* The same, but the time stays what it is: a gap where there is no event. */
    EFFECT_STAY = 32,
    /* The details are to be made anew, now. */
    EFFECT_DETAILS = 16,
};

#endif
