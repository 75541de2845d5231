/* Copying to the clipboard. */
#ifndef TPTUI_TUI_APP_COPY_H
#define TPTUI_TUI_APP_COPY_H

struct app;

enum copy_what { COPY_ROW, COPY_NAME, COPY_TIME, COPY_SQL, COPY_LINK, COPY_SCREEN };

/* Says what happened. */
void app_copy(struct app *a, enum copy_what what);

#endif
