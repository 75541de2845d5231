#include "parsers/input/utf16.h"

#include <string.h>

#include "base/utf8.h"

enum { UNIT = 2, PAIR = 4, UTF8_MARK = 3 };

static bool is_utf8(struct bytes data)
{
    return data.n > UTF8_MARK && memcmp(data.p, "\xef\xbb\xbf", UTF8_MARK) == 0;
}

bool utf16_sniff(struct bytes data)
{
    if (is_utf8(data))
        return true;
    return data.n > UNIT &&
           ((data.p[0] == 0xff && data.p[1] == 0xfe) || (data.p[0] == 0xfe && data.p[1] == 0xff));
}

/* Whether `n` bytes are held then. */
static bool hold(struct utf16_reader *r, struct bytes *in, size_t n)
{
    for (; r->held_n < n && in->n > 0; in->n--)
        r->held[r->held_n++] = *in->p++;
    return r->held_n >= n;
}

static void drop(struct utf16_reader *r, size_t n)
{
    r->held_n -= n;
    memmove(r->held, r->held + n, r->held_n);
}

static bool read_mark(struct utf16_reader *r, struct bytes *in)
{
    if (!hold(r, in, UNIT))
        return false;
    r->is_utf8 = r->held[0] == 0xef;
    r->is_big_endian = r->held[0] == 0xfe;
    if (r->is_utf8 && !hold(r, in, UTF8_MARK))
        return false;
    r->begun = true;
    r->held_n = 0;
    return true;
}

static uint32_t unit_at(const struct utf16_reader *r, size_t at)
{
    const uint8_t *p = r->held + at;
    return (uint32_t)(r->is_big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

/* Makes the next character the pending one; false where more must follow. */
static bool next_character(struct utf16_reader *r, struct bytes *in, bool is_last)
{
    if (!hold(r, in, UNIT))
        return false;
    uint32_t c = unit_at(r, 0);
    size_t n = UNIT;
    if (c >= 0xd800 && c < 0xdc00) {
        bool is_pair = hold(r, in, PAIR);
        if (!is_pair && !is_last)
            return false;
        uint32_t low = is_pair ? unit_at(r, UNIT) : 0;
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            n = PAIR;
        }
    }
    drop(r, n);
    r->pending_from = 0;
    r->pending_to = utf8_encode(c, r->pending);
    return true;
}

static size_t copy(struct bytes *in, uint8_t *out, size_t room)
{
    size_t n = in->n < room ? in->n : room;
    memcpy(out, in->p, n);
    *in = (struct bytes){in->p + n, in->n - n};
    return n;
}

size_t utf16_read(struct utf16_reader *r, struct bytes *in, bool is_last, uint8_t *out, size_t room)
{
    if (!r->begun && !read_mark(r, in))
        return 0;
    if (r->is_utf8)
        return in->n ? copy(in, out, room) : 0;
    size_t n = 0;
    while (n < room && (r->pending_from < r->pending_to || next_character(r, in, is_last)))
        out[n++] = (uint8_t)r->pending[r->pending_from++];
    return n;
}
