#include "tui/term/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"

struct term_lines {
    struct theme theme;
    enum colour_depth depth;
    int width, height;
    struct cells shown; /* the frame; only `rows` of them are on the screen */
    int rows;
    int cursor_x, cursor_y; /* in the frame, where the terminal has it */
    bool hidden;            /* the cursor is */
    bool broken;            /* lines have been broken anew since */
    VEC(char) out;
};

struct term_lines *term_lines_new(const struct theme *theme, enum colour_depth depth)
{
    struct term_lines *l = alloc_array(1, sizeof *l);
    l->theme = *theme;
    l->depth = depth;
    l->width = 80;
    l->height = 24;
    cells_init(&l->shown, 1, 1);
    return l;
}

void term_lines_free(struct term_lines *l)
{
    if (!l)
        return;
    cells_release(&l->shown);
    vec_release(&l->out);
    free(l);
}

void term_lines_set_theme(struct term_lines *l, const struct theme *theme)
{
    l->theme = *theme;
    l->broken = true; /* every line is another one */
}

/* ---- bytes ---- */

static void put_bytes(struct term_lines *l, const char *p, size_t n)
{
    vec_append(&l->out, p, n);
}

__attribute__((format(printf, 2, 3))) static void put(struct term_lines *l, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        put_bytes(l, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void put_colour(struct term_lines *l, struct colour c, int base)
{
    int index = c.index;
    if (index < 0)
        return;
    if (c.exact && l->depth == DEPTH_RGB) {
        put(l, ";%d;2;%u;%u;%u", base + 8, c.rgb >> 16, c.rgb >> 8 & 0xFF, c.rgb & 0xFF);
        return;
    }
    if (index < 8)
        put(l, ";%d", base + index);
    else if (index < 16)
        put(l, ";%d", base + 60 + index - 8);
    else
        put(l, ";%d;5;%d", base + 8, index);
}

static void put_style(struct term_lines *l, const struct cell *cell)
{
    struct role_style style = theme_style(&l->theme, *cell, l->depth);
    put(l, "\x1b[0%s%s%s%s", style.attrs & CELL_BOLD ? ";1" : "",
        style.attrs & CELL_FAINT ? ";2" : "", style.attrs & CELL_UNDERLINE ? ";4" : "",
        style.attrs & CELL_REVERSE ? ";7" : "");
    put_colour(l, style.fg, 30);
    put_colour(l, style.bg, 40);
    put(l, "m");
}

static bool same_look(const struct cell *a, const struct cell *b)
{
    return a->role == b->role && a->attrs == b->attrs && a->ground == b->ground;
}

/* Blanks of the screen's own at the end of a line are not written: they would be copied with it. */
static int used_width(const struct cells *c, int y, int width)
{
    int n = c->width < width ? c->width : width;
    for (; n > 0; n--) {
        const struct cell *cell = cells_at(c, n - 1, y);
        if (cell->ch != ' ' || cell->role != ROLE_DEFAULT || cell->attrs || cell->ground)
            break;
    }
    return n;
}

/* A line over what stands there; the cursor is at its begin before and somewhere in it after. The
 * line is emptied first: behind a line as wide as the screen, "to the end" would be its last cell.
 */
static void put_line(struct term_lines *l, const struct cells *c, int y, int width)
{
    const struct cell *before = NULL;
    int n = used_width(c, y, width);
    put(l, "\x1b[0m\x1b[2K");
    for (int x = 0; x < n; x++) {
        const struct cell *cell = cells_at(c, x, y);
        char text[CELL_BYTES_MAX];
        if (cell->ch == 0)
            continue; /* the right half of the one before */
        if (!before || !same_look(cell, before))
            put_style(l, cell);
        before = cell;
        bool half = utf8_width(cell->ch) == 2 && x + 1 >= n;
        put_bytes(l, half ? " " : text, half ? 1 : cell_print(cell, text));
    }
    if (before)
        put(l, "\x1b[0m");
}

/* ---- the cursor ---- */

static int clamp(int n, int low, int high)
{
    return n < low ? low : n > high ? high : n;
}

/* Lines of the screen between the frame's first and the cursor. Where lines were broken anew, those
 * that are longer than the screen is wide now take several. */
static int lines_above(const struct term_lines *l)
{
    int lines = 0;
    if (!l->broken)
        return l->cursor_y;
    for (int y = 0; y < l->cursor_y; y++) {
        int used = used_width(&l->shown, y, l->shown.width);
        lines += used > l->width ? (used + l->width - 1) / l->width : 1;
    }
    return lines + l->cursor_x / l->width;
}

static void go_to_top(struct term_lines *l)
{
    int up = l->rows > 0 ? lines_above(l) : 0;
    put(l, "\r");
    if (up > 0)
        put(l, "\x1b[%dA", up);
}

static struct str bytes_of(const struct term_lines *l)
{
    return (struct str){l->out.items, l->out.count};
}

/* ---- what is asked for ---- */

void term_lines_resize(struct term_lines *l, int width, int height)
{
    l->broken |= l->rows > 0 && width != l->width;
    l->width = width < 1 ? 1 : width;
    l->height = height < 1 ? 1 : height;
}

void term_lines_forget(struct term_lines *l)
{
    l->rows = l->cursor_x = l->cursor_y = 0;
    l->broken = false;
}

struct str term_lines_erase(struct term_lines *l)
{
    l->out.count = 0;
    go_to_top(l);
    put(l, "\x1b[0m\x1b[J\x1b[?25h");
    l->hidden = false;
    term_lines_forget(l);
    return bytes_of(l);
}

struct str term_lines_print(struct term_lines *l, const struct cells *c)
{
    l->out.count = 0;
    go_to_top(l);
    put(l, "\x1b[J"); /* what is longer than it was would push the frame into the text */
    for (int y = 0; y < c->height; y++) {
        put_line(l, c, y, c->width);
        put(l, "\r\n");
    }
    term_lines_forget(l);
    return bytes_of(l);
}

/* Whether nothing at all has to be sent. */
static bool same_frame(const struct term_lines *l, const struct cells *c, int rows, int cursor_x,
                       int cursor_y)
{
    bool hidden = cursor_x < 0;
    if (l->broken || l->rows != rows || l->shown.width != c->width || l->hidden != hidden ||
        (!hidden && (l->cursor_x != cursor_x || l->cursor_y != cursor_y)))
        return false;
    for (int y = 0; y < rows; y++)
        if (!cells_same_row(&l->shown, c, y))
            return false;
    return true;
}

static void remember(struct term_lines *l, const struct cells *c, int rows, int x, int y)
{
    if (l->shown.width != c->width || l->shown.height != c->height)
        cells_resize(&l->shown, c->width, c->height);
    cells_copy(&l->shown, 0, 0, c);
    l->rows = rows;
    l->cursor_x = x;
    l->cursor_y = y;
    l->broken = false;
}

struct str term_lines_draw(struct term_lines *l, const struct cells *c, int cursor_x, int cursor_y)
{
    int rows = c->height < l->height ? c->height : l->height;
    int x = clamp(cursor_x, 0, l->width - 1), y = clamp(cursor_y, 0, rows - 1);
    bool kept = !l->broken && l->shown.width == c->width;
    l->out.count = 0;
    if (same_frame(l, c, rows, cursor_x < 0 ? -1 : x, y))
        return bytes_of(l);
    put(l, "\x1b[?25l");
    go_to_top(l);
    if (l->broken || rows < l->rows)
        put(l, "\x1b[0m\x1b[J");
    for (int row = 0; row < rows; row++) {
        bool there = kept && rows >= l->rows && row < l->rows;
        if (row > 0)
            put(l, "\r\n");
        if (!there || !cells_same_row(&l->shown, c, row))
            put_line(l, c, row, l->width);
    }
    if (rows - 1 > y)
        put(l, "\x1b[%dA", rows - 1 - y);
    put(l, "\r");
    if (x > 0)
        put(l, "\x1b[%dC", x);
    l->hidden = cursor_x < 0;
    if (!l->hidden)
        put(l, "\x1b[?25h");
    remember(l, c, rows, x, y);
    return bytes_of(l);
}
