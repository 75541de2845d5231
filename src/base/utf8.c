#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/utf8_width.h"

enum { MAX_CODE_POINT = 0x10FFFF, REPLACEMENT = 0xFFFD };

static bool is_surrogate(char32_t ch)
{
    return ch >= 0xD800 && ch <= 0xDFFF;
}

struct utf8_char utf8_decode(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    struct utf8_char broken = {p[0], 1, false};
    if (p[0] < 0x80)
        return (struct utf8_char){p[0], 1, true};
    uint8_t size = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || s.n < size)
        return broken;
    char32_t ch = p[0] & (0x7Fu >> size);
    for (int i = 1; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return broken;
        ch = ch << 6 | (p[i] & 0x3Fu);
    }
    static const char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (ch < smallest[size] || ch > MAX_CODE_POINT || is_surrogate(ch))
        return broken;
    return (struct utf8_char){ch, size, true};
}

size_t utf8_encode(char32_t ch, char out[4])
{
    if (ch > MAX_CODE_POINT || is_surrogate(ch))
        ch = REPLACEMENT;
    if (ch < 0x80) {
        out[0] = (char)ch;
        return 1;
    }
    size_t size = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (ch & 0x3F));
        ch >>= 6;
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[size] | ch);
    return size;
}

bool utf8_is_valid(struct str s)
{
    while (s.n) {
        struct utf8_char c = utf8_decode(s);
        if (!c.valid)
            return false;
        s = str_skip(s, c.size);
    }
    return true;
}

static bool range_has(const struct utf8_range *ranges, size_t count, char32_t ch)
{
    size_t at = BISECT(i, 0, count, ranges[i].last < ch);
    return at < count && ranges[at].first <= ch;
}

int utf8_width(char32_t ch)
{
    if (ch < 0x300)
        return 1;
    if (range_has(zero_width, sizeof zero_width / sizeof zero_width[0], ch))
        return 0;
    return range_has(double_width, sizeof double_width / sizeof double_width[0], ch) ? 2 : 1;
}

bool utf8_is_mark(char32_t ch)
{
    static const struct utf8_range invisible[] = {
        {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},
        {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x180B, 0x180F},
        {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x206F},   {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
        {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0001, 0xE01EF},
    };
    return utf8_width(ch) == 0 && !range_has(invisible, sizeof invisible / sizeof invisible[0], ch);
}

bool utf8_is_printable(char32_t ch)
{
    if (ch < 0x20 || (ch >= 0x7F && ch < 0xA0))
        return false;
    if (ch < 0x600)
        return true;
    if (ch == 0x61C || ch == 0x200E || ch == 0x200F || (ch >= 0x2028 && ch <= 0x202E) ||
        (ch >= 0x2066 && ch <= 0x2069)) /* lines, paragraphs and directions */
        return false;
    if (ch >= 0xFDD0 && ch <= 0xFDEF) /* noncharacters, as the last two of every plane */
        return false;
    return ch <= MAX_CODE_POINT && !is_surrogate(ch) && (ch & 0xFFFE) != 0xFFFE;
}

struct text_glyph text_escape_next(struct str s, char out[TEXT_ESCAPE_MAX])
{
    struct utf8_char c = utf8_decode(s);
    int size;
    if (c.valid && utf8_is_printable(c.ch)) {
        memcpy(out, s.p, c.size);
        out[c.size] = 0;
        return (struct text_glyph){c.size, c.size, utf8_width(c.ch)};
    }
    if (!c.valid)
        size = snprintf(out, TEXT_ESCAPE_MAX, "\\x%02x", (unsigned)c.ch);
    else if (c.ch < 0x80)
        size = snprintf(out, TEXT_ESCAPE_MAX, "^%c", (int)(c.ch ^ 0x40));
    else
        size = snprintf(out, TEXT_ESCAPE_MAX, "\\u{%x}", (unsigned)c.ch);
    return (struct text_glyph){c.size, (size_t)size, size};
}

/* Every byte becomes at most four ("\xff"); so does every byte of a longer escape. */
enum { GROWTH_MAX = 4 };

char *text_escape(struct str s)
{
    char *out = alloc_array(s.n + 1, GROWTH_MAX + 1);
    size_t n = 0;
    char glyph[TEXT_ESCAPE_MAX];
    while (s.n) {
        struct text_glyph g = text_escape_next(s, glyph);
        memcpy(out + n, glyph, g.size);
        n += g.size;
        s = str_skip(s, g.used);
    }
    out[n] = 0;
    return out;
}

int text_width(struct str s)
{
    int64_t width = 0;
    char glyph[TEXT_ESCAPE_MAX];
    while (s.n && width < INT32_MAX) {
        struct text_glyph g = text_escape_next(s, glyph);
        width += g.width;
        s = str_skip(s, g.used);
    }
    return width < INT32_MAX ? (int)width : INT32_MAX;
}

char *text_fit(struct str s, int width)
{
    struct str rest = s;
    struct str cut = {s.p, 0}; /* what fits with one cell kept for the '~' */
    int used = 0;
    char glyph[TEXT_ESCAPE_MAX];
    while (rest.n) {
        struct text_glyph g = text_escape_next(rest, glyph);
        if (g.width > width - used)
            break;
        used += g.width;
        rest = str_skip(rest, g.used);
        if (used < width)
            cut.n = s.n - rest.n;
    }
    if (rest.n == 0)
        return width > 0 ? text_escape(s) : alloc_copy("", 0);
    if (width <= 0)
        return alloc_copy("", 0);
    char *head = text_escape(cut);
    size_t n = strlen(head);
    head = realloc_array(head, n + 2, 1);
    head[n] = '~';
    head[n + 1] = 0;
    return head;
}

/* Writes glyphs of `s` while they fit into `width` cells and `size` bytes; returns the bytes. */
static size_t put_glyphs(struct str s, int width, char *out, size_t size)
{
    size_t used = 0;
    char glyph[TEXT_ESCAPE_MAX];
    while (s.n) {
        struct text_glyph g = text_escape_next(s, glyph);
        if (g.width > width || used + g.size >= size)
            break;
        memcpy(out + used, glyph, g.size);
        used += g.size;
        width -= g.width;
        s = str_skip(s, g.used);
    }
    return used;
}

void text_cut_middle(struct str s, int width, char *out, size_t size)
{
    int all = text_width(s), tail = width > 1 ? width / 2 : 0;
    char glyph[TEXT_ESCAPE_MAX];
    if (size == 0)
        return;
    size_t used = put_glyphs(s, all <= width ? width : width - 1 - tail, out, size);
    if (all > width && width > 0 && used + 1 < size) {
        out[used++] = '~';
        for (; s.n && all > tail; s = str_skip(s, text_escape_next(s, glyph).used))
            all -= text_escape_next(s, glyph).width;
        while (s.n && text_escape_next(s, glyph).width == 0) /* a mark of what was cut */
            s = str_skip(s, text_escape_next(s, glyph).used);
        used += put_glyphs(s, tail, out + used, size - used);
    }
    out[used] = '\0';
}
