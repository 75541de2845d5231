#include "parsers/tracefs/systrace_text.h"

#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/ftrace_text.h"
#include "parsers/tracefs/graph_line.h"
#include "parsers/tracefs/perf_line.h"
#include "parsers/tracefs/text_cut.h"
#include "parsers/tracefs/trace_line.h"

enum { HEAD_BYTES = 4096 };

struct text_import {
    struct trace *trace;
    struct ftrace_text *f;
    bool stays; /* the window is all there is */
    bool begun; /* a line was read */
    bool early; /* TRACE: comes first */
    void (*add)(struct ftrace_text *f, struct str line, bool stays);
    struct budget *budget; /* for what is packed */
};

/* trace-cmd's first line: "cpus=8". */
static bool is_cpu_count(struct str line)
{
    struct str before = STR("cpus=");
    line = str_trim(line);
    if (!str_starts(line, before))
        return false;
    for (size_t i = before.n; i < line.n; i++)
        if (line.p[i] < '0' || line.p[i] > '9')
            return false;
    return true;
}

static void add_line(void *self, struct str line)
{
    struct text_import *im = self;
    if (im->early) {
        im->early = !str_eq(line, STR("TRACE:"));
        return;
    }
    bool first = !im->begun;
    im->begun = true;
    if ((first && is_cpu_count(line)) || str_trim(line).n == 0)
        return;
    im->add(im->f, line, im->stays);
}

/* Where the trace begins: behind the line TRACE:, of which atrace has others in front. */
static size_t trace_start(struct bytes data)
{
    struct str mark = STR("TRACE:\n");
    size_t n = data.n < HEAD_BYTES ? data.n : HEAD_BYTES;
    const char *at = n ? memmem(data.p, n, mark.p, mark.n) : NULL;
    if (!at || ((const uint8_t *)at > data.p && at[-1] != '\n'))
        return 0;
    return (size_t)((const uint8_t *)at - data.p) + mark.n;
}

/* What atrace -z puts there. */
static bool is_zlib(struct bytes data)
{
    return data.n > 2 && data.p[0] == 0x78 && (data.p[0] << 8 | data.p[1]) % 31 == 0;
}

static bool read_lines(struct text_import *im, struct byte_source *source)
{
    size_t start = trace_start(source->window);
    struct bytes rest = {source->window.p + start, source->window.n - start};
    if (start == 0 || !is_zlib(rest)) {
        im->stays = source->stream == NULL;
        im->early = start > 0;
        return text_lines_read(im->trace, source, add_line, im);
    }
    while (byte_source_more(source, 0)) {
    }
    rest = (struct bytes){source->window.p + start, source->window.n - start};
    struct byte_source inside =
        byte_source_compressed(COMPRESSION_ZLIB, rest, im->budget, source->progress);
    bool whole = text_lines_read(im->trace, &inside, add_line, im);
    if (inside.cut)
        trace_format_ends_early(im->trace);
    byte_source_release(&inside);
    return whole;
}

static struct status import_text(struct trace *t, const char *name, struct byte_source *source,
                                 void (*add)(struct ftrace_text *, struct str, bool))
{
    struct text_import im = {.trace = t,
                             .f = ftrace_text_new(t),
                             .add = add,
                             .budget = &t->builder->unpacking};
    bool whole = read_lines(&im, source);
    if (whole)
        ftrace_text_apply(im.f);
    ftrace_text_free(im.f);
    return whole ? status_ok_value() : progress_cancelled(name);
}

static struct status systrace_text_import(struct trace *t, const char *name,
                                          struct byte_source *source)
{
    return import_text(t, name, source, ftrace_text_add);
}

void systrace_text_read(struct trace *t, struct str text)
{
    struct text_import im = {.trace = t,
                             .f = ftrace_text_new(t),
                             .stays = true,
                             .add = ftrace_text_add};
    for (struct str line; str_next_line(&text, &line);) {
        add_line(&im, line);
    }
    ftrace_text_apply(im.f);
    ftrace_text_free(im.f);
}

static bool has_event_line(struct bytes data)
{
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    struct trace_line l;
    struct graph_line g;
    for (struct str line; str_next_line(&head, &line);) {
        if (trace_line_read(line, &l) || (graph_line_read(line, &g) && g.dur > 0))
            return true;
    }
    return false;
}

static bool contains(struct str s, struct str what)
{
    return s.n >= what.n && memmem(s.p, s.n, what.p, what.n) != NULL;
}

static bool sniff_ftrace_text(struct bytes data)
{
    struct str s = trace_format_head(data);
    return str_starts(s, STR("# tracer:")) || contains(s, STR("\n# tracer:")) ||
           trace_start(data) > 0 || has_event_line(data);
}

/* Not calls as the function_graph tracer prints them, whose times may be told by nothing but how
 * long they take, nor what is packed in the text. */
static bool can_cut(struct bytes data)
{
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    size_t start = trace_start(data);
    struct trace_line l;
    struct graph_line g;
    for (struct str line; str_next_line(&head, &line);)
        if (!trace_line_read(line, &l) && graph_line_read(line, &g) && g.kind != GRAPH_NOTHING)
            return false;
    return start == 0 || !is_zlib((struct bytes){data.p + start, data.n - start});
}

extern const struct trace_format systrace_text_trace_format;

static struct status cut_text(struct cut_job *job)
{
    return ftrace_text_cut(&systrace_text_trace_format, job);
}

const struct trace_format systrace_text_trace_format = {
    .name = "ftrace text",
    .type = "systrace",
    .key = "ftrace",
    .about = "text of trace_pipe, atrace, trace-cmd report: a line \"# tracer:\" or TRACE:, or "
             "lines \"task-pid [cpu] time: event: ...\"",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .by_lines = true,
    .sniff = sniff_ftrace_text,
    .read_source = systrace_text_import,
    .cut = cut_text,
    .can_cut = can_cut,
};

/* A sample is made of the frame, where the line says whose and when. */
static bool has_sample(struct str line, const struct trace_line *l)
{
    return !l->is_of_cpu && !l->has_no_time && perf_line_args(line).frame.n > 0;
}

/* Two events that follow each other: no call stack stands between them. Where neither time nor
 * thread are told, those of the scheduler only, as other text may look like it. */
static bool sniff_tracepoints(struct bytes data)
{
    struct str head = trace_format_head(data);
    struct trace_line l;
    int found = 0;
    for (struct str line; found < 2 && str_next_line(&head, &line);) {
        if (line.n == 0 || *line.p == '#')
            continue;
        if (!perf_line_read(line, &l) || has_sample(line, &l))
            return false;
        if (l.is_of_cpu && l.has_no_time && !str_starts(l.event, STR("sched_")))
            return false;
        found++;
    }
    return found > 0;
}

static struct status perf_tracepoints_import(struct trace *t, const char *name,
                                             struct byte_source *source)
{
    return import_text(t, name, source, ftrace_text_add_perf);
}

const struct trace_format perf_tracepoints_trace_format = {
    .name = "perf script of tracepoints",
    .type = "perf_text",
    .key = "perf_tracepoints",
    .about = "text of perf script and perf sched script about tracepoints: lines \"comm pid [cpu] "
             "time: system:event: ...\", of which columns may be missing, without call stacks",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .by_lines = true,
    .sniff = sniff_tracepoints,
    .read_source = perf_tracepoints_import,
};
