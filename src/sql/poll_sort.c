#include "sql/poll_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct merging {
    const struct sql_session *session;
    size_t size;
    int (*compare)(const void *a, const void *b);
    uint32_t steps;
};

/* Two runs that stand behind each other, [from, middle) and [middle, to), into one. */
static bool merge(struct merging *m, const char *from, const char *middle, const char *to,
                  char *out)
{
    const char *a = from, *b = middle;
    for (; a < middle && b < to; out += m->size) {
        bool second = m->compare(b, a) < 0;
        memcpy(out, second ? b : a, m->size);
        *(second ? &b : &a) += m->size;
        if (session_poll(m->session, &m->steps))
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
        if (!merge(m, items + at, items + middle, items + to, out + at))
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

bool poll_sort(const struct sql_session *s, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b))
{
    struct merging m = {.session = s, .size = size, .compare = compare};
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
