/* From keys to actions. */
#ifndef TPTUI_TUI_APP_KEY_INPUT_H
#define TPTUI_TUI_APP_KEY_INPUT_H

#include "tui/context/effects.h"
#include "tui/term/keys.h"

struct app;

/* A key goes to the overlay that is open, to the editor, or runs the action it is bound to; the
 * first keys of a sequence wait for the rest. */
effects app_key(struct app *a, const struct key_event *key);

/* Ends the prompt: takes what was typed, or forgets it. */
effects prompt_accept(struct app *a);
effects prompt_cancel(struct app *a);

#endif
