#include "parsers/json/open_slices.h"

#include "base/bisect.h"
#include "base/merge_sort.h"
#include "text/time.h"

enum { USUALLY_MANY = 1 << 18 };

/* A slice on the thread's stack. */
struct open {
    struct json_thread_event *event;
    int64_t end; /* INT64_MAX: not known yet */
};

/* A flow, and what it is bound to. */
struct bound {
    struct json_thread_event *flow;
    const struct json_thread_event *slice;
};

struct stack {
    VEC(struct open) open;
    VEC(struct bound) bound;
    VEC(struct json_thread_event *) waiting; /* flows to the next slice */
};

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

/* Slices of known ends leave the stack when time has passed them, with all inside. Returns the one
 * beyond whose end a new slice, until `end`, would reach, or NULL. */
static struct json_thread_event *close_ended(struct stack *s, int64_t ts, int64_t dur, int64_t end)
{
    bool open_inside = false;
    for (size_t i = s->open.count; i-- > 0;) {
        const struct open *at = &s->open.items[i];
        bool instants = at->event->ts == at->end && dur == 0;
        if (at->end == INT64_MAX) {
            open_inside = true;
        } else if (at->end < ts || (at->end == ts && !open_inside && !instants)) {
            s->open.count = i;
            open_inside = false;
        } else if (!open_inside && end != INT64_MAX && ts < at->end && end > at->end) {
            return at->event;
        }
    }
    return NULL;
}

static void push(struct stack *s, struct json_thread_event *e, int64_t end)
{
    for (size_t i = 0; i < s->waiting.count; i++)
        *vec_push(&s->bound) = (struct bound){s->waiting.items[i], e};
    s->waiting.count = 0;
    *vec_push(&s->open) = (struct open){e, end};
}

static void keep(struct selection *selected, const struct json_thread_event *e)
{
    selection_keep_lasting(selected, e->ts, e->dur, e->number);
}

static void complete(struct json_open_slices *o, struct stack *s, struct json_thread_event *e)
{
    int64_t end = time_plus(e->ts, e->dur);
    struct json_thread_event *in_the_way = close_ended(s, e->ts, e->dur, end);
    if (!in_the_way) {
        push(s, e, end);
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

static bool may_end(const struct open *open, const struct json_thread_event *e)
{
    return open->end == INT64_MAX && json_may_end(called(open->event), called(e));
}

static void end_slice(struct stack *s, const struct json_thread_event *e)
{
    close_ended(s, e->ts, -1, INT64_MAX);
    for (size_t i = s->open.count; i-- > 0;)
        if (may_end(&s->open.items[i], e)) {
            s->open.count = i;
            return;
        }
}

static void bind(struct json_open_slices *o, struct stack *s, struct json_thread_event *e)
{
    if (!s->open.count)
        return;
    *vec_push(&s->bound) = (struct bound){e, s->open.items[s->open.count - 1].event};
    if (o->flows && e->felt == JSON_FELT_FLOW_BEGIN)
        json_cut_flow_begun(o->flows, e->flow, e->ts, e->number);
}

static void take(struct json_open_slices *o, struct stack *s, struct json_thread_event *e)
{
    switch (e->felt) {
    case JSON_FELT_BEGIN:
        close_ended(s, e->ts, -1, INT64_MAX);
        push(s, e, INT64_MAX);
        return;
    case JSON_FELT_END:
        end_slice(s, e);
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
        *vec_push(&s->waiting) = e;
        return;
    default:
        return;
    }
}

static bool is_open(const struct stack *s, const struct json_thread_event *slice)
{
    for (size_t i = 0; i < s->open.count; i++)
        if (s->open.items[i].event == slice)
            return true;
    return false;
}

/* The flow is not bound to a slice that is open, and is not told again. */
static void leave_flow(struct json_open_slices *o, const struct json_thread_event *flow)
{
    if (o->flows && flow->felt == JSON_FELT_FLOW_STEP)
        json_cut_flow_left(o->flows, flow->flow, flow->ts, flow->number);
}

static struct json_thread_begin *begin_of(struct json_open_slices *o, uint32_t thread)
{
    while (o->begins.count <= thread)
        *vec_push(&o->begins) = (struct json_thread_begin){0};
    return &o->begins.items[thread];
}

/* At the end of a thread's events. */
static void finish(struct json_open_slices *o, struct stack *s, uint32_t thread)
{
    size_t open = s->open.count;
    close_ended(s, o->from, -1, INT64_MAX);
    begin_of(o, thread)->is_left = s->open.count < open;
    for (size_t i = 0; i < s->open.count; i++)
        if (s->open.items[i].end > o->from)
            keep(o->selected, s->open.items[i].event);
    for (size_t i = 0; i < s->bound.count; i++) {
        if (is_open(s, s->bound.items[i].slice))
            keep(o->selected, s->bound.items[i].flow);
        else
            leave_flow(o, s->bound.items[i].flow);
    }
    for (size_t i = 0; i < s->waiting.count; i++)
        keep(o->selected, s->waiting.items[i]);
    s->open.count = s->bound.count = s->waiting.count = 0;
}

/* What may matter to later events of the thread. */
static void hold_open(struct json_open_slices *o, struct stack *s)
{
    for (size_t i = 0; i < s->open.count; i++)
        s->open.items[i].event->is_held = true;
    for (size_t i = 0; i < s->bound.count; i++) {
        if (is_open(s, s->bound.items[i].slice))
            s->bound.items[i].flow->is_held = true;
        else
            leave_flow(o, s->bound.items[i].flow);
    }
    for (size_t i = 0; i < s->waiting.count; i++)
        s->waiting.items[i]->is_held = true;
    s->open.count = s->bound.count = s->waiting.count = 0;
}

static void release_stack(struct stack *s)
{
    vec_release(&s->open);
    vec_release(&s->bound);
    vec_release(&s->waiting);
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

/* Drops what matters no more. Of each thread, events at its last time stay: others may come. */
static void fold(struct json_open_slices *o)
{
    struct json_thread_event *items = o->events.items;
    struct stack s = {0};
    size_t left = 0;
    sort_events(o);
    for (size_t i = 0, end; i < o->events.count; i = end) {
        end = thread_end(o, i);
        int64_t last = items[end - 1].ts;
        for (size_t k = i; k < end; k++)
            items[k].is_held = items[k].ts == last;
        for (size_t k = i; k < end && items[k].ts < last; k++)
            take(o, &s, &items[k]);
        hold_open(o, &s);
        while (o->folded.count <= items[i].thread)
            *vec_push(&o->folded) = INT64_MIN;
        o->folded.items[items[i].thread] = last;
    }
    for (size_t i = 0; i < o->events.count; i++)
        if (items[i].is_held)
            items[left++] = items[i];
    o->events.count = left;
    o->fold_at = left * 2 > o->many ? left * 2 : o->many;
    release_stack(&s);
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
    if (o->fold_at == 0)
        o->fold_at = o->many = o->many ? o->many : USUALLY_MANY;
    if (!o->keeps_all && o->events.count >= o->fold_at)
        fold(o);
    o->out_of_order |= e->thread < o->folded.count && e->ts < o->folded.items[e->thread];
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

static void release_begun(struct json_open_slices *o)
{
    for (size_t i = 0; i < o->begun.count; i++)
        json_begun_release(&o->begun.items[i]);
    vec_release(&o->begun);
}

void json_open_slices_select(struct json_open_slices *o)
{
    static const struct merge_sort by_number = {sizeof(struct json_overlap), compare_overlaps,
                                                NULL};
    struct stack s = {0};
    sort_events(o);
    for (size_t i = 0, end; i < o->events.count; i = end) {
        end = thread_end(o, i);
        for (size_t k = i; k < end; k++)
            take(o, &s, &o->events.items[k]);
        finish(o, &s, o->events.items[i].thread);
    }
    merge_sort(&by_number, o->overlaps.items, o->overlaps.count);
    release_stack(&s);
    vec_release(&o->events);
    release_begun(o);
    vec_release(&o->folded);
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
    release_begun(o);
    vec_release(&o->folded);
    vec_release(&o->overlaps);
    vec_release(&o->begins);
}
