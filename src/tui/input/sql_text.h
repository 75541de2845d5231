/* SQL as the editor shows it: coloured, brackets matched, a place marked; and its statements. */
#ifndef TPTUI_TUI_INPUT_SQL_TEXT_H
#define TPTUI_TUI_INPUT_SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "tui/input/editor.h"
#include "tui/cells/cells.h"

#define NO_PLACE ((size_t)-1)

/* A part of a text, in bytes. */
struct text_range {
    size_t from, to;
};

/* The statement that `at` stands in or right behind, its semicolon included, blanks around it not;
 * empty where there is none. Of an empty end of the text the statement before. */
struct text_range sql_statement_at(struct str text, size_t at);

/* Whether the last thing that is said is a semicolon. */
bool sql_is_complete(struct str text);

/* The bracket at `at`, or right before it, and its partner; both NO_PLACE where there is none.
 * Brackets in strings and comments are none. */
struct bracket_pair {
    size_t one, other;
};
struct bracket_pair sql_match_bracket(struct str text, size_t at);

/* The byte that an error "NAME:LINE:COLUMN: ..." is about, NO_PLACE where it says none. */
size_t sql_error_place(struct str text, const char *message);

/* The script with `before` and `behind` around its last statement, whose semicolon comes last. For
 * free(). */
char *sql_wrap(struct str text, const char *before, const char *behind);
/* As a string of SQL's: 'it''s'. For free(). */
char *sql_quote(struct str text);

/* How a text is shown. */
struct sql_marks {
    size_t error; /* of the token that an error is about; NO_PLACE: none */
    bool done;    /* it was run: typing begins a new one */
};

/* Draws the text, scrolled so that the caret is inside; returns the caret's cell. */
struct editor_caret sql_text_draw(struct cells *c, struct rect area, const struct editor *e,
                                  const struct sql_marks *marks);

#endif
