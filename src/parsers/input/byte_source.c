#include "parsers/input/byte_source.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "parsers/input/decompress.h"

enum { WINDOW_BYTES = 1 << 20, RELEASE_BYTES = 1 << 22, GZIP_WINDOW = 15 + 16, BARE_WINDOW = -15 };

struct inflate_stream {
    z_stream z;
    struct bytes input;
    size_t taken;
    uint8_t *buffer;
    size_t cap;
    bool gzip, ended, whole;
};

struct byte_source byte_source_memory(struct bytes data, bool mapped,
                                      struct load_progress *progress)
{
    return (struct byte_source){.window = data, .mapped = mapped, .progress = progress};
}

static struct byte_source source_inflate(struct bytes data, int window_bits,
                                         struct load_progress *progress)
{
    struct inflate_stream *g = alloc_array(1, sizeof *g);
    g->gzip = window_bits == GZIP_WINDOW;
    g->input = data;
    g->cap = WINDOW_BYTES;
    g->buffer = alloc_bytes(g->cap);
    g->ended = inflateInit2(&g->z, window_bits) != Z_OK;
    struct byte_source s = {.inflate = g, .progress = progress};
    s.window = (struct bytes){g->buffer, 0};
    byte_source_more(&s, 0);
    return s;
}

struct byte_source byte_source_gzip(struct bytes data, struct load_progress *progress)
{
    return source_inflate(data, GZIP_WINDOW, progress);
}

struct byte_source byte_source_deflated(struct bytes data, struct load_progress *progress)
{
    return source_inflate(data, BARE_WINDOW, progress);
}

void byte_source_release(struct byte_source *s)
{
    if (!s->inflate)
        return;
    inflateEnd(&s->inflate->z);
    free(s->inflate->buffer);
    free(s->inflate);
    s->inflate = NULL;
}

/* Inflates up to `room` bytes to `out`. */
static size_t inflate_some(struct inflate_stream *g, uint8_t *out, size_t room)
{
    size_t done = 0;
    while (done < room && !g->ended) {
        size_t left = g->input.n - g->taken, space = room - done;
        g->z.next_in = (Bytef *)(uintptr_t)(g->input.p + g->taken);
        g->z.avail_in = left < WINDOW_BYTES ? (uInt)left : WINDOW_BYTES;
        g->z.next_out = out + done;
        g->z.avail_out = space < WINDOW_BYTES ? (uInt)space : WINDOW_BYTES;
        uInt offered = g->z.avail_in, asked = g->z.avail_out;
        int rc = inflate(&g->z, Z_NO_FLUSH);
        g->taken += offered - g->z.avail_in;
        done += asked - g->z.avail_out;
        struct bytes rest = {g->input.p + g->taken, g->input.n - g->taken};
        if (g->gzip && rc == Z_STREAM_END && gzip_sniff(rest)) /* members may follow each other */
            rc = inflateReset(&g->z);
        g->ended = rc != Z_OK;
        g->whole = rc == Z_STREAM_END;
    }
    return done;
}

bool byte_source_more(struct byte_source *s, size_t used)
{
    struct inflate_stream *g = s->inflate;
    if (!g || g->ended)
        return false;
    size_t kept = s->window.n - used;
    memmove(g->buffer, g->buffer + used, kept);
    if (kept > g->cap / 2) {
        g->buffer = realloc_array(g->buffer, g->cap, 2);
        g->cap *= 2;
    }
    size_t n = inflate_some(g, g->buffer + kept, g->cap - kept);
    s->cut = g->ended && !g->whole;
    s->window = (struct bytes){g->buffer, kept + n};
    return n > 0 || used > 0;
}

bool byte_source_done(struct byte_source *s, size_t used)
{
    if (s->mapped && used - s->released >= RELEASE_BYTES) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = used / page * page;
        madvise((void *)(uintptr_t)(s->window.p + s->released), whole - s->released, MADV_DONTNEED);
        s->released = whole;
    }
    if (!s->progress)
        return true;
    atomic_store(&s->progress->done, s->inflate ? s->inflate->taken : used);
    return !atomic_load(&s->progress->cancel);
}
