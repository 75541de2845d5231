/* What the other programs of sysstat, and vmstat, print: tables whose columns a header names, with
 * a line for each time, and CPU, disk, interface or the like. Each number becomes a counter.
 *
 *     Linux 6.1.0 (host)      11/22/26        _x86_64_        (2 CPU)
 *
 *     14:33:57     CPU    %usr   %nice    %sys   %idle       mpstat and sar: times in front
 *     14:33:58     all    1.26    0.00    0.50   98.24
 *
 *     avg-cpu:  %user   %nice %system %iowait  %steal   %idle
 *                1.26    0.00    0.50    0.00    0.00   98.24
 *     Device            r/s     rkB/s   %util                iostat: a time above, with -t
 *     sda              0.50     12.10    0.10
 *
 *     procs -----------memory---------- ---swap-- -----io----
 *      r  b   swpd   free   buff  cache   si   so    bi    bo  vmstat: a time behind, with -t
 *      1  0      0 100524  81524 540560    0    0    28    12
 *
 * As mpstat(1), sar(1), iostat(1) and vmstat(8) say. What is printed at a time is about the
 * interval that ends there. Reports without times are a second apart, which is what most ask for.
 */
#include "base/vec.h"
#include "core/counter.h"
#include "core/trace_builder.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/sysstat_time.h"
#include "parsers/text/text_lines.h"

enum { COLUMNS_MAX = 64, NS_PER_SECOND = 1000000000 };

enum sysstat_table {
    TABLE_NONE,
    TABLE_TIMED,   /* mpstat, sar: a time in front of each line */
    TABLE_CPU,     /* iostat: one line below "avg-cpu:" */
    TABLE_DEVICES, /* iostat: a line a device */
    TABLE_VMSTAT,
};

struct sysstat {
    struct trace *trace;
    enum sysstat_table table;
    struct str words[COLUMNS_MAX]; /* of the line */
    size_t word_count;
    string_id names[COLUMNS_MAX]; /* of the table's columns */
    size_t columns;
    bool has_key;                 /* the first column says what a line is about */
    bool of_cpus;                 /* and that is a CPU */
    bool has_cpu_table, has_time; /* since the report began */
    int64_t ts;
    struct sysstat_day day;
    int64_t first_day;      /* ns, of the line about the system */
    VEC(string_id) headers; /* of timed tables so far */
    VEC(char) text;         /* scratch */
};

static bool is_number(struct str word)
{
    double value;
    return str_to_f64(word, &value);
}

static void split(struct sysstat *s, struct str line)
{
    struct str word;
    s->word_count = 0;
    while (s->word_count < COLUMNS_MAX && (word = str_take_word(&line)).n > 0)
        s->words[s->word_count++] = word;
}

static bool has_numbers(const struct sysstat *s)
{
    for (size_t i = 0; i < s->word_count; i++)
        if (is_number(s->words[i]))
            return true;
    return false;
}

/* "CPU", "IFACE", "DEV" and others; columns of numbers have small letters. */
static bool is_key(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < 'A' || name.p[i] > 'Z')
            return false;
    return name.n > 1;
}

/* What the names of tracks are made of, each of several: no longer than is meant as a name. */
static struct str name_of(struct str word)
{
    enum { LONGEST = 128 };
    return str_from_to(word, 0, word.n < LONGEST ? word.n : LONGEST);
}

/* The words from `first` on name columns. */
static void begin_table(struct sysstat *s, enum sysstat_table table, size_t first)
{
    s->table = table;
    s->columns = 0;
    s->has_key = table == TABLE_DEVICES ||
                 (table == TABLE_TIMED && first < s->word_count && is_key(s->words[first]));
    s->of_cpus = s->has_key && str_eq(s->words[first], STR("CPU"));
    for (size_t i = first; i < s->word_count; i++)
        s->names[s->columns++] = trace_intern(s->trace, name_of(s->words[i]));
}

/* "CPU 0 %usr", "sda r/s": the key in front, as tracks of many are listed one below the other. */
static string_id name_with_key(struct sysstat *s, struct str prefix, struct str key,
                               string_id column)
{
    struct str name = string_pool_get(&s->trace->strings, column);
    s->text.count = 0;
    vec_append(&s->text, prefix.p, prefix.n);
    vec_append(&s->text, key.p, key.n);
    *vec_push(&s->text) = ' ';
    vec_append(&s->text, name.p, name.n);
    return trace_intern(s->trace, (struct str){s->text.items, s->text.count});
}

/* What is about all CPUs is about the machine. */
static uint32_t counter_of(struct sysstat *s, string_id column, struct str key)
{
    struct trace *t = s->trace;
    struct track_spec spec = {
        .type = "sysstat",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = column}},
        .name = column,
    };
    struct track_dimension *of = &spec.dimensions[1];
    uint64_t cpu;
    if (s->of_cpus && str_to_u64(key, 10, &cpu) && cpu <= UINT16_MAX) {
        spec.type = "sysstat_cpu";
        spec.dimension_count = 2;
        *of = (struct track_dimension){.key = "cpu", .type = ARG_INT, .i = (int64_t)cpu};
        spec.name = name_with_key(s, STR("CPU "), key, column);
    } else if (s->has_key && !s->of_cpus) {
        spec.type = "sysstat_device";
        spec.dimension_count = 2;
        *of = (struct track_dimension){.key = "device",
                                       .type = ARG_STRING,
                                       .s = trace_intern(t, key)};
        spec.name = name_with_key(s, STR(""), key, column);
    }
    return track_intern(t, &spec);
}

/* The words from `first` on are a line of the table. */
static void add_row(struct sysstat *s, int64_t time, size_t first)
{
    struct str key = s->has_key ? name_of(s->words[first]) : STR("");
    int64_t ts;
    double value;
    if (!clock_file_time(s->trace, time, &ts))
        return;
    for (size_t i = s->has_key; i < s->columns && first + i < s->word_count; i++)
        if (str_to_f64(s->words[first + i], &value))
            counter_push(s->trace, ts, counter_of(s, s->names[i], key), value);
}

/* A report without a time is a second after the one before. */
static void begin_report(struct sysstat *s)
{
    if (!s->has_time)
        s->ts = time_plus(s->ts, NS_PER_SECOND);
    s->has_time = false;
}

/* iostat -t: "11/22/26 14:33:57", in older versions "Time: 14:33:57"; also with "T" between. */
static bool read_time_line(struct sysstat *s, struct str line)
{
    struct str first = str_take_word(&line);
    int64_t ns;
    bool of_day;
    size_t t = str_find(first, 'T');
    if (t < first.n && t > 0) {
        enum { TIME = 8 };
        struct str time = str_skip(first, t + 1);
        time.n = time.n < TIME ? time.n : TIME;
        if (!sysstat_read_date(str_from_to(first, 0, t), &s->day.begin) ||
            !sysstat_take_time(&time, &ns, &of_day) || !of_day)
            return false;
    } else {
        if (!str_eq(first, STR("Time:")) && !sysstat_read_date(first, &s->day.begin))
            return false;
        if (!sysstat_take_time(&line, &ns, &of_day) || !of_day)
            return false;
    }
    s->ts = sysstat_time_of(&s->day, ns);
    s->has_time = true;
    return true;
}

/* What sar prints of a file is one table after the other, each from the day's begin on. Tables that
 * have been there are of a program that goes on, perhaps after midnight. */
static void begin_timed(struct sysstat *s, struct str header)
{
    enum { HEADERS_MAX = 256 };
    string_id id = trace_intern(s->trace, header);
    begin_table(s, TABLE_TIMED, 0);
    for (size_t i = 0; i < s->headers.count; i++)
        if (s->headers.items[i] == id)
            return;
    if (s->headers.count == HEADERS_MAX)
        return;
    *vec_push(&s->headers) = id;
    s->day = (struct sysstat_day){.begin = s->first_day};
}

/* A line with the time in front: of the table or of its header. */
static bool read_timed(struct sysstat *s, struct str line)
{
    int64_t ns;
    bool of_day;
    if (!sysstat_take_time(&line, &ns, &of_day) || !of_day)
        return false;
    split(s, line);
    if (s->word_count == 0 || str_eq(s->words[0], STR("LINUX")))
        return true;
    if (!has_numbers(s))
        begin_timed(s, str_trim(line));
    else if (s->table == TABLE_TIMED)
        add_row(s, sysstat_time_of(&s->day, ns), 0);
    return true;
}

/* The numbers, and behind them with -t "2026-11-22 14:33:57". */
static void add_vmstat_row(struct sysstat *s)
{
    int64_t ns;
    bool of_day;
    s->ts = time_plus(s->ts, NS_PER_SECOND);
    if (s->word_count == s->columns + 2 && sysstat_read_date(s->words[s->columns], &s->day.begin) &&
        sysstat_take_time(&s->words[s->columns + 1], &ns, &of_day) && of_day)
        s->ts = time_plus(s->day.begin, ns);
    add_row(s, s->ts, 0);
}

static bool is_vmstat_names(const struct sysstat *s)
{
    return s->word_count > 4 && str_eq(s->words[0], STR("r")) && str_eq(s->words[1], STR("b"));
}

/* The last of "us sy id wa st UTC" is the zone of -t. */
static void begin_vmstat(struct sysstat *s)
{
    struct str last = s->words[s->word_count - 1];
    s->word_count -= last.n > 2 || is_key(last);
    begin_table(s, TABLE_VMSTAT, 0);
}

/* One of iostat's or vmstat's tables begins. */
static bool read_header(struct sysstat *s)
{
    if (str_eq(s->words[0], STR("avg-cpu:"))) {
        begin_report(s);
        s->has_cpu_table = true;
        begin_table(s, TABLE_CPU, 1);
        s->has_key = false;
    } else if (str_eq(s->words[0], STR("Device")) || str_eq(s->words[0], STR("Device:"))) {
        if (!s->has_cpu_table)
            begin_report(s);
        s->has_cpu_table = false;
        begin_table(s, TABLE_DEVICES, 0);
    } else if (is_vmstat_names(s)) {
        begin_vmstat(s);
    } else {
        return false;
    }
    return true;
}

static void add_line(void *self, struct str line)
{
    struct sysstat *s = self;
    line = str_trim(line);
    if (sysstat_date_of_header(line, &s->day.begin)) {
        s->ts = s->first_day = s->day.begin;
        return;
    }
    if (line.n == 0 || str_starts(line, STR("Average:")) || str_starts(line, STR("Summary:")) ||
        str_starts(line, STR("procs")) || read_time_line(s, line) || read_timed(s, line))
        return;
    split(s, line);
    if (read_header(s) || s->table == TABLE_NONE)
        return;
    if (s->table == TABLE_VMSTAT && s->word_count >= s->columns && is_number(s->words[0]))
        add_vmstat_row(s);
    else if ((s->table == TABLE_CPU || s->table == TABLE_DEVICES) && has_numbers(s))
        add_row(s, s->ts, 0);
    else
        text_lines_unread(s->trace, line);
}

/* Header of mpstat and sar, below the line about the system. */
static bool is_timed_header(struct sysstat *s, struct str line)
{
    int64_t ns;
    bool of_day;
    if (!sysstat_take_time(&line, &ns, &of_day) || !of_day)
        return false;
    split(s, line);
    return s->word_count > 2 && !has_numbers(s) && !str_eq(s->words[0], STR("LINUX"));
}

static bool sysstat_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    struct sysstat s = {.trace = NULL};
    bool of_system = false, of_procs = false;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        int64_t day;
        line = str_trim(line);
        of_procs |= str_starts(line, STR("procs")) || str_starts(line, STR("--procs"));
        if (sysstat_date_of_header(line, &day)) {
            of_system = true;
            continue;
        }
        if (of_system && is_timed_header(&s, line))
            return true;
        split(&s, line);
        if (s.word_count == 0)
            continue;
        bool devices = str_starts(s.words[0], STR("Device")) && s.word_count > 4;
        if (str_eq(s.words[0], STR("avg-cpu:")) || (of_system && devices) ||
            (of_procs && is_vmstat_names(&s)))
            return true;
    }
    return false;
}

static struct status sysstat_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct sysstat s = {.trace = t};
    bool whole = text_lines_read(t, source, add_line, &s);
    vec_release(&s.headers);
    vec_release(&s.text);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format sysstat_trace_format = {
    .name = "sysstat",
    .type = "sysstat",
    .about = "what mpstat, sar, iostat and vmstat print: tables of numbers whose columns a header "
             "names",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = sysstat_sniff,
    .read_source = sysstat_import,
};
