/* The queries of this and former runs, and those the user wants to keep. */
#ifndef TPTUI_TUI_INPUT_QUERY_HISTORY_H
#define TPTUI_TUI_INPUT_QUERY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"
#include "base/vec.h"

struct query_text_list {
    VEC(char *) v; /* oldest first, owned */
};

struct query_history {
    struct query_text_list texts, favourites;
    size_t at;   /* index in texts of the one shown; their count: the text being typed */
    char *draft; /* that text, while another is shown; NULL: none */
};

/* A text as a line of a file, and back: for free(). */
void query_text_write(const char *text, FILE *f);
char *query_text_read(struct str line);

/* Reads both lists from the files that they are kept in. */
void query_history_init(struct query_history *h);
void query_history_release(struct query_history *h);

/* A query that is run: becomes the newest, and is written to the file. */
void query_history_add(struct query_history *h, struct str text);
/* The text before (-1) or behind the one shown, NULL where there is none; valid until the
 * history changes or is stepped in again. `typed` is what the editor has: kept as the draft where
 * no text of the list is shown. */
const char *query_history_step(struct query_history *h, int direction, struct str typed);

bool query_history_is_favourite(const struct query_history *h, struct str text);
/* Makes it one, or takes it from them; returns whether it is one now. */
bool query_history_toggle_favourite(struct query_history *h, struct str text);

#endif
