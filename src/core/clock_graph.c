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

/* What one clock showed in the snapshots that contain a certain set of clocks. Two clocks can be
 * converted where they share such a series; the snapshots of a series are in reading order. */
struct clock_series {
    uint64_t set; /* hash of the ids of all clocks in the snapshot */
    VEC(uint32_t) snapshots;
    VEC(int64_t) times; /* ns, ascending unless the clock is not monotonic */
};

struct clock_edge {
    int32_t to; /* index of a clock */
    uint64_t set;
};

struct clock {
    int64_t unit_ns;
    bool incremental, not_monotonic;
    int64_t last_ns; /* incremental clocks: the time so far */
    VEC(struct clock_series) series;
    VEC(struct clock_edge) edges;
    /* The search: which one saw this clock last, and where it came from. */
    uint32_t search;
    int32_t from;
    uint64_t from_set;
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

struct clock_graph {
    struct map by_id;                       /* hash of the id -> index */
    struct known_clock known[KNOWN_CLOCKS]; /* of the ids asked for last */
    struct map series;      /* hash of clock and set -> index in the clock's series */
    struct map linked_sets; /* where the clocks have their edges */
    uint32_t edge_count;
    VEC(struct clock) clocks;
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
    for (size_t i = 0; i < g->clocks.count; i++) {
        struct clock *clock = &g->clocks.items[i];
        for (size_t k = 0; k < clock->series.count; k++) {
            vec_release(&clock->series.items[k].snapshots);
            vec_release(&clock->series.items[k].times);
        }
        vec_release(&clock->series);
        vec_release(&clock->edges);
    }
    vec_release(&g->clocks);
    map_release(&g->by_id);
    map_release(&g->series);
    map_release(&g->linked_sets);
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
        *vec_push(&g->clocks) = (struct clock){.unit_ns = 1};
    }
    return (int32_t)*at;
}

static struct clock_series *series_find(const struct clock_graph *g, int32_t clock, uint64_t set)
{
    const uint32_t *at = map_find(&g->series, hash_mix(set, (uint64_t)clock));
    return at ? &g->clocks.items[clock].series.items[*at] : NULL;
}

static struct clock_series *series_intern(struct clock_graph *g, int32_t at, uint64_t set)
{
    struct clock *clock = &g->clocks.items[at];
    bool inserted;
    uint32_t *index = map_insert(&g->series, hash_mix(set, (uint64_t)at), &inserted);
    if (inserted) {
        *index = (uint32_t)clock->series.count;
        *vec_push(&clock->series) = (struct clock_series){.set = set};
    }
    return &clock->series.items[*index];
}

/* Makes clocks that were seen together for the first time each other's neighbours. */
static void link_set(struct clock_graph *g, const int32_t *clocks, size_t n, uint64_t set)
{
    bool inserted;
    map_insert(&g->linked_sets, set, &inserted);
    for (size_t i = 0; inserted && i < n; i++) {
        struct clock *clock = &g->clocks.items[clocks[i]];
        for (size_t k = 0; k < n && !clock->not_monotonic; k++)
            if (i != k)
                *vec_push(&clock->edges) = (struct clock_edge){clocks[k], set};
        g->edge_count += (uint32_t)n;
    }
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
static uint64_t set_of(const struct clock_reading *readings, size_t n)
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
static bool add_reading(struct clock_graph *g, const struct clock_reading *r, int32_t at,
                        uint64_t set, struct clock_id trace_clock, uint32_t snapshot)
{
    struct clock *clock = &g->clocks.items[at];
    if (clock->series.count == 0) {
        clock->unit_ns = r->unit_ns;
        clock->incremental = r->incremental;
    } else if (clock->unit_ns != r->unit_ns || clock->incremental != r->incremental) {
        return false;
    }
    int64_t ns = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns);
    clock->last_ns = ns;
    struct clock_series *s = series_intern(g, at, set);
    if (s->times.count > 0 && ns < vec_last(&s->times)) {
        if (clock_id_equal(r->clock, trace_clock))
            return false;
        /* It stays a target of conversions: REALTIME that was set back, say. */
        clock->not_monotonic = true;
        clock->edges.count = 0;
    }
    *vec_push(&s->snapshots) = snapshot;
    *vec_push(&s->times) = ns;
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
    uint64_t set = set_of(readings, n);
    int32_t clocks[SNAPSHOT_MAX_CLOCKS];
    for (size_t i = 0; i < n; i++)
        clocks[i] = clock_intern(g, readings[i].clock);
    for (size_t i = 0; i < n; i++)
        if (!add_reading(g, &readings[i], clocks[i], set, trace_clock, *snapshot))
            return false;
    link_set(g, clocks, n, set);
    return true;
}

/* Breadth first from `from` to `to`, leaving the way in the clocks' `from` members. */
static bool search(struct clock_graph *g, int32_t from, int32_t to)
{
    VEC(int32_t) queue = {0};
    struct clock *clocks = g->clocks.items;
    bool found = false;
    uint32_t edges_left = SEARCH_MAX_EDGES;
    g->searches++;
    clocks[from].search = g->searches;
    clocks[from].from = NO_CLOCK;
    *vec_push(&queue) = from;
    for (size_t next = 0; next < queue.count && !found && queue.count < SEARCH_MAX_CLOCKS; next++) {
        int32_t at = queue.items[next];
        for (size_t i = 0; i < clocks[at].edges.count && !found && edges_left > 0; i++) {
            edges_left--;
            const struct clock_edge *edge = &clocks[at].edges.items[i];
            struct clock *target = &clocks[edge->to];
            if (target->search == g->searches)
                continue;
            target->search = g->searches;
            target->from = at;
            target->from_set = edge->set;
            *vec_push(&queue) = edge->to;
            found = edge->to == to;
        }
    }
    vec_release(&queue);
    return found;
}

static size_t series_index_at(const struct clock_series *s, int64_t ns)
{
    size_t from = BISECT(mid, 0, s->times.count, s->times.items[mid] <= ns);
    return from ? from - 1 : 0;
}

static size_t series_index_of(const struct clock_series *s, uint32_t snapshot)
{
    return BISECT(mid, 0, s->snapshots.count, s->snapshots.items[mid] < snapshot);
}

/* A time, and how far it may move down and up while the conversion stays the same. */
struct conversion {
    int64_t ns, below, above;
};

static bool convert_edge(const struct clock_graph *g, int32_t from, int32_t to, uint64_t set,
                         struct conversion *v)
{
    const struct clock_series *source = series_find(g, from, set),
                              *target = series_find(g, to, set);
    if (!source || !target || source->times.count == 0)
        return false;
    size_t i = series_index_at(source, v->ns);
    size_t k = series_index_of(target, source->snapshots.items[i]);
    if (k >= target->snapshots.count || target->snapshots.items[k] != source->snapshots.items[i])
        return false;
    if (i > 0) {
        int64_t room = wrap_sub(v->ns, source->times.items[i]);
        v->below = room < v->below ? room : v->below;
    }
    if (i + 1 < source->times.count) {
        int64_t room = wrap_sub(source->times.items[i + 1], v->ns);
        v->above = room < v->above ? room : v->above;
    }
    v->ns = wrap_add(v->ns, wrap_sub(target->times.items[k], source->times.items[i]));
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
