/* Tables of perf report --stdio, and of simpleperf report: which part of an event's count was in
 * which function of which file and command.
 *
 *     # Samples: 15  of event 'cycles:u'
 *     # Event count (approx.): 962227
 *     #
 *     # Children      Self  Command  Shared Object     Symbol
 *     # ........  ........  .......  ................  ...........................
 *     #
 *         46.99%     1.40%  sleep    libc-2.28.so      [.] _dl_addr
 *                 |
 *                 ---_dl_addr                                callchains are not read
 *
 *     Overhead  Command  Pid  Tid  Shared Object  Symbol                    simpleperf
 *     42.10%    app      12   13   /lib/libc.so   memcpy
 *
 * As perf-report(1) and simpleperf's documentation show. The dots say how wide columns are, else
 * the names above them. A function is called by its command here; callchains are in other orders
 * and cut off in many ways. */
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { COLUMNS_MAX = 24 };

enum report_column {
    REPORT_OTHER,
    REPORT_SHARE,
    REPORT_SELF,
    REPORT_COMMAND,
    REPORT_FILE,
    REPORT_SYMBOL
};

struct report_place {
    enum report_column kind;
    size_t from, to; /* in a line; SIZE_MAX: up to its end */
};

struct perf_report {
    struct trace *trace;
    struct report_place columns[COLUMNS_MAX];
    size_t count;
    bool has_self;
    string_id event;
    double total;     /* of the event; 0: not told */
    uint32_t profile; /* NULL_U32: none yet */
};

static enum report_column kind_of(struct str name)
{
    static const struct {
        struct str name;
        enum report_column kind;
    } kinds[] = {{{"Overhead", 8}, REPORT_SHARE},      {{"Children", 8}, REPORT_SHARE},
                 {{"Self", 4}, REPORT_SELF},           {{"Command", 7}, REPORT_COMMAND},
                 {{"Shared Object", 13}, REPORT_FILE}, {{"Symbol", 6}, REPORT_SYMBOL}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_eq(name, kinds[i].name))
            return kinds[i].kind;
    return REPORT_OTHER;
}

/* Names are two blanks apart: each begins where its column does. False where it is no such line. */
static bool read_header(struct perf_report *p, struct str line)
{
    struct perf_report r = *p;
    size_t at = str_starts(line, STR("# ")) ? 2 : 0;
    bool share = false, what = false;
    r.count = 0;
    r.has_self = false;
    while (at < line.n && r.count < COLUMNS_MAX) {
        size_t end = at;
        while (end < line.n &&
               !(line.p[end] == ' ' && (end + 1 == line.n || line.p[end + 1] == ' ')))
            end++;
        enum report_column kind = kind_of(str_trim(str_from_to(line, at, end)));
        if (r.count > 0)
            r.columns[r.count - 1].to = at;
        r.columns[r.count] = (struct report_place){kind, r.count > 0 ? at : 0, SIZE_MAX};
        r.count++;
        share |= kind == REPORT_SHARE;
        r.has_self |= kind == REPORT_SELF;
        what |= kind == REPORT_SYMBOL || kind == REPORT_FILE || kind == REPORT_COMMAND;
        for (at = end; at < line.n && line.p[at] == ' ';)
            at++;
    }
    if (!share || !what || (r.columns[0].kind != REPORT_SHARE))
        return false;
    *p = r;
    return true;
}

/* "# ........  .......  ....": exactly how wide the columns are. */
static void read_dots(struct perf_report *p, struct str line)
{
    size_t at = 2, i = 0;
    for (; i < p->count && at < line.n; i++) {
        size_t end = at;
        while (end < line.n && line.p[end] == '.')
            end++;
        p->columns[i].from = i == 0 ? 0 : at;
        p->columns[i].to = i + 1 == p->count ? SIZE_MAX : end;
        for (at = end; at < line.n && line.p[at] == ' ';)
            at++;
    }
}

/* "12.34%" */
static bool read_share(struct str text, double *share)
{
    text = str_trim(text);
    if (!str_ends(text, STR("%")))
        return false;
    text.n--;
    return str_to_f64(text, share) && *share >= 0;
}

static void add_row(struct perf_report *p, const struct str *texts, double share)
{
    const double whole = 100;
    if (p->profile == NULL_U32) {
        struct str event = string_pool_get(&p->trace->strings, p->event);
        p->profile = stack_sums_profile(p->trace, STR("perf report"), event, event,
                                        p->total > 0 ? STR("count") : STR("percent"));
    }
    struct str symbol = texts[REPORT_SYMBOL];
    if (symbol.n > 4 && *symbol.p == '[' && symbol.p[2] == ']') /* "[k] ": where it runs */
        symbol = str_trim(str_skip(symbol, 3));
    uint32_t callsite = NULL_U32;
    if (texts[REPORT_COMMAND].n > 0)
        callsite = stack_sums_call(p->trace, callsite, STR(""), texts[REPORT_COMMAND]);
    if (symbol.n > 0)
        callsite = stack_sums_call(p->trace, callsite, texts[REPORT_FILE], symbol);
    else if (texts[REPORT_FILE].n > 0)
        callsite = stack_sums_call(p->trace, callsite, STR(""), texts[REPORT_FILE]);
    if (callsite != NULL_U32)
        stack_sums_add(p->trace, p->profile, callsite,
                       p->total > 0 ? share / whole * p->total : share);
}

/* False where it is none. */
static bool read_row(struct perf_report *p, struct str line)
{
    struct str texts[REPORT_SYMBOL + 1];
    double share;
    for (size_t i = 0; i <= REPORT_SYMBOL; i++)
        texts[i] = (struct str){line.p, 0};
    for (size_t i = 0; i < p->count; i++) {
        size_t from = p->columns[i].from, to = p->columns[i].to;
        if (from < line.n)
            texts[p->columns[i].kind] =
                str_trim(str_from_to(line, from, to < line.n ? to : line.n));
    }
    bool is = p->count > 0 && read_share(texts[p->has_self ? REPORT_SELF : REPORT_SHARE], &share);
    if (is && share > 0)
        add_row(p, texts, share);
    return is;
}

/* In the table, but neither a line of it nor of the callchains below, which are indented further,
 * nor what simpleperf says of the next table. */
static bool is_damaged(const struct perf_report *p, struct str line)
{
    enum { INDENT_MOST = 8 };
    size_t indent = 0;
    while (indent < line.n && str_is_blank(line.p[indent]))
        indent++;
    return p->count > 0 && indent < INDENT_MOST && str_find(line, ':') == line.n;
}

/* "# Samples: 60K of event 'cycles'", "Event: cpu-cycles (type 0, config 0)": another table begins.
 */
static bool read_event(struct perf_report *p, struct str line)
{
    struct str mark = STR("of event '"), simple = STR("Event: ");
    const char *at = line.n ? memmem(line.p, line.n, mark.p, mark.n) : NULL;
    struct str name;
    if (at) {
        name = str_skip(line, (size_t)(at - line.p) + mark.n);
        name.n = str_find(name, '\'');
    } else if (str_starts(line, simple)) {
        name = str_skip(line, simple.n);
        name = str_take_word(&name);
    } else {
        return false;
    }
    p->event = trace_intern(p->trace, name);
    p->total = 0;
    p->profile = NULL_U32;
    return true;
}

static bool read_total(struct perf_report *p, struct str line)
{
    static const struct str before[] = {{"# Event count (approx.): ", 25}, {"Event count: ", 13}};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (!str_starts(line, before[i]))
            continue;
        double total;
        if (str_to_f64(str_trim(str_skip(line, before[i].n)), &total) && total > 0)
            p->total = total;
        return true;
    }
    return false;
}

static void add_line(void *self, struct str line)
{
    struct perf_report *p = self;
    if (read_event(p, line) || read_total(p, line) || read_header(p, line))
        return;
    if (str_starts(line, STR("# ..")))
        read_dots(p, line);
    else if (!str_starts(line, STR("#")) && !read_row(p, line) && is_damaged(p, line))
        text_lines_unread(p->trace, line);
}

static bool perf_report_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    struct perf_report p = {.count = 0};
    bool told = false; /* an event, or perf's dots below the names */
    while (str_next_line(&head, &line)) {
        told |= str_starts(line, STR("Event count: ")) || str_starts(line, STR("# Event count"));
        told |= p.count > 0 && str_starts(line, STR("# .."));
        if (p.count == 0)
            read_header(&p, line);
    }
    return told && p.count > 1;
}

static struct status perf_report_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct perf_report p = {.trace = t,
                            .event = trace_intern(t, STR("samples")),
                            .profile = NULL_U32};
    return text_lines_read(t, source, add_line, &p) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_report_trace_format = {
    .name = "perf report",
    .type = "perf_report",
    .about =
        "tables of perf report --stdio and simpleperf report: columns Overhead, Command, Shared "
        "Object, Symbol",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = perf_report_sniff,
    .read_source = perf_report_import,
};
