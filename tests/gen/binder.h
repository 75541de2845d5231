/* Binder: calls between processes that wait for their reply, and one-way calls that do not. */
#ifndef TPTUI_GEN_BINDER_H
#define TPTUI_GEN_BINDER_H

#include "sim.h"

struct binder_method {
    const char *client, *server; /* slices at the two ends, NULL for none */
    uint32_t code;
    int32_t node;
    uint32_t data_size;
    sim_fn *serve; /* pushes what the serving thread does */
};

/* Adds `count` threads that serve calls to the process. */
void binder_add_pool(struct sim *sim, struct sim_process *process, const char *prefix, int count);

/* Appended to the caller's operations. A call to a process that has ended does nothing. */
void thread_call(struct sim_thread *t, struct sim_process *to, const struct binder_method *method,
                 int64_t arg);
void thread_oneway(struct sim_thread *t, struct sim_process *to, const struct binder_method *method,
                   int64_t arg);

enum op_result binder_execute(struct sim *sim, struct sim_thread *t, const struct sim_op *op);

#endif
