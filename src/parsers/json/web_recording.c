/* Recordings of the timeline that Safari's Web Inspector exports: what the page did, samples of
 * JavaScript, requests, and how much of the CPU and memory was in use. Times are seconds.
 *
 *     {"version": 1, "recording": {"displayName": "Timeline Recording 1", "instrumentTypes": [...],
 *       "records": [
 *         {"type": "timeline-record-type-layout", "eventType": "paint", "startTime": 4.1,
 *          "endTime": 4.2},
 *         {"type": "timeline-record-type-cpu", "timestamp": 4.1, "usage": 21.7, "threads": [...]},
 *         {"type": "timeline-record-type-network", "archiveStartTime": 1595926028.6, "entry": {}}],
 *       "markers": [{"time": 4.5, "type": "load-event"}],
 *       "sampleStackTraces": [{"timestamp": 4.5, "stackFrames": [{"name": "run", "url": "a.js",
 *          "line": 20}]}], "sampleDurations": [0.001]}}
 *
 * As TimelineRecording.exportData() of WebKit's Web Inspector names them. Of an entry, which is
 * that of a HAR, the time since 1970 is told, and what that lacks to be one of the recording. */
#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/json/har.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"

enum { RECORDING_BYTES_MAX = 1 << 30 };

struct web_sample {
    int64_t ts, dur; /* dur 0: not told */
    uint32_t callsite;
};

struct web_recording {
    struct trace *trace;
    struct span_rows rows;
    string_id page, network;
    VEC(struct web_sample) samples;
    VEC(uint32_t) frames; /* innermost first */
    size_t durations;     /* that have been read */
    bool found;
};

/* What a record says. */
struct web_record {
    struct web_recording *recording;
    string_id type, event, details;
    int64_t begin, end, archive; /* NULL_I64: not told */
    double usage, size;          /* below 0: not told */
    string_id category;
    struct json_value list, entry; /* of what memory is used for; of a request */
};

struct web_frame {
    struct trace *trace;
    string_id name, url;
    int64_t line;
};

/* Seconds as ns, NULL_I64 where it is no such number. */
static int64_t seconds_to_ns(struct json_value v)
{
    const double most = 9e9;
    double seconds;
    if (!json_to_f64(v, &seconds) || !(seconds > -most && seconds < most))
        return NULL_I64;
    return (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

static string_id text_of(struct web_record *r, struct json_value v)
{
    return v.type == JSON_STRING && v.text.n > 0 ? trace_intern(r->recording->trace, v.text)
                                                 : NULL_STRING;
}

/* "timeline-record-type-layout" is "layout". */
static string_id type_of(struct web_record *r, struct json_value v)
{
    struct str before = STR("timeline-record-type-");
    if (v.type == JSON_STRING && str_starts(v.text, before))
        v.text = str_skip(v.text, before.n);
    return text_of(r, v);
}

static void take_record_member(void *self, struct str key, struct json_value v)
{
    struct web_record *r = self;
    if (str_eq(key, STR("type")))
        r->type = type_of(r, v);
    else if (str_eq(key, STR("eventType")))
        r->event = text_of(r, v);
    else if (str_eq(key, STR("details")))
        r->details = text_of(r, v);
    else if (str_eq(key, STR("startTime")) || str_eq(key, STR("timestamp")) ||
             str_eq(key, STR("time")))
        r->begin = seconds_to_ns(v);
    else if (str_eq(key, STR("endTime")))
        r->end = seconds_to_ns(v);
    else if (str_eq(key, STR("archiveStartTime")))
        r->archive = seconds_to_ns(v);
    else if (str_eq(key, STR("usage")) && !json_to_f64(v, &r->usage))
        r->usage = -1;
    else if (str_eq(key, STR("size")) && !json_to_f64(v, &r->size))
        r->size = -1;
    else if (str_eq(key, STR("categories")))
        r->list = v;
    else if (str_eq(key, STR("entry")))
        r->entry = v;
}

static struct web_record read_record(struct web_recording *w, struct json_value v)
{
    struct web_record r = {.recording = w,
                           .begin = NULL_I64,
                           .end = NULL_I64,
                           .archive = NULL_I64,
                           .usage = -1,
                           .size = -1};
    json_members(v, &r, take_record_member);
    return r;
}

static void add_counter(struct web_recording *w, const char *type, string_id name, const char *unit,
                        int64_t time, double value)
{
    struct trace *t = w->trace;
    int64_t ts;
    if (!clock_file_time(t, time, &ts))
        return;
    uint32_t machine = stats_scope(t)->machine;
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = name}},
        .name = name,
        .unit = trace_intern_c(t, unit),
    };
    counter_push(t, ts, track_intern(t, &spec), value);
}

/* {"type": "javascript", "size": 1024}: memory that is used for something */
static void take_category(void *self, struct json_value v)
{
    struct web_record *memory = self;
    struct web_record r = read_record(memory->recording, v);
    struct trace *t = r.recording->trace;
    char name[64];
    if (!r.type || r.size < 0)
        return;
    str_copy(string_pool_get(&t->strings, r.type), name + sizeof "Memory", sizeof name - 7);
    memcpy(name, "Memory ", 7);
    add_counter(r.recording, "web_memory", trace_intern_c(t, name), "bytes", memory->begin, r.size);
}

static void add_span(struct web_recording *w, const struct web_record *r)
{
    int64_t dur = r->end == NULL_I64 ? 0 : time_minus(r->end, r->begin);
    *vec_push(&w->rows.spans) = (struct service_span){.ts = r->begin,
                                                      .dur = dur > 0 ? dur : 0,
                                                      .name = r->event ? r->event : r->type,
                                                      .service = w->page,
                                                      .slice = NULL_U32,
                                                      .track = NULL_U32};
    if (r->event && r->type)
        span_rows_arg(&w->rows, STR("type"), r->type);
    if (r->details)
        span_rows_arg(&w->rows, STR("details"), r->details);
}

static void take_record(void *self, struct json_value v)
{
    struct web_recording *w = self;
    struct web_record r = read_record(w, v);
    bool usage = r.begin != NULL_I64 && r.usage >= 0;
    w->found = true;
    if (r.entry.type == JSON_OBJECT && r.archive != NULL_I64)
        har_add_entry(&w->rows, r.entry, w->network, time_minus(0, r.archive));
    else if (usage)
        add_counter(w, "web_cpu", trace_intern(w->trace, STR("CPU usage")), "%", r.begin, r.usage);
    else if (r.begin != NULL_I64 && r.list.type == JSON_ARRAY)
        json_items(r.list, &r, take_category);
    else if (r.begin != NULL_I64 && r.type)
        add_span(w, &r);
    else
        stats_count(w->trace, STAT_json_parser_failure);
}

static void take_frame_member(void *self, struct str key, struct json_value v)
{
    struct web_frame *f = self;
    if (str_eq(key, STR("name")) && v.type == JSON_STRING && v.text.n > 0)
        f->name = trace_intern(f->trace, v.text);
    else if (str_eq(key, STR("url")) && v.type == JSON_STRING && v.text.n > 0)
        f->url = trace_intern(f->trace, v.text);
    else if (str_eq(key, STR("line")) && !json_to_i64(v, &f->line))
        f->line = -1;
}

static void take_frame(void *self, struct json_value v)
{
    struct web_recording *w = self;
    struct trace *t = w->trace;
    struct web_frame f = {.trace = t, .name = trace_intern(t, STR("(anonymous)")), .line = -1};
    json_members(v, &f, take_frame_member);
    uint32_t line = f.url && f.line >= 0 && f.line < NULL_U32 ? (uint32_t)f.line : NULL_U32;
    *vec_push(&w->frames) =
        stack_frame_intern_source(t, stack_mapping_of_source(t, STR("JavaScript")), f.name, f.url,
                                  line);
}

struct sample_reader {
    struct web_recording *recording;
    int64_t ts;
};

static void take_sample_member(void *self, struct str key, struct json_value v)
{
    struct sample_reader *r = self;
    if (str_eq(key, STR("timestamp")))
        r->ts = seconds_to_ns(v);
    else if (str_eq(key, STR("stackFrames")))
        json_items(v, r->recording, take_frame);
}

static void take_sample(void *self, struct json_value v)
{
    struct web_recording *w = self;
    struct sample_reader r = {.recording = w, .ts = NULL_I64};
    w->frames.count = 0;
    json_members(v, &r, take_sample_member);
    struct web_sample s = {.ts = r.ts, .callsite = NULL_U32};
    for (size_t i = w->frames.count; i-- > 0;)
        s.callsite = stack_callsite_intern(w->trace, s.callsite, w->frames.items[i]);
    *vec_push(&w->samples) = s;
    w->found = true;
}

/* In the order of the samples, which stand in front. */
static void take_duration(void *self, struct json_value v)
{
    struct web_recording *w = self;
    int64_t dur = seconds_to_ns(v);
    if (w->durations < w->samples.count && dur != NULL_I64 && dur > 0)
        w->samples.items[w->durations].dur = dur;
    w->durations++;
}

/* Samples of some versions stand in front of their durations, whose names are sorted. */
static void take_recording_member(void *self, struct str key, struct json_value v)
{
    struct web_recording *w = self;
    if (str_eq(key, STR("displayName")) && v.type == JSON_STRING && v.text.n > 0)
        w->page = trace_intern(w->trace, v.text);
    else if (str_eq(key, STR("records")) || str_eq(key, STR("markers")))
        json_items(v, w, take_record);
    else if (str_eq(key, STR("sampleStackTraces")))
        json_items(v, w, take_sample);
}

static void take_durations(void *self, struct str key, struct json_value v)
{
    struct web_recording *w = self;
    if (str_eq(key, STR("sampleDurations")))
        json_items(v, w, take_duration);
}

static void take_recording(void *self, struct str key, struct json_value v)
{
    if (!str_eq(key, STR("recording")))
        return;
    json_members(v, self, take_recording_member);
    json_members(v, self, take_durations);
}

/* Durations are means, so that a call goes on to the next sample unless that is twice as far away.
 */
static void show_sample(struct web_recording *w, struct flame_chart *chart, size_t i, int64_t ts)
{
    const struct web_sample *s = &w->samples.items[i];
    bool last = i + 1 == w->samples.count;
    flame_chart_add(chart, ts, s->callsite);
    if (!last && time_minus(s[1].ts, s->ts) > time_plus(s->dur, s->dur))
        flame_chart_add(chart, time_plus(ts, s->dur), NULL_U32);
}

static void apply_samples(struct web_recording *w)
{
    struct trace *t = w->trace;
    if (w->samples.count == 0)
        return;
    struct samples rows = samples_begin(t, STR("web_inspector"));
    uint32_t utid = samples_new_thread(t, 0, trace_intern(t, STR("JavaScript")));
    struct flame_chart chart = flame_chart_begin(t, utid, 0, w->samples.count);
    int64_t last = INT64_MIN, end = 0, ts; /* end: of the last sample that has a time */
    for (size_t i = 0; i < w->samples.count; i++) {
        const struct web_sample *s = &w->samples.items[i];
        if (s->ts == NULL_I64 || s->ts < last || !clock_file_time(t, s->ts, &ts))
            continue;
        last = s->ts;
        end = time_plus(ts, s->dur);
        samples_add(&rows, ts, utid, s->callsite);
        show_sample(w, &chart, i, ts);
    }
    flame_chart_add(&chart, end, NULL_U32);
    flame_chart_release(&chart);
    samples_release(&rows);
}

static struct status web_recording_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    struct web_recording w = {.trace = t,
                              .rows = {.trace = t},
                              .page = trace_intern(t, STR("Timeline")),
                              .network = trace_intern(t, STR("Network"))};
    struct json_closed closed = {0};
    bool whole = false;
    if (!byte_source_all(source, RECORDING_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    json_members(json_document(text, &closed, &whole), &w, take_recording);
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    apply_samples(&w);
    span_rows_apply(&w.rows);
    span_rows_release(&w.rows);
    vec_release(&w.samples);
    vec_release(&w.frames);
    vec_release(&closed.v);
    return w.found ? status_ok_value()
                   : status_error(STATUS_FORMAT,
                                  "%s: expected a recording with records, found none", name);
}

static bool sniff_web_recording(struct bytes data)
{
    return json_kind(data) == JSON_KIND_WEB_RECORDING;
}

const struct trace_format web_recording_trace_format = {
    .name = "Web Inspector recording",
    .type = "web_recording",
    .about = "timelines that Safari's Web Inspector exports: a JSON object with recording, and its "
             "instrumentTypes",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_web_recording,
    .is_text = true,
    .read_source = web_recording_import,
};
