/* The program's stable sort, which merges what is in order already. Inlined where it is used, so
 * that size and comparison are constants there. Where that does not matter, base/poll_sort.h
 * has it as a function; parsers/input/time_sort.h sorts what a parser read by time. */
#ifndef TPTUI_BASE_MERGE_SORT_H
#define TPTUI_BASE_MERGE_SORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

struct merge_sort {
    size_t size; /* of an item */
    int (*compare)(const void *a, const void *b);
    const atomic_bool *cancel; /* ends the sort when set; NULL: it always goes to the end */
};

enum { MERGE_SORT_STEPS = 1 << 12 }; /* between two looks at `cancel` */

#define MERGE_SORT_INLINE static inline __attribute__((always_inline))

MERGE_SORT_INLINE bool merge_sort_cancelled(const struct merge_sort *m, uint32_t *steps)
{
    return m->cancel && (++*steps & (MERGE_SORT_STEPS - 1)) == 0 &&
           atomic_load_explicit(m->cancel, memory_order_relaxed);
}

/* Two runs, [from, middle) and [middle, to), into one; `left` has room for the first. False when
 * cancelled. */
MERGE_SORT_INLINE bool merge_sort_runs(const struct merge_sort *m, char *from, const char *middle,
                                       const char *to, char *left, uint32_t *steps)
{
    while (from < middle && m->compare(middle, from) >= 0)
        from += m->size;
    const char *a = left, *end = left + (middle - from), *b = middle;
    memcpy(left, from, (size_t)(middle - from));
    for (; a < end && b < to; from += m->size) {
        bool second = m->compare(b, a) < 0;
        memcpy(from, second ? b : a, m->size);
        *(second ? &b : &a) += m->size;
        if (merge_sort_cancelled(m, steps))
            return false;
    }
    memcpy(from, a, (size_t)(end - a));
    return true;
}

/* Sorts like qsort, keeping the order of equal items. False when cancelled, or when memory ran out
 * (alloc_reserve); then the items are in no order, and some may be missing. */
MERGE_SORT_INLINE bool merge_sort(const struct merge_sort *m, void *items, size_t count)
{
    char *p = items;
    VEC(size_t) starts = {0}; /* of the runs, in bytes, and the end */
    uint32_t steps = 0;
    bool done;
    *vec_push(&starts) = 0;
    for (size_t i = m->size; i < count * m->size; i += m->size)
        if (m->compare(p + i, p + i - m->size) < 0)
            *vec_push(&starts) = i;
    *vec_push(&starts) = count * m->size;
    size_t runs = starts.count - 1;
    char *left = runs > 1 ? alloc_try_bytes(count * m->size) : NULL;
    done = runs <= 1 || left;
    while (runs > 1 && done) {
        size_t out = 0;
        for (size_t i = 0; i < runs && done; i += 2) {
            if (i + 1 < runs)
                done = merge_sort_runs(m, p + starts.items[i], p + starts.items[i + 1],
                                       p + starts.items[i + 2], left, &steps);
            starts.items[out++] = starts.items[i];
        }
        starts.items[out] = starts.items[runs];
        runs = out;
    }
    free(left);
    vec_release(&starts);
    return done;
}

#endif
