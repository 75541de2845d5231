/* The actions: what keys, the help, the hints, the palette, scripts and the manual's list are made
 * from. They stand in actions/, in a table for each heading of the help; a new one is a row there.
 */
#ifndef TPTUI_TUI_APP_ACTIONS_H
#define TPTUI_TUI_APP_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "tui/context/action_context.h"
#include "tui/context/effects.h"
#include "tui/input/edit_keys.h"

struct app;

struct call {
    int64_t count; /* how often the user wants it; at least 1 */
    bool counted;  /* the user has said so */
    int arg;       /* of the action's row */
};

/* A word on the bottom line that reminds of a key. */
struct hint {
    const char *word; /* NULL: none */
    int rank;         /* its place among the hints: small ones first, as far as there is room */
    /* Whether it is worth its place now; NULL: always. */
    bool (*worth)(struct app *a);
};

enum { ACTION_KEYS = KEY_CHOICES };

struct action {
    const char *name; /* for the palette and scripts */
    /* Each a sequence of key names separated by blanks ("g g"); unused ones are NULL. */
    const char *keys[ACTION_KEYS];
    unsigned contexts;
    /* Does it; what follows from it for the screen is left to the caller. */
    effects (*run)(struct app *a, const struct call *call);
    int arg;
    /* In place of `run`, for what needs neither a count nor an argument. */
    effects (*does)(struct app *a);
    /* "j k row": the next action in the table shares it where it has the same `run` and none of its
     * own. */
    struct hint hint;
    /* What the hint says now, in place of its word; NULL: that. */
    const char *(*hint_word)(struct app *a);
    const char *help; /* one line */
};

struct action_group {
    const char *title; /* its heading in the help */
    const struct action *actions;
    uint32_t count;
};

/* All groups, in the order of the help: X(the struct). */
#define ACTION_GROUPS(X)                                                                           \
    X(move_actions)                                                                                \
    X(window_actions)                                                                              \
    X(jump_actions)                                                                                \
    X(search_actions)                                                                              \
    X(rows_actions)                                                                                \
    X(details_actions)                                                                             \
    X(marks_actions)                                                                               \
    X(query_actions)                                                                               \
    X(result_actions)                                                                              \
    X(copy_actions)                                                                                \
    X(list_actions)                                                                                \
    X(text_actions)                                                                                \
    X(panes_actions)

#define DECLARE_ACTION_GROUP(group) extern const struct action_group group;
ACTION_GROUPS(DECLARE_ACTION_GROUP)
#undef DECLARE_ACTION_GROUP

uint32_t action_group_count(void);
const struct action_group *action_group_at(uint32_t i);
/* Those of all groups. */
uint32_t action_count(void);
const struct action *action_at(uint32_t i);
/* At most `most` names of keys, NULL behind fewer, with `between` them: "w  +  =". */
void keys_text(const char *const *keys, int most, const char *between, char *out, size_t size);
/* The action of that name, NULL if none. */
const struct action *action_find(struct str name);
/* That none is called so, with the one that may be meant. */
struct status action_missing(struct str name);
/* Runs it; `count` is -1 where the user gave none. Nothing while the trace loads but what is for
 * that time. What is for an overlay only says so where there is none; all others may be called
 * wherever the focus is, as the palette does, also where there is no row. */
effects action_call(struct app *a, const struct action *action, int64_t count);
/* What actions run that open a prompt: their `arg` is an enum prompt_kind. */
effects action_prompt(struct app *a, const struct call *call);
/* The contexts of what has the focus. */
unsigned action_context(const struct app *a);

#endif
