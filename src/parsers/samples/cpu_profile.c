/* Files of V8's profilers: .cpuprofile of Node and DevTools, .heapprofile of what was allocated.
 * They are the DevTools protocol's Profiler.Profile and HeapProfiler.SamplingHeapProfile. */
#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"
#include "parsers/samples/v8_profile.h"

enum { PROFILE_BYTES_MAX = 1 << 30 };

struct cpu_profile {
    struct trace *trace;
    struct v8_chunk chunk;
    struct v8_profile profile;
    VEC(struct timed) samples; /* the rank is the place in the chunk */
};

static void release(struct cpu_profile *p)
{
    v8_chunk_release(&p->chunk);
    v8_profile_release(&p->profile);
    vec_release(&p->samples);
}

static struct status read_nodes(struct cpu_profile *p, const char *name, struct byte_source *source)
{
    bool all = byte_source_all(source, PROFILE_BYTES_MAX);
    struct str text = {(const char *)source->window.p, source->window.n};
    struct json_scan j = json_scan_from(text);
    if (!v8_chunk_read(p->trace, &p->chunk, &j) || !all)
        stats_count(p->trace, STAT_json_tokenizer_failure);
    json_scan_release(&j);
    if (source->cut)
        stats_count(p->trace, STAT_decompression_errors);
    p->profile = v8_profile_begin(p->trace);
    p->profile.detailed = true;
    size_t faults = v8_profile_add(&p->profile, p->trace, &p->chunk);
    stats_add(p->trace, STAT_legacy_v8_cpu_profile_invalid_callsite, STAT_SINGLE, (int64_t)faults);
    if (p->chunk.nodes.count == 0)
        return status_error(STATUS_FORMAT, "%s: expected a profile of V8 with nodes, found none",
                            name);
    if (!byte_source_done(source, source->window.n))
        return progress_cancelled(name);
    return status_ok_value();
}

/* What each node has by itself, for profiles that do not say when it was. */
static void add_sums(struct cpu_profile *p, struct str name, struct str type, struct str unit)
{
    struct trace *t = p->trace;
    struct aggregate_profile_row row = {
        .scope = trace_intern(t, STR("v8_profile_file")),
        .name = trace_intern(t, name),
        .sample_type_type = trace_intern(t, type),
        .sample_type_unit = trace_intern(t, unit),
    };
    uint32_t profile = aggregate_profile_append(&t->tables.aggregate_profile, &row);
    for (size_t i = 0; i < p->chunk.nodes.count; i++) {
        const struct v8_node *node = &p->chunk.nodes.items[i];
        uint32_t callsite = v8_profile_callsite(&p->profile, node->id);
        if (node->self <= 0 || callsite == NULL_U32)
            continue;
        struct aggregate_sample_row sum = {.aggregate_profile_id = profile,
                                           .callsite_id = callsite,
                                           .value = (double)node->self};
        aggregate_sample_append(&t->tables.aggregate_sample, &sum);
    }
}

static bool file_time(struct trace *t, int64_t us, int64_t *ts)
{
    int64_t ns;
    return !__builtin_mul_overflow(us, 1000, &ns) && clock_file_time(t, ns, ts);
}

/* A sample's time may be before that of the one in front of it. Where times are told, one more is
 * when the last sample ended. */
static void collect_samples(struct cpu_profile *p)
{
    struct trace *t = p->trace;
    struct v8_chunk *c = &p->chunk;
    size_t n = c->samples.count < c->deltas.count ? c->samples.count : c->deltas.count;
    int64_t us = c->is_absolute ? 0 : c->start, ts;
    if (c->is_absolute && c->deltas.count == c->samples.count + 1) {
        c->has_end = true;
        c->end = c->deltas.items[n];
    } else if (c->samples.count != c->deltas.count) {
        stats_count(t, STAT_json_tokenizer_failure);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t delta = c->deltas.items[i];
        if (c->is_absolute)
            us = delta;
        else if (__builtin_add_overflow(us, delta, &us))
            return;
        if (v8_profile_callsite(&p->profile, c->samples.items[i]) == NULL_U32)
            stats_count(t, STAT_legacy_v8_cpu_profile_invalid_sample);
        else if (file_time(t, us, &ts))
            *vec_push(&p->samples) = (struct timed){.ts = ts, .rank = (int64_t)i};
    }
}

/* The innermost function's name. */
static string_id function_of(const struct trace *t, uint32_t callsite)
{
    const struct table *sites = &t->tables.stack_profile_callsite;
    uint32_t frame = table_u32(sites, stack_profile_callsite_col_frame_id)[callsite];
    return column_str(&t->tables.stack_profile_frame.columns[stack_profile_frame_col_name], frame);
}

static void add_samples(struct cpu_profile *p)
{
    struct trace *t = p->trace;
    const struct timed *samples = p->samples.items;
    size_t n = p->samples.count;
    uint32_t utid = samples_new_thread(t, 0, trace_intern(t, STR("JavaScript")));
    bool rooted = p->chunk.nodes.items[0].function == trace_intern(t, STR("(root)"));
    string_id idle = trace_intern(t, STR("(idle)"));
    string_id collector = trace_intern(t, STR("(garbage collector)"));
    struct samples rows = samples_begin(t, STR("legacy_v8"));
    struct flame_chart chart = flame_chart_begin(t, utid, rooted, n);
    int64_t end;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = p->chunk.samples.items[samples[i].rank];
        uint32_t callsite = v8_profile_callsite(&p->profile, node);
        samples_add(&rows, samples[i].ts, utid, callsite);
        string_id function = function_of(t, callsite);
        if (function == collector)
            flame_chart_interrupt(&chart, samples[i].ts, callsite);
        else
            flame_chart_add(&chart, samples[i].ts, function == idle ? NULL_U32 : callsite);
    }
    if (!p->chunk.has_end || !file_time(t, p->chunk.end, &end) || end < samples[n - 1].ts)
        end = samples[n - 1].ts;
    flame_chart_add(&chart, end, NULL_U32);
    flame_chart_release(&chart);
    samples_release(&rows);
}

static struct status cpu_profile_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct cpu_profile p = {.trace = t};
    struct status s = read_nodes(&p, name, source);
    if (status_ok(s)) {
        collect_samples(&p);
        time_sort(p.samples.items, p.samples.count);
        if (p.samples.count > 0)
            add_samples(&p);
        else
            add_sums(&p, STR("v8 samples"), STR("samples"), STR("count"));
    }
    release(&p);
    return s;
}

static struct status heap_profile_import(struct trace *t, const char *name,
                                         struct byte_source *source)
{
    struct cpu_profile p = {.trace = t};
    struct status s = read_nodes(&p, name, source);
    if (status_ok(s))
        add_sums(&p, STR("v8 sampled heap"), STR("space"), STR("bytes"));
    release(&p);
    return s;
}

static bool sniff_cpu_profile(struct bytes data)
{
    return json_kind(data) == JSON_KIND_CPU_PROFILE;
}

static bool sniff_heap_profile(struct bytes data)
{
    return json_kind(data) == JSON_KIND_HEAP_PROFILE;
}

const struct trace_format cpu_profile_trace_format = {
    .name = "V8 CPU profile",
    .type = "cpuprofile",
    .about = ".cpuprofile of Node and DevTools: a JSON object with nodes and their callFrame",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_cpu_profile,
    .is_text = true,
    .read_source = cpu_profile_import,
};

const struct trace_format heap_profile_trace_format = {
    .name = "V8 heap profile",
    .type = "heapprofile",
    .about = ".heapprofile of Node and DevTools: a JSON object with head and its selfSize",
    .sniff = sniff_heap_profile,
    .is_text = true,
    .read_source = heap_profile_import,
};
