/* What files of code say of their frames (.eh_frame), read by libdw, which takes no more memory for
 * any of it than is allowed here: files are another's, and a few bytes of one are rules for
 * millions of registers. Of one thread, which allocates nothing else meanwhile. */
#ifndef TPTUI_RECORD_FRAME_FILES_H
#define TPTUI_RECORD_FRAME_FILES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/vec.h"

struct frame_file {
    bool looked_at;
    Elf *elf;
    Dwarf_CFI *cfi; /* NULL: nothing */
};

struct frame_files {
    VEC(struct frame_file) v; /* by the number of the path */
    uint64_t bytes;           /* of all of them */
    int sizes;                /* /proc/self/statm */
    struct rlimit limit;      /* of this process' data; only libdw has less */
    uint64_t most;            /* of it, while a stack is unwound */
};

void frame_files_init(struct frame_files *f);
void frame_files_release(struct frame_files *f);

/* Of the file at that path, for processors of that ELF machine; NULL: it says nothing, or too much.
 */
Dwarf_CFI *frame_files_get(struct frame_files *f, uint32_t number, const char *path,
                           uint16_t machine);

/* Once for each stack, before libdw is asked: what it may take is counted from here on. */
void frame_files_begin_stack(struct frame_files *f);
/* Around questions to libdw: it does without what it cannot allocate. */
void frame_files_limit(const struct frame_files *f);
void frame_files_lift_limit(const struct frame_files *f);

#endif
