#include "parsers/input/utf16.h"

#include <string.h>

#include "base/utf8.h"

enum { UNIT = 2, UTF8_MARK = 3 };

static bool is_big_endian(struct bytes data)
{
    return data.p[0] == 0xfe;
}

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

struct utf16_reader utf16_reader_begin(struct bytes input)
{
    size_t mark = is_utf8(input) ? UTF8_MARK : UNIT;
    return (struct utf16_reader){.input = input, .taken = input.n < mark ? input.n : mark};
}

static uint32_t unit_at(const struct utf16_reader *r, size_t at)
{
    const uint8_t *p = r->input.p + at;
    bool big = is_big_endian(r->input);
    return (uint32_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

/* Makes the next character the pending one; false at the end. */
static bool next_character(struct utf16_reader *r)
{
    if (r->input.n - r->taken < UNIT)
        return false;
    uint32_t c = unit_at(r, r->taken);
    r->taken += UNIT;
    if (c >= 0xd800 && c < 0xdc00 && r->input.n - r->taken >= UNIT) {
        uint32_t low = unit_at(r, r->taken);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            r->taken += UNIT;
        }
    }
    r->pending_from = 0;
    r->pending_to = utf8_encode(c, r->pending);
    return true;
}

static size_t copy(struct utf16_reader *r, uint8_t *out, size_t room)
{
    size_t left = r->input.n - r->taken, n = left < room ? left : room;
    memcpy(out, r->input.p + r->taken, n);
    r->taken += n;
    return n;
}

size_t utf16_read(struct utf16_reader *r, uint8_t *out, size_t room)
{
    if (is_utf8(r->input))
        return copy(r, out, room);
    size_t n = 0;
    while (n < room && (r->pending_from < r->pending_to || next_character(r)))
        out[n++] = (uint8_t)r->pending[r->pending_from++];
    return n;
}
