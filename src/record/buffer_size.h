/* How large the kernel's ring buffer of a cpu is: by memory at the begin, then by the rate. */
#ifndef TPTUI_RECORD_BUFFER_SIZE_H
#define TPTUI_RECORD_BUFFER_SIZE_H

#include <stddef.h>
#include <stdint.h>

struct buffer_size {
    size_t bytes, most;
};

/* Sets it; `wanted` bytes, or 0: by the machine's memory. */
struct buffer_size buffer_size_begin(int instance, uint32_t cpu, int64_t wanted, uint32_t cpus);
/* `taken` bytes were in the buffer: it becomes larger where that was more than a third of it. */
void buffer_size_grow(struct buffer_size *b, int instance, uint32_t cpu, size_t taken);

#endif
