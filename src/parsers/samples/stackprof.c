/* Profiles of Ruby's stackprof, as JSON: frames by their ids, and samples as numbers, one behind
 * the other: how many frames, their ids from the outermost on, how often in a row. As the README of
 * github.com/tmm1/stackprof says of `StackProf.results`, of which this is the JSON. */
#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"

enum { PROFILE_BYTES_MAX = 1 << 30, DEFAULT_INTERVAL_US = 1000 };

/* Numbers of an array, one a call. */
struct numbers {
    struct json_scan scan;
    bool first;
};

struct stackprof {
    struct trace *trace;
    struct str frames, raw, deltas; /* as text; empty where there are none */
    string_id mode;
    int64_t interval_us;
    uint32_t mapping, sums;
    struct map frame_of_id;
};

static struct numbers numbers_from(struct str array)
{
    struct numbers n = {json_scan_from(array), true};
    json_take(&n.scan, '[');
    return n;
}

static bool next_number(struct numbers *n, int64_t *out)
{
    struct json_value v;
    bool closed, more = json_next_element(&n->scan, n->first, &closed);
    n->first = false;
    return more && json_read_value(&n->scan, &v) && json_to_i64(v, out);
}

static void add_sum(struct stackprof *s, uint32_t callsite, int64_t weight)
{
    struct trace *t = s->trace;
    if (s->sums == NULL_U32) {
        struct aggregate_profile_row row = {
            .scope = trace_intern(t, STR("stackprof")),
            .name = s->mode,
            .sample_type_type = trace_intern(t, STR("samples")),
            .sample_type_unit = trace_intern(t, STR("count")),
        };
        s->sums = aggregate_profile_append(&t->tables.aggregate_profile, &row);
    }
    struct aggregate_sample_row row = {.aggregate_profile_id = s->sums,
                                       .callsite_id = callsite,
                                       .value = (double)weight};
    if (callsite != NULL_U32)
        aggregate_sample_append(&t->tables.aggregate_sample, &row);
}

/* Without raw samples what is known is how many there were of each frame itself. */
static void add_frame(struct stackprof *s, uint64_t id, struct str object)
{
    struct trace *t = s->trace;
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    string_id name = trace_intern(t, STR("[unknown]")), file = NULL_STRING;
    int64_t line = 0, own = 0;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool is_name = str_eq(key, STR("name")), is_file = str_eq(key, STR("file"));
        bool is_line = str_eq(key, STR("line")), is_own = str_eq(key, STR("samples"));
        if (!json_read_value(&j, &v))
            break;
        if (is_name && v.type == JSON_STRING && v.text.n)
            name = trace_intern(t, v.text);
        else if (is_file && v.type == JSON_STRING && v.text.n)
            file = trace_intern(t, v.text);
        else if (is_line && !json_to_i64(v, &line))
            line = 0;
        else if (is_own && !json_to_i64(v, &own))
            own = 0;
    }
    json_scan_release(&j);
    uint32_t known_line = line > 0 && line < INT32_MAX ? (uint32_t)line : NULL_U32;
    uint32_t frame = stack_frame_intern_source(t, s->mapping, name, file, known_line);
    map_set(&s->frame_of_id, id, frame);
    if (s->raw.n == 0 && own > 0)
        add_sum(s, stack_callsite_intern(t, NULL_U32, frame), own);
}

static void add_frames(struct stackprof *s)
{
    struct json_scan j = json_scan_from(s->frames);
    struct str key;
    struct json_value v;
    uint64_t id;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool known = str_to_u64(key, 10, &id);
        if (!json_read_value(&j, &v))
            break;
        if (known && v.type == JSON_OBJECT)
            add_frame(s, id, v.text);
    }
    json_scan_release(&j);
}

/* The next of the samples: its call site, and how often it was seen. */
static bool next_sample(struct stackprof *s, struct numbers *raw, uint32_t *callsite,
                        int64_t *weight)
{
    int64_t frames, id;
    *callsite = NULL_U32;
    if (!next_number(raw, &frames))
        return false;
    for (; frames > 0; frames--) {
        if (!next_number(raw, &id))
            return false;
        const uint32_t *frame = map_find(&s->frame_of_id, (uint64_t)id);
        if (frame)
            *callsite = stack_callsite_intern(s->trace, *callsite, *frame);
    }
    return next_number(raw, weight);
}

/* The samples' times: how long each of them took, where that is told, else the interval. */
static int64_t time_of_samples(const struct stackprof *s, struct numbers *deltas, int64_t weight)
{
    int64_t us = 0, delta;
    for (int64_t i = 0; i < weight; i++) {
        if (!next_number(deltas, &delta)) {
            int64_t rest;
            return __builtin_mul_overflow(weight - i, s->interval_us, &rest) ||
                           __builtin_add_overflow(us, rest, &us)
                       ? 0
                       : us;
        }
        if (delta > 0 && __builtin_add_overflow(us, delta, &us))
            return 0;
    }
    return us;
}

/* The function of an outermost call. */
static bool is_collector(const struct trace *t, uint32_t callsite, string_id collector)
{
    const struct table *sites = &t->tables.stack_profile_callsite;
    if (callsite == NULL_U32)
        return false;
    uint32_t frame = table_u32(sites, stack_profile_callsite_col_frame_id)[callsite];
    const struct column *names =
        &t->tables.stack_profile_frame.columns[stack_profile_frame_col_name];
    return column_str(names, frame) == collector &&
           table_u32(sites, stack_profile_callsite_col_depth)[callsite] == 0;
}

/* Samples in the order of their times, which begin at 0. */
static void add_samples(struct stackprof *s)
{
    struct trace *t = s->trace;
    struct numbers raw = numbers_from(s->raw), deltas = numbers_from(s->deltas);
    struct samples rows = samples_begin(t, STR("stackprof"));
    uint32_t utid = samples_new_thread(t, 0, trace_intern(t, STR("ruby"))), callsite;
    struct flame_chart chart = flame_chart_begin(t, utid, 0, s->raw.n / sizeof "1,1,1,");
    string_id collector = trace_intern(t, STR("(garbage collection)"));
    bool timed = !str_eq(string_pool_get(&t->strings, s->mode), STR("object"));
    int64_t us = 0, ns, ts = 0, weight;
    while (next_sample(s, &raw, &callsite, &weight)) {
        if (!timed) {
            add_sum(s, callsite, weight);
            continue;
        }
        if (__builtin_mul_overflow(us, 1000, &ns) || !clock_file_time(t, ns, &ts))
            break;
        samples_add(&rows, ts, utid, callsite);
        if (is_collector(t, callsite, collector))
            flame_chart_interrupt(&chart, ts, callsite);
        else
            flame_chart_add(&chart, ts, callsite);
        if (__builtin_add_overflow(us, time_of_samples(s, &deltas, weight), &us))
            break;
    }
    if (timed && !__builtin_mul_overflow(us, 1000, &ns) && clock_file_time(t, ns, &ts))
        flame_chart_add(&chart, ts, NULL_U32);
    flame_chart_release(&chart);
    samples_release(&rows);
    json_scan_release(&raw.scan);
    json_scan_release(&deltas.scan);
}

static void read_file(struct stackprof *s, struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct str key;
    struct json_value v;
    bool closed = false, good = json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        bool mode = str_eq(key, STR("mode")), interval = str_eq(key, STR("interval"));
        struct str *kept = str_eq(key, STR("frames"))                 ? &s->frames
                           : str_eq(key, STR("raw"))                  ? &s->raw
                           : str_eq(key, STR("raw_timestamp_deltas")) ? &s->deltas
                                                                      : NULL;
        good = json_read_value(&j, &v);
        if (good && kept && (v.type == JSON_ARRAY || v.type == JSON_OBJECT))
            *kept = v.text;
        if (good && mode && v.type == JSON_STRING)
            s->mode = trace_intern(s->trace, v.text);
        if (good && interval && (!json_to_i64(v, &s->interval_us) || s->interval_us < 0))
            s->interval_us = DEFAULT_INTERVAL_US;
    }
    json_scan_release(&j);
    if (!closed)
        stats_count(s->trace, STAT_json_tokenizer_failure);
}

static struct status stackprof_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct stackprof s = {.trace = t,
                          .mode = trace_intern(t, STR("wall")),
                          .interval_us = DEFAULT_INTERVAL_US,
                          .mapping = stack_mapping_append_source(t, STR("")),
                          .sums = NULL_U32};
    struct status status = status_ok_value();
    struct json_closed closed = {0};
    bool whole;
    if (!byte_source_all(source, PROFILE_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    read_file(&s, json_document_text(text, &closed, &whole));
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    add_frames(&s);
    if (s.frame_of_id.count == 0)
        status = status_error(STATUS_FORMAT,
                              "%s: expected a profile of stackprof with frames, found none", name);
    else if (s.raw.n > 0)
        add_samples(&s);
    map_release(&s.frame_of_id);
    vec_release(&closed.v);
    return status;
}

static bool sniff_stackprof(struct bytes data)
{
    return json_kind(data) == JSON_KIND_STACKPROF;
}

const struct trace_format stackprof_trace_format = {
    .name = "stackprof profile",
    .type = "stackprof",
    .about = "profiles of Ruby's stackprof: a JSON object with gc_samples, frames and raw",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_stackprof,
    .is_text = true,
    .read_source = stackprof_import,
};
