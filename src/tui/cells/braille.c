#include "tui/cells/braille.h"

#include <stdlib.h>

#include "base/alloc.h"

void braille_init(struct braille *b, int w, int h)
{
    size_t cells = (size_t)w * (size_t)h;
    *b = (struct braille){w * 2, h * 4, alloc_array(cells, sizeof *b->dots),
                          alloc_array(cells, sizeof *b->roles)};
}

void braille_release(struct braille *b)
{
    free(b->dots);
    free(b->roles);
}

void braille_dot(struct braille *b, int x, int y, uint16_t role)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= b->width || y >= b->height)
        return;
    size_t cell = (size_t)(y / 4) * (size_t)(b->width / 2) + (size_t)(x / 2);
    b->dots[cell] |= bits[y % 4][x % 2];
    b->roles[cell] = role;
}

void braille_line(struct braille *b, int x0, int y0, int x1, int y1, uint16_t role)
{
    int dx = abs(x1 - x0), dy = abs(y1 - y0), steps = dx > dy ? dx : dy;
    for (int i = 0; i <= steps; i++) {
        double part = steps > 0 ? (double)i / steps : 0;
        braille_dot(b, x0 + (int)((x1 - x0) * part + (x1 >= x0 ? 0.5 : -0.5)),
                    y0 + (int)((y1 - y0) * part + (y1 >= y0 ? 0.5 : -0.5)), role);
    }
}

void braille_show(const struct braille *b, struct cells *c, int x, int y)
{
    int w = b->width / 2, h = b->height / 4;
    for (int i = 0; i < w * h; i++)
        if (b->dots[i])
            cells_put(c, x + i % w, y + i / w, U'\u2800' + b->dots[i], b->roles[i], CELL_SOLID);
}
