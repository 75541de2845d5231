/* What turbostat prints: a table for each interval, with a line for the whole machine, whose CPU is
 * "-", and for each CPU; columns of cores and packages stand at the end of the first line about
 * them.
 *
 *     Core    CPU     Avg_MHz Busy%   Bzy_MHz TSC_MHz IRQ     PkgWatt
 *     -       -       53      2.13    2489    2593    1234    4.51
 *     0       0       60      2.40    2500    2593    600     4.51
 *     0       2       46      1.86    2474    2593    634
 *
 * As turbostat(8) says. With the column Time_Of_Day_Seconds times are known, else intervals are 5 s
 * apart, as they are unless something else is asked for. */
#include <stdio.h>

#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"

enum { COLUMNS_MAX = 96, CPUS_MAX = 8192 };
#define DEFAULT_INTERVAL INT64_C(5000000000)

enum turbostat_column { TURBO_NUMBER, TURBO_SKIPPED, TURBO_CPU, TURBO_TIME };

struct turbostat {
    struct trace *trace;
    enum turbostat_column kinds[COLUMNS_MAX];
    string_id names[COLUMNS_MAX];
    size_t columns;                 /* 0: no table yet */
    bool has_cpu, has_time, begins; /* `begins`: the next line is of a new interval */
    int64_t ts;
};

/* Fields are a tab apart, of old versions some blanks. */
static struct str take_field(struct str *line)
{
    return str_find(*line, '\t') < line->n ? str_trim(str_cut(line, '\t')) : str_take_word(line);
}

static bool is_header(struct str line)
{
    bool busy = false, speed = false;
    for (struct str word; (word = str_take_word(&line)).n > 0;) {
        busy |= str_eq(word, STR("Busy%"));
        speed |= str_eq(word, STR("Bzy_MHz")) || str_eq(word, STR("Avg_MHz")) ||
                 str_eq(word, STR("TSC_MHz"));
    }
    return busy && speed;
}

static enum turbostat_column kind_of(struct str name)
{
    static const struct str skipped[] = {{"Package", 7}, {"Die", 3},    {"Node", 4}, {"Core", 4},
                                         {"APIC", 4},    {"X2APIC", 6}, {"usec", 4}};
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
        if (str_eq(skipped[i], name))
            return TURBO_SKIPPED;
    if (str_eq(name, STR("CPU")))
        return TURBO_CPU;
    return str_eq(name, STR("Time_Of_Day_Seconds")) ? TURBO_TIME : TURBO_NUMBER;
}

static void read_header(struct turbostat *s, struct str line)
{
    s->columns = 0;
    s->has_cpu = s->has_time = false;
    for (struct str word; s->columns < COLUMNS_MAX && (word = str_take_word(&line)).n > 0;) {
        enum turbostat_column kind = kind_of(word);
        s->has_cpu |= kind == TURBO_CPU;
        s->has_time |= kind == TURBO_TIME;
        s->kinds[s->columns] = kind;
        s->names[s->columns++] = trace_intern(s->trace, word);
    }
    s->begins = true;
}

/* Of the machine where `cpu` is -1. */
static uint32_t counter_of(struct turbostat *s, string_id column, int64_t cpu)
{
    struct trace *t = s->trace;
    struct str of = string_pool_get(&t->strings, column);
    char name[80];
    snprintf(name, sizeof name, "CPU %lld %.*s", (long long)cpu, of.n < 50 ? (int)of.n : 50, of.p);
    struct track_spec spec = {
        .type = "turbostat",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = column},
                       {.key = "turbostat_cpu", .type = ARG_INT, .i = cpu}},
        .name = cpu < 0 ? column : trace_intern_c(t, name),
    };
    return track_intern(t, &spec);
}

static void begin_interval(struct turbostat *s, const struct str *fields)
{
    s->begins = false;
    for (size_t i = 0; i < s->columns; i++)
        if (s->kinds[i] == TURBO_TIME && text_seconds(fields[i], &s->ts))
            return;
    s->ts = time_plus(s->ts, DEFAULT_INTERVAL);
}

/* What has none is no row, but something else that was printed. */
static bool has_number(const struct turbostat *s, const struct str *fields)
{
    double value;
    for (size_t i = 0; i < s->columns; i++)
        if (s->kinds[i] == TURBO_NUMBER && str_to_f64(fields[i], &value))
            return true;
    return false;
}

static void read_row(struct turbostat *s, struct str line)
{
    struct str fields[COLUMNS_MAX], whole = line;
    int64_t cpu = -1, ts;
    bool all = !s->has_cpu;
    for (size_t i = 0; i < s->columns; i++) {
        fields[i] = take_field(&line);
        if (s->kinds[i] == TURBO_CPU && str_eq(fields[i], STR("-")))
            all = true;
        else if (s->kinds[i] == TURBO_CPU &&
                 (!str_to_i64(fields[i], &cpu) || cpu < 0 || cpu >= CPUS_MAX)) {
            text_lines_unread(s->trace, whole);
            return;
        }
    }
    if (!has_number(s, fields)) {
        text_lines_unread(s->trace, whole);
        return;
    }
    if (all || s->begins)
        begin_interval(s, fields);
    if (!clock_file_time(s->trace, s->ts, &ts))
        return;
    for (size_t i = 0; i < s->columns; i++) {
        double value;
        if (s->kinds[i] == TURBO_NUMBER && str_to_f64(fields[i], &value))
            counter_push(s->trace, ts, counter_of(s, s->names[i], cpu), value);
    }
}

static void add_line(void *self, struct str line)
{
    struct turbostat *s = self;
    if (is_header(line))
        read_header(s, line);
    else if (s->columns > 0 && str_trim(line).n > 0)
        read_row(s, line);
}

static bool turbostat_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    while (str_next_line(&head, &line))
        if (is_header(line))
            return true;
    return false;
}

static struct status turbostat_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct turbostat s = {.trace = t};
    return text_lines_read(t, source, add_line, &s) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format turbostat_trace_format = {
    .name = "turbostat",
    .type = "turbostat",
    .about = "what turbostat prints: tables with the columns Busy% and Bzy_MHz",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = turbostat_sniff,
    .read_source = turbostat_import,
};
