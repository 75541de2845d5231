/* What V8 logs with --prof (isolate-*-v8.log): where code is made, and ticks of the profiler with
 * the addresses on the stack. A line is an event, its fields stand between commas.
 *
 *     shared-library,/usr/bin/node,0x400000,0x1400000,0
 *     code-creation,LazyCompile,0,4225,0x3a8437e04000,374,run /app/main.js:12:5,0x3a84d0,~
 *     code-move,0x3a8437e04000,0x3a8437e05000
 *     tick,0x3a8437e05010,5311,0,0x0,0,0x3a8437e05020
 *
 * As tools/tickprocessor.mjs of V8 reads them. Older versions quote names, and lack the time of new
 * code; times are us since the start. Rows of cpu_profile_stack_sample. */
#include "core/trace_builder.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"
#include "parsers/text/text_lines.h"
#include "parsers/text/v8_code.h"

enum {
    LIBRARIES_MAX = 1024,
    FIELDS_MAX = 12,
    STACK_MAX = 1 << 10,
    CODE_NAME_MAX = 1 << 12,
    COLLECTING = 1,
    INTERVAL_US_MAX = 1000000
};

struct v8_library {
    uint64_t start, end;
    uint32_t frame;
};

struct v8_log {
    struct trace *trace;
    struct v8_codes codes;
    VEC(struct v8_library) libraries;
    struct map in_library; /* address -> its frame, or NULL_U32: in none */
    VEC(uint32_t) stack;   /* frames, innermost first */
    struct samples samples;
    struct flame_chart chart;
    uint32_t utid;
    uint32_t collector, program; /* frames: of collecting garbage, and of what is in no code */
    int64_t last, interval;      /* us: of the last tick, and between two */
    bool any;
};

/* Cuts off the next field, without the quotes that it may have. */
static struct str take_field(struct str *rest)
{
    if (!str_starts(*rest, STR("\"")))
        return str_cut(rest, ',');
    struct str inside = str_skip(*rest, 1);
    size_t end = 0;
    while ((end += str_find(str_skip(inside, end), '"')) + 1 < inside.n && inside.p[end + 1] == '"')
        end += 2; /* a quote in the text is written twice */
    *rest = str_behind(inside, end);
    str_cut(rest, ',');
    return str_from_to(inside, 0, end);
}

static bool take_address(struct str *rest, uint64_t *address)
{
    struct str field = take_field(rest);
    return str_starts(field, STR("0x")) && str_to_u64(field, 16, address);
}

/* Text without "\x2C" for a comma and the like; into `out`, which has room for all of it. */
static struct str unescape(struct str text, char *out)
{
    size_t n = 0;
    uint64_t code;
    for (size_t i = 0; i < text.n; i++) {
        bool escape = text.p[i] == '\\' && i + 1 < text.n;
        if (escape && text.p[i + 1] == 'x' && i + 3 < text.n &&
            str_to_u64(str_from_to(text, i + 2, i + 4), 16, &code)) {
            out[n++] = (char)code;
            i += 3;
        } else {
            out[n++] = text.p[i += escape && text.p[i + 1] == '\\'];
        }
    }
    return (struct str){out, n};
}

/* Behind the names of functions stand their address, "0x...", and how they were compiled. */
static bool add_code(struct v8_log *l, struct str rest)
{
    struct v8_code code = {0};
    take_field(&rest);
    take_field(&rest);
    uint64_t ignored;
    if (!str_starts(rest, STR("0x")) && !str_to_u64(take_field(&rest), 10, &ignored))
        return false;
    if (!take_address(&rest, &code.start) || !str_to_u64(take_field(&rest), 10, &code.size))
        return false;
    char name[CODE_NAME_MAX];
    struct str text = take_field(&rest);
    text.n = text.n < CODE_NAME_MAX ? text.n : CODE_NAME_MAX;
    code.is_function = str_starts(rest, STR("0x"));
    code.frame = v8_frame(l->trace, unescape(text, name), code.is_function);
    v8_codes_add(&l->codes, code);
    return true;
}

static bool add_library(struct v8_log *l, struct str rest)
{
    struct trace *t = l->trace;
    struct str path = take_field(&rest), name = path;
    struct v8_library library;
    if (!take_address(&rest, &library.start) || !take_address(&rest, &library.end))
        return false;
    if (library.end <= library.start || l->libraries.count >= LIBRARIES_MAX)
        return true;
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
    if (slash)
        name = str_skip(path, (size_t)(slash - path.p) + 1);
    library.frame =
        samples_named_frame(t, trace_intern(t, path), trace_intern(t, name), NULL_STRING, NULL_U32);
    *vec_push(&l->libraries) = library;
    map_release(&l->in_library);
    l->in_library = (struct map){0};
    return true;
}

static uint32_t library_frame(struct v8_log *l, uint64_t address)
{
    bool inserted;
    uint32_t *frame = map_insert(&l->in_library, address, &inserted);
    if (!inserted)
        return *frame;
    *frame = NULL_U32;
    for (size_t i = l->libraries.count; i-- > 0;) {
        const struct v8_library *library = &l->libraries.items[i];
        if (address >= library->start && address < library->end) {
            *frame = library->frame;
            break;
        }
    }
    return *frame;
}

/* Frames of addresses in no code are left out, as V8's own tool does. */
static void push_frame(struct v8_log *l, uint64_t address)
{
    const struct v8_code *code = v8_codes_find(&l->codes, address);
    uint32_t frame = code ? code->frame : library_frame(l, address);
    if (frame != NULL_U32 && l->stack.count < STACK_MAX)
        *vec_push(&l->stack) = frame;
}

/* Addresses, of which those with a sign count from the one before that had one, or from the pc. */
static void push_stack(struct v8_log *l, uint64_t pc, struct str rest)
{
    uint64_t from = pc, address;
    while (rest.n > 0) {
        struct str field = take_field(&rest);
        bool plus = str_starts(field, STR("+")), minus = str_starts(field, STR("-"));
        if (!str_to_u64(plus || minus ? str_skip(field, 1) : field, 16, &address))
            continue; /* "overflow" */
        if (plus || minus)
            from = address = plus ? from + address : from - address;
        push_frame(l, address);
    }
}

static void add_sample(struct v8_log *l, int64_t us)
{
    int64_t ts, ns;
    uint32_t callsite = NULL_U32;
    for (size_t i = l->stack.count; i-- > 0;)
        callsite = stack_callsite_intern(l->trace, callsite, l->stack.items[i]);
    if (us < l->last || __builtin_mul_overflow(us, 1000, &ns) ||
        !clock_file_time(l->trace, ns, &ts))
        return;
    l->last = us;
    l->any = true;
    samples_add(&l->samples, ts, l->utid, callsite);
    flame_chart_add(&l->chart, ts, callsite);
}

/* pc, us, whether it is in a callback, that or the top of the stack, what V8 was doing, the stack
 */
static bool add_tick(struct v8_log *l, struct str rest)
{
    uint64_t pc, us, callback, top, state;
    if (!take_address(&rest, &pc) || !str_to_u64(take_field(&rest), 10, &us) || us > INT64_MAX ||
        !str_to_u64(take_field(&rest), 10, &callback) || !take_address(&rest, &top) ||
        !str_to_u64(take_field(&rest), 10, &state))
        return false;
    l->stack.count = 0;
    if (state == COLLECTING)
        *vec_push(&l->stack) = l->collector;
    push_frame(l, callback ? top : pc);
    if (!callback) { /* a function that has no frame yet, or none any more */
        const struct v8_code *code = v8_codes_find(&l->codes, top);
        if (code && code->is_function)
            push_frame(l, top);
    }
    push_stack(l, pc, rest);
    if (l->stack.count == 0)
        *vec_push(&l->stack) = l->program;
    add_sample(l, (int64_t)us);
    return true;
}

/* V8 logs much else, each line of which begins with what it is: "sfi-move,...", "LoadIC,...". */
static bool is_kind(struct str kind, struct str rest)
{
    for (size_t i = 0; i < kind.n; i++)
        if (!((kind.p[i] >= 'a' && kind.p[i] <= 'z') || (kind.p[i] >= 'A' && kind.p[i] <= 'Z') ||
              str_is_digit(kind.p[i]) || memchr("-_~", kind.p[i], 3)))
            return false;
    return kind.n > 0 && rest.n > 0;
}

static void add_line(void *self, struct str line)
{
    struct v8_log *l = self;
    struct str rest = str_trim(line), kind = take_field(&rest), behind = rest;
    uint64_t from, to;
    bool is = true;
    if (str_eq(kind, STR("tick")))
        is = add_tick(l, rest);
    else if (str_eq(kind, STR("code-creation")))
        is = add_code(l, rest);
    else if (str_eq(kind, STR("code-move"))) {
        is = take_address(&rest, &from) && take_address(&rest, &to);
        if (is)
            v8_codes_move(&l->codes, from, to);
    } else if (str_eq(kind, STR("shared-library")))
        is = add_library(l, rest);
    else if (str_eq(kind, STR("profiler")) && str_eq(take_field(&behind), STR("begin"))) {
        if (str_to_u64(take_field(&behind), 10, &from) && from <= INTERVAL_US_MAX)
            l->interval = (int64_t)from;
    } else
        is = is_kind(kind, rest);
    if (!is)
        text_lines_unread(l->trace, line);
}

static bool v8_log_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    if (!str_next_line(&head, &line))
        return false;
    struct str rest = line, kind = take_field(&rest);
    uint64_t address;
    if (str_eq(kind, STR("v8-version")) || str_eq(kind, STR("tick")))
        return str_count_digits(rest) > 0;
    if (str_eq(kind, STR("code-creation")))
        return rest.n > 0;
    take_field(&rest);
    return str_eq(kind, STR("shared-library")) && take_address(&rest, &address) &&
           take_address(&rest, &address);
}

static struct status v8_log_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct v8_log l = {.trace = t, .samples = samples_begin(t, STR("v8_log"))};
    l.utid = samples_new_thread(t, 0, trace_intern(t, STR("JavaScript")));
    l.chart = flame_chart_begin(t, l.utid, 0, source->window.n / sizeof "tick,0x10,10,0,0x0,4,");
    l.collector = v8_frame(t, STR("(garbage collector)"), false);
    l.program = v8_frame(t, STR("(program)"), false);
    bool whole = text_lines_read(t, source, add_line, &l);
    int64_t ts, end;
    if (l.any && !__builtin_mul_overflow(time_plus(l.last, l.interval), 1000, &end) &&
        clock_file_time(t, end, &ts))
        flame_chart_add(&l.chart, ts, NULL_U32);
    flame_chart_release(&l.chart);
    samples_release(&l.samples);
    v8_codes_release(&l.codes);
    map_release(&l.in_library);
    vec_release(&l.libraries);
    vec_release(&l.stack);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format v8_log_trace_format = {
    .name = "V8 log",
    .type = "v8_log",
    .about = "isolate-*-v8.log of Node and V8 with --prof: begins with v8-version, or "
             "shared-library,PATH,0x...",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = v8_log_sniff,
    .read_source = v8_log_import,
};
