#include "parsers/input/unpacked_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/unnamed_file.h"

/* No more stays in memory. */
enum { BYTES_IN_MEMORY = 2 << 20 };

/* Writes the window and all behind it; the bytes, or 0 where the file cannot be written or loading
 * was cancelled. */
static size_t fill(int fd, struct byte_source *source, bool *cancelled)
{
    size_t size = 0;
    for (size_t n; (n = source->window.n) > 0;) {
        if (!unnamed_file_write(fd, (struct str){(const char *)source->window.p, n}))
            return 0;
        size += n;
        *cancelled = !byte_source_done(source, n);
        if (*cancelled)
            return 0;
        if (!byte_source_more(source, n))
            break;
    }
    return size;
}

struct unpacked_file unpacked_file_make(struct byte_source *source)
{
    struct unpacked_file f = {.mapped = false};
    bool is_little = !source->stream || byte_source_all(source, BYTES_IN_MEMORY);
    int fd = is_little ? -1 : unnamed_file_open();
    if (fd < 0) {
        byte_source_all(source, SIZE_MAX);
        f.bytes = source->window;
        return f;
    }
    size_t size = fill(fd, source, &f.cancelled);
    void *p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    f.mapped = p != MAP_FAILED;
    f.failed = !f.mapped && !f.cancelled;
    f.bytes = f.mapped ? (struct bytes){p, size} : (struct bytes){0};
    close(fd);
    return f;
}

void unpacked_file_release(struct unpacked_file *f)
{
    if (f->mapped)
        munmap((void *)(uintptr_t)f->bytes.p, f->bytes.n);
}
