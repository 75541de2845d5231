/* Lines typed at the terminal: edited, completed, remembered. */
#ifndef TPTUI_CLI_LINE_EDITOR_H
#define TPTUI_CLI_LINE_EDITOR_H

#include <stdbool.h>

#include "base/str.h"
#include "complete/complete.h"

struct line_editor;

/* Finds what can stand at byte `caret` of a line; `out` is zeroed, and its place is in the line. */
typedef void (*line_completer)(void *self, struct str line, size_t caret, struct completion *out);

/* For standard input. `path` is the file that lines are kept in, NULL: none. NULL where the
 * program was built without a library for it, or where standard input or output is no terminal. */
struct line_editor *line_editor_new(const char *path, line_completer completer, void *self);
void line_editor_free(struct line_editor *e);

/* The next line without its end, for free(); NULL at the end of the input, or, with `*interrupted`
 * set, where Ctrl-C was pressed. The caller has a handler for SIGINT, and holds SIGINT back: it is
 * let through while keys are awaited. */
char *line_editor_read(struct line_editor *e, const char *prompt, bool *interrupted);

/* Calls `visit` with each line that is remembered, the newest first. */
void line_editor_lines(struct line_editor *e, void (*visit)(void *self, struct str line),
                       void *self);

#endif
