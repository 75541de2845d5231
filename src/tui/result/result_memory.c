#include "tui/result/result_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/unnamed_file.h"

enum { SEGMENT_SIZE = 8 << 20, PAGE = 1 << 16 };

void result_memory_init(struct result_memory *m, size_t limit)
{
    *m = (struct result_memory){.limit = limit, .fd = -1};
}

void result_memory_release(struct result_memory *m)
{
    for (size_t i = 0; i < m->segments.count; i++)
        munmap(m->segments.items[i].bytes, m->segments.items[i].size);
    vec_release(&m->segments);
    if (m->fd >= 0)
        close(m->fd);
}

static int open_file(size_t *free_bytes)
{
    struct statvfs disk;
    int fd = unnamed_file_open();
    if (fd >= 0 && fstatvfs(fd, &disk) == 0) {
        *free_bytes = (size_t)disk.f_bavail * disk.f_frsize;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* What is full is looked at now and then: the process needs no memory for it. */
static void forget_last(struct result_memory *m)
{
    if (m->segments.count == 0)
        return;
    struct result_segment *last = &vec_last(&m->segments);
    if (last->is_file)
        madvise(last->bytes, last->size, MADV_DONTNEED);
}

static bool add_segment(struct result_memory *m, size_t size)
{
    struct result_segment s = {.size = size};
    bool fits = m->in_memory < m->limit && size <= m->limit - m->in_memory;
    if (fits) {
        s.bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else {
        size_t free_bytes = 0;
        if (m->fd < 0 && (m->fd = open_file(&free_bytes)) >= 0)
            m->file_limit = free_bytes / 2;
        if (m->fd < 0 || size > m->file_limit - m->in_file ||
            posix_fallocate(m->fd, (off_t)m->in_file, (off_t)size) != 0)
            return false;
        s.is_file = true;
        s.bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)m->in_file);
    }
    if (s.bytes == MAP_FAILED)
        return false;
    *(fits ? &m->in_memory : &m->in_file) += size;
    forget_last(m);
    *vec_push(&m->segments) = s;
    return true;
}

uint8_t *result_memory_take(struct result_memory *m, size_t n)
{
    if (n > SIZE_MAX / 2)
        return NULL;
    n = (n + 7) / 8 * 8;
    const struct result_segment *last = m->segments.count ? &vec_last(&m->segments) : NULL;
    if (!last || last->size - last->used < n) {
        size_t size = n <= SEGMENT_SIZE ? SEGMENT_SIZE : (n + PAGE - 1) / PAGE * PAGE;
        if (!add_segment(m, size))
            return NULL;
    }
    struct result_segment *s = &vec_last(&m->segments);
    uint8_t *piece = s->bytes + s->used;
    s->used += n;
    return piece;
}
