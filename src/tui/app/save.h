/* Writes what is on the screen to a file. */
#ifndef TPTUI_TUI_APP_SAVE_H
#define TPTUI_TUI_APP_SAVE_H

#include "base/str.h"
#include "tui/context/effects.h"

struct app;

/* By the name's end: .svg and .txt, the screen; another of RESULT_FORMAT_ENDINGS, the area's table.
 * Says what it did. */
effects app_save(struct app *a, struct str path);

#endif
