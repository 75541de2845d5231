/* The actions: one row each in one table, in actions.c. Keys, help, hints, the palette and the list
 * for the manual are all made from it. */
#ifndef TPTUI_TUI_APP_ACTIONS_H
#define TPTUI_TUI_APP_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tui/app/effects.h"

struct app;

/* Where an action applies. */
enum {
    IN_TRACKS = 1,
    IN_DETAILS = 2,
    IN_GRID = 4,
    IN_EDITOR = 8,
    IN_AREA = 16, /* while an area is chosen; before IN_TRACKS */
    IN_LOADED = IN_TRACKS | IN_DETAILS | IN_GRID,
    IN_ALL = IN_LOADED | IN_EDITOR,
};

struct call {
    int64_t count; /* how often the user wants it; at least 1 */
    int arg;       /* of the action's row */
};

struct action {
    const char *name;  /* for the palette and scripts */
    const char *group; /* its heading in the help */
    /* Each a sequence of key names separated by blanks ("g g"); unused ones are NULL. */
    const char *keys[4];
    unsigned contexts;
    /* Does it; what follows from it for the screen is left to the caller. */
    effects (*run)(struct app *a, const struct call *call);
    int arg;
    const char *hint; /* a word for the bottom line; NULL: not there */
    /* Whether the hint is worth its place now; NULL: always. */
    bool (*hinted)(struct app *a);
    const char *help; /* one line */
};

uint32_t action_count(void);
const struct action *action_at(uint32_t i);
/* At most `most` names of keys, NULL behind fewer: "w  +  =". */
void keys_text(const char *const *keys, int most, char *out, size_t size);
/* The action of that name, NULL if none. */
const struct action *action_find(struct str name);
/* Runs it; `count` is -1 where the user gave none. Nothing while the trace loads but to end that.
 */
effects action_call(struct app *a, const struct action *action, int64_t count);
/* The contexts of what has the focus. */
unsigned action_context(const struct app *a);

#endif
