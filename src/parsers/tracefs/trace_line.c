#include "parsers/tracefs/trace_line.h"

#include "core/store/table.h"
#include "parsers/tracefs/perf_line.h"
#include "parsers/tracefs/tracer_text.h"

/* "123" at the start of `rest`, which then begins behind it. */
static bool take_u32(struct str *rest, uint32_t *out)
{
    enum { DIGITS_MAX = 10 };
    uint64_t v = 0;
    size_t n = 0;
    for (; n < rest->n && n <= DIGITS_MAX && str_is_digit(rest->p[n]); n++)
        v = v * 10 + (uint64_t)(rest->p[n] - '0');
    if (n == 0 || n > DIGITS_MAX)
        return false;
    *rest = str_skip(*rest, n);
    *out = (uint32_t)v;
    return v <= UINT32_MAX;
}

static void skip_blanks(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && str_is_blank(rest->p[n]))
        n++;
    *rest = str_skip(*rest, n);
}

static bool take(struct str *rest, char c)
{
    if (!rest->n || *rest->p != c)
        return false;
    *rest = str_skip(*rest, 1);
    return true;
}

/* Seconds as ns, through a double: others do so, and see the same last digits. `digits` are those
 * of the text without its point, where there are at most EXACT_DIGITS. */
enum { EXACT_DIGITS = 15 }; /* below 2^53: dividing by a power of ten rounds as reading would */

static bool seconds_to_ns(struct str text, uint64_t digits, size_t fraction, int64_t *ns)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    double seconds;
    if (text.n <= EXACT_DIGITS + 1)
        seconds = (double)digits / powers[fraction];
    else if (!str_to_f64(text, &seconds))
        return false;
    if (seconds > 9e9)
        return false;
    *ns = (int64_t)(seconds * 1e9);
    return true;
}

/* "316.196720:", or the number of a clock that counts. */
static bool take_time(struct str *rest, int64_t *ts)
{
    uint64_t digits = 0; /* wraps where there are too many to be used */
    size_t at = 0, whole;
    for (; at < rest->n && str_is_digit(rest->p[at]); at++)
        digits = digits * 10 + (uint64_t)(rest->p[at] - '0');
    whole = at;
    if (whole == 0 || whole >= rest->n)
        return false;
    if (rest->p[whole] == '.') {
        for (at++; at < rest->n && str_is_digit(rest->p[at]); at++)
            digits = digits * 10 + (uint64_t)(rest->p[at] - '0');
        size_t fraction = at - whole - 1;
        if (fraction == 0 || at >= rest->n || rest->p[at] != ':' ||
            !seconds_to_ns(str_from_to(*rest, 0, at), digits, fraction, ts))
            return false;
        *rest = str_skip(*rest, at + 1);
        return true;
    }
    if (rest->p[whole] != ':' || !str_to_i64(str_from_to(*rest, 0, whole), ts))
        return false;
    *rest = str_skip(*rest, whole + 1);
    return true;
}

static bool is_flag(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
}

/* The first three characters, as the kernel makes them of common_flags. */
static uint32_t flags_of(struct str text)
{
    enum {
        IRQS_OFF = 0x01,
        NO_SUPPORT = 0x02,
        NEED_RESCHED = 0x04,
        HARDIRQ = 0x08,
        SOFTIRQ = 0x10,
        PREEMPT_RESCHED = 0x20,
        NMI = 0x40,
        BH_OFF = 0x80,
    };
    static const uint8_t irqs[] = {['d' - 'A'] = IRQS_OFF,
                                   ['b' - 'A'] = BH_OFF,
                                   ['D' - 'A'] = IRQS_OFF | BH_OFF,
                                   ['X' - 'A'] = NO_SUPPORT};
    static const uint8_t resched[] = {['N' - 'A'] = NEED_RESCHED | PREEMPT_RESCHED,
                                      ['n' - 'A'] = NEED_RESCHED,
                                      ['p' - 'A'] = PREEMPT_RESCHED};
    static const uint8_t context[] = {['h' - 'A'] = HARDIRQ,
                                      ['s' - 'A'] = SOFTIRQ,
                                      ['H' - 'A'] = HARDIRQ | SOFTIRQ,
                                      ['z' - 'A'] = NMI,
                                      ['Z' - 'A'] = NMI | HARDIRQ};
    static const struct {
        const uint8_t *flags;
        size_t n;
    } columns[] = {{irqs, sizeof irqs}, {resched, sizeof resched}, {context, sizeof context}};
    uint32_t flags = 0;
    for (size_t i = 0; i < 3 && i < text.n; i++) {
        size_t letter = (unsigned char)text.p[i] - (size_t)'A';
        flags |= letter < columns[i].n ? columns[i].flags[letter] : 0u;
    }
    return flags;
}

/* A few characters about interrupts, perhaps none, and the time: they may touch, then five belong
 * to the flags. */
static bool take_flags_and_time(struct str *rest, struct trace_line *l)
{
    enum { FLAGS_TOUCHING = 5, FLAGS_MAX = 10 };
    skip_blanks(rest);
    if (take_time(rest, &l->ts))
        return true;
    size_t n = 0;
    while (n < FLAGS_MAX && n < rest->n && is_flag(rest->p[n]))
        n++;
    if (n < rest->n && str_is_blank(rest->p[n])) {
        l->flags = flags_of(str_from_to(*rest, 0, n));
    } else {
        n = n < FLAGS_TOUCHING ? n : FLAGS_TOUCHING;
        l->flags = flags_of(str_from_to(*rest, 0, n));
    }
    *rest = str_skip(*rest, n);
    skip_blanks(rest);
    return take_time(rest, &l->ts);
}

/* "(  77)" or "(-----)", which may be missing. */
static void take_tgid(struct str *rest, uint32_t *tgid)
{
    skip_blanks(rest);
    *tgid = NULL_U32;
    if (!rest->n || *rest->p != '(')
        return;
    size_t end = str_find(*rest, ')');
    struct str inside = str_trim(str_from_to(*rest, 1, end));
    uint32_t id;
    if (take_u32(&inside, &id))
        *tgid = id;
    *rest = str_behind(*rest, end);
}

/* "[004] ....   316.196720:" */
static bool take_place(struct str *rest, struct trace_line *l)
{
    return take_u32(rest, &l->cpu) && take(rest, ']') && take_flags_and_time(rest, l);
}

/* "0d..2.   12us+:", of which the unit is missing where the clock counts. */
static bool take_latency_place(struct str *rest, struct trace_line *l)
{
    if (!take_u32(rest, &l->cpu))
        return false;
    size_t n = 0;
    while (n < rest->n && is_flag(rest->p[n]))
        n++;
    if (n < 3 || n == rest->n || !str_is_blank(rest->p[n]))
        return false;
    l->flags = flags_of(str_from_to(*rest, 0, n));
    *rest = str_skip(*rest, n);
    skip_blanks(rest);
    if (take_time(rest, &l->ts))
        return true;
    size_t digits = str_count_digits(*rest);
    if (!str_to_i64(str_from_to(*rest, 0, digits), &l->ts) || l->ts > INT64_MAX / 1000)
        return false;
    l->ts *= 1000;
    *rest = str_skip(*rest, digits);
    if (!str_starts(*rest, STR("us")) || rest->n < 4 || rest->p[3] != ':') /* "us+:", "us :" */
        return false;
    *rest = str_skip(*rest, 4);
    return true;
}

static bool is_name(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What stands behind the time. */
static bool read_what(struct str rest, struct trace_line *l)
{
    if (!rest.n || !str_is_blank(*rest.p))
        return false;
    rest = str_trim(rest);
    if (str_starts(rest, STR("(+"))) { /* since the event before: trace-cmd report --ts-diff */
        size_t end = str_find(rest, ')');
        if (end == rest.n)
            return false;
        rest = str_trim(str_skip(rest, end + 1));
    }
    bool is_of_user = str_eq(rest, STR("<user stack trace>"));
    if (is_of_user || str_eq(rest, STR("<stack trace>"))) {
        l->kind = LINE_EVENT;
        l->event = is_of_user ? STR("user_stack") : STR("kernel_stack");
        l->args = rest;
        return true;
    }
    struct tracer_event e;
    if (tracer_text_read(rest, STR(""), &e)) {
        l->kind = LINE_TRACER;
        l->event = (struct str){rest.p, 0};
        l->args = rest;
        return true;
    }
    size_t n = 0, colon = 0;
    for (; n < rest.n && !str_is_blank(rest.p[n]) && rest.p[n] != '(' && rest.p[n] != '<'; n++)
        colon = rest.p[n] == ':' ? n : colon;
    if (colon > 0) {
        l->kind = LINE_EVENT;
        l->event = str_from_to(rest, 0, colon);
        l->args = str_trim(str_skip(rest, colon + 1));
        return true;
    }
    struct str behind = str_trim(str_skip(rest, n));
    l->event = str_from_to(rest, 0, n);
    l->args = behind;
    for (size_t i = 0; i < n; i++)
        if (!is_name(rest.p[i]) && rest.p[i] != '.')
            return false;
    if (n == 0 || str_is_digit(*rest.p))
        return false;
    if (behind.n == 0) { /* the option print-parent is off */
        l->kind = LINE_FUNCTION;
        l->args = rest;
        return true;
    }
    bool of_caller = str_is_blank(rest.p[n]) && !str_starts(rest, STR("sys_"));
    if (behind.p[0] == '(' && str_ends(behind, STR(")")) && !of_caller) {
        l->kind = LINE_CALL;
        l->args = str_from_to(behind, 1, behind.n - 1);
        return true;
    }
    if (str_starts(behind, STR("-> "))) {
        l->kind = LINE_RETURN;
        l->args = str_trim(str_skip(behind, 3));
        return true;
    }
    l->kind = LINE_FUNCTION;
    l->args = rest;
    return str_starts(behind, STR("<-")) || (of_caller && behind.p[0] == '(');
}

/* What follows the dash behind the task's name. */
static bool read_from_pid(struct str rest, struct trace_line *l)
{
    if (!take_u32(&rest, &l->pid) || !rest.n || (!str_is_blank(*rest.p) && *rest.p != '['))
        return false;
    take_tgid(&rest, &l->tgid);
    skip_blanks(&rest);
    l->flags = 0;
    bool placed = take(&rest, '[') ? take_place(&rest, l) : take_latency_place(&rest, l);
    return placed && read_what(rest, l);
}

/* Numbers between blanks, from the right. */
static struct str take_last_word(struct str *rest)
{
    *rest = str_trim(*rest);
    size_t n = rest->n;
    while (n > 0 && !str_is_blank(rest->p[n - 1]))
        n--;
    struct str word = str_skip(*rest, n);
    rest->n = n;
    return word;
}

/* "bash  1234  0 1 00000002 000006b7 [1a99b1223] 7140479.523ms (+0.023ms): event: args" */
static bool read_verbose(struct str text, struct trace_line *l)
{
    struct str unit = STR("ms (+"), end = STR("ms): ");
    const char *at = text.n ? memmem(text.p, text.n, unit.p, unit.n) : NULL;
    if (!at)
        return false;
    struct str before = str_from_to(text, 0, (size_t)(at - text.p));
    struct str behind = str_skip(text, before.n + unit.n);
    const char *close = behind.n ? memmem(behind.p, behind.n, end.p, end.n) : NULL;
    if (!close)
        return false;
    struct str time = take_last_word(&before), pid, cpu;
    size_t point = str_find(time, '.');
    uint64_t ms, us, tid, number;
    if (point == time.n || !str_to_u64(str_from_to(time, 0, point), 10, &ms) ||
        !str_to_u64(str_skip(time, point + 1), 10, &us) || ms > INT64_MAX / 2000000 || us > 999)
        return false;
    for (int i = 0; i < 4; i++) /* [time in hexadecimal], number, preempt count, flags */
        take_last_word(&before);
    cpu = take_last_word(&before);
    pid = take_last_word(&before);
    if (!str_to_u64(cpu, 10, &number) || number > UINT32_MAX || !str_to_u64(pid, 10, &tid) ||
        tid > UINT32_MAX)
        return false;
    l->ts = (int64_t)(ms * 1000000 + us * 1000);
    l->pid = (uint32_t)tid;
    l->cpu = (uint32_t)number;
    l->tgid = NULL_U32;
    l->flags = 0;
    l->task = str_trim(before);
    return read_what(str_skip(behind, (size_t)(close - behind.p) + end.n - 1), l);
}

/* Where perf names all. */
static bool read_perf(struct str text, struct trace_line *l)
{
    return perf_line_read(text, l) && !l->has_no_time && !l->has_no_cpu && !l->is_of_cpu;
}

/* The task's name may hold dashes: it ends at the first one behind which the line makes sense. */
bool trace_line_read(struct str text, struct trace_line *l)
{
    size_t i = 0;
    l->is_of_cpu = l->has_no_cpu = l->has_no_time = false;
    for (;;) {
        i += str_find(str_skip(text, i), '-');
        if (i == text.n)
            break;
        bool is_gone =
            i > 0 && str_is_blank(text.p[i - 1]) && str_starts(str_skip(text, i), STR("-1 ["));
        if (is_gone)
            return read_perf(text, l);
        if (i + 1 < text.n && str_is_digit(text.p[i + 1]) &&
            read_from_pid(str_skip(text, i + 1), l)) {
            l->task = str_trim(str_from_to(text, 0, i));
            return true;
        }
        i++;
    }
    return read_verbose(text, l) || read_perf(text, l);
}

/* "kept/written". */
static bool read_kept(struct str text, uint64_t *overwritten)
{
    uint64_t kept, written;
    size_t n = str_count_digits(text);
    struct str behind = str_behind(text, n);
    if (n == text.n || text.p[n] != '/' || !str_to_u64(str_from_to(text, 0, n), 10, &kept) ||
        !str_to_u64(str_from_to(behind, 0, str_count_digits(behind)), 10, &written) ||
        kept > written)
        return false;
    *overwritten = written - kept;
    return true;
}

bool trace_line_overwritten(struct str text, uint64_t *events)
{
    struct str whole = STR("# entries-in-buffer/entries-written:"), latency = STR("# latency:");
    if (str_starts(text, whole))
        return read_kept(str_trim(str_skip(text, whole.n)), events);
    if (!str_starts(text, latency))
        return false;
    text = str_skip(text, latency.n);
    return read_kept(str_behind(text, str_find(text, '#')), events);
}

bool trace_line_lost(struct str text, uint32_t *cpu, uint64_t *events)
{
    struct str rest = text, before = STR("CPU:");
    if (!str_starts(rest, before))
        return false;
    rest = str_skip(rest, before.n);
    if (!take_u32(&rest, cpu))
        return false;
    while (rest.n && !str_is_digit(*rest.p))
        rest = str_skip(rest, 1);
    if (!str_to_u64(str_from_to(rest, 0, str_count_digits(rest)), 10, events))
        *events = 0;
    return memmem(text.p, text.n, "LOST", 4) || memmem(text.p, text.n, "DROPPED", 7);
}
