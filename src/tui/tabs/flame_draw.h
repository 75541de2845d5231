/* The flamegraph's lines: a header, boxes, and what is selected. */
#ifndef TPTUI_TUI_TABS_FLAME_DRAW_H
#define TPTUI_TUI_TABS_FLAME_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "tui/cells/cells.h"

struct app;
struct flame_box;
struct flame_pane;

enum { FLAME_HEADER_LINES = 1, FLAME_FOOTER_LINES = 1 };

/* What is shown: "in the area 1.2 s to 1.4 s", "in the trace". */
void flame_print_extent(const struct app *a, char *out, size_t size);

/* Lays the boxes out and draws all; the selected frame stays in sight. */
void flame_draw(struct app *a, struct rect area);

/* Whether a frame that the box stands for has that name. */
bool flame_box_shows(const struct flame_pane *p, const struct flame_box *box, uint32_t name);
struct str flame_frame_name(const struct flame_pane *p, uint32_t frame);
/* The box of the frame as it was drawn last, or NULL. */
const struct flame_box *flame_box_of(const struct flame_pane *p, uint32_t frame);
/* The box that shows a frame, which may stand for those around it; NULL: none does. */
const struct flame_box *flame_box_around(const struct flame_pane *p, uint32_t frame);

#endif
