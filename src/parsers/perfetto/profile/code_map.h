/* Which piece of generated code lies where: a sorted list of address ranges that do not overlap,
 * kept in short blocks, so that an insertion moves little. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_CODE_MAP_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct code_range {
    uint64_t start, end; /* addresses; the first and the one behind the last */
    uint32_t code;       /* the caller's number */
};

enum { CODE_BLOCK_MAX = 256 };

struct code_block {
    uint32_t count; /* never 0 */
    struct code_range ranges[CODE_BLOCK_MAX];
};

struct code_map {
    VEC(struct code_block *) blocks;
};

void code_map_release(struct code_map *m);

/* The range that contains an address; false where there is none. */
bool code_map_find(const struct code_map *m, uint64_t address, struct code_range *out);
/* Takes out the first range that overlaps [start, end); false where none does. */
bool code_map_take(struct code_map *m, uint64_t start, uint64_t end, struct code_range *out);
/* Adds a range that overlaps none of those that are there. */
void code_map_add(struct code_map *m, struct code_range range);

#endif
