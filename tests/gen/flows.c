/* A service whose threads hand work to each other, every hand-over a flow: chains, fans that spread
 * and fans that gather. */
#include <stdlib.h>

#include "base/alloc.h"
#include "device.h"
#include "profile.h"
#include "thread.h"
#include "track_event.h"

enum { PROCESS_COUNT = 4, THREAD_COUNT = 32, FLOW_GOAL = 20000, UID_SERVICE = 1001 };
enum { STEP_BITS = 8, STEP_MASK = (1 << STEP_BITS) - 1, CHAIN_MAX = 14, FAN_MAX = 40 };

struct service {
    struct sim_thread *threads[THREAD_COUNT];
    int64_t next_flow, planned;
};

static const struct event_site site_chain = {"chain", "Stage", ANNOTATION_COUNT};
static const struct event_site site_spread = {"fan", "Scatter", ANNOTATION_COUNT};
static const struct event_site site_leaf = {"fan", "Shard", ANNOTATION_REQUEST};
static const struct event_site site_part = {"fan", "Part", ANNOTATION_SOURCE};
static const struct event_site site_gather = {"fan", "Gather", ANNOTATION_COUNT};

static struct service *service_of(const struct sim *sim)
{
    return sim->profile;
}

static struct sim_thread *any_thread(struct sim *sim)
{
    return service_of(sim)->threads[rng_next(&sim->rng) % THREAD_COUNT];
}

static void work(struct sim *sim, struct sim_thread *t, const struct event_site *site,
                 int64_t value, struct flows flows)
{
    thread_event_begin(t, site, value, flows);
    thread_run(t, rng_duration(&sim->rng, 60 * US));
}

/* A message's argument: a flow id and, in the low bits, how many steps are left. */
static int64_t pack(int64_t flow, int64_t steps)
{
    return flow << STEP_BITS | steps;
}

static void chain_step(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    int64_t flow = arg >> STEP_BITS, left = arg & STEP_MASK;
    if (left == 0) {
        work(sim, t, &site_chain, left, (struct flows){.end_first = flow, .end_count = 1});
        thread_event_end(t, &site_chain);
        return;
    }
    work(sim, t, &site_chain, left, (struct flows){.first = flow, .count = 1});
    thread_post(t, any_thread(sim), chain_step, pack(flow, left - 1));
    thread_event_end(t, &site_chain);
}

static void fan_leaf(struct sim *sim, struct sim_thread *t, int64_t flow)
{
    work(sim, t, &site_leaf, flow, (struct flows){.end_first = flow, .end_count = 1});
    thread_event_end(t, &site_leaf);
}

static void fan_spread(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    int64_t flow = arg >> STEP_BITS, count = arg & STEP_MASK;
    work(sim, t, &site_spread, count, (struct flows){.first = flow, .count = (uint32_t)count});
    for (int64_t i = 0; i < count; i++)
        thread_post(t, any_thread(sim), fan_leaf, flow + i);
    thread_event_end(t, &site_spread);
}

static void fan_gather(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    int64_t flow = arg >> STEP_BITS, count = arg & STEP_MASK;
    struct flows flows = {.end_first = flow, .end_count = (uint32_t)count};
    work(sim, t, &site_gather, count, flows);
    thread_event_end(t, &site_gather);
}

/* The parts come one after the other, the last one hands over to the thread that gathers. */
static void fan_part(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    int64_t flow = arg >> STEP_BITS, count = arg & STEP_MASK;
    for (int64_t i = 0; i < count; i++) {
        work(sim, t, &site_part, i, (struct flows){.first = flow + i, .count = 1});
        thread_event_end(t, &site_part);
    }
    thread_post(t, any_thread(sim), fan_gather, arg);
}

static void request_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct service *s = subject;
    int64_t left = sim->bounded ? FLOW_GOAL - s->planned : INT32_MAX;
    int kind = (int)rng_between(&sim->rng, 0, 3);
    int64_t count = rng_between(&sim->rng, 2, kind < 2 ? CHAIN_MAX : FAN_MAX);
    count = count < left ? count : left;
    if (count == 0)
        return;
    sim_fn *fn = kind < 2 ? chain_step : kind == 2 ? fan_spread : fan_part;
    sim_post(sim, cpu, flags, any_thread(sim), fn, pack(s->next_flow, count));
    s->next_flow += kind < 2 ? 1 : count;
    s->planned += count;
}

static void request_arrives(struct sim *sim, void *subject, int64_t arg)
{
    sim_at(sim, sim->now + rng_duration(&sim->rng, 700 * US), request_arrives, subject, arg);
    sim_interrupt(sim, (int)rng_between(&sim->rng, 0, CPU_COUNT - 1), 38, "eth0-rx-0",
                  SOFTIRQ_NET_RX, request_irq, subject);
}

static void flows_start(struct sim *sim)
{
    static const struct device device = {.sysname = "Linux",
                                         .version = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.99-1",
                                         .release = "6.1.0-23-amd64",
                                         .machine = "x86_64"};
    struct service *s = alloc_array(1, sizeof *s);
    sim->profile = s;
    s->next_flow = 1;
    sim->timer_irq = 0;
    sim->timer_name = "timer";
    struct sim_process *p = NULL;
    for (int i = 0; i < THREAD_COUNT; i++) {
        if (i % (THREAD_COUNT / PROCESS_COUNT) == 0)
            p = sim_add_process(sim, 0, 1, UID_SERVICE, sim_text(sim, "shard-%d", i / 8));
        s->threads[i] = sim_add_thread(sim, p, sim_text(sim, "executor-%d", i));
    }
    device_start(sim, &device);
    sim_at(sim, sim->now + MS, request_arrives, s, 0);
}

static void flows_release(struct sim *sim)
{
    free(sim->profile);
}

/* All flows are planned, and some time has passed for them to arrive. */
static bool flows_done(const struct sim *sim)
{
    const struct service *s = service_of(sim);
    if (s->planned < FLOW_GOAL)
        return false;
    for (int i = 0; i < THREAD_COUNT; i++) {
        if (!s->threads[i]->idle)
            return false;
    }
    return true;
}

const struct profile flows_profile = {
    .name = "flows",
    .help = "track events with dense flows: chains and fans (20,000 flows)",
    .start = flows_start,
    .release = flows_release,
    .done = flows_done,
};
