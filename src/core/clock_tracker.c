#include "core/clock_tracker.h"

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

static const uint32_t NO_FILE = UINT32_MAX;

static struct clock_tracker *tracker(struct trace *t)
{
    return &t->builder->clocks;
}

void clock_tracker_init(struct trace *t)
{
    struct clock_tracker *c = tracker(t);
    c->graph = clock_graph_new();
    c->version = 1;
    c->trace_clock = (struct clock_id){.number = CLOCK_TRACE_FILE_NUMBER};
}

void clock_next_file(struct trace *t)
{
    struct clock_tracker *c = tracker(t);
    uint32_t before = c->contexts.count > 0 ? vec_last(&c->contexts).file : NO_FILE;
    clock_graph_next_file(c->graph, before, c->trace_clock);
    c->version++;
    c->contexts.count = 0;
    map_release(&c->context_of);
}

void clock_keep_files(struct trace *t)
{
    clock_graph_keep_files(tracker(t)->graph);
}

void clock_tracker_finish(struct trace *t)
{
    stats_add(t, STAT_clock_sync_cache_miss, STAT_SINGLE, clock_graph_searches(tracker(t)->graph));
}

void clock_tracker_release(struct trace *t)
{
    struct clock_tracker *c = tracker(t);
    clock_graph_free(c->graph);
    map_release(&c->context_of);
    map_release(&c->machines);
    vec_release(&c->contexts);
}

/* What one of the file's machines says holds for those that come later. */
static uint32_t file_default(const struct clock_tracker *c)
{
    uint32_t found = 0;
    for (size_t i = c->contexts.count; i > 0; i--)
        if (c->contexts.items[i - 1].default_clock)
            found = c->contexts.items[i - 1].default_clock;
    return found;
}

/* Of the file that is being read. */
static struct clock_context *context_of(struct trace *t, uint32_t machine)
{
    struct clock_tracker *c = tracker(t);
    uint32_t file = stats_scope(t)->file;
    if (c->last_context < c->contexts.count) {
        struct clock_context *last = &c->contexts.items[c->last_context];
        if (last->machine == machine && last->file == file)
            return last;
    }
    bool is_new;
    uint32_t *at = map_insert(&c->context_of, hash_mix(machine, file), &is_new);
    if (is_new)
        *at = (uint32_t)c->contexts.count;
    c->last_context = *at;
    if (!is_new)
        return &c->contexts.items[*at];
    bool is_first;
    map_insert(&c->machines, machine, &is_first);
    struct clock_context context = {
        .machine = machine,
        .file = file,
        .is_first = is_first,
        .has_own_clock = true,
        .own = {.number = CLOCK_BOOTTIME_NUMBER, .machine = machine},
        .default_clock = file_default(c),
    };
    *vec_push(&c->contexts) = context;
    return &vec_last(&c->contexts);
}

static struct clock_id qualified(const struct clock_context *x, uint32_t number, uint32_t sequence)
{
    bool own = number == CLOCK_TRACE_FILE_NUMBER || sequence != 0 || x->is_apart;
    return (struct clock_id){number, x->machine, own ? x->file : 0, sequence};
}

struct clock_id clock_of_machine(struct trace *t, uint32_t machine, uint32_t number,
                                 uint32_t sequence)
{
    return qualified(context_of(t, machine), number, sequence);
}

static const char *clock_name(uint32_t number)
{
    static const char *const names[] = {
        NULL,       "REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW",
        "BOOTTIME",
    };
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

/* The trace time of a snapshot that holds the trace clock itself. */
static bool time_of_snapshot(const struct clock_tracker *c, const struct clock_reading *readings,
                             size_t n, int64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!clock_id_equal(readings[i].clock, c->trace_clock))
            continue;
        *out = readings[i].timestamp;
        return true;
    }
    return false;
}

static void add_rows(struct trace *t, const struct clock_reading *readings, size_t n,
                     uint32_t snapshot)
{
    struct clock_tracker *c = tracker(t);
    int64_t snapshot_ts = 0;
    bool has_ts = time_of_snapshot(c, readings, n, &snapshot_ts);
    for (size_t i = 0; i < n; i++) {
        const struct clock_reading *r = &readings[i];
        int64_t ts, own = r->incremental ? 0 : r->timestamp;
        if (clock_graph_convert(c->graph, r->clock, own, c->trace_clock, &ts) != CLOCK_CONVERTED) {
            if (!has_ts)
                continue;
            ts = snapshot_ts;
        }
        const char *name = clock_name(r->clock.number);
        struct clock_snapshot_row row = {
            .ts = ts,
            .clock_id = r->clock.number,
            .clock_name = name ? trace_intern_c(t, name) : NULL_STRING,
            .clock_value = (int64_t)((uint64_t)r->timestamp * (uint64_t)r->unit_ns),
            .snapshot_id = snapshot,
            .machine_id = r->clock.machine,
        };
        clock_snapshot_append(&t->tables.clock_snapshot, &row);
    }
}

static void add_readings(struct trace *t, const struct clock_reading *readings, size_t n, bool rows)
{
    struct clock_tracker *c = tracker(t);
    uint32_t snapshot;
    c->version++;
    if (!clock_graph_add(c->graph, c->trace_clock, readings, n, &snapshot))
        stats_count(t, STAT_invalid_clock_snapshots);
    else if (rows)
        add_rows(t, readings, n, snapshot);
}

void clock_relate(struct trace *t, struct clock_id a, int64_t a_ns, struct clock_id b, int64_t b_ns,
                  bool rows)
{
    const struct clock_reading pair[] = {
        {.clock = a, .timestamp = a_ns, .unit_ns = 1},
        {.clock = b, .timestamp = b_ns, .unit_ns = 1},
    };
    add_readings(t, pair, 2, rows);
}

uint32_t clock_trace_machine(struct trace *t)
{
    return tracker(t)->trace_clock.machine;
}

static bool related(struct clock_tracker *c, struct clock_id from, struct clock_id to)
{
    int64_t ts;
    return clock_graph_convert(c->graph, from, 0, to, &ts) == CLOCK_CONVERTED;
}

static void bridge(struct trace *t, struct clock_id from)
{
    struct clock_tracker *c = tracker(t);
    struct clock_id to = c->trace_clock;
    if (related(c, from, to))
        return;
    struct clock_id real = {.number = CLOCK_REALTIME_NUMBER, .machine = from.machine},
                    trace_real = {.number = CLOCK_REALTIME_NUMBER, .machine = to.machine};
    if (!clock_id_equal(real, trace_real) && related(c, from, real) && related(c, trace_real, to)) {
        if (!related(c, real, trace_real))
            clock_relate(t, real, 0, trace_real, 0, true);
        return;
    }
    struct clock_id peer = {.number = from.number, .machine = to.machine};
    if (from.number == CLOCK_TRACE_FILE_NUMBER || to.number == CLOCK_TRACE_FILE_NUMBER ||
        from.number == to.number) {
        /* Readings taken together know better than a common name. */
        if (from.machine != to.machine && clock_graph_connects(c->graph, from, peer))
            from = peer;
        clock_relate(t, from, 0, to, 0, true);
        return;
    }
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern_c(t, "source_clock_id"), from.number);
    arg_list_int(&args, trace_intern_c(t, "target_clock_id"), to.number);
    import_log_in_file(t, STAT_clock_sync_unrelatable_clock_domains, -1, &args);
    arg_list_release(&args);
}

/* Before the first conversion: how the times of the machine relate to trace time if no snapshot
 * has said so yet. */
static void relate_own_clock(struct trace *t, struct clock_context *x)
{
    struct clock_tracker *c = tracker(t);
    struct clock_id from = x->own, shared = x->own;
    x->has_own_clock = false;
    if (x->own_offset != 0) {
        if (!related(c, from, c->trace_clock))
            clock_relate(t, from, 0, c->trace_clock, x->own_offset, true);
        return;
    }
    if (x->is_apart && from.number != CLOCK_TRACE_FILE_NUMBER) {
        from.file = x->file;
        if (!related(c, from, shared))
            clock_relate(t, from, 0, shared, 0, true);
    }
    bridge(t, shared);
}

static void begin_conversion(struct trace *t, struct clock_context *x)
{
    if (x->has_own_clock)
        relate_own_clock(t, x);
    x->has_conversion = true;
}

enum clock_result clock_convert(struct trace *t, uint32_t machine, struct clock_id clock,
                                int64_t timestamp, int64_t *out)
{
    struct clock_tracker *c = tracker(t);
    begin_conversion(t, context_of(t, machine));
    return clock_graph_convert(c->graph, clock, timestamp, c->trace_clock, out);
}

enum clock_result clock_convert_along(struct trace *t, struct clock_route *route, uint32_t machine,
                                      uint32_t number, uint32_t sequence, int64_t timestamp,
                                      int64_t *out)
{
    struct clock_tracker *c = tracker(t);
    if (route->version == c->version && route->number == number)
        return clock_graph_convert_found(c->graph, route->from, timestamp, route->to, out);
    struct clock_id clock = clock_of_machine(t, machine, number, sequence);
    enum clock_result result = clock_convert(t, machine, clock, timestamp, out);
    if (result == CLOCK_CONVERTED && !clock_id_equal(clock, c->trace_clock))
        *route = (struct clock_route){c->version, number, clock_graph_find(c->graph, clock),
                                      clock_graph_find(c->graph, c->trace_clock)};
    return result;
}

enum clock_result clock_at_trace_time(struct trace *t, uint32_t machine, uint32_t number,
                                      int64_t ts, int64_t *out)
{
    struct clock_tracker *c = tracker(t);
    begin_conversion(t, context_of(t, machine));
    return clock_graph_convert(c->graph, c->trace_clock, ts,
                               clock_of_machine(t, machine, number, 0), out);
}

bool clock_is_trace_time(struct trace *t, uint32_t machine, struct clock_id clock)
{
    struct clock_tracker *c = tracker(t);
    begin_conversion(t, context_of(t, machine));
    return clock_graph_same_time(c->graph, clock, c->trace_clock);
}

void clock_decide(struct trace *t, struct clock_id clock)
{
    struct clock_tracker *c = tracker(t);
    c->version++;
    c->trace_clock = clock;
    c->is_claimed = true;
    c->claimed_by = NO_FILE;
    metadata_set_int(t, "trace_time_clock_id", clock.number);
}

static void claim(struct trace *t, const struct clock_context *x, struct clock_id clock)
{
    struct clock_tracker *c = tracker(t);
    if (x->has_conversion || (c->is_claimed && c->claimed_by != x->file))
        return;
    c->version++;
    c->is_claimed = true;
    c->claimed_by = x->file;
    c->trace_clock = clock;
    metadata_set_int(t, "trace_time_clock_id", clock.number);
}

void clock_claim(struct trace *t, uint32_t machine, uint32_t number)
{
    struct clock_context *x = context_of(t, machine);
    x->default_clock = number;
    claim(t, x, (struct clock_id){.number = number, .machine = machine});
}

uint32_t clock_default(struct trace *t, uint32_t machine)
{
    return context_of(t, machine)->default_clock;
}

void clock_begin_file(struct trace *t, uint32_t number, int64_t offset)
{
    struct clock_context *x = context_of(t, stats_scope(t)->machine);
    x->own = qualified(x, number, 0);
    x->own_offset = offset;
    x->default_clock = number;
    if (offset == 0)
        claim(t, x, x->own);
}

void clock_log_failure(struct trace *t, const struct clock_failure *failure, int64_t offset)
{
    static const enum stat_key keys[] = {
        [CLOCK_UNKNOWN_SOURCE] = STAT_clock_sync_failure_unknown_source_clock,
        [CLOCK_UNKNOWN_TARGET] = STAT_clock_sync_failure_unknown_target_clock,
        [CLOCK_NO_PATH] = STAT_clock_sync_failure_no_path,
    };
    struct arg_list args = {0};
    if (failure->clock.sequence)
        arg_list_uint(&args, trace_intern_c(t, "source_sequence_id"), failure->clock.sequence);
    arg_list_int(&args, trace_intern_c(t, "source_clock_id"), failure->clock.number);
    arg_list_int(&args, trace_intern_c(t, "source_timestamp"), failure->timestamp);
    arg_list_int(&args, trace_intern_c(t, "target_clock_id"), tracker(t)->trace_clock.number);
    import_log_in_file(t, keys[failure->result], offset, &args);
    arg_list_release(&args);
}

bool clock_file_time(struct trace *t, int64_t ts, int64_t *out)
{
    struct clock_context *x = context_of(t, stats_scope(t)->machine);
    begin_conversion(t, x);
    struct clock_tracker *c = tracker(t);
    enum clock_result result = clock_graph_convert(c->graph, x->own, ts, c->trace_clock, out);
    if (result == CLOCK_CONVERTED)
        return true;
    const struct clock_failure failure = {result, x->own, ts};
    clock_log_failure(t, &failure, -1);
    return false;
}

/* Files of machines that share no other clock with the trace's meet at REALTIME, which all machines
 * agree on: each REALTIME that such a file's own clocks hold is the machine's, too. */
static size_t add_shared_realtime(const struct clock_tracker *c, const struct clock_context *x,
                                  struct clock_reading *readings, size_t n, size_t room)
{
    size_t known = n;
    if (x->is_first || x->machine == c->trace_clock.machine)
        return n;
    for (size_t i = 0; i < known && n < room; i++) {
        uint32_t number = readings[i].clock.number;
        if (number != CLOCK_REALTIME_NUMBER && number != CLOCK_REALTIME_COARSE_NUMBER)
            continue;
        readings[n] = readings[i];
        readings[n++].clock.file = 0;
    }
    return n;
}

void clock_add_snapshot(struct trace *t, uint32_t machine, struct clock_reading *readings, size_t n)
{
    enum { READINGS_MAX = 128 };
    struct clock_context *x = context_of(t, machine);
    struct clock_reading all[READINGS_MAX];
    if (!x->is_first && !x->is_apart) {
        if (x->has_conversion)
            stats_count(t, STAT_clock_sync_mixed_clock_sources);
        x->is_apart = true;
        tracker(t)->version++;
    }
    if (n > READINGS_MAX)
        n = READINGS_MAX;
    for (size_t i = 0; i < n; i++) {
        all[i] = readings[i];
        all[i].clock = qualified(x, readings[i].clock.number, readings[i].clock.sequence);
    }
    n = add_shared_realtime(tracker(t), x, all, n, READINGS_MAX);
    add_readings(t, all, n, true);
}
