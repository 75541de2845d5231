/* Traces of Primes, Google's performance library of apps: a protobuf message with the begins and
 * ends of slices and with marks, on executors (queues), and what follows from what. The message is
 * Perfetto's protos/third_party/primes/primes_tracing.proto. */
#define PB_READS_LITTLE
#include "base/map.h"
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/proto/wire.h"

/* Fields of the messages Trace, Timestamp and Duration, TraceEdge, SliceBegin, and
 * TraceEntityDetails. */
enum { TRACE_ID = 1, TRACE_NAME, TRACE_START_TIME = 4, TRACE_EDGES = 7 };
enum { TIME_SECONDS = 1, TIME_NANOS };
enum { EDGE_ID = 1, EDGE_OFFSET, EDGE_SLICE_BEGIN, EDGE_SLICE_END, EDGE_MARK };
enum { BEGIN_DETAILS = 1, BEGIN_EXECUTOR_NAME = 6, BEGIN_EXECUTOR_ID = 8 };
enum { DETAILS_NAME = 1, DETAILS_PARENT, DETAILS_FOLLOWS_FROM, DETAILS_FLOWS };

#define NS_PER_SECOND INT64_C(1000000000)

struct edge_details {
    bool present, has_parent;
    uint64_t parent;
    string_id name;
    struct pb_reader fields; /* all, for those that are repeated */
};

struct edge {
    uint64_t id;
    uint32_t kind; /* the edge's field; 0: none that is known */
    struct pb_reader content;
};

struct primes {
    struct trace *trace;
    VEC(struct timed) entries;
    VEC(struct bytes) edges;
    struct map executor_of; /* id of a slice or mark -> index of `executors` */
    VEC(int64_t) executors; /* by slice or mark */
    string_id edge_id, parent_id;
};

static int64_t read_time(struct pb_reader r)
{
    struct pb_field f;
    int64_t seconds = 0, nanos = 0;
    while (pb_next(&r, &f)) {
        if (f.number == TIME_SECONDS)
            seconds = pb_i64(&f);
        else if (f.number == TIME_NANOS)
            nanos = pb_i32(&f);
    }
    int64_t ns;
    if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &ns))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return time_plus(ns, nanos);
}

static struct edge read_edge(struct bytes b)
{
    struct pb_reader r = bytes_reader(b);
    struct pb_field f;
    struct edge e = {0};
    while (pb_next(&r, &f)) {
        if (f.number == EDGE_ID) {
            e.id = pb_u64(&f);
        } else if (f.number >= EDGE_SLICE_BEGIN && f.number <= EDGE_MARK) {
            e.kind = f.number;
            e.content = pb_message(&f);
        }
    }
    return e;
}

static struct edge_details read_details(struct primes *p, struct pb_reader r)
{
    struct edge_details d = {.present = true, .fields = r, .name = trace_intern(p->trace, STR(""))};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == DETAILS_NAME) {
            d.name = trace_intern(p->trace, pb_str(&f));
        } else if (f.number == DETAILS_PARENT) {
            d.has_parent = true;
            d.parent = pb_u64(&f);
        }
    }
    return d;
}

static void log_fault(struct primes *p, enum stat_key key, int64_t ts, uint64_t edge,
                      const uint64_t *parent)
{
    struct arg_list args = {0};
    arg_list_int(&args, p->edge_id, (int64_t)edge);
    if (parent)
        arg_list_int(&args, p->parent_id, (int64_t)*parent);
    import_log_at(p->trace, key, ts, &args);
    arg_list_release(&args);
}

static const int64_t *executor_of(const struct primes *p, uint64_t id)
{
    const uint32_t *index = map_find(&p->executor_of, id);
    return index ? &p->executors.items[*index] : NULL;
}

static struct track_spec track_of(const struct primes *p, int64_t executor, string_id name)
{
    return (struct track_spec){
        .type = "primes_executor_slice",
        .machine = stats_scope(p->trace)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "executor_id", .type = ARG_INT, .i = executor}},
        .name = name,
    };
}

static void follow(struct primes *p, uint32_t slice, uint32_t field, uint64_t id)
{
    struct trace *t = p->trace;
    if (field == DETAILS_FOLLOWS_FROM)
        flow_end(t, slice, id, false, (int64_t)id);
    else if (flow_known(t, id))
        flow_step(t, slice, id, (int64_t)id);
    else
        flow_begin(t, slice, id);
}

/* A slice or mark is where a flow of its own number begins, and goes on with those that it
 * follows. */
static void add_flows(struct primes *p, uint32_t slice, uint64_t id, const struct edge_details *d)
{
    struct pb_field f;
    flow_begin(p->trace, slice, id);
    for (uint32_t field = DETAILS_FOLLOWS_FROM; field <= DETAILS_FLOWS; field++) {
        struct pb_reader r = d->fields;
        while (pb_next(&r, &f)) {
            if (f.number != field)
                continue;
            uint64_t v;
            struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
            while (pb_packed_next(&it, &v))
                follow(p, slice, field, v);
        }
    }
}

static void begin_slice(struct primes *p, int64_t ts, const struct edge *e)
{
    struct trace *t = p->trace;
    struct edge_details d = {0};
    struct pb_reader r = e->content;
    struct pb_field f;
    bool has_executor = false;
    int64_t executor = 0;
    string_id name = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == BEGIN_DETAILS) {
            d = read_details(p, pb_message(&f));
        } else if (f.number == BEGIN_EXECUTOR_NAME) {
            name = trace_intern(t, pb_str(&f));
        } else if (f.number == BEGIN_EXECUTOR_ID) {
            has_executor = true;
            executor = pb_i64(&f);
        }
    }
    if (!has_executor) {
        const int64_t *of_parent = d.has_parent ? executor_of(p, d.parent) : NULL;
        if (!of_parent) {
            log_fault(p,
                      d.has_parent ? STAT_primes_executor_not_found : STAT_primes_missing_parent_id,
                      ts, e->id, d.has_parent ? &d.parent : NULL);
            return;
        }
        executor = *of_parent;
        name = NULL_STRING;
    }
    map_set(&p->executor_of, e->id, (uint32_t)p->executors.count);
    *vec_push(&p->executors) = executor;
    struct track_spec spec = track_of(p, executor, name);
    uint32_t track = track_set_begin(t, &spec, (int64_t)e->id);
    uint32_t slice =
        slice_begin(t, ts, track, NULL_STRING, d.name ? d.name : trace_intern(t, STR("")));
    if (slice != NULL_U32)
        add_flows(p, slice, e->id, &d);
}

static void end_slice(struct primes *p, int64_t ts, const struct edge *e)
{
    const int64_t *executor = executor_of(p, e->id);
    if (!executor) {
        log_fault(p, STAT_primes_end_without_matching_begin, ts, e->id, NULL);
        return;
    }
    struct track_spec spec = track_of(p, *executor, NULL_STRING);
    uint32_t track = track_set_end(p->trace, &spec, (int64_t)e->id);
    slice_end(p->trace, ts, track, NULL_STRING, NULL_STRING);
}

static void add_mark(struct primes *p, int64_t ts, const struct edge *e)
{
    struct trace *t = p->trace;
    struct edge_details d = {0};
    struct pb_reader r = e->content;
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == BEGIN_DETAILS)
            d = read_details(p, pb_message(&f));
    const int64_t *executor = d.has_parent ? executor_of(p, d.parent) : NULL;
    if (!executor) {
        log_fault(p,
                  !d.present      ? STAT_primes_missing_entity_details
                  : !d.has_parent ? STAT_primes_missing_parent_id
                                  : STAT_primes_executor_not_found,
                  ts, e->id, NULL);
        return;
    }
    struct track_spec spec = track_of(p, *executor, NULL_STRING);
    uint32_t track = track_set_begin(t, &spec, (int64_t)e->id);
    uint32_t slice = slice_complete(t, ts, 0, track, NULL_STRING, d.name);
    if (slice != NULL_U32)
        add_flows(p, slice, e->id, &d);
}

static void apply(struct primes *p)
{
    time_sort(p->entries.items, p->entries.count);
    for (size_t i = 0; i < p->entries.count; i++) {
        int64_t ts = p->entries.items[i].ts;
        struct edge e = read_edge(p->edges.items[p->entries.items[i].rank]);
        if (e.kind == EDGE_SLICE_BEGIN)
            begin_slice(p, ts, &e);
        else if (e.kind == EDGE_SLICE_END)
            end_slice(p, ts, &e);
        else if (e.kind == EDGE_MARK)
            add_mark(p, ts, &e);
        else
            log_fault(p, STAT_primes_unknown_edge_type, ts, e.id, NULL);
    }
}

static void keep_edge(struct primes *p, struct bytes b, int64_t start)
{
    struct pb_reader r = bytes_reader(b);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != EDGE_OFFSET)
            continue;
        *vec_push(&p->entries) = (struct timed){.ts = time_plus(start, read_time(pb_message(&f))),
                                                .rank = (int64_t)p->edges.count};
        *vec_push(&p->edges) = b;
        return;
    }
    import_log_in_file(p->trace, STAT_primes_malformed_timestamp, -1, NULL);
}

/* Where edges begin is told by the trace's start, wherever it stands. */
static bool read_edges(struct primes *p, struct bytes data)
{
    struct pb_reader r = bytes_reader(data);
    struct pb_field f;
    bool has_start = false;
    int64_t start = 0;
    while (pb_next(&r, &f)) {
        if (f.number == TRACE_START_TIME) {
            has_start = true;
            start = read_time(pb_message(&f));
        }
    }
    if (has_start && r.error)
        trace_format_ends_early(p->trace);
    r = bytes_reader(data);
    while (has_start && pb_next(&r, &f))
        if (f.number == TRACE_EDGES)
            keep_edge(p, field_bytes(&f), start);
    return has_start;
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    (void)progress;
    struct primes p = {.trace = t,
                       .edge_id = trace_intern(t, STR("edge_id")),
                       .parent_id = trace_intern(t, STR("parent_id"))};
    bool ok = read_edges(&p, data);
    if (ok)
        apply(&p);
    vec_release(&p.entries);
    vec_release(&p.edges);
    vec_release(&p.executors);
    map_release(&p.executor_of);
    return ok ? status_ok_value()
              : status_error(STATUS_FORMAT,
                             "%s: expected a trace of Primes with a start, found none", name);
}

/* The tag of the id is a tab, too. */
static bool is_text(struct bytes data)
{
    enum { LOOKED_AT = 64 };
    for (size_t i = 0; i < data.n && i < LOOKED_AT; i++)
        if (data.p[i] < ' ' && !memchr("\t\r\n", data.p[i], 3))
            return false;
    return true;
}

/* An id of 64 bits comes first, then a name, the start or an edge. */
static bool sniff(struct bytes data)
{
    enum { TAG_OF_ID = TRACE_ID << 3 | PB_WIRE_I64, NEXT = 9 };
    if (data.n <= NEXT || data.p[0] != TAG_OF_ID || is_text(data))
        return false;
    uint8_t tag = data.p[NEXT];
    return tag == (TRACE_NAME << 3 | PB_WIRE_LEN) || tag == (TRACE_START_TIME << 3 | PB_WIRE_LEN) ||
           tag == (TRACE_EDGES << 3 | PB_WIRE_LEN);
}

const struct trace_format primes_trace_format = {
    .name = "Primes",
    .type = "primes",
    .about = "traces of the Primes library in apps: a protobuf message that begins with an id",
    .sniff = sniff,
    .read = import,
};
