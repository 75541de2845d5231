#include "parsers/input/time_sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

static bool comes_before(const struct timed *a, const struct timed *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->rank < b->rank;
}

/* Merges [from, mid) and [mid, to) of `r`, stably; `left` has room for the first of them. */
static void merge_runs(struct timed *r, size_t from, size_t mid, size_t to, struct timed *left)
{
    while (from < mid && !comes_before(&r[mid], &r[from]))
        from++;
    size_t n = mid - from, i = 0, j = mid, out = from;
    memcpy(left, r + from, n * sizeof *left);
    while (i < n && j < to)
        r[out++] = comes_before(&r[j], &left[i]) ? r[j++] : left[i++];
    memcpy(r + out, left + i, (n - i) * sizeof *left);
}

/* Natural merge sort: the buffers that a tracer wrote one after the other are sorted runs. */
void time_sort(struct timed *r, size_t count)
{
    VEC(size_t) starts = {0};
    *vec_push(&starts) = 0;
    for (size_t i = 1; i < count; i++)
        if (comes_before(&r[i], &r[i - 1]))
            *vec_push(&starts) = i;
    *vec_push(&starts) = count;
    size_t runs = starts.count - 1;
    struct timed *left = runs > 1 ? alloc_array(count, sizeof *left) : NULL;
    while (runs > 1) {
        size_t out = 0;
        for (size_t i = 0; i < runs; i += 2) {
            if (i + 1 < runs)
                merge_runs(r, starts.items[i], starts.items[i + 1], starts.items[i + 2], left);
            starts.items[out++] = starts.items[i];
        }
        starts.items[out] = starts.items[runs];
        runs = out;
    }
    free(left);
    vec_release(&starts);
}
