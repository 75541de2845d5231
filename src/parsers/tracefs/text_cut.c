#include "parsers/tracefs/text_cut.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/input/retelling.h"
#include "parsers/tracefs/graph_line.h"
#include "parsers/tracefs/sched_text.h"
#include "parsers/tracefs/trace_line.h"

enum { LINES_PER_CHECK = 4096 };

struct cut {
    struct cut_job *job;
    struct str input; /* its data */
    uint64_t lines;   /* so far */
    int64_t first, last;
    int64_t from, to;
    bool has_waking; /* a wakeup follows each */
    bool counts;     /* times are numbers, not seconds */
    bool has_steps;  /* they are written */
    bool any;        /* an event is written */
    struct selection selection;
    struct sched_states sched;
    struct retelling told;
    void (*each)(struct cut *c, struct str line, const struct trace_line *l);
};

static void put(struct cut *c, struct str s)
{
    cut_write(c->job->out, s.p, s.n);
}

/* `l` is NULL for lines that are no events. */
static struct status walk(struct cut *c,
                          void (*each)(struct cut *c, struct str line, const struct trace_line *l))
{
    struct str rest = c->input, line;
    struct trace_line l;
    for (c->lines = 0; str_next_line(&rest, &line); c->lines++) {
        each(c, line, trace_line_read(line, &l) ? &l : NULL);
        if (c->lines % LINES_PER_CHECK == 0 &&
            !progress_report(c->job->progress, (uint64_t)(line.p - c->input.p)))
            return progress_cancelled(c->job->name);
    }
    return status_ok_value();
}

static bool is_event(const struct trace_line *l, struct str name)
{
    return l->kind == LINE_EVENT && str_eq(l->event, name);
}

/* "... 18557905279810: event": the time is a number without a point. */
static bool is_counted(struct str line, const struct trace_line *l)
{
    const char *p = l->event.p;
    while (p > line.p && (p[-1] == ' ' || p[-1] == ':'))
        p--;
    const char *end = p;
    while (p > line.p && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return p < end && p > line.p && p[-1] == ' ';
}

static void note_time(struct cut *c, struct str line, const struct trace_line *l)
{
    if (!l)
        return;
    c->first = l->ts < c->first ? l->ts : c->first;
    c->last = l->ts > c->last ? l->ts : c->last;
    c->has_waking |= is_event(l, STR("sched_waking"));
    c->counts |= is_counted(line, l);
}

/* What stands behind "key=", up to `end` or to a blank; empty where it is not there. */
static struct str value_of(struct str args, struct str key, struct str end)
{
    const char *at = memmem(args.p, args.n, key.p, key.n);
    if (!at)
        return (struct str){"", 0};
    struct str value = str_skip(args, (size_t)(at - args.p) + key.n);
    const char *stop = end.n ? memmem(value.p, value.n, end.p, end.n) : NULL;
    value.n = stop ? (size_t)(stop - value.p) : str_find(value, ' ');
    return str_trim(value);
}

static int64_t number_of(struct str args, struct str key)
{
    int64_t v = 0;
    return str_to_i64(value_of(args, key, STR("")), &v) ? v : 0;
}

static struct sched_task task_of(struct str comm, int64_t pid, int64_t prio)
{
    return (struct sched_task){pid, (int32_t)prio, sched_comm_from(comm)};
}

/* A state is a word of at most eight characters, which take the number's place. */
static int64_t pack_state(struct str state)
{
    int64_t packed = 0;
    if (state.n > 0)
        memcpy(&packed, state.p, state.n < sizeof packed ? state.n : sizeof packed);
    return packed;
}

static uint32_t cpu_of(struct cut *c, const struct trace_line *l)
{
    struct sched_place place = {.cpu = l->cpu};
    return sched_states_cpu(&c->sched, &place);
}

static void add_switch(struct cut *c, const struct trace_line *l)
{
    struct sched_text_task prev, next;
    struct str state;
    if (!sched_text_switch(l->args, &prev, &state, &next)) {
        prev.comm = value_of(l->args, STR("prev_comm="), STR(" prev_pid="));
        prev.pid = number_of(l->args, STR("prev_pid="));
        prev.prio = number_of(l->args, STR("prev_prio="));
        state = value_of(l->args, STR("prev_state="), STR(""));
        next.comm = value_of(l->args, STR("next_comm="), STR(" next_pid="));
        next.pid = number_of(l->args, STR("next_pid="));
        next.prio = number_of(l->args, STR("next_prio="));
    }
    struct sched_task from = task_of(prev.comm, prev.pid, prev.prio);
    struct sched_task to = task_of(next.comm, next.pid, next.prio);
    sched_states_switch(&c->sched, cpu_of(c, l), l->ts, &from, pack_state(state), &to);
}

static void add_waking(struct cut *c, const struct trace_line *l)
{
    struct sched_text_task woken;
    if (!sched_text_wakeup(l->args, &woken)) {
        woken.comm = value_of(l->args, STR("comm="), STR(" pid="));
        woken.pid = number_of(l->args, STR(" pid="));
        woken.prio = number_of(l->args, STR("prio="));
    }
    struct sched_states_waking waking = {
        .task = task_of(woken.comm, woken.pid, woken.prio),
        .waker = l->pid,
        .target_cpu = (int32_t)number_of(l->args, STR("target_cpu=")),
    };
    sched_states_wake(&c->sched, cpu_of(c, l), l->ts, &waking);
}

static void mark(struct cut *c, const struct trace_line *l, enum mark_kind kind, uint64_t key,
                 uint64_t other)
{
    struct window_mark m = {
        .ts = l->ts, .key = key, .other = other, .number = c->lines, .kind = kind};
    selection_mark(&c->selection, &m);
}

static uint64_t str_hash(struct str s, uint64_t seed)
{
    return hash_bytes(s.p, s.n, seed);
}

static uint64_t thread_key(const struct trace_line *l, char kind)
{
    return hash_mix(l->pid, (uint64_t)kind);
}

/* Up to the bar behind `count` parts. */
static uint64_t parts_hash(struct str text, int count, uint64_t seed)
{
    size_t n = 0;
    for (int bars = 0; n < text.n; n++)
        if (text.p[n] == '|' && ++bars == count)
            break;
    return str_hash(str_from_to(text, 0, n), seed);
}

/* See parsers/text/systrace.h. */
static void add_mark(struct cut *c, const struct trace_line *l)
{
    struct str text = str_trim(l->args), rest = {"", 0};
    char kind = text.n ? text.p[0] : 0;
    if (text.n > 1 && text.p[1] == '|')
        rest = str_skip(text, 2);
    else if (text.n > 1)
        return;
    size_t bar = rest.n;
    while (bar > 0 && rest.p[bar - 1] != '|')
        bar--;
    uint64_t cookie = str_hash(str_skip(rest, bar), parts_hash(rest, 2, 'G'));
    switch (kind) {
    case 'B':
    case 'E':
        mark(c, l, kind == 'B' ? MARK_BEGIN : MARK_END, thread_key(l, 'B'), kind == 'B');
        return;
    case 'C':
        selection_last(&c->selection, parts_hash(rest, 2, 'C'), l->ts, c->lines);
        return;
    case 'S':
    case 'F':
        mark(c, l, kind == 'S' ? MARK_BEGIN_ONCE : MARK_END, parts_hash(rest, 3, 'S'), 0);
        return;
    case 'G':
    case 'H':
        mark(c, l, kind == 'G' ? MARK_BEGIN_ONCE : MARK_END, cookie, 0);
        return;
    default:
        return;
    }
}

static void add_binder(struct cut *c, const struct trace_line *l, bool sends)
{
    enum { ONE_WAY = 1 };
    uint64_t flags = 0;
    struct str text = value_of(l->args, STR("flags="), STR(""));
    if (str_starts(text, STR("0x")))
        str_to_u64(str_skip(text, 2), 16, &flags);
    enum mark_kind kind = flags & ONE_WAY ? MARK_SEND : MARK_CALL;
    if (!sends)
        kind = MARK_RECEIVE;
    else if (number_of(l->args, STR("reply=")) == 1)
        kind = MARK_REPLY;
    uint64_t key = hash_mix((uint64_t)number_of(l->args, STR("transaction=")), 'o');
    mark(c, l, kind, key, thread_key(l, 'b'));
}

/* Events that only tell of a moment. */
static bool is_point(const struct trace_line *l)
{
    static const char *const names[] = {
        "sched_wakeup",       "sched_waking",        "sched_wakeup_new",   "sched_blocked_reason",
        "sched_process_exec", "sched_process_exit",  "sched_process_fork", "signal_generate",
        "signal_deliver",     "binder_set_priority", "sched_process_wait", "kernel_stack",
        "user_stack",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(l->event, str_from(names[i])))
            return true;
    return false;
}

static bool is_of_task(const struct trace_line *l)
{
    return str_eq(l->event, STR("task_newtask")) || str_eq(l->event, STR("task_rename")) ||
           str_eq(l->event, STR("sched_process_free"));
}

/* The last of its kind: of its thread and cpu, or of the cpu that it names; and of what it is
 * about.
 */
static void add_value(struct cut *c, const struct trace_line *l)
{
    struct str cpu = value_of(l->args, STR("cpu_id="), STR(""));
    uint64_t key = str_hash(l->event, 2);
    if (cpu.n && !str_starts(l->event, STR("clock_")))
        key = str_hash(cpu, key);
    else
        key = hash_mix(hash_mix(key, l->pid), l->cpu);
    static const char *const parts[] = {"member=", "mm_id=", "thermal_zone=", "type=", "gpu_id="};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = str_hash(value_of(l->args, str_from(parts[i]), STR("")), key);
    struct str rest = l->args, word = str_take_word(&rest);
    if (memchr(word.p, '=', word.n) == NULL)
        key = str_hash(word, key);
    selection_last(&c->selection, key, l->ts, c->lines);
}

/* A call of the function_graph tracer; one with nothing in it is over as it is told. */
static void add_graph_call(struct cut *c, const struct trace_line *l)
{
    struct graph_line g;
    if (!graph_line_read_call(l->args, &g))
        return;
    if (g.kind == GRAPH_ENTRY)
        mark(c, l, MARK_BEGIN, thread_key(l, 'f'), 0);
    else if (g.kind == GRAPH_EXIT)
        mark(c, l, MARK_END, thread_key(l, 'f'), 0);
}

static void note_state(struct cut *c, struct str line, const struct trace_line *l)
{
    (void)line;
    if (!l || l->ts >= c->from || l->kind == LINE_FUNCTION || l->kind == LINE_TRACER)
        return;
    if (l->kind != LINE_EVENT)
        mark(c, l, l->kind == LINE_CALL ? MARK_BEGIN : MARK_END, thread_key(l, 'B'),
             str_hash(l->event, 0));
    else if (is_event(l, STR("sched_switch")))
        add_switch(c, l);
    else if (is_event(l, c->has_waking ? STR("sched_waking") : STR("sched_wakeup")))
        add_waking(c, l);
    else if (is_event(l, STR("tracing_mark_write")) || is_event(l, STR("print")))
        add_mark(c, l);
    else if (is_event(l, STR("binder_transaction")) ||
             is_event(l, STR("binder_transaction_received")))
        add_binder(c, l, is_event(l, STR("binder_transaction")));
    else if (is_event(l, STR("funcgraph_entry")) || is_event(l, STR("funcgraph_exit")))
        add_graph_call(c, l);
    else if (is_of_task(l))
        selection_keep(&c->selection, l->ts, c->lines);
    else if (!is_point(l))
        add_value(c, l);
}

/* "task-12    [003] ....    12.345678901: ", as the kernel writes it. */
static void put_head(struct cut *c, struct str task, int64_t pid, uint32_t tgid, uint32_t cpu,
                     int64_t ts)
{
    char text[160], process[24] = "";
    if (tgid != UINT32_MAX)
        snprintf(process, sizeof process, " (%5u)", tgid);
    int n = snprintf(text, sizeof text, "%.*s-%" PRId64 "%s [%03u] .... ",
                     (int)(task.n < 64 ? task.n : 64), task.p, pid, process, cpu);
    put(c, (struct str){text, (size_t)n});
    if (c->counts)
        n = snprintf(text, sizeof text, "%" PRId64 ": ", ts);
    else
        n = snprintf(text, sizeof text, "%" PRId64 ".%09d: ", ts / 1000000000,
                     (int)(ts < 0 ? -(ts % 1000000000) : ts % 1000000000));
    put(c, (struct str){text, (size_t)n});
}

static struct str comm_of(const struct sched_task *task)
{
    return (struct str){task->comm.text, task->comm.n};
}

static void put_switch(struct cut *c, uint32_t cpu, int64_t ts, const struct sched_task *prev,
                       struct str state, const struct sched_task *next)
{
    char text[256];
    put_head(c, prev->pid ? comm_of(prev) : STR("<idle>"), prev->pid, UINT32_MAX, cpu, ts);
    int n =
        snprintf(text, sizeof text,
                 "sched_switch: prev_comm=%.*s prev_pid=%" PRId64 " prev_prio=%d prev_state=%.*s "
                 "==> next_comm=%.*s next_pid=%" PRId64 " next_prio=%d\n",
                 prev->comm.n, prev->comm.text, prev->pid, prev->prio, (int)state.n, state.p,
                 next->comm.n, next->comm.text, next->pid, next->prio);
    put(c, (struct str){text, (size_t)n});
}

static void put_waking(struct cut *c, uint32_t cpu, int64_t ts, const struct sched_thread_state *t)
{
    char text[160];
    put_head(c, t->waker ? STR("<...>") : STR("<idle>"), t->waker, UINT32_MAX, cpu, ts);
    int n = snprintf(text, sizeof text,
                     "%s: comm=%.*s pid=%" PRId64 " prio=%d success=1 target_cpu=%03d\n",
                     c->has_waking ? "sched_waking" : "sched_wakeup", t->task.comm.n,
                     t->task.comm.text, t->task.pid, t->waking_prio, t->target_cpu);
    put(c, (struct str){text, (size_t)n});
}

static void put_step(struct cut *c, const struct told_step *told)
{
    struct sched_step_subject about = sched_step_subject(&c->sched, &told->step);
    const struct sched_thread_state *t = about.thread;
    uint32_t cpu = about.cpu->place.cpu;
    char state[9] = "";
    switch (told->step.kind) {
    case SCHED_STEP_LEAVE:
        memcpy(state, &t->prev_state, sizeof t->prev_state);
        put_switch(c, cpu, told->ts, &about.idle, STR("R"), &t->task);
        put_switch(c, cpu, time_plus(told->ts, 1), &t->task, str_from(state), &about.idle);
        return;
    case SCHED_STEP_WAKE:
        put_waking(c, cpu, told->ts, t);
        return;
    case SCHED_STEP_RUN:
        put_switch(c, cpu, told->ts, &about.idle, STR("R"), &about.cpu->running);
        return;
    }
}

static void write_line(struct cut *c, struct str line, const struct trace_line *l)
{
    int64_t ts;
    if (l && !c->has_steps) {
        for (size_t i = 0; i < c->told.steps.count; i++)
            put_step(c, &c->told.steps.items[i]);
        c->has_steps = true;
        c->any = c->told.steps.count > 0;
    }
    bool inside = !l || (l->ts >= c->from && l->ts < c->to);
    if (!inside && !retelling_at(&c->told, c->lines, &ts))
        return;
    c->any = c->any || l;
    if (!inside) {
        put_head(c, l->task, l->pid, l->tgid, l->cpu, ts);
        line = str_skip(line, (size_t)(l->event.p - line.p));
    }
    put(c, line);
    put(c, STR("\n"));
}

static struct status cut(struct cut *c)
{
    struct status s = walk(c, note_time);
    if (status_ok(s))
        s = cut_resolve(c->job, c->first, c->last);
    if (!status_ok(s))
        return s;
    c->from = c->job->span.from;
    c->to = c->job->span.to;
    s = walk(c, note_state);
    retelling_make(&c->told, &c->selection, &c->sched, c->from);
    if (status_ok(s))
        s = walk(c, write_line);
    if (!c->any) /* what tells the format where no event does */
        put(c, STR("# tracer: nop\n"));
    return cut_finish(c->job, s);
}

struct status ftrace_text_cut(struct cut_job *job)
{
    struct cut c = {.job = job,
                    .input = {(const char *)job->data.p, job->data.n},
                    .first = INT64_MAX,
                    .last = INT64_MIN};
    struct status s = cut(&c);
    selection_release(&c.selection);
    sched_states_release(&c.sched);
    retelling_release(&c.told);
    return s;
}
