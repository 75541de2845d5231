#include "thread.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "binder.h"
#include "pb_fields.h"
#include "track_event.h"

/* Android's logs carry the wall clock: this much ahead of the time since boot. */
#define WALL_CLOCK_OFFSET INT64_C(1747900000000000000)

/* Operations into the list */

void thread_op(struct sim_thread *t, struct sim_op op)
{
    *vec_push(&t->ops) = op;
}

static void op_text(struct sim_thread *t, enum op_kind kind, const char *text, int64_t n)
{
    thread_op(t, (struct sim_op){.kind = (uint8_t)kind, .text = text, .n = n});
}

void thread_run(struct sim_thread *t, int64_t ns)
{
    op_text(t, OP_RUN, NULL, ns);
}

void thread_sleep(struct sim_thread *t, int64_t ns)
{
    op_text(t, OP_SLEEP, NULL, ns);
}

void thread_io(struct sim_thread *t, int64_t ns, const char *function, bool io_wait)
{
    thread_op(t, (struct sim_op){.kind = OP_IO, .text = function, .n = ns, .m = io_wait});
}

void thread_block_io(struct sim_thread *t, const char *kind, int64_t bytes, int64_t ns)
{
    thread_op(t, (struct sim_op){.kind = OP_BLOCK_IO, .text = kind, .n = ns, .m = bytes});
}

void thread_fault(struct sim_thread *t, int member, int64_t bytes)
{
    thread_op(t, (struct sim_op){.kind = OP_FAULT, .n = member, .m = bytes});
}

void thread_exit(struct sim_thread *t)
{
    op_text(t, OP_EXIT, NULL, 0);
}

void thread_begin(struct sim_thread *t, const char *name)
{
    op_text(t, OP_BEGIN, name, NO_NUMBER);
}

void thread_begin_number(struct sim_thread *t, const char *name, int64_t number)
{
    op_text(t, OP_BEGIN, name, number);
}

void thread_end(struct sim_thread *t)
{
    op_text(t, OP_END, NULL, 0);
}

void thread_slice(struct sim_thread *t, const char *name, int64_t ns)
{
    thread_begin(t, name);
    thread_run(t, ns);
    thread_end(t);
}

void thread_async_begin(struct sim_thread *t, const char *name, int64_t cookie)
{
    op_text(t, OP_ASYNC_BEGIN, name, cookie);
}

void thread_async_end(struct sim_thread *t, const char *name, int64_t cookie)
{
    op_text(t, OP_ASYNC_END, name, cookie);
}

void thread_async_number(struct sim_thread *t, bool begin, const char *name, int64_t number)
{
    thread_op(t, (struct sim_op){.kind = begin ? OP_ASYNC_BEGIN : OP_ASYNC_END,
                                 .text = name,
                                 .label = "",
                                 .n = number});
}

void thread_instant_number(struct sim_thread *t, const char *name, int64_t number, const char *rest)
{
    thread_op(t, (struct sim_op){.kind = OP_INSTANT, .text = name, .label = rest, .n = number});
}

void thread_track_begin(struct sim_thread *t, const char *track, const char *name, int64_t cookie)
{
    thread_op(t,
              (struct sim_op){.kind = OP_TRACK_BEGIN, .text = track, .label = name, .n = cookie});
}

void thread_track_end(struct sim_thread *t, const char *track, int64_t cookie)
{
    op_text(t, OP_TRACK_END, track, cookie);
}

void thread_track_instant(struct sim_thread *t, const char *track, const char *name)
{
    thread_op(t, (struct sim_op){.kind = OP_TRACK_INSTANT, .text = track, .label = name});
}

void thread_instant(struct sim_thread *t, const char *name)
{
    op_text(t, OP_INSTANT, name, 0);
}

void thread_counter(struct sim_thread *t, const char *name, int64_t value)
{
    op_text(t, OP_COUNTER, name, value);
}

void thread_lock(struct sim_thread *t, struct sim_lock *lock, const char *method)
{
    thread_op(t, (struct sim_op){.kind = OP_LOCK, .text = method, .to = lock});
}

void thread_unlock(struct sim_thread *t, struct sim_lock *lock)
{
    thread_op(t, (struct sim_op){.kind = OP_UNLOCK, .to = lock});
}

void thread_post(struct sim_thread *t, struct sim_thread *to, sim_fn *fn, int64_t arg)
{
    thread_op(t, (struct sim_op){.kind = OP_POST, .to = to, .fn = fn, .n = arg});
}

void thread_signal(struct sim_thread *t, struct sim_thread *to)
{
    thread_op(t, (struct sim_op){.kind = OP_SIGNAL, .to = to});
}

void thread_wait(struct sim_thread *t)
{
    op_text(t, OP_WAIT, NULL, 0);
}

void thread_log(struct sim_thread *t, char priority, const char *tag, const char *message)
{
    static const char letters[] = "??VDIWEF";
    const char *hit = strchr(letters, priority);
    thread_op(t, (struct sim_op){
                     .kind = OP_LOG, .text = message, .label = tag, .n = hit ? hit - letters : 0});
}

void thread_syscall_begin(struct sim_thread *t, int number, int64_t arg)
{
    thread_op(t, (struct sim_op){.kind = OP_SYS_ENTER, .n = number, .m = arg});
}

void thread_syscall_end(struct sim_thread *t, int number, int64_t result)
{
    thread_op(t, (struct sim_op){.kind = OP_SYS_EXIT, .n = number, .m = result});
}

void thread_syscall(struct sim_thread *t, int number, int64_t arg, int64_t ns, int64_t result)
{
    thread_syscall_begin(t, number, arg);
    thread_run(t, ns);
    thread_syscall_end(t, number, result);
}

void thread_work_item(struct sim_thread *t, const char *function, int64_t ns)
{
    op_text(t, OP_WORK_BEGIN, function, 0);
    thread_run(t, ns);
    op_text(t, OP_WORK_END, function, 0);
}

void thread_then(struct sim_thread *t, sim_fn *fn, int64_t arg)
{
    thread_op(t, (struct sim_op){.kind = OP_THEN, .fn = fn, .n = arg});
}

static void op_event(struct sim_thread *t, enum op_kind kind, const struct event_site *site,
                     int64_t n, int64_t m, struct flows flows)
{
    thread_op(t,
              (struct sim_op){.kind = (uint8_t)kind, .site = site, .n = n, .m = m, .flows = flows});
}

void thread_event_begin(struct sim_thread *t, const struct event_site *site, int64_t value,
                        struct flows flows)
{
    op_event(t, OP_EVENT_BEGIN, site, 0, value, flows);
}

void thread_event_end(struct sim_thread *t, const struct event_site *site)
{
    op_event(t, OP_EVENT_END, site, 0, 0, (struct flows){0});
}

void thread_event_instant(struct sim_thread *t, const struct event_site *site, int64_t value,
                          struct flows flows)
{
    op_event(t, OP_EVENT_INSTANT, site, 0, value, flows);
}

void thread_span_begin(struct sim_thread *t, const struct event_site *site, uint64_t track,
                       int64_t value)
{
    op_event(t, OP_EVENT_BEGIN, site, (int64_t)track, value, (struct flows){0});
}

void thread_span_end(struct sim_thread *t, const struct event_site *site, uint64_t track)
{
    op_event(t, OP_EVENT_END, site, (int64_t)track, 0, (struct flows){0});
}

void thread_event_counter(struct sim_thread *t, uint64_t track, int64_t value)
{
    op_event(t, OP_EVENT_COUNTER, NULL, (int64_t)track, value, (struct flows){0});
}

/* Operations as they are done */

/* Writes to the kernel's trace marker, as atrace does. */
__attribute__((format(printf, 3, 4))) static void print_event(struct sim *sim, struct sim_thread *t,
                                                              const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_print);
    proto_string(w, PB_PrintFtraceEvent_buf, text);
    sim_event_end(sim, t);
}

static void execute_print(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    int pid = t->process->pid;
    long long n = op->n;
    char sign = op->kind == OP_ASYNC_BEGIN ? 'S' : 'F';
    switch (op->kind) {
    case OP_BEGIN:
        if (op->n == NO_NUMBER)
            print_event(sim, t, "B|%d|%s\n", pid, op->text);
        else
            print_event(sim, t, "B|%d|%s %lld\n", pid, op->text, n);
        return;
    case OP_END:
        print_event(sim, t, "E|%d\n", pid);
        return;
    case OP_ASYNC_BEGIN:
    case OP_ASYNC_END:
        if (op->label)
            print_event(sim, t, "%c|%d|%s%lld|%lld\n", sign, pid, op->text, n, n);
        else
            print_event(sim, t, "%c|%d|%s|%lld\n", sign, pid, op->text, n);
        return;
    case OP_TRACK_BEGIN:
        print_event(sim, t, "G|%d|%s|%s|%lld\n", pid, op->text, op->label, n);
        return;
    case OP_TRACK_END:
        print_event(sim, t, "H|%d|%s|%lld\n", pid, op->text, n);
        return;
    case OP_INSTANT:
        if (op->label)
            print_event(sim, t, "I|%d|%s%lld%s\n", pid, op->text, n, op->label);
        else
            print_event(sim, t, "I|%d|%s\n", pid, op->text);
        return;
    case OP_TRACK_INSTANT:
        print_event(sim, t, "N|%d|%s|%s\n", pid, op->text, op->label);
        return;
    default:
        print_event(sim, t, "C|%d|%s|%lld\n", pid, op->text, n);
    }
}

static void wake_by_timer(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    struct sim_thread *t = subject;
    if (t->state == THREAD_BLOCKED)
        sim_interrupt(sim, t->cpu, sim->timer_irq, sim->timer_name, SOFTIRQ_NONE, sim_irq_wake, t);
}

static void wake_by_disk(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    struct sim_thread *t = subject;
    int cpu = (int)rng_between(&sim->rng, 0, 3);
    if (t->state == THREAD_BLOCKED)
        sim_interrupt(sim, cpu, sim->disk_irq, sim->disk_name, SOFTIRQ_BLOCK, sim_irq_wake, t);
}

static enum op_result execute_io(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    t->was_on_disk = true;
    t->blocked_in = op->text;
    t->io_wait = op->m != 0;
    sim_at(sim, sim->now + op->n, t->io_wait ? wake_by_disk : wake_by_timer, t, 0);
    return OP_BLOCKED;
}

enum { DISK_DEVICE = 0x800000, SECTOR_SIZE = 512 }; /* 8:0 */

static void block_complete(struct sim *sim, int index, uint32_t flags, void *subject)
{
    struct sim_thread *t = subject;
    const struct disk_request *r = &t->request;
    struct sim_cpu *cpu = &sim->cpus[index];
    struct proto *w = sim_cpu_event_begin(sim, cpu, PB_FtraceEvent_block_rq_complete);
    proto_u64(w, PB_BlockRqCompleteFtraceEvent_dev, DISK_DEVICE);
    proto_i64(w, PB_BlockRqCompleteFtraceEvent_sector, r->sector);
    proto_i64(w, PB_BlockRqCompleteFtraceEvent_nr_sector, r->bytes / SECTOR_SIZE);
    proto_string(w, PB_BlockRqCompleteFtraceEvent_rwbs, r->kind);
    sim_cpu_event_end(sim, cpu);
    sim_wake(sim, index, flags, t);
}

static void disk_done(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    sim_interrupt(sim, (int)rng_between(&sim->rng, 0, 3), sim->disk_irq, sim->disk_name,
                  SOFTIRQ_BLOCK, block_complete, subject);
}

static enum op_result execute_block_io(struct sim *sim, struct sim_thread *t,
                                       const struct sim_op *op)
{
    struct disk_request *r = &t->request;
    *r = (struct disk_request){op->text, rng_between(&sim->rng, 1 << 16, 1 << 30), op->m};
    const char *comm = sim->ftrace.comms.items[t->comm].name;
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_block_bio_queue);
    proto_u64(w, PB_BlockBioQueueFtraceEvent_dev, DISK_DEVICE);
    proto_i64(w, PB_BlockBioQueueFtraceEvent_sector, r->sector);
    proto_i64(w, PB_BlockBioQueueFtraceEvent_nr_sector, r->bytes / SECTOR_SIZE);
    proto_string(w, PB_BlockBioQueueFtraceEvent_rwbs, r->kind);
    proto_string(w, PB_BlockBioQueueFtraceEvent_comm, comm);
    sim_event_end(sim, t);
    w = sim_event_begin(sim, t, PB_FtraceEvent_block_rq_issue);
    proto_u64(w, PB_BlockRqIssueFtraceEvent_dev, DISK_DEVICE);
    proto_i64(w, PB_BlockRqIssueFtraceEvent_sector, r->sector);
    proto_i64(w, PB_BlockRqIssueFtraceEvent_nr_sector, r->bytes / SECTOR_SIZE);
    proto_i64(w, PB_BlockRqIssueFtraceEvent_bytes, r->bytes);
    proto_string(w, PB_BlockRqIssueFtraceEvent_rwbs, r->kind);
    proto_string(w, PB_BlockRqIssueFtraceEvent_comm, comm);
    sim_event_end(sim, t);
    t->was_on_disk = true;
    t->blocked_in = "io_schedule";
    t->io_wait = true;
    sim_at(sim, sim->now + op->n, disk_done, t, 0);
    return OP_BLOCKED;
}

void op_record_wakeup(struct sim *sim, int index, struct sim_thread *t)
{
    if (!t->was_on_disk)
        return;
    t->was_on_disk = false;
    struct sim_cpu *cpu = &sim->cpus[index];
    struct proto *w = sim_cpu_event_begin(sim, cpu, PB_FtraceEvent_sched_blocked_reason);
    proto_i64(w, PB_SchedBlockedReasonFtraceEvent_pid, t->tid);
    proto_u64(w, PB_SchedBlockedReasonFtraceEvent_caller,
              ftrace_symbol(&sim->ftrace, t->blocked_in));
    proto_u64(w, PB_SchedBlockedReasonFtraceEvent_io_wait, t->io_wait);
    sim_cpu_event_end(sim, cpu);
}

static void execute_fault(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    int64_t *total = op->n == 1 ? &t->process->rss_anon : &t->process->rss_file;
    *total = *total + op->m > 0 ? *total + op->m : 0;
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_rss_stat);
    proto_i64(w, PB_RssStatFtraceEvent_member, op->n);
    proto_i64(w, PB_RssStatFtraceEvent_size, *total);
    proto_u64(w, PB_RssStatFtraceEvent_curr, 1);
    proto_u64(w, PB_RssStatFtraceEvent_mm_id, t->process->mm_id);
    sim_event_end(sim, t);
}

static enum op_result execute_lock(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    struct sim_lock *lock = op->to;
    if (!lock->owner) {
        lock->owner = t;
        lock->method = op->text;
        return OP_NEXT;
    }
    const struct sim_thread *owner = lock->owner;
    print_event(sim, t,
                "B|%d|monitor contention with owner %s (%d) at void %s waiters=%zu blocking from "
                "void %s\n",
                t->process->pid, owner->name, owner->tid, lock->method, lock->waiters.count,
                op->text);
    /* Taken when woken: the owner hands the lock over. */
    *vec_push(&lock->waiters) = t;
    t->blocked_in = op->text;
    t->contended = true;
    return OP_BLOCKED;
}

static void execute_unlock(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    struct sim_lock *lock = op->to;
    lock->owner = NULL;
    if (lock->waiters.count == 0)
        return;
    struct sim_thread *next = lock->waiters.items[0];
    lock->waiters.count--;
    for (size_t i = 0; i < lock->waiters.count; i++)
        lock->waiters.items[i] = lock->waiters.items[i + 1];
    lock->owner = next;
    lock->method = next->blocked_in;
    sim_wake(sim, t->cpu, 0, next);
}

static enum op_result execute_wait(struct sim_thread *t)
{
    if (t->signals == 0) {
        t->waits_for_signal = true;
        return OP_BLOCKED;
    }
    t->signals--;
    return OP_NEXT;
}

static void execute_signal(struct sim *sim, struct sim_thread *t, struct sim_thread *to)
{
    if (!to->waits_for_signal) {
        to->signals++;
        return;
    }
    to->waits_for_signal = false;
    sim_wake(sim, t->cpu, 0, to);
}

static void execute_log(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    struct proto *w = &sim->log;
    proto_begin(w, PB_AndroidLogPacket_events);
    proto_u64(w, PB_AndroidLogPacket_LogEvent_log_id,
              t->process->uid == 1000 ? PB_AndroidLogId_LID_SYSTEM : PB_AndroidLogId_LID_DEFAULT);
    proto_i64(w, PB_AndroidLogPacket_LogEvent_pid, t->process->pid);
    proto_i64(w, PB_AndroidLogPacket_LogEvent_tid, t->tid);
    proto_i64(w, PB_AndroidLogPacket_LogEvent_uid, t->process->uid);
    proto_i64(w, PB_AndroidLogPacket_LogEvent_timestamp, sim->now + WALL_CLOCK_OFFSET);
    proto_string(w, PB_AndroidLogPacket_LogEvent_tag, op->label);
    proto_i64(w, PB_AndroidLogPacket_LogEvent_prio, op->n);
    proto_string(w, PB_AndroidLogPacket_LogEvent_message, op->text);
    proto_end(w);
}

static void execute_syscall(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    if (op->kind == OP_SYS_EXIT) {
        struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_sys_exit);
        proto_i64(w, PB_SysExitFtraceEvent_id, op->n);
        proto_i64(w, PB_SysExitFtraceEvent_ret, op->m);
        sim_event_end(sim, t);
        return;
    }
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_sys_enter);
    proto_i64(w, PB_SysEnterFtraceEvent_id, op->n);
    proto_i64(w, PB_SysEnterFtraceEvent_args, op->m);
    proto_u64(w, PB_SysEnterFtraceEvent_args, 0x7ffc5a000000 + rng_next(&sim->rng) % 4096 * 16);
    proto_u64(w, PB_SysEnterFtraceEvent_args, rng_next(&sim->rng) % 65536);
    for (int i = 3; i < 6; i++)
        proto_u64(w, PB_SysEnterFtraceEvent_args, rng_next(&sim->rng) % 2 ? 0x7f3b90200000 : 0);
    sim_event_end(sim, t);
}

static void execute_work_item(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    bool begin = op->kind == OP_WORK_BEGIN;
    uint64_t function = ftrace_symbol(&sim->ftrace, op->text);
    struct proto *w = sim_event_begin(sim, t,
                                      begin ? PB_FtraceEvent_workqueue_execute_start
                                            : PB_FtraceEvent_workqueue_execute_end);
    proto_u64(w, PB_WorkqueueExecuteStartFtraceEvent_work,
              0xffffff8012340000 + (uint64_t)t->tid * 256 + function);
    proto_u64(w, PB_WorkqueueExecuteStartFtraceEvent_function, function);
    sim_event_end(sim, t);
}

/* The operations that `fn` pushes go where this one stood. */
static void execute_then(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    size_t rest = t->ops.count - t->op;
    struct sim_op *saved = alloc_array(rest + 1, sizeof *saved);
    memcpy(saved, t->ops.items + t->op, rest * sizeof *saved);
    t->ops.count = t->op;
    op->fn(sim, t, op->n);
    for (size_t i = 0; i < rest; i++)
        thread_op(t, saved[i]);
    free(saved);
}

static enum op_result execute_exit(struct sim *sim, struct sim_thread *t)
{
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_sched_process_exit);
    proto_string(w, PB_SchedProcessExitFtraceEvent_comm, sim->ftrace.comms.items[t->comm].name);
    proto_i64(w, PB_SchedProcessExitFtraceEvent_pid, t->tid);
    proto_i64(w, PB_SchedProcessExitFtraceEvent_tgid, t->process->pid);
    proto_i64(w, PB_SchedProcessExitFtraceEvent_prio, t->prio);
    sim_event_end(sim, t);
    t->state = THREAD_GONE;
    t->process->gone |= t->tid == t->process->pid;
    return OP_BLOCKED;
}

enum op_result op_execute(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    t->work = 350 + (int64_t)(rng_next(&sim->rng) & 255); /* what little it takes to do nothing */
    enum op_result result = OP_NEXT;
    if (t->contended) {
        t->contended = false;
        print_event(sim, t, "E|%d\n", t->process->pid);
    }
    switch (op->kind) {
    case OP_RUN:
        t->work = op->n > 0 ? op->n : 1;
        break;
    case OP_SLEEP:
        sim_at(sim, sim->now + op->n, wake_by_timer, t, 0);
        result = OP_BLOCKED;
        break;
    case OP_IO:
        result = execute_io(sim, t, op);
        break;
    case OP_BLOCK_IO:
        result = execute_block_io(sim, t, op);
        break;
    case OP_FAULT:
        execute_fault(sim, t, op);
        break;
    case OP_LOCK:
        result = execute_lock(sim, t, op);
        break;
    case OP_UNLOCK:
        execute_unlock(sim, t, op);
        break;
    case OP_CALL:
    case OP_ONEWAY:
    case OP_RECEIVE:
    case OP_REPLY:
        result = binder_execute(sim, t, op);
        break;
    case OP_POST:
        sim_post(sim, t->cpu, 0, op->to, op->fn, op->n);
        break;
    case OP_SIGNAL:
        execute_signal(sim, t, op->to);
        break;
    case OP_WAIT:
        result = execute_wait(t);
        break;
    case OP_LOG:
        execute_log(sim, t, op);
        break;
    case OP_SYS_ENTER:
    case OP_SYS_EXIT:
        execute_syscall(sim, t, op);
        break;
    case OP_WORK_BEGIN:
    case OP_WORK_END:
        execute_work_item(sim, t, op);
        break;
    case OP_EVENT_BEGIN:
    case OP_EVENT_END:
    case OP_EVENT_INSTANT:
    case OP_EVENT_COUNTER:
        event_execute(sim, t, op);
        break;
    case OP_THEN:
        t->work = 0;
        execute_then(sim, t, op);
        break;
    case OP_EXIT:
        result = execute_exit(sim, t);
        break;
    default:
        execute_print(sim, t, op);
    }
    if (result == OP_BLOCKED)
        t->work = 0;
    return result;
}
