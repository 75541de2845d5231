#include "tui/cells/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

struct role_entry {
    const char *name;
    char letter;
};

#define CELL_ROLE_ENTRY(enumerator, text, dump)                                                    \
    [ROLE_##enumerator] = {.name = text, .letter = dump},
static const struct role_entry role_entries[ROLE_COUNT] = {CELL_ROLES(CELL_ROLE_ENTRY)};
#undef CELL_ROLE_ENTRY

_Static_assert(ROLE_COUNT <= 256, "the ground of a cell holds a role in one byte");

const char *role_name(uint16_t role)
{
    return role < ROLE_COUNT ? role_entries[role].name : "";
}

int role_find(struct str name)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        if (str_eq(name, str_from(role_entries[i].name)))
            return i;
    return -1;
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static struct rect rect_intersect(struct rect a, struct rect b)
{
    int64_t right_a = (int64_t)a.x + a.w, right_b = (int64_t)b.x + b.w;
    int64_t bottom_a = (int64_t)a.y + a.h, bottom_b = (int64_t)b.y + b.h;
    int64_t right = right_a < right_b ? right_a : right_b;
    int64_t bottom = bottom_a < bottom_b ? bottom_a : bottom_b;
    int x = a.x > b.x ? a.x : b.x;
    int y = a.y > b.y ? a.y : b.y;
    int64_t w = right > x ? right - x : 0;
    int64_t h = bottom > y ? bottom - y : 0;
    return (struct rect){x, y, (int)w, (int)h};
}

static struct rect whole(const struct cells *c)
{
    return (struct rect){0, 0, c->width, c->height};
}

void cells_init(struct cells *c, int width, int height)
{
    c->items = NULL;
    cells_resize(c, width, height);
}

void cells_release(struct cells *c)
{
    free(c->items);
    *c = (struct cells){0};
}

void cells_resize(struct cells *c, int width, int height)
{
    c->width = clamp(width, 1, CELLS_MAX_WIDTH);
    c->height = clamp(height, 1, CELLS_MAX_HEIGHT);
    c->items = realloc_array(c->items, (size_t)c->width * (size_t)c->height, sizeof *c->items);
    cells_clear(c);
}

void cells_clear(struct cells *c)
{
    size_t count = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < count; i++)
        c->items[i] = (struct cell){.ch = ' ', .role = ROLE_DEFAULT};
    c->clip = whole(c);
}

struct rect cells_clip(struct cells *c, struct rect r)
{
    struct rect former = c->clip;
    c->clip = rect_intersect(r, whole(c));
    return former;
}

struct cell *cells_at(const struct cells *c, int x, int y)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height)
        return NULL;
    return &c->items[(size_t)y * (size_t)c->width + (size_t)x];
}

bool cells_same_row(const struct cells *a, const struct cells *b, int y)
{
    return memcmp(cells_at(a, 0, y), cells_at(b, 0, y), (size_t)a->width * sizeof *a->items) == 0;
}

static bool clip_has(const struct cells *c, int x, int y)
{
    const struct rect *r = &c->clip;
    return x >= r->x && y >= r->y && x - r->x < r->w && y - r->y < r->h;
}

size_t cell_print(const struct cell *cell, char out[CELL_BYTES_MAX])
{
    if (cell->ch == 0)
        return 0;
    size_t n = utf8_encode(cell->ch, out);
    for (int i = 0; i < CELL_MARKS && cell->marks[i]; i++)
        n += utf8_encode(cell->marks[i], out + n);
    return n;
}

static void cell_blank(struct cell *cell)
{
    cell->ch = ' ';
    memset(cell->marks, 0, sizeof cell->marks);
}

/* A cell within the clip, to be set: what is left of a wide character that it cuts becomes a blank.
 * The right half of another one follows its left. */
static struct cell *cell_to_set(struct cells *c, int x, int y, bool is_right_half)
{
    struct cell *cell = cells_at(c, x, y);
    if (cell->ch == 0 && !is_right_half && x > 0)
        cell_blank(&cell[-1]);
    if (x + 1 < c->width && cell[1].ch == 0)
        cell_blank(&cell[1]);
    return cell;
}

static void put_one(struct cells *c, int x, int y, char32_t ch, uint16_t role, uint8_t attrs)
{
    *cell_to_set(c, x, y, false) = (struct cell){.ch = ch, .role = role, .attrs = attrs};
}

void cells_put(struct cells *c, int x, int y, char32_t ch, uint16_t role, uint8_t attrs)
{
    if (!utf8_is_printable(ch))
        ch = '?';
    int width = utf8_width(ch);
    if (width == 0)
        return;
    bool left = clip_has(c, x, y);
    if (width == 1) {
        if (left)
            put_one(c, x, y, ch, role, attrs);
        return;
    }
    bool right = x < c->width && clip_has(c, x + 1, y);
    bool both = left && right;
    if (left)
        put_one(c, x, y, both ? ch : ' ', role, attrs);
    if (!right)
        return;
    put_one(c, x + 1, y, ' ', role, attrs);
    if (both)
        cells_at(c, x + 1, y)->ch = 0;
}

/* Whether all of `text` fits in `max` cells. */
static bool text_fits(struct str text, int max)
{
    char glyph[TEXT_ESCAPE_MAX];
    int used = 0;
    while (text.n) {
        struct text_glyph g = text_escape_next(text, glyph);
        if (g.width > max - used)
            return false;
        used += g.width;
        text = str_skip(text, g.used);
    }
    return true;
}

/* Draws one escaped character: itself, or the ASCII letters that stand for it. */
static void put_glyph(struct cells *c, int x, int y, const char *glyph, struct text_glyph g,
                      uint16_t role, uint8_t attrs)
{
    struct str rest = {glyph, g.size};
    while (rest.n) {
        struct utf8_char ch = utf8_decode(rest);
        cells_put(c, x, y, ch.ch, role, attrs);
        x += utf8_width(ch.ch);
        rest = str_skip(rest, ch.size);
    }
}

/* Over the character that was put at x: not where that is clipped, or only half of it fits. */
static void put_mark(struct cells *c, int x, int y, char32_t mark)
{
    struct cell *cell = clip_has(c, x, y) ? cells_at(c, x, y) : NULL;
    if (!cell || cell->ch == ' ' || cell->ch == 0 || !utf8_is_mark(mark))
        return;
    for (int i = 0; i < CELL_MARKS; i++)
        if (cell->marks[i] == 0) {
            cell->marks[i] = mark;
            return;
        }
}

static bool begins_with_mark(struct str text)
{
    return text.n > 0 && utf8_is_mark(utf8_decode(text).ch);
}

int cells_put_text(struct cells *c, int x, int y, int max, struct str text, uint16_t role,
                   uint8_t attrs)
{
    if (max <= 0 || x >= c->width || x < -CELLS_MAX_WIDTH)
        return 0;
    if (max > 2 * CELLS_MAX_WIDTH - x)
        max = 2 * CELLS_MAX_WIDTH - x;
    int used = begins_with_mark(text), last = x;
    bool fits = text_fits(text, max - used);
    int room = fits ? max : max - 1;
    char glyph[TEXT_ESCAPE_MAX];
    if (used > 0 && room > 0)
        cells_put(c, x, y, U'◌', role, attrs);
    while (text.n) {
        struct text_glyph g = text_escape_next(text, glyph);
        if (g.width > room - used)
            break;
        if (g.width == 0) {
            put_mark(c, last, y, utf8_decode((struct str){glyph, g.size}).ch);
        } else {
            last = x + used;
            put_glyph(c, last, y, glyph, g, role, attrs);
        }
        used += g.width;
        text = str_skip(text, g.used);
    }
    if (fits)
        return used;
    cells_put(c, x + used, y, '~', role, attrs);
    return used + 1;
}

int cells_put_format(struct cells *c, int x, int y, int max, uint16_t role, uint8_t attrs,
                     const char *format, ...)
{
    char line[1024]; /* wider than what any pane shows of one text */
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0)
        return 0;
    size_t size = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    return cells_put_text(c, x, y, max, (struct str){line, size}, role, attrs);
}

void cells_fill(struct cells *c, struct rect r, char32_t ch, uint16_t role, uint8_t attrs)
{
    r = rect_intersect(r, c->clip);
    int step = utf8_width(ch) == 2 ? 2 : 1;
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x += step)
            cells_put(c, x, y, ch, role, attrs);
}

void cells_box(struct cells *c, struct rect r, struct str title, uint16_t role)
{
    if (r.w < 2 || r.h < 2)
        return;
    int right = r.x + r.w - 1, bottom = r.y + r.h - 1;
    cells_fill(c, (struct rect){r.x, r.y, r.w, 1}, U'─', role, 0);
    cells_fill(c, (struct rect){r.x, bottom, r.w, 1}, U'─', role, 0);
    cells_fill(c, (struct rect){r.x, r.y, 1, r.h}, U'│', role, 0);
    cells_fill(c, (struct rect){right, r.y, 1, r.h}, U'│', role, 0);
    cells_put(c, r.x, r.y, U'┌', role, 0);
    cells_put(c, right, r.y, U'┐', role, 0);
    cells_put(c, r.x, bottom, U'└', role, 0);
    cells_put(c, right, bottom, U'┘', role, 0);
    if (title.n == 0 || r.w < 6)
        return;
    int used = cells_put_text(c, r.x + 3, r.y, r.w - 6, title, role, CELL_BOLD);
    cells_put(c, r.x + 2, r.y, ' ', role, 0);
    cells_put(c, r.x + 3 + used, r.y, ' ', role, 0);
}

void cells_set_role(struct cells *c, struct rect r, uint16_t role)
{
    r = rect_intersect(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            cells_at(c, x, y)->role = role;
}

void cells_add_attrs(struct cells *c, struct rect r, uint8_t attrs)
{
    r = rect_intersect(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            cells_at(c, x, y)->attrs |= attrs;
}

void cells_set_ground(struct cells *c, struct rect r, uint16_t ground)
{
    r = rect_intersect(r, c->clip);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++)
            cells_at(c, x, y)->ground = (uint8_t)ground;
}

void cells_copy(struct cells *to, int x, int y, const struct cells *from)
{
    struct rect r = rect_intersect((struct rect){x, y, from->width, from->height}, to->clip);
    for (int row = r.y; row < r.y + r.h; row++) {
        for (int column = r.x; column < r.x + r.w; column++) {
            struct cell cell = *cells_at(from, column - x, row - y);
            const struct cell *next = cells_at(from, column - x + 1, row - y);
            bool cut_left = cell.ch == 0 && column == r.x;
            bool cut_right = next && next->ch == 0 && column == r.x + r.w - 1;
            if (cut_left || cut_right)
                cell_blank(&cell);
            *cell_to_set(to, column, row, cell.ch == 0) = cell;
        }
    }
}

char32_t glyph_bar(int eighths, bool ascii)
{
    static const char levels[] = " .:-=+*##";
    eighths = clamp(eighths, 0, 8);
    if (ascii)
        return (unsigned char)levels[eighths];
    return eighths == 0 ? U' ' : U'▁' + (char32_t)(eighths - 1);
}

char32_t glyph_left(int eighths, bool ascii)
{
    eighths = clamp(eighths, 0, 8);
    if (ascii)
        return eighths >= 4 ? '#' : ' ';
    return eighths == 0 ? U' ' : U'█' + (char32_t)(8 - eighths);
}

void bar_text(uint64_t part, uint64_t whole, int width, char *out)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    int eighths = (int)(share * width * 8);
    for (eighths = clamp(eighths, part > 0, width * 8); eighths > 0; eighths -= 8)
        out += utf8_encode(glyph_left(eighths, false), out);
    *out = '\0';
}

static char32_t ascii_braille(char32_t ch)
{
    int dots = __builtin_popcount((unsigned)(ch - 0x2800));
    return glyph_bar(dots, true);
}

/* Left and right neighbours only are horizontal, up and down only are vertical; all others meet. */
static char32_t ascii_line(char32_t ch)
{
    static const char32_t horizontal[] = U"─━┄┅┈┉╌╍═╴╶╸╺╼╾";
    static const char32_t vertical[] = U"│┃┆┇┊┋╎╏║╵╷╹╻╽╿";
    for (const char32_t *p = horizontal; *p; p++)
        if (*p == ch)
            return '-';
    for (const char32_t *p = vertical; *p; p++)
        if (*p == ch)
            return '|';
    return '+';
}

char32_t glyph_ascii(char32_t ch)
{
    static const struct {
        char32_t from;
        char to;
    } pairs[] = {
        {U'▸', '+'},      {U'▶', '>'}, {U'»', '='},       {U'›', '>'},       {U'→', '>'},
        {U'▾', '-'},      {U'▼', 'v'}, {U'↓', 'v'},       {U'◂', '<'},       {U'◀', '<'},
        {U'«', '<'},      {U'‹', '<'}, {U'←', '<'},       {U'▴', '^'},       {U'▲', '^'},
        {U'↑', '^'},      {U'…', '~'}, {U'·', '.'},       {U'•', '*'},       {U'●', '*'},
        {U'○', 'o'},      {U'◆', '*'}, {U'◇', 'o'},       {U'×', 'x'},       {U'–', '-'},
        {U'—', '-'},      {U'−', '-'}, {U'µ', 'u'},       {U'μ', 'u'},       {U'±', '~'},
        {U'✓', '*'},      {U'⚑', '!'}, {U'\u2018', '\''}, {U'\u2019', '\''}, {U'\u201c', '"'},
        {U'\u201d', '"'}, {U'≤', '<'}, {U'≥', '>'},       {U'\u00a0', ' '},
    };
    if (ch < 0x80)
        return ch;
    if (ch >= U'▁' && ch <= U'█')
        return glyph_bar((int)(ch - U'▁') + 1, true);
    if (ch > U'█' && ch <= U'▏')
        return glyph_left((int)(U'▏' - ch) + 1, true);
    if (ch >= 0x2500 && ch < 0x2580)
        return ascii_line(ch);
    if (ch >= 0x2590 && ch <= 0x259F)
        return ch == U'▕' ? '|' : '#';
    if (ch == U'▀')
        return '"';
    if (ch >= 0x2800 && ch <= 0x28FF)
        return ascii_braille(ch);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].from == ch)
            return (unsigned char)pairs[i].to;
    return '?';
}

void cells_make_ascii(struct cells *c)
{
    size_t count = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < count; i++) {
        char32_t ch = c->items[i].ch;
        cell_blank(&c->items[i]);
        c->items[i].ch = ch == 0 ? '?' : glyph_ascii(ch); /* a wide one becomes "??" */
    }
}

char *cells_text(const struct cells *c)
{
    size_t row_size = (size_t)c->width * CELL_BYTES_MAX + 1;
    char *out = alloc_array((size_t)c->height + 1, row_size);
    size_t n = 0;
    for (int y = 0; y < c->height; y++) {
        size_t end = n; /* past the last character that is not a blank */
        for (int x = 0; x < c->width; x++) {
            const struct cell *cell = cells_at(c, x, y);
            n += cell_print(cell, out + n);
            if (cell->ch != ' ' && cell->ch != 0)
                end = n;
        }
        n = end;
        out[n++] = '\n';
    }
    out[n] = 0;
    return out;
}

char *cells_roles(const struct cells *c)
{
    char *out = alloc_array((size_t)c->height + 1, (size_t)c->width + 1);
    size_t n = 0;
    for (int y = 0; y < c->height; y++) {
        size_t end = n;
        for (int x = 0; x < c->width; x++) {
            uint16_t role = cells_at(c, x, y)->role;
            out[n++] = role < ROLE_COUNT ? role_entries[role].letter : '?';
            if (role != ROLE_DEFAULT)
                end = n;
        }
        n = end;
        out[n++] = '\n';
    }
    out[n] = 0;
    return out;
}
