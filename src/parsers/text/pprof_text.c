/* Profiles as text, which programs in Go print (/debug/pprof/heap?debug=1, goroutine, mutex, block,
 * threadcreate) and gperftools and jemalloc write for the heap:
 *
 *     heap profile: 7: 5488 [123: 456789] @ heap/1048576
 *     1: 1024 [2: 2048] @ 0x40e0b5 0x42ff6d        used: allocated objects, bytes, and the calls
 *     #	0x40e0b4	main.load+0x34	/app/main.go:12     what Go knows of each call,
 * innermost first
 *
 *     goroutine profile: total 7
 *     3 @ 0x43a2c6 0x4067ad
 *
 *     --- contention:
 *     cycles/second=2000000000
 *     4182 1 @ 0x43a2c6                            cycles waited, how often
 *
 *     heap_v2/524288                               jemalloc
 *     @ 0x40e0b5 0x42ff6d
 *       t*: 1: 1024 [2: 2048]
 *
 * As the reader of github.com/google/pprof (profile/legacy_profile.go) takes them: sampled heaps
 * are scaled up to what was probably allocated. */
#include <math.h>

#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { VALUES_MAX = 4, FRAMES_MAX = 1 << 12 };

enum text_profile {
    PROFILE_NONE,
    PROFILE_HEAP,
    PROFILE_COUNT,
    PROFILE_CONTENTION,
    PROFILE_JEMALLOC
};

struct pprof_text {
    struct trace *trace;
    enum text_profile kind;
    struct str of;                 /* what is counted, a constant: "goroutine" */
    double rate;                   /* bytes between samples of a heap; 0: it has all */
    double cycles_second, period;  /* of contentions */
    uint32_t profiles[VALUES_MAX]; /* NULL_U32: none yet */
    double values[VALUES_MAX];     /* of the sample that is being read */
    size_t value_count;            /* 0: none is */
    bool in_mappings;              /* the rest says where code lies */
    VEC(string_id) addresses;
    VEC(uint32_t) frames; /* that lines below told, innermost first */
    uint32_t mapping;
};

static const struct {
    struct str begin;
    enum text_profile kind;
    struct str of;
} headers[] = {
    {{"heap profile:", 13}, PROFILE_HEAP, {"", 0}},
    {{"growth profile:", 15}, PROFILE_HEAP, {"", 0}},
    {{"fragmentation profile:", 22}, PROFILE_HEAP, {"", 0}},
    {{"goroutine profile:", 18}, PROFILE_COUNT, {"goroutine", 9}},
    {{"threadcreate profile:", 21}, PROFILE_COUNT, {"threadcreate", 12}},
    {{"--- contention", 14}, PROFILE_CONTENTION, {"", 0}},
    {{"--- mutex", 9}, PROFILE_CONTENTION, {"", 0}},
    {{"heap_v2/", 8}, PROFILE_JEMALLOC, {"", 0}},
};

static bool read_header(struct pprof_text *p, struct str line)
{
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        if (!str_starts(line, headers[i].begin))
            continue;
        size_t slash = str_find(line, '/');
        struct str kind = line, rate = str_behind(line, slash);
        kind = str_behind(kind, str_find(kind, '@'));
        p->kind = headers[i].kind;
        p->of = headers[i].of;
        p->rate = 0;
        if (slash < line.n && str_to_f64(str_trim(rate), &p->rate) &&
            str_starts(str_trim(kind), STR("heap/")))
            p->rate /= 2; /* Go writes twice its rate */
        return true;
    }
    return false;
}

/* What the values of a sample are called, and their units. */
static uint32_t profile_of(struct pprof_text *p, size_t value)
{
    static const struct str heap[] = {{"inuse_objects", 13},
                                      {"inuse_space", 11},
                                      {"alloc_objects", 13},
                                      {"alloc_space", 11}};
    static const struct str waits[] = {{"delay", 5}, {"contentions", 11}};
    if (p->profiles[value] != NULL_U32)
        return p->profiles[value];
    bool contention = p->kind == PROFILE_CONTENTION, count = p->kind == PROFILE_COUNT;
    struct str type = count ? p->of : contention ? waits[value % 2] : heap[value];
    struct str unit = contention && value == 0              ? STR("nanoseconds")
                      : count || contention || !(value & 1) ? STR("count")
                                                            : STR("bytes");
    return p->profiles[value] = stack_sums_profile(p->trace, STR("pprof_text"), type, type, unit);
}

/* A sampled object of some size stands for several. */
static double scale_of(const struct pprof_text *p, double count, double bytes)
{
    if (!(p->rate > 1) || !(count > 0) || !(bytes > 0))
        return 1;
    return -1 / expm1(-bytes / count / p->rate);
}

static void scale(struct pprof_text *p)
{
    double *v = p->values;
    if (p->kind == PROFILE_CONTENTION) {
        double period = p->period > 0 ? p->period : 1;
        double second = p->cycles_second > 0 ? p->cycles_second : 1e9;
        v[0] *= period * 1e9 / second;
        v[1] *= period;
        return;
    }
    for (size_t i = 0; i + 1 < p->value_count; i += 2) {
        double factor = scale_of(p, v[i], v[i + 1]);
        v[i] *= factor;
        v[i + 1] *= factor;
    }
}

static void end_sample(struct pprof_text *p)
{
    struct trace *t = p->trace;
    uint32_t callsite = NULL_U32;
    for (size_t i = p->frames.count; i-- > 0;)
        callsite = stack_callsite_intern(t, callsite, p->frames.items[i]);
    for (size_t i = p->frames.count ? 0 : p->addresses.count; i-- > 0;)
        callsite =
            stack_callsite_intern(t, callsite,
                                  stack_frame_intern_source(t, p->mapping, p->addresses.items[i],
                                                            NULL_STRING, NULL_U32));
    scale(p);
    for (size_t i = 0; callsite != NULL_U32 && i < p->value_count; i++)
        if (p->values[i] > 0 && isfinite(p->values[i]))
            stack_sums_add(t, profile_of(p, i), callsite, p->values[i]);
    p->value_count = p->addresses.count = p->frames.count = 0;
}

/* "1: 1024 [2: 2048]", "3" or "4182 1" */
static bool read_values(struct pprof_text *p, struct str text)
{
    size_t n = 0;
    while (text.n > 0 && n < VALUES_MAX) {
        size_t end = 0;
        while (text.n && (str_is_blank(*text.p) || memchr(":[]", *text.p, 3)))
            text = str_skip(text, 1);
        while (end < text.n && str_is_digit(text.p[end]))
            end++;
        if (end == 0 || !str_to_f64(str_from_to(text, 0, end), &p->values[n]))
            break;
        text = str_skip(text, end);
        n++;
    }
    p->value_count = n;
    return n > 0;
}

static void read_addresses(struct pprof_text *p, struct str text)
{
    struct str word;
    p->addresses.count = p->frames.count = 0;
    while ((word = str_take_word(&text)).n > 0 && p->addresses.count < FRAMES_MAX)
        if (str_starts(word, STR("0x")))
            *vec_push(&p->addresses) = trace_intern(p->trace, word);
}

/* "#	0x40e0b4	main.load+0x34	/app/main.go:12" */
static void read_frame(struct pprof_text *p, struct str line)
{
    struct str rest = str_skip(line, 1), address = str_take_word(&rest), text = str_trim(rest);
    struct str function = text, place = STR("");
    size_t tab = str_find(text, '\t');
    if (!str_starts(address, STR("0x")) || p->frames.count == FRAMES_MAX)
        return;
    if (tab < text.n) {
        function = str_trim(str_from_to(text, 0, tab));
        place = str_trim(str_skip(text, tab));
    }
    size_t plus = function.n, colon = place.n;
    while (plus > 0 && function.p[plus - 1] != '+')
        plus--;
    while (colon > 0 && place.p[colon - 1] != ':')
        colon--;
    if (plus > 1 && str_starts(str_skip(function, plus), STR("0x")))
        function.n = plus - 1;
    uint64_t line_number;
    bool placed =
        colon > 1 && str_to_u64(str_skip(place, colon), 10, &line_number) && line_number < NULL_U32;
    *vec_push(&p->frames) =
        stack_frame_intern_source(p->trace, p->mapping, trace_intern(p->trace, function),
                                  placed ? trace_intern(p->trace, str_from_to(place, 0, colon - 1))
                                         : NULL_STRING,
                                  placed ? (uint32_t)line_number : NULL_U32);
}

/* "cycles/second = 2000000000", "sampling period=1" */
static bool read_setting(struct pprof_text *p, struct str line)
{
    double value;
    struct str rest = line, key = str_trim(str_cut(&rest, '='));
    if (!str_to_f64(str_trim(rest), &value))
        return false;
    if (str_eq(key, STR("cycles/second")))
        p->cycles_second = value;
    else if (str_eq(key, STR("sampling period")))
        p->period = value;
    return true;
}

/* "  t3: 1: 1024 [2: 2048]": what one of the threads has of it; or with "*" all of them. */
static bool is_jemalloc_values(struct str line)
{
    struct str rest = line, thread = str_cut(&rest, ':');
    return thread.n > 1 && *thread.p == 't' && rest.n > 0 &&
           (str_eq(thread, STR("t*")) || str_count_digits(str_skip(thread, 1)) + 1 == thread.n);
}

static bool begins_mappings(struct str line)
{
    return str_starts(line, STR("MAPPED_LIBRARIES:")) ||
           str_starts(line, STR("--- Memory map: ---"));
}

static void add_line(void *self, struct str line)
{
    struct pprof_text *p = self;
    line = str_trim(line);
    p->in_mappings |= begins_mappings(line);
    if (p->in_mappings) {
        end_sample(p);
        return;
    }
    if (line.n > 1 && *line.p == '#') {
        if (p->value_count > 0)
            read_frame(p, line);
        return;
    }
    size_t at = str_find(line, '@');
    if (p->kind == PROFILE_JEMALLOC) {
        if (at == 0 && line.n > 0)
            read_addresses(p, line);
        else if (str_starts(line, STR("t*:")) && p->addresses.count > 0 &&
                 read_values(p, str_skip(line, 3)))
            end_sample(p);
        else if (!is_jemalloc_values(line) && !read_header(p, line))
            text_lines_unread(p->trace, line);
        return;
    }
    end_sample(p);
    if (read_header(p, line))
        return;
    if (at < line.n && str_is_digit(*line.p) && read_values(p, str_from_to(line, 0, at)))
        read_addresses(p, str_skip(line, at));
    else if (p->kind != PROFILE_CONTENTION || !read_setting(p, line))
        text_lines_unread(p->trace, line);
}

static bool pprof_text_sniff(struct bytes data)
{
    struct pprof_text p = {.trace = NULL};
    struct str line = trace_format_skip_space(trace_format_head(data));
    return read_header(&p, str_cut(&line, '\n'));
}

static struct status pprof_text_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    struct pprof_text p = {.trace = t,
                           .profiles = {NULL_U32, NULL_U32, NULL_U32, NULL_U32},
                           .mapping = stack_mapping_append_source(t, STR("[pprof_text]"))};
    bool whole = text_lines_read(t, source, add_line, &p);
    end_sample(&p);
    vec_release(&p.addresses);
    vec_release(&p.frames);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format pprof_text_trace_format = {
    .name = "pprof as text",
    .type = "pprof_text",
    .about = "profiles that Go, gperftools and jemalloc print: begins with heap profile:, "
             "goroutine profile:, --- contention or heap_v2/",
    .by_lines = true,
    .sniff = pprof_text_sniff,
    .read_source = pprof_text_import,
};
