/* What babeltrace and `lttng view` print of LTTng's traces and others in the Common Trace Format:
 * an event a line, with the fields of its packet, its contexts and its own in braces.
 *
 *     [14:29:05.847291532] (+0.000012843) host sched_switch: { cpu_id = 0 }, { procname = "a" },
 *       { prev_comm = "nginx", prev_tid = 21, prev_prio = 20, prev_state = 1, next_comm = ... }
 *     [14:29:05.847351218] (+0.000046843) host syscall_entry_read: { cpu_id = 0 }, { fd = 12 }
 *     [14:29:05.847359061] (+0.000007843) host syscall_exit_read: { cpu_id = 0 }, { ret = 1420 }
 *
 * (the first is one line). LTTng's kernel events are those of ftrace with some names changed and
 * priorities without the 100 of real-time ones, as its modules' headers say; so each line becomes
 * the one that the kernel would have printed. Times of day are those of 1 January 1970. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/civil_time.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/ftrace_text.h"

enum { CPUS_MAX = 4096, GROUPS_MAX = 8, REAL_TIME_PRIORITIES = 100 };
#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_DAY    (86400 * NS_PER_SECOND)

/* Who runs on a CPU, by its last switch. */
struct ctf_task {
    bool known;
    int64_t tid;
    string_id comm;
};

struct babeltrace {
    struct trace *trace;
    struct ftrace_text *text;
    VEC(struct ctf_task) cpus;
    struct map calls; /* tid -> name of the system call that it is in */
    VEC(char) line;   /* as the kernel prints it */
    int64_t day, last;
};

/* A line; strings are within it. */
struct ctf_event {
    int64_t ts, cpu, tid, pid;
    bool has_cpu, of_day;
    struct str name, comm, fields;
};

struct ctf_field {
    struct str name, value; /* a text without its quotes */
    bool quoted;
};

__attribute__((format(printf, 2, 3))) static void put(struct babeltrace *b, const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    int n = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (n > 0)
        vec_append(&b->line, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void put_str(struct babeltrace *b, struct str s)
{
    vec_append(&b->line, s.p, s.n);
}

/* Behind the quote that ends a text, which begins behind another. */
static size_t behind_quote(struct str s, size_t i)
{
    while (i < s.n && s.p[i] != '"')
        i += s.p[i] == '\\' && i + 1 < s.n ? 2 : 1;
    return i < s.n ? i + 1 : s.n;
}

/* Where the first of `ends` stands outside of quotes and brackets; s.n: nowhere. */
static size_t find_end(struct str s, struct str ends)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n;) {
        char c = s.p[i];
        if (c == '"') {
            i = behind_quote(s, i + 1);
            continue;
        }
        if (depth == 0 && memchr(ends.p, c, ends.n))
            return i;
        depth += c == '{' || c == '[' || c == '(';
        depth -= depth > 0 && (c == '}' || c == ']' || c == ')');
        i++;
    }
    return s.n;
}

/* Takes "{ a = 1, b = 2 }" off the front, and the comma behind it; false where there is none. */
static bool take_group(struct str *rest, struct str *inside)
{
    *rest = str_trim(*rest);
    if (!str_starts(*rest, STR("{")))
        return false;
    struct str behind = str_skip(*rest, 1);
    size_t end = find_end(behind, STR("}"));
    *inside = str_from_to(behind, 0, end);
    *rest = str_trim(str_behind(behind, end));
    if (str_starts(*rest, STR(",")))
        *rest = str_skip(*rest, 1);
    return true;
}

static bool take_field(struct str *rest, struct ctf_field *f)
{
    size_t end = find_end(*rest, STR(","));
    struct str field = str_from_to(*rest, 0, end);
    *rest = str_behind(*rest, end);
    f->name = str_trim(str_cut(&field, '='));
    f->value = str_trim(field);
    f->quoted = str_starts(f->value, STR("\""));
    if (f->quoted) {
        size_t quote = behind_quote(f->value, 1);
        f->value = str_from_to(f->value, 1, quote > 1 ? quote - 1 : 1);
    }
    return f->name.n > 0;
}

static bool number_of(struct str value, int64_t *out)
{
    uint64_t number;
    if (str_to_i64(value, out))
        return true;
    if (!str_starts(value, STR("0x")) || !str_to_u64(value, 16, &number))
        return false;
    *out = (int64_t)number;
    return true;
}

/* "( "TASK_RUNNING" : container = 0 )" and "( "a" : 0 )" have the number last. */
static bool number_in(struct str value, int64_t *out)
{
    struct str rest = value, word;
    bool found = number_of(value, out);
    while (!found && (word = str_take_word(&rest)).n > 0)
        found = number_of(word, out);
    return found;
}

static bool find_field(struct str fields, struct str name, struct ctf_field *f)
{
    while (fields.n > 0)
        if (take_field(&fields, f) && str_eq(f->name, name))
            return true;
    *f = (struct ctf_field){.name = name, .value = STR("")};
    return false;
}

static int64_t find_number(struct str fields, struct str name, int64_t otherwise)
{
    struct ctf_field f;
    int64_t value;
    return find_field(fields, name, &f) && number_in(f.value, &value) ? value : otherwise;
}

/* What contexts tell of the thread: the kernel's numbers rather than those in its namespace. */
static void read_context(struct ctf_event *e, struct str fields)
{
    struct ctf_field f;
    int64_t cpu = find_number(fields, STR("cpu_id"), -1);
    if (cpu >= 0 && cpu < CPUS_MAX) {
        e->has_cpu = true;
        e->cpu = cpu;
    }
    e->tid = find_number(fields, STR("vtid"), e->tid);
    e->tid = find_number(fields, STR("tid"), e->tid);
    e->pid = find_number(fields, STR("vpid"), e->pid);
    e->pid = find_number(fields, STR("pid"), e->pid);
    if (find_field(fields, STR("procname"), &f))
        e->comm = f.value;
}

/* "14:29:05.847291532", "2024-05-06 14:29:05.847291532" or "1714998545.847291532" */
static bool read_time(struct str text, struct ctf_event *e)
{
    struct str rest = text;
    struct civil_time date;
    uint64_t hours, minutes;
    int64_t ns;
    if (text_seconds(text, &e->ts))
        return true;
    if (civil_time_take(&rest, &date)) {
        e->ts = civil_time_ns(&date);
        return rest.n == 0 && date.year > 0;
    }
    rest = text;
    e->of_day = true;
    if (!str_to_u64(str_cut(&rest, ':'), 10, &hours) ||
        !str_to_u64(str_cut(&rest, ':'), 10, &minutes) || hours > 23 || minutes > 59 ||
        !text_seconds(rest, &ns) || ns > 60 * NS_PER_SECOND)
        return false;
    e->ts = (int64_t)(hours * 60 + minutes) * 60 * NS_PER_SECOND + ns;
    return true;
}

/* "(+0.000012843) host name: {", of which the host may be missing, or say more. */
static bool read_name(struct str *rest, struct ctf_event *e)
{
    struct str delta = str_take_word(rest), word;
    const char *brace = rest->n ? memmem(rest->p, rest->n, ": {", 3) : NULL;
    if (!brace || !(str_starts(delta, STR("(+")) || str_starts(delta, STR("(-"))))
        return false;
    struct str names = {rest->p, (size_t)(brace - rest->p)};
    *rest = str_skip(*rest, names.n + 2);
    while ((word = str_take_word(&names)).n > 0)
        e->name = word;
    return e->name.n > 0;
}

static bool read_line(struct str line, struct ctf_event *e)
{
    struct str groups[GROUPS_MAX], rest = str_trim(line);
    size_t n = 0;
    *e = (struct ctf_event){.tid = -1, .pid = -1};
    if (!str_starts(rest, STR("[")))
        return false;
    rest = str_skip(rest, 1);
    if (!read_time(str_cut(&rest, ']'), e) || !read_name(&rest, e))
        return false;
    while (n < GROUPS_MAX && take_group(&rest, &groups[n]))
        n++;
    if (n == 0)
        return false;
    bool of_packet = find_number(groups[0], STR("cpu_id"), -1) >= 0;
    for (size_t i = 0; i < n && (of_packet || i + 1 < n); i++)
        if (i == 0 || i + 1 < n)
            read_context(e, groups[i]);
    e->fields = n > 1 || !of_packet ? groups[n - 1] : STR("");
    return true;
}

/* Times of day go on over midnight. */
static int64_t time_of(struct babeltrace *b, const struct ctf_event *e)
{
    if (!e->of_day)
        return e->ts;
    if (e->ts < b->last - NS_PER_DAY / 2)
        b->day = time_plus(b->day, NS_PER_DAY);
    b->last = e->ts;
    return time_plus(b->day, e->ts);
}

static struct ctf_task *cpu_of(struct babeltrace *b, int64_t cpu)
{
    while ((int64_t)b->cpus.count <= cpu)
        *vec_push(&b->cpus) = (struct ctf_task){.known = false};
    return &b->cpus.items[cpu];
}

/* "comm-tid (tgid) [cpu] .... time: " */
static void put_begin(struct babeltrace *b, const struct ctf_event *e, int64_t ts)
{
    const struct ctf_task *task = cpu_of(b, e->cpu);
    struct str comm = e->comm;
    int64_t tid = e->tid >= 0 ? e->tid : task->known ? task->tid : 0;
    if (comm.n == 0 && task->known && tid == task->tid)
        comm = string_pool_get(&b->trace->strings, task->comm);
    b->line.count = 0;
    put_str(b, comm.n ? comm : STR("<...>"));
    put(b, "-%" PRId64 " ", tid);
    if (e->pid >= 0)
        put(b, "(%5" PRId64 ") ", e->pid);
    put(b, "[%03" PRId64 "] .... %" PRId64 ".%09" PRId64 ": ", e->cpu, ts / NS_PER_SECOND,
        ts % NS_PER_SECOND);
}

/* The letters that the kernel prints for a state. */
static const char *letter_of(int64_t state)
{
    static const struct {
        int64_t bit;
        const char *letter;
    } letters[] = {{0x402, "I"}, {0x1, "S"},  {0x2, "D"},  {0x4, "T"},
                   {0x8, "t"},   {0x10, "X"}, {0x20, "Z"}, {0x40, "P"}};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if ((state & letters[i].bit) == letters[i].bit)
            return letters[i].letter;
    return "R";
}

static struct str text_field(struct str fields, struct str name)
{
    struct ctf_field f;
    find_field(fields, name, &f);
    return str_trim(f.value);
}

static void put_task(struct babeltrace *b, struct str fields, const char *side)
{
    char name[32];
    snprintf(name, sizeof name, "%s_comm", side);
    put(b, "%s=", name);
    put_str(b, text_field(fields, str_from(name)));
    snprintf(name, sizeof name, "%s_tid", side);
    put(b, " %s_pid=%" PRId64, side, find_number(fields, str_from(name), 0));
    snprintf(name, sizeof name, "%s_prio", side);
    put(b, " %s=%" PRId64, name,
        time_plus(find_number(fields, str_from(name), 0), REAL_TIME_PRIORITIES));
}

static void put_switch(struct babeltrace *b, const struct ctf_event *e)
{
    put_str(b, STR("sched_switch: "));
    put_task(b, e->fields, "prev");
    put(b, " prev_state=%s ==> ", letter_of(find_number(e->fields, STR("prev_state"), 0)));
    put_task(b, e->fields, "next");
    *cpu_of(b, e->cpu) = (struct ctf_task){
        .known = true,
        .tid = find_number(e->fields, STR("next_tid"), 0),
        .comm = trace_intern(b->trace, text_field(e->fields, STR("next_comm"))),
    };
}

/* Threads are called pid in the kernel's text. */
static struct str name_in_sched(struct str name)
{
    static const struct {
        struct str lttng, kernel;
    } names[] = {{{"tid", 3}, {"pid", 3}},
                 {{"parent_comm", 11}, {"comm", 4}},
                 {{"parent_tid", 10}, {"pid", 3}},
                 {{"parent_pid", 10}, {"", 0}},
                 {{"child_tid", 9}, {"child_pid", 9}},
                 {{"child_pid", 9}, {"", 0}},
                 {{"old_tid", 7}, {"old_pid", 7}}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(names[i].lttng, name))
            return names[i].kernel;
    return name;
}

/* "a=1 b=two", with what is nested without its blanks. Lengths of arrays begin with _. */
static void put_fields(struct babeltrace *b, struct str fields, bool of_sched)
{
    struct ctf_field f;
    bool first = true;
    while (fields.n > 0) {
        int64_t prio;
        if (!take_field(&fields, &f) || *f.name.p == '_')
            continue;
        struct str name = of_sched ? name_in_sched(f.name) : f.name;
        if (name.n == 0)
            continue;
        put(b, "%s", first ? "" : " ");
        first = false;
        put_str(b, name);
        put(b, "=");
        if (of_sched && str_eq(name, STR("prio")) && number_in(f.value, &prio))
            put(b, "%" PRId64, time_plus(prio, REAL_TIME_PRIORITIES));
        else if (f.quoted)
            put_str(b, f.value);
        else
            for (size_t i = 0; i < f.value.n; i++)
                if (f.value.p[i] != ' ')
                    *vec_push(&b->line) = f.value.p[i];
    }
}

/* As calls print it, but for numbers below 0. */
static void put_number(struct babeltrace *b, int64_t value)
{
    if (value < 0)
        put(b, "%" PRId64, value);
    else
        put(b, "0x%" PRIx64, (uint64_t)value);
}

static void put_call(struct babeltrace *b, const struct ctf_event *e, struct str call, int64_t tid)
{
    struct str fields = e->fields;
    struct ctf_field f;
    int64_t value;
    put_str(b, STR("sys_"));
    put_str(b, call);
    put_str(b, STR("("));
    for (bool first = true; fields.n > 0; first = false) {
        if (!take_field(&fields, &f))
            continue;
        put(b, "%s", first ? "" : ", ");
        put_str(b, f.name);
        put(b, ": ");
        if (number_of(f.value, &value))
            put_number(b, value);
        else
            put(b, "\"%.*s\"", f.value.n < 200 ? (int)f.value.n : 200, f.value.p);
    }
    put_str(b, STR(")"));
    if (tid >= 0)
        map_set(&b->calls, (uint64_t)tid, trace_intern(b->trace, call));
}

static void put_return(struct babeltrace *b, const struct ctf_event *e, struct str call)
{
    put_str(b, STR("sys_"));
    put_str(b, call);
    put(b, " -> 0x%" PRIx64, (uint64_t)find_number(e->fields, STR("ret"), 0));
}

/* System calls; false where the event is none. */
static bool put_system_call(struct babeltrace *b, const struct ctf_event *e)
{
    static const struct str entries[] = {{"compat_syscall_entry_", 21},
                                         {"syscall_entry_", 14},
                                         {"compat_sys_", 11},
                                         {"sys_", 4}};
    static const struct str exits[] = {{"compat_syscall_exit_", 20}, {"syscall_exit_", 13}};
    const struct ctf_task *task = cpu_of(b, e->cpu);
    int64_t tid = e->tid >= 0 ? e->tid : task->known ? task->tid : -1;
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++)
        if (str_starts(e->name, exits[i])) {
            put_return(b, e, str_skip(e->name, exits[i].n));
            return true;
        }
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (str_starts(e->name, entries[i])) {
            put_call(b, e, str_skip(e->name, entries[i].n), tid);
            return true;
        }
    const uint32_t *call = tid >= 0 ? map_find(&b->calls, (uint64_t)tid) : NULL;
    if (!call || !str_eq(e->name, STR("exit_syscall")))
        return false;
    put_return(b, e, string_pool_get(&b->trace->strings, *call));
    return true;
}

/* LTTng puts the subsystem in front of some names. */
static struct str kernel_name(struct str name)
{
    static const struct str names[] = {{"irq_softirq_", 12},
                                       {"irq_tasklet_", 12},
                                       {"timer_hrtimer_", 14},
                                       {"power_cpu_", 10},
                                       {"kmem_", 5}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_starts(name, names[i]))
            return str_behind(name, str_find(name, '_'));
    return name;
}

/* "Trace directory: ..." of lttng view, or what babeltrace says on standard error: "[warning]
 * Tracer discarded 12 events between [...] and [...] in trace UUID ...". */
static void read_notice(struct babeltrace *b, struct str line)
{
    struct str lost = STR("Tracer discarded ");
    const char *at = line.n ? memmem(line.p, line.n, lost.p, lost.n) : NULL;
    struct str count = at ? str_skip(line, (size_t)(at - line.p) + lost.n) : line;
    uint64_t events;
    if (at && str_to_u64(str_take_word(&count), 10, &events) && events <= INT64_MAX)
        stats_add(b->trace, STAT_ftrace_text_overwritten, STAT_SINGLE, (int64_t)events);
    else if (!str_starts(line, STR("Trace directory: ")) && !str_starts(line, STR("[warning]")) &&
             !str_starts(line, STR("WARNING:")))
        text_lines_unread(b->trace, line);
}

static void add_line(void *self, struct str line)
{
    struct babeltrace *b = self;
    struct ctf_event e;
    if (!read_line(line, &e)) {
        read_notice(b, str_trim(line));
        return;
    }
    int64_t ts = time_of(b, &e);
    put_begin(b, &e, ts > 0 ? ts : 0);
    if (str_eq(e.name, STR("sched_switch"))) {
        put_switch(b, &e);
    } else if (!put_system_call(b, &e)) {
        put_str(b, kernel_name(e.name));
        put_str(b, STR(": "));
        put_fields(b, e.fields, str_starts(e.name, STR("sched_")));
    }
    ftrace_text_add_retold(b->text, (struct str){b->line.items, b->line.count});
}

static bool babeltrace_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    struct ctf_event e;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++)
        if (read_line(line, &e))
            return true;
    return false;
}

static struct status babeltrace_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    struct babeltrace b = {.trace = t, .text = ftrace_text_new(t)};
    bool whole = text_lines_read(t, source, add_line, &b);
    if (whole)
        ftrace_text_apply(b.text);
    ftrace_text_free(b.text);
    vec_release(&b.cpus);
    vec_release(&b.line);
    map_release(&b.calls);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format babeltrace_trace_format = {
    .name = "babeltrace",
    .type = "babeltrace",
    .about =
        "what babeltrace and lttng view print: lines \"[time] (+delta) host event: { fields }\"",
    .clock = CLOCK_REALTIME_NUMBER,
    .has_idle_task = true,
    .by_lines = true,
    .sniff = babeltrace_sniff,
    .read_source = babeltrace_import,
};
