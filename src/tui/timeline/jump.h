/* Jumps to events elsewhere. Each can be undone, opens what hides its target, and says so where
 * there is none. */
#ifndef TPTUI_TUI_TIMELINE_JUMP_H
#define TPTUI_TUI_TIMELINE_JUMP_H

#include "tui/context/effects.h"
#include "tui/view/scene.h"

struct app;

/* The cursor goes there and the window with it; the history keeps where they were. What is on no
 * track gets a message. */
effects app_jump(struct app *a, struct event_ref event);
effects app_jump_slice(struct app *a, uint32_t slice);
effects app_jump_node(struct app *a, uint32_t node);
effects app_jump_time(struct app *a, int64_t ts);

/* The slice that a key for slices is about: the one under the cursor, or the innermost of the
 * thread there where the cursor is on its states. NULL_U32 if none. */
uint32_t app_slice(struct app *a);

/* To the other end of the slice's flow; several open a list. */
effects app_flow(struct app *a, bool forward);
effects app_parent(struct app *a);
effects app_child(struct app *a);
/* The next slice of the same name in time, or by length (direction 1: longer). */
effects app_same_name(struct app *a, int direction, bool by_dur);
/* Centres the event, or the gap; where it is centred already, fits it to the window. */
effects app_fit(struct app *a);

#endif
