/* On which CPUs events happened that do not tell, by who ran there: switches make chains, as the
 * thread that is switched from was the one that was switched to. A chain's CPU is known where the
 * idle thread is in it, whose name has the CPU's number; else it is the one that most of its
 * threads were woken on. Chains of which nothing is known come behind the CPUs that are.
 *
 *     struct cpu_guess *g = cpu_guess_new();
 *     for each event, in the order of time
 *         cpu_guess_switch(g, &prev, &next), or cpu_guess_event(g, tid, CPU)
 *     cpu_guess_finish(g);
 *     cpu_guess_cpu(g, the event's number) */
#ifndef TPTUI_PARSERS_TRACEFS_CPU_GUESS_H
#define TPTUI_PARSERS_TRACEFS_CPU_GUESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { CPU_GUESS_MOST = 4096 }; /* numbers of CPUs are below */

struct cpu_guess;

struct cpu_guess_task {
    uint32_t tid;
    struct str comm;
};

struct cpu_guess *cpu_guess_new(void);
void cpu_guess_free(struct cpu_guess *g);

void cpu_guess_switch(struct cpu_guess *g, const struct cpu_guess_task *prev,
                      const struct cpu_guess_task *next);
/* Of the thread, NULL_U32 where it is not known; of the idle thread, on `cpu` if that is not
 * NULL_U32. */
void cpu_guess_event(struct cpu_guess *g, uint32_t tid, uint32_t cpu);
/* No event: the thread is to run on `cpu` next. */
void cpu_guess_wakeup(struct cpu_guess *g, uint32_t tid, uint32_t cpu);

void cpu_guess_finish(struct cpu_guess *g);
/* Some hundreds above CPU_GUESS_MOST at most. */
uint32_t cpu_guess_cpu(const struct cpu_guess *g, size_t event);

#endif
