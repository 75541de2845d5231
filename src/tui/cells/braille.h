/* Dots, two across and four up a cell, for plots. */
#ifndef TPTUI_TUI_CELLS_BRAILLE_H
#define TPTUI_TUI_CELLS_BRAILLE_H

#include "tui/cells/cells.h"

struct braille {
    int width, height; /* in dots */
    uint8_t *dots;     /* of each cell, as in its character */
    uint16_t *roles;   /* of the dot drawn last there */
};

/* Of so many cells, at least one each way. */
void braille_init(struct braille *b, int w, int h);
void braille_release(struct braille *b);
/* From the upper left; what lies outside is left out. */
void braille_dot(struct braille *b, int x, int y, uint16_t role);
void braille_line(struct braille *b, int x0, int y0, int x1, int y1, uint16_t role);
/* Puts the cells that have dots, in their role's background colour. */
void braille_show(const struct braille *b, struct cells *c, int x, int y);

#endif
