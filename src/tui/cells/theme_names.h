/* The names of all themes: those built in, and those of the user. */
#ifndef TPTUI_TUI_CELLS_THEME_NAMES_H
#define TPTUI_TUI_CELLS_THEME_NAMES_H

#include "base/vec.h"

struct theme_names {
    VEC(char *) v;   /* owned */
    size_t built_in; /* how many are, which stand first; the user's own follow by name */
};

/* Reads them; theme_load() takes each, unless its file is none. An own theme with the name of a
 * built-in one, which it takes the place of, is listed once. `out` is zeroed. */
void theme_names_read(struct theme_names *out);
void theme_names_release(struct theme_names *n);

#endif
