/* The help: keys as they are configured, what glyphs and colours stand for, all of it searchable.
 */
#ifndef TPTUI_TUI_APP_HELP_H
#define TPTUI_TUI_APP_HELP_H

#include <stdbool.h>

#include "base/str.h"
#include "tui/context/effects.h"
#include "tui/term/keys.h"

struct app;

void help_open(struct app *a);
/* From now on keys type what to look for, in the help or in a text in full, of which only lines
 * with it are shown, until help_search_key took one that ends it. */
void help_search(struct app *a);
void help_search_key(struct app *a, const struct key_event *key);
/* Whether the text has what is looked for, in whatever case; so has every one where that is
 * nothing. */
bool help_finds(struct app *a, struct str text);
/* What is looked for, over the line of the status. */
void help_draw_search(struct app *a);
void help_draw(struct app *a);

#endif
