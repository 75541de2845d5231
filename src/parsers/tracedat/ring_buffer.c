#include "parsers/tracedat/ring_buffer.h"

#include "parsers/perf/wire.h"

enum { HEADER = 4, USUAL_DATA_AT = 16, SMALLEST_PAGE = 32, COMMIT_AT = 8 };
enum { DATA_MAX = 28, PADDING = 29, TIME_EXTEND = 30, TIME_STAMP = 31 };

/* Of the field commit: the length, and that events were lost before the page. */
#define COMMIT_LENGTH UINT64_C(0x0fffffff)
#define COMMIT_MISSED (UINT64_C(1) << 31)
#define COMMIT_STORED (UINT64_C(1) << 30) /* how many */
/* Bits of an absolute time; those above are the last one's. */
#define STAMP_MASK ((UINT64_C(1) << 59) - 1)

/* "	field: char data;	offset:16;	size:4080;	signed:1;" */
static size_t data_offset(struct str header_page)
{
    struct str label = STR("char data;"), offset = STR("offset:");
    const char *at = header_page.n ? memmem(header_page.p, header_page.n, label.p, label.n) : NULL;
    if (!at)
        return USUAL_DATA_AT;
    struct str rest = str_skip(header_page, (size_t)(at - header_page.p));
    at = memmem(rest.p, rest.n, offset.p, offset.n);
    if (!at)
        return USUAL_DATA_AT;
    rest = str_skip(rest, (size_t)(at - rest.p) + offset.n);
    uint64_t v;
    bool known = str_to_u64(str_from_to(rest, 0, str_find(rest, ';')), 10, &v) &&
                 v >= COMMIT_AT + HEADER && v <= USUAL_DATA_AT;
    return known ? (size_t)v : USUAL_DATA_AT;
}

struct ring_buffer ring_buffer_make(struct bytes pages, size_t page_size, struct str header_page,
                                    bool big)
{
    if (page_size < SMALLEST_PAGE)
        page_size = pages.n;
    return (struct ring_buffer){.pages = pages,
                                .page_size = page_size,
                                .data_at = data_offset(header_page),
                                .big = big};
}

static uint64_t commit_of(const struct ring_buffer *r, bool big)
{
    const uint8_t *p = r->pages.p + COMMIT_AT;
    return r->data_at == USUAL_DATA_AT ? perf_load64(p, big) : perf_load32(p, big);
}

bool ring_buffer_tells_order(const struct ring_buffer *r, bool *big)
{
    if (r->pages.n < r->data_at)
        return false;
    uint64_t flags = COMMIT_MISSED | COMMIT_STORED;
    bool fits[2];
    for (int order = 0; order < 2; order++)
        fits[order] = (commit_of(r, order) & ~flags) <= r->page_size;
    *big = fits[true];
    return fits[false] != fits[true];
}

static bool next_page(struct ring_buffer *r)
{
    if (r->pages.n < r->data_at || r->pages.n == 0)
        return false;
    size_t size = r->page_size < r->pages.n ? r->page_size : r->pages.n;
    const uint8_t *p = r->pages.p;
    uint64_t commit = commit_of(r, r->big);
    size_t length = (size_t)(commit & COMMIT_LENGTH);
    r->ts = perf_load64(p, r->big);
    r->lost |= (commit & COMMIT_MISSED) != 0;
    r->next = p + r->data_at;
    r->end = p + (length < size - r->data_at ? r->data_at + length : size);
    r->pages.p += size;
    r->pages.n -= size;
    return true;
}

static uint32_t word_at(const struct ring_buffer *r, size_t offset)
{
    return (size_t)(r->end - r->next) >= offset + 4 ? perf_load32(r->next + offset, r->big) : 0;
}

/* What is in no event's data: padding and times. False where the page ends. */
static bool skip_filler(struct ring_buffer *r, uint32_t type, uint32_t delta)
{
    uint64_t more = word_at(r, HEADER);
    size_t left = (size_t)(r->end - r->next), length = 2 * HEADER;
    if (type == PADDING) {
        if (delta == 0 || more > left)
            return false;
        length = HEADER + (size_t)more;
        r->ts += delta;
    } else if (type == TIME_EXTEND) {
        r->ts += (more << 27) + delta;
    } else {
        r->ts = (r->ts & ~STAMP_MASK) | (((more << 27) + delta) & STAMP_MASK);
    }
    if (length > left)
        return false;
    r->next += length;
    return true;
}

bool ring_buffer_next(struct ring_buffer *r, struct bytes *data)
{
    for (;;) {
        size_t left = (size_t)(r->end - r->next);
        if (left < HEADER) {
            if (!next_page(r))
                return false;
            continue;
        }
        uint32_t header = perf_load32(r->next, r->big);
        uint32_t type = r->big ? header >> 27 : header & 31;
        uint32_t delta = r->big ? header & 0x7ffffff : header >> 5;
        if (type > DATA_MAX) {
            if (!skip_filler(r, type, delta))
                r->next = r->end;
            continue;
        }
        size_t at = HEADER, n = type * 4;
        if (type == 0) {
            uint32_t length = word_at(r, HEADER);
            at = 2 * HEADER;
            n = length >= HEADER ? length - HEADER : 0;
        }
        r->ts += delta;
        if (at > left || n > left - at) {
            r->next = r->end;
            continue;
        }
        *data = (struct bytes){r->next + at, n};
        r->next += at + (n + 3) / 4 * 4;
        if (r->next > r->end)
            r->next = r->end;
        return true;
    }
}
