#include "tui/term/sgr.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tui/term/escape.h"

/* Colours are what sets them: 30..37, 90..97 (and 40.., 100.. for grounds, kept as foregrounds), an
 * index + COLOUR_INDEX, 0xRRGGBB + COLOUR_RGB, or the terminal's own. */
enum { COLOUR_OWN = -1, COLOUR_INDEX = 1000, COLOUR_RGB = 1 << 24 };
enum { ATTR_MAX = 9, PARAMS_MAX = 16 };

struct sent_look {
    bool known; /* all of it */
    int32_t fg, bg;
    uint16_t attrs; /* 1 << SGR's number of it */
};

static const struct sent_look plain = {true, COLOUR_OWN, COLOUR_OWN, 0};

struct shortener {
    const uint32_t *palette; /* NULL: numbers stay numbers */
    char *out;
    size_t n, size;
    bool full;
    struct sent_look is, wanted; /* of the terminal; of the next character */
    bool charset_known;          /* that it is the usual one */
};

static void put(struct shortener *s, const char *bytes, size_t n)
{
    s->full |= n > s->size - s->n;
    if (s->full)
        return;
    memcpy(s->out + s->n, bytes, n);
    s->n += n;
}

static bool same_look(const struct sent_look *a, const struct sent_look *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->attrs == b->attrs;
}

/* The parameters that set a colour; `ground`: 10 for the ground's. */
static size_t print_colour(char *out, size_t size, int32_t colour, int ground)
{
    int n;
    if (colour == COLOUR_OWN)
        n = snprintf(out, size, ";%d", 39 + ground);
    else if (colour >= COLOUR_RGB)
        n = snprintf(out, size, ";%d;2;%d;%d;%d", 38 + ground, colour >> 16 & 0xFF,
                     colour >> 8 & 0xFF, colour & 0xFF);
    else if (colour >= COLOUR_INDEX)
        n = snprintf(out, size, ";%d;5;%d", 38 + ground, colour - COLOUR_INDEX);
    else
        n = snprintf(out, size, ";%d", colour + ground);
    return (size_t)n;
}

/* Brings the terminal to the look that is wanted. */
static void flush(struct shortener *s)
{
    char text[96];
    size_t n = 0;
    if (!s->wanted.known || same_look(&s->is, &s->wanted))
        return;
    bool anew = (s->is.attrs & ~s->wanted.attrs) != 0 || same_look(&s->wanted, &plain);
    if (anew)
        s->is = plain;
    for (int attr = 1; attr <= ATTR_MAX; attr++)
        if ((s->wanted.attrs & ~s->is.attrs) >> attr & 1)
            n += (size_t)snprintf(text + n, sizeof text - n, ";%d", attr);
    if (s->is.fg != s->wanted.fg)
        n += print_colour(text + n, sizeof text - n, s->wanted.fg, 0);
    if (s->is.bg != s->wanted.bg)
        n += print_colour(text + n, sizeof text - n, s->wanted.bg, 10);
    put(s, "\x1b[", 2);
    if (anew && n > 0)
        put(s, "0", 1);
    if (n > 0)
        put(s, anew ? text : text + 1, anew ? n : n - 1);
    put(s, "m", 1);
    s->is = s->wanted;
}

/* The same as far as it is seen where there is no character: letters mostly have one colour, the
 * blanks between them need not go back to another. */
static void flush_blank(struct shortener *s)
{
    enum { SEEN = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 9 }; /* underline, blink, reverse, strike */
    char text[32];
    if (!s->wanted.known || ((s->is.attrs | s->wanted.attrs) & SEEN)) {
        flush(s);
        return;
    }
    if (s->is.bg == s->wanted.bg)
        return;
    size_t n = print_colour(text, sizeof text, s->wanted.bg, 10);
    put(s, "\x1b[", 2);
    put(s, text + 1, n - 1);
    put(s, "m", 1);
    s->is.bg = s->wanted.bg;
}

static void take_text(struct shortener *s, struct str text)
{
    size_t blanks = 0;
    while (blanks < text.n && text.p[blanks] == ' ')
        blanks++;
    if (blanks > 0) {
        flush_blank(s);
        put(s, text.p, blanks);
    }
    if (blanks < text.n) {
        flush(s);
        put(s, text.p + blanks, text.n - blanks);
    }
}

static int32_t indexed_colour(const struct shortener *s, int index)
{
    if (s->palette && s->palette[index] != SGR_INDEX)
        return COLOUR_RGB + (int32_t)s->palette[index];
    return COLOUR_INDEX + index;
}

/* The colour behind a 38 or 48 at params[*i], which moves to its last parameter. */
static bool extended_colour(const struct shortener *s, const int *params, int count, int *i,
                            int32_t *out)
{
    if (*i + 2 < count && params[*i + 1] == 5 && params[*i + 2] < 256) {
        *out = indexed_colour(s, params[*i + 2]);
        *i += 2;
        return true;
    }
    if (*i + 4 < count && params[*i + 1] == 2 && params[*i + 2] < 256 && params[*i + 3] < 256 &&
        params[*i + 4] < 256) {
        *out = COLOUR_RGB + (params[*i + 2] << 16 | params[*i + 3] << 8 | params[*i + 4]);
        *i += 4;
        return true;
    }
    return false;
}

/* Colours on top of a look that is not known. */
static void put_recoloured(struct shortener *s, const int *params, int count)
{
    for (int i = 0; i < count; i++) {
        char text[32] = "";
        int32_t colour;
        int p = params[i];
        put(s, i == 0 ? "\x1b[" : ";", i == 0 ? 2 : 1);
        size_t n = (p == 38 || p == 48) && extended_colour(s, params, count, &i, &colour)
                       ? print_colour(text, sizeof text, colour, p - 38)
                       : (size_t)snprintf(text, sizeof text, ";%d", p);
        put(s, text + 1, n - 1);
    }
    put(s, "m", 1);
}

/* Sequences that are not understood: the terminal may look any way behind them. */
static void pass(struct shortener *s, struct str bytes)
{
    flush(s);
    put(s, bytes.p, bytes.n);
    s->is.known = s->wanted.known = s->charset_known = false;
}

static bool apply_params(const struct shortener *s, struct sent_look *look, const int *params,
                         int count)
{
    for (int i = 0; i < count; i++) {
        int p = params[i];
        if (p == 0)
            *look = plain;
        else if (p <= ATTR_MAX)
            look->attrs |= (uint16_t)(1 << p);
        else if (p == 22)
            look->attrs &= (uint16_t) ~(1 << 1 | 1 << 2);
        else if (p >= 23 && p <= 29 && p != 26)
            look->attrs &= (uint16_t) ~(1 << (p - 20));
        else if ((p >= 30 && p <= 37) || (p >= 90 && p <= 97))
            look->fg = p;
        else if ((p >= 40 && p <= 47) || (p >= 100 && p <= 107))
            look->bg = p - 10;
        else if (p == 39)
            look->fg = COLOUR_OWN;
        else if (p == 49)
            look->bg = COLOUR_OWN;
        else if ((p != 38 && p != 48) ||
                 !extended_colour(s, params, count, &i, p == 38 ? &look->fg : &look->bg))
            return false;
    }
    return true;
}

/* "1;38;5;7"; -1 where it is something else. */
static int read_params(struct str text, int params[PARAMS_MAX])
{
    int count = 1;
    params[0] = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == ';' && count < PARAMS_MAX)
            params[count++] = 0;
        else if (c >= '0' && c <= '9' && params[count - 1] < 1000)
            params[count - 1] = params[count - 1] * 10 + (c - '0');
        else
            return -1;
    }
    return count;
}

static void take_sgr(struct shortener *s, struct str whole)
{
    int params[PARAMS_MAX];
    int count = read_params(str_from_to(whole, 2, whole.n - 1), params);
    struct sent_look look = s->wanted;
    if (count > 0 && params[0] == 0 && !look.known)
        s->is = look = plain; /* written below, whatever the terminal looked like */
    if (!look.known && s->palette && count > 0) {
        put_recoloured(s, params, count);
        return;
    }
    if (!look.known || count < 0 || !apply_params(s, &look, params, count)) {
        pass(s, whole);
        return;
    }
    if (!s->wanted.known)
        put(s, "\x1b[m", 3);
    s->wanted = look;
}

/* Whether a control sequence fills no cells: the look may follow it. */
static bool only_moves(char final)
{
    return memchr("ABCDEFGHdf", final, 10) != NULL;
}

/* Whether it clears cells or makes new ones, in the ground that is set. */
static bool only_clears(char final)
{
    return memchr("JKLMPSTX@", final, 9) != NULL;
}

/* The escape sequence at the begin of `rest`; returns its length. */
static size_t take_escape(struct shortener *s, struct str rest)
{
    size_t n = escape_length(rest);
    if (n == 3 && rest.p[1] == '(') {
        bool usual = rest.p[2] == 'B';
        if (!usual || !s->charset_known)
            put(s, rest.p, n);
        s->charset_known = usual;
        return n;
    }
    if (n < 2 || rest.p[1] != '[') {
        pass(s, str_from_to(rest, 0, n));
        return n;
    }
    struct str whole = str_from_to(rest, 0, n);
    char final = whole.p[n - 1];
    if (final == 'm') {
        take_sgr(s, whole);
        return n;
    }
    if (only_clears(final))
        flush_blank(s);
    else if (!only_moves(final))
        flush(s);
    put(s, whole.p, whole.n);
    return n;
}

static void take_shift(struct shortener *s, char shift)
{
    bool usual = shift == SHIFT_IN;
    if (!usual || !s->charset_known)
        put(s, &shift, 1);
    s->charset_known = usual;
}

static size_t text_length(struct str rest)
{
    size_t n = 0;
    while (n < rest.n && rest.p[n] != '\x1b' && rest.p[n] != SHIFT_OUT && rest.p[n] != SHIFT_IN)
        n++;
    return n;
}

size_t sgr_shorten(struct str frame, const uint32_t *palette, bool *plain_before, char *out)
{
    struct shortener s = {.palette = palette,
                          .out = out,
                          .size = frame.n * (palette ? SGR_GROWTH : 1)};
    if (*plain_before) {
        s.is = s.wanted = plain;
        s.charset_known = true;
    }
    for (size_t i = 0; i < frame.n && !s.full;) {
        struct str rest = str_skip(frame, i);
        if (rest.p[0] == '\x1b') {
            i += take_escape(&s, rest);
            continue;
        }
        size_t n = text_length(rest);
        if (n == 0) {
            take_shift(&s, rest.p[0]);
            i++;
            continue;
        }
        take_text(&s, str_from_to(rest, 0, n));
        i += n;
    }
    flush(&s);
    *plain_before = s.charset_known && s.wanted.known && same_look(&s.wanted, &plain);
    return s.full || (!palette && s.n >= frame.n) ? 0 : s.n;
}
