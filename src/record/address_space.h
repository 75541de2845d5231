/* Which files the addresses of processes are of: from /proc at the begin, then as the kernel tells
 * of mappings. */
#ifndef TPTUI_RECORD_ADDRESS_SPACE_H
#define TPTUI_RECORD_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_list.h"
#include "base/map.h"

/* Code of a file in a process. */
struct space_range {
    uint64_t start, end, offset; /* offset in the file */
    uint32_t path;               /* index of space_path() */
};

struct address_space {
    VEC(struct space_range) ranges; /* by start, none overlaps another */
};

struct address_spaces {
    struct map by_pid; /* -> index of `spaces` */
    VEC(struct address_space) spaces;
    VEC(uint32_t) unused; /* indexes */
    struct map by_path;   /* hash -> index of `paths` */
    VEC(uint32_t) paths;  /* where they begin in `names` */
    struct byte_list names, text;
};

void address_spaces_release(struct address_spaces *a);

/* NULL where the address is in no file that is known. */
const struct space_range *address_spaces_find(struct address_spaces *a, int32_t pid,
                                              uint64_t address);
const char *address_spaces_path(const struct address_spaces *a, uint32_t path);

/* What the kernel tells: a mapping of code, a process made by another, a new program, an end. */
void address_spaces_map(struct address_spaces *a, int32_t pid, uint64_t start, uint64_t size,
                        uint64_t offset, struct str path);
void address_spaces_fork(struct address_spaces *a, int32_t parent, int32_t pid);
void address_spaces_exec(struct address_spaces *a, int32_t pid);
void address_spaces_exit(struct address_spaces *a, int32_t pid);

#endif
