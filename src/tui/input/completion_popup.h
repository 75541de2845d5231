/* What may stand under the caret of the query editor, in a box next to it. It takes no key but Tab.
 */
#ifndef TPTUI_TUI_INPUT_COMPLETION_POPUP_H
#define TPTUI_TUI_INPUT_COMPLETION_POPUP_H

#include <stdbool.h>

#include "complete/complete.h"
#include "tui/input/editor.h"
#include "tui/cells/cells.h"

struct completion_popup {
    struct completion found; /* none: the box is not there */
    size_t selected, top;
    bool inserted; /* the selected one stands in the text: Tab takes the next one instead */
};

void completion_popup_close(struct completion_popup *p);
/* After a key: looks anew, opens where something is being typed, closes elsewhere. `wanted`: opens
 * also where nothing was typed yet. */
void completion_popup_follow(struct completion_popup *p, const struct schema *schema,
                             const struct editor *e, bool wanted);
/* Puts the next (1) or the one before (-1) into the text; false where there is none. */
bool completion_popup_take(struct completion_popup *p, struct editor *e, int direction);

/* Draws it next to the caret, within `area`. */
void completion_popup_draw(struct cells *c, struct rect area, const struct completion_popup *p,
                           struct editor_caret caret);

#endif
