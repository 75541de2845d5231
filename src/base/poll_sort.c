#include "base/poll_sort.h"

#include "base/merge_sort.h"

bool poll_sort(const atomic_bool *cancel, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b))
{
    const struct merge_sort any = {size, compare, cancel};
    const struct merge_sort numbers = {sizeof(double), compare, cancel}; /* a copy in one go */
    return size == sizeof(double) ? merge_sort(&numbers, items, count)
                                  : merge_sort(&any, items, count);
}
