#include "parsers/input/retelling.h"

#include "base/bisect.h"
#include "base/merge_sort.h"
#include "core/time.h"

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

/* The scheduling steps in order of time; how many ns they take. */
static int64_t list_steps(struct sched_states *sched, struct sched_steps *steps)
{
    static const struct merge_sort in_time = {sizeof(struct sched_step), compare_steps, NULL};
    int64_t length = 0;
    sched_states_steps(sched, steps);
    for (size_t i = 0; i < steps->v.count; i++)
        length += sched_step_length(steps->v.items[i].kind);
    merge_sort(&in_time, steps->v.items, steps->v.count);
    return length;
}

/* The time of the moment `i` of `length`: a nanosecond each, but not before 0, where most formats
 * have no times. */
static int64_t moment(int64_t from, int64_t length, int64_t i)
{
    __extension__ typedef __int128 wide;
    if (from < 0 || from >= length)
        return time_plus(time_minus(from, length), i);
    return (int64_t)((wide)i * from / length);
}

/* Steps go behind items of the same time: a thread exists before it is scheduled. */
void retelling_make(struct retelling *r, struct selection *selection, struct sched_states *sched,
                    int64_t from)
{
    static const struct merge_sort by_number = {sizeof(struct window_item), compare_numbers, NULL};
    struct sched_steps steps = {0};
    selection_finish(selection);
    size_t items = selection->kept.count, i = 0, k = 0;
    int64_t length = sched ? list_steps(sched, &steps) : 0;
    for (size_t n = 0; n < items; n++)
        length += !selection->kept.items[n].stays;
    int64_t at = 0;
    r->begin = moment(from, length + 1, 0);
    while (i < items || k < steps.v.count) {
        const struct window_item *item = i < items ? &selection->kept.items[i] : NULL;
        if (item && (k == steps.v.count || item->ts <= steps.v.items[k].ts)) {
            struct window_item *told = vec_push(&r->items);
            *told = *item;
            if (!item->stays)
                told->ts = moment(from, length, at++);
            i++;
        } else {
            struct sched_step step = steps.v.items[k++];
            *vec_push(&r->steps) =
                (struct told_step){moment(from, length, at), moment(from, length, at + 1), step};
            at += sched_step_length(step.kind);
        }
    }
    merge_sort(&by_number, r->items.items, r->items.count);
    vec_release(&steps.v);
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
