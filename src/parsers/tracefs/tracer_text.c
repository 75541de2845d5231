#include "parsers/tracefs/tracer_text.h"

#include <stdio.h>

#include "core/counter.h"
#include "core/trace_builder.h"
#include "parsers/tracefs/text_args.h"

enum { WORD_MAX = 40 };

static int width(struct str s)
{
    return (int)(s.n < WORD_MAX ? s.n : WORD_MAX);
}

static void finish(struct tracer_event *e, struct str event, int n)
{
    e->event = event;
    e->n = n < TRACER_ARGS_MAX ? (size_t)n : TRACER_ARGS_MAX - 1;
}

static bool is_number(struct str word)
{
    double value;
    return word.n > 0 && str_is_digit(*word.p) && str_to_f64(word, &value);
}

/* Whether a text begins as these do; cheap, as all lines are asked. */
static bool may_be(struct str text)
{
    return text.n > 1 && (str_is_digit(*text.p) || (*text.p == '#' && str_is_digit(text.p[1])));
}

/* Behind "#1": "inner/outer(us):   11/12    ts:1581527483.343962693 count:6" */
static bool read_hwlat(struct str rest, struct str number, struct tracer_event *e)
{
    struct str label = str_take_word(&rest), pair = str_take_word(&rest);
    size_t slash = str_find(pair, '/');
    struct str inner = str_from_to(pair, 0, slash), outer = str_skip(pair, slash + 1), count;
    if (!str_eq(label, STR("inner/outer(us):")) || slash == pair.n || !is_number(inner) ||
        !is_number(outer))
        return false;
    int n = snprintf(e->args, sizeof e->args, "seqnum=%.*s inner_us=%.*s outer_us=%.*s",
                     width(number), number.p, width(inner), inner.p, width(outer), outer.p);
    while (rest.n > 0 && n < TRACER_ARGS_MAX) {
        struct str word = str_take_word(&rest);
        size_t colon = str_find(word, ':');
        count = str_skip(word, colon + 1);
        if (colon < word.n && is_number(count))
            n += snprintf(e->args + n, sizeof e->args - (size_t)n, " %.*s=%.*s",
                          width(str_from_to(word, 0, colon)), word.p, width(count), count.p);
    }
    finish(e, STR("hwlat"), n);
    return true;
}

/* Behind "#1": "context    irq timer_latency       932 ns" */
static bool read_timerlat(struct str rest, struct str number, struct tracer_event *e)
{
    struct str label = str_take_word(&rest), context = str_take_word(&rest);
    struct str what = str_take_word(&rest), value = str_take_word(&rest);
    if (!str_eq(label, STR("context")) || !str_eq(what, STR("timer_latency")) ||
        !is_number(value) || !str_eq(str_trim(rest), STR("ns")))
        return false;
    finish(e, STR("timerlat"),
           snprintf(e->args, sizeof e->args, "seqnum=%.*s context=%.*s timer_latency_ns=%.*s",
                    width(number), number.p, width(context), context.p, width(value), value.p));
    return true;
}

/* Columns of numbers, of which older kernels lack the last ones. */
static bool read_osnoise(struct str rest, struct tracer_event *e)
{
    static const char *const columns[] = {"runtime_us",    "noise_us",      "percent_available",
                                          "max_sample_us", "hw_count",      "nmi_count",
                                          "irq_count",     "softirq_count", "thread_count"};
    enum { COLUMNS = sizeof columns / sizeof columns[0], FEWEST = 5 };
    int n = 0;
    size_t column = 0;
    for (; column < COLUMNS && rest.n > 0 && n < TRACER_ARGS_MAX; column++) {
        struct str word = str_take_word(&rest);
        if (!is_number(word) || (str_find(word, '.') < word.n) != (column == 2))
            return false;
        n += snprintf(e->args + n, sizeof e->args - (size_t)n, "%s%s=%.*s", column ? " " : "",
                      columns[column], width(word), word.p);
    }
    if (column < FEWEST || str_trim(rest).n > 0)
        return false;
    finish(e, STR("osnoise"), n);
    return true;
}

/* "8,0    Q   R 6973 + 8 [ls]" */
static bool read_blk(struct str rest, struct tracer_event *e)
{
    struct str device = str_take_word(&rest), action = str_take_word(&rest);
    struct str kind = str_take_word(&rest), sector = str_take_word(&rest);
    struct str plus = str_take_word(&rest), sectors = str_take_word(&rest);
    size_t comma = str_find(device, ',');
    enum { NUMBER_MAX = 1 << 20, MINOR_BITS = 20 }; /* of the kernel's dev_t */
    uint64_t major, minor;
    if (comma == device.n || !str_to_u64(str_from_to(device, 0, comma), 10, &major) ||
        !str_to_u64(str_skip(device, comma + 1), 10, &minor) || major >= NUMBER_MAX ||
        minor >= NUMBER_MAX || action.n == 0 || action.n > 2)
        return false;
    int n = snprintf(e->args, sizeof e->args, "dev=%llu action=%.*s rwbs=%.*s",
                     (unsigned long long)(major << MINOR_BITS | minor), width(action), action.p,
                     width(kind), kind.p);
    if (is_number(sector) && str_eq(plus, STR("+")) && is_number(sectors))
        n += snprintf(e->args + n, sizeof e->args - (size_t)n, " sector=%.*s nr_sector=%.*s",
                      width(sector), sector.p, width(sectors), sectors.p);
    finish(e, STR("blk"), n);
    return true;
}

/* "2389: 94:R": a task's number, priority and state. */
static bool take_task(struct str *rest, struct str parts[3])
{
    for (int i = 0; i < 3; i++) {
        *rest = str_trim(*rest);
        size_t n = i < 2 ? str_find(*rest, ':') : str_find(*rest, ' ');
        if (n == 0 || (i < 2 && n == rest->n))
            return false;
        parts[i] = str_trim(str_from_to(*rest, 0, n));
        *rest = str_behind(*rest, n);
        if (i < 2 && !is_number(parts[i]))
            return false;
    }
    return true;
}

/* "0:120:R ==> [003]  2389: 94:R sleep" */
static bool read_wakeup(struct str rest, struct str task, struct tracer_event *e)
{
    struct str prev[3], next[3];
    if (!take_task(&rest, prev))
        return false;
    struct str arrow = str_take_word(&rest), cpu = str_take_word(&rest);
    bool is_switch = str_eq(arrow, STR("==>"));
    if ((!is_switch && !str_eq(arrow, STR("+"))) || !str_starts(cpu, STR("[")) ||
        !str_ends(cpu, STR("]")) || !take_task(&rest, next))
        return false;
    struct str comm = str_trim(rest);
    cpu = str_from_to(cpu, 1, cpu.n - 1);
    int n;
    if (is_switch)
        n = snprintf(e->args, sizeof e->args,
                     "prev_comm=%.*s prev_pid=%.*s prev_prio=%.*s prev_state=%.*s ==> "
                     "next_comm=%.*s next_pid=%.*s next_prio=%.*s",
                     width(task), task.p, width(prev[0]), prev[0].p, width(prev[1]), prev[1].p,
                     width(prev[2]), prev[2].p, width(comm), comm.p, width(next[0]), next[0].p,
                     width(next[1]), next[1].p);
    else
        n = snprintf(e->args, sizeof e->args, "comm=%.*s pid=%.*s prio=%.*s target_cpu=%.*s",
                     width(comm), comm.p, width(next[0]), next[0].p, width(next[1]), next[1].p,
                     width(cpu), cpu.p);
    finish(e, is_switch ? STR("sched_switch") : STR("sched_wakeup"), n);
    return true;
}

bool tracer_text_read(struct str text, struct str task, struct tracer_event *e)
{
    struct str rest = text;
    if (!may_be(text))
        return false;
    if (*text.p != '#')
        return read_osnoise(text, e) || read_wakeup(text, task, e) || read_blk(text, e);
    struct str number = str_skip(str_take_word(&rest), 1);
    return is_number(number) && (read_hwlat(rest, number, e) || read_timerlat(rest, number, e));
}

static const struct {
    const char *event, *context, *key, *track, *unit;
} counted[] = {
    {"hwlat", NULL, "inner_us", "hwlat inner", "us"},
    {"hwlat", NULL, "outer_us", "hwlat outer", "us"},
    {"osnoise", NULL, "noise_us", "osnoise", "us"},
    {"osnoise", NULL, "max_sample_us", "osnoise longest", "us"},
    {"timerlat", "irq", "timer_latency_ns", "timerlat irq", "ns"},
    {"timerlat", "thread", "timer_latency_ns", "timerlat thread", "ns"},
    {"timerlat", "user-ret", "timer_latency_ns", "timerlat user-ret", "ns"},
};

void tracer_text_count(struct trace *t, uint32_t machine, uint32_t cpu, int64_t ts,
                       struct str event, struct str args)
{
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        struct str word = STR(""), context = STR("");
        double value;
        text_args_find(args, STR("context"), &context);
        if (!str_eq(event, str_from(counted[i].event)) ||
            (counted[i].context && !str_eq(context, str_from(counted[i].context))) ||
            !text_args_find(args, str_from(counted[i].key), &word) || !str_to_f64(word, &value))
            continue;
        uint32_t track =
            track_cpu_counter(t, counted[i].track, counted[i].track, counted[i].unit, machine, cpu);
        counter_push(t, ts, track, value);
    }
}
