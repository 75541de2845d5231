/* Kernels other than Linux: each event tells the state of one thread, and where it runs. */
#define PB_READS_LITTLE
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

enum generic_task_state {
    TASK_UNKNOWN = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_UNKNOWN,
    TASK_CREATED = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_CREATED,
    TASK_RUNNABLE = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_RUNNABLE,
    TASK_RUNNING = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_RUNNING,
    TASK_DEAD = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_DEAD,
    TASK_DESTROYED = PB_GenericKernelTaskStateEvent_TaskStateEnum_TASK_STATE_DESTROYED,
    TASK_STATES
};

/* By utid. Rows are NULL_U32 where there are none. */
struct task {
    enum generic_task_state state;
    int64_t event_ts;   /* of its last event */
    uint32_t sched_row; /* its last time on a cpu */
    uint32_t open_row;  /* its open row of thread_state */
    bool left_silently; /* another thread took its cpu: what it does since is not known ... */
    int64_t left_ts;    /* ... since then */
};

struct cpu_task {
    uint32_t ucpu, utid;
};

struct kernel_state {
    VEC(struct task) tasks;
    VEC(struct cpu_task) running;
};

static void kernel_state_release(void *state)
{
    struct kernel_state *s = state;
    vec_release(&s->tasks);
    vec_release(&s->running);
}

static const struct import_state_kind kernel_kind = {.size = sizeof(struct kernel_state),
                                                     .release = kernel_state_release};

static struct task *task_of(struct kernel_state *s, uint32_t utid)
{
    while (s->tasks.count <= utid)
        *vec_push(&s->tasks) =
            (struct task){.event_ts = INT64_MIN, .sched_row = NULL_U32, .open_row = NULL_U32};
    return &s->tasks.items[utid];
}

static struct cpu_task *cpu_of(struct kernel_state *s, uint32_t ucpu)
{
    for (size_t i = 0; i < s->running.count; i++)
        if (s->running.items[i].ucpu == ucpu)
            return &s->running.items[i];
    struct cpu_task *c = vec_push(&s->running);
    *c = (struct cpu_task){ucpu, NULL_U32};
    return c;
}

static string_id state_name(struct import *im, enum generic_task_state state)
{
    static const char *const names[TASK_STATES] = {NULL, "Created", "R", "Running", "S",
                                                   "D",  "T",       "Z", "X"};
    return names[state] ? trace_intern_c(im->trace, names[state]) : NULL_STRING;
}

static void set_state(struct import *im, struct task *task, uint32_t utid, int64_t ts,
                      string_id name, uint32_t ucpu)
{
    if (task->open_row != NULL_U32)
        thread_state_close(im->trace, ts, utid);
    task->open_row = thread_state_open(im->trace, ts, utid, name, ucpu, NULL_U32, NULL_U32);
}

static void leave_cpu(struct import *im, struct task *task, int64_t ts, string_id end_state)
{
    struct table *sched = &im->trace->tables.sched_slice;
    int64_t start = table_i64(sched, sched_slice_col_ts)[task->sched_row];
    table_set_i64(sched, sched_slice_col_dur, task->sched_row, time_minus(ts, start));
    table_set_str(sched, sched_slice_col_end_state, task->sched_row, end_state);
}

struct task_event {
    int64_t cpu, tid, prio;
    enum generic_task_state state;
    string_id comm;
};

static struct task_event read_event(struct import *im, struct pb_reader r)
{
    struct task_event e = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GenericKernelTaskStateEvent_cpu:
            e.cpu = pb_i32(&f);
            break;
        case PB_GenericKernelTaskStateEvent_comm:
            e.comm = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_GenericKernelTaskStateEvent_tid:
            e.tid = pb_i64(&f);
            break;
        case PB_GenericKernelTaskStateEvent_state:
            e.state = pb_u32(&f) < TASK_STATES ? (enum generic_task_state)pb_u32(&f) : TASK_UNKNOWN;
            break;
        case PB_GenericKernelTaskStateEvent_prio:
            e.prio = pb_i32(&f);
            break;
        default:
            break;
        }
    }
    return e;
}

static void start_running(struct import *im, struct kernel_state *s, const struct packet *p,
                          const struct task_event *e, uint32_t utid)
{
    uint32_t ucpu = trace_ucpu(im->trace, p->machine, (uint32_t)e->cpu);
    struct cpu_task *cpu = cpu_of(s, ucpu);
    if (cpu->utid != NULL_U32 && cpu->utid != utid) {
        struct task *previous = task_of(s, cpu->utid);
        leave_cpu(im, previous, p->ts, NULL_STRING);
        set_state(im, previous, cpu->utid, p->ts, NULL_STRING, NULL_U32);
        previous->state = TASK_UNKNOWN;
        previous->left_silently = true;
        previous->left_ts = p->ts;
    }
    cpu->utid = utid;
    struct task *task = task_of(s, utid);
    struct sched_slice_row row = {
        .ts = p->ts, .dur = -1, .utid = utid, .priority = e->prio, .ucpu = ucpu};
    task->sched_row = sched_slice_append(&im->trace->tables.sched_slice, &row);
    task->left_silently = false;
    set_state(im, task, utid, p->ts, state_name(im, TASK_RUNNING), ucpu);
}

static void stop_running(struct import *im, struct kernel_state *s, const struct packet *p,
                         uint32_t utid, string_id name)
{
    struct task *task = task_of(s, utid);
    if (task->left_silently && task->left_ts == p->ts) {
        /* The cpu's next thread was named first; now we know how this one left. */
        table_set_str(&im->trace->tables.sched_slice, sched_slice_col_end_state, task->sched_row,
                      name);
        table_set_str(&im->trace->tables.thread_state, thread_state_col_state, task->open_row,
                      name);
        return;
    }
    if (task->state == TASK_RUNNING) {
        leave_cpu(im, task, p->ts, name);
        for (size_t i = 0; i < s->running.count; i++)
            if (s->running.items[i].utid == utid)
                s->running.items[i].utid = NULL_U32;
    }
    set_state(im, task, utid, p->ts, name, NULL_U32);
}

/* Nothing but its destruction follows a thread's death; `utid` is NULL_U32 for a new one. */
static bool may_follow(struct kernel_state *s, uint32_t utid, const struct task_event *e)
{
    if (e->state == TASK_RUNNING && e->cpu < 0)
        return false;
    if (utid == NULL_U32)
        return true;
    enum generic_task_state before = task_of(s, utid)->state;
    return e->state != TASK_CREATED && (before != TASK_DEAD || e->state == TASK_DESTROYED) &&
           (before != TASK_RUNNING || e->state != TASK_RUNNING);
}

static void generic_kernel_task_state_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct kernel_state *s = import_state(im, &kernel_kind);
    struct task_event e = read_event(im, bytes_reader(p->field));
    if (e.state == TASK_UNKNOWN) {
        stats_count(t, STAT_task_state_invalid);
        return;
    }
    uint32_t utid = process_tracker_find_thread(t, p->machine, e.tid);
    if (!may_follow(s, utid, &e)) {
        stats_count(t, STAT_generic_task_state_invalid_order);
        return;
    }
    bool is_new = utid == NULL_U32;
    if (e.state == TASK_CREATED)
        utid = process_tracker_start_thread(t, p->machine, p->ts, e.tid);
    else if (is_new)
        utid = process_tracker_thread(t, p->machine, e.tid);
    struct task *task = task_of(s, utid);
    if (task->event_ts == p->ts)
        stats_count(t, STAT_generic_task_state_invalid_order);
    if (e.state != TASK_DESTROYED || is_new)
        process_tracker_set_thread_name(t, utid, e.comm, THREAD_NAME_KERNEL);
    if (e.state == TASK_RUNNING)
        start_running(im, s, p, &e, utid);
    else
        stop_running(im, s, p, utid, state_name(im, e.state));
    task = task_of(s, utid);
    task->state = e.state;
    task->event_ts = p->ts;
    task->left_silently = false;
    if (e.state == TASK_DESTROYED)
        process_tracker_end_thread(t, p->machine, p->ts, e.tid);
}

static void generic_kernel_task_rename_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    int64_t tid = 0;
    string_id comm = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GenericKernelTaskRenameEvent_tid)
            tid = pb_i64(&f);
        else if (f.number == PB_GenericKernelTaskRenameEvent_comm)
            comm = trace_intern(im->trace, pb_str(&f));
    }
    uint32_t utid = process_tracker_thread(im->trace, p->machine, tid);
    process_tracker_set_thread_name(im->trace, utid, comm, THREAD_NAME_KERNEL);
    process_tracker_set_process_name_if_main(im->trace, utid, comm, PROCESS_NAME_SYSTEM);
}

static void generic_kernel_cpu_frequency_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t cpu = 0;
    int64_t hz = 0;
    const double hz_per_khz = 1000.0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GenericKernelCpuFrequencyEvent_cpu)
            cpu = pb_u32(&f);
        else if (f.number == PB_GenericKernelCpuFrequencyEvent_freq_hz)
            hz = pb_i64(&f);
    }
    trace_ucpu(im->trace, p->machine, cpu);
    uint32_t track =
        track_cpu_counter(im->trace, "cpu_frequency", "cpufreq", NULL, p->machine, cpu);
    counter_push(im->trace, p->ts, track, (double)hz / hz_per_khz);
}

static void add_process(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    int64_t pid = 0, ppid = 0;
    struct str cmdline = {0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_GenericKernelProcessTree_Process_pid)
            pid = pb_i64(&f);
        else if (f.number == PB_GenericKernelProcessTree_Process_ppid)
            ppid = pb_i64(&f);
        else if (f.number == PB_GenericKernelProcessTree_Process_cmdline)
            cmdline = pb_str(&f);
    }
    if (!cmdline.p)
        return;
    uint32_t parent = process_tracker_process_alone(t, p->machine, ppid);
    uint32_t upid = process_tracker_process_alone(t, p->machine, pid);
    process_tracker_set_parent(t, upid, parent, NULL);
    table_set_str(&t->tables.process, process_col_cmdline, upid, trace_intern(t, cmdline));
    struct str name = str_from_to(cmdline, 0, str_find(cmdline, ' '));
    process_tracker_set_process_name(t, upid, trace_intern(t, name), PROCESS_NAME_SYSTEM);
}

static void add_thread(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    int64_t tid = 0, pid = 0;
    string_id comm = NULL_STRING;
    bool main = false, idle = false;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_GenericKernelProcessTree_Thread_tid:
            tid = pb_i64(&f);
            break;
        case PB_GenericKernelProcessTree_Thread_pid:
            pid = pb_i64(&f);
            break;
        case PB_GenericKernelProcessTree_Thread_comm:
            comm = trace_intern(t, pb_str(&f));
            break;
        case PB_GenericKernelProcessTree_Thread_is_main_thread:
            main = pb_bool(&f);
            break;
        case PB_GenericKernelProcessTree_Thread_is_idle:
            idle = pb_bool(&f);
            break;
        default:
            break;
        }
    }
    process_tracker_process_alone(t, p->machine, pid);
    uint32_t utid = process_tracker_update_thread(t, p->machine, tid, pid);
    process_tracker_set_thread_name(t, utid, comm, THREAD_NAME_PROCESS_TREE);
    table_set_u32(&t->tables.thread, thread_col_is_main_thread, utid, main);
    table_set_u32(&t->tables.thread, thread_col_is_idle, utid, idle);
}

static void generic_kernel_process_tree_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), threads = r;
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_GenericKernelProcessTree_processes)
            add_process(im, p, pb_message(&f));
    while (pb_next(&threads, &f))
        if (f.number == PB_GenericKernelProcessTree_threads)
            add_thread(im, p, pb_message(&f));
}

const struct packet_module generic_kernel_packets[] = {
    {PB_TracePacket_generic_kernel_task_state_event, .parse = generic_kernel_task_state_parse,
     .felt = PACKET_EACH},
    {PB_TracePacket_generic_kernel_task_rename_event, .parse = generic_kernel_task_rename_parse,
     .felt = PACKET_AHEAD},
    {PB_TracePacket_generic_kernel_cpu_freq_event, .parse = generic_kernel_cpu_frequency_parse,
     .felt = PACKET_EACH},
    {PB_TracePacket_generic_kernel_process_tree, .parse = generic_kernel_process_tree_parse,
     .felt = PACKET_AHEAD},
    {0},
};
