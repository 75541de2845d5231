/* A buffer of text with a caret: one line for prompts, several for SQL. */
#ifndef TPTUI_TUI_APP_EDITOR_H
#define TPTUI_TUI_APP_EDITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "tui/term/keys.h"
#include "tui/cells/cells.h"

struct editor {
    VEC(char) text; /* UTF-8, no NUL at the end */
    size_t caret;   /* byte offset, at the begin of a character */
    bool multiline;
};

void editor_release(struct editor *e);
void editor_set(struct editor *e, struct str text);
static inline struct str editor_text(const struct editor *e)
{
    return (struct str){e->text.items ? e->text.items : "", e->text.count};
}

/* Typing, Backspace, Delete, arrows, Home, End, Ctrl-U, Ctrl-W, Ctrl-K, pastes. Enter only where
 * there are several lines. False where the key means nothing here. */
bool editor_key(struct editor *e, const struct key_event *key);

/* Lines of text, and where the caret is: counted from 0, column in characters. */
struct editor_place {
    int line, column, lines;
};
struct editor_place editor_place(const struct editor *e);

/* Draws it, SQL coloured where there are several lines, scrolled so that the caret is inside.
 * Returns the caret's cell. */
struct editor_caret {
    int x, y;
};
struct editor_caret editor_draw(struct cells *c, struct rect area, const struct editor *e);

#endif
