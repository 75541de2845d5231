#include "base/shown_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

static bool write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, p, n);
        if (written < 0 && errno != EINTR)
            return false;
        p += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* Whether more bytes may make a character of those that are left. */
static bool is_beginning(struct str rest)
{
    unsigned char first = (unsigned char)rest.p[0];
    size_t size = first < 0xC2 || first > 0xF4 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < rest.n; i++)
        if (((unsigned char)rest.p[i] & 0xC0) != 0x80)
            return false;
    return rest.n < size;
}

/* Shows all but the beginning of a character at the end, unless nothing will follow. */
static bool show(struct shown_stream *s, bool all)
{
    struct str rest = {s->text.items, s->text.count};
    char glyph[TEXT_ESCAPE_MAX];
    s->shown.count = 0;
    while (rest.n > 0 && (all || !is_beginning(rest))) {
        struct text_glyph g = text_escape_next(rest, glyph);
        if (rest.p[0] == '\n' || rest.p[0] == '\t')
            *vec_push(&s->shown) = rest.p[0];
        else
            vec_append(&s->shown, glyph, g.size);
        rest = str_skip(rest, g.used);
    }
    if (rest.n > 0)
        memmove(s->text.items, rest.p, rest.n);
    s->text.count = rest.n;
    return write_all(s->fd, s->shown.items, s->shown.count);
}

static ssize_t take(void *cookie, const char *bytes, size_t n)
{
    struct shown_stream *s = cookie;
    vec_append(&s->text, bytes, n);
    return show(s, false) ? (ssize_t)n : 0;
}

static int end(void *cookie)
{
    struct shown_stream *s = cookie;
    bool ok = show(s, true);
    vec_release(&s->text);
    vec_release(&s->shown);
    return ok ? 0 : -1;
}

FILE *shown_stream_open(struct shown_stream *s, int fd)
{
    *s = (struct shown_stream){.fd = fd};
    return fopencookie(s, "w", (cookie_io_functions_t){.write = take, .close = end});
}
