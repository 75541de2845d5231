#include "parsers/perf/ranges.h"

#include <stddef.h>

#include "base/hash.h"

struct perf_range {
    uint64_t start, end;
    uint32_t value;
    struct perf_range *next[]; /* as many as the node is high */
};

/* The pointers that lead to the first range of each level that starts at `start` or later. */
static void find_links(struct perf_ranges *r, uint64_t start,
                       struct perf_range **links[PERF_RANGE_LEVELS])
{
    struct perf_range **next = r->first;
    for (int level = PERF_RANGE_LEVELS - 1; level >= 0; level--) {
        while (next[level] && next[level]->start < start)
            next = next[level]->next;
        links[level] = &next[level];
    }
}

/* A quarter of the nodes of each level is in the next. */
static int height_of_next(struct perf_ranges *r)
{
    uint64_t h = hash_u64(++r->added);
    int height = 1;
    for (; height < PERF_RANGE_LEVELS && (h & 3) == 0; h >>= 2)
        height++;
    return height;
}

static void insert(struct perf_ranges *r, struct arena *arena, uint64_t start, uint64_t end,
                   uint32_t value)
{
    struct perf_range **links[PERF_RANGE_LEVELS];
    int height = height_of_next(r);
    struct perf_range *node =
        arena_alloc(arena, sizeof *node + (size_t)height * sizeof *node->next);
    node->start = start;
    node->end = end;
    node->value = value;
    find_links(r, start, links);
    for (int level = 0; level < height; level++) {
        node->next[level] = *links[level];
        *links[level] = node;
    }
}

/* Takes the first range out that `links` lead to. */
static void unlink_first(struct perf_range **links[PERF_RANGE_LEVELS])
{
    struct perf_range *node = *links[0];
    for (int level = 0; level < PERF_RANGE_LEVELS && *links[level] == node; level++)
        *links[level] = node->next[level];
}

/* The range with the largest start below or at `address`, or NULL. */
static struct perf_range *range_before(const struct perf_ranges *r, uint64_t address)
{
    struct perf_range *const *next = r->first;
    struct perf_range *found = NULL;
    for (int level = PERF_RANGE_LEVELS - 1; level >= 0; level--) {
        while (next[level] && next[level]->start <= address) {
            found = next[level];
            next = found->next;
        }
    }
    return found;
}

void perf_ranges_add(struct perf_ranges *r, struct arena *arena, uint64_t start, uint64_t end,
                     uint32_t value)
{
    struct perf_range **links[PERF_RANGE_LEVELS];
    if (start >= end)
        return;
    struct perf_range *before = start ? range_before(r, start - 1) : NULL;
    if (before && before->end > start) {
        if (before->end > end)
            insert(r, arena, end, before->end, before->value);
        before->end = start;
    }
    find_links(r, start, links);
    while (*links[0] && (*links[0])->end <= end)
        unlink_first(links);
    if (*links[0] && (*links[0])->start < end)
        (*links[0])->start = end;
    insert(r, arena, start, end, value);
}

bool perf_ranges_find(const struct perf_ranges *r, uint64_t address, uint32_t *value)
{
    const struct perf_range *range = range_before(r, address);
    if (!range || address >= range->end)
        return false;
    *value = range->value;
    return true;
}
