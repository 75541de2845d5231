/* What `perf data convert --to-json` writes: an object with "linux-perf-json-version", and samples,
 * each with the time in ns, pid, tid, comm, and the call chain from the innermost call on. As
 * tools/perf/util/data-convert-json.c of Linux writes it. Rows of cpu_profile_stack_sample. */
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"

enum { RECORDING_BYTES_MAX = 1 << 30 };

struct perf_json_sample {
    int64_t ts, pid, tid;
    string_id comm;
    uint32_t callsite;
};

struct perf_json {
    struct trace *trace;
    VEC(uint32_t) chain; /* frames, innermost first */
    VEC(struct perf_json_sample) samples;
};

/* {"ip": "0x7f13", "symbol": "main", "dso": "app"} */
static uint32_t frame_of(struct perf_json *p, struct str object)
{
    struct trace *t = p->trace;
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    string_id symbol = trace_intern(t, STR("[unknown]")), dso = NULL_STRING;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool is_symbol = str_eq(key, STR("symbol")), is_dso = str_eq(key, STR("dso"));
        if (!json_read_value(&j, &v))
            break;
        if (v.type == JSON_STRING && is_symbol)
            symbol = trace_intern(t, v.text);
        else if (v.type == JSON_STRING && is_dso)
            dso = trace_intern(t, v.text);
    }
    json_scan_release(&j);
    return samples_named_frame(t, dso, symbol, NULL_STRING, NULL_U32);
}

static uint32_t callsite_of(struct perf_json *p, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    p->chain.count = 0;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false)
        if (v.type == JSON_OBJECT)
            *vec_push(&p->chain) = frame_of(p, v.text);
    json_scan_release(&j);
    uint32_t callsite = NULL_U32;
    for (size_t i = p->chain.count; i-- > 0;)
        callsite = stack_callsite_intern(p->trace, callsite, p->chain.items[i]);
    return callsite;
}

static void add_sample(struct perf_json *p, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    struct perf_json_sample s = {.pid = -1, .tid = -1, .callsite = NULL_U32};
    bool closed, has_time = false;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool is_time = str_eq(key, STR("timestamp")), is_comm = str_eq(key, STR("comm"));
        bool is_chain = str_eq(key, STR("callchain"));
        int64_t *number = is_time                   ? &s.ts
                          : str_eq(key, STR("pid")) ? &s.pid
                          : str_eq(key, STR("tid")) ? &s.tid
                                                    : NULL;
        if (!json_read_value(&j, &v))
            break;
        if (number)
            has_time |= json_to_i64(v, number) && is_time;
        else if (is_comm && v.type == JSON_STRING)
            s.comm = trace_intern(p->trace, v.text);
        else if (is_chain && v.type == JSON_ARRAY)
            s.callsite = callsite_of(p, v.text);
    }
    json_scan_release(&j);
    if (has_time && s.tid >= 0 && s.tid <= INT32_MAX && s.pid <= INT32_MAX)
        *vec_push(&p->samples) = s;
    else
        stats_count(p->trace, STAT_json_tokenizer_failure);
}

static void read_samples(struct perf_json *p, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false)
        if (v.type == JSON_OBJECT)
            add_sample(p, v.text);
    json_scan_release(&j);
}

static void read_file(struct perf_json *p, struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct str key;
    struct json_value v;
    bool closed = false, good = json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        bool is_samples = str_eq(key, STR("samples"));
        good = json_read_value(&j, &v);
        if (good && is_samples && v.type == JSON_ARRAY)
            read_samples(p, v.text);
    }
    json_scan_release(&j);
    if (!closed)
        stats_count(p->trace, STAT_json_tokenizer_failure);
}

static void apply_sample(struct perf_json *p, struct samples *rows, const struct timed *entry)
{
    struct trace *t = p->trace;
    uint32_t machine = stats_scope(t)->machine;
    const struct perf_json_sample *s = &p->samples.items[entry->rank];
    uint32_t utid = s->pid >= 0 ? process_tracker_update_thread(t, machine, s->tid, s->pid)
                                : process_tracker_thread(t, machine, s->tid);
    if (s->comm) {
        process_tracker_set_thread_name(t, utid, s->comm, THREAD_NAME_OTHER);
        process_tracker_set_process_name_if_main(t, utid, s->comm, PROCESS_NAME_SYSTEM);
    }
    samples_add(rows, entry->ts, utid, s->callsite);
}

static void apply(struct perf_json *p)
{
    VEC(struct timed) order = {0};
    for (size_t i = 0; i < p->samples.count; i++) {
        int64_t ts;
        if (clock_file_time(p->trace, p->samples.items[i].ts, &ts))
            *vec_push(&order) = (struct timed){.ts = ts, .rank = (int64_t)i};
    }
    time_sort(order.items, order.count);
    struct samples rows = samples_begin(p->trace, STR("perf_json"));
    for (size_t i = 0; i < order.count; i++)
        apply_sample(p, &rows, &order.items[i]);
    samples_release(&rows);
    vec_release(&order);
}

static struct status perf_json_import(struct trace *t, const char *name, struct byte_source *source)
{
    (void)name;
    struct perf_json p = {.trace = t};
    struct json_closed closed = {0};
    bool whole;
    if (!byte_source_all(source, RECORDING_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    read_file(&p, json_document_text(text, &closed, &whole));
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    apply(&p);
    vec_release(&closed.v);
    vec_release(&p.chain);
    vec_release(&p.samples);
    return status_ok_value();
}

static bool sniff_perf_json(struct bytes data)
{
    return json_kind(data) == JSON_KIND_PERF;
}

const struct trace_format perf_json_trace_format = {
    .name = "perf recording as JSON",
    .type = "perf_json",
    .about = "what perf data convert --to-json writes: a JSON object with linux-perf-json-version",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .sniff = sniff_perf_json,
    .is_text = true,
    .read_source = perf_json_import,
};
