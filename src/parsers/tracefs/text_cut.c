#include "parsers/tracefs/text_cut.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/retelling.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/ftrace_text.h"
#include "parsers/tracefs/graph_line.h"
#include "parsers/tracefs/graph_text.h"
#include "parsers/tracefs/stack_text.h"
#include "parsers/tracefs/switch_text.h"
#include "parsers/tracefs/text_events.h"
#include "parsers/tracefs/trace_line.h"
#include "parsers/tracefs/tracer_text.h"

enum { LINES_PER_CHECK = 4096 };

/* A thread as heads of lines tell of it. */
struct text_task {
    uint32_t pid, tgid, cpu; /* tgid is UINT32_MAX where it is not known */
    struct str name;
    string_id last_name; /* so far: by what woke it or switched to it, too */
    /* Of a process, what its main thread was called when it was told first: it takes that name. */
    bool is_process;
    string_id process_name; /* NULL_STRING: it had none */
};

struct text_tasks {
    struct map by_pid;
    VEC(struct text_task) v;
};

struct cut {
    struct cut_job *job;
    struct str input; /* its data */
    uint64_t lines;   /* so far */
    uint32_t cpu;     /* of an event */
    int64_t zero, first, last;
    int64_t from, to;
    bool counts;      /* times are numbers, not seconds */
    bool has_steps;   /* they are written */
    bool any;         /* an event is written */
    bool is_in_event; /* the last line is written */
    struct text_events events;
    struct selection selection;
    struct thread_owners owners;
    struct text_tasks tasks;
    struct sched_states sched;
    struct retelling told;
    void (*each)(struct cut *c, struct str line, const struct trace_line *l);
};

/* `l` is NULL for lines that are no events. */
static struct status walk(struct cut *c,
                          void (*each)(struct cut *c, struct str line, const struct trace_line *l))
{
    struct str rest = c->input, line, before = {0};
    struct trace_line l;
    int64_t holes = 0;
    struct byte_source source = byte_source_memory(c->job->data, c->job->mapped, c->job->progress);
    bool going = true;
    for (c->lines = 0; going && str_next_line(&rest, &line); c->lines++) {
        struct str whole = line;
        for (size_t size; (size = text_lines_cut_hole(&whole, &before)) > 0;)
            holes += (int64_t)(before.n + size);
        if (before.n == line.n || before.n > 0)
            each(c, before, trace_line_read(before, &l) ? &l : NULL);
        if (c->lines % LINES_PER_CHECK == 0)
            going = byte_source_done(&source, (size_t)(line.p - c->input.p));
    }
    bool is_cut = c->input.n > 0 && c->input.p[c->input.n - 1] != '\n' && str_trim(before).n > 0;
    c->job->unread.counts[UNREAD_HOLES] = holes;
    c->job->unread.counts[UNREAD_END] = is_cut;
    byte_source_release(&source);
    return going ? status_ok_value() : progress_cancelled(c->job->name);
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

/* What a line says of an event; of a tracer's line, what that becomes. */
struct told_event {
    enum trace_line_kind kind;
    struct str event, args;
    struct tracer_event tracer;
};

static bool event_of(const struct trace_line *l, struct told_event *out)
{
    out->kind = l->kind;
    out->event = l->event;
    out->args = l->args;
    if (l->kind != LINE_TRACER)
        return l->kind != LINE_FUNCTION;
    struct str task = str_eq(l->task, STR("<idle>")) ? STR("swapper") : l->task;
    if (!tracer_text_read(l->args, task, &out->tracer))
        return false;
    out->kind = LINE_EVENT;
    out->event = out->tracer.event;
    out->args = (struct str){out->tracer.args, out->tracer.n};
    return true;
}

static void note_time(struct cut *c, struct str line, const struct trace_line *l)
{
    if (!l)
        return;
    c->first = l->ts < c->first ? l->ts : c->first;
    c->last = l->ts > c->last ? l->ts : c->last;
    c->counts |= is_counted(line, l);
    c->cpu = l->cpu;
    struct told_event told;
    if (!event_of(l, &told))
        return;
    /* All kinds are known before the first is looked at. */
    uint32_t kind = text_events_kind(&c->events, told.kind, told.event);
    if (l->ts < c->zero && text_events_mean(&c->events, kind, told.args))
        c->zero = l->ts;
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

static struct text_task *task_at(struct cut *c, uint32_t pid, const struct trace_line *l)
{
    bool inserted;
    uint32_t *at = map_insert(&c->tasks.by_pid, pid, &inserted);
    if (inserted) {
        *at = (uint32_t)c->tasks.v.count;
        *vec_push(&c->tasks.v) = (struct text_task){.pid = pid, .tgid = UINT32_MAX, .cpu = l->cpu};
    }
    return &c->tasks.v.items[*at];
}

/* The line says of which process a thread is. */
static void note_process(struct cut *c, const struct trace_line *l, uint32_t pid, uint32_t tgid)
{
    struct text_task *task = task_at(c, pid, l);
    if (l->ts < c->from || task->tgid == UINT32_MAX)
        task->tgid = tgid;
    task = task_at(c, tgid, l);
    if (task->is_process)
        return;
    task->is_process = true;
    task->process_name = task->last_name;
}

/* Heads of lines say who a thread is, and of which process. */
static void note_task(struct cut *c, const struct trace_line *l)
{
    bool is_named = !l->is_of_cpu && l->pid != 0 && !str_eq(l->task, STR("<...>"));
    if (l->tgid != UINT32_MAX)
        note_process(c, l, l->pid, l->tgid);
    if (!is_named)
        return;
    struct text_task *task = task_at(c, l->pid, l);
    if (l->ts < c->from || task->name.n == 0)
        task->name = l->task;
    task->last_name = trace_intern(c->events.trace, l->task);
}

/* An event names a thread. */
static void note_named(struct cut *c, const struct sched_task *who, const struct trace_line *l)
{
    struct str name = {who->comm.text, who->comm.n};
    if (who->pid > 0 && who->pid <= UINT32_MAX && name.n)
        task_at(c, (uint32_t)who->pid, l)->last_name = trace_intern(c->events.trace, name);
}

/* An event may have said of which process a thread is. */
static void note_owner(struct cut *c, const struct trace_line *l)
{
    const struct thread_owner *told =
        c->owners.told ? &c->owners.v.items[c->owners.told - 1] : NULL;
    if (told && told->tgid > 0 && told->tgid < UINT32_MAX)
        note_process(c, l, told->tid, (uint32_t)told->tgid);
    c->owners.told = 0;
}

static void add_switch(struct cut *c, const struct trace_line *l, struct str args)
{
    struct switch_told told;
    if (!switch_text_told(args, &told))
        return;
    note_named(c, &told.prev, l);
    note_named(c, &told.next, l);
    if (l->ts < c->from)
        sched_states_switch(&c->sched, cpu_of(c, l), l->ts, &told.prev, pack_state(told.state),
                            &told.next);
}

static void add_waking(struct cut *c, const struct trace_line *l, struct str args)
{
    struct sched_states_waking waking;
    if (!wakeup_text_told(args, &waking))
        return;
    waking.waker = l->pid;
    note_named(c, &waking.task, l);
    if (l->ts < c->from)
        sched_states_wake(&c->sched, cpu_of(c, l), l->ts, &waking);
}

/* A call of the function_graph tracer; one with nothing in it is over as it is told. */
static void add_graph_call(struct cut *c, const struct trace_line *l)
{
    struct graph_line g;
    if (!graph_line_read_call(l->args, &g) || (g.kind != GRAPH_ENTRY && g.kind != GRAPH_EXIT))
        return;
    struct window_mark m = {.ts = l->ts,
                            .key = hash_mix(l->pid, 'f'),
                            .number = c->lines,
                            .kind = g.kind == GRAPH_ENTRY ? MARK_BEGIN : MARK_END};
    selection_mark(&c->selection, &m);
}

static void add_event(struct cut *c, const struct trace_line *l, const struct told_event *told)
{
    uint32_t kind = text_events_kind(&c->events, told->kind, told->event);
    enum text_role role = text_events_role(&c->events, kind);
    if (told->kind == LINE_EVENT && role == TEXT_SWITCH) {
        add_switch(c, l, told->args);
        return;
    }
    if (told->kind == LINE_EVENT && role == (c->events.has_waking ? TEXT_WAKING : TEXT_WAKEUP)) {
        add_waking(c, l, told->args);
        return;
    }
    bool is_late = l->ts >= c->from, tells_owner = text_events_tell_owner(&c->events, kind);
    if (is_late && !tells_owner)
        return;
    struct ftrace_cpu cpu = {.cpu = l->cpu};
    struct ftrace_event e = {.pid = l->pid, .utid = NULL_U32, .cpu = &cpu, .ts = l->ts};
    struct felt_sink out = {.selection = is_late ? NULL : &c->selection,
                            .owners = &c->owners,
                            .from = c->from,
                            .item = {.ts = l->ts, .number = c->lines}};
    text_events_felt(&c->events, kind, told->args, &e, &out);
    if (tells_owner)
        note_owner(c, l);
}

static void note_state(struct cut *c, struct str line, const struct trace_line *l)
{
    struct told_event told;
    (void)line;
    if (!l)
        return;
    note_task(c, l);
    if (!event_of(l, &told))
        return;
    if (told.kind != LINE_EVENT || !graph_text_is_event(told.event))
        add_event(c, l, &told);
    else if (l->ts < c->from)
        add_graph_call(c, l);
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
    cut_put(c->job->out, (struct str){text, (size_t)n});
    if (c->counts)
        n = snprintf(text, sizeof text, "%" PRId64 ": ", ts);
    else
        n = snprintf(text, sizeof text, "%" PRId64 ".%09d: ", ts / 1000000000,
                     (int)(ts < 0 ? -(ts % 1000000000) : ts % 1000000000));
    cut_put(c->job->out, (struct str){text, (size_t)n});
}

static struct str comm_of(const struct sched_task *task)
{
    return (struct str){task->comm.text, task->comm.n};
}

static uint32_t process_of(const struct cut *c, int64_t pid)
{
    const uint32_t *at = map_find(&c->tasks.by_pid, (uint64_t)pid);
    return at ? c->tasks.v.items[*at].tgid : UINT32_MAX;
}

static void put_switch(struct cut *c, uint32_t cpu, int64_t ts, const struct sched_task *prev,
                       struct str state, const struct sched_task *next)
{
    char text[SWITCH_TEXT_MAX];
    struct switch_told told = {*prev, *next, state};
    put_head(c, prev->pid ? comm_of(prev) : STR("<idle>"), prev->pid, process_of(c, prev->pid), cpu,
             ts);
    cut_put(c->job->out, (struct str){text, switch_text_tell(&told, text)});
}

static void put_waking(struct cut *c, uint32_t cpu, int64_t ts, const struct sched_thread_state *t)
{
    char text[SWITCH_TEXT_MAX];
    put_head(c, t->waker ? STR("<...>") : STR("<idle>"), t->waker, process_of(c, t->waker), cpu,
             ts);
    cut_put(c->job->out, (struct str){text, wakeup_text_tell(t, c->events.has_waking, text)});
}

static void put_step(struct cut *c, const struct told_step *told)
{
    struct sched_step_subject about = sched_step_subject(&c->sched, &told->step);
    const struct sched_thread_state *t = about.thread;
    uint32_t cpu = about.cpu->place.cpu;
    char state[9] = "";
    switch (told->step.kind) {
    case SCHED_STEP_NAME: /* it is told by put_before */
        return;
    case SCHED_STEP_LEAVE:
        memcpy(state, &t->prev_state, sizeof t->prev_state);
        put_switch(c, cpu, told->ts, &about.idle, STR("R"), &t->task);
        put_switch(c, cpu, told->next_ts, &t->task, str_from(state), &about.idle);
        return;
    case SCHED_STEP_WAKE:
        put_waking(c, cpu, told->ts, t);
        return;
    case SCHED_STEP_RUN:
        put_switch(c, cpu, told->ts, &about.idle, STR("R"), &about.cpu->running);
        return;
    }
}

static void put_seen(struct cut *c, const struct text_task *task, struct str name, uint32_t tgid)
{
    put_head(c, name, task->pid, tgid, task->cpu, c->told.begin);
    cut_put(c->job->out, STR("task_seen: \n"));
}

/* A process, of which it is known as what it is called that its main thread is called that. */
static void put_process(struct cut *c, const struct text_task *task)
{
    if (!task->is_process)
        return;
    if (task->process_name)
        put_seen(c, task, string_pool_get(&c->events.trace->strings, task->process_name),
                 UINT32_MAX);
    put_seen(c, task, STR("<...>"), task->pid);
}

/* What the text has decides how other events are read, wherever it lies. */
static void put_kinds(struct cut *c)
{
    const char *const kinds[] = {c->events.has_waking ? TEXT_HAS_WAKING : NULL,
                                 c->events.has_newtask ? TEXT_HAS_NEWTASK : NULL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i])
            continue;
        put_head(c, STR("<idle>"), 0, UINT32_MAX, c->cpu, c->told.begin);
        cut_put(c->job->out, str_from(kinds[i]));
        cut_put(c->job->out, STR(": \n"));
    }
}

/* Who the threads are, which lines outside of the window may tell: an event that means nothing. */
static void put_before(struct cut *c)
{
    put_kinds(c);
    if (c->told.begin >= c->from) /* there is no time before 0 */
        return;
    for (size_t i = 0; i < c->tasks.v.count; i++)
        put_process(c, &c->tasks.v.items[i]);
    for (size_t i = 0; i < c->tasks.v.count; i++) {
        const struct text_task *task = &c->tasks.v.items[i];
        bool is_told = task->is_process && task->tgid == task->pid;
        if (task->name.n || (task->tgid != UINT32_MAX && !is_told))
            put_seen(c, task, task->name.n ? task->name : STR("<...>"), task->tgid);
    }
}

static void write_line(struct cut *c, struct str line, const struct trace_line *l)
{
    int64_t ts;
    if (l && !c->has_steps) {
        put_before(c);
        for (size_t i = 0; i < c->told.steps.count; i++)
            put_step(c, &c->told.steps.items[i]);
        c->has_steps = true;
        c->any = c->told.steps.count > 0;
    }
    bool is_stack = !l && stack_text_is(line); /* of the event in front */
    bool inside = is_stack ? c->is_in_event : !l || (l->ts >= c->from && l->ts < c->to);
    c->is_in_event = inside;
    if (!inside && !retelling_at(&c->told, c->lines, &ts))
        return;
    c->any = c->any || l;
    if (!inside) {
        put_head(c, l->task, l->pid, l->tgid, l->cpu, ts);
        const char *text = l->kind == LINE_TRACER ? l->args.p : l->event.p;
        line = str_skip(line, (size_t)(text - line.p));
    }
    cut_put(c->job->out, line);
    cut_put(c->job->out, STR("\n"));
}

static struct status cut(struct cut *c)
{
    struct status s = walk(c, note_time);
    if (status_ok(s))
        s = cut_resolve(c->job, c->zero < INT64_MAX ? c->zero : c->first, c->first, c->last);
    if (!status_ok(s))
        return s;
    c->from = c->job->span.from;
    c->to = c->job->span.to;
    s = walk(c, note_state);
    retelling_make(&c->told, &c->selection, &c->sched, c->from);
    if (status_ok(s))
        s = walk(c, write_line);
    if (!c->any) /* what tells the format where no event does */
        cut_put(c->job->out, STR("# tracer: nop\n"));
    if (c->job->tells_unread)
        for (uint64_t i = cut_unread_places(&c->job->unread); i > 0; i--)
            cut_put(c->job->out, STR(TEXT_NOT_READ "\n"));
    return cut_finish(c->job, s);
}

struct status ftrace_text_cut(const struct trace_format *format, struct cut_job *job)
{
    struct cut c = {.job = job,
                    .input = {(const char *)job->data.p, job->data.n},
                    .zero = INT64_MAX,
                    .first = INT64_MAX,
                    .last = INT64_MIN};
    struct trace *t = alloc_array(1, sizeof *t); /* in which names are kept */
    struct trace_file file = {.size = (int64_t)job->data.n,
                              .parent = NULL_U32,
                              .machine = NULL_U32};
    trace_init(t);
    trace_format_begin(format, t, &file);
    text_events_init(&c.events, t);
    struct status s = cut(&c);
    text_events_release(&c.events);
    trace_finish(t);
    trace_release(t);
    free(t);
    selection_release(&c.selection);
    sched_states_release(&c.sched);
    retelling_release(&c.told);
    thread_owners_release(&c.owners);
    map_release(&c.tasks.by_pid);
    vec_release(&c.tasks.v);
    return s;
}
