#include "parsers/json/open_slices.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/merge_sort.h"
#include "core/slice_tracker.h"
#include "core/slice_turn.h"
#include "text/time.h"

enum { USUALLY_MANY = 1 << 18 };

/* By thread; then as the importer sorts them. */
static int compare_events(const void *a, const void *b)
{
    const struct json_thread_event *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->is_first != y->is_first)
        return x->is_first ? -1 : 1;
    if (x->dur != y->dur)
        return x->dur > y->dur ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void keep(struct selection *selected, const struct json_thread_event *e)
{
    selection_keep_lasting(selected, e->ts, e->dur, e->number);
}

/* INT64_MAX: it is not known yet. */
static int64_t end_of(const struct json_open_slice *open)
{
    return open->dur == SLICE_DUR_PENDING ? INT64_MAX : time_plus(open->event.ts, open->dur);
}

/* The innermost leaves the stack at `ts`. Where it ends later than what it began in, it is told
 * again: at the window's begin with that, so that it lies as deep; else behind what has begun
 * since, which it is not to cut off. */
static void leave(const struct json_open_slices *o, struct json_thread_stack *s, int64_t ts)
{
    const struct json_open_slice *left = &s->open.items[--s->open.count];
    if (end_of(left) <= o->from)
        return;
    if (ts < o->from) {
        selection_keep_lasting(o->selected, o->from - 1, left->event.dur, left->event.number);
        return;
    }
    keep(o->selected, &left->event);
    for (size_t i = 0; i < s->open.count; i++) {
        const struct json_open_slice *around = &s->open.items[i];
        if (!around->is_ended)
            continue;
        keep(o->selected, &around->event);
        selection_keep(o->selected, end_of(around), around->ended_by);
    }
}

/* Slices of known ends leave the stack when time has passed them, as in core/slice_tracker.c.
 * Returns the one beyond whose end a new slice would reach, or NULL. */
static const struct json_thread_event *
close_ended(const struct json_open_slices *o, struct json_thread_stack *s, int64_t ts, int64_t dur)
{
    bool open_inside = false;
    for (size_t i = s->open.count; i-- > 0;) {
        const struct json_open_slice *at = &s->open.items[i];
        switch (slice_turn(at->event.ts, at->dur, ts, dur, &open_inside)) {
        case SLICE_TAKES_INNER:
            s->open.count = i;
            break;
        case SLICE_IS_LEFT:
            leave(o, s, ts);
            break;
        case SLICE_IN_THE_WAY:
            return &at->event;
        case SLICE_STAYS:
            break;
        }
    }
    return NULL;
}

static void push(struct json_thread_stack *s, const struct json_thread_event *e, int64_t dur)
{
    if (s->open.count >= SLICES_DEEPEST)
        return;
    for (size_t i = 0; i < s->waiting.count; i++)
        *vec_push(&s->bound) =
            (struct json_bound_flow){s->waiting.items[i], e->number, s->open.count};
    s->waiting.count = 0;
    *vec_push(&s->open) = (struct json_open_slice){.event = *e, .dur = dur};
}

static void complete(struct json_open_slices *o, struct json_thread_stack *s,
                     const struct json_thread_event *e)
{
    int64_t end;
    if (__builtin_add_overflow(e->ts, e->dur, &end))
        return;
    const struct json_thread_event *in_the_way = close_ended(o, s, e->ts, e->dur);
    if (!in_the_way) {
        push(s, e, e->dur);
        return;
    }
    if (end <= o->from)
        return;
    keep(o->selected, e);
    if (time_plus(in_the_way->ts, in_the_way->dur) > o->from)
        return; /* it is told anyway */
    keep(o->selected, in_the_way);
    *vec_push(&o->overlaps) = (struct json_overlap){in_the_way->number, e->number};
}

static struct json_called called(const struct json_thread_event *e)
{
    return (struct json_called){e->category, e->name};
}

static bool may_end(const struct json_open_slice *open, const struct json_thread_event *e)
{
    return open->dur == SLICE_DUR_PENDING && json_may_end(called(&open->event), called(e));
}

/* One that others are open in stays until time has passed its end, which then is theirs. */
static void end_slice(const struct json_open_slices *o, struct json_thread_stack *s,
                      const struct json_thread_event *e)
{
    close_ended(o, s, e->ts, SLICE_DUR_PENDING);
    for (size_t i = s->open.count; i-- > 0;) {
        struct json_open_slice *at = &s->open.items[i];
        if (!may_end(at, e))
            continue;
        at->dur = time_minus(e->ts, at->event.ts);
        at->is_ended = true;
        at->ended_by = e->number;
        if (i == s->open.count - 1)
            s->open.count = i;
        return;
    }
}

static void bind(struct json_open_slices *o, struct json_thread_stack *s,
                 const struct json_thread_event *e)
{
    if (!s->open.count)
        return;
    size_t depth = s->open.count - 1;
    *vec_push(&s->bound) = (struct json_bound_flow){*e, s->open.items[depth].event.number, depth};
    if (o->flows && e->felt == JSON_FELT_FLOW_BEGIN)
        json_cut_flow_begun(o->flows, e->flow, e->ts, e->number);
}

static void take(struct json_open_slices *o, struct json_thread_stack *s,
                 const struct json_thread_event *e)
{
    switch (e->felt) {
    case JSON_FELT_BEGIN:
    case JSON_FELT_ASYNC_BEGIN:
        close_ended(o, s, e->ts, SLICE_DUR_PENDING);
        push(s, e, SLICE_DUR_PENDING);
        return;
    case JSON_FELT_END:
    case JSON_FELT_ASYNC_END:
        end_slice(o, s, e);
        return;
    case JSON_FELT_COMPLETE:
    case JSON_FELT_INSTANT:
        complete(o, s, e);
        return;
    case JSON_FELT_FLOW:
    case JSON_FELT_FLOW_BEGIN:
    case JSON_FELT_FLOW_STEP:
        bind(o, s, e);
        return;
    case JSON_FELT_FLOW_TO_NEXT:
        *vec_push(&s->waiting) = *e;
        return;
    default:
        return;
    }
}

static bool is_open(const struct json_thread_stack *s, const struct json_bound_flow *bound)
{
    return bound->depth < s->open.count && s->open.items[bound->depth].event.number == bound->slice;
}

/* The flow is not bound to a slice that is open, and is not told again. */
static void leave_flow(struct json_open_slices *o, const struct json_thread_event *flow)
{
    if (o->flows && flow->felt == JSON_FELT_FLOW_STEP)
        json_cut_flow_left(o->flows, flow->flow, flow->ts, flow->number);
}

/* Flows that are bound to slices that have ended matter no more. */
static void leave_flows(struct json_open_slices *o, struct json_thread_stack *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->bound.count; i++) {
        if (is_open(s, &s->bound.items[i]))
            s->bound.items[left++] = s->bound.items[i];
        else
            leave_flow(o, &s->bound.items[i].flow);
    }
    s->bound.count = left;
}

static struct json_thread_begin *begin_of(struct json_open_slices *o, uint32_t thread)
{
    while (o->begins.count <= thread)
        *vec_push(&o->begins) = (struct json_thread_begin){0};
    return &o->begins.items[thread];
}

static struct json_thread_stack *stack_of(struct json_open_slices *o, uint32_t thread)
{
    while (o->stacks.count <= thread)
        *vec_push(&o->stacks) = NULL;
    if (!o->stacks.items[thread])
        o->stacks.items[thread] = alloc_array(1, sizeof(struct json_thread_stack));
    return o->stacks.items[thread];
}

static void release_stack(struct json_open_slices *o, uint32_t thread)
{
    struct json_thread_stack *s = o->stacks.items[thread];
    if (!s)
        return;
    vec_release(&s->open);
    vec_release(&s->bound);
    vec_release(&s->waiting);
    free(s);
    o->stacks.items[thread] = NULL;
}

/* At the end of a thread's events. */
static void finish(struct json_open_slices *o, struct json_thread_stack *s, uint32_t thread)
{
    size_t open = s->open.count;
    close_ended(o, s, o->from, SLICE_DUR_PENDING);
    if (o->flows)
        begin_of(o, thread)->is_left = s->open.count < open;
    for (size_t i = 0; i < s->open.count; i++)
        if (end_of(&s->open.items[i]) >= o->from)
            keep(o->selected, &s->open.items[i].event);
    leave_flows(o, s);
    for (size_t i = 0; i < s->bound.count; i++)
        keep(o->selected, &s->bound.items[i].flow);
    for (size_t i = 0; i < s->waiting.count; i++)
        keep(o->selected, &s->waiting.items[i]);
}

static void sort_events(struct json_open_slices *o)
{
    static const struct merge_sort in_order = {sizeof(struct json_thread_event), compare_events,
                                               NULL};
    merge_sort(&in_order, o->events.items, o->events.count);
}

/* Where the events of the thread end that the `i`th is of. */
static size_t thread_end(const struct json_open_slices *o, size_t i)
{
    const struct json_thread_event *items = o->events.items;
    return BISECT(k, i, o->events.count, items[k].thread <= items[i].thread);
}

/* Of each thread, those at its last time stay where others may come that belong before them. */
static void take_early(struct json_open_slices *o)
{
    struct json_thread_event *items = o->events.items;
    size_t left = 0;
    sort_events(o);
    for (size_t i = 0, end; i < o->events.count; i = end) {
        end = thread_end(o, i);
        uint32_t thread = items[i].thread;
        struct json_thread_stack *s = stack_of(o, thread);
        int64_t last = items[end - 1].ts;
        size_t k = i;
        for (; k < end && (o->is_async || items[k].ts < last); k++)
            take(o, s, &items[k]);
        leave_flows(o, s);
        if (!s->open.count && !s->bound.count && !s->waiting.count)
            release_stack(o, thread);
        while (o->taken.count <= thread)
            *vec_push(&o->taken) = INT64_MIN;
        o->taken.items[thread] = last;
        while (k < end)
            items[left++] = items[k++];
    }
    o->events.count = left;
    o->take_at = left * 2 > o->many ? left * 2 : o->many;
}

/* Follows begins and ends as they stand in the file. */
static bool is_first(struct json_open_slices *o, const struct json_thread_event *e)
{
    bool begins = e->felt == JSON_FELT_BEGIN, ends = e->felt == JSON_FELT_END;
    if (!json_order_changes(o->order, e->ts) || (!begins && !ends))
        return false;
    while (o->begun.count <= e->thread)
        *vec_push(&o->begun) = (struct json_begun){0};
    struct json_begun *begun = &o->begun.items[e->thread];
    if (begins)
        json_begun_add(begun, e->ts, called(e));
    return ends && json_end_is_first(begun, e->ts, called(e));
}

void json_open_slices_add(struct json_open_slices *o, const struct json_thread_event *e)
{
    if (o->take_at == 0)
        o->take_at = o->many = o->many ? o->many : USUALLY_MANY;
    if (!o->keeps_all && o->events.count >= o->take_at)
        take_early(o);
    o->out_of_order |= e->thread < o->taken.count && e->ts < o->taken.items[e->thread];
    struct json_thread_event *added = vec_push(&o->events);
    *added = *e;
    added->is_first = is_first(o, e);
}

void json_open_slices_add_later(struct json_open_slices *o, const struct json_thread_event *e)
{
    struct json_thread_begin *begin = begin_of(o, e->thread);
    struct json_thread_event later = *e;
    later.is_first = is_first(o, e);
    if (begin->has_next && compare_events(&begin->next, &later) < 0)
        return;
    begin->has_next = true;
    begin->next = later;
}

bool json_open_slices_leave(const struct json_open_slices *o, const struct json_thread_event *flow)
{
    const struct json_thread_begin *begin =
        flow->thread < o->begins.count ? &o->begins.items[flow->thread] : NULL;
    return begin && begin->is_left && (!begin->has_next || compare_events(flow, &begin->next) < 0);
}

static int compare_overlaps(const void *a, const void *b)
{
    const struct json_overlap *x = a, *y = b;
    return x->in_the_way < y->in_the_way ? -1 : x->in_the_way > y->in_the_way;
}

static void release_stacks(struct json_open_slices *o)
{
    for (size_t i = 0; i < o->begun.count; i++)
        json_begun_release(&o->begun.items[i]);
    vec_release(&o->begun);
    for (size_t i = 0; i < o->stacks.count; i++)
        release_stack(o, (uint32_t)i);
    vec_release(&o->stacks);
    vec_release(&o->taken);
}

void json_open_slices_select(struct json_open_slices *o)
{
    static const struct merge_sort by_number = {sizeof(struct json_overlap), compare_overlaps,
                                                NULL};
    sort_events(o);
    for (size_t i = 0; i < o->events.count; i++)
        take(o, stack_of(o, o->events.items[i].thread), &o->events.items[i]);
    for (size_t i = 0; i < o->stacks.count; i++)
        if (o->stacks.items[i])
            finish(o, o->stacks.items[i], (uint32_t)i);
    merge_sort(&by_number, o->overlaps.items, o->overlaps.count);
    vec_release(&o->events);
    release_stacks(o);
}

bool json_open_slices_overlapped(const struct json_open_slices *o, uint64_t in_the_way,
                                 uint64_t *slice)
{
    const struct json_overlap *items = o->overlaps.items;
    size_t behind = BISECT(i, (size_t)0, o->overlaps.count, items[i].in_the_way <= in_the_way);
    if (behind == 0 || items[behind - 1].in_the_way != in_the_way)
        return false;
    *slice = items[behind - 1].slice;
    return true;
}

void json_open_slices_release(struct json_open_slices *o)
{
    vec_release(&o->events);
    release_stacks(o);
    vec_release(&o->overlaps);
    vec_release(&o->begins);
}
