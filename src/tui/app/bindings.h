/* Which keys call which actions: those of the action table, or what the user wants instead. */
#ifndef TPTUI_TUI_APP_BINDINGS_H
#define TPTUI_TUI_APP_BINDINGS_H

#include "base/status.h"
#include "tui/app/actions.h"
#include "tui/input/edit_keys.h"

struct bindings;

struct bindings *bindings_new(void);
void bindings_free(struct bindings *b);

/* "ACTION = KEYS" takes the place of the action's own keys: names of keys as the help writes them,
 * two in sequence parted by a blank, several by a comma and a blank ("g g, Home"); nothing behind
 * the "=": none. An error where there is no such action or key; then its keys stay as they were.
 * `place`, which is copied, stands before what bindings_check says of it: "config:3: ", or "". */
struct status bindings_set(struct bindings *b, struct str text, const char *place);

/* Whether every key that the user chose means one thing in each place, and can be typed there. */
struct status bindings_check(const struct bindings *b);

/* The action's keys, NULL behind fewer than ACTION_KEYS. Of NULL bindings: the table's. */
const char *const *bindings_keys(const struct bindings *b, const struct action *action);

/* The action that this one key alone stands for in one of these contexts, NULL if none. */
const struct action *bindings_find(const struct bindings *b, unsigned contexts, uint32_t key);

/* Those of the editor's commands (edit_keys.h), which bindings_set calls edit-NAME
 * ("edit-word-left"); they count wherever text is typed. NULL bindings have NULL. */
const struct key_choice *bindings_editor(const struct bindings *b);

/* All keys as lines of the user's configuration, under headings, for free(): those that are the
 * table's as comments. */
char *bindings_print(const struct bindings *b);

#endif
