#include "parsers/tracefs/text_readers.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/text/systrace.h"
#include "parsers/tracefs/printk_text.h"
#include "parsers/tracefs/stack_text.h"
#include "parsers/tracefs/switch_text.h"
#include "parsers/tracefs/text_events.h"
#include "parsers/tracefs/tracer_text.h"
#include "pb_fields.h"

static void count_malformed(const struct text_events *f)
{
    stats_count(f->trace, STAT_ftrace_text_malformed_event);
}

static bool read_switch(struct text_events *f, const struct text_line *l)
{
    struct trace *t = f->trace;
    struct switch_text text;
    if (!switch_text_read(l->args, &text)) {
        count_malformed(f);
        return true;
    }
    struct ftrace_switch_args args = {.prev_state = switch_text_state(text.prev_state),
                                      .prev_pid = text.prev_pid,
                                      .prev_prio = text.prev_prio,
                                      .next_pid = text.next_pid,
                                      .next_prio = text.next_prio};
    args.prev_comm = trace_intern(t, text.prev_comm);
    args.next_comm = trace_intern(t, text.next_comm);
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
    struct ftrace_event e = l->e;
    e.common_flags = 0;
    e.utid = prev;
    e.arg_set = args_intern_payload(&t->args, f->import.ftrace->switch_args, (const uint8_t *)&args,
                                    sizeof args);
    text_row_append(f, &e, l->kind->name);
    return true;
}

static struct str mark_text(struct str args)
{
    struct str before = STR("tracing_mark_write: "); /* as trace-cmd prints it */
    return str_starts(args, before) ? str_skip(args, before.n) : args;
}

static bool read_mark(struct text_events *f, const struct text_line *l)
{
    ftrace_cut_write_call(&l->e);
    systrace_parse(f->trace, f->machine, l->ts, l->r->pid, mark_text(l->args));
    return true;
}

static bool read_waking(struct text_events *f, const struct text_line *l)
{
    struct trace *t = f->trace;
    struct str comm;
    int64_t pid;
    if (!wakeup_text_read(l->args, &comm, &pid)) {
        count_malformed(f);
        return true;
    }
    uint32_t woken = process_tracker_thread(t, f->machine, pid);
    process_tracker_set_thread_name(t, woken, trace_intern(t, comm), THREAD_NAME_KERNEL);
    sched_waking(t, l->ts, woken, l->e.utid, NULL_U32);
    return true;
}

static bool read_wakeup(struct text_events *f, const struct text_line *l)
{
    return f->has_waking || read_waking(f, l);
}

/* Where task_newtask was recorded, it told of the thread. */
static bool read_wakeup_new(struct text_events *f, const struct text_line *l)
{
    return f->has_newtask || read_wakeup(f, l);
}

static bool read_printk(struct text_events *f, const struct text_line *l)
{
    printk_text_apply(f->trace, f->machine, l->ts, l->e.utid, l->args);
    return true;
}

static void say_printk(const struct ftrace_event *e, struct str event, struct str args,
                       struct felt_sink *out)
{
    uint64_t counters = printk_text_counters(args);
    (void)event;
    if (counters)
        felt_last(out,
                  hash_mix(felt_key(e, UINT32_MAX), counters)); /* of no event that has a number */
}

static bool read_stack(struct text_events *f, const struct text_line *l)
{
    uint32_t callsite = stack_text_callsite(f->trace, l->args);
    if (callsite == NULL_U32 || l->e.utid == NULL_U32)
        return true;
    if (!f->samples.trace)
        f->samples = samples_begin(f->trace, STR("ftrace"));
    samples_add(&f->samples, l->ts, l->e.utid, callsite);
    return true;
}

static bool read_latency(struct text_events *f, const struct text_line *l)
{
    tracer_text_count(f->trace, f->machine, l->e.cpu->cpu, l->ts,
                      string_pool_get(&f->trace->strings, l->kind->name), l->args);
    return true;
}

/* The last values of each context on the cpu. */
static void say_latency(const struct ftrace_event *e, struct str event, struct str args,
                        struct felt_sink *out)
{
    struct str context = STR("");
    text_args_find(args, STR("context"), &context);
    uint64_t key = hash_mix(felt_text_name(event), felt_text_name(context));
    felt_last(out, hash_mix(key, e->cpu->cpu));
}

static bool read_transaction(struct text_events *f, const struct text_line *l)
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

static bool read_work_start(struct text_events *f, const struct text_line *l)
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

static bool read_work_end(struct text_events *f, const struct text_line *l)
{
    slice_end(f->trace, l->ts, track_thread(f->trace, l->e.utid),
              trace_intern(f->trace, STR("workqueue")), NULL_STRING);
    return true;
}

/* "size=8437760 member=1 curr=1 mm_id=2824390453" counts for the thread of the line, whoever's
 * memory it is. The kernel's own text names the unit. */
static bool read_rss(struct text_events *f, const struct text_line *l)
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

/* The counter of a cpu names it. */
static bool read_cpu_value(struct text_events *f, const struct text_line *l)
{
    int64_t cpu;
    if (!text_args_number(l->args, STR("cpu_id"), &cpu) || cpu < 0 || cpu > UINT16_MAX) {
        count_malformed(f);
        return true;
    }
    trace_ucpu(f->trace, f->machine, (uint32_t)cpu);
    return false;
}

const struct text_event_reader text_event_readers[] = {
    {"0", read_mark, TEXT_MARK, NULL},
    {"binder_transaction", read_transaction, TEXT_PLAIN, NULL},
    {"bprint", read_printk, TEXT_PLAIN, say_printk},
    {"bputs", read_printk, TEXT_PLAIN, say_printk},
    {"cpu_frequency", read_cpu_value, TEXT_PLAIN, NULL},
    {"cpu_frequency_limits", read_cpu_value, TEXT_PLAIN, NULL},
    {"cpu_idle", read_cpu_value, TEXT_PLAIN, NULL},
    {"hwlat", read_latency, TEXT_PLAIN, say_latency},
    {"kernel_stack", read_stack, TEXT_STACK, NULL},
    {"osnoise", read_latency, TEXT_PLAIN, say_latency},
    {"print", read_mark, TEXT_MARK, NULL},
    {"rss_stat", read_rss, TEXT_PLAIN, NULL},
    {"sched_switch", read_switch, TEXT_SWITCH, NULL},
    {"sched_waking", read_waking, TEXT_WAKING, NULL},
    {"sched_wakeup", read_wakeup, TEXT_WAKEUP, NULL},
    {"sched_wakeup_new", read_wakeup_new, TEXT_WAKEUP, NULL},
    {"timerlat", read_latency, TEXT_PLAIN, say_latency},
    {"tracing_mark_write", read_mark, TEXT_MARK, NULL},
    {"user_stack", read_stack, TEXT_STACK, NULL},
    {"workqueue_execute_end", read_work_end, TEXT_PLAIN, NULL},
    {"workqueue_execute_start", read_work_start, TEXT_PLAIN, NULL},
};
const size_t text_reader_count = sizeof text_event_readers / sizeof text_event_readers[0];

const struct text_event_reader *text_reader_find(struct str event)
{
    for (size_t i = 0; i < text_reader_count; i++)
        if (str_eq(str_from(text_event_readers[i].event), event))
            return &text_event_readers[i];
    return NULL;
}

bool text_read_call(struct text_events *f, const struct text_line *l)
{
    struct trace *t = f->trace;
    uint32_t track = track_thread(t, l->e.utid);
    uint32_t slice = slice_begin(t, l->ts, track, NULL_STRING, l->kind->slice);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args)
        text_args_read(f->text_args, TEXT_CALL, l->args, args);
    return true;
}

bool text_read_return(struct text_events *f, const struct text_line *l)
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

void text_say_call(const struct ftrace_event *e, struct str event, struct str args,
                   struct felt_sink *out)
{
    (void)args;
    felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_ANY, felt_text_name(event));
}

void text_say_return(const struct ftrace_event *e, struct str event, struct str args,
                     struct felt_sink *out)
{
    (void)args;
    felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_ANY, felt_text_name(event));
}
