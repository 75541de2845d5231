/* The help: keys as they are configured, what glyphs and colours stand for, all of it searchable.
 */
#ifndef TPTUI_TUI_APP_HELP_H
#define TPTUI_TUI_APP_HELP_H

#include "tui/app/effects.h"
#include "tui/term/keys.h"

struct app;

void help_open(struct app *a);
/* From now on keys type what to look for, until help_search_key took one that ends it. */
void help_search(struct app *a);
void help_search_key(struct app *a, const struct key_event *key);
void help_draw(struct app *a);

#endif
