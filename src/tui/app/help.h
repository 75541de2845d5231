/* The help: keys as they are configured, what glyphs and colours stand for, all of it searchable.
 */
#ifndef TPTUI_TUI_APP_HELP_H
#define TPTUI_TUI_APP_HELP_H

#include "tui/app/effects.h"
#include "tui/term/keys.h"

struct app;

void help_open(struct app *a);
/* A key while it is read, or while what to look for is typed. */
void help_key(struct app *a, const struct key_event *key);
void help_draw(struct app *a);

#endif
