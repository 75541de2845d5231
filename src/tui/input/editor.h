/* A buffer of text with a caret: one line for prompts, several for SQL. Keys are readline's. */
#ifndef TPTUI_TUI_INPUT_EDITOR_H
#define TPTUI_TUI_INPUT_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "tui/term/keys.h"
#include "tui/cells/cells.h"

/* `removed` stood at `at` and `inserted` stands there now; both owned. */
struct editor_change {
    size_t at, caret; /* the caret before */
    char *removed, *inserted;
    size_t removed_size, inserted_size;
};

struct editor_changes {
    VEC(struct editor_change) v;
};

/* All zero: empty, of one line. */
struct editor {
    VEC(char) text; /* UTF-8, no NUL at the end */
    size_t caret;   /* byte offset, at the begin of a character */
    bool multiline;
    struct editor_changes done, undone; /* oldest first */
    VEC(char) killed;                   /* what Ctrl-Y puts back */
    bool typing, killing;               /* the last key typed a character, or killed some */
};

void editor_release(struct editor *e);
/* Replaces the text, the caret behind it; can be undone. */
void editor_set(struct editor *e, struct str text);
/* Empties it for what is typed or pasted next; both are undone together. */
void editor_start_anew(struct editor *e);
/* Replaces bytes `from` to `to`, the caret behind what takes their place. */
void editor_replace(struct editor *e, size_t from, size_t to, struct str text);
static inline struct str editor_text(const struct editor *e)
{
    return (struct str){e->text.items ? e->text.items : "", e->text.count};
}

/* Types a character, pastes, or runs the command that the key stands for. Enter only where there
 * are several lines. False where the key means nothing here. */
bool editor_key(struct editor *e, const struct key_event *key);
void editor_undo(struct editor *e);
void editor_redo(struct editor *e);
/* Looks for `text`, whatever its case, from the caret on and then from the start; puts the caret
 * behind it. False where it is not there. */
bool editor_find(struct editor *e, struct str text);

/* The commands of the keys, for the help, and their heading there. */
#define EDITOR_GROUP "Editor"
enum { EDITOR_KEYS = 3 };
struct editor_command {
    const char *name;              /* "word-left" */
    const char *keys[EDITOR_KEYS]; /* unused ones are NULL */
    const char *help;
    void (*run)(struct editor *e);
};
uint32_t editor_command_count(void);
const struct editor_command *editor_command_at(uint32_t i);

/* Lines of text, and where the caret is: counted from 0, column in characters. */
struct editor_place {
    int line, column, lines;
};
struct editor_place editor_place(const struct editor *e);

/* Draws a line of plain text, scrolled so that the caret is inside. Returns the caret's cell. */
struct editor_caret {
    int x, y;
};
struct editor_caret editor_draw(struct cells *c, struct rect area, const struct editor *e);

#endif
