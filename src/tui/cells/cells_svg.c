#include "tui/cells/cells.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "tui/cells/theme.h"

/* One cell in pixels, for a font of FONT_SIZE whose characters are 0.6 em wide, as most are. All
 * are divisible by what shapes need: eighths, quarters, thirds of a cell come out sharp enough. */
enum { CELL_W = 9, CELL_H = 18, FONT_SIZE = 15, BASELINE = 14 };

struct svg {
    char *text;
    size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void svg_add(struct svg *s, const char *format, ...)
{
    enum { PIECE_MAX = 512 };
    if (s->cap - s->n < PIECE_MAX) {
        s->cap += s->cap / 2 + PIECE_MAX;
        s->text = realloc_array(s->text, s->cap, 1);
    }
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->n, PIECE_MAX, format, args);
    va_end(args);
    if (n > 0)
        s->n += (size_t)n < PIECE_MAX ? (size_t)n : PIECE_MAX - 1;
}

/* Colours and attributes as drawn: reverse is resolved here. */
struct paint {
    uint32_t fg, bg;
    uint8_t attrs;
};

static struct paint paint_of(const struct cell *cell, const struct theme *theme)
{
    struct role_style s = theme_style(theme, *cell, DEPTH_256);
    if (s.attrs & CELL_REVERSE)
        return (struct paint){s.bg.rgb, s.fg.rgb, s.attrs};
    return (struct paint){s.fg.rgb, s.bg.rgb, s.attrs};
}

/* What a shape is filled with: terminals show faint ones about half way to the ground. */
static uint32_t shape_colour(struct paint p)
{
    return p.attrs & CELL_FAINT ? (p.fg >> 1 & 0x7F7F7F) + (p.bg >> 1 & 0x7F7F7F) : p.fg;
}

static bool paint_eq(struct paint a, struct paint b)
{
    uint8_t shown = CELL_BOLD | CELL_UNDERLINE | CELL_FAINT;
    return a.fg == b.fg && a.bg == b.bg && (a.attrs & shown) == (b.attrs & shown);
}

static void add_rect(struct svg *s, double x, double y, double w, double h, uint32_t rgb)
{
    svg_add(s, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"/>\n", x, y, w, h,
            (unsigned)rgb);
}

/* ---- shapes: each draws the character at pixel x, y and says whether it is one of its own ---- */

static bool draw_block(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    const double w = CELL_W, h = CELL_H;
    if (ch == U'▀') {
        add_rect(s, x, y, w, h / 2, rgb);
    } else if (ch >= U'▁' && ch <= U'█') {
        double height = h * (double)(ch - U'▁' + 1) / 8;
        add_rect(s, x, y + h - height, w, height, rgb);
    } else if (ch > U'█' && ch <= U'▏') {
        add_rect(s, x, y, w * (double)(U'▏' - ch + 1) / 8, h, rgb);
    } else if (ch == U'▐') {
        add_rect(s, x + w / 2, y, w / 2, h, rgb);
    } else if (ch == U'▔') {
        add_rect(s, x, y, w, h / 8, rgb);
    } else if (ch == U'▕') {
        add_rect(s, x + w * 7 / 8, y, w / 8, h, rgb);
    } else {
        return false;
    }
    return true;
}

static bool draw_shade(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    if (ch < U'░' || ch > U'▓')
        return false;
    svg_add(s,
            "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"#%06x\" "
            "fill-opacity=\"%g\"/>\n",
            x, y, CELL_W, CELL_H, (unsigned)rgb, 0.25 * (double)(ch - U'░' + 1));
    return true;
}

static bool draw_quadrants(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    /* From U+2596: bits for upper left, upper right, lower left, lower right. */
    static const uint8_t quadrants[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};
    if (ch < U'▖' || ch > U'▟')
        return false;
    uint8_t bits = quadrants[ch - U'▖'];
    for (int i = 0; i < 4; i++)
        if (bits >> i & 1)
            add_rect(s, x + (i & 1) * CELL_W / 2.0, y + (i >> 1) * CELL_H / 2.0, CELL_W / 2.0,
                     CELL_H / 2.0, rgb);
    return true;
}

static bool draw_braille(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    /* Which column and row each of the eight dot bits is in. */
    static const uint8_t columns[8] = {0, 0, 0, 1, 1, 1, 0, 1};
    static const uint8_t rows[8] = {0, 1, 2, 0, 1, 2, 3, 3};
    if (ch < 0x2800 || ch > 0x28FF)
        return false;
    for (int i = 0; i < 8; i++)
        if (ch >> i & 1)
            svg_add(s, "<circle cx=\"%g\" cy=\"%g\" r=\"1.4\" fill=\"#%06x\"/>\n",
                    x + CELL_W * (0.25 + 0.5 * columns[i]), y + CELL_H * (0.125 + 0.25 * rows[i]),
                    (unsigned)rgb);
    return true;
}

/* Strokes from a cell's centre: 0 none, 1 light, 2 heavy; up, right, down, left. */
struct strokes {
    char32_t ch;
    uint8_t up, right, down, left;
};

static const struct strokes line_table[] = {
    {U'─', 0, 1, 0, 1}, {U'━', 0, 2, 0, 2}, {U'│', 1, 0, 1, 0}, {U'┃', 2, 0, 2, 0},
    {U'┄', 0, 1, 0, 1}, {U'┆', 1, 0, 1, 0}, {U'╌', 0, 1, 0, 1}, {U'╎', 1, 0, 1, 0},
    {U'┌', 0, 1, 1, 0}, {U'┐', 0, 0, 1, 1}, {U'└', 1, 1, 0, 0}, {U'┘', 1, 0, 0, 1},
    {U'├', 1, 1, 1, 0}, {U'┤', 1, 0, 1, 1}, {U'┬', 0, 1, 1, 1}, {U'┴', 1, 1, 0, 1},
    {U'┼', 1, 1, 1, 1}, {U'╭', 0, 1, 1, 0}, {U'╮', 0, 0, 1, 1}, {U'╰', 1, 1, 0, 0},
    {U'╯', 1, 0, 0, 1}, {U'┏', 0, 2, 2, 0}, {U'┓', 0, 0, 2, 2}, {U'┗', 2, 2, 0, 0},
    {U'┛', 2, 0, 0, 2}, {U'┣', 2, 2, 2, 0}, {U'┫', 2, 0, 2, 2}, {U'┳', 0, 2, 2, 2},
    {U'┻', 2, 2, 0, 2}, {U'╋', 2, 2, 2, 2}, {U'╴', 0, 0, 0, 1}, {U'╵', 1, 0, 0, 0},
    {U'╶', 0, 1, 0, 0}, {U'╷', 0, 0, 1, 0}, {U'╸', 0, 0, 0, 2}, {U'╹', 2, 0, 0, 0},
    {U'╺', 0, 2, 0, 0}, {U'╻', 0, 0, 2, 0}, {U'═', 0, 2, 0, 2}, {U'║', 2, 0, 2, 0},
};

static bool draw_lines(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    const double middle_x = x + CELL_W / 2.0, middle_y = y + CELL_H / 2.0;
    for (size_t i = 0; i < sizeof line_table / sizeof line_table[0]; i++) {
        const struct strokes *l = &line_table[i];
        if (l->ch != ch)
            continue;
        double up = l->up, right = l->right, down = l->down, left = l->left;
        if (l->up)
            add_rect(s, middle_x - up / 2, y, up, CELL_H / 2.0 + 0.5, rgb);
        if (l->down)
            add_rect(s, middle_x - down / 2, middle_y - 0.5, down, CELL_H / 2.0 + 0.5, rgb);
        if (l->left)
            add_rect(s, x, middle_y - left / 2, CELL_W / 2.0 + 0.5, left, rgb);
        if (l->right)
            add_rect(s, middle_x - 0.5, middle_y - right / 2, CELL_W / 2.0 + 0.5, right, rgb);
        return true;
    }
    return false;
}

/* Triangles differ between fonts most of all: corners in ninths of a cell. */
static bool draw_triangle(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    static const struct {
        char32_t ch;
        uint8_t corners[6];
    } triangles[] = {
        {U'▸', {2, 5, 8, 9, 2, 13}},  {U'▶', {1, 4, 9, 9, 1, 14}},  {U'▾', {1, 6, 8, 6, 4, 12}},
        {U'▼', {0, 5, 9, 5, 4, 13}},  {U'◂', {7, 5, 1, 9, 7, 13}},  {U'◀', {8, 4, 0, 9, 8, 14}},
        {U'▴', {1, 12, 8, 12, 4, 6}}, {U'▲', {0, 13, 9, 13, 4, 5}},
    };
    for (size_t i = 0; i < sizeof triangles / sizeof triangles[0]; i++) {
        const uint8_t *p = triangles[i].corners;
        if (triangles[i].ch != ch)
            continue;
        svg_add(s, "<path d=\"M%g %gL%g %gL%g %gZ\" fill=\"#%06x\"/>\n", x + p[0], y + p[1],
                x + p[2], y + p[3], x + p[4], y + p[5], (unsigned)rgb);
        return true;
    }
    return false;
}

static bool draw_shape(struct svg *s, char32_t ch, double x, double y, uint32_t rgb)
{
    return draw_block(s, ch, x, y, rgb) || draw_lines(s, ch, x, y, rgb) ||
           draw_braille(s, ch, x, y, rgb) || draw_quadrants(s, ch, x, y, rgb) ||
           draw_shade(s, ch, x, y, rgb) || draw_triangle(s, ch, x, y, rgb);
}

/* ---- text ---- */

static void add_character(struct svg *s, const struct cell *cell)
{
    char bytes[CELL_BYTES_MAX];
    size_t n = cell_print(cell, bytes);
    char32_t ch = cell->ch;
    if (ch == '<')
        svg_add(s, "&lt;");
    else if (ch == '>')
        svg_add(s, "&gt;");
    else if (ch == '&')
        svg_add(s, "&amp;");
    else
        svg_add(s, "%.*s", (int)n, bytes);
}

/* The cells x..end of row y as one text element, stretched to their exact width. */
static void add_text(struct svg *s, const struct cells *c, int x, int end, int y, struct paint p)
{
    svg_add(s, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"", x * CELL_W,
            y * CELL_H + BASELINE, (end - x) * CELL_W, (unsigned)p.fg);
    if (p.attrs & CELL_BOLD)
        svg_add(s, " font-weight=\"bold\"");
    if (p.attrs & CELL_FAINT)
        svg_add(s, " fill-opacity=\"0.75\"");
    svg_add(s, ">");
    for (int i = x; i < end; i++)
        add_character(s, cells_at(c, i, y));
    svg_add(s, "</text>\n");
}

static bool is_ascii_text(const struct cell *cell)
{
    return cell->ch >= ' ' && cell->ch < 0x7F && cell->marks[0] == 0;
}

/* Where the run of text from x ends: ASCII of one paint; anything else stands alone, since its
 * width in the reader's font is unknown. Ends after the last character that is not a blank. */
static int text_end(const struct cells *c, const struct theme *theme, int x, int y)
{
    const struct cell *first = cells_at(c, x, y);
    struct paint paint = paint_of(first, theme);
    if (!is_ascii_text(first)) {
        const struct cell *next = cells_at(c, x + 1, y);
        return next && next->ch == 0 ? x + 2 : x + 1;
    }
    int end = x + 1;
    for (int i = x + 1; i < c->width; i++) {
        const struct cell *cell = cells_at(c, i, y);
        if (!is_ascii_text(cell) || !paint_eq(paint_of(cell, theme), paint))
            break;
        if (cell->ch != ' ')
            end = i + 1;
    }
    return end;
}

static void add_backgrounds(struct svg *s, const struct cells *c, const struct theme *theme, int y)
{
    uint32_t screen = theme->roles[ROLE_DEFAULT].bg.rgb;
    int end;
    for (int x = 0; x < c->width; x = end) {
        uint32_t rgb = paint_of(cells_at(c, x, y), theme).bg;
        for (end = x + 1; end < c->width; end++)
            if (paint_of(cells_at(c, end, y), theme).bg != rgb)
                break;
        if (rgb != screen)
            add_rect(s, x * CELL_W, y * CELL_H, (end - x) * CELL_W, CELL_H, rgb);
    }
}

static void add_row(struct svg *s, const struct cells *c, const struct theme *theme, int y)
{
    int end;
    for (int x = 0; x < c->width; x = end) {
        const struct cell *cell = cells_at(c, x, y);
        struct paint paint = paint_of(cell, theme);
        end = x + 1;
        if (paint.attrs & CELL_UNDERLINE)
            add_rect(s, x * CELL_W, y * CELL_H + BASELINE + 2, CELL_W, 1, paint.fg);
        if (cell->ch == ' ' || cell->ch == 0 ||
            draw_shape(s, cell->ch, x * CELL_W, y * CELL_H, shape_colour(paint)))
            continue;
        end = text_end(c, theme, x, y);
        add_text(s, c, x, end, y, paint);
        if (paint.attrs & CELL_UNDERLINE && end > x + 1)
            add_rect(s, (x + 1) * CELL_W, y * CELL_H + BASELINE + 2, (end - x - 1) * CELL_W, 1,
                     paint.fg);
    }
}

char *cells_svg(const struct cells *c, const struct theme *theme, int cursor_x, int cursor_y)
{
    struct svg s = {0};
    int width = c->width * CELL_W, height = c->height * CELL_H;
    const struct role_style *base = &theme->roles[ROLE_DEFAULT];
    svg_add(&s,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
            "font-size=\"%d\" shape-rendering=\"crispEdges\" xml:space=\"preserve\">\n"
            "<style>text{white-space:pre}</style>\n",
            width, height, width, height, FONT_SIZE);
    add_rect(&s, 0, 0, width, height, base->bg.rgb);
    for (int y = 0; y < c->height; y++)
        add_backgrounds(&s, c, theme, y);
    for (int y = 0; y < c->height; y++)
        add_row(&s, c, theme, y);
    if (cursor_x >= 0 && cells_at(c, cursor_x, cursor_y))
        svg_add(&s,
                "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"none\" "
                "stroke=\"#%06x\" stroke-width=\"2\"/>\n",
                cursor_x * CELL_W + 1.0, cursor_y * CELL_H + 1.0, CELL_W - 2, CELL_H - 2,
                (unsigned)base->fg.rgb);
    svg_add(&s, "</svg>\n");
    return s.text;
}
