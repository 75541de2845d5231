#include "parsers/perfetto/ftrace/ftrace_task.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "text/syscalls.h"
#include "parsers/perfetto/ftrace/ftrace_sched.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "core/counter.h"

enum {
    CLONE_SAME_PROCESS = 0x00010000, /* CLONE_THREAD */
    SYSCALLS_MAX = 550,
    CALL_ARGS_MAX = 6
};

struct syscall_names {
    string_id machine; /* uname -m that the names are for */
    string_id write, rt_sigreturn;
    string_id names[SYSCALLS_MAX];
};

struct ftrace_task {
    VEC(struct syscall_names *) syscalls; /* by machine */
    VEC(bool) in_write;                   /* by utid: the call's slice is open */
    uint32_t call_args;                   /* kind of payload; 0 before the first call */
    string_id ret;
};

static void release(void *state)
{
    struct ftrace_task *s = state;
    for (size_t i = 0; i < s->syscalls.count; i++)
        free(s->syscalls.items[i]);
    vec_release(&s->syscalls);
    vec_release(&s->in_write);
}

static struct ftrace_task *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_task);
}

static void on_sched_waking(const struct ftrace_event *e)
{
    int64_t pid = event_u32(e, PB_SchedWakingFtraceEvent_pid);
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine, pid);
    process_tracker_set_thread_name(e->t, utid, event_string(e, PB_SchedWakingFtraceEvent_comm),
                                    THREAD_NAME_KERNEL);
    sched_waking(e->t, e->ts, utid, e->utid, NULL_U32);
}

static void on_sched_blocked_reason(const struct ftrace_event *e)
{
    int64_t pid = event_u32(e, PB_SchedBlockedReasonFtraceEvent_pid);
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine, pid);
    sched_blocked_reason(e->t, utid, event_int(e, PB_SchedBlockedReasonFtraceEvent_io_wait) != 0,
                         ftrace_symbol(e, event_u32(e, PB_SchedBlockedReasonFtraceEvent_caller)));
}

static void on_sched_process_free(const struct ftrace_event *e)
{
    process_tracker_end_thread(e->t, e->cpu->machine, e->ts,
                               event_u32(e, PB_SchedProcessFreeFtraceEvent_pid));
}

static void on_task_newtask(const struct ftrace_event *e)
{
    uint32_t machine = e->cpu->machine;
    int64_t tid = event_u32(e, PB_TaskNewtaskFtraceEvent_pid);
    string_id comm = event_string(e, PB_TaskNewtaskFtraceEvent_comm);
    if (tid == 0) /* idle tasks, traced while the kernel boots */
        return;
    uint32_t utid;
    if (event_uint(e, PB_TaskNewtaskFtraceEvent_clone_flags) & CLONE_SAME_PROCESS) {
        utid = process_tracker_start_thread(e->t, machine, e->ts, tid);
        process_tracker_set_thread_name(e->t, utid, comm, THREAD_NAME_KERNEL);
        process_tracker_link_threads(e->t, e->utid, utid);
    } else {
        process_tracker_start_process(e->t, machine, e->ts, e->utid, tid, comm, THREAD_NAME_KERNEL);
        utid = process_tracker_thread(e->t, machine, tid);
    }
    sched_new_task(e->t, e->ts, utid, e->utid);
}

static void on_task_rename(const struct ftrace_event *e)
{
    uint32_t utid =
        process_tracker_thread(e->t, e->cpu->machine, event_u32(e, PB_TaskRenameFtraceEvent_pid));
    string_id comm = event_string(e, PB_TaskRenameFtraceEvent_newcomm);
    process_tracker_set_thread_name(e->t, utid, comm, THREAD_NAME_KERNEL);
    process_tracker_set_process_name_if_main(e->t, utid, comm, PROCESS_NAME_SYSTEM);
}

static void signal_instant(const struct ftrace_event *e, uint32_t utid, const char *name,
                           int32_t signal)
{
    struct slice_ref s =
        event_instant(e, track_thread(e->t, utid), NULL_STRING, trace_intern_c(e->t, name));
    slice_ref_int(&s, "signal.sig", signal);
}

/* Shown on the thread that gets the signal. */
static void on_signal_generate(const struct ftrace_event *e)
{
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine,
                                           event_u32(e, PB_SignalGenerateFtraceEvent_pid));
    signal_instant(e, utid, "signal_generate", event_i32(e, PB_SignalGenerateFtraceEvent_sig));
}

static void on_signal_deliver(const struct ftrace_event *e)
{
    signal_instant(e, e->utid, "signal_deliver", event_i32(e, PB_SignalDeliverFtraceEvent_sig));
}

static void fill_names(const struct ftrace_event *e, struct syscall_names *n, struct str machine)
{
    for (unsigned i = 0; i < SYSCALLS_MAX; i++) {
        const char *name = syscall_name(machine, i);
        n->names[i] = name ? event_format(e, "sys_%s", name) : event_format(e, "sys_%u", i);
    }
    n->write = trace_intern(e->t, STR("sys_write"));
    n->rt_sigreturn = trace_intern(e->t, STR("sys_rt_sigreturn"));
}

/* Which numbers mean what depends on the machine, which the trace may tell late. */
static const struct syscall_names *names_of(const struct ftrace_event *e)
{
    struct ftrace_task *s = state(e);
    const struct table *machines = &e->t->tables.machine;
    uint32_t machine = e->cpu->machine;
    while (s->syscalls.count <= machine)
        *vec_push(&s->syscalls) = NULL;
    string_id arch = column_str(&machines->columns[machine_col_arch], machine);
    struct syscall_names *n = s->syscalls.items[machine];
    if (n && n->machine == arch)
        return n;
    if (!n)
        n = s->syscalls.items[machine] = alloc_array(1, sizeof *n);
    n->machine = arch;
    fill_names(e, n, string_pool_get(&e->t->strings, arch));
    return n;
}

static bool *in_write(const struct ftrace_event *e)
{
    struct ftrace_task *s = state(e);
    while (s->in_write.count <= e->utid)
        *vec_push(&s->in_write) = false;
    return &s->in_write.items[e->utid];
}

/* The args of a call's slice: what sys_enter's payload holds in its repeated field, of which the
 * event's own row shows the last. */
struct call_args {
    string_id flat_key, keys[CALL_ARGS_MAX];
};

static void decode_call_args(void *self, uint32_t context, const uint8_t *payload, size_t n,
                             struct arg_list *out)
{
    (void)context;
    const struct call_args *c = self;
    struct pb_reader r = pb_reader_from(payload, n);
    struct pb_field f;
    unsigned count = 0;
    uint64_t value;
    while (pb_next(&r, &f)) {
        if (f.number != PB_SysEnterFtraceEvent_args)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (count < CALL_ARGS_MAX && pb_packed_next(&it, &value))
            arg_list_add(out, (struct arg){.flat_key = c->flat_key,
                                           .key = c->keys[count++],
                                           .type = ARG_UINT,
                                           .i = (int64_t)value});
    }
}

static uint32_t add_call_decoder(struct trace *t)
{
    struct call_args *c = alloc_array(1, sizeof *c);
    c->flat_key = trace_intern(t, STR("args"));
    for (unsigned i = 0; i < CALL_ARGS_MAX; i++) {
        char key[sizeof "args[4294967295]"];
        snprintf(key, sizeof key, "args[%u]", i);
        c->keys[i] = trace_intern_c(t, key);
    }
    return args_add_decoder(&t->args, (struct args_decoder){.decode = decode_call_args,
                                                            .free = free,
                                                            .self = c,
                                                            .name = FTRACE_CALL_ARGS_NAME});
}

bool ftrace_call_args_restore(struct trace *t, struct byte_reader state)
{
    add_call_decoder(t);
    return !state.failed;
}

static uint32_t call_args_kind(const struct ftrace_event *e)
{
    struct ftrace_task *s = state(e);
    struct args *args = &e->t->args;
    if (s->call_args)
        return s->call_args;
    uint32_t decoder = args_last_decoder(args, decode_call_args);
    if (decoder == NULL_U32)
        decoder = add_call_decoder(e->t);
    return s->call_args = args_kind(args, decoder, 0);
}

/* What a sys_enter says. It is written as the number and then the args, of which it matters only
 * that there are any: nothing is read behind the first. */
struct open_call {
    uint32_t number;
    bool has_number, has_args;
};

static struct open_call call_read(const struct ftrace_event *e)
{
    struct open_call call = {0};
    struct pb_reader r = pb_reader_from(e->p, e->n);
    struct pb_field f;
    while (!(call.has_number && call.has_args) && pb_next(&r, &f)) {
        if (f.number == PB_SysEnterFtraceEvent_id) {
            call.number = pb_u32(&f);
            call.has_number = true;
        } else if (f.number == PB_SysEnterFtraceEvent_args) {
            call.has_args |= !f.data || f.value > 0;
        }
    }
    return call;
}

static void on_sys_enter(const struct ftrace_event *e)
{
    const struct syscall_names *n = names_of(e);
    struct open_call call = call_read(e);
    if (call.number >= SYSCALLS_MAX)
        return;
    string_id name = n->names[call.number];
    uint32_t track = event_thread_track(e);
    /* sigreturn never returns: the thread goes on where the signal interrupted it. */
    struct slice_ref slice = name == n->rt_sigreturn ? event_instant(e, track, NULL_STRING, name)
                                                     : event_begin(e, track, NULL_STRING, name);
    if (call.has_args && slice.args)
        slice_set_args_base(e->t, track, slice.slice,
                            (struct args_base){e->arg_set, call_args_kind(e)});
    if (name == n->write)
        *in_write(e) = true;
}

static void on_sys_exit(const struct ftrace_event *e)
{
    const struct syscall_names *n = names_of(e);
    struct event_values v = event_read(e);
    uint32_t number = (uint32_t)v.v[PB_SysExitFtraceEvent_id];
    if (number >= SYSCALLS_MAX)
        return;
    string_id name = n->names[number];
    if (name == n->write) {
        bool *open = in_write(e);
        if (!*open) /* cut short by a mark, or it began before the trace */
            return;
        *open = false;
    }
    struct slice_ref slice = event_ending(e, event_thread_track(e), NULL_STRING, name);
    if (slice.args && v.present & 1u << PB_SysExitFtraceEvent_ret) {
        struct ftrace_task *s = state(e);
        if (!s->ret)
            s->ret = trace_intern(e->t, STR("ret"));
        arg_list_int(slice.args, s->ret, (int64_t)v.v[PB_SysExitFtraceEvent_ret]);
    }
    slice_ref_end(e, &slice);
}

/* Atrace marks are written by write calls, which would begin and end in the middle of the slices
 * that they write. */
void ftrace_cut_write_call(const struct ftrace_event *e)
{
    bool *open = in_write(e);
    if (!*open)
        return;
    *open = false;
    stats_count(e->t, STAT_truncated_sys_write_duration);
    slice_end(e->t, e->ts, event_thread_track(e), NULL_STRING,
              trace_intern(e->t, STR("sys_write")));
}

static void cpu_value(const struct ftrace_event *e, const char *type, const char *what,
                      uint32_t cpu, uint64_t value)
{
    char name[48];
    snprintf(name, sizeof name, "Cpu %u %s", cpu, what);
    counter_push(e->t, e->ts, track_cpu_counter(e->t, type, name, NULL, e->cpu->machine, cpu),
                 (double)value);
}

static void on_sched_cpu_util_cfs(const struct ftrace_event *e)
{
    uint32_t cpu = event_u32(e, PB_SchedCpuUtilCfsFtraceEvent_cpu);
    cpu_value(e, "cpu_utilization", "Util", cpu,
              event_uint(e, PB_SchedCpuUtilCfsFtraceEvent_cpu_util));
    cpu_value(e, "cpu_capacity", "Cap", cpu, event_uint(e, PB_SchedCpuUtilCfsFtraceEvent_capacity));
    cpu_value(e, "cpu_nr_running", "Nr Running", cpu,
              event_uint(e, PB_SchedCpuUtilCfsFtraceEvent_nr_running));
}

/* The new thread's slices are not those of the one that had the number before. */
static void say_newtask(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_renewed(e, event_u32(e, PB_TaskNewtaskFtraceEvent_pid), out);
}

static void say_free(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_renewed(e, event_u32(e, PB_SchedProcessFreeFtraceEvent_pid), out);
}

enum call_kind { CALL_OTHER, CALL_WRITE, CALL_SIGRETURN };

static enum call_kind call_kind(const struct ftrace_event *e, uint32_t number)
{
    const struct table *machines = &e->t->tables.machine;
    string_id arch = column_str(&machines->columns[machine_col_arch], e->cpu->machine);
    const char *name = syscall_name(string_pool_get(&e->t->strings, arch), number);
    if (name && strcmp(name, "write") == 0)
        return CALL_WRITE;
    return name && strcmp(name, "rt_sigreturn") == 0 ? CALL_SIGRETURN : CALL_OTHER;
}

static uint64_t call_name(uint32_t number)
{
    return hash_u64((uint64_t)number + 1);
}

static void say_sys_enter(const struct ftrace_event *e, struct felt_sink *out)
{
    uint32_t number = event_u32(e, PB_SysEnterFtraceEvent_id);
    if (number < SYSCALLS_MAX && call_kind(e, number) != CALL_SIGRETURN)
        felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid),
                  call_kind(e, number) == CALL_WRITE ? FELT_WRITE : FELT_ANY, call_name(number));
}

static void say_sys_exit(const struct ftrace_event *e, struct felt_sink *out)
{
    uint32_t number = event_u32(e, PB_SysExitFtraceEvent_id);
    if (number < SYSCALLS_MAX)
        felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_ANY, call_name(number));
}

void ftrace_say_write_cut(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_WRITE, 0);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_sched_switch, .felt = FELT_SAID_BY(ftrace_say_switch)}, /* by ftrace_parse */
    {PB_FtraceEvent_sched_waking, .handle = on_sched_waking,
     .felt = FELT_SAID_BY(ftrace_say_waking)},
    {PB_FtraceEvent_sched_blocked_reason, .handle = on_sched_blocked_reason,
     .felt = FELT_LAST_BY(PB_SchedBlockedReasonFtraceEvent_pid)},
    {PB_FtraceEvent_sched_process_free, .handle = on_sched_process_free,
     .felt = FELT_OWNER_SAID_BY(say_free)},
    {PB_FtraceEvent_task_newtask, .handle = on_task_newtask,
     .felt = FELT_OWNER_SAID_BY(say_newtask)},
    {PB_FtraceEvent_task_rename, .handle = on_task_rename, .felt = {.kind = FELT_ALWAYS}},
    {PB_FtraceEvent_signal_generate, .handle = on_signal_generate, .felt = FELT_NOTHING},
    {PB_FtraceEvent_signal_deliver, .handle = on_signal_deliver, .felt = FELT_NOTHING},
    {PB_FtraceEvent_sys_enter, .handle = on_sys_enter, .felt = FELT_SAID_BY(say_sys_enter)},
    {PB_FtraceEvent_sys_exit, .handle = on_sys_exit, .felt = FELT_SAID_BY(say_sys_exit)},
    {PB_FtraceEvent_sched_cpu_util_cfs, .handle = on_sched_cpu_util_cfs,
     .felt = FELT_LAST_BY(PB_SchedCpuUtilCfsFtraceEvent_cpu)},
    {0},
};

const struct ftrace_module ftrace_task_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_task),
    .release = release,
};
