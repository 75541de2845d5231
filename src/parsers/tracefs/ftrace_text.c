#include "parsers/tracefs/ftrace_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/samples/samples.h"
#include "parsers/text/systrace.h"
#include "parsers/tracefs/cpu_guess.h"
#include "parsers/tracefs/event_text.h"
#include "parsers/tracefs/graph_text.h"
#include "parsers/tracefs/perf_line.h"
#include "parsers/tracefs/printk_text.h"
#include "parsers/tracefs/sched_text.h"
#include "parsers/tracefs/stack_text.h"
#include "parsers/tracefs/text_args.h"
#include "parsers/tracefs/trace_line.h"
#include "parsers/tracefs/tracer_text.h"
#include "pb_fields.h"

struct line_event;

/* What is known of events of one name. */
struct text_event {
    string_id name;
    enum trace_line_kind line;
    struct event_text *text; /* NULL where FtraceEvent has no such event */
    const struct ftrace_handler *handler;
    /* What Trace Processor does with it, or what the text needs done in another way than a message;
     * false: the handler shall see it. NULL: it does nothing. */
    bool (*apply)(struct ftrace_text *f, const struct line_event *l);
    bool has_own_row; /* `apply` makes it */
    uint32_t args;    /* kind of payload; 0 before the first */
    string_id slice;  /* of system calls */
};

/* A line that waits for its turn. */
struct record {
    const char *args;
    uint32_t args_size, pid, tgid, kind;
    string_id task; /* NULL_STRING where it is not known */
    uint16_t cpu, flags;
    bool is_of_cpu, has_no_cpu;
};

/* A line in its turn. */
struct line_event {
    const struct record *r;
    struct text_event *kind;
    struct str args;
    int64_t ts;
    struct ftrace_event e;
};

enum { CACHED_KINDS = 64, SYMBOLS = 1, NS_PER_LINE = 1000 };

struct ftrace_text {
    struct trace *trace;
    struct import import;
    uint32_t machine;
    struct arena arena;
    VEC(struct timed) entries;
    struct map kind_numbers;
    VEC(struct text_event *) kinds;
    struct text_event *cached[CACHED_KINDS];
    struct pb_bytes message; /* scratch */
    struct text_args *text_args;
    struct graph_text *graph;
    struct samples samples;  /* of the stacks; begun with the first */
    struct record *stack_of; /* the event that lines of a stack belong to */
    VEC(char) stack;
    uint64_t unknown; /* lines that only we can read */
    bool any_known;   /* a line that Trace Processor reads, too */
    bool has_waking;  /* a wakeup follows each */
    bool has_newtask;
    bool lacks_cpus; /* of lines that do not tell it */
};

struct ftrace_text *ftrace_text_new(struct trace *t)
{
    struct ftrace_text *f = alloc_array(1, sizeof *f);
    f->trace = t;
    f->machine = stats_scope(t)->machine;
    arena_init(&f->arena);
    import_init(&f->import, t, (struct bytes){NULL, 0});
    ftrace_import_init(&f->import);
    f->import.ftrace->symbols_are_strings = true;
    f->text_args = text_args_new(t);
    return f;
}

void ftrace_text_free(struct ftrace_text *f)
{
    ftrace_import_release(&f->import);
    import_release(&f->import);
    arena_release(&f->arena);
    vec_release(&f->entries);
    map_release(&f->kind_numbers);
    for (size_t i = 0; i < f->kinds.count; i++) {
        event_text_free(f->kinds.items[i]->text);
        free(f->kinds.items[i]);
    }
    vec_release(&f->kinds);
    pb_bytes_release(&f->message);
    graph_text_free(f->graph);
    if (f->samples.trace)
        samples_release(&f->samples);
    vec_release(&f->stack);
    free(f);
}

static void count_malformed(const struct ftrace_text *f)
{
    stats_count(f->trace, STAT_ftrace_text_malformed_event);
}

static struct ftrace_cpu *cpu_of(struct ftrace_text *f, uint32_t number)
{
    struct ftrace_cpu *cpu = ftrace_cpu_of(f->import.ftrace, number);
    if (cpu->known)
        return cpu;
    cpu->known = true;
    cpu->machine = f->machine;
    cpu->cpu = number;
    cpu->ucpu = trace_ucpu_unnamed(f->trace, f->machine, number);
    cpu->sched = sched_cpu_make(f->machine, cpu->ucpu);
    cpu->valid_from = INT64_MIN;
    return cpu;
}

/* What no task is known of counts as the idle thread's, as rows must name one. */
static void append_row(struct ftrace_text *f, const struct ftrace_event *e, string_id name,
                       uint32_t utid, uint32_t arg_set)
{
    struct ftrace_event_row row = {
        .ts = e->ts,
        .name = name,
        .utid = utid == NULL_U32 ? 0 : utid,
        .arg_set_id = arg_set,
        .common_flags = e->common_flags,
        .ucpu = e->cpu->ucpu,
    };
    ftrace_event_append(&f->trace->tables.ftrace_event, &row);
}

/* The letters of kernels before 4.8, which Trace Processor takes them for; numbers are from
 * recordings that were printed without knowledge of the states. */
static int64_t raw_state(struct str text)
{
    enum { INVALID = 0xffff, PREEMPTED = 0x800 };
    static const uint16_t bits[] = {
        ['S'] = 1,  ['D'] = 2,   ['T'] = 4,   ['t'] = 8,   ['X'] = 16,   ['Z'] = 32,
        ['x'] = 64, ['K'] = 128, ['W'] = 256, ['P'] = 512, ['N'] = 1024, ['I'] = 1026};
    int64_t raw;
    if (str_to_i64(text, &raw))
        return raw;
    if (text.n == 0)
        return INVALID;
    if (text.p[0] == 'R')
        return str_eq(text, STR("R+")) ? PREEMPTED : 0;
    raw = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t letter = (unsigned char)text.p[i];
        if (letter == '|')
            continue;
        if (letter >= sizeof bits / sizeof bits[0] || !bits[letter])
            return INVALID;
        raw |= bits[letter];
    }
    return raw;
}

/* As trace-cmd prints it. */
static bool read_short_switch(struct str text, struct ftrace_switch_args *args, struct str comms[2],
                              struct str *state)
{
    struct sched_text_task prev, next;
    if (!sched_text_switch(text, &prev, state, &next))
        return false;
    comms[0] = prev.comm;
    comms[1] = next.comm;
    *args = (struct ftrace_switch_args){.prev_pid = (int32_t)prev.pid,
                                        .prev_prio = (int32_t)prev.prio,
                                        .next_pid = (int32_t)next.pid,
                                        .next_prio = (int32_t)next.prio};
    return true;
}

/* "key=value " at the start of `rest`, which then begins behind it; `key` ends in '='. */
static inline bool take_word(struct str *rest, struct str key, struct str *value)
{
    if (!str_starts(*rest, key))
        return false;
    size_t end = key.n;
    while (end < rest->n && rest->p[end] != ' ' && rest->p[end] != '=')
        end++;
    if (end == key.n || (end < rest->n && rest->p[end] == '='))
        return false;
    *value = str_from_to(*rest, key.n, end);
    *rest = str_behind(*rest, end);
    return true;
}

static inline bool take_number(struct str *rest, struct str key, int32_t *value)
{
    enum { DIGITS_MAX = 9 };
    if (!str_starts(*rest, key))
        return false;
    bool negative = key.n < rest->n && rest->p[key.n] == '-';
    size_t at = key.n + negative, from = at;
    int32_t v = 0;
    for (; at < rest->n && at - from < DIGITS_MAX && rest->p[at] >= '0' && rest->p[at] <= '9'; at++)
        v = v * 10 + (rest->p[at] - '0');
    if (at == from || (at < rest->n && rest->p[at] != ' '))
        return false;
    *value = negative ? -v : v;
    *rest = str_behind(*rest, at);
    return true;
}

/* As the kernel prints it, where the names are single words. */
static bool read_plain_switch(struct str text, struct ftrace_switch_args *args, struct str comms[2],
                              struct str *state)
{
    if (!take_word(&text, STR("prev_comm="), &comms[0]) ||
        !take_number(&text, STR("prev_pid="), &args->prev_pid) ||
        !take_number(&text, STR("prev_prio="), &args->prev_prio) ||
        !take_word(&text, STR("prev_state="), state))
        return false;
    if (str_starts(text, STR("==> ")))
        text = str_skip(text, 4);
    return take_word(&text, STR("next_comm="), &comms[1]) &&
           take_number(&text, STR("next_pid="), &args->next_pid) &&
           take_number(&text, STR("next_prio="), &args->next_prio);
}

/* In the kernel's order. */
static bool read_switch(struct str text, struct ftrace_switch_args *args, struct str comms[2],
                        struct str *state)
{
    if (read_plain_switch(text, args, comms, state))
        return true;
    enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, KEYS };
    static const struct str keys[KEYS] = {
        {"prev_comm", 9}, {"prev_pid", 8}, {"prev_prio", 9}, {"prev_state", 10},
        {"next_comm", 9}, {"next_pid", 8}, {"next_prio", 9},
    };
    struct str v[KEYS] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}};
    int64_t prev_pid, prev_prio, next_pid, next_prio;
    text_args_find_all(text, keys, v, KEYS);
    comms[0] = v[PREV_COMM];
    comms[1] = v[NEXT_COMM];
    *state = v[PREV_STATE];
    if (!str_to_i64(v[PREV_PID], &prev_pid) || !str_to_i64(v[PREV_PRIO], &prev_prio) ||
        !str_to_i64(v[NEXT_PID], &next_pid) || !str_to_i64(v[NEXT_PRIO], &next_prio))
        return read_short_switch(text, args, comms, state);
    args->prev_pid = (int32_t)prev_pid;
    args->prev_prio = (int32_t)prev_prio;
    args->next_pid = (int32_t)next_pid;
    args->next_prio = (int32_t)next_prio;
    return true;
}

static bool apply_switch(struct ftrace_text *f, const struct line_event *l)
{
    struct trace *t = f->trace;
    struct ftrace_switch_args args = {0};
    struct str comms[2], state;
    if (!read_switch(l->args, &args, comms, &state)) {
        count_malformed(f);
        return true;
    }
    args.prev_state = raw_state(state);
    args.prev_comm = trace_intern(t, comms[0]);
    args.next_comm = trace_intern(t, comms[1]);
    struct sched_switch s = {
        .ts = l->ts,
        .prev_pid = (uint32_t)args.prev_pid,
        .next_pid = (uint32_t)args.next_pid,
        .prev_comm = args.prev_comm,
        .next_comm = args.next_comm,
        .prev_state = sched_state_string(t, args.prev_state, 0),
        .next_prio = args.next_prio,
    };
    trace_ucpu(t, f->machine, l->e.cpu->cpu);
    uint32_t prev = sched_switch(t, &l->e.cpu->sched, &s);
    uint32_t set = args_intern_payload(&t->args, f->import.ftrace->switch_args,
                                       (const uint8_t *)&args, sizeof args);
    struct ftrace_event e = l->e;
    e.common_flags = 0;
    append_row(f, &e, l->kind->name, prev, set);
    return true;
}

static bool apply_mark(struct ftrace_text *f, const struct line_event *l)
{
    struct str text = l->args, before = STR("tracing_mark_write: ");
    if (str_starts(text, before)) /* as trace-cmd prints it */
        text = str_skip(text, before.n);
    ftrace_cut_write_call(&l->e);
    systrace_parse(f->trace, f->machine, l->ts, l->r->pid, text);
    return true;
}

static bool apply_waking(struct ftrace_text *f, const struct line_event *l)
{
    struct trace *t = f->trace;
    int64_t pid;
    static const struct str keys[] = {{"comm", 4}, {"pid", 3}};
    struct str v[] = {{"", 0}, {"", 0}}, comm, rest = l->args;
    struct sched_text_task task;
    int32_t plain = 0;
    bool is_plain =
        take_word(&rest, STR("comm="), &v[0]) && take_number(&rest, STR("pid="), &plain);
    if (!is_plain)
        text_args_find_all(l->args, keys, v, 2);
    if (is_plain && plain >= 0) {
        comm = v[0];
        pid = plain;
    } else if (str_to_i64(v[1], &pid) && pid >= 0 && pid <= UINT32_MAX) {
        comm = v[0];
    } else if (sched_text_wakeup(l->args, &task)) {
        pid = task.pid;
        comm = task.comm;
    } else {
        count_malformed(f);
        return true;
    }
    uint32_t woken = process_tracker_thread(t, f->machine, pid);
    process_tracker_set_thread_name(t, woken, trace_intern(t, comm), THREAD_NAME_FTRACE);
    sched_waking(t, l->ts, woken, l->e.utid, NULL_U32);
    return true;
}

static bool apply_wakeup(struct ftrace_text *f, const struct line_event *l)
{
    return f->has_waking || apply_waking(f, l);
}

/* Where task_newtask was recorded, it told of the thread. */
static bool apply_wakeup_new(struct ftrace_text *f, const struct line_event *l)
{
    return f->has_newtask || apply_wakeup(f, l);
}

static bool apply_printk(struct ftrace_text *f, const struct line_event *l)
{
    printk_text_apply(f->trace, f->machine, l->ts, l->e.utid, l->args);
    return true;
}

static bool apply_stack(struct ftrace_text *f, const struct line_event *l)
{
    uint32_t callsite = stack_text_callsite(f->trace, l->args);
    if (callsite == NULL_U32 || l->e.utid == NULL_U32)
        return true;
    if (!f->samples.trace)
        f->samples = samples_begin(f->trace, STR("ftrace"));
    samples_add(&f->samples, l->ts, l->e.utid, callsite);
    return true;
}

static bool apply_latency(struct ftrace_text *f, const struct line_event *l)
{
    tracer_text_count(f->trace, f->machine, l->e.cpu->cpu, l->ts,
                      string_pool_get(&f->trace->strings, l->kind->name), l->args);
    return true;
}

static bool apply_transaction(struct ftrace_text *f, const struct line_event *l)
{
    struct trace *t = f->trace;
    int64_t id, node, process, thread, reply = 0, flags = 0;
    if (!text_args_number(l->args, STR("transaction"), &id) ||
        !text_args_number(l->args, STR("dest_node"), &node) ||
        !text_args_number(l->args, STR("dest_proc"), &process) ||
        !text_args_number(l->args, STR("dest_thread"), &thread)) {
        count_malformed(f);
        return true;
    }
    struct str code = STR(""), word = STR("");
    text_args_number(l->args, STR("reply"), &reply);
    text_args_find(l->args, STR("flags"), &word);
    event_text_number(word, &flags);
    text_args_find(l->args, STR("code"), &code);
    char text[64];
    int n = snprintf(text, sizeof text, "%.*s Java Layer Dependent",
                     (int)(code.n < 32 ? code.n : 32), code.p);
    struct binder_transaction b = {
        .debug_id = id,
        .target_node = node,
        .to_process = process,
        .to_thread = thread,
        .is_reply = reply == 1,
        .flags = (uint32_t)flags,
        .code_text = trace_intern(t, (struct str){text, (size_t)n}),
        .calling_tid = l->r->pid,
    };
    binder_transaction(t, f->machine, l->ts, &b);
    return true;
}

static bool apply_work_start(struct ftrace_text *f, const struct line_event *l)
{
    static const char before[] = "function ";
    const char *at = l->args.n ? memmem(l->args.p, l->args.n, before, sizeof before - 1) : NULL;
    if (!at) {
        count_malformed(f);
        return true;
    }
    struct str function = str_skip(l->args, (size_t)(at - l->args.p) + sizeof before - 1);
    slice_begin(f->trace, l->ts, track_thread(f->trace, l->e.utid),
                trace_intern(f->trace, STR("workqueue")), trace_intern(f->trace, function));
    return true;
}

static bool apply_work_end(struct ftrace_text *f, const struct line_event *l)
{
    slice_end(f->trace, l->ts, track_thread(f->trace, l->e.utid),
              trace_intern(f->trace, STR("workqueue")), NULL_STRING);
    return true;
}

/* "size=8437760 member=1 curr=1 mm_id=2824390453" counts for the thread of the line, whoever's
 * memory it is. The kernel's own text names the unit. */
static bool apply_rss(struct ftrace_text *f, const struct line_event *l)
{
    int64_t size, member;
    if (!text_args_number(l->args, STR("size"), &size) ||
        !text_args_number(l->args, STR("member"), &member))
        return false;
    struct pb_bytes message = {0};
    pb_put_uint(&message, PB_RssStatFtraceEvent_member, (uint64_t)member);
    pb_put_uint(&message, PB_RssStatFtraceEvent_size, (uint64_t)size);
    struct ftrace_event e = l->e;
    e.p = message.v.items;
    e.n = message.v.count;
    l->kind->handler->handle(&e);
    pb_bytes_release(&message);
    (void)f;
    return true;
}

static bool apply_call(struct ftrace_text *f, const struct line_event *l)
{
    struct trace *t = f->trace;
    uint32_t track = track_thread(t, l->e.utid);
    uint32_t slice = slice_begin(t, l->ts, track, NULL_STRING, l->kind->slice);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args)
        text_args_read(f->text_args, TEXT_CALL, l->args, args);
    return true;
}

static bool apply_return(struct ftrace_text *f, const struct line_event *l)
{
    struct trace *t = f->trace;
    uint32_t track = track_thread(t, l->e.utid);
    uint32_t slice = slice_find_end(t, l->ts, track, NULL_STRING, l->kind->slice);
    if (slice == NULL_U32)
        return true;
    struct arg_list *args = slice_args(t, track, slice);
    if (args)
        text_args_read(f->text_args, TEXT_RETURN, l->args, args);
    slice_end(t, l->ts, track, NULL_STRING, l->kind->slice);
    return true;
}

/* The counter of a cpu names it. */
static bool apply_cpu_value(struct ftrace_text *f, const struct line_event *l)
{
    int64_t cpu;
    if (!text_args_number(l->args, STR("cpu_id"), &cpu) || cpu < 0 || cpu > UINT16_MAX) {
        count_malformed(f);
        return true;
    }
    trace_ucpu(f->trace, f->machine, (uint32_t)cpu);
    return false;
}

static const struct {
    const char *event;
    bool (*apply)(struct ftrace_text *f, const struct line_event *l);
    bool has_own_row;
} readers[] = {
    {"0", apply_mark, false},
    {"binder_transaction", apply_transaction, false},
    {"bprint", apply_printk, false},
    {"bputs", apply_printk, false},
    {"cpu_frequency", apply_cpu_value, false},
    {"cpu_frequency_limits", apply_cpu_value, false},
    {"cpu_idle", apply_cpu_value, false},
    {"hwlat", apply_latency, false},
    {"kernel_stack", apply_stack, false},
    {"osnoise", apply_latency, false},
    {"print", apply_mark, false},
    {"rss_stat", apply_rss, false},
    {"sched_switch", apply_switch, true},
    {"sched_waking", apply_waking, false},
    {"sched_wakeup", apply_wakeup, false},
    {"sched_wakeup_new", apply_wakeup_new, false},
    {"timerlat", apply_latency, false},
    {"tracing_mark_write", apply_mark, false},
    {"user_stack", apply_stack, false},
    {"workqueue_execute_end", apply_work_end, false},
    {"workqueue_execute_start", apply_work_start, false},
};

static string_id joined(struct trace *t, const char *before, struct str name)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%s%.*s", before, (int)(name.n < 96 ? name.n : 96), name.p);
    return trace_intern(t, (struct str){text, (size_t)n});
}

/* "sys_read" is what sys_enter_read prints, and sys_exit_read. */
static void make_call(struct ftrace_text *f, struct text_event *k, struct str name)
{
    struct str before = STR("sys_"), call = name;
    if (str_starts(call, before))
        call = str_skip(call, before.n);
    k->slice = trace_intern(f->trace, name);
    k->name = joined(f->trace, k->line == LINE_CALL ? "sys_enter_" : "sys_exit_", call);
    k->apply = k->line == LINE_CALL ? apply_call : apply_return;
}

static void make_event(struct ftrace_text *f, struct text_event *k, struct str name)
{
    k->name = trace_intern(f->trace, name);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (str_eq(str_from(readers[i].event), name)) {
            k->apply = readers[i].apply;
            k->has_own_row = readers[i].has_own_row;
        }
    k->text = k->apply == apply_mark ? event_text_new(STR("print")) : event_text_new(name);
    if (k->text)
        k->handler = ftrace_handlers_find(&f->import.ftrace->handlers, event_text_event(k->text));
    f->has_waking |= k->apply == apply_waking;
    f->has_newtask |= str_eq(name, STR("task_newtask"));
}

static uint32_t new_kind(struct ftrace_text *f, enum trace_line_kind line, struct str name)
{
    struct text_event *k = alloc_array(1, sizeof *k);
    k->line = line;
    if (line == LINE_EVENT)
        make_event(f, k, name);
    else if (line == LINE_FUNCTION)
        k->name = trace_intern(f->trace, STR("function"));
    else
        make_call(f, k, name);
    *vec_push(&f->kinds) = k;
    return (uint32_t)f->kinds.count - 1;
}

static uint32_t kind_of(struct ftrace_text *f, enum trace_line_kind line, struct str name)
{
    if (line == LINE_FUNCTION) /* `name` is a function */
        name = STR("function");
    bool inserted;
    uint64_t hash = hash_bytes(name.p, name.n, (uint64_t)line);
    uint32_t *number = map_insert(&f->kind_numbers, hash, &inserted);
    if (inserted)
        *number = new_kind(f, line, name);
    return *number;
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
    struct record *r = arena_alloc(&f->arena, sizeof *r);
    *r = (struct record){
        .args = args,
        .args_size = (uint32_t)l->args.n,
        .pid = l->pid,
        .tgid = l->tgid,
        .kind = kind_of(f, l->kind, l->event),
        .task = is_unnamed ? NULL_STRING : trace_intern(f->trace, l->task),
        .cpu = (uint16_t)(l->cpu < UINT16_MAX ? l->cpu : UINT16_MAX),
        .flags = (uint16_t)l->flags,
        .is_of_cpu = l->is_of_cpu,
        .has_no_cpu = l->has_no_cpu,
    };
    f->lacks_cpus |= l->has_no_cpu;
    *vec_push(&f->entries) = (struct timed){.ts = ts, .record = r};
    if (f->kinds.items[r->kind]->apply == apply_stack)
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
    if (!tracer_text_read(l->args, task, &e))
        return;
    l->kind = LINE_EVENT;
    l->event = e.event;
    l->args = (struct str){e.args, e.n};
    keep_line(f, l, false);
}

/* The lines below a stack's event are its args. */
static void close_stack(struct ftrace_text *f)
{
    struct record *r = f->stack_of;
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

static void count_no_event(struct ftrace_text *f, struct str text)
{
    uint32_t cpu;
    uint64_t events;
    stats_count(f->trace, STAT_systrace_parse_failure);
    if (trace_line_lost(text, &cpu, &events))
        stats_add(f->trace, STAT_ftrace_cpu_dropped_events_delta, cpu, (int64_t)events);
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

void ftrace_text_add(struct ftrace_text *f, struct str text, bool stays)
{
    struct trace_line l;
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
    bool of_graph = str_starts(l.event, STR("funcgraph_"));
    if (!of_graph || !graph_text_add_event(f->graph, &l))
        keep_line(f, &l, stays);
}

void ftrace_text_add_perf(struct ftrace_text *f, struct str text, bool stays)
{
    struct trace_line l;
    if (text.n == 0 || *text.p == '#')
        return;
    if (perf_line_read(text, &l))
        keep_line(f, &l, stays);
    else
        count_no_event(f, text);
}

/* The event's own text as the args of its row. */
static void add_text_row(struct ftrace_text *f, struct line_event *l)
{
    static const enum text_words words[] = {[LINE_CALL] = TEXT_CALL,
                                            [LINE_RETURN] = TEXT_RETURN,
                                            [LINE_EVENT] = TEXT_EVENT,
                                            [LINE_FUNCTION] = TEXT_EVENT};
    if (!l->kind->args)
        l->kind->args = text_args_kind(f->text_args, words[l->kind->line]);
    uint32_t set =
        args_intern_payload(&f->trace->args, l->kind->args, (const uint8_t *)l->args.p, l->args.n);
    append_row(f, &l->e, l->kind->name, l->e.utid, set);
}

static void note_symbol(struct ftrace_text *f, string_id symbol)
{
    struct ftrace_decoder *d = f->import.ftrace->decoder;
    if (!ftrace_decoder_symbol(d, SYMBOLS, symbol))
        ftrace_decoder_set_symbol(d, SYMBOLS, symbol, symbol);
}

/* The event as a message, which its row has the args of. */
static void add_message_row(struct ftrace_text *f, struct line_event *l)
{
    struct text_event *k = l->kind;
    string_id symbol = NULL_STRING;
    f->message.v.count = 0;
    if (k->apply == apply_mark)
        pb_put_str(&f->message, PB_PrintFtraceEvent_buf, l->args);
    else
        event_text_encode(k->text, l->args, &f->trace->strings, &f->message, &symbol);
    if (symbol)
        note_symbol(f, symbol);
    l->e.id = event_text_event(k->text);
    l->e.p = f->message.v.items;
    l->e.n = f->message.v.count;
    if (!k->args)
        k->args = args_kind(&f->trace->args, f->import.ftrace->decoder_number,
                            ftrace_decoder_context(l->e.id, SYMBOLS));
    l->e.arg_set = args_intern_payload(&f->trace->args, k->args, l->e.p, l->e.n);
    append_row(f, &l->e, k->name, l->e.utid, l->e.arg_set);
}

static uint32_t thread_of(struct ftrace_text *f, const struct record *r)
{
    if (r->is_of_cpu)
        return NULL_U32;
    return r->tgid == NULL_U32
               ? process_tracker_thread(f->trace, f->machine, r->pid)
               : process_tracker_update_thread(f->trace, f->machine, r->pid, r->tgid);
}

static void apply_line(struct ftrace_text *f, const struct timed *entry)
{
    struct trace *t = f->trace;
    const struct record *r = entry->record;
    struct line_event l = {.r = r,
                           .kind = f->kinds.items[r->kind],
                           .args = {r->args, r->args_size},
                           .ts = entry->ts};
    uint32_t utid = thread_of(f, r);
    if (r->task)
        process_tracker_set_thread_name(t, utid, r->task, THREAD_NAME_FTRACE);
    l.e = (struct ftrace_event){.f = f->import.ftrace,
                                .t = t,
                                .cpu = cpu_of(f, r->cpu),
                                .ts = entry->ts,
                                .pid = r->pid,
                                .utid = utid,
                                .common_flags = r->flags,
                                .arg_set = NULL_U32};
    if (!l.kind->has_own_row && l.kind->text)
        add_message_row(f, &l);
    else if (!l.kind->has_own_row)
        add_text_row(f, &l);
    bool done = l.kind->apply && l.kind->apply(f, &l);
    if (!done && l.kind->handler)
        l.kind->handler->handle(&l.e);
}

static void look_at_record(struct ftrace_text *f, struct cpu_guess *g, const struct record *r)
{
    struct str text = {r->args, r->args_size}, comms[2], state;
    struct text_event *kind = f->kinds.items[r->kind];
    struct ftrace_switch_args args;
    int64_t target = -1;
    if (kind->apply == apply_switch && read_switch(text, &args, comms, &state)) {
        cpu_guess_switch(g, &(struct cpu_guess_task){(uint32_t)args.prev_pid, comms[0]},
                         &(struct cpu_guess_task){(uint32_t)args.next_pid, comms[1]});
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
        struct record *r = (struct record *)f->entries.items[i].record;
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
    if (f->any_known) /* it counts them, where it reads a file at all */
        stats_add(f->trace, STAT_systrace_parse_failure, STAT_SINGLE, (int64_t)f->unknown);
    time_sort(f->entries.items, f->entries.count);
    if (f->lacks_cpus)
        guess_cpus(f);
    table_reserve(&f->trace->tables.ftrace_event,
                  f->entries.count < UINT32_MAX / 2 ? (uint32_t)f->entries.count : 0);
    for (size_t i = 0; i < f->entries.count; i++)
        apply_line(f, &f->entries.items[i]);
}
