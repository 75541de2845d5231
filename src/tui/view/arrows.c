#include "tui/view/arrows.h"

#include <stdlib.h>

#include "base/bisect.h"

void arrows_release(struct arrows *a)
{
    for (size_t i = 0; i < a->queries.count; i++) {
        free(a->queries.items[i].label);
        free(a->queries.items[i].sql);
    }
    vec_release(&a->queries);
    vec_release(&a->entering);
    vec_release(&a->v);
}

/* Slices of the trace first, then by debug track. */
static int compare(struct event_ref a, struct event_ref b)
{
    bool slice_a = a.kind == &slice_events, slice_b = b.kind == &slice_events;
    if (slice_a != slice_b)
        return slice_a ? -1 : 1;
    if (a.debug != b.debug)
        return a.debug < b.debug ? -1 : 1;
    return a.row < b.row ? -1 : a.row > b.row;
}

static int compare_leaving(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;
    int order = compare(x->from, y->from);
    return order ? order : compare(x->to, y->to);
}

static int compare_entering(const void *a, const void *b, void *ctx)
{
    const struct arrow *v = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare(v[x].to, v[y].to);
    return order ? order : x < y ? -1 : x > y;
}

void arrows_add(struct arrows *a, const struct arrow *items, size_t count)
{
    for (size_t i = 0; i < count && a->v.count < UINT32_MAX; i++)
        if (!event_same(items[i].from, items[i].to))
            *vec_push(&a->v) = items[i];
}

void arrows_drop_rows(struct arrows *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->v.count; i++)
        if (!a->v.items[i].of_rows)
            a->v.items[kept++] = a->v.items[i];
    a->v.count = kept;
}

void arrows_sort(struct arrows *a)
{
    a->entering.count = 0;
    if (a->v.count == 0)
        return;
    qsort(a->v.items, a->v.count, sizeof *a->v.items, compare_leaving);
    for (uint32_t i = 0; i < a->v.count; i++)
        *vec_push(&a->entering) = i;
    qsort_r(a->entering.items, a->entering.count, sizeof *a->entering.items, compare_entering,
            a->v.items);
}

const struct arrow *arrows_at(const struct arrows *a, bool enters, size_t i)
{
    return &a->v.items[enters ? a->entering.items[i] : i];
}

static struct event_ref end_at(const struct arrows *a, bool enters, size_t i)
{
    const struct arrow *arrow = arrows_at(a, enters, i);
    return enters ? arrow->to : arrow->from;
}

struct arrow_range arrows_of(const struct arrows *a, struct event_ref event, bool enters)
{
    size_t first =
        BISECT(middle, (size_t)0, a->v.count, compare(end_at(a, enters, middle), event) < 0);
    size_t end = BISECT(middle, first, a->v.count, compare(end_at(a, enters, middle), event) <= 0);
    return (struct arrow_range){first, end - first};
}
