#include "parsers/input/byte_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

enum { WINDOW_BYTES = 1 << 20, RELEASE_BYTES = 1 << 22 };

struct byte_source byte_source_memory(struct bytes data, bool mapped,
                                      struct load_progress *progress)
{
    return (struct byte_source){.window = data, .mapped = mapped, .progress = progress};
}

struct byte_source byte_source_stream(struct byte_stream *stream, size_t size,
                                      struct load_progress *progress)
{
    struct byte_source s = {.stream = stream, .room = size, .progress = progress};
    s.window = (struct bytes){alloc_bytes(s.room), 0};
    byte_source_more(&s, 0);
    return s;
}

struct compressed_stream {
    struct byte_stream stream;
    struct decompressor *decompressor;
};

static size_t compressed_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct decompressor *d = ((struct compressed_stream *)stream)->decompressor;
    size_t n = decompressor_read(d, out, room);
    stream->taken = d->taken;
    stream->cut = d->ended && !d->whole;
    return n;
}

static void compressed_release(struct byte_stream *stream)
{
    decompressor_free(((struct compressed_stream *)stream)->decompressor);
    free(stream);
}

struct byte_source byte_source_compressed(enum compression kind, struct bytes data,
                                          struct load_progress *progress)
{
    struct compressed_stream *c = alloc_array(1, sizeof *c);
    c->stream.read = compressed_read;
    c->stream.release = compressed_release;
    c->decompressor = decompressor_new(kind, data);
    return byte_source_stream(&c->stream, WINDOW_BYTES, progress);
}

void byte_source_release(struct byte_source *s)
{
    if (!s->stream)
        return;
    s->stream->release(s->stream);
    free((void *)(uintptr_t)s->window.p);
    s->stream = NULL;
}

bool byte_source_more(struct byte_source *s, size_t used)
{
    if (!s->stream || s->ended)
        return false;
    uint8_t *buffer = (uint8_t *)(uintptr_t)s->window.p;
    size_t kept = s->window.n - used, end = kept;
    memmove(buffer, buffer + used, kept);
    if (kept > s->room / 2) {
        buffer = realloc_array(buffer, s->room, 2);
        s->room *= 2;
    }
    while (end < s->room && !s->ended) {
        size_t n = s->stream->read(s->stream, buffer + end, s->room - end);
        s->ended = n == 0;
        end += n;
        s->unpacked += n;
    }
    s->cut = s->ended && s->stream->cut;
    s->window = (struct bytes){buffer, end};
    return end > kept || used > 0;
}

bool byte_source_all(struct byte_source *s, size_t most)
{
    while (s->window.n <= most && byte_source_more(s, 0)) {
    }
    return s->window.n <= most;
}

bool byte_source_done(struct byte_source *s, size_t used)
{
    if (s->mapped && used - s->released >= RELEASE_BYTES) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = used / page * page;
        madvise((void *)(uintptr_t)(s->window.p + s->released), whole - s->released, MADV_DONTNEED);
        s->released = whole;
    }
    return progress_report(s->progress, s->stream ? s->stream->taken : used);
}
