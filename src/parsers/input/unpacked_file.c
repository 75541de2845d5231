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

/* Nothing, where `size` is 0, is none. */
static void map_file(struct unpacked_file *f, int fd, size_t size)
{
    void *p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    f->mapped = p != MAP_FAILED;
    f->failed = !f->mapped && !f->cancelled;
    f->bytes = f->mapped ? (struct bytes){p, size} : (struct bytes){0};
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
    map_file(&f, fd, fill(fd, source, &f.cancelled));
    close(fd);
    return f;
}

/* What is in memory moves to the file, which is made for the first of it. */
static bool move_to_file(struct growing_file *g)
{
    if (!g->fd_plus_one) {
        int fd = unnamed_file_open();
        g->without = fd < 0;
        g->fd_plus_one = fd + 1;
    }
    if (g->without)
        return true;
    struct str bytes = {(const char *)g->bytes.items, g->bytes.count};
    g->size += g->bytes.count;
    g->bytes.count = 0;
    return unnamed_file_write(g->fd_plus_one - 1, bytes);
}

bool growing_file_write(struct growing_file *g, const void *p, size_t n)
{
    vec_append(&g->bytes, (const uint8_t *)p, n);
    return g->bytes.count <= BYTES_IN_MEMORY || g->without || move_to_file(g);
}

struct unpacked_file growing_file_end(struct growing_file *g)
{
    struct unpacked_file f = {.bytes = {g->bytes.items, g->bytes.count}};
    if (!g->fd_plus_one)
        return f;
    if (move_to_file(g))
        map_file(&f, g->fd_plus_one - 1, g->size);
    else
        f = (struct unpacked_file){.failed = true};
    vec_release(&g->bytes);
    return f;
}

void growing_file_release(struct growing_file *g)
{
    vec_release(&g->bytes);
    if (g->fd_plus_one)
        close(g->fd_plus_one - 1);
}

void unpacked_file_release(struct unpacked_file *f)
{
    if (f->mapped)
        munmap((void *)(uintptr_t)f->bytes.p, f->bytes.n);
}
