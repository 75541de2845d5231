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

/* Steps go behind items of the same time: a thread exists before it is scheduled. */
void retelling_make(struct retelling *r, struct selection *selection, struct sched_states *sched,
                    int64_t from)
{
    static const struct merge_sort by_number = {sizeof(struct window_item), compare_numbers, NULL};
    struct sched_steps steps = {0};
    selection_finish(selection);
    size_t items = selection->kept.count, i = 0, k = 0;
    int64_t length = (int64_t)items + (sched ? list_steps(sched, &steps) : 0);
    int64_t at = time_minus(from, length);
    while (i < items || k < steps.v.count) {
        const struct window_item *item = i < items ? &selection->kept.items[i] : NULL;
        if (item && (k == steps.v.count || item->ts <= steps.v.items[k].ts)) {
            *vec_push(&r->items) = (struct window_item){.ts = at++, .number = item->number};
            i++;
        } else {
            struct sched_step step = steps.v.items[k++];
            *vec_push(&r->steps) = (struct told_step){at, step};
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

bool retelling_at(const struct retelling *r, uint64_t number, int64_t *ts)
{
    size_t at = first_from(r, number);
    if (at == r->items.count || r->items.items[at].number != number)
        return false;
    *ts = r->items.items[at].ts;
    return true;
}

bool retelling_has(const struct retelling *r, uint64_t from, uint64_t to)
{
    size_t at = first_from(r, from);
    return at < r->items.count && r->items.items[at].number < to;
}
