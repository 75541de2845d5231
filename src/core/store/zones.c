#include "core/store/zones.h"

#include <stdlib.h>

#include "base/alloc.h"

/* In four runs that do not wait for each other. */
static int64_t least_of(const int64_t *v, uint32_t n)
{
    int64_t least[4] = {v[0], v[0], v[0], v[0]};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            least[k] = v[i + k] < least[k] ? v[i + k] : least[k];
    for (; i < n; i++)
        least[0] = v[i] < least[0] ? v[i] : least[0];
    for (uint32_t k = 1; k < 4; k++)
        least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

static int64_t greatest_of(const int64_t *v, uint32_t n)
{
    int64_t greatest[4] = {v[0], v[0], v[0], v[0]};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            greatest[k] = v[i + k] > greatest[k] ? v[i + k] : greatest[k];
    for (; i < n; i++)
        greatest[0] = v[i] > greatest[0] ? v[i] : greatest[0];
    for (uint32_t k = 1; k < 4; k++)
        greatest[0] = greatest[k] > greatest[0] ? greatest[k] : greatest[0];
    return greatest[0];
}

static struct zones *make(const struct column *c, uint32_t rows, enum zone_end end)
{
    const int64_t *v = c->data;
    uint32_t count = rows / ZONE_ROWS + (rows % ZONE_ROWS > 0);
    size_t values = count + sizeof(struct zones) / sizeof(int64_t) + 1;
    struct zones *z = alloc_try_array(values, sizeof(int64_t));
    if (!z)
        return NULL;
    z->rows = rows;
    z->count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = i * ZONE_ROWS, left = rows - from, n = left < ZONE_ROWS ? left : ZONE_ROWS;
        z->values[i] = end == ZONE_LEAST ? least_of(v + from, n) : greatest_of(v + from, n);
    }
    return z;
}

const struct zones *zones_of(const struct column *c, uint32_t rows, enum zone_end end)
{
    /* What is kept with a column is no part of its value. */
    struct zones **kept = (struct zones **)(uintptr_t)&c->zones[end];
    struct zones *known = __atomic_load_n(kept, __ATOMIC_ACQUIRE), *none = NULL;
    if (c->def->type != COLUMN_TYPE_I64 || !c->data || c->nulls || rows == 0)
        return NULL;
    if (known)
        return known->rows == rows ? known : NULL;
    struct zones *made = make(c, rows, end);
    if (!made ||
        __atomic_compare_exchange_n(kept, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made); /* another thread was faster */
    return none->rows == rows ? none : NULL;
}

/* Puts a key in the place of the heap's root, which is its least. */
static void replace_least(int64_t *heap, uint32_t n, int64_t key)
{
    uint32_t at = 0, child;
    for (; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= key)
            break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

bool zones_bound(const struct zones *z, enum zone_end end, uint32_t wanted, int64_t *bound)
{
    int64_t *heap = NULL, reverse = end == ZONE_LEAST ? -1 : 0; /* ~v descends */
    if (wanted > 0 && wanted <= z->count)
        heap = alloc_try_array(wanted, sizeof *heap);
    if (!heap)
        return false;
    for (uint32_t i = 0; i < wanted; i++)
        heap[i] = INT64_MIN;
    for (uint32_t i = 0; i < z->count; i++) {
        int64_t key = z->values[i] ^ reverse;
        if (key > heap[0])
            replace_least(heap, wanted, key);
    }
    *bound = heap[0] ^ reverse;
    free(heap);
    return true;
}

void zones_free(struct column *c)
{
    free(c->zones[ZONE_LEAST]);
    free(c->zones[ZONE_GREATEST]);
    c->zones[ZONE_LEAST] = c->zones[ZONE_GREATEST] = NULL;
}
