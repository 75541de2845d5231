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

struct byte_source byte_source_compressed(enum compression kind, struct bytes data,
                                          struct load_progress *progress)
{
    struct byte_source s = {.compressed = decompressor_new(kind, data),
                            .room = WINDOW_BYTES,
                            .progress = progress};
    s.window = (struct bytes){alloc_bytes(s.room), 0};
    byte_source_more(&s, 0);
    return s;
}

void byte_source_release(struct byte_source *s)
{
    if (!s->compressed)
        return;
    decompressor_free(s->compressed);
    free((void *)(uintptr_t)s->window.p);
    s->compressed = NULL;
}

bool byte_source_more(struct byte_source *s, size_t used)
{
    struct decompressor *d = s->compressed;
    if (!d || d->ended)
        return false;
    uint8_t *buffer = (uint8_t *)(uintptr_t)s->window.p;
    size_t kept = s->window.n - used;
    memmove(buffer, buffer + used, kept);
    if (kept > s->room / 2) {
        buffer = realloc_array(buffer, s->room, 2);
        s->room *= 2;
    }
    size_t n = decompressor_read(d, buffer + kept, s->room - kept);
    s->cut = d->ended && !d->whole;
    s->window = (struct bytes){buffer, kept + n};
    return n > 0 || used > 0;
}

bool byte_source_done(struct byte_source *s, size_t used)
{
    if (s->mapped && used - s->released >= RELEASE_BYTES) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = used / page * page;
        madvise((void *)(uintptr_t)(s->window.p + s->released), whole - s->released, MADV_DONTNEED);
        s->released = whole;
    }
    return progress_report(s->progress, s->compressed ? s->compressed->taken : used);
}
