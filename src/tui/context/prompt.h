/* The line at the bottom that asks for a text. */
#ifndef TPTUI_TUI_CONTEXT_PROMPT_H
#define TPTUI_TUI_CONTEXT_PROMPT_H

#include "tui/context/effects.h"

struct app;

/* What the text is for. */
enum prompt_kind {
    PROMPT_SEARCH,
    PROMPT_TIME,
    PROMPT_FILTER,
    PROMPT_NOTE,
    PROMPT_FLAME,
    PROMPT_LOGS,
    PROMPT_GROUP,
    PROMPT_SAVE,
    PROMPT_QUERY,
    PROMPT_GRID_SEARCH,
    PROMPT_GRID_FILTER,
    PROMPT_EXPORT,
    PROMPT_COLUMN,
    PROMPT_TRACK
};

/* Opens it, empty; what is typed is taken by key_input.h. */
effects app_prompt(struct app *a, enum prompt_kind kind);

#endif
