#include "sql/engine/poll_sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct merging {
    const atomic_bool *cancel;
    size_t size;
    int (*compare)(const void *a, const void *b);
    uint32_t steps;
};

/* Two runs that stand behind each other, [from, middle) and [middle, to), into one. */
static inline bool merge(struct merging *m, const char *from, const char *middle, const char *to,
                         char *out, size_t size)
{
    const char *a = from, *b = middle;
    for (; a < middle && b < to; out += size) {
        bool second = m->compare(b, a) < 0;
        memcpy(out, second ? b : a, size);
        *(second ? &b : &a) += size;
        if ((++m->steps & 0xfff) == 0 && atomic_load_explicit(m->cancel, memory_order_relaxed))
            return false;
    }
    memcpy(out, a, (size_t)(middle - a));
    memcpy(out + (middle - a), b, (size_t)(to - b));
    return true;
}

static bool merge_pass(struct merging *m, const char *items, char *out, size_t bytes, size_t run)
{
    for (size_t at = 0; at < bytes;) {
        size_t middle = bytes - at < run ? bytes : at + run;
        size_t to = bytes - middle < run ? bytes : middle + run;
        bool done = m->size == sizeof(double) /* a copy in one go */
                        ? merge(m, items + at, items + middle, items + to, out + at, sizeof(double))
                        : merge(m, items + at, items + middle, items + to, out + at, m->size);
        if (!done)
            return false;
        at = to;
    }
    return true;
}

static bool is_sorted(const char *items, size_t count, size_t size,
                      int (*compare)(const void *a, const void *b))
{
    for (size_t i = 1; i < count; i++)
        if (compare(items + i * size, items + (i - 1) * size) < 0)
            return false;
    return true;
}

bool poll_sort(const atomic_bool *cancel, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b))
{
    struct merging m = {.cancel = cancel, .size = size, .compare = compare};
    bool done = true;
    if (is_sorted(items, count, size, compare))
        return true;
    char *from = items, *spare = alloc_array(count, size), *to = spare;
    for (size_t run = size; run < count * size && done; run *= 2) {
        done = merge_pass(&m, from, to, count * size, run);
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * size);
    free(spare);
    return done;
}
