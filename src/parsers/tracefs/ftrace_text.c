#include "parsers/tracefs/ftrace_text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/text/perf_notice.h"
#include "parsers/text/text_lines.h"
#include "parsers/tracefs/cpu_guess.h"
#include "parsers/tracefs/graph_text.h"
#include "parsers/tracefs/perf_line.h"
#include "parsers/tracefs/stack_text.h"
#include "parsers/tracefs/switch_text.h"
#include "parsers/tracefs/text_events.h"
#include "parsers/tracefs/tracer_text.h"

enum { NS_PER_LINE = 1000 };

struct ftrace_text {
    struct trace *trace;
    struct text_events events;
    struct arena arena; /* the records, and what their args point to */
    VEC(struct timed) entries;
    struct graph_text *graph;
    struct text_record *stack_of; /* the event that lines of a stack belong to */
    VEC(char) stack;
    struct perf_notice notice;
    uint64_t unknown; /* lines that only we can read */
    bool any_known;   /* a line that Trace Processor reads, too */
    bool lacks_cpus;  /* of lines that do not tell it */
};

struct ftrace_text *ftrace_text_new(struct trace *t)
{
    struct ftrace_text *f = alloc_array(1, sizeof *f);
    f->trace = t;
    text_events_init(&f->events, t);
    arena_init(&f->arena);
    return f;
}

void ftrace_text_free(struct ftrace_text *f)
{
    text_events_release(&f->events);
    arena_release(&f->arena);
    vec_release(&f->entries);
    graph_text_free(f->graph);
    vec_release(&f->stack);
    free(f);
}

static void keep_line(struct ftrace_text *f, const struct trace_line *l, bool stays)
{
    int64_t ts, printed = l->has_no_time ? ((int64_t)f->entries.count + 1) * NS_PER_LINE : l->ts;
    if (!clock_file_time(f->trace, printed, &ts))
        return;
    const char *args = l->args.p;
    if (!stays) {
        char *copy = arena_alloc_bytes(&f->arena, l->args.n);
        memcpy(copy, l->args.p, l->args.n);
        args = copy;
    }
    bool is_unnamed = l->is_of_cpu || str_eq(l->task, STR("<...>"));
    struct text_record *r = arena_alloc(&f->arena, sizeof *r);
    *r = (struct text_record){
        .args = args,
        .args_size = (uint32_t)l->args.n,
        .pid = l->pid,
        .tgid = l->tgid,
        .kind = text_events_kind(&f->events, l->kind, l->event),
        .task = is_unnamed ? NULL_STRING : trace_intern(f->trace, l->task),
        .cpu = (uint16_t)(l->cpu < UINT16_MAX ? l->cpu : UINT16_MAX),
        .flags = (uint16_t)l->flags,
        .is_of_cpu = l->is_of_cpu,
        .has_no_cpu = l->has_no_cpu,
    };
    f->lacks_cpus |= l->has_no_cpu;
    *vec_push(&f->entries) = (struct timed){.ts = ts, .record = r};
    if (text_events_role(&f->events, r->kind) == TEXT_STACK)
        f->stack_of = r;
}

static void add_graph_event(void *self, const struct trace_line *l)
{
    keep_line(self, l, false);
}

/* What a tracer of latencies tells becomes an event like others. */
static void add_tracer_line(struct ftrace_text *f, struct trace_line *l)
{
    struct tracer_event e;
    struct str task = str_eq(l->task, STR("<idle>")) ? STR("swapper") : l->task;
    if (!tracer_text_read(l->args, task, &e)) {
        text_lines_unread(f->trace, l->args);
        return;
    }
    l->kind = LINE_EVENT;
    l->event = e.event;
    l->args = (struct str){e.args, e.n};
    keep_line(f, l, false);
}

/* The lines below a stack's event are its args. */
static void close_stack(struct ftrace_text *f)
{
    struct text_record *r = f->stack_of;
    f->stack_of = NULL;
    if (!r || f->stack.count == 0 || f->stack.count > UINT32_MAX)
        return;
    char *copy = arena_alloc_bytes(&f->arena, f->stack.count);
    memcpy(copy, f->stack.items, f->stack.count);
    r->args = copy;
    r->args_size = (uint32_t)f->stack.count;
    f->stack.count = 0;
}

static void add_stack_line(struct ftrace_text *f, struct str text)
{
    if (!f->stack_of)
        return;
    vec_append(&f->stack, text.p, text.n);
    *vec_push(&f->stack) = '\n';
}

/* What stands in front of the events without "#", or between them: trace-cmd's "version = 6",
 * "cpus=6" and "CPU 1 is empty", and the header of the tracers of latencies:
 *
 *     irqsoff latency trace v1.1.5 on 2.6.26
 *     --------------------------------------------------------------------
 *     latency: 12 us, #3/3, CPU#1 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)
 *        -----------------
 *        | task: bash-3730 (uid:0 nice:0 policy:0 rt_prio:0)
 *        -----------------
 *     => started at: sys_setpgid
 *     => ended at:   sys_setpgid */
static bool is_header(struct str text)
{
    static const char *const begins[] = {
        "version = ",      "cpus=",         "latency: ", "-----",  "| task: ",
        "=> started at: ", "=> ended at: ", "trace:",    "TRACE:", "capturing trace..."};
    struct str latency = STR(" latency trace v"), rest = text;
    uint64_t cpu;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(text, str_from(begins[i])))
            return true;
    if (str_eq(str_take_word(&rest), STR("CPU")) && str_to_u64(str_take_word(&rest), 10, &cpu))
        return str_eq(str_trim(rest), STR("is empty"));
    return text.n > 0 && memmem(text.p, text.n, latency.p, latency.n);
}

/* Trace Processor counts headers, too. */
static void count_no_event(struct ftrace_text *f, struct str text)
{
    uint32_t cpu;
    uint64_t events;
    f->trace->builder->harmless[STAT_systrace_parse_failure] += is_header(str_trim(text));
    if (trace_line_lost(text, &cpu, &events) && events == 0)
        stats_set(f->trace, STAT_ftrace_cpu_has_data_loss, cpu, 1);
    else if (trace_line_lost(text, &cpu, &events))
        stats_add(f->trace, STAT_ftrace_cpu_dropped_events_delta, cpu, (int64_t)events);
    else
        stats_count(f->trace, STAT_systrace_parse_failure);
    if (str_eq(text, STR(TEXT_NOT_READ))) {
        f->trace->builder->harmless[STAT_systrace_parse_failure]++;
        stats_count(f->trace, STAT_text_not_read_by_trim);
    }
}

/* Trace Processor's lines have a word that ends in a colon behind the time; of a system call it
 * takes "sys_read(fd:" for one. */
static void note_form(struct ftrace_text *f, const struct trace_line *l)
{
    struct str rest = l->args;
    struct str word = str_take_word(&rest);
    bool is_stack = l->kind == LINE_EVENT && str_ends(l->args, STR("stack trace>"));
    bool known =
        l->kind == LINE_CALL ? str_find(word, ':') < word.n : l->kind == LINE_EVENT && !is_stack;
    f->any_known |= known;
    f->unknown += !known;
}

static void read_comment(struct ftrace_text *f, struct str text)
{
    uint64_t events;
    if (trace_line_overwritten(text, &events) && events <= INT64_MAX)
        stats_add(f->trace, STAT_ftrace_text_overwritten, STAT_SINGLE, (int64_t)events);
}

void ftrace_text_add(struct ftrace_text *f, struct str text, bool stays)
{
    struct trace_line l;
    if (text.n > 0 && *text.p == '#')
        read_comment(f, text);
    if (text.n == 0 || *text.p == '#')
        return;
    if (stack_text_is(text)) {
        f->unknown++;
        add_stack_line(f, text);
        return;
    }
    close_stack(f);
    if (!f->graph)
        f->graph = graph_text_new(f->trace, add_graph_event, f);
    if (!trace_line_read(text, &l)) {
        if (graph_text_add(f->graph, text))
            f->unknown++;
        else
            count_no_event(f, text);
        return;
    }
    note_form(f, &l);
    if (l.kind == LINE_TRACER) {
        add_tracer_line(f, &l);
        return;
    }
    bool of_graph = graph_text_is_event(l.event);
    if (!of_graph || !graph_text_add_event(f->graph, &l))
        keep_line(f, &l, stays);
}

void ftrace_text_add_retold(struct ftrace_text *f, struct str text)
{
    struct trace_line l;
    if (!trace_line_read(text, &l))
        count_no_event(f, text);
    else if (l.kind == LINE_TRACER)
        add_tracer_line(f, &l);
    else
        keep_line(f, &l, false);
}

void ftrace_text_add_perf(struct ftrace_text *f, struct str text, bool stays)
{
    struct trace_line l;
    if (perf_notice_begins(&f->notice, text) || text.n == 0 || *text.p == '#')
        return;
    if (perf_line_read(text, &l)) {
        f->notice.goes_on = false;
        keep_line(f, &l, stays);
    } else if (!f->notice.goes_on) {
        count_no_event(f, text);
    }
}

static void look_at_record(struct ftrace_text *f, struct cpu_guess *g, const struct text_record *r)
{
    struct str text = {r->args, r->args_size};
    struct switch_text s;
    int64_t target = -1;
    if (text_events_role(&f->events, r->kind) == TEXT_SWITCH && switch_text_read(text, &s)) {
        cpu_guess_switch(g, &(struct cpu_guess_task){(uint32_t)s.prev_pid, s.prev_comm},
                         &(struct cpu_guess_task){(uint32_t)s.next_pid, s.next_comm});
        return;
    }
    bool is_wakeup = (text_args_number(text, STR("target_cpu"), &target) ||
                      text_args_number(text, STR("dest_cpu"), &target)) &&
                     target >= 0 && target < CPU_GUESS_MOST;
    int64_t woken;
    if (is_wakeup && text_args_number(text, STR("pid"), &woken))
        cpu_guess_wakeup(g, (uint32_t)woken, (uint32_t)target);
    cpu_guess_event(g, r->is_of_cpu ? NULL_U32 : r->pid, is_wakeup ? (uint32_t)target : NULL_U32);
}

/* Where some lines do not tell it. */
static void guess_cpus(struct ftrace_text *f)
{
    struct cpu_guess *g = cpu_guess_new();
    for (size_t i = 0; i < f->entries.count; i++)
        look_at_record(f, g, f->entries.items[i].record);
    cpu_guess_finish(g);
    for (size_t i = 0; i < f->entries.count; i++) {
        struct text_record *r = (struct text_record *)f->entries.items[i].record;
        if (!r->has_no_cpu)
            continue;
        r->cpu = (uint16_t)cpu_guess_cpu(g, i);
        stats_count(f->trace, STAT_ftrace_text_guessed_cpu);
    }
    cpu_guess_free(g);
}

void ftrace_text_apply(struct ftrace_text *f)
{
    close_stack(f);
    if (f->any_known) { /* it counts them, where it reads a file at all */
        stats_add(f->trace, STAT_systrace_parse_failure, STAT_SINGLE, (int64_t)f->unknown);
        f->trace->builder->harmless[STAT_systrace_parse_failure] += (int64_t)f->unknown;
    }
    time_sort(f->entries.items, f->entries.count);
    if (f->lacks_cpus)
        guess_cpus(f);
    ftrace_rows_expect(f->trace,
                       f->entries.count < UINT32_MAX / 2 ? (uint32_t)f->entries.count : 0);
    for (size_t i = 0; i < f->entries.count; i++)
        text_events_apply(&f->events, f->entries.items[i].record, f->entries.items[i].ts);
}
