#include "parsers/input/retelling.h"

#include "base/bisect.h"
#include "base/merge_sort.h"
#include "text/time.h"

static int compare_steps(const void *a, const void *b)
{
    const struct sched_step *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct window_item *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The scheduling steps in order of time. */
static void list_steps(struct sched_states *sched, struct sched_steps *steps)
{
    static const struct merge_sort in_time = {sizeof(struct sched_step), compare_steps, NULL};
    if (!sched)
        return;
    sched_states_steps(sched, steps);
    merge_sort(&in_time, steps->v.items, steps->v.count);
}

/* Steps go behind items of the same time: a thread exists before it is scheduled. */
static void merge_steps(struct retelling *r, const struct selection *selection,
                        const struct sched_steps *steps)
{
    size_t items = selection->kept.count, i = 0, k = 0;
    while (i < items || k < steps->v.count) {
        const struct window_item *item = i < items ? &selection->kept.items[i] : NULL;
        bool is_item = item && (k == steps->v.count || item->ts <= steps->v.items[k].ts);
        if (is_item) {
            *vec_push(&r->items) = *item;
            i++;
        } else {
            *vec_push(&r->steps) = (struct told_step){.step = steps->v.items[k++]};
        }
        *vec_push(&r->order) = is_item;
    }
}

/* A nanosecond before `next`, or more where that is not whole us from the item's own time. */
static int64_t moment_of_item(const struct window_item *item, int64_t next)
{
    int64_t at = time_minus(next, 1), late = time_minus(at, item->ts) % 1000;
    if (!item->whole_us)
        return at;
    return time_minus(at, late < 0 ? late + 1000 : late); /* it may have been later itself */
}

/* From the window's begin back. */
static void set_moments(struct retelling *r, int64_t from)
{
    size_t i = r->items.count, k = r->steps.count;
    int64_t next = from;
    for (size_t n = r->order.count; n-- > 0;) {
        if (r->order.items[n]) {
            struct window_item *item = &r->items.items[--i];
            if (!item->stays)
                item->ts = next = moment_of_item(item, next);
            continue;
        }
        struct told_step *told = &r->steps.items[--k];
        told->next_ts = time_minus(next, 1);
        told->ts = next = time_minus(next, sched_step_length(told->step.kind));
    }
    r->begin = time_minus(next, 1);
}

/* Of a time from r->begin to `from`, one as far from 0 to `from`. */
static int64_t squeezed(const struct retelling *r, int64_t ts, int64_t from)
{
    __extension__ typedef __int128 wide;
    wide length = (wide)from - r->begin;
    return (int64_t)(((wide)ts - r->begin) * from / length);
}

/* Most formats have no times before 0. */
static void squeeze(struct retelling *r, int64_t from)
{
    if (from < 0 || r->begin >= 0)
        return;
    for (size_t i = 0; i < r->items.count; i++)
        if (!r->items.items[i].stays)
            r->items.items[i].ts = squeezed(r, r->items.items[i].ts, from);
    for (size_t k = 0; k < r->steps.count; k++) {
        r->steps.items[k].ts = squeezed(r, r->steps.items[k].ts, from);
        r->steps.items[k].next_ts = squeezed(r, r->steps.items[k].next_ts, from);
    }
    r->begin = 0;
}

void retelling_make(struct retelling *r, struct selection *selection, struct sched_states *sched,
                    int64_t from)
{
    static const struct merge_sort by_number = {sizeof(struct window_item), compare_numbers, NULL};
    struct sched_steps steps = {0};
    selection_finish(selection, from);
    list_steps(sched, &steps);
    merge_steps(r, selection, &steps);
    set_moments(r, from);
    squeeze(r, from);
    merge_sort(&by_number, r->items.items, r->items.count);
    vec_release(&steps.v);
    vec_release(&r->order);
}

void retelling_release(struct retelling *r)
{
    vec_release(&r->items);
    vec_release(&r->steps);
}

static size_t first_from(const struct retelling *r, uint64_t number)
{
    return BISECT(i, (size_t)0, r->items.count, r->items.items[i].number < number);
}

const struct window_item *retelling_find(const struct retelling *r, uint64_t number)
{
    size_t at = first_from(r, number);
    return at < r->items.count && r->items.items[at].number == number ? &r->items.items[at] : NULL;
}

bool retelling_at(const struct retelling *r, uint64_t number, int64_t *ts)
{
    const struct window_item *item = retelling_find(r, number);
    if (item)
        *ts = item->ts;
    return item;
}

bool retelling_has(const struct retelling *r, uint64_t from, uint64_t to)
{
    size_t at = first_from(r, from);
    return at < r->items.count && r->items.items[at].number < to;
}
