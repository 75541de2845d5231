#include "parsers/input/unpacked_file.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unnamed_file.h"
#include "parsers/input/byte_source.h"

/* Less than this stays in memory: recordings become some ten times as large. */
enum { PACKED_BYTES_IN_MEMORY = 1 << 20 };

/* Fills the file; its size, or 0 where it cannot be written or loading was cancelled. */
static size_t fill(int fd, struct byte_source *source, size_t most, bool *cancelled)
{
    size_t size = 0;
    for (size_t n; (n = source->window.n) > 0;) {
        struct str part = {(const char *)source->window.p, n < most - size ? n : most - size};
        if (!unnamed_file_write(fd, part))
            return 0;
        size += part.n;
        *cancelled = !byte_source_done(source, n);
        if (*cancelled)
            return 0;
        if (size == most || !byte_source_more(source, n))
            break;
    }
    return size;
}

static struct unpacked_file unpack_to_disk(enum compression kind, struct bytes data,
                                           struct load_progress *progress)
{
    struct unpacked_file f = {.mapped = false};
    int fd = unnamed_file_open();
    if (fd < 0)
        return f;
    struct byte_source source = byte_source_compressed(kind, data, progress);
    size_t size = fill(fd, &source, decompress_file_limit(data.n), &f.cancelled);
    byte_source_release(&source);
    void *p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (p != MAP_FAILED) {
        f.bytes = (struct bytes){p, size};
        f.mapped = true;
    }
    return f;
}

struct unpacked_file unpacked_file_make(enum compression kind, struct bytes data,
                                        struct load_progress *progress)
{
    struct unpacked_file f = {.mapped = false};
    if (data.n >= PACKED_BYTES_IN_MEMORY)
        f = unpack_to_disk(kind, data, progress);
    if (f.mapped || f.cancelled)
        return f;
    struct decompressed all = decompress(kind, data, decompress_file_limit(data.n), progress);
    f.bytes = (struct bytes){all.p, all.n};
    f.cancelled = all.cancelled;
    return f;
}

void unpacked_file_release(struct unpacked_file *f)
{
    if (f->mapped)
        munmap((void *)(uintptr_t)f->bytes.p, f->bytes.n);
    else
        free((void *)(uintptr_t)f->bytes.p);
}
