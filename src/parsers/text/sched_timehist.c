/* What `perf sched timehist` prints: a line where a thread stops to run, with how long it has run,
 * and how long it waited before.
 *
 *                time    cpu  task name                       wait time  sch delay   run time
 *                             [tid/pid]                          (msec)     (msec)     (msec)
 *     --------------- ------  ------------------------------  ---------  ---------  ---------
 *        79371.874569 [0011]  gcc[31949]                          0.014      0.000      1.148
 *        79371.874591 [0010]  gcc[31951/31940]                    0.000      0.000      0.024  S
 *
 * As perf-sched(1) says; the state at the end is of --state, others print who called schedule()
 * there. Without a state a thread has slept if somebody had to wake it (a delay) before it ran
 * again, else it was preempted. */
#include "base/map.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/perf_notice.h"
#include "parsers/text/text_lines.h"

enum { NS_PER_MS = 1000000 };

/* A line; `begin` is when it began to run, `wake` when it could, times in ns. */
struct timehist_run {
    int64_t wake, begin, end;
    int64_t delay;
    uint32_t cpu, utid;
    string_id state; /* that it was left in; NULL_STRING: not known */
};

enum timehist_kind { EVENT_END, EVENT_WAKE, EVENT_BEGIN }; /* in this order at equal times */

struct timehist {
    struct trace *trace;
    VEC(struct timehist_run) runs;
    struct map cpu_ends, thread_runs; /* cpu, utid -> number of its last run, + 1 */
    struct perf_notice notice;
    bool in_summary; /* behind the runs (--summary) */
};

/* "gcc[31951/31940]", whose name may have brackets. */
static bool read_task(struct str text, struct str *name, int64_t *tid, int64_t *pid)
{
    size_t open = text.n;
    while (open > 0 && text.p[open - 1] != '[')
        open--;
    if (str_eq(text, STR("<idle>")) || open < 2 || text.p[text.n - 1] != ']')
        return false;
    struct str ids = str_from_to(text, open, text.n - 1), first = str_cut(&ids, '/');
    *name = str_trim(str_from_to(text, 0, open - 1));
    *pid = -1;
    return str_to_i64(first, tid) && *tid > 0 && *tid <= INT32_MAX &&
           (ids.n == 0 || (str_to_i64(ids, pid) && *pid > 0 && *pid <= INT32_MAX));
}

static bool read_ms(struct str text, int64_t *ns)
{
    const double most = 1e12;
    double ms;
    if (str_find(text, '.') == text.n || !str_to_f64(text, &ms) || ms < 0 || ms > most)
        return false;
    *ns = (int64_t)(ms * NS_PER_MS + 0.5);
    return true;
}

/* "137405.310586 [0000]  " */
static bool take_head(struct str *line, int64_t *ts, uint32_t *cpu)
{
    uint64_t number;
    *line = str_trim(*line);
    struct str time = str_take_word(line), word = str_take_word(line);
    if (!text_seconds(time, ts) || word.n < 3 || *word.p != '[' || word.p[word.n - 1] != ']' ||
        !str_to_u64(str_from_to(word, 1, word.n - 1), 10, &number) || number > UINT16_MAX)
        return false;
    *cpu = (uint32_t)number;
    *line = str_trim(*line);
    return true;
}

/* Where the numbers begin: behind the bracket of the task that has three of them behind it. */
static bool take_task(struct str *line, struct str *task, int64_t times[3])
{
    for (size_t at = 0; (at += str_find(str_skip(*line, at), ']')) < line->n; at++) {
        struct str rest = str_skip(*line, at + 1);
        int i = 0;
        if (rest.n > 0 && !str_is_blank(*rest.p)) /* no word is read once for each bracket in it */
            continue;
        while (i < 3 && read_ms(str_take_word(&rest), &times[i]))
            i++;
        if (i < 3)
            continue;
        *task = str_from_to(*line, 0, at + 1);
        *line = str_trim(rest);
        return true;
    }
    return false;
}

/* A letter of --state, perhaps with a plus. */
static string_id state_of(struct trace *t, struct str rest)
{
    struct str word = str_take_word(&rest);
    bool is = word.n > 0 && word.n < 3 && memchr("RSDTtXZPIKW", *word.p, 11) &&
              (word.n == 1 || word.p[1] == '+');
    return is ? trace_intern(t, word) : NULL_STRING;
}

static uint32_t thread_of(struct timehist *h, struct str name, int64_t tid, int64_t pid)
{
    struct trace *t = h->trace;
    uint32_t machine = stats_scope(t)->machine;
    uint32_t utid = pid > 0 ? process_tracker_update_thread(t, machine, tid, pid)
                            : process_tracker_thread(t, machine, tid);
    process_tracker_set_thread_name(t, utid, trace_intern(t, name), THREAD_NAME_OTHER);
    return utid;
}

/* The last run of a CPU or thread before this one, whose number is kept; NULL: there is none. */
static struct timehist_run *run_before(struct timehist *h, struct map *of, uint32_t key)
{
    bool inserted;
    uint32_t *number = map_insert(of, key, &inserted);
    struct timehist_run *run = inserted ? NULL : &h->runs.items[*number - 1];
    *number = (uint32_t)h->runs.count + 1;
    return run;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* "awakened: perf[7]" of -w, "migrated: perf[7] cpu 0 => 1" of -M, behind their task or not, and
 * the lines of the idle task, which has no number. */
static bool is_other_event(struct str line)
{
    static const struct str marks[] = {{"awakened: ", 10}, {"migrated: ", 10}, {"<idle>", 6}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (line.n > 0 && memmem(line.p, line.n, marks[i].p, marks[i].n))
            return true;
    return false;
}

/* The header, or what perf says. */
static bool is_other_line(struct timehist *h, struct str line)
{
    struct str rest = line, first = str_take_word(&rest);
    h->in_summary |= str_starts(first, STR("Runtime")) || str_starts(line, STR("Idle-time ")) ||
                     str_starts(line, STR("Idle stats:"));
    return h->in_summary || str_eq(first, STR("time")) || str_starts(first, STR("[tid/pid]")) ||
           str_starts(first, STR("---")) || perf_notice_begins(&h->notice, line) ||
           perf_notice_count_lost(h->trace, line) || h->notice.goes_on;
}

static void add_line(void *self, struct str line)
{
    struct timehist *h = self;
    struct timehist_run run;
    struct str whole = line, task, name;
    int64_t times[3], tid, pid;
    if (!take_head(&line, &run.end, &run.cpu)) {
        if (!is_other_line(h, str_trim(whole)))
            text_lines_unread(h->trace, whole);
        return;
    }
    h->notice.goes_on = false;
    if (!take_task(&line, &task, times) || !read_task(task, &name, &tid, &pid)) {
        if (!is_other_event(line))
            text_lines_unread(h->trace, whole);
        return;
    }
    if (!clock_file_time(h->trace, run.end, &run.end))
        return;
    run.utid = thread_of(h, name, tid, pid);
    run.delay = times[1];
    run.state = state_of(h->trace, line);
    run.begin = run.end - times[2];
    struct timehist_run *cpu = run_before(h, &h->cpu_ends, run.cpu);
    struct timehist_run *own = run_before(h, &h->thread_runs, run.utid);
    if (cpu) /* times are rounded */
        run.begin = later(run.begin, cpu->end);
    if (own)
        run.begin = later(run.begin, own->end);
    run.begin = run.begin < run.end ? run.begin : run.end;
    run.wake = own ? later(run.begin - run.delay, own->end) : run.begin - run.delay;
    if (own && !own->state)
        own->state = trace_intern(h->trace, run.delay > 0 ? STR("S") : STR("R"));
    *vec_push(&h->runs) = run;
}

static void apply(struct timehist *h, const struct timehist_run *run, enum timehist_kind kind,
                  int64_t ts)
{
    struct trace *t = h->trace;
    uint32_t ucpu = trace_ucpu(t, stats_scope(t)->machine, run->cpu);
    thread_state_close(t, ts, run->utid);
    if (kind == EVENT_END && run->state)
        thread_state_open(t, ts, run->utid, run->state, NULL_U32, NULL_U32, NULL_U32);
    if (kind == EVENT_WAKE)
        thread_state_open(t, ts, run->utid, trace_intern(t, STR("R")), NULL_U32, NULL_U32,
                          NULL_U32);
    if (kind != EVENT_BEGIN)
        return;
    thread_state_open(t, ts, run->utid, trace_intern(t, STR("Running")), ucpu, NULL_U32, NULL_U32);
    struct sched_slice_row row = {.ts = ts,
                                  .dur = run->end - run->begin,
                                  .utid = run->utid,
                                  .end_state = run->state,
                                  .priority = NULL_I64,
                                  .ucpu = ucpu};
    sched_slice_append(&t->tables.sched_slice, &row);
}

/* A run of no length was under way when the recording began: only its end was seen. */
static void apply_all(struct timehist *h)
{
    VEC(struct timed) order = {0};
    for (size_t i = 0; i < h->runs.count; i++) {
        const struct timehist_run *run = &h->runs.items[i];
        *vec_push(&order) = (struct timed){.ts = run->end, .rank = EVENT_END, .record = run};
        if (run->begin == run->end)
            continue;
        *vec_push(&order) = (struct timed){.ts = run->begin, .rank = EVENT_BEGIN, .record = run};
        if (run->delay > 0 && run->wake < run->begin)
            *vec_push(&order) = (struct timed){.ts = run->wake, .rank = EVENT_WAKE, .record = run};
    }
    time_sort(order.items, order.count);
    for (size_t i = 0; i < order.count; i++)
        apply(h, order.items[i].record, (enum timehist_kind)order.items[i].rank, order.items[i].ts);
    vec_release(&order);
}

/* The header's first line, or one of a switch. */
static bool timehist_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        struct str rest = line, task;
        int64_t ts, times[3];
        uint32_t cpu;
        if (str_eq(str_take_word(&rest), STR("time")) && str_eq(str_take_word(&rest), STR("cpu")) &&
            str_starts(str_trim(rest), STR("task name ")))
            return true;
        if (take_head(&line, &ts, &cpu) && take_task(&line, &task, times))
            return true;
    }
    return false;
}

static struct status timehist_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct timehist h = {.trace = t};
    bool whole = text_lines_read(t, source, add_line, &h);
    if (whole)
        apply_all(&h);
    vec_release(&h.runs);
    map_release(&h.cpu_ends);
    map_release(&h.thread_runs);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format timehist_trace_format = {
    .name = "perf sched timehist",
    .type = "sched_timehist",
    .about = "what perf sched timehist prints: lines \"time [cpu] task[tid] wait delay run\"",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .by_lines = true,
    .sniff = timehist_sniff,
    .read_source = timehist_import,
};
