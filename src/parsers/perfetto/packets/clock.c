#include "parsers/perfetto/packets/clock.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "pb_fields.h"

/* Clocks 64 to 127 belong to the packet sequence that uses them. */
enum { SEQUENCE_CLOCK_FIRST = 64, SEQUENCE_CLOCK_LAST = 127 };
enum { PATH_MAX_EDGES = 8, SEARCH_MAX_CLOCKS = 4096, SEARCH_MAX_EDGES = 1 << 14, NO_CLOCK = -1 };
/* Of the whole trace; ten thousand sequences with clocks of their own stay far below. */
enum { CLOCKS_MAX = 1 << 16, EDGES_MAX = 1 << 18 };

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
    int64_t id; /* sequence << 32 | clock id for clocks of a sequence */
    uint32_t machine;
    int64_t unit_ns;
    bool incremental, not_monotonic;
    int64_t last_ns; /* incremental clocks: the time so far */
    VEC(struct clock_series) series;
    VEC(struct clock_edge) edges;
    /* The search: which one saw this clock last, and where it came from. */
    uint32_t search;
    int32_t from;
    uint64_t from_set;
    /* The last conversion to the trace clock: times in [cache_from, cache_to) differ from it by
     * cache_delta, as long as no snapshot was added. */
    uint32_t cache_epoch;
    int64_t cache_from, cache_to, cache_delta;
    uint32_t unreachable_epoch; /* no path to the trace clock existed then */
};

struct clock_tracker {
    struct map by_id;       /* hash of machine and id -> index */
    struct map series;      /* hash of clock and set -> index in the clock's series */
    struct map linked_sets; /* hash of machine and set, where the clocks have their edges */
    uint32_t edge_count;
    VEC(struct clock) clocks;
    uint32_t snapshot_count, searches;
    uint32_t epoch; /* counts changes of the graph, from 1 */
    int64_t trace_clock;
    bool trace_clock_set;
    struct map offset_of; /* machine -> index in `offsets` */
    VEC(int64_t) offsets; /* by how much the trace clock of a machine is ahead of the host's */
};

struct clock_tracker *clock_tracker_new(void)
{
    struct clock_tracker *c = alloc_array(1, sizeof *c);
    c->epoch = 1;
    c->trace_clock = PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME;
    return c;
}

void clock_tracker_free(struct clock_tracker *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->clocks.count; i++) {
        struct clock *clock = &c->clocks.items[i];
        for (size_t k = 0; k < clock->series.count; k++) {
            vec_release(&clock->series.items[k].snapshots);
            vec_release(&clock->series.items[k].times);
        }
        vec_release(&clock->series);
        vec_release(&clock->edges);
    }
    vec_release(&c->clocks);
    map_release(&c->by_id);
    map_release(&c->offset_of);
    vec_release(&c->offsets);
    map_release(&c->series);
    map_release(&c->linked_sets);
    free(c);
}

static int64_t global_id(const struct packet_sequence *seq, int64_t clock)
{
    if (clock < SEQUENCE_CLOCK_FIRST || clock > SEQUENCE_CLOCK_LAST)
        return clock;
    return (int64_t)((uint64_t)(seq ? seq->id : 0) << 32 | (uint64_t)clock);
}

static int32_t clock_find(const struct clock_tracker *c, uint32_t machine, int64_t id)
{
    const uint32_t *at = map_find(&c->by_id, hash_mix((uint64_t)id, machine));
    return at ? (int32_t)*at : NO_CLOCK;
}

static int32_t clock_intern(struct clock_tracker *c, uint32_t machine, int64_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&c->by_id, hash_mix((uint64_t)id, machine), &inserted);
    if (inserted) {
        *at = (uint32_t)c->clocks.count;
        *vec_push(&c->clocks) = (struct clock){.id = id, .machine = machine, .unit_ns = 1};
    }
    return (int32_t)*at;
}

void clock_set_trace_clock(struct import *im, int64_t clock)
{
    struct clock_tracker *c = im->clocks;
    if (c->trace_clock_set)
        return;
    c->trace_clock_set = true;
    c->trace_clock = clock;
    c->epoch++;
}

static struct clock_series *series_find(const struct clock_tracker *c, int32_t clock, uint64_t set)
{
    const uint32_t *at = map_find(&c->series, hash_mix(set, (uint64_t)clock));
    return at ? &c->clocks.items[clock].series.items[*at] : NULL;
}

static struct clock_series *series_intern(struct clock_tracker *c, int32_t at, uint64_t set)
{
    struct clock *clock = &c->clocks.items[at];
    bool inserted;
    uint32_t *index = map_insert(&c->series, hash_mix(set, (uint64_t)at), &inserted);
    if (inserted) {
        *index = (uint32_t)clock->series.count;
        *vec_push(&clock->series) = (struct clock_series){.set = set};
    }
    return &clock->series.items[*index];
}

/* Makes clocks that were seen together for the first time each other's neighbours. */
static void link_set(struct clock_tracker *c, uint32_t machine, const int32_t *clocks, size_t n,
                     uint64_t set)
{
    bool inserted;
    map_insert(&c->linked_sets, hash_mix(set, machine), &inserted);
    for (size_t i = 0; inserted && i < n; i++) {
        struct clock *clock = &c->clocks.items[clocks[i]];
        for (size_t k = 0; k < n && !clock->not_monotonic; k++)
            if (i != k)
                *vec_push(&clock->edges) = (struct clock_edge){clocks[k], set};
        c->edge_count += (uint32_t)n;
    }
}

/* Breadth first from `from` to `to`, leaving the way in the clocks' `from` members. */
static bool search(struct clock_tracker *c, int32_t from, int32_t to)
{
    VEC(int32_t) queue = {0};
    struct clock *clocks = c->clocks.items;
    bool found = false;
    uint32_t edges_left = SEARCH_MAX_EDGES;
    c->searches++;
    clocks[from].search = c->searches;
    clocks[from].from = NO_CLOCK;
    *vec_push(&queue) = from;
    for (size_t next = 0; next < queue.count && !found && queue.count < SEARCH_MAX_CLOCKS; next++) {
        int32_t at = queue.items[next];
        for (size_t i = 0; i < clocks[at].edges.count && !found && edges_left > 0; i++) {
            edges_left--;
            const struct clock_edge *edge = &clocks[at].edges.items[i];
            struct clock *target = &clocks[edge->to];
            if (target->search == c->searches)
                continue;
            target->search = c->searches;
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
    size_t from = 0, to = s->times.count;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (s->times.items[mid] <= ns)
            from = mid + 1;
        else
            to = mid;
    }
    return from ? from - 1 : 0;
}

static size_t series_index_of(const struct clock_series *s, uint32_t snapshot)
{
    size_t from = 0, to = s->snapshots.count;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (s->snapshots.items[mid] < snapshot)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* A time, and how far it may move down and up while the conversion stays the same. */
struct clock_conversion {
    int64_t ns, below, above;
};

/* Sums and differences of clock readings wrap around instead of overflowing. */
static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool convert_edge(const struct clock_tracker *c, int32_t from, int32_t to, uint64_t set,
                         struct clock_conversion *v)
{
    const struct clock_series *source = series_find(c, from, set),
                              *target = series_find(c, to, set);
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

static bool convert(struct clock_tracker *c, int32_t from, int32_t to, struct clock_conversion *v)
{
    if (!search(c, from, to))
        return false;
    int32_t path[PATH_MAX_EDGES];
    size_t n = 0;
    for (int32_t at = to; at != from; at = c->clocks.items[at].from) {
        if (n == PATH_MAX_EDGES)
            return false;
        path[n++] = at;
    }
    for (int32_t at = from; n > 0; at = path[n]) {
        n--;
        if (!convert_edge(c, at, path[n], c->clocks.items[path[n]].from_set, v))
            return false;
    }
    return true;
}

static bool to_trace_time(struct clock_tracker *c, struct clock *clock, int64_t ns, int64_t *out)
{
    if (clock->cache_epoch == c->epoch && ns >= clock->cache_from && ns < clock->cache_to) {
        *out = wrap_add(ns, clock->cache_delta);
        return true;
    }
    if (clock->unreachable_epoch == c->epoch)
        return false;
    int32_t target = clock_find(c, clock->machine, c->trace_clock);
    struct clock_conversion v = {ns, INT64_MAX, INT64_MAX};
    if (target == NO_CLOCK || !convert(c, (int32_t)(clock - c->clocks.items), target, &v)) {
        clock->unreachable_epoch = c->epoch;
        return false;
    }
    clock->cache_epoch = c->epoch;
    if (__builtin_sub_overflow(ns, v.below, &clock->cache_from))
        clock->cache_from = INT64_MIN;
    if (__builtin_add_overflow(ns, v.above, &clock->cache_to))
        clock->cache_to = INT64_MAX;
    clock->cache_delta = wrap_sub(v.ns, ns);
    *out = v.ns;
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

int64_t clock_trace_clock(const struct import *im)
{
    return im->clocks->trace_clock;
}

void clock_set_remote_offset(struct import *im, uint32_t machine, int64_t offset)
{
    struct clock_tracker *c = im->clocks;
    bool is_new;
    uint32_t *at = map_insert(&c->offset_of, machine, &is_new);
    if (is_new) {
        *at = (uint32_t)c->offsets.count;
        vec_push(&c->offsets);
    }
    c->offsets.items[*at] = offset;
}

/* From the trace clock of a machine to that of the host. */
static int64_t to_host(const struct clock_tracker *c, uint32_t machine, int64_t ns)
{
    const uint32_t *at = c->offsets.count ? map_find(&c->offset_of, machine) : NULL;
    return at ? wrap_sub(ns, c->offsets.items[*at]) : ns;
}

bool clock_is_trace_clock(const struct import *im, uint32_t machine, int64_t clock)
{
    return im->clocks->trace_clock == clock && to_host(im->clocks, machine, 0) == 0;
}

bool clock_to_trace_time(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock_id, int64_t ts, int64_t *out)
{
    struct clock_tracker *c = im->clocks;
    if (clock_id == c->trace_clock) {
        *out = to_host(c, machine, ts);
        return true;
    }
    int32_t at = clock_find(c, machine, global_id(seq, clock_id));
    if (at == NO_CLOCK)
        return false;
    struct clock *clock = &c->clocks.items[at];
    if (!to_trace_time(c, clock, clock_advance(clock, ts), out))
        return false;
    *out = to_host(c, machine, *out);
    return true;
}

void clock_count_failure(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock_id)
{
    const struct clock_tracker *c = im->clocks;
    enum stat_key key = STAT_clock_sync_failure_no_path;
    if (clock_find(c, machine, global_id(seq, clock_id)) == NO_CLOCK)
        key = STAT_clock_sync_failure_unknown_source_clock;
    else if (clock_find(c, machine, c->trace_clock) == NO_CLOCK)
        key = STAT_clock_sync_failure_unknown_target_clock;
    stats_count(im->trace, key);
}

static const char *clock_name(int64_t id)
{
    switch (id) {
    case PB_BuiltinClock_BUILTIN_CLOCK_REALTIME:
        return "REALTIME";
    case PB_BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE:
        return "REALTIME_COARSE";
    case PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC:
        return "MONOTONIC";
    case PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE:
        return "MONOTONIC_COARSE";
    case PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW:
        return "MONOTONIC_RAW";
    case PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME:
        return "BOOTTIME";
    default:
        return NULL;
    }
}

/* Order does not matter: the same clocks make the same set. */
static uint64_t set_of(const struct packet_sequence *seq, const struct clock_reading *readings,
                       size_t n)
{
    uint64_t set = n;
    for (size_t i = 0; i < n; i++)
        set += hash_u64((uint64_t)global_id(seq, readings[i].clock));
    return set;
}

static bool has_duplicates(const struct clock_reading *readings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (readings[i].clock == readings[k].clock)
                return true;
    return false;
}

/* Notes what one clock showed. False where that contradicts what is known of the clock. */
static bool add_reading(struct clock_tracker *c, const struct clock_reading *r, int32_t at,
                        uint64_t set, uint32_t snapshot)
{
    struct clock *clock = &c->clocks.items[at];
    if (clock->series.count == 0) {
        clock->unit_ns = r->unit_ns;
        clock->incremental = r->incremental;
    } else if (clock->unit_ns != r->unit_ns || clock->incremental != r->incremental) {
        return false;
    }
    int64_t ns = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns);
    clock->last_ns = ns;
    struct clock_series *s = series_intern(c, at, set);
    if (s->times.count > 0 && ns < vec_last(&s->times)) {
        if (r->clock == c->trace_clock)
            return false;
        /* It stays a target of conversions: REALTIME that was set back, say. */
        clock->not_monotonic = true;
        clock->edges.count = 0;
    }
    *vec_push(&s->snapshots) = snapshot;
    *vec_push(&s->times) = ns;
    return true;
}

enum { SNAPSHOT_MAX_CLOCKS = 64 };

static bool add_to_graph(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         const struct clock_reading *readings, size_t n, uint32_t snapshot)
{
    struct clock_tracker *c = im->clocks;
    if (n > SNAPSHOT_MAX_CLOCKS || has_duplicates(readings, n) ||
        c->clocks.count > CLOCKS_MAX - n || c->edge_count > EDGES_MAX - n * n)
        return false;
    uint64_t set = set_of(seq, readings, n);
    int32_t clocks[SNAPSHOT_MAX_CLOCKS];
    for (size_t i = 0; i < n; i++)
        clocks[i] = clock_intern(c, machine, global_id(seq, readings[i].clock));
    c->epoch++;
    for (size_t i = 0; i < n; i++)
        if (!add_reading(c, &readings[i], clocks[i], set, snapshot))
            return false;
    link_set(c, machine, clocks, n, set);
    return true;
}

/* The trace time of a snapshot that holds the trace clock itself. */
static bool time_of_snapshot(const struct clock_tracker *c, const struct clock_reading *readings,
                             size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (readings[i].clock != c->trace_clock)
            continue;
        *out = (int64_t)((uint64_t)readings[i].timestamp * (uint64_t)readings[i].unit_ns);
        return true;
    }
    return false;
}

/* When a reading was taken, in trace time. */
static bool time_of_reading(struct clock_tracker *c, const struct packet_sequence *seq,
                            uint32_t machine, const struct clock_reading *r, int64_t *out)
{
    if (r->clock == c->trace_clock) {
        *out = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns);
        return true;
    }
    int32_t at = clock_find(c, machine, global_id(seq, r->clock));
    if (at == NO_CLOCK)
        return false;
    struct clock *clock = &c->clocks.items[at];
    int64_t ns = clock->incremental ? clock->last_ns : clock_advance(clock, r->timestamp);
    return to_trace_time(c, clock, ns, out);
}

void clock_add_snapshot(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                        const struct clock_reading *readings, size_t n)
{
    struct clock_tracker *c = im->clocks;
    uint32_t snapshot = c->snapshot_count++;
    if (!add_to_graph(im, seq, machine, readings, n, snapshot)) {
        stats_count(im->trace, STAT_invalid_clock_snapshots);
        return;
    }
    int64_t snapshot_ts = 0;
    bool has_ts = time_of_snapshot(c, readings, n, &snapshot_ts);
    for (size_t i = 0; i < n; i++) {
        const struct clock_reading *r = &readings[i];
        int64_t ts = snapshot_ts;
        if (!time_of_reading(c, seq, machine, r, &ts)) {
            if (!has_ts)
                continue;
            ts = snapshot_ts;
        }
        ts = to_host(c, machine, ts);
        const char *name = clock_name(r->clock);
        struct clock_snapshot_row row = {
            .ts = ts,
            .clock_id = global_id(seq, r->clock),
            .clock_name = name ? trace_intern_c(im->trace, name) : NULL_STRING,
            .clock_value = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns),
            .snapshot_id = snapshot,
            .machine_id = machine,
        };
        clock_snapshot_append(&im->trace->tables.clock_snapshot, &row);
    }
}

void clock_relate(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                  const struct clock_reading *readings, size_t n)
{
    if (!add_to_graph(im, seq, machine, readings, n, im->clocks->snapshot_count++))
        stats_count(im->trace, STAT_invalid_clock_snapshots);
}

void clock_finish(struct import *im)
{
    struct clock_tracker *c = im->clocks;
    metadata_set_int(im->trace, "trace_time_clock_id", c->trace_clock);
    if (!c->trace_clock_set || c->trace_clock == PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
        return;
    int32_t from = clock_find(c, 0, c->trace_clock);
    int32_t to = clock_find(c, 0, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME);
    if (from == NO_CLOCK || to == NO_CLOCK || !search(c, from, to))
        stats_count(im->trace, STAT_clock_sync_unrelatable_clock_domains);
}
