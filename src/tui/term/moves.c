#include "tui/term/moves.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "tui/term/escape.h"

/* Where the cursor is: row 0 where nobody knows. */
struct place {
    uint64_t row, column;
};

/* "12;34" of ESC [ 12;34 H. */
static struct place read_place(struct str params)
{
    size_t middle = str_find(params, ';');
    struct place p = {0, 0};
    if (middle == params.n || !str_to_u64(str_from_to(params, 0, middle), 10, &p.row) ||
        !str_to_u64(str_skip(params, middle + 1), 10, &p.column))
        return (struct place){0, 0};
    return p;
}

/* Follows a sequence; returns how many bytes of it to leave out behind its ESC [. */
static size_t take_sequence(struct place *at, struct str s)
{
    if (s.n < 3 || s.p[1] != '[') {
        if (s.n < 2 || s.p[1] != '(')
            at->row = 0;
        return 0;
    }
    char final = s.p[s.n - 1];
    struct str params = str_from_to(s, 2, s.n - 1);
    if (final == 'H') {
        struct place to = read_place(params);
        bool same = to.row != 0 && to.row == at->row;
        *at = to;
        return same ? str_find(params, ';') + 1 : 0;
    }
    if (final == 'G') {
        if (!str_to_u64(params, 10, &at->column))
            at->row = 0;
    } else if (!memchr("mKXP@", final, 5)) {
        at->row = 0;
    }
    return 0;
}

static size_t take_character(struct place *at, struct str rest, int width)
{
    struct utf8_char c = utf8_decode(rest);
    if (c.ch == SHIFT_OUT || c.ch == SHIFT_IN)
        return c.size;
    at->column += c.ch < ' ' ? (uint64_t)width : (uint64_t)utf8_width(c.ch);
    if (at->column > (uint64_t)width)
        at->row = 0;
    return c.size;
}

size_t moves_shorten(char *frame, size_t n, int width)
{
    struct place at = {0, 0};
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        struct str rest = {frame + i, n - i};
        size_t used, cut = 0;
        if (*rest.p != '\x1b') {
            used = take_character(&at, rest, width);
        } else {
            used = escape_length(rest);
            cut = take_sequence(&at, (struct str){rest.p, used});
        }
        size_t head = cut > 0 ? 2 : 0;
        memmove(frame + out, frame + i, head);
        memmove(frame + out + head, frame + i + head + cut, used - head - cut);
        out += used - cut;
        if (cut > 0)
            frame[out - 1] = 'G';
        i += used;
    }
    return out;
}
