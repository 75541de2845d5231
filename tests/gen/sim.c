#include "sim.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "pb_fields.h"
#include "thread.h"
#include "track_event.h"

enum { CLUSTER_COUNT = 3, TICK_MS = 4, GOVERNOR_MS = 12 };
#define BOOT_TO_START (INT64_C(103680) * SECOND)
#define ALL_CPUS      ((1u << CPU_COUNT) - 1)

static const struct {
    int64_t capacity;
    uint32_t khz[8];
    int first_cpu, cpus;
} clusters[CLUSTER_COUNT] = {
    {380, {300000, 574000, 738000, 930000, 1197000, 1401000, 1598000, 1803000}, 0, 4},
    {760, {400000, 696000, 910000, 1197000, 1491000, 1836000, 2130000, 2253000}, 4, 3},
    {1024, {500000, 851000, 1106000, 1426000, 1826000, 2252000, 2507000, 2802000}, 7, 1},
};

/* Events */

static bool event_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->order < b->order;
}

void sim_at(struct sim *sim, int64_t ts, sim_event_fn *fn, void *subject, int64_t arg)
{
    struct sim_event e = {ts, sim->event_order++, fn, subject, arg};
    (void)vec_push(&sim->events);
    size_t i = sim->events.count - 1;
    for (; i > 0 && event_before(&e, &sim->events.items[(i - 1) / 2]); i = (i - 1) / 2)
        sim->events.items[i] = sim->events.items[(i - 1) / 2];
    sim->events.items[i] = e;
}

static struct sim_event event_take(struct sim *sim)
{
    struct sim_event *heap = sim->events.items, first = heap[0];
    struct sim_event last = heap[--sim->events.count];
    size_t i = 0, count = sim->events.count;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count && event_before(&heap[child + 1], &heap[child]))
            child++;
        if (!event_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

void sim_run_until(struct sim *sim, int64_t end)
{
    while (sim->events.count > 0 && sim->now < end) {
        struct sim_event e = event_take(sim);
        sim->now = e.ts;
        e.fn(sim, e.subject, e.arg);
    }
}

/* Recording */

int64_t sim_stamp(struct sim *sim, struct sim_cpu *cpu, struct sim_thread *thread)
{
    int64_t ts = sim->now;
    if (ts <= cpu->clock)
        ts = cpu->clock + 120 + (int64_t)(rng_next(&sim->rng) & 127);
    if (thread && ts <= thread->last_stamp)
        ts = thread->last_stamp + 120;
    cpu->clock = ts;
    if (thread)
        thread->last_stamp = ts;
    return ts;
}

struct sim_cpu *sim_cpu_of(struct sim *sim, const struct sim_thread *thread)
{
    return &sim->cpus[thread->cpu];
}

static int cpu_pid(const struct sim_cpu *cpu)
{
    return cpu->current ? cpu->current->tid : 0;
}

struct proto *sim_event_begin(struct sim *sim, struct sim_thread *thread, uint32_t event)
{
    struct sim_cpu *cpu = sim_cpu_of(sim, thread);
    int64_t ts = sim_stamp(sim, cpu, thread);
    return ftrace_begin(&sim->ftrace, cpu->index, ts, thread->tid, event);
}

void sim_event_end(struct sim *sim, struct sim_thread *thread)
{
    ftrace_end(&sim->ftrace, thread->cpu);
}

struct proto *sim_cpu_event_begin(struct sim *sim, struct sim_cpu *cpu, uint32_t event)
{
    int64_t ts = sim_stamp(sim, cpu, NULL);
    return ftrace_begin(&sim->ftrace, cpu->index, ts, cpu_pid(cpu), event);
}

void sim_cpu_event_end(struct sim *sim, struct sim_cpu *cpu)
{
    ftrace_end(&sim->ftrace, cpu->index);
}

static void cpu_idle_event(struct sim *sim, struct sim_cpu *cpu, uint32_t state)
{
    if (!sim->frequency_events)
        return;
    struct proto *w = sim_cpu_event_begin(sim, cpu, PB_FtraceEvent_cpu_idle);
    proto_u64(w, PB_CpuIdleFtraceEvent_state, state);
    proto_i64(w, PB_CpuIdleFtraceEvent_cpu_id, cpu->index);
    sim_cpu_event_end(sim, cpu);
}

static void frequency_event(struct sim *sim, struct sim_cpu *by, const struct sim_cpu *cpu)
{
    struct proto *w = sim_cpu_event_begin(sim, by, PB_FtraceEvent_cpu_frequency);
    proto_u64(w, PB_CpuFrequencyFtraceEvent_state, cpu->khz);
    proto_i64(w, PB_CpuFrequencyFtraceEvent_cpu_id, cpu->index);
    sim_cpu_event_end(sim, by);
}

/* Scheduling */

static void cpu_dispatch(struct sim *sim, struct sim_cpu *cpu, int prev_state);

static bool is_realtime(const struct sim_thread *t)
{
    return t->prio < 100;
}

/* CPU time counts more for the nice: a quarter more per level. */
static int64_t vruntime_of(const struct sim_thread *t, int64_t ns)
{
    int nice = t->prio - 120;
    for (; nice > 0; nice--)
        ns += ns / 4;
    for (; nice < 0; nice++)
        ns -= ns / 5;
    return ns;
}

/* Virtual time passes at its own pace on each CPU: a thread that moves keeps its distance. */
static void thread_move(struct sim *sim, struct sim_thread *t, struct sim_cpu *to)
{
    t->vruntime += to->min_vruntime - sim->cpus[t->cpu].min_vruntime;
    t->cpu = to->index;
}

static void thread_account(struct sim *sim, struct sim_thread *t, struct sim_cpu *cpu)
{
    int64_t ran = sim->now - cpu->run_start;
    int64_t done = cpu->run_need > 0 ? t->work * ran / cpu->run_need : t->work;
    t->work -= done < t->work ? done : t->work;
    t->cpu_time += ran;
    t->vruntime += vruntime_of(t, ran);
    if (is_realtime(t))
        return;
    int64_t least = t->vruntime;
    for (size_t i = 0; i < cpu->queue.count; i++) {
        const struct sim_thread *other = cpu->queue.items[i];
        if (!is_realtime(other) && other->vruntime < least)
            least = other->vruntime;
    }
    cpu->min_vruntime = least > cpu->min_vruntime ? least : cpu->min_vruntime;
}

static void work_done(struct sim *sim, void *subject, int64_t token);

static void cpu_plan_work(struct sim *sim, struct sim_cpu *cpu)
{
    struct sim_thread *t = cpu->current;
    int64_t khz = cpu->khz, max_khz = cpu->max_khz;
    cpu->run_start = sim->now;
    cpu->run_need = t->work * 1024 / cpu->capacity * (max_khz / 1000) / (khz / 1000) + 1;
    sim_at(sim, sim->now + cpu->run_need, work_done, cpu, ++cpu->token);
}

static bool thread_next(struct sim *sim, struct sim_thread *t)
{
    if (t->next)
        return t->next(sim, t, t->step++);
    if (t->message == t->mailbox.count) {
        t->message = t->mailbox.count = 0;
        return false;
    }
    struct sim_message m = t->mailbox.items[t->message++];
    m.fn(sim, t, m.arg);
    return true;
}

/* Takes up the operations of the current thread until one takes time or blocks it. */
static void cpu_run(struct sim *sim, struct sim_cpu *cpu)
{
    struct sim_thread *t = cpu->current;
    while (t->work == 0) {
        if (t->op == t->ops.count) {
            t->op = t->ops.count = 0;
            if (thread_next(sim, t))
                continue;
            t->idle = true;
            t->state = THREAD_BLOCKED;
            cpu_dispatch(sim, cpu, t->idle_state);
            return;
        }
        struct sim_op op = t->ops.items[t->op++];
        if (op_execute(sim, t, &op) == OP_BLOCKED) {
            bool gone = t->state == THREAD_GONE;
            int state = gone && t->tid == t->process->pid ? STATE_ZOMBIE : STATE_DEAD;
            if (!gone) {
                t->state = THREAD_BLOCKED;
                state = t->was_on_disk ? STATE_DISK : STATE_SLEEPING;
            }
            cpu_dispatch(sim, cpu, state);
            return;
        }
    }
    cpu_plan_work(sim, cpu);
}

static void work_done(struct sim *sim, void *subject, int64_t token)
{
    struct sim_cpu *cpu = subject;
    if (cpu->token != (uint32_t)token)
        return;
    thread_account(sim, cpu->current, cpu);
    cpu->current->work = 0;
    cpu_run(sim, cpu);
}

static bool runs_before(const struct sim_thread *a, const struct sim_thread *b)
{
    if (is_realtime(a) || is_realtime(b))
        return a->prio != b->prio && a->prio < b->prio;
    return a->vruntime < b->vruntime;
}

static struct sim_thread *queue_take(struct sim_cpu *cpu, int for_cpu)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < cpu->queue.count; i++) {
        struct sim_thread *t = cpu->queue.items[i];
        if (!(t->affinity >> for_cpu & 1))
            continue;
        if (best == SIZE_MAX || runs_before(t, cpu->queue.items[best]))
            best = i;
    }
    if (best == SIZE_MAX)
        return NULL;
    struct sim_thread *t = cpu->queue.items[best];
    for (size_t i = best + 1; i < cpu->queue.count; i++)
        cpu->queue.items[i - 1] = cpu->queue.items[i];
    cpu->queue.count--;
    return t;
}

/* A CPU with nothing to do takes over from the one with most that waits. */
static struct sim_thread *queue_steal(struct sim *sim, struct sim_cpu *cpu)
{
    size_t most = 0;
    struct sim_cpu *from = NULL;
    for (int i = 0; i < CPU_COUNT; i++) {
        struct sim_cpu *other = &sim->cpus[i];
        bool waits = other->current != NULL && other->queue.count > most;
        if (other != cpu && waits) {
            most = other->queue.count;
            from = other;
        }
    }
    struct sim_thread *t = from ? queue_take(from, cpu->index) : NULL;
    if (t)
        thread_move(sim, t, cpu);
    return t;
}

static void cpu_count_busy(struct sim *sim, struct sim_cpu *cpu, const struct sim_thread *next)
{
    if (cpu->current)
        cpu->busy += sim->now - cpu->busy_since;
    if (next)
        cpu->busy_since = sim->now;
}

static void cpu_dispatch(struct sim *sim, struct sim_cpu *cpu, int prev_state)
{
    struct sim_thread *prev = cpu->current, *next = queue_take(cpu, cpu->index);
    if (!next)
        next = queue_steal(sim, cpu);
    cpu->token++;
    cpu->leaving_idle = false;
    cpu_count_busy(sim, cpu, next);
    if (!next && !prev) {
        cpu_idle_event(sim, cpu, 1);
        return;
    }
    struct sim_thread *to = next ? next : cpu->swapper;
    if (next && next->last_stamp > cpu->clock)
        cpu->clock = next->last_stamp;
    if (next != prev) {
        int64_t ts = sim_stamp(sim, cpu, prev);
        to->last_stamp = ts;
        ftrace_switch(&sim->ftrace, cpu->index, ts, prev ? prev_state : 0, to->tid, to->prio,
                      to->comm);
    }
    cpu->current = next;
    if (!next) {
        cpu_idle_event(sim, cpu, rng_once_in(&sim->rng, 3) ? 0 : 1);
        return;
    }
    next->state = THREAD_RUNNING;
    next->cpu = cpu->index;
    if (next != prev)
        next->work += 600 + (int64_t)(rng_next(&sim->rng) & 511); /* the switch itself */
    cpu_plan_work(sim, cpu);
}

static void cpu_leave_idle(struct sim *sim, void *subject, int64_t token)
{
    struct sim_cpu *cpu = subject;
    if (cpu->current == NULL && cpu->token == (uint32_t)token)
        cpu_dispatch(sim, cpu, 0);
}

static void cpu_exit_idle(struct sim *sim, void *subject, int64_t token)
{
    struct sim_cpu *cpu = subject;
    if (cpu->current != NULL || cpu->token != (uint32_t)token)
        return;
    cpu_idle_event(sim, cpu, UINT32_MAX);
    sim_at(sim, sim->now + rng_between(&sim->rng, 1200, 4000), cpu_leave_idle, cpu, token);
}

static bool queue_wants(const struct sim_cpu *cpu)
{
    for (size_t i = 0; i < cpu->queue.count; i++) {
        if (runs_before(cpu->queue.items[i], cpu->current))
            return true;
    }
    return false;
}

static void cpu_preempt(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    struct sim_cpu *cpu = subject;
    struct sim_thread *t = cpu->current;
    if (!t || !queue_wants(cpu))
        return;
    thread_account(sim, t, cpu);
    if (t->work == 0)
        t->work = 200;
    t->state = THREAD_RUNNABLE;
    *vec_push(&cpu->queue) = t;
    cpu_dispatch(sim, cpu, STATE_PREEMPTED);
}

static int cpu_choose(struct sim *sim, const struct sim_thread *t)
{
    static const int8_t order[3][CPU_COUNT] = {
        [PREFER_ANY] = {4, 5, 6, 0, 1, 2, 3, 7},
        [PREFER_LITTLE] = {0, 1, 2, 3, 4, 5, 6, 7},
        [PREFER_BIG] = {7, 4, 5, 6, 0, 1, 2, 3},
    };
    int best = -1;
    size_t shortest = SIZE_MAX;
    const struct sim_cpu *last = &sim->cpus[t->cpu];
    if (t->affinity >> last->index & 1 && !last->current && !last->leaving_idle)
        return last->index;
    for (int i = 0; i < CPU_COUNT; i++) {
        int index = order[t->prefer][i];
        const struct sim_cpu *cpu = &sim->cpus[index];
        if (!(t->affinity >> index & 1))
            continue;
        size_t load = cpu->queue.count + (cpu->current || cpu->leaving_idle ? 1 : 0);
        if (is_realtime(t) && cpu->current && !is_realtime(cpu->current) && load == 1)
            load = 0;
        if (load < shortest) {
            shortest = load;
            best = index;
        }
    }
    return best;
}

/* Puts a runnable thread in the queue of the CPU chosen for it. */
static void cpu_enqueue(struct sim *sim, struct sim_cpu *cpu, struct sim_thread *t, int by)
{
    thread_move(sim, t, cpu);
    if (t->vruntime < cpu->min_vruntime - 4 * MS)
        t->vruntime = cpu->min_vruntime - 4 * MS; /* sleeping earns no more than this */
    *vec_push(&cpu->queue) = t;
    if (!cpu->current) {
        if (cpu->leaving_idle)
            return;
        cpu->leaving_idle = true;
        int64_t latency = by == cpu->index ? 2 * US : rng_between(&sim->rng, 6 * US, 38 * US);
        sim_at(sim, sim->now + latency, cpu_exit_idle, cpu, cpu->token);
        return;
    }
    bool behind = cpu->current->vruntime - t->vruntime > MS;
    if (runs_before(t, cpu->current) && (is_realtime(t) || behind))
        sim_at(sim, sim->now + rng_between(&sim->rng, 2 * US, 6 * US), cpu_preempt, cpu, 0);
}

void sim_wake(struct sim *sim, int by, uint32_t flags, struct sim_thread *t)
{
    if (t->state != THREAD_BLOCKED)
        return;
    struct sim_cpu *waker = &sim->cpus[by];
    t->state = THREAD_RUNNABLE;
    t->idle = false;
    struct sim_cpu *cpu = &sim->cpus[cpu_choose(sim, t)];
    struct sim_thread *running = waker->current && flags == 0 ? waker->current : NULL;
    if (waker->clock < t->last_stamp)
        waker->clock = t->last_stamp;
    int64_t ts = sim_stamp(sim, waker, running);
    ftrace_waking(&sim->ftrace, by, ts, t->tid, cpu->index, t->prio, t->comm, flags);
    op_record_wakeup(sim, by, t);
    t->last_stamp = waker->clock;
    cpu_enqueue(sim, cpu, t, by);
}

void sim_post(struct sim *sim, int cpu, uint32_t flags, struct sim_thread *to, sim_fn *fn,
              int64_t arg)
{
    if (to->state == THREAD_GONE)
        return;
    *vec_push(&to->mailbox) = (struct sim_message){fn, arg};
    if (to->idle)
        sim_wake(sim, cpu, flags, to);
}

/* Interrupts */

static void softirq_event(struct sim *sim, struct sim_cpu *cpu, uint32_t event, int vec)
{
    struct proto *w = sim_cpu_event_begin(sim, cpu, event);
    proto_i64(w, PB_SoftirqEntryFtraceEvent_vec, vec);
    sim_cpu_event_end(sim, cpu);
}

static void irq_entry_event(struct sim *sim, struct sim_cpu *cpu, int irq, const char *name)
{
    struct proto *w = sim_cpu_event_begin(sim, cpu, PB_FtraceEvent_irq_handler_entry);
    proto_i64(w, PB_IrqHandlerEntryFtraceEvent_irq, irq);
    proto_string(w, PB_IrqHandlerEntryFtraceEvent_name, name);
    sim_cpu_event_end(sim, cpu);
}

static void irq_exit_event(struct sim *sim, struct sim_cpu *cpu, int irq)
{
    cpu->clock += rng_between(&sim->rng, 700, 4200);
    struct proto *w = sim_cpu_event_begin(sim, cpu, PB_FtraceEvent_irq_handler_exit);
    proto_i64(w, PB_IrqHandlerExitFtraceEvent_irq, irq);
    proto_i64(w, PB_IrqHandlerExitFtraceEvent_ret, 1);
    sim_cpu_event_end(sim, cpu);
}

void sim_irq_wake(struct sim *sim, int cpu, uint32_t flags, void *thread)
{
    sim_wake(sim, cpu, flags, thread);
}

void sim_interrupt(struct sim *sim, int index, int irq, const char *name, int softirq,
                   sim_irq_fn *body, void *subject)
{
    struct sim_cpu *cpu = &sim->cpus[index];
    bool was_idle = !cpu->current && !cpu->leaving_idle;
    if (was_idle) {
        cpu_idle_event(sim, cpu, UINT32_MAX);
        cpu->leaving_idle = true;
    }
    irq_entry_event(sim, cpu, irq, name);
    if (softirq != SOFTIRQ_NONE)
        softirq_event(sim, cpu, PB_FtraceEvent_softirq_raise, softirq);
    if (softirq == SOFTIRQ_NONE)
        body(sim, index, FLAG_HARDIRQ, subject);
    irq_exit_event(sim, cpu, irq);
    if (softirq != SOFTIRQ_NONE) {
        softirq_event(sim, cpu, PB_FtraceEvent_softirq_entry, softirq);
        cpu->clock += rng_between(&sim->rng, 500, 6000);
        body(sim, index, FLAG_SOFTIRQ, subject);
        softirq_event(sim, cpu, PB_FtraceEvent_softirq_exit, softirq);
    }
    if (!was_idle)
        return;
    cpu->leaving_idle = cpu->queue.count > 0;
    if (cpu->leaving_idle)
        sim_at(sim, cpu->clock + rng_between(&sim->rng, 800, 2500), cpu_leave_idle, cpu,
               cpu->token);
    else
        cpu_idle_event(sim, cpu, 1);
}

/* The scheduler's tick, which stops on idle CPUs. */
static void cpu_tick(struct sim *sim, void *subject, int64_t count)
{
    struct sim_cpu *cpu = subject;
    sim_at(sim, sim->now + TICK_MS * MS, cpu_tick, cpu, count + 1);
    if (!cpu->current)
        return;
    irq_entry_event(sim, cpu, sim->timer_irq, sim->timer_name);
    int softirq = count % 5 == 0 ? SOFTIRQ_RCU : count % 3 == 0 ? SOFTIRQ_SCHED : SOFTIRQ_TIMER;
    softirq_event(sim, cpu, PB_FtraceEvent_softirq_raise, softirq);
    irq_exit_event(sim, cpu, sim->timer_irq);
    softirq_event(sim, cpu, PB_FtraceEvent_softirq_entry, softirq);
    cpu->clock += rng_between(&sim->rng, 300, 3000);
    softirq_event(sim, cpu, PB_FtraceEvent_softirq_exit, softirq);
    if (cpu->queue.count > 0 && !is_realtime(cpu->current))
        sim_at(sim, cpu->clock + 400, cpu_preempt, cpu, 0);
}

/* Sets each cluster's frequency to what its CPUs used of late. */
static void govern_frequency(struct sim *sim, void *subject, int64_t arg)
{
    sim_at(sim, sim->now + GOVERNOR_MS * MS, govern_frequency, subject, arg);
    for (int c = 0; c < CLUSTER_COUNT; c++) {
        struct sim_cpu *cpus = &sim->cpus[clusters[c].first_cpu], *by = NULL;
        int64_t most = 0;
        for (int i = 0; i < clusters[c].cpus; i++) {
            struct sim_cpu *cpu = &cpus[i];
            cpu_count_busy(sim, cpu, cpu->current);
            most = cpu->busy > most ? cpu->busy : most;
            cpu->busy = 0;
            by = cpu->current ? cpu : by;
        }
        int64_t level = most * 10 / (GOVERNOR_MS * MS);
        uint32_t khz = clusters[c].khz[level < 7 ? level : 7];
        if (!by || khz == cpus[0].khz)
            continue;
        for (int i = 0; i < clusters[c].cpus; i++) {
            cpus[i].khz = khz;
            if (sim->frequency_events)
                frequency_event(sim, by, &cpus[i]);
        }
    }
}

static void start_thread(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    struct sim_thread *t = subject;
    sim_interrupt(sim, t->cpu, sim->timer_irq, sim->timer_name, SOFTIRQ_TIMER, sim_irq_wake, t);
}

void sim_start(struct sim *sim, struct sim_thread *thread, int64_t delay)
{
    sim_at(sim, sim->now + delay, start_thread, thread, 0);
}

/* Processes and threads */

const char *sim_text(struct sim *sim, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < sizeof text);
    *vec_push(&sim->texts) = alloc_copy(text, (size_t)n);
    return vec_last(&sim->texts);
}

struct sim_process *sim_add_process(struct sim *sim, int pid, int ppid, int uid, const char *name)
{
    struct sim_process *p = alloc_array(1, sizeof *p);
    *p = (struct sim_process){.pid = pid ? pid : sim->next_pid++,
                              .ppid = ppid,
                              .uid = uid,
                              .name = name,
                              .kernel = ppid == 2 || pid == 2};
    p->rss_anon = rng_between(&sim->rng, 12, 220) << 20;
    p->rss_file = rng_between(&sim->rng, 20, 140) << 20;
    p->mm_id = (uint32_t)rng_next(&sim->rng);
    p->uuid = rng_next(&sim->rng);
    *vec_push(&sim->processes) = p;
    return p;
}

struct sim_thread *sim_add_thread(struct sim *sim, struct sim_process *process, const char *name)
{
    struct sim_thread *t = alloc_array(1, sizeof *t);
    t->tid = process->threads.count == 0 ? process->pid : sim->next_pid++;
    t->prio = 120;
    t->name = name;
    t->comm = ftrace_comm(&sim->ftrace, name);
    t->process = process;
    t->state = THREAD_BLOCKED;
    t->idle = true;
    t->idle_state = STATE_SLEEPING;
    t->affinity = ALL_CPUS;
    t->cpu = (int)rng_between(&sim->rng, 0, CPU_COUNT - 1);
    *vec_push(&process->threads) = t;
    *vec_push(&sim->threads) = t;
    return t;
}

struct sim_thread *sim_clone_thread(struct sim *sim, struct sim_thread *parent,
                                    struct sim_process *process, const char *name)
{
    enum { CLONE_THREAD_FLAGS = 0x3d0f00, CLONE_PROCESS_FLAGS = 0x1200000 };
    struct sim_thread *t = sim_add_thread(sim, process, name);
    bool first = process->threads.count == 1;
    t->cpu = parent->cpu;
    t->vruntime = sim_cpu_of(sim, parent)->min_vruntime;
    struct proto *w = sim_event_begin(sim, parent, PB_FtraceEvent_task_newtask);
    proto_i64(w, PB_TaskNewtaskFtraceEvent_pid, t->tid);
    const char *comm = first ? parent->name : process->threads.items[0]->name;
    proto_string(w, PB_TaskNewtaskFtraceEvent_comm,
                 sim->ftrace.comms.items[ftrace_comm(&sim->ftrace, comm)].name);
    proto_u64(w, PB_TaskNewtaskFtraceEvent_clone_flags,
              first ? CLONE_PROCESS_FLAGS : CLONE_THREAD_FLAGS);
    proto_i64(w, PB_TaskNewtaskFtraceEvent_oom_score_adj, process->oom_score_adj);
    sim_event_end(sim, parent);
    t->last_stamp = sim_cpu_of(sim, parent)->clock;
    t->state = THREAD_RUNNABLE; /* a new task runs without being woken */
    t->idle = false;
    cpu_enqueue(sim, &sim->cpus[cpu_choose(sim, t)], t, parent->cpu);
    return t;
}

void sim_rename_thread(struct sim *sim, struct sim_thread *thread, const char *name)
{
    struct proto *w = sim_event_begin(sim, thread, PB_FtraceEvent_task_rename);
    proto_i64(w, PB_TaskRenameFtraceEvent_pid, thread->tid);
    proto_string(w, PB_TaskRenameFtraceEvent_oldcomm, sim->ftrace.comms.items[thread->comm].name);
    thread->name = name;
    thread->comm = ftrace_comm(&sim->ftrace, name);
    proto_string(w, PB_TaskRenameFtraceEvent_newcomm, sim->ftrace.comms.items[thread->comm].name);
    proto_i64(w, PB_TaskRenameFtraceEvent_oom_score_adj, thread->process->oom_score_adj);
    sim_event_end(sim, thread);
}

void sim_set_oom_score(struct sim *sim, struct sim_thread *by, struct sim_process *process,
                       int score)
{
    process->oom_score_adj = score;
    struct proto *w = sim_event_begin(sim, by, PB_FtraceEvent_oom_score_adj_update);
    const struct sim_thread *main = process->threads.items[0];
    proto_string(w, PB_OomScoreAdjUpdateFtraceEvent_comm, sim->ftrace.comms.items[main->comm].name);
    proto_i64(w, PB_OomScoreAdjUpdateFtraceEvent_oom_score_adj, score);
    proto_i64(w, PB_OomScoreAdjUpdateFtraceEvent_pid, process->pid);
    sim_event_end(sim, by);
}

void sim_kill_process(struct sim *sim, int cpu, struct sim_process *process)
{
    for (size_t i = process->threads.count; i-- > 0;) {
        struct sim_thread *t = process->threads.items[i];
        t->op = t->ops.count = 0;
        thread_exit(t);
        sim_wake(sim, cpu, 0, t);
    }
    process->gone = true;
}

static void cpu_init(struct sim *sim, int index)
{
    struct sim_cpu *cpu = &sim->cpus[index];
    int c = index < 4 ? 0 : index < 7 ? 1 : 2;
    *cpu = (struct sim_cpu){.index = index,
                            .cluster = c,
                            .capacity = clusters[c].capacity,
                            .khz = clusters[c].khz[2],
                            .max_khz = clusters[c].khz[7],
                            .clock = sim->start};
    cpu->swapper = alloc_array(1, sizeof *cpu->swapper);
    cpu->swapper->name = sim_text(sim, "swapper/%d", index);
    cpu->swapper->comm = ftrace_comm(&sim->ftrace, cpu->swapper->name);
    cpu->swapper->prio = 120;
    sim_at(sim, sim->start + (index + 1) * TICK_MS * MS / CPU_COUNT, cpu_tick, cpu, index);
}

void sim_init(struct sim *sim, FILE *file, bool compress, uint64_t seed)
{
    *sim = (struct sim){.start = BOOT_TO_START, .now = BOOT_TO_START, .next_pid = 1000};
    sim->rng.state = seed;
    sim->next_debug_id = 400000;
    sim->next_sequence = SEQUENCE_THREADS;
    sim->timer_irq = 11;
    sim->timer_name = "arch_timer";
    sim->disk_irq = 256;
    sim->disk_name = "ufshcd";
    sim->frequency_events = true;
    out_init(&sim->out, file, compress);
    ftrace_init(&sim->ftrace, &sim->out, sim->start);
    for (int i = 0; i < CPU_COUNT; i++)
        cpu_init(sim, i);
    sim_at(sim, sim->start + GOVERNOR_MS * MS, govern_frequency, sim, 0);
}

static void thread_free(struct sim_thread *t)
{
    vec_release(&t->ops);
    vec_release(&t->mailbox);
    event_stream_free(t->events);
    free(t);
}

void sim_release(struct sim *sim)
{
    for (size_t i = 0; i < sim->threads.count; i++)
        thread_free(sim->threads.items[i]);
    for (size_t i = 0; i < sim->processes.count; i++) {
        struct sim_process *p = sim->processes.items[i];
        vec_release(&p->threads);
        vec_release(&p->binder_idle);
        vec_release(&p->binder_queue);
        free(p);
    }
    for (int i = 0; i < CPU_COUNT; i++) {
        thread_free(sim->cpus[i].swapper);
        vec_release(&sim->cpus[i].queue);
    }
    vec_release(&sim->events);
    vec_release(&sim->threads);
    vec_release(&sim->processes);
    for (size_t i = 0; i < sim->texts.count; i++)
        free(sim->texts.items[i]);
    vec_release(&sim->texts);
    proto_release(&sim->log);
    ftrace_release(&sim->ftrace);
    out_release(&sim->out);
}
