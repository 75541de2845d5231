#include "record/buffer_size.h"

#include <stdio.h>
#include <unistd.h>

#include "record/tracefs.h"

/* Of all buffers together, at most a share of memory; of one, these bounds. */
enum { LEAST = 1 << 20, FIRST = 4 << 20, MOST = 128 << 20, MEMORY_SHARE = 32, SHIFT_KB = 10 };

static void set(struct buffer_size *b, int instance, uint32_t cpu, size_t bytes)
{
    char path[64], kb[24];
    snprintf(path, sizeof path, "per_cpu/cpu%u/buffer_size_kb", cpu);
    snprintf(kb, sizeof kb, "%zu", bytes >> SHIFT_KB);
    if (write_file_at(instance, path, kb))
        b->bytes = bytes;
    else
        b->most = b->bytes; /* no memory: it is as large as it will be */
}

struct buffer_size buffer_size_begin(int instance, uint32_t cpu, int64_t wanted, uint32_t cpus)
{
    size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t share = memory / MEMORY_SHARE / cpus;
    size_t most = share < LEAST ? LEAST : share > MOST ? MOST : share;
    struct buffer_size b = {.bytes = LEAST, .most = wanted > 0 ? (size_t)wanted : most};
    set(&b, instance, cpu, wanted > 0 ? (size_t)wanted : most < FIRST ? most : FIRST);
    return b;
}

void buffer_size_grow(struct buffer_size *b, int instance, uint32_t cpu, size_t taken)
{
    if (taken > b->bytes / 3 && b->bytes < b->most)
        set(b, instance, cpu, b->bytes * 2 < b->most ? b->bytes * 2 : b->most);
}
