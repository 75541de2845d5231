#include "explain/cause_tree.h"

#include "base/hash.h"
#include "base/str.h"
#include "text/time.h"

enum {
    THREADS_DEEP = 16, /* that wait for each other */
    SLICES_DEEP = 24,  /* that lie around each other */
    LOCKS_DEEP = 3,    /* slices that are looked at for what a lock is called */
    STEPS_MAX = 20000, /* of one walk */
    NODES_MAX = 20000,
    LATENCY_MAX_NS = 2000000, /* a CPU that idles longer had nobody waiting for it */
    RAN_MAX = 5000,           /* what is looked at while one thread waits for a CPU */
};

#define CAUSE_WORD(id, word, words)  [CAUSE_##id] = word,
#define CAUSE_WORDS(id, word, words) [CAUSE_##id] = words,

const char *cause_kind_word(enum cause_kind kind)
{
    static const char *const word[] = {CAUSE_KINDS(CAUSE_WORD)};
    return word[kind];
}

const char *cause_kind_words(enum cause_kind kind)
{
    static const char *const words[] = {CAUSE_KINDS(CAUSE_WORDS)};
    return words[kind];
}

void cause_tree_release(struct cause_tree *c)
{
    vec_release(&c->nodes);
    map_release(&c->by_hash);
    map_release(&c->locks_by_slice);
    vec_release(&c->locks);
}

static uint32_t alike(const struct thread_index *x, uint32_t utid)
{
    return utid < x->trace->tables.thread.rows ? x->alike[utid] : NULL_U32;
}

static bool are_alike(const struct thread_index *x, uint32_t a, uint32_t b)
{
    return a == b || alike(x, a) == alike(x, b);
}

/* What a node is about. */
struct about {
    enum cause_kind kind;
    uint32_t utid, other; /* NULL_U32: nobody known */
    string_id name;
};

static bool is_about(const struct thread_index *x, const struct cause_node *n, uint32_t parent,
                     struct about a)
{
    return n->parent == parent && n->kind == a.kind && n->name == a.name &&
           are_alike(x, n->utid, a.utid) && are_alike(x, n->other, a.other);
}

/* A slice, and the node of it and of those around it. */
struct inside_slice {
    uint32_t row, node;
};

/* A thread whose time goes to `node`, back to `from`. */
struct walked_thread {
    uint32_t utid, node;
    int64_t from;
    struct inside_slice innermost, around; /* that was asked for last; what lay around it */
};

static struct walked_thread walked_thread_of(uint32_t utid, uint32_t node, int64_t from)
{
    struct inside_slice none = {NULL_U32, node};
    return (struct walked_thread){utid, node, from, none, none};
}

struct walk {
    struct cause_tree *tree;
    const struct thread_index *x;
    struct walked_thread stack[THREADS_DEEP];
    int depth;
    int64_t from, to; /* all that is walked */
    uint32_t steps;
};

/* The child of a node that is about something, made where there is none; the node itself where
 * there are too many. */
static uint32_t child_of(struct walk *w, uint32_t parent, struct about a)
{
    struct cause_tree *c = w->tree;
    uint32_t recent = c->nodes.items[parent].recent[a.kind];
    if (recent > 0 && is_about(w->x, &c->nodes.items[recent], parent, a))
        return recent;
    uint64_t hash = hash_mix(hash_u64((uint64_t)parent << 32 | alike(w->x, a.utid)),
                             hash_mix((uint64_t)alike(w->x, a.other) << 32 | a.name, a.kind));
    bool is_new;
    for (;; hash++) {
        uint32_t *at = map_insert(&c->by_hash, hash, &is_new);
        if (is_new && c->nodes.count >= NODES_MAX) {
            map_remove(&c->by_hash, hash);
            c->cut_short = true;
            return parent;
        }
        if (is_new) {
            *at = (uint32_t)c->nodes.count;
            *vec_push(&c->nodes) = (struct cause_node){
                .parent = parent, .kind = a.kind, .utid = a.utid, .other = a.other, .name = a.name};
        } else if (!is_about(w->x, &c->nodes.items[*at], parent, a)) {
            continue;
        }
        c->nodes.items[parent].recent[a.kind] = *at;
        return *at;
    }
}

static void give(struct cause_node *n, int64_t ns, int64_t longest, int64_t ts)
{
    n->ns = time_plus(n->ns, ns);
    if (longest > n->longest) {
        n->longest = longest;
        n->ts = ts;
    }
}

static void give_kind(struct walk *w, uint32_t parent, enum cause_kind kind, uint32_t other,
                      string_id name, int64_t from, int64_t to)
{
    if (to > from) {
        struct about about = {kind, w->stack[w->depth].utid, other, name};
        uint32_t node = child_of(w, parent, about);
        give(&w->tree->nodes.items[node], time_minus(to, from), to - from, from);
    }
}

/* The text behind `words`, empty where it has none of them. */
static struct str text_behind(struct str text, struct str words)
{
    const char *at = memmem(text.p, text.n, words.p, words.n);
    return at ? str_skip(text, (size_t)(at - text.p) + words.n) : STR("");
}

/* ART says "monitor contention with owner NAME (TID) at ..." around "Lock contention on ... (owner
 * tid: TID)". */
static bool is_lock(struct str name)
{
    return str_starts(name, STR("monitor contention with owner ")) ||
           str_starts(name, STR("Lock contention on "));
}

/* Of a lock's slice, where its owner took it, else where it was waited for. */
static struct str lock_place(struct str name)
{
    struct str place = text_behind(name, STR(" at "));
    if (place.n == 0)
        place = text_behind(name, STR(" blocking from "));
    const char *end = place.n ? memmem(place.p, place.n, " waiters=", 9) : NULL;
    return end ? str_from_to(place, 0, (size_t)(end - place.p)) : place;
}

/* The node of one more slice of the innermost thread below that of those around it: the same where
 * that slice is no step. */
static uint32_t child_of_slice(struct walk *w, uint32_t node, uint32_t row)
{
    const struct table *t = &w->x->trace->tables.slice;
    bool contains_all = w->depth == 0 && table_i64(t, slice_col_ts)[row] <= w->from &&
                        thread_index_slice_end(w->x, row) >= w->to;
    if (contains_all || is_lock(thread_index_slice_name(w->x, row)))
        return node;
    return child_of(w, node,
                    (struct about){CAUSE_SLICE, w->stack[w->depth].utid, NULL_U32,
                                   column_str(&t->columns[slice_col_name], row)});
}

/* The node of the slices around a time of the innermost thread, below that thread's own. Mostly
 * they are those that were asked for last, less the innermost one, or with another one in it. */
static uint32_t slices_at(struct walk *w, uint32_t innermost)
{
    const struct table *t = &w->x->trace->tables.slice;
    struct walked_thread *f = &w->stack[w->depth];
    uint32_t rows[SLICES_DEEP], n = 0, row = innermost;
    struct inside_slice at = {NULL_U32, f->node};
    if (innermost == f->innermost.row)
        return f->innermost.node;
    for (; row < t->rows && n < SLICES_DEEP; row = table_u32(t, slice_col_parent_id)[row]) {
        if (row == f->innermost.row || row == f->around.row) {
            at = row == f->innermost.row ? f->innermost : f->around;
            break;
        }
        rows[n++] = row;
    }
    f->around = (struct inside_slice){NULL_U32, f->node};
    while (n-- > 0) {
        f->around = at;
        at = (struct inside_slice){rows[n], child_of_slice(w, at.node, rows[n])};
    }
    f->innermost = (struct inside_slice){innermost, at.node};
    return at.node;
}

static bool is_slow(const struct thread_index *x, uint32_t cpu, int64_t at)
{
    const struct table *t = &x->trace->tables.counter;
    struct row_range r = row_groups_at(&x->frequencies, cpu);
    uint32_t next = r.count ? row_range_from(r, t, counter_col_ts, at + 1) : 0;
    return next > 0 && table_f64(t, counter_col_value)[r.rows[next - 1]] < 0.6 * x->fastest[cpu];
}

static void give_running(struct walk *w, uint32_t node, uint32_t cpu, int64_t from, int64_t to)
{
    if (to > from)
        give_kind(w, node, is_slow(w->x, cpu, from) ? CAUSE_SLOW_CPU : CAUSE_RAN, NULL_U32,
                  NULL_STRING, from, to);
}

/* Time on a CPU: less what interrupts took of it, at the frequency that it had. */
static void ran(struct walk *w, uint32_t node, uint32_t cpu, int64_t from, int64_t to)
{
    const struct table *t = &w->x->trace->tables.slice;
    struct row_range r = row_groups_at(&w->x->irqs, cpu);
    uint32_t i = r.count > 0 ? row_range_from(r, t, slice_col_ts, from) : 0;
    if (i > 0 && thread_index_slice_end(w->x, r.rows[i - 1]) > from)
        i--;
    for (; i < r.count && from < to; i++) {
        int64_t begin = table_i64(t, slice_col_ts)[r.rows[i]];
        int64_t end = thread_index_slice_end(w->x, r.rows[i]);
        if (begin >= to)
            break;
        if (w->steps++ >= STEPS_MAX || end <= from)
            continue;
        begin = begin < from ? from : begin;
        end = end < to ? end : to;
        give_running(w, node, cpu, from, begin);
        give_kind(w, node, CAUSE_IRQ, NULL_U32, column_str(&t->columns[slice_col_name], r.rows[i]),
                  begin, end);
        from = end;
    }
    give_running(w, node, cpu, from, to);
}

/* Since when a thread that got a CPU at `to` can have waited for that one: not while it idled. */
static int64_t waits_since(struct walk *w, uint32_t cpu, int64_t from, int64_t to)
{
    const struct table *t = &w->x->trace->tables.sched_slice;
    const uint32_t *utids = table_u32(t, sched_slice_col_utid);
    struct row_range r = row_groups_at(&w->x->ran, cpu);
    int64_t idle = 0, at = to;
    uint32_t i = row_range_near(r, t, sched_slice_col_ts, to, last_place(w->x->ran_near, cpu));
    for (uint32_t n = 0; at > from; n++) {
        bool none = i == 0 || n >= RAN_MAX || w->steps++ >= STEPS_MAX;
        int64_t end = none ? from : thread_index_ran_end(w->x, r.rows[i - 1]);
        if (end < at)
            idle = time_plus(idle, time_minus(at, end > from ? end : from));
        if (none || idle > LATENCY_MAX_NS)
            return idle > LATENCY_MAX_NS ? at : from;
        int64_t begin = table_i64(t, sched_slice_col_ts)[r.rows[--i]];
        if (thread_index_is_idle(w->x, utids[r.rows[i]]))
            idle = time_plus(idle, time_minus(end < at ? end : at, begin > from ? begin : from));
        if (idle > LATENCY_MAX_NS)
            return end < at ? end : at;
        at = begin < at ? begin : at;
    }
    return from;
}

/* Runnable: who ran on the CPU that it got in the end. */
static void waited_for_cpu(struct walk *w, uint32_t node, uint32_t cpu, int64_t from, int64_t to)
{
    const struct table *t = &w->x->trace->tables.sched_slice;
    struct row_range r = row_groups_at(&w->x->ran, cpu);
    uint32_t n = 0;
    uint32_t i = row_range_near(r, t, sched_slice_col_ts, from, last_place(w->x->ran_near, cpu));
    if (i > 0 && thread_index_ran_end(w->x, r.rows[i - 1]) > from)
        i--;
    for (; i < r.count && from < to && n < RAN_MAX; i++, n++) {
        int64_t begin = table_i64(t, sched_slice_col_ts)[r.rows[i]];
        int64_t end = thread_index_ran_end(w->x, r.rows[i]);
        if (begin >= to)
            break;
        begin = begin < from ? from : begin;
        end = end < to ? end : to;
        uint32_t utid = table_u32(t, sched_slice_col_utid)[r.rows[i]];
        bool idle = thread_index_is_idle(w->x, utid);
        give_kind(w, node, CAUSE_LATENCY, NULL_U32, NULL_STRING, from, begin);
        give_kind(w, node, idle ? CAUSE_LATENCY : CAUSE_CPU, idle ? NULL_U32 : utid, NULL_STRING,
                  begin, end);
        from = end > from ? end : from;
    }
    enum cause_kind left = r.count > 0 && n < RAN_MAX ? CAUSE_LATENCY : CAUSE_UNKNOWN;
    give_kind(w, node, left, NULL_U32, NULL_STRING, from, to);
}

/* The thread of a process of that tid. */
static uint32_t find_thread(const struct thread_index *x, uint32_t like, int64_t tid)
{
    const struct table *t = &x->trace->tables.thread;
    const uint32_t *upid = table_u32(t, thread_col_upid);
    for (uint32_t i = t->rows; i-- > 0;)
        if (upid[i] == upid[like] && thread_index_tid(x, i) == tid)
            return i;
    return NULL_U32;
}

static struct lock_wait read_lock(const struct thread_index *x, uint32_t utid, uint32_t innermost)
{
    const struct table *t = &x->trace->tables.slice;
    struct lock_wait found = {NULL_U32, NULL_U32, NULL_STRING};
    int looked = 0;
    for (uint32_t row = innermost; row < t->rows && looked < LOCKS_DEEP;
         row = table_u32(t, slice_col_parent_id)[row], looked++) {
        struct str name = thread_index_slice_name(x, row);
        if (!is_lock(name))
            continue;
        struct str monitor = text_behind(name, STR("contention with owner "));
        struct str tid =
            text_behind(monitor.n ? monitor : name, monitor.n ? STR("(") : STR("(owner tid: "));
        int64_t number;
        if (tid.n == 0 || !str_to_i64(str_from_to(tid, 0, str_find(tid, ')')), &number))
            continue;
        uint32_t owner = find_thread(x, utid, number);
        found.slice = row;
        found.owner = found.owner == NULL_U32 ? owner : found.owner;
        if (monitor.n)
            break;
    }
    if (found.owner != NULL_U32)
        found.place = string_pool_intern(&x->trace->strings,
                                         lock_place(thread_index_slice_name(x, found.slice)));
    return found;
}

/* A lock that many wait for is met again and again. */
static struct lock_wait lock_of(struct walk *w, uint32_t utid, uint32_t innermost)
{
    const struct table *t = &w->x->trace->tables.slice;
    uint32_t row = innermost;
    bool is_new;
    for (int looked = 0; row < t->rows && !is_lock(thread_index_slice_name(w->x, row)); looked++)
        row = looked + 1 < LOCKS_DEEP ? table_u32(t, slice_col_parent_id)[row] : NULL_U32;
    if (row >= t->rows)
        return (struct lock_wait){NULL_U32, NULL_U32, NULL_STRING};
    uint32_t *at = map_insert(&w->tree->locks_by_slice, hash_u64(innermost), &is_new);
    if (is_new) {
        *at = (uint32_t)w->tree->locks.count;
        *vec_push(&w->tree->locks) = read_lock(w->x, utid, innermost);
    }
    return w->tree->locks.items[*at];
}

static bool is_on_stack(const struct walk *w, uint32_t utid)
{
    for (int i = 0; i <= w->depth; i++)
        if (w->stack[i].utid == utid)
            return true;
    return false;
}

/* What is only known to be a wait: for a lock in the kernel another thread has to be followed, for
 * a disk nobody. */
static enum cause_kind blocked_kind(const struct thread_index *x, uint32_t row)
{
    const struct table *t = &x->trace->tables.thread_state;
    struct str state = thread_index_text(x, column_str(&t->columns[thread_state_col_state], row));
    if (state.n == 0 || state.p[0] != 'D')
        return CAUSE_SLEEP;
    return table_small(t, thread_state_col_io_wait, row) == 1 ? CAUSE_DISK : CAUSE_KERNEL;
}

/* Asleep: goes on with who ended it, or gives the time to what is known. Returns whether it went
 * on. */
static bool waited(struct walk *w, uint32_t node, uint32_t innermost, uint32_t row, uint32_t next,
                   int64_t from, int64_t to)
{
    const struct table *t = &w->x->trace->tables.thread_state;
    uint32_t utid = w->stack[w->depth].utid;
    struct lock_wait lock = lock_of(w, utid, innermost);
    enum cause_kind kind = blocked_kind(w->x, row);
    string_id name = column_str(&t->columns[thread_state_col_blocked_function], row);
    uint32_t waker = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_utid)[next];
    bool interrupt = next != NULL_U32 && table_small(t, thread_state_col_irq_context, next) == 1;
    bool idle = waker != NULL_U32 && thread_index_is_idle(w->x, waker);
    if (lock.owner != NULL_U32) {
        waker = lock.owner;
        name = lock.place;
    } else if (interrupt || idle || kind == CAUSE_DISK) {
        give_kind(w, node, kind, NULL_U32, name, from, to);
        return false;
    }
    if (waker == NULL_U32 || is_on_stack(w, waker) || w->depth + 1 >= THREADS_DEEP) {
        give_kind(w, node, kind == CAUSE_SLEEP ? CAUSE_UNKNOWN : kind, NULL_U32, name, from, to);
        return false;
    }
    uint32_t edge = child_of(w, node,
                             (struct about){lock.owner != NULL_U32 ? CAUSE_LOCK : CAUSE_WAIT, utid,
                                            waker, name});
    w->stack[++w->depth] = walked_thread_of(waker, edge, from);
    return true;
}

/* Time of which no state is known. */
static void without_state(struct walk *w, int64_t from, int64_t to)
{
    struct walked_thread *f = &w->stack[w->depth];
    bool scheduled = w->x->trace->tables.sched_slice.rows > 0;
    int64_t change;
    uint32_t slice = thread_index_slice_until(w->x, f->utid, from, &change);
    for (int64_t at = from; at < to;) {
        int64_t until = change < to && w->steps++ < STEPS_MAX ? change : to;
        enum cause_kind kind = scheduled || slice == NULL_U32 ? CAUSE_UNKNOWN : CAUSE_IN;
        give_kind(w, slices_at(w, slice), kind, NULL_U32, NULL_STRING, at, until);
        at = until;
        if (at < to)
            slice = thread_index_slice_next(w->x, f->utid, &change);
    }
}

/* One state of the innermost thread, which ends at `to`, or its part behind the last slice that
 * begins or ends in it. Returns where the walk goes on from, backwards. */
static int64_t walk_state(struct walk *w, uint32_t row, uint32_t next, int64_t from, int64_t to)
{
    const struct table *t = &w->x->trace->tables.thread_state;
    struct walked_thread *f = &w->stack[w->depth];
    string_id state = column_str(&t->columns[thread_state_col_state], row);
    bool runnable = state == w->x->runnable || state == w->x->preempted;
    if (state != w->x->running && !runnable) {
        int64_t until;
        uint32_t slice = thread_index_slice_until(w->x, f->utid, to - 1, &until);
        return waited(w, slices_at(w, slice), slice, row, next, from, to) ? to : from;
    }
    uint32_t cpu = runnable && next == NULL_U32
                       ? NULL_U32
                       : table_small(t, thread_state_col_ucpu, runnable ? next : row);
    int64_t since = runnable && cpu != NULL_U32 ? waits_since(w, cpu, from, to) : from;
    int64_t change;
    uint32_t slice = thread_index_slice_until(w->x, f->utid, from, &change);
    for (int64_t at = from; at < to;) {
        int64_t until = change < to && w->steps++ < STEPS_MAX ? change : to;
        until = at < since && since < until ? since : until;
        if (at < since)
            give_kind(w, slices_at(w, slice), CAUSE_LOST, NULL_U32, NULL_STRING, at, until);
        else if (runnable)
            waited_for_cpu(w, slices_at(w, slice), cpu, at, until);
        else
            ran(w, slices_at(w, slice), cpu, at, until);
        at = until;
        if (at == change && at < to)
            slice = thread_index_slice_next(w->x, f->utid, &change);
    }
    return from;
}

void cause_tree_walk(struct cause_tree *c, const struct thread_index *x, uint32_t utid,
                     int64_t from, int64_t to)
{
    const struct table *t = &x->trace->tables.thread_state;
    struct walk w = {.tree = c, .x = x, .from = from, .to = to};
    int64_t at = to;
    if (c->nodes.count == 0)
        *vec_push(&c->nodes) = (struct cause_node){.parent = NULL_U32,
                                                   .kind = CAUSE_ALL,
                                                   .utid = utid,
                                                   .other = NULL_U32};
    w.stack[0] = walked_thread_of(utid, 0, from);
    while (w.depth >= 0) {
        struct walked_thread *f = &w.stack[w.depth];
        if (at <= f->from) { /* on with the thread that it woke */
            w.depth--;
            continue;
        }
        if (w.steps++ >= STEPS_MAX) {
            c->cut_short = true;
            w.depth = 0;
            without_state(&w, from, at);
            return;
        }
        struct row_range r = row_groups_at(&x->states, f->utid);
        uint32_t p =
            row_range_near(r, t, thread_state_col_ts, at, last_place(x->states_near, f->utid));
        int64_t end = p > 0 ? thread_index_state_end(x, r.rows[p - 1]) : INT64_MIN;
        if (end < at) { /* a gap */
            int64_t begin = end > f->from ? end : f->from;
            without_state(&w, begin, at);
            at = begin;
            continue;
        }
        int64_t begin = table_i64(t, thread_state_col_ts)[r.rows[p - 1]];
        begin = begin > f->from ? begin : f->from;
        at = walk_state(&w, r.rows[p - 1], p < r.count ? r.rows[p] : NULL_U32, begin, at);
    }
}

void cause_tree_add_up(struct cause_tree *c)
{
    for (size_t i = c->nodes.count; i-- > 1;) {
        const struct cause_node *n = &c->nodes.items[i];
        give(&c->nodes.items[n->parent], n->ns, n->longest, n->ts);
    }
}

uint32_t cause_tree_largest(const struct cause_tree *c, uint32_t node)
{
    uint32_t best = NULL_U32;
    for (uint32_t i = node + 1; i < c->nodes.count; i++)
        if (c->nodes.items[i].parent == node &&
            (best == NULL_U32 || c->nodes.items[i].ns > c->nodes.items[best].ns))
            best = i;
    return best;
}

enum cause_kind cause_tree_mostly(const struct cause_tree *c, uint32_t node)
{
    int64_t sums[CAUSE_KIND_COUNT] = {0};
    VEC(uint8_t) below = {0};
    vec_reserve(&below, c->nodes.count);
    memset(below.items, 0, c->nodes.count);
    below.items[node] = 1;
    for (size_t i = node + 1; i < c->nodes.count; i++) {
        const struct cause_node *n = &c->nodes.items[i];
        below.items[i] = below.items[n->parent];
        if (below.items[i] && n->kind != CAUSE_SLICE && n->kind != CAUSE_WAIT &&
            n->kind != CAUSE_LOCK)
            sums[n->kind] = time_plus(sums[n->kind], n->ns);
    }
    vec_release(&below);
    for (int k = 0; k < CAUSE_KIND_COUNT; k++)
        if (sums[k] > c->nodes.items[node].ns / 2)
            return (enum cause_kind)k;
    return c->nodes.items[node].kind;
}
