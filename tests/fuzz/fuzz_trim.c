/* A window cut out of a trace of any format that knows windows. The trace may begin with a field
 * that says the window, which changes as all fields do; without it, the window is a third of the
 * trace. What is cut out of a trace is one. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "core/trace_builder.h"
#include "packets.h"
#include "parsers/formats.h"
#include "parsers/input/trace_cut.h"
#include "parsers/load.h"
#include "parsers/proto/wire.h"

/* Of the trace; a trace of Perfetto's begins with field 1. */
enum { FIELD_WINDOW = 2 };
/* Of the window. */
enum { FIELD_FROM = 1, FIELD_TO, FIELD_FROM_ORIGIN, FIELD_TO_ORIGIN };

/* A few bytes make a step of a scheduler, which takes two events of their own to be told again;
 * what is compressed is written as it is. */
enum { GROWTH_MAX = 64, GROWTH_ANY = 1 << 16 };

struct memory_output {
    struct cut_output output;
    VEC(uint8_t) bytes;
};

static bool write_memory(struct cut_output *self, const void *p, size_t n)
{
    struct memory_output *m = (struct memory_output *)self;
    vec_reserve(&m->bytes, m->bytes.count + n);
    if (n)
        memcpy(m->bytes.items + m->bytes.count, p, n);
    m->bytes.count += n;
    return true;
}

static enum time_origin origin_from(const struct pb_field *f)
{
    static const enum time_origin origins[] = {TIME_OF_TRACE_CLOCK, TIME_FROM_START, TIME_RELATIVE};
    return origins[f->value % (sizeof origins / sizeof *origins)];
}

static struct time_window read_window(struct pb_reader r)
{
    struct time_window w = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == FIELD_FROM) {
            w.has_from = true;
            w.from.ns = pb_i64(&f);
        } else if (f.number == FIELD_TO) {
            w.has_to = true;
            w.to.ns = pb_i64(&f);
        } else if (f.number == FIELD_FROM_ORIGIN) {
            w.from.origin = origin_from(&f);
        } else if (f.number == FIELD_TO_ORIGIN) {
            w.to.origin = origin_from(&f);
        }
    }
    return w;
}

/* Takes it away from the trace. False where there is none. */
static bool take_window(struct bytes *trace, struct time_window *window)
{
    struct pb_reader r = bytes_reader(*trace);
    struct pb_field f;
    if (!pb_next(&r, &f) || f.number != FIELD_WINDOW || !f.data)
        return false;
    *window = read_window(pb_message(&f));
    *trace = (struct bytes){r.p, (size_t)(trace->p + trace->n - r.p)};
    return true;
}

/* Whether there was something to cut. */
static bool cut(const struct trace_format *format, struct bytes trace,
                const struct time_window *window, struct memory_output *out, struct cut_span *span)
{
    *out = (struct memory_output){.output = {.write = write_memory}};
    struct cut_job job = {.name = "fuzz", .data = trace, .window = window, .out = &out->output};
    struct status s = format->cut(&job);
    *span = job.span;
    bool good = status_ok(s);
    CHECK(good || s.message[0]);
    status_release(&s);
    if (!good)
        return false;
    CHECK(span->first <= span->last && span->from < span->to);
    CHECK(span->from <= span->last);
    CHECK(span->to > span->first || span->to == INT64_MAX); /* no window has that time */
    CHECK(out->bytes.count / GROWTH_MAX <= trace.n + GROWTH_ANY / GROWTH_MAX);
    return true;
}

/* Which third: inputs of other sizes try others. */
static bool find_third(const struct trace_format *format, struct bytes trace,
                       struct time_window *window)
{
    struct memory_output out;
    struct cut_span all;
    struct time_window none = {0};
    bool good = cut(format, trace, &none, &out, &all);
    vec_release(&out.bytes);
    if (!good)
        return false;
    int64_t third = time_minus(all.last, all.first) / 3;
    int64_t begin = time_plus(all.first, third * (int64_t)(trace.n % 3));
    window->has_from = window->has_to = true;
    window->from = (struct time_text){.origin = TIME_OF_TRACE_CLOCK, .ns = begin};
    window->to = (struct time_text){.origin = TIME_RELATIVE, .ns = time_plus(third, 1)};
    return true;
}

/* Damaged packets that are left alone need not look like packets: then it takes --as. */
static struct status read_as(struct trace *t, const struct trace_format *format, struct bytes bytes)
{
    struct trace_file file = {.name = STR("fuzz"),
                              .size = (int64_t)bytes.n,
                              .parent = NULL_U32,
                              .machine = NULL_U32};
    if (format->sniff(bytes))
        return trace_load_memory(t, "fuzz", bytes.p, bytes.n, NULL);
    CHECK(format->read);
    trace_format_begin(format, t, &file);
    struct status s = format->read(t, "fuzz", bytes, NULL);
    trace_finish(t);
    return s;
}

static void load(const struct trace_format *format, struct bytes bytes)
{
    struct trace *t = alloc_bytes(sizeof *t);
    uint8_t *copy = alloc_bytes(bytes.n); /* a sanitizer sees what lies behind it */
    memcpy(copy, bytes.p, bytes.n);
    trace_init(t);
    struct status s = read_as(t, format, (struct bytes){copy, bytes.n});
    free(copy);
    CHECK(status_ok(s));
    trace_release(t);
    free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes trace = {data, size};
    struct time_window window;
    struct memory_output out;
    struct cut_span span;
    bool given = take_window(&trace, &window);
    const struct trace_format *format = trace.n ? trace_format_detect(trace_formats, trace) : NULL;
    if (!format || !format->cut || (!given && !find_third(format, trace, &window)))
        return 0;
    if (cut(format, trace, &window, &out, &span))
        load(format->cut_as ? format->cut_as : format,
             (struct bytes){out.bytes.items, out.bytes.count});
    vec_release(&out.bytes);
    return 0;
}
