/* What top -b prints: at each time the whole system, and a line for each process, or with -H
 * thread.
 *
 *     top - 10:19:24 up 4 min,  3 users,  load average: 0.74, 0.48, 0.21
 *     Tasks:  58 total,   2 running,  56 sleeping,   0 stopped,   0 zombie
 *     %Cpu(s):  8.2 us,  2.1 sy,  0.0 ni, 89.4 id,  0.3 wa,  0.0 hi,  0.0 si,  0.0 st
 *     MiB Mem :  16384.0 total,   8192.0 free,   4096.0 used,   4096.0 buff/cache
 *
 *       PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
 *       967 root      34  19    2128    620    456 R   0.6   0.1   0:00.35 top
 *
 * As top(1) of procps says, and toybox's of Android, which has no first line and calls two columns
 * "S[%CPU]". Times are of 1 January 1970; without any, reports are 3 s apart, as they are unless
 * something else is asked for. Sizes are in KiB, or in what the letter behind them says. */
#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/sysstat_time.h"
#include "parsers/text/text_lines.h"

enum { COLUMNS_MAX = 48, NAME_BYTES = 64 };
#define DEFAULT_INTERVAL INT64_C(3000000000)

enum top_column { TOP_SKIPPED, TOP_PID, TOP_NUMBER, TOP_SIZE };

struct top_reports {
    struct trace *trace;
    enum top_column columns[COLUMNS_MAX];
    string_id names[COLUMNS_MAX];
    uint32_t count; /* of columns before the command; 0: no table yet */
    bool of_threads, has_time;
    int64_t ts;
    struct sysstat_day day;
};

static enum top_column kind_of(struct str name)
{
    static const struct {
        struct str name;
        enum top_column kind;
    } kinds[] = {{{"PID", 3}, TOP_PID},     {{"TID", 3}, TOP_PID},    {{"%CPU", 4}, TOP_NUMBER},
                 {{"%MEM", 4}, TOP_NUMBER}, {{"nTH", 3}, TOP_NUMBER}, {{"nMaj", 4}, TOP_NUMBER},
                 {{"nMin", 4}, TOP_NUMBER}, {{"VIRT", 4}, TOP_SIZE},  {{"RES", 3}, TOP_SIZE},
                 {{"SHR", 3}, TOP_SIZE},    {{"SWAP", 4}, TOP_SIZE},  {{"RSS", 3}, TOP_SIZE},
                 {{"VSZ", 3}, TOP_SIZE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_eq(name, kinds[i].name))
            return kinds[i].kind;
    return TOP_SKIPPED;
}

/* "PID USER ... COMMAND", perhaps between what turns a terminal's letters round. */
static bool read_header(struct top_reports *p, struct str line)
{
    uint32_t count = 0;
    bool has_pid = false, has_number = false, ends = false;
    struct str word;
    enum top_column columns[COLUMNS_MAX];
    struct str names[COLUMNS_MAX];
    while (!ends && (word = str_take_word(&line)).n > 0 && count + 1 < COLUMNS_MAX) {
        bool two = str_eq(word, STR("S[%CPU]"));
        if (*word.p == '\x1b' && (word = str_behind(word, str_find(word, 'm'))).n == 0)
            continue;
        word.n = str_find(word, '\x1b');
        ends =
            str_eq(word, STR("COMMAND")) || str_eq(word, STR("ARGS")) || str_eq(word, STR("CMD"));
        if (ends)
            break;
        if (two)
            columns[count++] = TOP_SKIPPED;
        names[count] = two ? STR("%CPU") : word;
        columns[count] = kind_of(names[count]);
        has_pid |= columns[count] == TOP_PID;
        has_number |= columns[count] == TOP_NUMBER;
        count++;
    }
    if (!ends || !has_pid || !has_number)
        return false;
    for (uint32_t i = 0; p->trace && i < count; i++) {
        p->columns[i] = columns[i];
        p->names[i] = columns[i] == TOP_SKIPPED ? NULL_STRING : trace_intern(p->trace, names[i]);
    }
    p->count = count;
    return true;
}

/* "620", "1.2g", "12M" in bytes. */
static bool read_size(struct str text, double *bytes)
{
    static const char letters[] = "kmgtp";
    double factor = 1024;
    if (text.n > 1 && !str_is_digit(text.p[text.n - 1])) {
        const char *letter = memchr(letters, text.p[text.n - 1] | 0x20, sizeof letters - 1);
        if (!letter)
            return false;
        for (const char *l = letters; l < letter; l++)
            factor *= 1024;
        text.n--;
    }
    if (!str_to_f64(text, bytes))
        return false;
    *bytes *= factor;
    return true;
}

static uint32_t track_of(struct top_reports *p, const char *type, const char *key, int64_t id,
                         string_id name, bool size)
{
    struct trace *t = p->trace;
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = key ? 2 : 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = name},
                       {.key = key, .type = ARG_INT, .i = id}},
        .name = name,
        .unit = size ? trace_intern(t, STR("bytes")) : NULL_STRING,
    };
    return track_intern(t, &spec);
}

static uint32_t track_of_task(struct top_reports *p, int64_t pid, struct str command,
                              uint32_t column)
{
    struct trace *t = p->trace;
    uint32_t machine = stats_scope(t)->machine;
    string_id name = trace_intern(t, command);
    bool size = p->columns[column] == TOP_SIZE;
    if (p->of_threads) {
        uint32_t utid = process_tracker_thread(t, machine, pid);
        process_tracker_set_thread_name(t, utid, name, THREAD_NAME_OTHER);
        return track_of(p, "top_thread", "utid", utid, p->names[column], size);
    }
    uint32_t upid = process_tracker_process(t, machine, pid);
    process_tracker_set_process_name(t, upid, name, PROCESS_NAME_SYSTEM);
    return track_of(p, "top_process", "upid", upid, p->names[column], size);
}

static bool read_row(struct top_reports *p, struct str line)
{
    struct str values[COLUMNS_MAX];
    int64_t pid = -1, ts;
    for (uint32_t i = 0; i < p->count; i++) {
        values[i] = str_take_word(&line);
        if (p->columns[i] == TOP_PID && (!str_to_i64(values[i], &pid) || pid < 0))
            return false;
    }
    line = str_trim(line);
    if (pid < 0 || pid > INT32_MAX || line.n == 0 || !clock_file_time(p->trace, p->ts, &ts))
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        double value;
        bool size = p->columns[i] == TOP_SIZE;
        if ((p->columns[i] == TOP_NUMBER && str_to_f64(values[i], &value)) ||
            (size && read_size(values[i], &value)))
            counter_push(p->trace, ts, track_of_task(p, pid, line, i), value);
    }
    return true;
}

/* "8.2 us", "55.1%us", "16384.0 total", "1031424k total", "5.6G total": what it says, and of what.
 */
static bool read_value(struct str text, double unit, double *value, struct str *name)
{
    size_t n = 0;
    text = str_trim(text);
    while (n < text.n && (str_is_digit(text.p[n]) || text.p[n] == '.'))
        n++;
    struct str rest = str_skip(text, n), word = str_take_word(&rest);
    if (!str_to_f64(str_from_to(text, 0, n), value))
        return false;
    *value *= unit;
    if (unit > 1 && word.n == 1 && !read_size(str_from_to(text, 0, n + 1), value))
        return false;
    if (str_starts(word, STR("%")) || (unit > 1 && word.n == 1))
        word = str_skip(word, 1);
    *name = word.n > 0 ? word : str_take_word(&rest);
    name->n -= str_ends(*name, STR("."));
    return name->n > 0;
}

/* Counters of the system. */
static void read_values(struct top_reports *p, struct str prefix, struct str values, double unit)
{
    int64_t ts;
    if (!clock_file_time(p->trace, p->ts, &ts))
        return;
    while (values.n > 0) {
        char name[NAME_BYTES];
        struct str of;
        double value;
        if (!read_value(str_cut(&values, ','), unit, &value, &of) ||
            prefix.n + 1 + of.n >= sizeof name)
            continue;
        memcpy(name, prefix.p, prefix.n);
        name[prefix.n] = ' ';
        memcpy(name + prefix.n + 1, of.p, of.n);
        string_id id = trace_intern(p->trace, (struct str){name, prefix.n + 1 + of.n});
        counter_push(p->trace, ts, track_of(p, "top_system", NULL, 0, id, unit > 1), value);
    }
}

/* "%Cpu(s):", "MiB Mem :", "KiB Swap:", "Mem:", "Tasks:" */
static bool read_system(struct top_reports *p, struct str line)
{
    static const struct {
        struct str word;
        double unit;
    } units[] = {{{"KiB", 3}, 1024}, {{"MiB", 3}, 1 << 20}, {{"GiB", 3}, 1 << 30}};
    size_t colon = str_find(line, ':');
    struct str rest = str_from_to(line, 0, colon), values = str_behind(line, colon);
    struct str word = str_take_word(&rest);
    double unit = 1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eq(word, units[i].word)) {
            unit = units[i].unit;
            word = str_take_word(&rest);
        }
    if (str_eq(word, STR("Mem")) || str_eq(word, STR("Swap")))
        read_values(p, word, values, unit > 1 ? unit : 1024);
    else if (str_starts(word, STR("%Cpu")) || str_starts(word, STR("Cpu")))
        read_values(p, *word.p == '%' ? str_skip(word, 1) : word, values, 1);
    else if (str_eq(word, STR("Tasks")) || str_eq(word, STR("Threads")))
        read_values(p, word, values, 1);
    else
        return false;
    return colon < line.n;
}

/* "10:19:24 up 4 min,  3 users,  load average: 0.74, 0.48, 0.21" */
static void begin_report(struct top_reports *p, struct str line)
{
    struct str mark = STR("load average: ");
    int64_t ns, ts;
    bool of_day;
    double load;
    p->count = 0;
    p->of_threads = false;
    if (sysstat_take_time(&line, &ns, &of_day) && of_day) {
        p->has_time = true;
        p->ts = sysstat_time_of(&p->day, ns);
    }
    const char *at = line.n ? memmem(line.p, line.n, mark.p, mark.n) : NULL;
    if (!at || !clock_file_time(p->trace, p->ts, &ts))
        return;
    struct str loads = str_skip(line, (size_t)(at - line.p) + mark.n);
    if (str_to_f64(str_trim(str_cut(&loads, ',')), &load))
        counter_push(p->trace, ts,
                     track_of(p, "top_system", NULL, 0, trace_intern(p->trace, STR("Load average")),
                              false),
                     load);
}

/* "400%cpu  12%user   0%nice" of Android. */
static bool is_other_line(struct str text)
{
    return str_is_digit(*text.p) && str_starts(str_behind(text, str_find(text, '%')), STR("cpu "));
}

static void add_line(void *self, struct str line)
{
    struct top_reports *p = self;
    struct str text = str_trim(line), first = STR("top - ");
    if (str_starts(text, first)) {
        begin_report(p, str_skip(text, first.n));
        return;
    }
    bool threads = str_starts(text, STR("Threads:"));
    if (threads || str_starts(text, STR("Tasks:"))) {
        p->ts = p->has_time ? p->ts : time_plus(p->ts, DEFAULT_INTERVAL);
        p->of_threads = threads;
        p->count = 0;
    }
    if (text.n == 0 || read_header(p, text) || (p->count > 0 && read_row(p, text)))
        return;
    if (p->count > 0 || (!read_system(p, text) && !is_other_line(text)))
        text_lines_unread(p->trace, line);
}

static bool top_sniff(struct bytes data)
{
    enum { LINES = 24 };
    struct str head = trace_format_head(data), line;
    struct top_reports p = {.trace = NULL};
    bool begun = false;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        line = str_trim(line);
        begun |= str_starts(line, STR("top - ")) || str_starts(line, STR("Tasks: ")) ||
                 str_starts(line, STR("Threads: "));
        if (begun && read_header(&p, line))
            return true;
    }
    return false;
}

static struct status top_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct top_reports p = {.trace = t, .ts = -DEFAULT_INTERVAL};
    return text_lines_read(t, source, add_line, &p) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format top_trace_format = {
    .name = "top",
    .type = "top",
    .about = "what top -b prints: a line \"top - TIME up\" or \"Tasks:\", and a table of processes",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = top_sniff,
    .read_source = top_import,
};
