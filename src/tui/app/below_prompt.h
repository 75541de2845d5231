/* tptui sql in a shell: the editor in a few lines below the prompt, results left in the terminal's
 * scrollback as a program's output. What needs room (rows that do not fit, lists, the help, the
 * timeline that a value leads to) takes the screen meanwhile and leaves no trace. */
#ifndef TPTUI_TUI_APP_BELOW_PROMPT_H
#define TPTUI_TUI_APP_BELOW_PROMPT_H

#include <stdbool.h>

struct app;

/* Whether what is to be shown now stands below the prompt. */
bool below_prompt_is_on(const struct app *a);

/* Prints what is to be kept, and shows the lines: all of a frame. */
void below_prompt_show(struct app *a);
/* The program ends: prints what is to be kept. */
void below_prompt_end(struct app *a);

#endif
