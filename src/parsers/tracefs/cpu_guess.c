#include "parsers/tracefs/cpu_guess.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/store/table.h"

enum { LANES_MOST = 256 };

/* What ran one behind the other on a CPU. */
struct chain {
    uint32_t cpu;             /* NULL_U32 until it is known */
    uint32_t likely, wakeups; /* CPU that most of its threads were woken on, and how many */
    size_t first, last;       /* of its events */
};

struct cpu_guess {
    VEC(struct chain) chains;
    VEC(uint32_t) events; /* the chain of each */
    struct map running;   /* tid -> chain */
    struct map targets;   /* tid -> CPU that it was woken on last */
    struct map wakeups;   /* chain and CPU -> threads that were woken on it */
    struct map of_cpus;   /* CPU -> chain that its idle thread is in */
    uint32_t last_idle;   /* chain where the idle thread was switched to last */
};

struct cpu_guess *cpu_guess_new(void)
{
    struct cpu_guess *g = alloc_array(1, sizeof *g);
    g->last_idle = NULL_U32;
    return g;
}

void cpu_guess_free(struct cpu_guess *g)
{
    vec_release(&g->chains);
    vec_release(&g->events);
    map_release(&g->running);
    map_release(&g->targets);
    map_release(&g->wakeups);
    map_release(&g->of_cpus);
    free(g);
}

static uint32_t new_chain(struct cpu_guess *g)
{
    *vec_push(&g->chains) =
        (struct chain){.cpu = NULL_U32, .likely = NULL_U32, .first = g->events.count};
    return (uint32_t)g->chains.count - 1;
}

static uint32_t chain_of_cpu(struct cpu_guess *g, uint32_t cpu)
{
    bool inserted;
    uint32_t *chain = map_insert(&g->of_cpus, cpu, &inserted);
    if (inserted) {
        *chain = new_chain(g);
        g->chains.items[*chain].cpu = cpu;
    }
    return *chain;
}

static void note_target(struct cpu_guess *g, uint32_t chain, uint32_t tid)
{
    const uint32_t *target = map_find(&g->targets, tid);
    bool inserted;
    if (!target)
        return;
    uint32_t *count = map_insert(&g->wakeups, (uint64_t)chain << 32 | *target, &inserted);
    struct chain *c = &g->chains.items[chain];
    if (++*count > c->wakeups) {
        c->wakeups = *count;
        c->likely = *target;
    }
}

/* A thread that was not seen to begin to run is the first of a chain. */
static uint32_t chain_of_thread(struct cpu_guess *g, uint32_t tid)
{
    bool inserted;
    uint32_t *chain = map_insert(&g->running, tid, &inserted);
    if (inserted) {
        *chain = new_chain(g);
        note_target(g, *chain, tid);
    }
    return *chain;
}

/* The CPU in "swapper/3", else NULL_U32. */
static uint32_t cpu_of_idle(struct str comm)
{
    struct str before = STR("swapper/");
    uint64_t cpu;
    if (!str_starts(comm, before) || !str_to_u64(str_skip(comm, before.n), 10, &cpu) ||
        cpu >= CPU_GUESS_MOST)
        return NULL_U32;
    return (uint32_t)cpu;
}

static uint32_t chain_of_idle(struct cpu_guess *g, uint32_t cpu)
{
    if (cpu != NULL_U32)
        return chain_of_cpu(g, cpu);
    if (g->last_idle == NULL_U32)
        g->last_idle = new_chain(g);
    return g->last_idle;
}

static void add_event(struct cpu_guess *g, uint32_t chain)
{
    g->chains.items[chain].last = g->events.count;
    *vec_push(&g->events) = chain;
}

/* Where lines are missing, the idle thread tells that the chain was not the one. */
static uint32_t switch_to_idle(struct cpu_guess *g, uint32_t chain, uint32_t cpu)
{
    uint32_t *known = &g->chains.items[chain].cpu;
    if (cpu != NULL_U32 && *known != NULL_U32 && *known != cpu)
        chain = chain_of_cpu(g, cpu);
    else if (cpu != NULL_U32)
        *known = cpu;
    if (cpu != NULL_U32)
        map_set(&g->of_cpus, cpu, chain);
    g->last_idle = chain;
    return chain;
}

void cpu_guess_switch(struct cpu_guess *g, const struct cpu_guess_task *prev,
                      const struct cpu_guess_task *next)
{
    uint32_t chain =
        prev->tid == 0 ? chain_of_idle(g, cpu_of_idle(prev->comm)) : chain_of_thread(g, prev->tid);
    if (prev->tid != 0)
        map_remove(&g->running, prev->tid);
    if (next->tid == 0) {
        chain = switch_to_idle(g, chain, cpu_of_idle(next->comm));
    } else {
        map_set(&g->running, next->tid, chain);
        note_target(g, chain, next->tid);
    }
    add_event(g, chain);
}

void cpu_guess_event(struct cpu_guess *g, uint32_t tid, uint32_t cpu)
{
    bool is_idle = tid == 0 || tid == NULL_U32;
    add_event(g, is_idle ? chain_of_idle(g, cpu) : chain_of_thread(g, tid));
}

void cpu_guess_wakeup(struct cpu_guess *g, uint32_t tid, uint32_t cpu)
{
    map_set(&g->targets, tid, cpu);
}

/* Chains of which nothing is known are put one behind the other where they do not meet. */
void cpu_guess_finish(struct cpu_guess *g)
{
    VEC(size_t) ends = {0};
    uint32_t first_unknown = 0;
    for (size_t i = 0; i < g->chains.count; i++) {
        struct chain *c = &g->chains.items[i];
        c->cpu = c->cpu == NULL_U32 ? c->likely : c->cpu;
        if (c->cpu != NULL_U32 && c->cpu >= first_unknown)
            first_unknown = c->cpu + 1;
    }
    for (size_t i = 0; i < g->chains.count; i++) {
        struct chain *c = &g->chains.items[i];
        size_t lane = 0;
        if (c->cpu != NULL_U32)
            continue;
        while (lane < ends.count && ends.items[lane] >= c->first && lane + 1 < LANES_MOST)
            lane++;
        if (lane == ends.count)
            *vec_push(&ends) = 0;
        ends.items[lane] = c->last;
        c->cpu = first_unknown + (uint32_t)lane;
    }
    vec_release(&ends);
}

uint32_t cpu_guess_cpu(const struct cpu_guess *g, size_t event)
{
    return g->chains.items[g->events.items[event]].cpu;
}
