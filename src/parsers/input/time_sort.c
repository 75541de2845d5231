#include "parsers/input/time_sort.h"

#include "base/merge_sort.h"

static int compare(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts)
                          : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The buffers that a tracer wrote one after the other are sorted runs. */
void time_sort(struct timed *r, size_t count)
{
    static const struct merge_sort by_time = {sizeof(struct timed), compare, NULL};
    merge_sort(&by_time, r, count);
}
