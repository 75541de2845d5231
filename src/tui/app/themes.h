/* Other colours while the program runs. */
#ifndef TPTUI_TUI_APP_THEMES_H
#define TPTUI_TUI_APP_THEMES_H

#include "base/str.h"
#include "tui/context/effects.h"

struct app;

/* Takes the theme behind the current one, in the order of theme_names.h; those whose files are
 * none are passed over, and said. */
effects app_next_theme(struct app *a);
/* Lists them all; what is chosen is taken. */
effects app_list_themes(struct app *a);
effects app_take_theme(struct app *a, struct str name);

#endif
