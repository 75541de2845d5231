#include "parsers/byte_source.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "parsers/decompress.h"

enum { WINDOW_BYTES = 1 << 20, RELEASE_BYTES = 1 << 22, GZIP_WINDOW = 15 + 16 };

struct gzip_stream {
    z_stream z;
    struct bytes input;
    size_t taken;
    uint8_t *buffer;
    size_t cap;
    bool ended, whole;
};

struct byte_source byte_source_memory(struct bytes data, bool mapped,
                                      struct load_progress *progress)
{
    return (struct byte_source){.window = data, .mapped = mapped, .progress = progress};
}

struct byte_source byte_source_gzip(struct bytes data, struct load_progress *progress)
{
    struct gzip_stream *g = alloc_array(1, sizeof *g);
    g->input = data;
    g->cap = WINDOW_BYTES;
    g->buffer = alloc_bytes(g->cap);
    g->ended = inflateInit2(&g->z, GZIP_WINDOW) != Z_OK;
    struct byte_source s = {.gzip = g, .progress = progress};
    s.window = (struct bytes){g->buffer, 0};
    byte_source_more(&s, 0);
    return s;
}

void byte_source_release(struct byte_source *s)
{
    if (!s->gzip)
        return;
    inflateEnd(&s->gzip->z);
    free(s->gzip->buffer);
    free(s->gzip);
    s->gzip = NULL;
}

/* Inflates up to `room` bytes to `out`. */
static size_t inflate_some(struct gzip_stream *g, uint8_t *out, size_t room)
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
        if (rc == Z_STREAM_END && gzip_sniff(rest)) /* members may follow each other */
            rc = inflateReset(&g->z);
        g->ended = rc != Z_OK;
        g->whole = rc == Z_STREAM_END;
    }
    return done;
}

bool byte_source_more(struct byte_source *s, size_t used)
{
    struct gzip_stream *g = s->gzip;
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
    atomic_store(&s->progress->done, s->gzip ? s->gzip->taken : used);
    return !atomic_load(&s->progress->cancel);
}
