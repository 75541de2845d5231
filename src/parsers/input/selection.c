#include "parsers/input/selection.h"

#include <string.h>

#include "base/merge_sort.h"

/* Marks come nearly in order of time: the streams of several CPUs are written one after the other,
 * but often. Those that are older than this are folded once there are many. */
static const int64_t OUT_OF_ORDER_NS = INT64_C(30000000000);
enum { FOLD_MARKS = 1 << 18 };

void selection_last(struct selection *s, uint64_t key, int64_t ts, uint64_t number)
{
    bool inserted;
    uint32_t *at = map_insert(&s->last_by_key, key, &inserted);
    if (inserted) {
        *at = (uint32_t)s->last.count;
        *vec_push(&s->last) = (struct window_item){.ts = ts, .number = number};
        return;
    }
    struct window_item *item = &s->last.items[*at];
    if (ts > item->ts || (ts == item->ts && number >= item->number))
        *item = (struct window_item){.ts = ts, .number = number};
}

void selection_last_two(struct selection *s, uint64_t key, int64_t ts, uint64_t number)
{
    const uint32_t *at = map_find(&s->last_by_key, key);
    if (at) {
        struct window_item before = s->last.items[*at];
        selection_last(s, ~key, before.ts, before.number);
    }
    selection_last(s, key, ts, number);
}

void selection_keep(struct selection *s, int64_t ts, uint64_t number)
{
    selection_keep_lasting(s, ts, 0, number);
}

void selection_keep_lasting(struct selection *s, int64_t ts, int64_t dur, uint64_t number)
{
    *vec_push(&s->kept) = (struct window_item){.ts = ts, .number = number, .dur = dur};
}

static int compare_marks(const void *a, const void *b)
{
    const struct window_mark *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* An entry of a stack. */
struct open_mark {
    uint32_t mark;
    uint32_t below; /* the next one of the stack + 1 */
    bool holds;     /* the mark is needed as long as it is there */
};

/* What is open: a stack for each key. */
struct open_marks {
    struct map top; /* key -> index of the innermost + 1 */
    VEC(struct open_mark) entries;
    VEC(uint8_t) holds; /* by mark */
};

static void push(struct open_marks *o, uint64_t key, uint32_t mark, bool holds)
{
    bool inserted;
    uint32_t *top = map_insert(&o->top, key, &inserted);
    *vec_push(&o->entries) = (struct open_mark){mark, *top, holds};
    *top = (uint32_t)o->entries.count;
    o->holds.items[mark] += holds;
}

/* The mark that was the innermost; UINT32_MAX for none. */
static uint32_t pop(struct open_marks *o, uint64_t key)
{
    uint32_t *top = map_find(&o->top, key);
    if (!top || !*top)
        return UINT32_MAX;
    struct open_mark e = o->entries.items[*top - 1];
    *top = e.below;
    o->holds.items[e.mark] -= e.holds;
    return e.mark;
}

/* How many entries have to go so that the innermost with the name has ended; 0: there is none. */
static uint32_t depth_of(const struct open_marks *o, const struct window_mark *marks,
                         const struct window_mark *end)
{
    const uint32_t *top = map_find(&o->top, end->key);
    uint32_t depth = 1;
    for (uint32_t at = top ? *top : 0; at; at = o->entries.items[at - 1].below, depth++) {
        uint64_t name = marks[o->entries.items[at - 1].mark].other;
        if (!end->other || !name || name == end->other)
            return depth;
    }
    return end->kind == MARK_END_LIKELY;
}

static bool is_open(const struct open_marks *o, uint64_t key)
{
    const uint32_t *top = map_find(&o->top, key);
    return top && *top;
}

static void receive(struct open_marks *o, const struct window_mark *marks, uint32_t i)
{
    uint32_t sent = pop(o, marks[i].key);
    if (sent == UINT32_MAX)
        return;
    if (marks[sent].kind == MARK_CALL)
        push(o, marks[i].other, i, true);
    else if (marks[sent].kind == MARK_REPLY)
        pop(o, marks[i].other);
}

static void replay(struct open_marks *o, const struct window_mark *marks, uint32_t i)
{
    const struct window_mark *m = &marks[i];
    switch (m->kind) {
    case MARK_BEGIN_ONCE:
        if (is_open(o, m->key))
            return;
        push(o, m->key, i, true);
        return;
    case MARK_BEGIN:
    case MARK_SEND:
        push(o, m->key, i, true);
        return;
    case MARK_END:
    case MARK_END_LIKELY:
        for (uint32_t n = depth_of(o, marks, m); n > 0; n--)
            pop(o, m->key);
        return;
    case MARK_CALL:
        push(o, m->key, i, false);
        push(o, m->other, i, true);
        return;
    case MARK_REPLY:
        pop(o, m->other);
        push(o, m->key, i, true);
        return;
    case MARK_RECEIVE:
        receive(o, marks, i);
    }
}

/* Leaves of the marks up to `until` those that are open then. */
static void fold(struct selection *s, int64_t until)
{
    struct open_marks o = {0};
    static const struct merge_sort sort = {sizeof(struct window_mark), compare_marks, NULL};
    size_t n = s->marks.count, old = 0, left = 0;
    merge_sort(&sort, s->marks.items, n);
    while (old < n && s->marks.items[old].ts <= until)
        old++;
    vec_reserve(&o.holds, n + 1);
    memset(o.holds.items, 0, n);
    for (uint32_t i = 0; i < old; i++)
        replay(&o, s->marks.items, i);
    for (size_t i = 0; i < n; i++)
        if (i >= old || o.holds.items[i] > 0)
            s->marks.items[left++] = s->marks.items[i];
    s->marks.count = left;
    map_release(&o.top);
    vec_release(&o.entries);
    vec_release(&o.holds);
}

void selection_mark(struct selection *s, const struct window_mark *m)
{
    if (s->marks.count == 0 || m->ts > s->latest)
        s->latest = m->ts;
    if (s->fold_at == 0)
        s->fold_at = FOLD_MARKS;
    if (s->marks.count >= s->fold_at) {
        if (s->latest > INT64_MIN + OUT_OF_ORDER_NS)
            fold(s, s->latest - OUT_OF_ORDER_NS);
        s->fold_at = s->marks.count * 2 > FOLD_MARKS ? s->marks.count * 2 : FOLD_MARKS;
    }
    *vec_push(&s->marks) = *m;
}

static int compare_items(const void *a, const void *b)
{
    const struct window_item *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->dur != y->dur)
        return x->dur > y->dur ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void selection_finish(struct selection *s)
{
    static const struct merge_sort sort = {sizeof(struct window_item), compare_items, NULL};
    fold(s, INT64_MAX);
    for (size_t i = 0; i < s->marks.count; i++)
        selection_keep(s, s->marks.items[i].ts, s->marks.items[i].number);
    for (size_t i = 0; i < s->last.count; i++)
        *vec_push(&s->kept) = s->last.items[i];
    merge_sort(&sort, s->kept.items, s->kept.count);
    size_t n = 0;
    for (size_t i = 0; i < s->kept.count; i++)
        if (i == 0 || s->kept.items[i].number != s->kept.items[i - 1].number)
            s->kept.items[n++] = s->kept.items[i];
    s->kept.count = n;
}

void selection_release(struct selection *s)
{
    map_release(&s->last_by_key);
    vec_release(&s->last);
    vec_release(&s->kept);
    vec_release(&s->marks);
}
