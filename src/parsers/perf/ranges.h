/* What lies where in a space of addresses: ranges that do not overlap, each with a number. A skip
 * list: adding and finding take O(log n), in whatever order ranges come. */
#ifndef TPTUI_PARSERS_PERF_RANGES_H
#define TPTUI_PARSERS_PERF_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { PERF_RANGE_LEVELS = 12 };

struct perf_range;

/* All zero is an empty one. */
struct perf_ranges {
    struct perf_range *first[PERF_RANGE_LEVELS];
    uint64_t added; /* decides how high nodes are */
};

/* [start, end) has that value from now on; what was there is cut. An empty range changes nothing.
 * Memory comes from `arena`, which must outlast `r`. */
void perf_ranges_add(struct perf_ranges *r, struct arena *arena, uint64_t start, uint64_t end,
                     uint32_t value);
/* False where no range has the address. */
bool perf_ranges_find(const struct perf_ranges *r, uint64_t address, uint32_t *value);

#endif
