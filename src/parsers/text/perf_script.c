#include "parsers/text/perf_script.h"

#include "parsers/samples/samples.h"
#include "parsers/text/text_lines.h"

struct printed_frame {
    string_id file, function;
    int64_t address;
};

struct header {
    struct str comm;
    uint64_t pid, tid;
    int64_t ts;
    bool has_pid;
};

struct perf_script {
    struct trace *trace;
    struct samples samples;
    VEC(struct printed_frame) frames; /* of the sample that is being read */
    bool in_sample;
    uint32_t utid;
    int64_t ts;
};

static struct str take_word(struct str *rest)
{
    *rest = str_trim(*rest);
    size_t n = 0;
    while (n < rest->n && !str_is_blank(rest->p[n]))
        n++;
    struct str word = str_from_to(*rest, 0, n);
    *rest = str_skip(*rest, n);
    return word;
}

/* "31850/31881 [001] 684943.449406:", of which all but the thread and the time may be missing. */
static bool read_from_pid(struct str rest, struct header *h)
{
    struct str ids = take_word(&rest);
    size_t slash = str_find(ids, '/');
    h->has_pid = slash < ids.n;
    if (!str_to_u64(str_from_to(ids, 0, slash), 10, &h->pid))
        return false;
    h->tid = h->pid;
    if (h->has_pid && !str_to_u64(str_skip(ids, slash + 1), 10, &h->tid))
        return false;
    struct str word = take_word(&rest);
    if (str_starts(word, STR("[")))
        word = take_word(&rest);
    return h->pid <= UINT32_MAX && h->tid <= UINT32_MAX && str_ends(word, STR(":")) &&
           text_seconds(str_from_to(word, 0, word.n - 1), &h->ts);
}

/* The name of the thread may hold spaces: it ends where the rest makes sense. */
static bool read_header(struct str line, struct header *h)
{
    for (size_t i = 1; i < line.n; i++) {
        if (!str_is_blank(line.p[i]) || !read_from_pid(str_skip(line, i), h))
            continue;
        h->comm = str_trim(str_from_to(line, 0, i));
        return h->comm.n > 0;
    }
    return false;
}

static bool read_frame(struct perf_script *s, struct str line, struct printed_frame *f)
{
    uint64_t address;
    struct str rest = line;
    if (!str_to_u64(take_word(&rest), 16, &address))
        return false;
    f->address = (int64_t)address;
    struct str function = str_trim(rest), file = {NULL, 0};
    size_t open = function.n;
    while (open > 0 && function.p[open - 1] != '(')
        open--;
    if (open > 0 && str_ends(function, STR(")"))) {
        file = str_from_to(function, open, function.n - 1);
        function = str_trim(str_from_to(function, 0, open - 1));
    }
    const char *offset = function.n ? memmem(function.p, function.n, "+0x", 3) : NULL;
    if (offset && function.p[function.n - 1] != ']')
        function.n = (size_t)(offset - function.p);
    f->file = trace_intern(s->trace, file);
    f->function = trace_intern(s->trace, function);
    return true;
}

static void finish_sample(struct perf_script *s)
{
    uint32_t callsite = NULL_U32;
    if (!s->in_sample)
        return;
    for (size_t i = s->frames.count; i-- > 0;) {
        const struct printed_frame *f = &s->frames.items[i];
        callsite = samples_callsite(&s->samples, callsite, f->file, f->function, f->address);
    }
    samples_add(&s->samples, s->ts, s->utid, callsite);
    s->in_sample = false;
}

static void begin_sample(struct perf_script *s, const struct header *h)
{
    struct trace *t = s->trace;
    finish_sample(s);
    if (!clock_file_time(t, h->ts, &s->ts))
        return;
    s->in_sample = true;
    s->frames.count = 0;
    uint32_t machine = stats_scope(t)->machine;
    s->utid = h->has_pid
                  ? process_tracker_update_thread(t, machine, (int64_t)h->tid, (int64_t)h->pid)
                  : process_tracker_thread(t, machine, (int64_t)h->tid);
    if (h->tid != 0)
        process_tracker_set_thread_name(t, s->utid, trace_intern(t, h->comm), THREAD_NAME_OTHER);
}

static void add_line(void *self, struct str line)
{
    struct perf_script *s = self;
    struct header h;
    struct printed_frame f;
    if (str_trim(line).n == 0)
        finish_sample(s);
    else if (*line.p == '#')
        return;
    else if (s->in_sample && str_is_blank(*line.p) && read_frame(s, line, &f))
        *vec_push(&s->frames) = f;
    else if (read_header(line, &h))
        begin_sample(s, &h);
}

static bool perf_script_sniff(struct bytes data)
{
    enum { HEAD_BYTES = 4096 };
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    struct header h;
    while (head.n > 0) {
        size_t n = str_find(head, '\n');
        struct str line = str_trim(str_from_to(head, 0, n));
        if (line.n && *line.p != '#')
            return str_ends(line, STR(":")) && read_header(line, &h);
        head = str_skip(head, n < head.n ? n + 1 : n);
    }
    return false;
}

static struct status perf_script_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct perf_script s = {.trace = t, .samples = samples_begin(t, STR("perf_text"))};
    bool whole = text_lines_read(source, add_line, &s);
    finish_sample(&s);
    samples_release(&s.samples);
    vec_release(&s.frames);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_script_trace_format = {
    .name = "perf script",
    .type = "perf_text",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .sniff = perf_script_sniff,
    .read_source = perf_script_import,
};
