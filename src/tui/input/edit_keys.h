/* The keys of the editor's commands: those of its table, or what the user wants instead. */
#ifndef TPTUI_TUI_INPUT_EDIT_KEYS_H
#define TPTUI_TUI_INPUT_EDIT_KEYS_H

#include "tui/input/editor.h"

enum { KEY_CHOICES = 4 };

/* What the user wants of a command or an action. */
struct key_choice {
    const char *keys[KEY_CHOICES]; /* NULL behind fewer */
    const char *place;             /* where he says so; NULL: he says nothing */
};

/* `choices` has one for each command; NULL: the user wants nothing. */

/* The command's keys, NULL behind fewer than EDITOR_KEYS. */
const char *const *edit_keys_of(const struct key_choice *choices, uint32_t command);
/* Whether the key is one of a command's. */
bool edit_keys_have(const char *const *keys, uint32_t key);
/* editor_key with these keys. */
bool edit_keys_press(const struct key_choice *choices, struct editor *e,
                     const struct key_event *key);

#endif
