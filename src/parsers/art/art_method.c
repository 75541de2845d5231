/* Traces of Android's runtime: which method each thread entered and left, and when.
 *
 * Versions 1 to 3: a header of text and records behind it, or, streamed, records among which
 * methods and threads are told when they are first seen; times in us. Versions 4 and 5: blocks of
 * one thread each with differences of times and methods as LEB128. As runtime/trace.cc of Android's
 * runtime writes them. */
#include "parsers/art/methods.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_format.h"
#include "parsers/perf/wire.h"

enum { HEADER_BYTES = 32, MAGIC_BYTES = 4, STREAMING = 0xf0, ACTION_MASK = 3, ACTION_EXIT = 1 };
enum { NS_PER_US = 1000, DUAL_RECORD = 14 };
/* What tells of methods and threads among records, which have no thread 0. */
enum { CODE_METHOD = 1, CODE_THREAD, CODE_SUMMARY };
/* Blocks of versions 4 and 5. */
enum { BLOCK_THREAD, BLOCK_METHOD, BLOCK_CALLS, BLOCK_SUMMARY };

#define NS_PER_SECOND UINT64_C(1000000000)

static const char magic[] = "SLOW";

struct art_trace {
    struct art_methods methods;
    int64_t start; /* us; ns in versions 4 and 5 */
    uint32_t version;
    size_t record_size;
    bool is_dual;   /* records have the thread's time before the wall's */
    bool ended;     /* what stands at the end of a whole file was read */
    uint64_t calls; /* records that the header says there are; 0: it does not say */
};

static struct str text_of(struct bytes b)
{
    return (struct str){(const char *)b.p, b.n};
}

static void read_option(struct art_trace *a, struct str line)
{
    struct str clock = STR("clock="), calls = STR("num-method-calls=");
    if (str_starts(line, calls) && !str_to_u64(str_skip(line, calls.n), 10, &a->calls))
        a->calls = 0;
    if (str_starts(line, clock))
        a->is_dual = str_eq(str_skip(line, clock.n), STR("dual"));
}

/* "id TAB class TAB ..." */
static void read_method(struct art_trace *a, struct str line)
{
    uint64_t id;
    if (str_ends(line, STR("\n")))
        line.n--;
    line = str_trim(line);
    size_t n = str_find(line, '\t');
    if (n < line.n && str_to_u64(str_from_to(line, 0, n), 16, &id))
        art_methods_add(&a->methods, id, str_skip(line, n + 1));
}

static void read_thread(struct art_trace *a, struct str line)
{
    uint64_t tid;
    size_t n = str_find(line, '\t');
    if (n < line.n && str_to_u64(str_from_to(line, 0, n), 10, &tid) && tid <= UINT32_MAX)
        art_methods_add_thread(&a->methods, (uint32_t)tid, str_skip(line, n + 1));
}

static bool read_header(struct art_trace *a, struct perf_reader *r, uint32_t *version)
{
    struct bytes header = perf_take(r, HEADER_BYTES);
    if (r->failed || memcmp(header.p, magic, MAGIC_BYTES) != 0)
        return false;
    *version = perf_load16(header.p + 4, false);
    a->start = (int64_t)perf_load64(header.p + 8, false);
    a->version = *version & (uint32_t)~STREAMING;
    a->record_size = a->version == 1 ? 9 : a->version == 2 ? 10 : perf_load16(header.p + 16, false);
    return a->version >= 1 && a->version <= 3 && a->record_size >= 9;
}

/* What stands behind the thread's number. */
static void read_record(struct art_trace *a, uint32_t tid, struct bytes record)
{
    uint32_t what = perf_load32(record.p, false), delta = perf_load32(record.p + 4, false);
    if (a->is_dual && record.n >= 12)
        delta = perf_load32(record.p + 8, false);
    int64_t us, ns;
    if (__builtin_add_overflow(a->start, (int64_t)delta, &us) ||
        __builtin_mul_overflow(us, (int64_t)NS_PER_US, &ns))
        return;
    art_methods_call(&a->methods, ns, tid, what & ~(uint32_t)ACTION_MASK,
                     (what & ACTION_MASK) >= ACTION_EXIT);
}

enum section { SECTION_VERSION, SECTION_OPTIONS, SECTION_THREADS, SECTION_METHODS };

/* The header of text; what follows it in `rest`. */
static bool read_text(struct art_trace *a, struct str *rest)
{
    enum section section = SECTION_VERSION;
    while (rest->n > 0) {
        struct str line = str_cut(rest, '\n');
        if (str_eq(line, STR("*end")))
            return true;
        if (str_eq(line, STR("*version")))
            section = SECTION_OPTIONS;
        else if (str_eq(line, STR("*threads")))
            section = SECTION_THREADS;
        else if (str_eq(line, STR("*methods")))
            section = SECTION_METHODS;
        else if (section == SECTION_OPTIONS)
            read_option(a, line);
        else if (section == SECTION_THREADS)
            read_thread(a, line);
        else if (section == SECTION_METHODS)
            read_method(a, line);
    }
    return false;
}

static bool read_whole(struct art_trace *a, struct bytes data)
{
    struct str rest = text_of(data);
    uint32_t version;
    if (!read_text(a, &rest))
        return false;
    struct perf_reader r = perf_reader_make((struct bytes){(const uint8_t *)rest.p, rest.n}, false);
    if (!read_header(a, &r, &version) || version != a->version)
        return false;
    size_t tid_bytes = a->version == 1 ? 1 : 2, records = r.left.n / a->record_size;
    while (r.left.n >= a->record_size) {
        struct bytes record = perf_take(&r, a->record_size);
        uint32_t tid = tid_bytes == 1 ? record.p[0] : perf_load16(record.p, false);
        read_record(a, tid, (struct bytes){record.p + tid_bytes, record.n - tid_bytes});
    }
    a->ended = r.left.n == 0 && records >= a->calls;
    return true;
}

static void read_summary(struct art_trace *a, struct str text)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        if (str_eq(line, STR("*threads")))
            return;
        read_option(a, line);
    }
}

/* What is no record; false at the end. */
static bool read_code(struct art_trace *a, struct perf_reader *r)
{
    struct bytes code = perf_take(r, 1);
    switch (code.n ? *code.p : 0) {
    case CODE_METHOD: {
        uint16_t n = perf_u16(r);
        read_method(a, text_of(perf_take(r, n)));
        return !r->failed;
    }
    case CODE_THREAD: {
        uint16_t tid = perf_u16(r), n = perf_u16(r);
        struct str name = text_of(perf_take(r, n));
        if (!r->failed)
            art_methods_add_thread(&a->methods, tid, name);
        return !r->failed;
    }
    case CODE_SUMMARY: {
        uint32_t n = perf_u32(r);
        a->ended = !r->failed && n <= r->left.n;
        read_summary(a, text_of(perf_take(r, n < r->left.n ? n : r->left.n)));
        return false;
    }
    default:
        return false;
    }
}

/* Twice: which clocks the records have is told behind them. */
static bool read_stream(struct art_trace *a, struct bytes data)
{
    for (int pass = 0; pass < 2; pass++) {
        struct perf_reader r = perf_reader_make(data, false);
        uint32_t version;
        if (!read_header(a, &r, &version) || a->record_size < 10)
            return false;
        if (pass == 0)
            a->is_dual = a->record_size >= DUAL_RECORD;
        for (bool more = true; more && r.left.n > 2;) {
            uint16_t tid = perf_u16(&r);
            if (tid == 0) {
                more = read_code(a, &r);
                continue;
            }
            struct bytes record = perf_take(&r, a->record_size - 2);
            if (r.failed)
                break;
            if (pass == 1)
                read_record(a, tid, record);
        }
    }
    return true;
}

static struct status finish(struct art_trace *a, const char *name, bool ok)
{
    if (ok)
        art_methods_apply(&a->methods);
    if (ok && !a->ended)
        trace_format_ends_early(a->methods.trace);
    art_methods_release(&a->methods);
    return ok ? status_ok_value()
              : status_error(STATUS_FORMAT,
                             "%s: expected a method trace with a header, found it cut or of "
                             "another version",
                             name);
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    (void)progress;
    struct art_trace a = {0};
    art_methods_init(&a.methods, t);
    bool streamed = str_starts(text_of(data), str_from(magic));
    bool ok = streamed ? read_stream(&a, data) : read_whole(&a, data);
    return finish(&a, name, ok);
}

static bool sniff(struct bytes data)
{
    struct str head = trace_format_head(data);
    if (str_starts(head, STR("*version\n")))
        return true;
    if (!str_starts(head, str_from(magic)) || head.n < HEADER_BYTES)
        return false;
    uint16_t version = perf_load16(data.p + 4, false);
    return version >= (STREAMING | 1) && version <= (STREAMING | 3);
}

const struct trace_format art_method_trace_format = {
    .name = "ART method trace",
    .type = "art_method",
    .about = "method traces of Android's runtime, versions 1 to 3, streamed or not: begins with "
             "*version or SLOW",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .sniff = sniff,
    .read = import,
};

static bool read_leb128(struct perf_reader *r, int64_t *out)
{
    enum { SHIFT_MAX = 70 };
    uint64_t v = 0;
    int shift = 0;
    uint8_t byte = 0x80;
    for (; (byte & 0x80) && shift < SHIFT_MAX; shift += 7) {
        struct bytes b = perf_take(r, 1);
        if (b.n == 0)
            return false;
        byte = *b.p;
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
    }
    if (byte & 0x80)
        return false;
    if (shift < 64 && (byte & 0x40))
        v |= ~UINT64_C(0) << shift;
    *out = (int64_t)v;
    return true;
}

struct call_reader {
    struct art_trace *trace;
    struct art_thread *thread;
    uint64_t value, method; /* of time and action, of the last entry */
    uint64_t frequency;     /* of the time's counter; 0: ns */
    bool is_dual;
};

static int64_t time_of(const struct call_reader *c)
{
    uint64_t ticks = c->value >> 2, ns = ticks, per_second = c->frequency;
    if (per_second > 0) {
        uint64_t seconds = ticks / per_second, rest = ticks % per_second;
        /* The rest times a billion need not fit: a counter that fast loses its last digits. */
        for (; rest > UINT64_MAX / NS_PER_SECOND; rest /= 2)
            per_second /= 2;
        if (seconds > INT64_MAX / NS_PER_SECOND)
            return INT64_MAX;
        ns = seconds * NS_PER_SECOND + rest * NS_PER_SECOND / per_second;
    }
    return time_plus(c->trace->start, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
}

static bool read_call(struct call_reader *c, struct perf_reader *r)
{
    int64_t diff, thread_time;
    if (!read_leb128(r, &diff))
        return false;
    c->value += (uint64_t)diff;
    if (c->is_dual && !read_leb128(r, &thread_time))
        return false;
    uint64_t method = c->method;
    bool is_exit = (c->value & ACTION_MASK) >= ACTION_EXIT;
    if (!is_exit) {
        if (!read_leb128(r, &diff))
            return false;
        method = c->method += (uint64_t)diff;
        *vec_push(&c->thread->stack) = method;
    } else if (c->thread->stack.count > 0) {
        method = vec_last(&c->thread->stack);
        c->thread->stack.count--;
    }
    art_methods_call(&c->trace->methods, time_of(c), c->thread->tid, method, is_exit);
    return true;
}

static void read_calls(struct art_trace *a, struct perf_reader *r, uint64_t frequency, bool is_dual)
{
    uint32_t tid = perf_u32(r);
    struct bytes three = perf_take(r, 3);
    uint32_t count =
        three.n ? three.p[0] | (uint32_t)three.p[1] << 8 | (uint32_t)three.p[2] << 16 : 0;
    uint32_t n = perf_u32(r);
    struct bytes block = perf_take(r, n < r->left.n ? n : r->left.n);
    struct art_thread *thread = art_methods_thread(&a->methods, tid);
    if (r->failed || !thread)
        return;
    struct call_reader c = {.trace = a,
                            .thread = thread,
                            .frequency = frequency,
                            .is_dual = is_dual};
    struct perf_reader calls = perf_reader_make(block, false);
    for (uint32_t i = 0; i < count && read_call(&c, &calls); i++)
        continue;
}

/* "key=value" lines are metadata. */
static void read_facts(struct trace *t, struct str text)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n'), key, value;
        size_t n = str_find(line, '=');
        if (n == line.n || n == 0)
            continue;
        key = string_pool_get(&t->strings, trace_intern(t, str_from_to(line, 0, n)));
        value = str_skip(line, n + 1);
        int64_t number;
        if (str_to_i64(value, &number))
            metadata_set_int(t, key.p, number);
        else
            metadata_set_str(t, key.p, value);
    }
}

static void read_block(struct art_trace *a, struct perf_reader *r, uint64_t frequency, bool is_dual)
{
    struct bytes kind = perf_take(r, 1);
    switch (kind.n ? *kind.p : BLOCK_SUMMARY) {
    case BLOCK_THREAD:
    case BLOCK_METHOD: {
        bool is_method = *kind.p == BLOCK_METHOD;
        uint64_t id = is_method ? perf_u64(r) : perf_u32(r);
        uint16_t n = perf_u16(r);
        struct str text = text_of(perf_take(r, n));
        if (str_ends(text, STR("\n")))
            text.n--;
        if (!r->failed && is_method)
            art_methods_add(&a->methods, id, text);
        else if (!r->failed)
            art_methods_add_thread(&a->methods, (uint32_t)id, text);
        return;
    }
    case BLOCK_CALLS:
        read_calls(a, r, frequency, is_dual);
        return;
    case BLOCK_SUMMARY:
        a->ended = str_ends(str_trim_lines(text_of(r->left)), STR("*end"));
        read_facts(a->methods.trace, text_of(r->left));
        /* fall through */
    default:
        r->left.n = 0;
    }
}

static struct status import_v2(struct trace *t, const char *name, struct bytes data,
                               struct load_progress *progress)
{
    struct art_trace a = {0};
    struct perf_reader r = perf_reader_make(data, false);
    struct bytes header = perf_take(&r, HEADER_BYTES);
    art_methods_init(&a.methods, t);
    if (r.failed)
        return finish(&a, name, false);
    bool is_dual = header.p[4] == 0x05 || header.p[4] == 0xf5;
    uint64_t frequency = perf_load64(header.p + 22, false);
    a.start = (int64_t)perf_load64(header.p + 6, false);
    while (r.left.n > 0 && !r.failed) {
        read_block(&a, &r, frequency, is_dual);
        if (!progress_report(progress, data.n - r.left.n)) {
            art_methods_release(&a.methods);
            return progress_cancelled(name);
        }
    }
    return finish(&a, name, true);
}

static bool sniff_v2(struct bytes data)
{
    struct str head = trace_format_head(data);
    if (!str_starts(head, str_from(magic)) || head.n < HEADER_BYTES)
        return false;
    uint16_t version = perf_load16(data.p + 4, false);
    return version == 0x04 || version == 0x05 || version == 0xf4 || version == 0xf5;
}

const struct trace_format art_method_v2_trace_format = {
    .name = "ART method trace, second format",
    .type = "art_method_v2",
    .about = "method traces of Android's runtime, versions 4 and 5: begins with SLOW",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .sniff = sniff_v2,
    .read = import_v2,
};
