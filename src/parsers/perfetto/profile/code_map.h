/* Which piece of generated code is where: address ranges that do not overlap, in order. A list of
 * short sorted blocks, so that an insertion moves little. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_CODE_MAP_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct code_range {
    uint64_t start, end; /* end is beyond */
    uint32_t code;
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
