/* One line to the user about what happened, until the next key. */
#ifndef TPTUI_TUI_CONTEXT_MESSAGE_H
#define TPTUI_TUI_CONTEXT_MESSAGE_H

struct app;

__attribute__((format(printf, 2, 3))) void app_say(struct app *a, const char *format, ...);
/* The same in the colour of errors. */
__attribute__((format(printf, 2, 3))) void app_complain(struct app *a, const char *format, ...);

#endif
