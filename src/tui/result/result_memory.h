/* Memory for the rows of a result: up to a limit the machine's, beyond it that of a file without a
 * name, which the system may write out and drop as it likes. Pieces never move. */
#ifndef TPTUI_TUI_RESULT_RESULT_MEMORY_H
#define TPTUI_TUI_RESULT_RESULT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct result_segment {
    uint8_t *bytes;
    size_t size, used;
    bool is_file;
};

struct result_memory {
    VEC(struct result_segment) segments;
    size_t limit;     /* bytes of the machine's memory */
    size_t in_memory; /* of those obtained */
    size_t in_file, file_limit;
    int fd; /* -1: none yet */
};

void result_memory_init(struct result_memory *m, size_t limit);
void result_memory_release(struct result_memory *m);

/* `n` bytes, aligned to 8; NULL where neither memory nor disk has them. The disk is filled by half
 * of what is free at most. */
uint8_t *result_memory_take(struct result_memory *m, size_t n);

#endif
