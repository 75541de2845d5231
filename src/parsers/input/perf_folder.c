#include "parsers/input/perf_folder.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/unnamed_file.h"

enum {
    PARTS_MAX = 4096,
    COPY_BYTES = 1 << 16,
    SECTION_BYTES = 16, /* of a feature: where it is, how long */
};

/* The header of a recording, in the byte order of the machine that recorded. */
struct header {
    char magic[8];
    uint64_t size, attr_size;
    uint64_t attrs, attrs_size, data, data_size, types, types_size;
    uint64_t features[4];
};

/* The magic is a number, too. */
static bool is_big(const struct header *h)
{
    return memcmp(h->magic, "2ELIFREP", sizeof h->magic) == 0;
}

static bool read_header(int fd, struct header *h)
{
    return pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
           (is_big(h) || memcmp(h->magic, "PERFILE2", sizeof h->magic) == 0);
}

/* A number of the header as this machine has it, and back. */
static uint64_t number_of(const struct header *h, uint64_t v)
{
    return is_big(h) ? be64toh(v) : le64toh(v);
}

static int open_part(int folder, unsigned number)
{
    char name[32];
    snprintf(name, sizeof name, "data.%u", number);
    return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Appends up to `n` bytes from there; fewer where the file ends before. */
static bool copy(int from, uint64_t offset, uint64_t n, int to)
{
    char bytes[COPY_BYTES];
    while (n > 0 && offset <= INT64_MAX) {
        size_t step = n < sizeof bytes ? (size_t)n : sizeof bytes;
        ssize_t got = pread(from, bytes, step, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !unnamed_file_write(to, (struct str){bytes, (size_t)got}))
            return false;
        if (got == 0)
            return true;
        offset += (uint64_t)got;
        n -= (uint64_t)got;
    }
    return true;
}

static uint64_t count_features(const struct header *h)
{
    uint64_t n = 0;
    for (int i = 0; i < 4; i++)
        n += (uint64_t)__builtin_popcountll(h->features[i]);
    return n;
}

/* The file as it is; then its records once more with those of the threads, behind which the table
 * of features must stand. */
static bool gather(int folder, int data, int to)
{
    struct header h;
    if (!read_header(data, &h) || !copy(data, 0, UINT64_MAX, to))
        return false;
    uint64_t old = number_of(&h, h.data), old_size = number_of(&h, h.data_size), table;
    off_t begin = lseek(to, 0, SEEK_CUR), end;
    if (begin < 0 || __builtin_add_overflow(old, old_size, &table) ||
        !copy(data, old, old_size, to))
        return false;
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        int part = open_part(folder, i);
        if (part < 0)
            break;
        bool good = copy(part, 0, UINT64_MAX, to);
        close(part);
        if (!good)
            return false;
    }
    end = lseek(to, 0, SEEK_CUR);
    if (end < begin || !copy(data, table, count_features(&h) * SECTION_BYTES, to))
        return false;
    h.data = number_of(&h, (uint64_t)begin);
    h.data_size = number_of(&h, (uint64_t)(end - begin));
    return pwrite(to, &h, sizeof h, 0) == (ssize_t)sizeof h;
}

int perf_folder_open(int folder)
{
    struct header h;
    int data = openat(folder, "data", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (data < 0 || !read_header(data, &h)) {
        if (data >= 0)
            close(data);
        return -1;
    }
    int part = open_part(folder, 0);
    if (part < 0)
        return data;
    close(part);
    int all = unnamed_file_open_or_memory();
    if (all >= 0 && gather(folder, data, all)) {
        close(data);
        return all;
    }
    if (all >= 0)
        close(all);
    return data;
}
