/* Speedscope's profiles: frames that several profiles share, each of which is a list of calls that
 * open and close, or of samples with weights. As in speedscope's src/lib/file-format-spec.ts. */
#include <math.h>

#include "base/arena.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"

enum { PROFILE_BYTES_MAX = 1 << 30, EVENTS_PER_CHECK = 1 << 14 };

struct speedscope_frame {
    string_id name, file;
    uint32_t line; /* NULL_U32 for none */
};

struct speedscope_event {
    enum { EVENT_OPEN, EVENT_CLOSE, EVENT_SAMPLE, EVENT_LAST } kind;
    uint32_t profile;
    uint32_t of; /* a frame, or the call site of a sample; NULL_U32: nothing was called */
};

/* One of the profiles, each of which becomes a thread. */
struct speedscope_thread {
    uint32_t utid;
    bool is_time; /* its samples were taken at times */
    struct flame_chart chart;
};

struct speedscope {
    struct trace *trace;
    struct samples samples;
    struct arena arena; /* events */
    uint32_t mapping;
    int64_t pid; /* 0 before the first thread */
    string_id name;
    VEC(struct speedscope_frame) frames;
    VEC(struct speedscope_thread) threads;
    VEC(struct timed) entries;
};

/* What a profile says, as text. */
struct speedscope_profile {
    struct str events, samples, weights; /* empty where there are none */
    string_id name;
    double start, unit_ns;
    string_id unit;
    bool is_time;
};

static void release(struct speedscope *s)
{
    for (size_t i = 0; i < s->threads.count; i++)
        flame_chart_release(&s->threads.items[i].chart);
    samples_release(&s->samples);
    arena_release(&s->arena);
    vec_release(&s->frames);
    vec_release(&s->threads);
    vec_release(&s->entries);
}

/* Keys are copied, as the next string takes their place. */
enum { KEY_MAX = 16 };

struct member {
    char room[KEY_MAX];
    size_t n;
    struct json_value value;
};

static bool member_is(const struct member *m, struct str name)
{
    return str_eq((struct str){m->room, m->n}, name);
}

/* The next member of an object. False behind the last one, `*closed`, or where it is malformed. */
static bool next_member(struct json_scan *j, bool first, struct member *m, bool *closed)
{
    struct str key;
    if (!json_next_key(j, first, &key, closed))
        return false;
    m->n = key.n <= KEY_MAX ? key.n : 0;
    memcpy(m->room, key.p, m->n);
    return json_read_value(j, &m->value);
}

static struct speedscope_frame read_frame(struct trace *t, struct str object)
{
    struct speedscope_frame frame = {.name = trace_intern(t, STR("")), .line = NULL_U32};
    struct json_scan j = json_scan_from(object);
    struct member m;
    bool closed;
    int64_t line;
    json_take(&j, '{');
    for (bool first = true; next_member(&j, first, &m, &closed); first = false) {
        if (member_is(&m, STR("name")) && m.value.type == JSON_STRING)
            frame.name = trace_intern(t, m.value.text);
        else if (member_is(&m, STR("file")) && m.value.type == JSON_STRING && m.value.text.n)
            frame.file = trace_intern(t, m.value.text);
        else if (member_is(&m, STR("line")) && json_to_i64(m.value, &line) && line > 0 &&
                 line < INT32_MAX)
            frame.line = (uint32_t)line;
    }
    json_scan_release(&j);
    return frame;
}

static void read_frames(struct speedscope *s, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false) {
        struct speedscope_frame frame = read_frame(s->trace, v.text);
        *vec_push(&s->frames) = frame;
    }
    json_scan_release(&j);
}

static void read_shared(struct speedscope *s, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct member m;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; next_member(&j, first, &m, &closed); first = false)
        if (member_is(&m, STR("frames")) && m.value.type == JSON_ARRAY)
            read_frames(s, m.value.text);
    json_scan_release(&j);
}

/* What is not a time is shown as if it were ns. */
static void set_unit(struct trace *t, struct speedscope_profile *p, struct str unit)
{
    static const struct {
        struct str name;
        double ns;
    } units[] = {
        {{"nanoseconds", 11}, 1},
        {{"microseconds", 12}, 1e3},
        {{"milliseconds", 12}, 1e6},
        {{"seconds", 7}, 1e9},
    };
    p->unit = trace_intern(t, unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!str_eq(unit, units[i].name))
            continue;
        p->unit_ns = units[i].ns;
        p->is_time = true;
    }
}

static struct speedscope_profile read_profile(struct trace *t, struct str object)
{
    struct speedscope_profile p = {.unit = trace_intern(t, STR("none")), .unit_ns = 1};
    struct json_scan j = json_scan_from(object);
    struct member m;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; next_member(&j, first, &m, &closed); first = false) {
        bool text = m.value.type == JSON_STRING, array = m.value.type == JSON_ARRAY;
        if (member_is(&m, STR("name")) && text)
            p.name = trace_intern(t, m.value.text);
        else if (member_is(&m, STR("unit")) && text)
            set_unit(t, &p, m.value.text);
        else if (member_is(&m, STR("startValue")) && !json_to_f64(m.value, &p.start))
            p.start = 0;
        else if (member_is(&m, STR("events")) && array)
            p.events = m.value.text;
        else if (member_is(&m, STR("samples")) && array)
            p.samples = m.value.text;
        else if (member_is(&m, STR("weights")) && array)
            p.weights = m.value.text;
    }
    json_scan_release(&j);
    return p;
}

/* Notes what happens to the newest thread. */
static void push(struct speedscope *s, const struct speedscope_profile *p, double at,
                 struct speedscope_event event)
{
    double ns = at * p->unit_ns;
    int64_t ts;
    if (!(fabs(ns) < 9e18) || !clock_file_time(s->trace, llround(ns), &ts)) {
        stats_count(s->trace, STAT_json_parser_failure);
        return;
    }
    struct speedscope_event *e = arena_alloc(&s->arena, sizeof *e);
    *e = event;
    e->profile = (uint32_t)s->threads.count - 1;
    *vec_push(&s->entries) = (struct timed){.ts = ts, .record = e};
}

static bool frame_number(const struct speedscope *s, struct json_value v, uint32_t *frame)
{
    int64_t number;
    if (v.type != JSON_NUMBER || !json_to_i64(v, &number) || number < 0 ||
        (uint64_t)number >= s->frames.count)
        return false;
    *frame = (uint32_t)number;
    return true;
}

static void read_event(struct speedscope *s, const struct speedscope_profile *p, struct str object)
{
    struct speedscope_event event = {.kind = EVENT_LAST};
    struct json_scan j = json_scan_from(object);
    struct member m;
    double at = NAN;
    bool closed, known = false;
    json_take(&j, '{');
    for (bool first = true; next_member(&j, first, &m, &closed); first = false) {
        if (member_is(&m, STR("at")) && !json_to_f64(m.value, &at))
            at = NAN;
        else if (member_is(&m, STR("frame")))
            known = frame_number(s, m.value, &event.of);
        else if (member_is(&m, STR("type")) && str_eq(m.value.text, STR("O")))
            event.kind = EVENT_OPEN;
        else if (member_is(&m, STR("type")) && str_eq(m.value.text, STR("C")))
            event.kind = EVENT_CLOSE;
    }
    json_scan_release(&j);
    if (known && event.kind != EVENT_LAST)
        push(s, p, at, event);
    else
        stats_count(s->trace, STAT_json_parser_failure);
}

static void read_events(struct speedscope *s, const struct speedscope_profile *p)
{
    struct json_scan j = json_scan_from(p->events);
    struct json_value v;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false) {
        read_event(s, p, v.text);
    }
    json_scan_release(&j);
}

/* The frames of a sample, outermost first. */
static uint32_t read_stack(struct speedscope *s, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    uint32_t callsite = NULL_U32, number;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false) {
        if (!frame_number(s, v, &number)) {
            stats_count(s->trace, STAT_json_parser_failure);
            continue;
        }
        const struct speedscope_frame *f = &s->frames.items[number];
        uint32_t frame = stack_frame_intern_source(s->trace, s->mapping, f->name, f->file, f->line);
        callsite = stack_callsite_intern(s->trace, callsite, frame);
    }
    json_scan_release(&j);
    return callsite;
}

static uint32_t add_sums(struct speedscope *s, const struct speedscope_profile *p)
{
    struct trace *t = s->trace;
    struct aggregate_profile_row row = {
        .scope = s->name,
        .name = p->name ? p->name : trace_intern(t, STR("speedscope")),
        .sample_type_type = trace_intern(t, STR("weight")),
        .sample_type_unit = p->unit,
    };
    return aggregate_profile_append(&t->tables.aggregate_profile, &row);
}

static void add_sum(struct trace *t, uint32_t profile, uint32_t callsite, double weight)
{
    struct aggregate_sample_row row = {.aggregate_profile_id = profile,
                                       .callsite_id = callsite,
                                       .value = weight};
    if (callsite != NULL_U32)
        aggregate_sample_append(&t->tables.aggregate_sample, &row);
}

/* A sample lasts as long as its weight says; weights of something else become sums as well. */
static void read_samples(struct speedscope *s, const struct speedscope_profile *p)
{
    struct json_scan j = json_scan_from(p->samples), w = json_scan_from(p->weights);
    struct json_value v, weight;
    double at = p->start, n;
    uint32_t sums = p->is_time ? NULL_U32 : add_sums(s, p);
    bool closed, more = json_take(&w, '[');
    json_take(&j, '[');
    for (bool first = true; json_next_element(&j, first, &closed); first = false) {
        if (!json_read_value(&j, &v))
            break;
        uint32_t callsite = read_stack(s, v.text);
        more = more && json_next_element(&w, first, &closed) && json_read_value(&w, &weight);
        if (!more || !json_to_f64(weight, &n) || !(n >= 0))
            n = more ? 0 : 1;
        push(s, p, at, (struct speedscope_event){.kind = EVENT_SAMPLE, .of = callsite});
        if (sums != NULL_U32)
            add_sum(s->trace, sums, callsite, n);
        at += n;
    }
    push(s, p, at, (struct speedscope_event){.kind = EVENT_LAST, .of = NULL_U32});
    json_scan_release(&j);
    json_scan_release(&w);
}

static void add_profile(struct speedscope *s, struct str object)
{
    struct trace *t = s->trace;
    struct speedscope_profile p = read_profile(t, object);
    uint32_t utid = samples_new_thread(t, s->pid, p.name);
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    if (!s->pid) {
        s->pid = table_i64(&t->tables.thread, thread_col_tid)[utid];
        process_tracker_set_process_name(t, upid, s->name, PROCESS_NAME_OTHER);
    }
    *vec_push(&s->threads) = (struct speedscope_thread){
        .utid = utid,
        .is_time = p.is_time,
        .chart = flame_chart_begin(t, utid, 0, p.samples.n / sizeof "[0],"),
    };
    if (p.events.n > 0)
        read_events(s, &p);
    if (p.samples.n > 0)
        read_samples(s, &p);
}

static void add_profiles(struct speedscope *s, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false) {
        if (v.type == JSON_OBJECT)
            add_profile(s, v.text);
    }
    json_scan_release(&j);
}

/* Frames may stand behind the profiles that refer to them. */
static void read_file(struct speedscope *s, struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct str profiles = {NULL, 0};
    struct member m;
    bool closed = false, good = json_take(&j, '{');
    for (bool first = true; good && next_member(&j, first, &m, &closed); first = false) {
        if (member_is(&m, STR("shared")))
            read_shared(s, m.value.text);
        else if (member_is(&m, STR("profiles")) && m.value.type == JSON_ARRAY)
            profiles = m.value.text;
        else if (member_is(&m, STR("name")) && m.value.type == JSON_STRING && m.value.text.n)
            s->name = trace_intern(s->trace, m.value.text);
    }
    json_scan_release(&j);
    if (!closed)
        stats_count(s->trace, STAT_json_tokenizer_failure);
    add_profiles(s, profiles);
}

static void apply_call(struct speedscope *s, int64_t ts, const struct speedscope_event *e)
{
    struct trace *t = s->trace;
    uint32_t track = s->threads.items[e->profile].chart.track;
    string_id name = s->frames.items[e->of].name;
    if (e->kind == EVENT_OPEN)
        slice_begin(t, ts, track, s->frames.items[e->of].file, name);
    else if (slice_end(t, ts, track, NULL_STRING, name) == NULL_U32)
        stats_count(t, STAT_json_parser_failure);
}

static bool apply(struct speedscope *s, struct load_progress *progress)
{
    time_sort(s->entries.items, s->entries.count);
    progress_begin(progress, LOAD_SORTING, s->entries.count);
    for (size_t i = 0; i < s->entries.count; i++) {
        int64_t ts = s->entries.items[i].ts;
        const struct speedscope_event *e = s->entries.items[i].record;
        struct speedscope_thread *thread = &s->threads.items[e->profile];
        if (e->kind == EVENT_SAMPLE && thread->is_time)
            samples_add(&s->samples, ts, thread->utid, e->of);
        if (e->kind == EVENT_SAMPLE || e->kind == EVENT_LAST)
            flame_chart_add(&thread->chart, ts, e->of);
        else
            apply_call(s, ts, e);
        if (i % EVENTS_PER_CHECK == 0 && !progress_report(progress, i))
            return false;
    }
    return true;
}

static struct status speedscope_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    struct speedscope s = {
        .trace = t,
        .samples = samples_begin(t, STR("speedscope")),
        .mapping = stack_mapping_append_source(t, STR("")),
        .name = trace_intern(t, STR("speedscope")),
    };
    struct status status = status_ok_value();
    struct json_closed closed = {0};
    bool whole;
    arena_init(&s.arena);
    if (!byte_source_all(source, PROFILE_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    read_file(&s, json_document_text(text, &closed, &whole));
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    if (s.threads.count == 0)
        status =
            status_error(STATUS_FORMAT,
                         "%s: expected a profile of Speedscope with profiles, found none", name);
    else if (!byte_source_done(source, source->window.n) || !apply(&s, source->progress))
        status = progress_cancelled(name);
    release(&s);
    vec_release(&closed.v);
    return status;
}

static bool sniff_speedscope(struct bytes data)
{
    return json_kind(data) == JSON_KIND_SPEEDSCOPE;
}

const struct trace_format speedscope_trace_format = {
    .name = "Speedscope profile",
    .type = "speedscope",
    .about = "profiles of Speedscope, py-spy, rbspy and others: a JSON object with its $schema",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_speedscope,
    .is_text = true,
    .read_source = speedscope_import,
};
