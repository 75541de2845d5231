#include "parsers/input/selection.h"

#include <string.h>

#include "base/hash.h"
#include "base/merge_sort.h"
#include "core/slice_turn.h"
#include "core/track_set.h"

/* Marks come nearly in order of time: the streams of several CPUs are written one after the other,
 * but often. Those that are older than this are folded once there are many. */
static const int64_t OUT_OF_ORDER_NS = INT64_C(30000000000);
enum { FOLD_MARKS = 1 << 18 };

static bool is_later(const struct window_item *a, const struct window_item *b)
{
    if (a->ts != b->ts)
        return a->ts > b->ts;
    return a->lane != b->lane ? a->lane > b->lane : a->number >= b->number;
}

/* The key's item; NULL where it had none, and has this one now. */
static struct window_item *item_of(struct selection *s, uint64_t key,
                                   const struct window_item *item)
{
    bool inserted;
    uint32_t *at = map_insert(&s->last_by_key, key, &inserted);
    if (!inserted)
        return &s->last.items[*at];
    *at = (uint32_t)s->last.count;
    *vec_push(&s->last) = *item;
    return NULL;
}

void selection_last_item(struct selection *s, uint64_t key, const struct window_item *item)
{
    struct window_item *had = item_of(s, key, item);
    if (had && is_later(item, had))
        *had = *item;
}

void selection_last(struct selection *s, uint64_t key, int64_t ts, uint64_t number)
{
    struct window_item item = {.ts = ts, .number = number};
    selection_last_item(s, key, &item);
}

void selection_first(struct selection *s, uint64_t key, const struct window_item *item)
{
    struct window_item *had = item_of(s, key, item);
    if (had && !is_later(item, had))
        *had = *item;
}

static struct window_crossing *crossing_of(struct selection *s, uint64_t key)
{
    bool inserted;
    uint32_t *at = map_insert(&s->crossing, key, &inserted);
    if (inserted) {
        *at = (uint32_t)s->crossings.count;
        *vec_push(&s->crossings) = (struct window_crossing){.has_before = false};
    }
    return &s->crossings.items[*at];
}

void selection_before_end(struct selection *s, uint64_t key, const struct window_item *item,
                          bool begins)
{
    struct window_crossing *c = crossing_of(s, key);
    if (c->has_before && !is_later(item, &c->before))
        return;
    c->has_before = true;
    c->before = *item;
    c->begins = begins;
}

void selection_behind_end(struct selection *s, uint64_t key, const struct window_item *item,
                          bool begins)
{
    struct window_crossing *c = crossing_of(s, key);
    if (c->has_behind && is_later(item, &c->behind))
        return;
    c->has_behind = true;
    c->behind = *item;
    c->ends = !begins;
}

static void keep_crossing_ends(struct selection *s)
{
    for (size_t i = 0; i < s->crossings.count; i++) {
        const struct window_crossing *c = &s->crossings.items[i];
        if (c->has_before && c->begins && c->has_behind && c->ends)
            selection_keep_item(s, &c->behind);
    }
}

void selection_sum(struct selection *s, uint64_t key, const struct window_item *item)
{
    struct window_item *had = item_of(s, key, item);
    if (!had)
        return;
    uint64_t sum = had->sum + item->sum;
    if (is_later(item, had))
        *had = *item;
    had->sum = sum;
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
    struct window_item item = {.ts = ts, .number = number, .dur = dur};
    selection_keep_item(s, &item);
}

void selection_keep_item(struct selection *s, const struct window_item *item)
{
    *vec_push(&s->kept) = *item;
}

static int compare_marks(const void *a, const void *b)
{
    const struct window_mark *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* An entry of a stack, or of a queue: its mark is needed as long as it is there. */
struct open_mark {
    uint32_t mark;
    uint32_t below;    /* the next one of the stack + 1; of a queue, the one behind it */
    uint32_t notes;    /* the newest mark that belongs to it + 1 */
    uint32_t ended_by; /* while others are open in it: the mark + 1 */
    int64_t dur;       /* SLICE_DUR_PENDING: not known yet */
    uint16_t depth;
    bool any_known; /* when it or one around it ends */
};

/* In the place of a mark: the window's begin, which comes behind all. */
#define AT_BEGIN UINT32_MAX

/* What is open: a stack for each key. */
struct open_marks {
    const struct window_mark *marks;
    int64_t from;        /* the window's begin; INT64_MIN while it is not known */
    uint32_t now;        /* the mark that is replayed, or AT_BEGIN */
    struct map top;      /* key -> index of the innermost + 1; of a queue, of the last */
    struct map front;    /* key of a queue -> index of the first + 1 */
    struct map preludes; /* key -> mark + 1 */
    struct map lasts;    /* likewise */
    VEC(struct open_mark) entries;
    VEC(uint32_t) holds;     /* by mark: how many need it */
    VEC(uint32_t) notes;     /* by mark: the note before it + 1 */
    VEC(uint32_t) pairs;     /* by mark: what it ended, or what ended it, + 1 */
    VEC(uint32_t) sent;      /* by mark: the message that it received + 1 */
    struct map set_numbers;  /* by key and first name */
    struct map *first_names; /* of the selection */
    struct track_sets sets;
};

static struct open_mark *innermost(struct open_marks *o, uint64_t key)
{
    const uint32_t *top = map_find(&o->top, key);
    return top && *top ? &o->entries.items[*top - 1] : NULL;
}

static void note(struct open_marks *o, struct open_mark *e, uint32_t mark)
{
    o->notes.items[mark] = e->notes;
    e->notes = mark + 1;
    o->holds.items[mark]++;
}

/* Which mark waits for the next one of the key + 1; it waits no more. */
static uint32_t take_prelude(struct open_marks *o, uint64_t key)
{
    uint32_t *prelude = o->preludes.count ? map_find(&o->preludes, key) : NULL;
    uint32_t mark = prelude ? *prelude : 0;
    if (mark) {
        *prelude = 0;
        o->holds.items[mark - 1]--;
    }
    return mark;
}

/* NULL where too much is open. */
static struct open_mark *push(struct open_marks *o, uint64_t key, uint32_t mark)
{
    const struct window_mark *m = &o->marks[mark];
    bool inserted, is_known = m->kind == MARK_COMPLETE;
    uint32_t prelude = take_prelude(o, key);
    uint32_t *top = map_insert(&o->top, key, &inserted);
    const struct open_mark *around = *top ? &o->entries.items[*top - 1] : NULL;
    struct open_mark new = {.mark = mark,
                            .below = *top,
                            .dur = is_known ? m->dur : SLICE_DUR_PENDING,
                            .depth = (uint16_t)(around ? around->depth + 1 : 1),
                            .any_known = is_known || (around && around->any_known)};
    if (new.depth > OPEN_MARKS_MAX)
        return NULL;
    *vec_push(&o->entries) = new;
    *top = (uint32_t)o->entries.count;
    o->holds.items[mark]++;
    struct open_mark *e = &vec_last(&o->entries);
    if (prelude)
        note(o, e, prelude - 1);
    return e;
}

static uint32_t release_entry(struct open_marks *o, const struct open_mark *e)
{
    o->holds.items[e->mark]--;
    for (uint32_t n = e->notes; n; n = o->notes.items[n - 1])
        o->holds.items[n - 1]--;
    return e->mark;
}

/* The mark that was the innermost; UINT32_MAX for none. */
static uint32_t pop(struct open_marks *o, uint64_t key)
{
    uint32_t *top = map_find(&o->top, key);
    if (!top || !*top)
        return UINT32_MAX;
    const struct open_mark *e = &o->entries.items[*top - 1];
    *top = e->below;
    return release_entry(o, e);
}

static bool fits(const struct open_marks *o, const struct open_mark *e,
                 const struct window_mark *end)
{
    const struct window_mark *begin = &o->marks[e->mark];
    return e->dur == SLICE_DUR_PENDING && (!end->category || begin->category == end->category) &&
           (!end->other || !begin->other || begin->other == end->other);
}

/* The innermost that fits; NULL: there is none. */
static struct open_mark *find_open(struct open_marks *o, const struct window_mark *m)
{
    const uint32_t *top = map_find(&o->top, m->key);
    uint32_t at = top ? *top : 0;
    while (at && !fits(o, &o->entries.items[at - 1], m))
        at = o->entries.items[at - 1].below;
    return at ? &o->entries.items[at - 1] : NULL;
}

static void add_note(struct open_marks *o, const struct window_mark *m, uint32_t i)
{
    struct open_mark *e = find_open(o, m);
    if (e)
        note(o, e, i);
}

static void add_prelude(struct open_marks *o, uint64_t key, uint32_t i)
{
    take_prelude(o, key);
    map_set(&o->preludes, key, i + 1);
    o->holds.items[i]++;
}

/* What is open stays needed; the mark, too, so that it does not end by what comes later. */
static void renew(struct open_marks *o, uint64_t key, uint32_t i)
{
    uint32_t *top = map_find(&o->top, key);
    if (!top || !*top)
        return;
    *top = 0;
    o->holds.items[i]++;
}

static uint32_t dequeue(struct open_marks *o, uint64_t key)
{
    uint32_t *front = map_find(&o->front, key);
    const struct open_mark *e = &o->entries.items[*front - 1];
    *front = e->below;
    return release_entry(o, e);
}

static const struct window_mark *queue_front(const struct open_marks *o, uint64_t key)
{
    const uint32_t *front = map_find(&o->front, key);
    return front && *front ? &o->marks[o->entries.items[*front - 1].mark] : NULL;
}

static void enqueue(struct open_marks *o, const struct window_mark *m, uint32_t i)
{
    const struct window_mark *front;
    bool inserted;
    while ((front = queue_front(o, m->key)) && front->category < m->category)
        dequeue(o, m->key);
    if (front && front->category > m->category)
        return;
    *vec_push(&o->entries) = (struct open_mark){.mark = i};
    o->holds.items[i]++;
    uint32_t at = (uint32_t)o->entries.count;
    if (front)
        o->entries.items[*map_find(&o->top, m->key) - 1].below = at;
    else
        *map_insert(&o->front, m->key, &inserted) = at;
    map_set(&o->top, m->key, at);
}

static void set_last(struct open_marks *o, uint64_t key, uint32_t i)
{
    bool inserted;
    uint32_t *last = map_insert(&o->lasts, key, &inserted);
    if (*last)
        o->holds.items[*last - 1]--;
    *last = i + 1;
    o->holds.items[i]++;
}

static void pair(struct open_marks *o, uint32_t begin, uint32_t end)
{
    if (begin == UINT32_MAX)
        return;
    o->pairs.items[end] = begin + 1;
    o->pairs.items[begin] = end + 1;
}

/* A call that is said to have failed is under way no more. */
static void withdraw(struct open_marks *o, const struct window_mark *end, uint32_t call)
{
    const struct window_mark *m = &o->marks[call];
    const struct open_mark *sent = m->kind == MARK_CALL ? innermost(o, m->key) : NULL;
    if (sent && sent->mark == call && end->category == m->category)
        pop(o, m->key);
}

static void end(struct open_marks *o, const struct window_mark *m, uint32_t i)
{
    struct open_mark *e = find_open(o, m);
    if (!e)
        return;
    uint32_t begin = e->mark;
    pair(o, begin, i);
    if (e == innermost(o, m->key)) {
        pop(o, m->key);
    } else {
        e->dur = time_minus(m->ts, o->marks[begin].ts);
        e->ended_by = i + 1;
        for (uint32_t at = *map_find(&o->top, m->key); &o->entries.items[at - 1] != e;
             at = o->entries.items[at - 1].below)
            o->entries.items[at - 1].any_known = true;
        e->any_known = true;
    }
    withdraw(o, m, begin);
}

/* The innermost leaves the stack, as one around it, `left`, has ended. It may last longer: then it
 * has to leave again. */
static void leave(struct open_marks *o, uint64_t key, const struct open_mark *left, int64_t ts)
{
    const struct open_mark *e = innermost(o, key);
    uint32_t mark = pop(o, key);
    int64_t end = time_plus(o->marks[mark].ts, e->dur);
    if (e == left || end <= ts || end <= o->from)
        return;
    o->holds.items[mark]++;
    o->holds.items[left->mark]++;
    if (o->now != AT_BEGIN)
        o->holds.items[o->now]++;
}

/* What is open in it ends with it. */
static void take_inner(struct open_marks *o, uint64_t key, const struct open_mark *e)
{
    uint32_t by = e->ended_by ? e->ended_by - 1 : e->mark;
    while (innermost(o, key) != e) {
        uint32_t inner = pop(o, key);
        o->pairs.items[inner] = by + 1;
        withdraw(o, &o->marks[by], inner);
    }
    pop(o, key);
}

/* Of what is open, ends what time has passed, as core/slice_tracker.c does. False: a slice as long
 * as `dur` would reach beyond the end of one that it begins in. */
static bool pass_time(struct open_marks *o, uint64_t key, int64_t ts, int64_t dur)
{
    const struct open_mark *e = innermost(o, key);
    bool open_inside = false;
    if (!e || !e->any_known)
        return true;
    for (uint32_t below = 0; e; e = below ? &o->entries.items[below - 1] : NULL) {
        below = e->below;
        switch (slice_turn(o->marks[e->mark].ts, e->dur, ts, dur, &open_inside)) {
        case SLICE_TAKES_INNER:
            take_inner(o, key, e);
            break;
        case SLICE_IS_LEFT:
            leave(o, key, e, ts);
            break;
        case SLICE_IN_THE_WAY:
            return false;
        case SLICE_STAYS:
            break;
        }
    }
    return true;
}

/* A message is under way; another one of its number is not, any more. */
static void send(struct open_marks *o, uint64_t key, uint32_t i)
{
    pop(o, key);
    push(o, key, i);
}

static void receive(struct open_marks *o, uint32_t i)
{
    const struct window_mark *marks = o->marks;
    uint32_t sent = pop(o, marks[i].key);
    if (sent == UINT32_MAX)
        return;
    o->sent.items[i] = sent + 1;
    if (marks[sent].kind == MARK_CALL) {
        push(o, marks[i].other, i);
    } else if (marks[sent].kind == MARK_REPLY) {
        pair(o, pop(o, marks[i].other), i);
    }
}

static void step(struct open_marks *o, uint64_t key, uint32_t i)
{
    if (pop(o, key) != UINT32_MAX)
        push(o, key, i);
}

/* The number of the set that the mark's holder is in. */
static uint32_t set_of(struct open_marks *o, const struct window_mark *m)
{
    bool inserted;
    uint32_t *name = map_insert(o->first_names, m->holder, &inserted);
    if (inserted)
        *name = (uint32_t)m->other;
    uint32_t *set = map_insert(&o->set_numbers, hash_mix(m->key, *name), &inserted);
    if (inserted) {
        *set = (uint32_t)o->sets.sets.count;
        *vec_push(&o->sets.sets) = (struct track_set){.first_unused = 0};
    }
    return *set;
}

static void do_mark(struct open_marks *o, const struct window_mark *m, uint32_t i)
{
    const struct window_mark *front;
    int64_t dur = m->kind == MARK_COMPLETE ? m->dur : SLICE_DUR_PENDING;
    bool fits_in = pass_time(o, m->key, m->ts, dur);
    switch ((enum mark_kind)m->kind) {
    case MARK_COMPLETE:
        if (fits_in)
            push(o, m->key, i);
        return;
    case MARK_BEGIN_ONCE:
        if (innermost(o, m->key))
            return;
        push(o, m->key, i);
        return;
    case MARK_BEGIN:
        push(o, m->key, i);
        return;
    case MARK_STEP:
        step(o, m->key, i);
        return;
    case MARK_SEND:
        send(o, m->key, i);
        return;
    case MARK_END:
        end(o, m, i);
        return;
    case MARK_CALL:
        pass_time(o, m->other, m->ts, dur);
        send(o, m->key, i);
        push(o, m->other, i);
        return;
    case MARK_REPLY:
        pass_time(o, m->other, m->ts, dur);
        pair(o, pop(o, m->other), i);
        send(o, m->key, i);
        return;
    case MARK_RECEIVE:
        pass_time(o, m->other, m->ts, dur);
        receive(o, i);
        return;
    case MARK_NOTE:
        add_note(o, m, i);
        return;
    case MARK_PRELUDE:
        add_prelude(o, m->key, i);
        return;
    case MARK_SETTLE:
        if (!take_prelude(o, m->key))
            add_note(o, m, i);
        return;
    case MARK_RENEW:
        renew(o, m->key, i);
        return;
    case MARK_LAST:
        set_last(o, m->key, i);
        return;
    case MARK_QUEUE:
        enqueue(o, m, i);
        return;
    case MARK_DEQUEUE:
        front = queue_front(o, m->key);
        if (front && front->other <= m->other)
            pair(o, dequeue(o, m->key), i);
        return;
    case MARK_PASS:
        return;
    }
}

/* A mark on the track that its holder has of a set. Where it leaves the track to others, though
 * slices are open there, the others' slices begin in these. */
static void do_in_set(struct open_marks *o, uint32_t i)
{
    struct window_mark m = o->marks[i];
    uint32_t set = set_of(o, &m);
    struct track_set_member *member = track_set_member_find(&o->sets, set, (int64_t)m.holder);
    if (!member) {
        uint32_t track = (uint32_t)o->sets.sets.items[set].members.count;
        member = track_set_member_add(&o->sets, set, track, (int64_t)m.holder);
    }
    bool leaves = m.use == MARK_GIVES && member->nested > 0;
    member->nested += m.use & MARK_TAKES ? 1 : 0;
    if (m.use & MARK_GIVES)
        track_set_member_end(&o->sets, set, member);
    m.key = hash_mix(hash_u64(set), member->track);
    do_mark(o, &m, i);
    struct open_mark *around = leaves && !o->pairs.items[i] ? innermost(o, m.key) : NULL;
    if (around)
        note(o, around, i);
}

static void replay(struct open_marks *o, uint32_t i)
{
    o->now = i;
    if (o->marks[i].holder)
        do_in_set(o, i);
    else
        do_mark(o, &o->marks[i], i);
}

/* The marks of one item from `i` on. */
static uint32_t group_end(const struct open_marks *o, uint32_t i, uint32_t n)
{
    uint32_t end = i + 1;
    while (end < n && o->marks[end].number == o->marks[i].number)
        end++;
    return end;
}

static bool hold(struct open_marks *o, uint32_t i)
{
    bool was = o->holds.items[i] > 0;
    o->holds.items[i] = 1;
    return !was;
}

static bool hold_groups(struct open_marks *o, uint32_t n)
{
    bool changed = false;
    for (uint32_t i = 0, next; i < n; i = next) {
        bool held = false;
        next = group_end(o, i, n);
        for (uint32_t k = i; k < next; k++)
            held |= o->holds.items[k] > 0;
        for (uint32_t k = i; k < next && held; k++)
            changed |= hold(o, k);
    }
    return changed;
}

/* Of the first `n` marks, what others that are needed need: those of the same items, what they end
 * or what ends them, what they receive. A call that is answered is a chain of seven. */
static void hold_together(struct open_marks *o, uint32_t n)
{
    enum { ROUNDS = 8 };
    bool changed = true;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = hold_groups(o, n);
        for (uint32_t i = 0; i < n; i++) {
            if (o->holds.items[i] && o->pairs.items[i])
                changed |= hold(o, o->pairs.items[i] - 1);
            if (o->holds.items[i] && o->sent.items[i])
                changed |= hold(o, o->sent.items[i] - 1);
        }
    }
}

/* At the window's begin. */
static void pass_all_time(struct open_marks *o)
{
    o->now = AT_BEGIN;
    for (size_t i = 0; i < o->top.cap; i++)
        if (o->top.slots[i].used)
            pass_time(o, o->top.slots[i].key, o->from, SLICE_DUR_PENDING);
}

/* Leaves of the marks up to `until` those that are open then, and at `from`, unless that is
 * INT64_MIN. */
static void fold(struct selection *s, int64_t until, int64_t from)
{
    struct open_marks o = {.marks = s->marks.items, .from = from, .first_names = &s->first_names};
    static const struct merge_sort sort = {sizeof(struct window_mark), compare_marks, NULL};
    size_t n = s->marks.count, old = 0, left = 0;
    merge_sort(&sort, s->marks.items, n);
    while (old < n && s->marks.items[old].ts <= until)
        old++;
    vec_reserve(&o.holds, n + 1);
    vec_reserve(&o.notes, n + 1);
    vec_reserve(&o.pairs, n + 1);
    vec_reserve(&o.sent, n + 1);
    memset(o.holds.items, 0, n * sizeof *o.holds.items);
    memset(o.pairs.items, 0, n * sizeof *o.pairs.items);
    memset(o.sent.items, 0, n * sizeof *o.sent.items);
    for (uint32_t i = 0; i < old; i++)
        replay(&o, i);
    if (from != INT64_MIN)
        pass_all_time(&o);
    hold_together(&o, (uint32_t)old);
    for (size_t i = 0; i < n; i++)
        if (i >= old || o.holds.items[i] > 0)
            s->marks.items[left++] = s->marks.items[i];
    s->marks.count = left;
    map_release(&o.top);
    map_release(&o.front);
    map_release(&o.preludes);
    map_release(&o.lasts);
    vec_release(&o.entries);
    vec_release(&o.holds);
    vec_release(&o.notes);
    vec_release(&o.pairs);
    vec_release(&o.sent);
    map_release(&o.set_numbers);
    track_sets_release(&o.sets);
}

void selection_mark(struct selection *s, const struct window_mark *m)
{
    if (s->marks.count == 0 || m->ts > s->latest)
        s->latest = m->ts;
    if (s->fold_at == 0)
        s->fold_at = FOLD_MARKS;
    if (s->marks.count >= s->fold_at) {
        if (s->latest > INT64_MIN + OUT_OF_ORDER_NS)
            fold(s, s->latest - OUT_OF_ORDER_NS, INT64_MIN);
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
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void selection_ask(struct selection *s, uint64_t key)
{
    map_set(&s->asked, key, 0);
}

bool selection_asks_in_vain(const struct selection *s, uint64_t key)
{
    const uint32_t *open = map_find(&s->asked, key);
    return open && !*open;
}

static void drop_what_nobody_asks_for(struct selection *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->marks.count; i++)
        if (!s->marks.items[i].on_demand || map_find(&s->asked, s->marks.items[i].key))
            s->marks.items[left++] = s->marks.items[i];
    s->marks.count = left;
}

void selection_finish(struct selection *s, int64_t from)
{
    static const struct merge_sort sort = {sizeof(struct window_item), compare_items, NULL};
    drop_what_nobody_asks_for(s);
    fold(s, INT64_MAX, from);
    for (size_t i = 0; i < s->marks.count; i++) {
        const struct window_mark *m = &s->marks.items[i];
        if (m->kind == MARK_COMPLETE && m->dur > 0 && time_plus(m->ts, m->dur) < from)
            continue;
        if (m->on_demand)
            map_set(&s->asked, m->key, 1);
        *vec_push(&s->kept) = (struct window_item){.ts = m->ts,
                                                   .number = m->number,
                                                   .lane = m->lane,
                                                   .stays = m->stays,
                                                   .whole_us = m->whole_us};
    }
    for (size_t i = 0; i < s->last.count; i++)
        *vec_push(&s->kept) = s->last.items[i];
    keep_crossing_ends(s);
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
    map_release(&s->crossing);
    map_release(&s->asked);
    map_release(&s->first_names);
    vec_release(&s->crossings);
    vec_release(&s->last);
    vec_release(&s->kept);
    vec_release(&s->marks);
}
