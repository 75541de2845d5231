/* For builds without libedit: the terminal's own editing is all there is. */
#include "cli/line_editor.h"

struct line_editor *line_editor_new(const char *path, line_completer completer, void *self)
{
    (void)path, (void)completer, (void)self;
    return NULL;
}

void line_editor_free(struct line_editor *e)
{
    (void)e;
}

char *line_editor_read(struct line_editor *e, const char *prompt, bool *interrupted)
{
    (void)e, (void)prompt;
    *interrupted = false;
    return NULL;
}

void line_editor_lines(struct line_editor *e, void (*visit)(void *self, struct str line),
                       void *self)
{
    (void)e, (void)visit, (void)self;
}
