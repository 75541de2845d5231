#include "core/clock_graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

enum { PATH_MAX_EDGES = 8, SEARCH_MAX_CLOCKS = 4096, SEARCH_MAX_EDGES = 1 << 14, NO_CLOCK = -1 };
/* Of the whole trace; ten thousand sequences with clocks of their own stay far below. */
enum { CLOCKS_MAX = 1 << 16, EDGES_MAX = 1 << 18 };
enum { SNAPSHOT_MAX_CLOCKS = 64, RECENT_CONVERSIONS = 8, KNOWN_CLOCKS = 64 };

struct shown {
    int64_t ns; /* ascending in a series, unless the clock is not monotonic */
    uint32_t snapshot;
};

/* What one clock showed in the snapshots that contain a certain set of clocks, in reading order. */
struct clock_series {
    int32_t clock;
    uint32_t set;
    /* The next and the previous one of the clock that search() goes along; 0: none. */
    uint32_t next_plus_one, previous_plus_one;
    VEC(struct shown) shown;
};

/* Clocks that were read together, and so are each other's neighbours; two clocks can be converted
 * where they are. */
struct clock_set {
    uint64_t hash;
    uint32_t first, count; /* series */
    bool is_linked;        /* the series are among those that search() goes along */
};

struct clock {
    struct clock_id id;
    int64_t unit_ns;
    int64_t last_ns;                        /* incremental clocks: the time so far */
    uint32_t first_plus_one, last_plus_one; /* the series that search() goes along; 0: none */
    bool is_known, incremental, not_monotonic;
    /* The search: which one saw this clock last, and where it came from. */
    uint32_t search;
    int32_t from;
    uint32_t from_set;
};

/* Times in [from_ns, to_ns) of one clock differ by `delta` from those of another. */
struct recent_conversion {
    int32_t from, to; /* indexes of clocks; equal: none */
    int64_t from_ns, to_ns, delta;
};

/* Where an id was found. */
struct known_clock {
    struct clock_id id;
    int32_t index;
};

/* How much there was when a file began. */
struct clock_mark {
    size_t clocks, sets;
};

struct clock_graph {
    struct map by_id;                       /* hash of the id -> index */
    struct known_clock known[KNOWN_CLOCKS]; /* of the ids asked for last */
    struct map set_of;                      /* hash of the ids of all of its clocks -> index */
    uint32_t edge_count;
    VEC(struct clock) clocks;
    VEC(struct clock_set) sets;
    VEC(struct clock_series) series; /* those of a set one behind the other */
    struct clock_mark before_file;
    bool keeps_files;
    uint32_t snapshot_count, searches;
    /* Valid until the next snapshot. A new one takes the place that a generator of random numbers
     * names, always the same ones, so that the count of misses is Trace Processor's. */
    struct recent_conversion recent[RECENT_CONVERSIONS];
    uint32_t last_recent; /* the place of the one that was found last */
    uint32_t random;
    int64_t misses;
};

struct clock_graph *clock_graph_new(void)
{
    struct clock_graph *g = alloc_array(1, sizeof *g);
    g->random = 1;
    return g;
}

void clock_graph_free(struct clock_graph *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->series.count; i++)
        vec_release(&g->series.items[i].shown);
    vec_release(&g->series);
    vec_release(&g->sets);
    vec_release(&g->clocks);
    map_release(&g->by_id);
    map_release(&g->set_of);
    free(g);
}

static uint64_t id_hash(struct clock_id id)
{
    return hash_mix((uint64_t)id.sequence << 32 | id.number, (uint64_t)id.machine << 32 | id.file);
}

int32_t clock_graph_find(struct clock_graph *g, struct clock_id id)
{
    struct known_clock *known =
        &g->known[(id.number ^ id.sequence * 16 ^ id.machine * 4) % KNOWN_CLOCKS];
    if (id.number && clock_id_equal(known->id, id))
        return known->index;
    const uint32_t *at = map_find(&g->by_id, id_hash(id));
    if (!at)
        return NO_CLOCK;
    *known = (struct known_clock){id, (int32_t)*at};
    return known->index;
}

static int32_t clock_intern(struct clock_graph *g, struct clock_id id)
{
    bool inserted;
    uint32_t *at = map_insert(&g->by_id, id_hash(id), &inserted);
    if (inserted) {
        *at = (uint32_t)g->clocks.count;
        *vec_push(&g->clocks) = (struct clock){.id = id, .unit_ns = 1};
    }
    return (int32_t)*at;
}

/* `near` is where in the set the clock may be; NULL where it is not in it. */
static struct clock_series *series_find(const struct clock_graph *g, int32_t clock, uint32_t set,
                                        size_t near)
{
    const struct clock_set *in = &g->sets.items[set];
    struct clock_series *series = &g->series.items[in->first];
    if (near < in->count && series[near].clock == clock)
        return &series[near];
    for (uint32_t i = 0; i < in->count; i++)
        if (series[i].clock == clock)
            return &series[i];
    return NULL;
}

static uint32_t set_intern(struct clock_graph *g, const int32_t *clocks, size_t n, uint64_t hash)
{
    bool inserted;
    uint32_t *at = map_insert(&g->set_of, hash, &inserted);
    if (!inserted)
        return *at;
    *at = (uint32_t)g->sets.count;
    *vec_push(&g->sets) = (struct clock_set){hash, (uint32_t)g->series.count, (uint32_t)n, false};
    for (size_t i = 0; i < n; i++)
        *vec_push(&g->series) = (struct clock_series){.clock = clocks[i], .set = *at};
    return *at;
}

/* Clocks that were seen together for the first time become each other's neighbours. */
static void link_set(struct clock_graph *g, struct clock_set *set)
{
    if (set->is_linked)
        return;
    set->is_linked = true;
    for (uint32_t i = set->first; i < set->first + set->count; i++) {
        struct clock *clock = &g->clocks.items[g->series.items[i].clock];
        uint32_t *last = clock->last_plus_one
                             ? &g->series.items[clock->last_plus_one - 1].next_plus_one
                             : &clock->first_plus_one;
        g->series.items[i].previous_plus_one = clock->last_plus_one;
        *last = clock->last_plus_one = i + 1;
    }
    g->edge_count += set->count * set->count;
}

/* Sums and differences of clock readings wrap around instead of overflowing. */
static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Order does not matter: the same clocks make the same set. */
static uint64_t set_hash(const struct clock_reading *readings, size_t n)
{
    uint64_t set = n;
    for (size_t i = 0; i < n; i++)
        set += hash_u64(id_hash(readings[i].clock));
    return set;
}

static bool has_duplicates(const struct clock_reading *readings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (clock_id_equal(readings[i].clock, readings[k].clock))
                return true;
    return false;
}

/* Notes what one clock showed. False where that contradicts what is known of the clock. */
static bool add_reading(struct clock_graph *g, const struct clock_reading *r,
                        struct clock_series *s, struct clock_id trace_clock, uint32_t snapshot)
{
    struct clock *clock = &g->clocks.items[s->clock];
    if (!clock->is_known) {
        clock->is_known = true;
        clock->unit_ns = r->unit_ns;
        clock->incremental = r->incremental;
    } else if (clock->unit_ns != r->unit_ns || clock->incremental != r->incremental) {
        return false;
    }
    int64_t ns = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns);
    clock->last_ns = ns;
    if (s->shown.count > 0 && ns < vec_last(&s->shown).ns) {
        if (clock_id_equal(r->clock, trace_clock))
            return false;
        clock->not_monotonic = true; /* REALTIME that was set back, say */
    }
    *vec_push(&s->shown) = (struct shown){ns, snapshot};
    return true;
}

bool clock_graph_add(struct clock_graph *g, struct clock_id trace_clock,
                     const struct clock_reading *readings, size_t n, uint32_t *snapshot)
{
    *snapshot = g->snapshot_count++;
    for (size_t i = 0; i < RECENT_CONVERSIONS; i++)
        g->recent[i] = (struct recent_conversion){0};
    if (n > SNAPSHOT_MAX_CLOCKS || has_duplicates(readings, n) ||
        g->clocks.count > CLOCKS_MAX - n || g->edge_count > EDGES_MAX - n * n)
        return false;
    int32_t clocks[SNAPSHOT_MAX_CLOCKS];
    for (size_t i = 0; i < n; i++)
        clocks[i] = clock_intern(g, readings[i].clock);
    uint32_t set = set_intern(g, clocks, n, set_hash(readings, n));
    for (size_t i = 0; i < n; i++) {
        struct clock_series *s = series_find(g, clocks[i], set, i);
        if (!s || !add_reading(g, &readings[i], s, trace_clock, *snapshot))
            return false;
    }
    link_set(g, &g->sets.items[set]);
    return true;
}

static bool may_be_forgotten(const struct clock_graph *g, uint32_t file,
                             struct clock_id trace_clock)
{
    const struct clock_mark mark = g->before_file;
    int32_t from_before = NO_CLOCK;
    if (g->keeps_files || file == 0 || g->clocks.count == mark.clocks)
        return false;
    for (size_t i = mark.clocks; i < g->clocks.count; i++)
        if (g->clocks.items[i].id.file != file ||
            clock_id_equal(g->clocks.items[i].id, trace_clock))
            return false;
    size_t first = mark.sets < g->sets.count ? g->sets.items[mark.sets].first : g->series.count;
    for (size_t i = first; i < g->series.count; i++) {
        int32_t clock = g->series.items[i].clock;
        if ((size_t)clock >= mark.clocks || clock == from_before)
            continue;
        if (from_before != NO_CLOCK)
            return false;
        from_before = clock;
    }
    return true;
}

/* The last one of its clock. */
static void forget_series(struct clock_graph *g, bool is_linked)
{
    struct clock_series *s = &vec_last(&g->series);
    struct clock *clock = &g->clocks.items[s->clock];
    if (is_linked) {
        clock->last_plus_one = s->previous_plus_one;
        if (s->previous_plus_one)
            g->series.items[s->previous_plus_one - 1].next_plus_one = 0;
        else
            clock->first_plus_one = 0;
    }
    vec_release(&s->shown);
    g->series.count--;
}

static void forget_set(struct clock_graph *g)
{
    const struct clock_set *set = &vec_last(&g->sets);
    for (uint32_t i = 0; i < set->count; i++)
        forget_series(g, set->is_linked);
    if (set->is_linked)
        g->edge_count -= set->count * set->count;
    map_remove(&g->set_of, set->hash);
    g->sets.count--;
}

static void forget_file(struct clock_graph *g)
{
    const struct clock_mark mark = g->before_file;
    while (g->sets.count > mark.sets)
        forget_set(g);
    while (g->clocks.count > mark.clocks)
        map_remove(&g->by_id, id_hash(g->clocks.items[--g->clocks.count].id));
    for (size_t i = 0; i < KNOWN_CLOCKS; i++)
        if ((size_t)g->known[i].index >= mark.clocks)
            g->known[i] = (struct known_clock){0};
    for (size_t i = 0; i < RECENT_CONVERSIONS; i++)
        if ((size_t)g->recent[i].from >= mark.clocks || (size_t)g->recent[i].to >= mark.clocks)
            g->recent[i] = (struct recent_conversion){0};
}

void clock_graph_next_file(struct clock_graph *g, uint32_t file, struct clock_id trace_clock)
{
    if (may_be_forgotten(g, file, trace_clock))
        forget_file(g);
    g->before_file = (struct clock_mark){g->clocks.count, g->sets.count};
}

void clock_graph_keep_files(struct clock_graph *g)
{
    g->keeps_files = true;
}

/* A search, breadth first. */
struct clock_search {
    int32_t to;
    uint32_t edges_left;
    VEC(int32_t) queue;
};

/* Puts the neighbours in one set into the queue. True where what is searched is among them. */
static bool visit(struct clock_graph *g, struct clock_search *search, int32_t from, uint32_t set)
{
    const struct clock_set *in = &g->sets.items[set];
    for (uint32_t i = in->first; i < in->first + in->count && search->edges_left > 0; i++) {
        int32_t to = g->series.items[i].clock;
        struct clock *target = &g->clocks.items[to];
        if (to == from)
            continue;
        search->edges_left--;
        if (target->search == g->searches)
            continue;
        target->search = g->searches;
        target->from = from;
        target->from_set = set;
        *vec_push(&search->queue) = to;
        if (to == search->to)
            return true;
    }
    return false;
}

/* From `from` to `to`, leaving the way in the clocks' `from` members. A clock that is not monotonic
 * is a target of conversions, and leads nowhere. */
static bool search(struct clock_graph *g, int32_t from, int32_t to)
{
    struct clock_search search = {.to = to, .edges_left = SEARCH_MAX_EDGES};
    struct clock *clocks = g->clocks.items;
    bool found = false;
    g->searches++;
    clocks[from].search = g->searches;
    clocks[from].from = NO_CLOCK;
    *vec_push(&search.queue) = from;
    for (size_t next = 0; next < search.queue.count && !found && search.edges_left > 0 &&
                          search.queue.count < SEARCH_MAX_CLOCKS;
         next++) {
        int32_t at = search.queue.items[next];
        uint32_t series = clocks[at].not_monotonic ? 0 : clocks[at].first_plus_one;
        for (; series && !found && search.edges_left > 0;
             series = g->series.items[series - 1].next_plus_one)
            found = visit(g, &search, at, g->series.items[series - 1].set);
    }
    vec_release(&search.queue);
    return found;
}

static size_t series_index_at(const struct clock_series *s, int64_t ns)
{
    size_t from = BISECT(mid, 0, s->shown.count, s->shown.items[mid].ns <= ns);
    return from ? from - 1 : 0;
}

static size_t series_index_of(const struct clock_series *s, uint32_t snapshot)
{
    return BISECT(mid, 0, s->shown.count, s->shown.items[mid].snapshot < snapshot);
}

/* A time, and how far it may move down and up while the conversion stays the same. */
struct conversion {
    int64_t ns, below, above;
};

static bool convert_edge(const struct clock_graph *g, int32_t from, int32_t to, uint32_t set,
                         struct conversion *v)
{
    const struct clock_series *source = series_find(g, from, set, 0),
                              *target = series_find(g, to, set, 1);
    if (!source || !target || source->shown.count == 0)
        return false;
    size_t i = series_index_at(source, v->ns);
    const struct shown *shown = &source->shown.items[i];
    size_t k = series_index_of(target, shown->snapshot);
    if (k >= target->shown.count || target->shown.items[k].snapshot != shown->snapshot)
        return false;
    if (i > 0) {
        int64_t room = wrap_sub(v->ns, shown->ns);
        v->below = room < v->below ? room : v->below;
    }
    if (i + 1 < source->shown.count) {
        int64_t room = wrap_sub(shown[1].ns, v->ns);
        v->above = room < v->above ? room : v->above;
    }
    v->ns = wrap_add(v->ns, wrap_sub(target->shown.items[k].ns, shown->ns));
    return true;
}

static bool convert(struct clock_graph *g, int32_t from, int32_t to, struct conversion *v)
{
    if (!search(g, from, to))
        return false;
    int32_t path[PATH_MAX_EDGES];
    size_t n = 0;
    for (int32_t at = to; at != from; at = g->clocks.items[at].from) {
        if (n == PATH_MAX_EDGES)
            return false;
        path[n++] = at;
    }
    for (int32_t at = from; n > 0; at = path[n]) {
        n--;
        if (!convert_edge(g, at, path[n], g->clocks.items[path[n]].from_set, v))
            return false;
    }
    return true;
}

/* The time on the clock's own scale in ns; moves an incremental clock on. */
static int64_t clock_advance(struct clock *clock, int64_t ts)
{
    int64_t ns = (int64_t)((uint64_t)ts * (uint64_t)clock->unit_ns);
    if (!clock->incremental)
        return ns;
    clock->last_ns = wrap_add(clock->last_ns, ns);
    return clock->last_ns;
}

static bool recent_fits(const struct recent_conversion *r, int32_t from, int32_t to, int64_t ns)
{
    return r->from == from && r->to == to && ns >= r->from_ns && ns < r->to_ns;
}

/* Where several fit they have the same difference. */
static const struct recent_conversion *recent_find(struct clock_graph *g, int32_t from, int32_t to,
                                                   int64_t ns)
{
    if (recent_fits(&g->recent[g->last_recent], from, to, ns))
        return &g->recent[g->last_recent];
    for (uint32_t i = 0; i < RECENT_CONVERSIONS; i++) {
        if (!recent_fits(&g->recent[i], from, to, ns))
            continue;
        g->last_recent = i;
        return &g->recent[i];
    }
    return NULL;
}

static uint32_t next_random(struct clock_graph *g)
{
    g->random = (uint32_t)((uint64_t)g->random * 48271 % INT32_MAX); /* the minimal standard one */
    return g->random;
}

static void recent_add(struct clock_graph *g, int32_t from, int32_t to, int64_t ns,
                       const struct conversion *v)
{
    struct recent_conversion r = {.from = from, .to = to, .delta = wrap_sub(v->ns, ns)};
    if (__builtin_sub_overflow(ns, v->below, &r.from_ns))
        r.from_ns = INT64_MIN;
    if (__builtin_add_overflow(ns, v->above, &r.to_ns))
        r.to_ns = INT64_MAX;
    g->recent[next_random(g) % RECENT_CONVERSIONS] = r;
}

enum clock_result clock_graph_convert_found(struct clock_graph *g, int32_t from, int64_t timestamp,
                                            int32_t to, int64_t *out)
{
    int64_t ns = clock_advance(&g->clocks.items[from], timestamp);
    const struct recent_conversion *recent = recent_find(g, from, to, ns);
    if (recent) {
        *out = wrap_add(ns, recent->delta);
        return CLOCK_CONVERTED;
    }
    struct conversion v = {ns, INT64_MAX, INT64_MAX};
    g->misses++;
    if (!convert(g, from, to, &v))
        return CLOCK_NO_PATH;
    recent_add(g, from, to, ns, &v);
    *out = v.ns;
    return CLOCK_CONVERTED;
}

enum clock_result clock_graph_convert(struct clock_graph *g, struct clock_id from,
                                      int64_t timestamp, struct clock_id to, int64_t *out)
{
    if (clock_id_equal(from, to)) {
        *out = timestamp;
        return CLOCK_CONVERTED;
    }
    int32_t source = clock_graph_find(g, from), target = clock_graph_find(g, to);
    if (source == NO_CLOCK || target == NO_CLOCK) {
        g->misses++;
        return source == NO_CLOCK ? CLOCK_UNKNOWN_SOURCE : CLOCK_UNKNOWN_TARGET;
    }
    return clock_graph_convert_found(g, source, timestamp, target, out);
}

bool clock_graph_connects(struct clock_graph *g, struct clock_id from, struct clock_id to)
{
    int32_t source = clock_graph_find(g, from), target = clock_graph_find(g, to);
    return source != NO_CLOCK && target != NO_CLOCK && search(g, source, target);
}

bool clock_graph_same_time(struct clock_graph *g, struct clock_id from, struct clock_id to)
{
    int64_t ns;
    if (clock_id_equal(from, to))
        return true;
    int32_t source = clock_graph_find(g, from), target = clock_graph_find(g, to);
    if (source == NO_CLOCK || target == NO_CLOCK || g->clocks.items[source].incremental ||
        g->clocks.items[source].unit_ns != 1 ||
        clock_graph_convert(g, from, 0, to, &ns) != CLOCK_CONVERTED || ns != 0)
        return false;
    const struct recent_conversion *r = recent_find(g, source, target, 0);
    return r && r->from_ns == INT64_MIN && r->to_ns == INT64_MAX;
}

int64_t clock_graph_searches(const struct clock_graph *g)
{
    return g->misses;
}
