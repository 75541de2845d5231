#include "parsers/input/sched_state.h"

#include <stdio.h>

#include <string.h>

#include "base/hash.h"

struct sched_comm sched_comm_from(struct str s)
{
    struct sched_comm c = {.n = (uint8_t)(s.n < SCHED_COMM_MAX ? s.n : SCHED_COMM_MAX)};
    if (c.n > 0)
        memcpy(c.text, s.p, c.n);
    return c;
}

uint32_t sched_states_cpu(struct sched_states *s, const struct sched_place *place)
{
    bool inserted;
    uint32_t *at =
        map_insert(&s->cpu_by_number, (uint64_t)place->machine << 32 | place->cpu, &inserted);
    if (!inserted)
        return *at;
    *at = (uint32_t)s->cpus.count;
    *vec_push(&s->cpus) =
        (struct sched_cpu_state){.place = *place, .idle_prio = 120, .since = INT64_MIN};
    return *at;
}

static struct sched_thread_state *thread_of(struct sched_states *s, uint32_t cpu, int64_t ts,
                                            const struct sched_task *task)
{
    bool inserted;
    uint64_t key = hash_mix((uint64_t)task->pid, s->cpus.items[cpu].place.machine);
    uint32_t *at = map_insert(&s->thread_by_pid, key, &inserted);
    if (inserted) {
        *at = (uint32_t)s->threads.count;
        *vec_push(&s->threads) = (struct sched_thread_state){.task = *task,
                                                             .seen_at = ts,
                                                             .seen_cpu = cpu,
                                                             .left_at = INT64_MIN,
                                                             .came_at = INT64_MIN,
                                                             .woken_at = INT64_MIN};
    }
    return &s->threads.items[*at];
}

void sched_states_switch(struct sched_states *s, uint32_t cpu, int64_t ts,
                         const struct sched_task *prev, int64_t prev_state,
                         const struct sched_task *next)
{
    struct sched_cpu_state *c = &s->cpus.items[cpu];
    c->only_noted = !prev && !c->known;
    if (!prev && c->known)
        prev = &c->running;
    if (prev && prev->pid != 0) {
        struct sched_thread_state *t = thread_of(s, cpu, ts, prev);
        if (t->came_cpu == cpu && c->running.pid == prev->pid)
            t->came_at = INT64_MIN;
        if (ts >= t->left_at) {
            t->task = *prev;
            t->left_at = ts;
            t->prev_state = prev_state;
            t->cpu = cpu;
        }
    }
    if (next->pid != 0) {
        struct sched_thread_state *t = thread_of(s, cpu, ts, next);
        if (ts >= t->came_at) {
            t->came_at = ts;
            t->came_cpu = cpu;
        }
    }
    if (c->known && ts < c->since)
        return; /* a line that was printed late */
    if (next->pid == 0)
        c->idle_prio = next->prio;
    c->running = *next;
    c->since = ts;
    c->known = true;
}

void sched_states_wake(struct sched_states *s, uint32_t cpu, int64_t ts,
                       const struct sched_states_waking *waking)
{
    const struct sched_cpu_state *c = &s->cpus.items[cpu];
    int64_t waker = waking->waker;
    if (waker < 0 && !c->known)
        return;
    if (waker < 0)
        waker = c->running.pid;
    struct sched_thread_state *t = thread_of(s, cpu, ts, &waking->task);
    if (ts < t->woken_at)
        return;
    t->woken_at = ts;
    t->waking_cpu = cpu;
    t->waker = waker;
    t->target_cpu = waking->target_cpu;
    t->waking_flags = waking->flags;
    t->waking_prio = waking->task.prio;
}

/* Who comes at the moment at which it leaves elsewhere has moved there. */
static bool is_running(const struct sched_thread_state *t)
{
    return t->came_at != INT64_MIN && t->came_at >= t->left_at;
}

void sched_states_steps(struct sched_states *s, struct sched_steps *out)
{
    for (size_t i = 0; i < s->threads.count; i++) {
        const struct sched_thread_state *t = &s->threads.items[i];
        if (t->named)
            *vec_push(&out->v) = (struct sched_step){t->seen_at, SCHED_STEP_NAME, (uint32_t)i};
        if (is_running(t))
            continue;
        if (t->left_at != INT64_MIN) {
            *vec_push(&out->v) = (struct sched_step){t->left_at, SCHED_STEP_LEAVE, (uint32_t)i};
            s->cpus.items[t->cpu].has_left = true;
        }
        if (t->woken_at != INT64_MIN && t->woken_at >= t->left_at)
            *vec_push(&out->v) = (struct sched_step){t->woken_at, SCHED_STEP_WAKE, (uint32_t)i};
    }
    for (size_t i = 0; i < s->cpus.count; i++) {
        const struct sched_cpu_state *c = &s->cpus.items[i];
        if (c->known && (c->running.pid != 0 || !c->has_left || c->only_noted))
            *vec_push(&out->v) = (struct sched_step){c->since, SCHED_STEP_RUN, (uint32_t)i};
    }
}

struct sched_step_subject sched_step_subject(const struct sched_states *s,
                                             const struct sched_step *step)
{
    struct sched_step_subject about = {.cpu_index = step->index};
    if (step->kind != SCHED_STEP_RUN) {
        const struct sched_thread_state *t = about.thread = &s->threads.items[step->index];
        about.cpu_index = step->kind == SCHED_STEP_WAKE   ? t->waking_cpu
                          : step->kind == SCHED_STEP_NAME ? t->seen_cpu
                                                          : t->cpu;
    }
    about.cpu = &s->cpus.items[about.cpu_index];
    char name[SCHED_COMM_MAX];
    snprintf(name, sizeof name, "swapper/%u", about.cpu->place.cpu);
    about.idle = (struct sched_task){0, about.cpu->idle_prio, sched_comm_from(str_from(name))};
    return about;
}

void sched_states_release(struct sched_states *s)
{
    map_release(&s->cpu_by_number);
    map_release(&s->thread_by_pid);
    vec_release(&s->cpus);
    vec_release(&s->threads);
}
