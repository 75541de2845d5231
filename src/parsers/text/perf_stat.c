/* What `perf stat` prints: how often each event happened, as counters.
 *
 *     #           time             counts unit events
 *          0.107819302               0.77 msec cpu-clock          #    0.008 CPUs utilized
 *          0.107819302 CPU0            75      page-faults        #   97.532 K/sec        of -I -A
 *          0.103943862,CPU0,111.94,msec,cpu-clock,111946976,100.00,1.119,CPUs utilized    of -x,
 *
 *      Performance counter stats for 'sleep 0.1':
 *                   0.86 msec cpu-clock                #    0.007 CPUs utilized
 *                     75      page-faults:u            #   87.491 K/sec    ( +-  1.2% )  (33.4%)
 *            0.116774422 seconds time elapsed
 *
 * With -I, a value is that of the interval that ends at its time, from the first one's begin;
 * without, values are those of time 0. Values that were not counted are left out. The form is that
 * of perf-stat(1). */
#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"

enum { FIELDS_MOST = 8 };

struct perf_stat {
    struct trace *trace;
    bool has_times; /* -I */
    bool of_report; /* below "Performance counter stats for" */
};

/* A line; strings are within it. */
struct stat_line {
    int64_t ts;
    bool has_time, has_cpu;
    uint32_t cpu;
    double value;
    struct str unit, event;
};

/* "1,234.56", as some locales part thousands. */
static bool read_value(struct str word, double *value)
{
    enum { VALUE_MOST = 40 };
    char digits[VALUE_MOST];
    size_t n = 0;
    if (word.n == 0 || word.n > VALUE_MOST || !str_is_digit(*word.p))
        return false;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] != ',')
            digits[n++] = word.p[i];
    return str_to_f64((struct str){digits, n}, value);
}

static bool read_cpu(struct str word, struct stat_line *l)
{
    uint64_t cpu;
    if (!str_starts(word, STR("CPU")) || !str_to_u64(str_skip(word, 3), 10, &cpu) ||
        cpu > UINT16_MAX)
        return false;
    l->cpu = (uint32_t)cpu;
    l->has_cpu = true;
    return true;
}

static bool is_unit(struct str word)
{
    static const struct str units[] = {{"msec", 4},   {"nsec", 4}, {"ns", 2},  {"usec", 4},
                                       {"Joules", 6}, {"MiB", 3},  {"GiB", 3}, {"KiB", 3},
                                       {"Bytes", 5},  {"C", 1},    {"%", 1}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eq(word, units[i]))
            return true;
    return false;
}

/* "0.107819302 CPU0 0.77 msec cpu-clock", of which the time and the CPU may be missing. */
static bool read_plain(struct str line, bool timed, struct stat_line *l)
{
    struct str rest = str_from_to(line, 0, str_find(line, '#')), behind;
    *l = (struct stat_line){.unit = {line.p, 0}};
    if (timed && !text_seconds(str_take_word(&rest), &l->ts))
        return false;
    l->has_time = timed;
    behind = rest;
    if (read_cpu(str_take_word(&behind), l))
        rest = behind;
    if (!read_value(str_take_word(&rest), &l->value))
        return false;
    struct str word = str_take_word(&rest);
    if (is_unit(word)) {
        l->unit = word;
        word = str_take_word(&rest);
    }
    l->event = word;
    rest = str_trim(rest);
    return word.n > 0 && (rest.n == 0 || *rest.p == '(');
}

/* "0.103943862,CPU0,111.94,msec,cpu-clock,111946976,100.00": fields between commas. */
static bool read_fields(struct str line, struct stat_line *l)
{
    struct str fields[FIELDS_MOST], rest = str_trim(line);
    size_t n = 0, at = 0;
    for (; n < FIELDS_MOST && rest.n > 0; n++) {
        fields[n] = str_cut(&rest, ',');
    }
    *l = (struct stat_line){.has_time = true};
    if (n < FIELDS_MOST - 2 || !text_seconds(fields[at++], &l->ts))
        return false;
    at += read_cpu(fields[at], l);
    uint64_t running;
    double percent;
    bool is = n >= at + 5 && read_value(fields[at], &l->value) &&
              str_to_u64(fields[at + 3], 10, &running) && str_to_f64(fields[at + 4], &percent);
    l->unit = fields[at + 1];
    l->event = fields[at + 2];
    return is && percent <= 100 && l->event.n > 0 && !str_is_digit(*l->event.p);
}

static bool is_report(struct str line)
{
    return str_starts(str_trim(line), STR("Performance counter stats for "));
}

/* The line that names the columns of -I. */
static bool is_header(struct str line)
{
    struct str hash = str_take_word(&line), time = str_take_word(&line), word;
    bool counts = false, events = false;
    while ((word = str_take_word(&line)).n > 0) {
        counts |= str_eq(word, STR("counts"));
        events |= str_eq(word, STR("events"));
    }
    return str_eq(hash, STR("#")) && str_eq(time, STR("time")) && counts && events;
}

static void count(struct perf_stat *s, const struct stat_line *l)
{
    struct trace *t = s->trace;
    int64_t ts;
    if (!clock_file_time(t, l->ts, &ts))
        return;
    struct track_spec spec = {
        .type = l->has_cpu ? "perf_stat_cpu" : "perf_stat",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = l->has_cpu ? 2 : 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = trace_intern(t, l->event)},
                       {.key = "cpu", .type = ARG_INT, .i = l->cpu}},
        .name = trace_intern(t, l->event),
        .unit = l->unit.n ? trace_intern(t, l->unit) : NULL_STRING,
    };
    counter_push(t, ts, track_intern(t, &spec), l->value);
}

/* A line that begins like a count and is none. Those of the time that the command took
 * are known; others are notes, or what the command itself has printed. */
static bool is_damaged(const struct perf_stat *s, struct str line)
{
    static const struct str known[] = {
        {"<not counted>", 13}, {"<not supported>", 15}, {" seconds ", 9}, {"+-", 2}, {"#", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (line.n > 0 && memmem(line.p, line.n, known[i].p, known[i].n))
            return false;
    return (s->has_times || s->of_report) && line.n > 0 && str_is_digit(*line.p);
}

static void add_line(void *self, struct str line)
{
    struct perf_stat *s = self;
    struct stat_line l;
    s->of_report |= is_report(line);
    if (str_trim(line).n == 0 || *line.p == '#')
        return;
    bool is = s->has_times   ? read_plain(line, true, &l) || read_fields(line, &l)
              : s->of_report ? read_plain(line, false, &l) && !str_eq(l.event, STR("seconds"))
                             : false;
    if (is)
        count(s, &l);
    else if (is_damaged(s, str_trim(line)))
        text_lines_unread(s->trace, line);
}

/* Which form the text has: it says what it is, but for the fields of -x. */
static bool has_times(struct str head, bool *is)
{
    struct stat_line l;
    *is = true;
    for (struct str line; str_next_line(&head, &line);) {
        if (is_report(line))
            return false;
        if (is_header(line))
            return true;
        if (str_trim(line).n == 0 || *line.p == '#')
            continue;
        *is = read_fields(line, &l);
        return true;
    }
    *is = false;
    return false;
}

static bool perf_stat_sniff(struct bytes data)
{
    bool is;
    has_times(trace_format_head(data), &is);
    return is;
}

static struct status perf_stat_import(struct trace *t, const char *name, struct byte_source *source)
{
    bool is;
    struct perf_stat s = {.trace = t,
                          .has_times = has_times(trace_format_body(source->window), &is)};
    return text_lines_read(t, source, add_line, &s) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_stat_trace_format = {
    .name = "perf stat",
    .type = "perf_stat",
    .about = "counts of perf stat, with -I in intervals, with -x, in fields: a line for each event",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .by_lines = true,
    .sniff = perf_stat_sniff,
    .read_source = perf_stat_import,
};
