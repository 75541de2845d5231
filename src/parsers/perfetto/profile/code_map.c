#include "parsers/perfetto/profile/code_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"

void code_map_release(struct code_map *m)
{
    for (size_t i = 0; i < m->blocks.count; i++)
        free(m->blocks.items[i]);
    vec_release(&m->blocks);
}

/* The first block whose last range ends behind `address`. */
static size_t find_block(const struct code_map *m, uint64_t address)
{
    struct code_block *const *blocks = m->blocks.items;
    return BISECT(i, 0, m->blocks.count, blocks[i]->ranges[blocks[i]->count - 1].end <= address);
}

/* The first range of the block that ends behind `address`. */
static uint32_t find_range(const struct code_block *b, uint64_t address)
{
    return BISECT(i, 0, b->count, b->ranges[i].end <= address);
}

bool code_map_find(const struct code_map *m, uint64_t address, struct code_range *out)
{
    size_t block = find_block(m, address);
    if (block == m->blocks.count)
        return false;
    const struct code_block *b = m->blocks.items[block];
    *out = b->ranges[find_range(b, address)];
    return out->start <= address;
}

bool code_map_take(struct code_map *m, uint64_t start, uint64_t end, struct code_range *out)
{
    size_t block = find_block(m, start);
    if (block == m->blocks.count)
        return false;
    struct code_block *b = m->blocks.items[block];
    uint32_t at = find_range(b, start);
    *out = b->ranges[at];
    if (out->start >= end)
        return false;
    b->count--;
    memmove(&b->ranges[at], &b->ranges[at + 1], (b->count - at) * sizeof b->ranges[0]);
    if (b->count > 0)
        return true;
    free(b);
    m->blocks.count--;
    memmove(&m->blocks.items[block], &m->blocks.items[block + 1],
            (m->blocks.count - block) * sizeof m->blocks.items[0]);
    return true;
}

static struct code_block *insert_block(struct code_map *m, size_t at)
{
    vec_push(&m->blocks);
    memmove(&m->blocks.items[at + 1], &m->blocks.items[at],
            (m->blocks.count - 1 - at) * sizeof m->blocks.items[0]);
    m->blocks.items[at] = alloc_array(1, sizeof(struct code_block));
    return m->blocks.items[at];
}

void code_map_add(struct code_map *m, struct code_range range)
{
    size_t block = find_block(m, range.start);
    if (m->blocks.count == 0)
        insert_block(m, 0);
    else if (block == m->blocks.count)
        block--;
    struct code_block *b = m->blocks.items[block];
    if (b->count == CODE_BLOCK_MAX) {
        struct code_block *upper = insert_block(m, block + 1);
        upper->count = CODE_BLOCK_MAX / 2;
        b->count -= upper->count;
        memcpy(upper->ranges, &b->ranges[b->count], upper->count * sizeof b->ranges[0]);
        if (range.start >= b->ranges[b->count - 1].end)
            b = upper;
    }
    uint32_t at = find_range(b, range.start);
    memmove(&b->ranges[at + 1], &b->ranges[at], (b->count - at) * sizeof b->ranges[0]);
    b->ranges[at] = range;
    b->count++;
}
