/* A busy Linux box: a web server, a database, a service with a pool of threads and a compilation.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "device.h"
#include "profile.h"
#include "thread.h"

/* x86-64 */
enum {
    SYS_READ = 0,
    SYS_WRITE = 1,
    SYS_CLOSE = 3,
    SYS_FSTAT = 5,
    SYS_MMAP = 9,
    SYS_BRK = 12,
    SYS_PREAD64 = 17,
    SYS_PWRITE64 = 18,
    SYS_WRITEV = 20,
    SYS_SENDTO = 44,
    SYS_RECVFROM = 45,
    SYS_CLONE = 56,
    SYS_EXECVE = 59,
    SYS_WAIT4 = 61,
    SYS_FDATASYNC = 75,
    SYS_FUTEX = 202,
    SYS_EPOLL_WAIT = 232,
    SYS_OPENAT = 257,
    SYS_NEWFSTATAT = 262,
};

enum { WEB_COUNT = 4, BACKEND_COUNT = 8, POOL_COUNT = 12, WORKER_COUNT = CPU_COUNT + 3 };
enum { IRQ_NET = 38, IRQ_DISK = 45, UID_WEB = 33, UID_DATABASE = 113, UID_USER = 1001 };

struct linux_box {
    struct sim_process *systemd, *kernel, *nginx, *postgres, *api, *make;
    struct sim_thread *web[WEB_COUNT], *backends[BACKEND_COUNT], *pool[POOL_COUNT];
    struct sim_thread *wal_writer, *checkpointer, *journal, *make_main;
    int64_t requests;
};

static struct linux_box *box_of(const struct sim *sim)
{
    return sim->profile;
}

/* A thread that waits for events sleeps in a system call and comes out of it to serve one. */
static void event_begin(struct sim_thread *t, int number)
{
    thread_syscall_end(t, number, 1);
}

static void event_end(struct sim_thread *t, int number)
{
    thread_syscall_begin(t, number, 5 + t->tid % 60);
}

static void short_call(struct sim *sim, struct sim_thread *t, int number, int64_t result)
{
    thread_syscall(t, number, 3 + t->tid % 200, rng_duration(&sim->rng, 1500), result);
}

static void respond(struct sim *sim, struct sim_thread *t, int64_t request)
{
    event_begin(t, SYS_EPOLL_WAIT);
    short_call(sim, t, SYS_RECVFROM, 300 + request % 4000);
    thread_run(t, rng_duration(&sim->rng, 12 * US));
    short_call(sim, t, SYS_WRITEV, 1200 + request % 9000);
    short_call(sim, t, SYS_WRITE, 190);
    event_end(t, SYS_EPOLL_WAIT);
}

static void run_query(struct sim *sim, struct sim_thread *t, int64_t request)
{
    struct linux_box *b = box_of(sim);
    event_begin(t, SYS_EPOLL_WAIT);
    short_call(sim, t, SYS_RECVFROM, 90 + request % 100);
    thread_run(t, rng_duration(&sim->rng, 30 * US));
    for (int64_t i = rng_between(&sim->rng, 1, 5); i > 0; i--) {
        bool cached = !rng_once_in(&sim->rng, 9);
        thread_syscall_begin(t, SYS_PREAD64, 11 + i);
        thread_run(t, rng_duration(&sim->rng, 2 * US));
        if (!cached)
            thread_block_io(t, "R", 8192, rng_between(&sim->rng, 70 * US, 600 * US));
        thread_syscall_end(t, SYS_PREAD64, 8192);
        thread_run(t, rng_duration(&sim->rng, 9 * US));
    }
    if (request % 6 == 0) {
        short_call(sim, t, SYS_PWRITE64, 8192);
        thread_syscall_begin(t, SYS_FDATASYNC, 9);
        thread_block_io(t, "WS", 16384, rng_between(&sim->rng, 200 * US, 2 * MS));
        thread_syscall_end(t, SYS_FDATASYNC, 0);
    }
    short_call(sim, t, SYS_SENDTO, 700);
    thread_post(t, b->web[request % WEB_COUNT], respond, request);
    event_end(t, SYS_EPOLL_WAIT);
}

static void pool_task(struct sim *sim, struct sim_thread *t, int64_t request)
{
    struct linux_box *b = box_of(sim);
    event_begin(t, SYS_FUTEX);
    thread_run(t, rng_duration(&sim->rng, 40 * US));
    if (request % 3)
        short_call(sim, t, SYS_SENDTO, 120);
    thread_post(t, b->backends[request % BACKEND_COUNT], run_query, request);
    event_end(t, SYS_FUTEX);
}

static void accept_request(struct sim *sim, struct sim_thread *t, int64_t request)
{
    struct linux_box *b = box_of(sim);
    event_begin(t, SYS_EPOLL_WAIT);
    short_call(sim, t, SYS_RECVFROM, 420);
    short_call(sim, t, SYS_RECVFROM, -11);
    thread_run(t, rng_duration(&sim->rng, 18 * US));
    if (request % 4 == 0) { /* a static file */
        short_call(sim, t, SYS_OPENAT, 17);
        short_call(sim, t, SYS_FSTAT, 0);
        short_call(sim, t, SYS_PREAD64, 4096);
        short_call(sim, t, SYS_WRITEV, 4300);
        short_call(sim, t, SYS_CLOSE, 0);
    } else {
        short_call(sim, t, SYS_FUTEX, 1);
        thread_post(t, b->pool[request % POOL_COUNT], pool_task, request);
    }
    event_end(t, SYS_EPOLL_WAIT);
}

static void packet_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct linux_box *b = subject;
    int64_t request = ++b->requests;
    sim_post(sim, cpu, flags, b->web[request % WEB_COUNT], accept_request, request);
}

static void packet_arrives(struct sim *sim, void *subject, int64_t arg)
{
    static const char *const queues[] = {"eth0-rx-0", "eth0-rx-1", "eth0-rx-2", "eth0-rx-3"};
    sim_at(sim, sim->now + rng_duration(&sim->rng, 260 * US), packet_arrives, subject, arg);
    int queue = (int)rng_between(&sim->rng, 0, 3);
    sim_interrupt(sim, queue * 2, IRQ_NET + queue, queues[queue], SOFTIRQ_NET_RX, packet_irq,
                  subject);
}

/* The compilation: make starts compilers, three at a time, and waits for them. */

static void compile_done(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_signal(t, box_of(sim)->make_main);
    (void)arg;
}

static void become_compiler(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    sim_rename_thread(sim, t, "cc1");
    (void)arg;
}

static void compile(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct rng *r = &sim->rng;
    thread_syscall_begin(t, SYS_EXECVE, arg);
    thread_run(t, rng_duration(r, 150 * US));
    thread_then(t, become_compiler, 0);
    thread_syscall_end(t, SYS_EXECVE, 0);
    for (int64_t i = rng_between(r, 20, 60); i > 0; i--) {
        short_call(sim, t, SYS_NEWFSTATAT, i % 3 ? -2 : 0);
        short_call(sim, t, SYS_OPENAT, 4);
        thread_syscall_begin(t, SYS_READ, 4);
        thread_run(t, rng_duration(r, 4 * US));
        if (i % 17 == 3)
            thread_block_io(t, "RA", 131072, rng_between(r, 90 * US, 900 * US));
        thread_syscall_end(t, SYS_READ, rng_between(r, 100, 60000));
        short_call(sim, t, SYS_CLOSE, 0);
        thread_run(t, rng_duration(r, 180 * US));
    }
    for (int i = 0; i < 60; i++) {
        thread_run(t, rng_duration(r, 500 * US));
        short_call(sim, t, i % 7 ? SYS_BRK : SYS_MMAP, 0x5500000);
        if (i % 5 == 0)
            thread_fault(t, 1, 2 << 20);
    }
    short_call(sim, t, SYS_WRITE, 40000);
    thread_then(t, compile_done, 0);
    thread_exit(t);
}

static void fork_compiler(struct sim *sim, struct sim_thread *t, int64_t step)
{
    sim->next_pid += 2;
    struct sim_process *p = sim_add_process(sim, 0, t->process->pid, UID_USER, "cc1");
    p->rss_anon = 4 << 20;
    struct sim_thread *main = sim_clone_thread(sim, t, p, "make");
    main->prio = 125;
    thread_post(t, main, compile, step);
}

static bool make_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    enum { JOBS = 3 };
    if (step >= JOBS) {
        thread_syscall_begin(t, SYS_WAIT4, -1);
        thread_wait(t);
        thread_syscall_end(t, SYS_WAIT4, 4711);
    }
    thread_run(t, rng_duration(&sim->rng, 60 * US));
    short_call(sim, t, SYS_NEWFSTATAT, 0);
    thread_syscall_begin(t, SYS_CLONE, 0);
    thread_then(t, fork_compiler, step);
    thread_syscall_end(t, SYS_CLONE, 4711);
    return true;
}

/* The rest */

static bool writer_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    for (int64_t i = rng_between(&sim->rng, 1, 6); i > 0; i--)
        short_call(sim, t, SYS_PWRITE64, 8192);
    thread_syscall_begin(t, SYS_FDATASYNC, 7);
    thread_block_io(t, "WS", 65536, rng_between(&sim->rng, 300 * US, 3 * MS));
    thread_syscall_end(t, SYS_FDATASYNC, 0);
    thread_syscall_begin(t, SYS_EPOLL_WAIT, 8);
    thread_sleep(t, rng_between(&sim->rng, 8 * MS, 60 * MS));
    thread_syscall_end(t, SYS_EPOLL_WAIT, 0);
    return true;
}

static bool journal_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    thread_run(t, rng_duration(&sim->rng, 60 * US));
    thread_block_io(t, "WS", 32768, rng_between(&sim->rng, 200 * US, 1500 * US));
    thread_io(t, rng_between(&sim->rng, 50 * US, 300 * US), "jbd2_journal_commit_transaction",
              false);
    thread_sleep(t, rng_between(&sim->rng, 20 * MS, 200 * MS));
    return true;
}

static bool worker_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    static const char *const items[] = {"blk_mq_timeout_work", "vmstat_update", "wb_workfn",
                                        "flush_to_ldisc",      "mlx5_fc_work",  "kcryptd_crypt"};
    (void)step;
    for (int64_t i = rng_between(&sim->rng, 1, 4); i > 0; i--) {
        const char *item = items[rng_next(&sim->rng) % 6];
        thread_work_item(t, item, rng_duration(&sim->rng, 10 * US));
    }
    thread_sleep(t, rng_between(&sim->rng, 2 * MS, 25 * MS));
    return true;
}

static struct sim_thread *add(struct sim *sim, struct sim_process *p, const char *name,
                              sim_next_fn *next)
{
    struct sim_thread *t = sim_add_thread(sim, p, name);
    t->next = next;
    if (next)
        sim_start(sim, t, rng_between(&sim->rng, MS, 20 * MS));
    return t;
}

static void add_kernel(struct sim *sim, struct linux_box *b)
{
    b->kernel = sim_add_process(sim, 2, 0, 0, "kthreadd");
    (void)add(sim, b->kernel, "kthreadd", NULL);
    for (int i = 0; i < WORKER_COUNT; i++) {
        const char *name =
            i < CPU_COUNT ? sim_text(sim, "kworker/%d:1", i) : sim_text(sim, "kworker/u16:%d", i);
        struct sim_process *p = sim_add_process(sim, 30 + i, 2, 0, name);
        struct sim_thread *t = add(sim, p, name, worker_next);
        t->idle_state = STATE_IDLE_WORKER;
        if (i < CPU_COUNT)
            t->affinity = 1u << i;
    }
    struct sim_process *p = sim_add_process(sim, 270, 2, 0, "jbd2/nvme0n1p2-8");
    b->journal = add(sim, p, p->name, journal_next);
}

static void add_services(struct sim *sim, struct linux_box *b)
{
    for (int i = 0; i < WEB_COUNT; i++) {
        sim->next_pid = 720 + i;
        b->nginx = sim_add_process(sim, 0, 1, UID_WEB, "nginx: worker process");
        b->web[i] = add(sim, b->nginx, "nginx", NULL);
    }
    sim->next_pid = 810;
    b->postgres = sim_add_process(sim, 0, 1, UID_DATABASE, "postgres");
    (void)add(sim, b->postgres, "postgres", NULL);
    struct sim_process *p = sim_add_process(sim, 0, 810, UID_DATABASE, "postgres: walwriter");
    b->wal_writer = add(sim, p, "postgres", writer_next);
    p = sim_add_process(sim, 0, 810, UID_DATABASE, "postgres: checkpointer");
    b->checkpointer = add(sim, p, "postgres", writer_next);
    for (int i = 0; i < BACKEND_COUNT; i++) {
        p = sim_add_process(sim, 0, 810, UID_DATABASE, sim_text(sim, "postgres: api shop [%d]", i));
        b->backends[i] = add(sim, p, "postgres", NULL);
    }
    sim->next_pid = 1200;
    b->api = sim_add_process(sim, 0, 1, UID_USER, "/srv/shop/api");
    (void)add(sim, b->api, "api", NULL);
    for (int i = 0; i < POOL_COUNT; i++)
        b->pool[i] = add(sim, b->api, "tokio-runtime-worker", NULL);
    sim->next_pid = 4400;
    b->make = sim_add_process(sim, 0, 1, UID_USER, "make");
    b->make_main = add(sim, b->make, "make", make_next);
}

static void linux_start(struct sim *sim)
{
    static const struct device device = {.sysname = "Linux",
                                         .version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.99-1",
                                         .release = "6.1.0-23-amd64",
                                         .machine = "x86_64"};
    struct linux_box *b = alloc_array(1, sizeof *b);
    sim->profile = b;
    sim->disk_irq = IRQ_DISK;
    sim->disk_name = "nvme0q1";
    sim->timer_irq = 0;
    sim->timer_name = "timer";
    b->systemd = sim_add_process(sim, 1, 0, 0, "/sbin/init");
    (void)add(sim, b->systemd, "systemd", NULL);
    add_kernel(sim, b);
    add_services(sim, b);
    device_start(sim, &device);
    sim_at(sim, sim->now + MS, packet_arrives, b, 0);
}

static void linux_release(struct sim *sim)
{
    free(sim->profile);
}

static bool linux_done(const struct sim *sim)
{
    return sim->ftrace.events >= 2800000;
}

const struct profile linux_profile = {
    .name = "linux",
    .help = "a busy server: system calls, block layer, network (2.8 million events)",
    .start = linux_start,
    .release = linux_release,
    .done = linux_done,
};
