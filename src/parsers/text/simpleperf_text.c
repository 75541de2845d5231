/* What `simpleperf report-sample` prints without --protobuf: a block a sample, whose frame is
 * followed by its callers.
 *
 *     sample:
 *       event_type: cpu-cycles
 *       time: 1516379654300997
 *       event_count: 250000
 *       thread_id: 31881
 *       thread_name: RenderThread
 *       vaddr_in_file: 1f528
 *       file: /system/lib64/libhwui.so
 *       symbol: draw
 *       callchain:
 *         vaddr_in_file: ...
 *         file: ...
 *         symbol: ...
 *
 * As cmd_report_sample.cpp of Android's system/extras/simpleperf prints it. */
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/samples.h"
#include "parsers/text/text_lines.h"

struct reported_frame {
    string_id file, function;
    int64_t address;
};

/* Of a sample, until its time comes. */
struct reported_sample {
    uint32_t tid, callsite;
    string_id name;
};

struct simpleperf_text {
    struct trace *trace;
    struct samples samples;
    VEC(struct reported_frame) frames; /* of the sample that is being read, innermost first */
    VEC(struct reported_sample) reported;
    VEC(struct timed) order; /* rank is the index in `reported` */
    struct reported_sample sample;
    int64_t ts;
    bool in_sample, has_time;
};

static void finish_sample(struct simpleperf_text *s)
{
    bool whole = s->in_sample && s->has_time;
    s->in_sample = false;
    if (!whole || !clock_file_time(s->trace, s->ts, &s->ts))
        return;
    s->sample.callsite = NULL_U32;
    for (size_t i = s->frames.count; i-- > 0;) {
        const struct reported_frame *f = &s->frames.items[i];
        s->sample.callsite =
            samples_callsite(&s->samples, s->sample.callsite, f->file, f->function, f->address);
    }
    *vec_push(&s->order) = (struct timed){.ts = s->ts, .rank = (int64_t)s->reported.count};
    *vec_push(&s->reported) = s->sample;
}

static void begin_sample(struct simpleperf_text *s)
{
    s->in_sample = true;
    s->has_time = false;
    s->frames.count = 0;
    s->sample = (struct reported_sample){0};
}

/* A frame begins with its address. */
static void add_frame(struct simpleperf_text *s, struct str address)
{
    uint64_t v;
    struct reported_frame f = {0};
    if (str_to_u64(address, 16, &v))
        f.address = (int64_t)v;
    *vec_push(&s->frames) = f;
}

static void set_field(struct simpleperf_text *s, struct str key, struct str value)
{
    uint64_t v;
    if (str_eq(key, STR("time"))) {
        s->has_time = str_to_i64(value, &s->ts);
    } else if (str_eq(key, STR("thread_id"))) {
        if (str_to_u64(value, 10, &v) && v <= UINT32_MAX)
            s->sample.tid = (uint32_t)v;
    } else if (str_eq(key, STR("thread_name"))) {
        s->sample.name = trace_intern(s->trace, value);
    } else if (str_eq(key, STR("vaddr_in_file"))) {
        add_frame(s, value);
    } else if (s->frames.count && str_eq(key, STR("file"))) {
        vec_last(&s->frames).file = trace_intern(s->trace, value);
    } else if (s->frames.count && str_eq(key, STR("symbol"))) {
        vec_last(&s->frames).function = trace_intern(s->trace, value);
    }
}

static void add_line(void *self, struct str line)
{
    struct simpleperf_text *s = self;
    struct str text = str_trim(line);
    size_t colon = str_find(text, ':');
    if (text.n == 0)
        return;
    if (!str_is_blank(*line.p)) {
        finish_sample(s);
        if (str_eq(text, STR("sample:")))
            begin_sample(s);
        else if (str_find(text, ' ') < text.n || !str_ends(text, STR(":")))
            text_lines_unread(s->trace, line);
    } else if (s->in_sample && colon < text.n) {
        set_field(s, str_from_to(text, 0, colon), str_trim(str_skip(text, colon + 1)));
    } else if (colon == text.n) {
        text_lines_unread(s->trace, line);
    }
}

static void apply_samples(struct simpleperf_text *s)
{
    struct trace *t = s->trace;
    time_sort(s->order.items, s->order.count);
    for (size_t i = 0; i < s->order.count; i++) {
        const struct reported_sample *r = &s->reported.items[s->order.items[i].rank];
        uint32_t utid = process_tracker_thread(t, stats_scope(t)->machine, r->tid);
        process_tracker_set_thread_name(t, utid, r->name, THREAD_NAME_OTHER);
        samples_add(&s->samples, s->order.items[i].ts, utid, r->callsite);
    }
}

static bool simpleperf_text_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), first, second;
    if (!str_next_line(&head, &first) || !str_next_line(&head, &second))
        return false;
    first = str_trim(first);
    return (str_eq(first, STR("sample:")) && str_starts(second, STR("  event_type: "))) ||
           (str_eq(first, STR("context_switch:")) && str_starts(second, STR("  switch_on: ")));
}

static struct status simpleperf_text_import(struct trace *t, const char *name,
                                            struct byte_source *source)
{
    struct simpleperf_text s = {.trace = t, .samples = samples_begin(t, STR("simpleperf"))};
    bool whole = text_lines_read(t, source, add_line, &s);
    finish_sample(&s);
    if (whole)
        apply_samples(&s);
    samples_release(&s.samples);
    vec_release(&s.frames);
    vec_release(&s.reported);
    vec_release(&s.order);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format simpleperf_text_trace_format = {
    .name = "simpleperf report",
    .type = "simpleperf_text",
    .about = "text of simpleperf report-sample: samples of \"sample:\" and lines below it",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .by_lines = true,
    .sniff = simpleperf_text_sniff,
    .read_source = simpleperf_text_import,
};
