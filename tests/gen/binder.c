#include "binder.h"

#include "pb_fields.h"
#include "thread.h"

enum { FLAG_ONE_WAY = 0x01, FLAG_ACCEPT_FDS = 0x10 };

void thread_call(struct sim_thread *t, struct sim_process *to, const struct binder_method *method,
                 int64_t arg)
{
    if (method->client)
        thread_begin(t, method->client);
    thread_op(t, (struct sim_op){.kind = OP_CALL, .to = to, .method = method, .n = arg});
    thread_op(t, (struct sim_op){.kind = OP_RECEIVE});
    if (method->client)
        thread_end(t);
}

void thread_oneway(struct sim_thread *t, struct sim_process *to, const struct binder_method *method,
                   int64_t arg)
{
    thread_op(t, (struct sim_op){.kind = OP_ONEWAY, .to = to, .method = method, .n = arg});
}

static void received_event(struct sim *sim, struct sim_thread *t, int debug_id)
{
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_binder_transaction_received);
    proto_i64(w, PB_BinderTransactionReceivedFtraceEvent_debug_id, debug_id);
    sim_event_end(sim, t);
}

/* Records a transaction and returns its debug id. */
static int transaction_event(struct sim *sim, struct sim_thread *t, struct sim_process *to,
                             const struct sim_thread *to_thread, const struct binder_method *method,
                             uint32_t flags)
{
    int debug_id = sim->next_debug_id++;
    bool reply = to_thread != NULL;
    struct proto *w = sim_event_begin(sim, t, PB_FtraceEvent_binder_transaction);
    proto_i64(w, PB_BinderTransactionFtraceEvent_debug_id, debug_id);
    proto_i64(w, PB_BinderTransactionFtraceEvent_target_node, reply ? 0 : method->node);
    proto_i64(w, PB_BinderTransactionFtraceEvent_to_proc, to->pid);
    proto_i64(w, PB_BinderTransactionFtraceEvent_to_thread, reply ? to_thread->tid : 0);
    proto_i64(w, PB_BinderTransactionFtraceEvent_reply, reply);
    proto_u64(w, PB_BinderTransactionFtraceEvent_code, reply ? 0 : method->code);
    proto_u64(w, PB_BinderTransactionFtraceEvent_flags, flags);
    sim_event_end(sim, t);
    w = sim_event_begin(sim, t, PB_FtraceEvent_binder_transaction_alloc_buf);
    proto_u64(w, PB_BinderTransactionAllocBufFtraceEvent_data_size, reply ? 24 : method->data_size);
    proto_i64(w, PB_BinderTransactionAllocBufFtraceEvent_debug_id, debug_id);
    proto_u64(w, PB_BinderTransactionAllocBufFtraceEvent_offsets_size, 0);
    proto_u64(w, PB_BinderTransactionAllocBufFtraceEvent_extra_buffers_size, 0);
    sim_event_end(sim, t);
    return debug_id;
}

static enum op_result execute_call(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    struct sim_process *to = op->to;
    bool waits = op->kind == OP_CALL;
    t->reply_id = 0;
    if (to->gone)
        return OP_NEXT;
    uint32_t flags = FLAG_ACCEPT_FDS | (waits ? 0 : FLAG_ONE_WAY);
    int debug_id = transaction_event(sim, t, to, NULL, op->method, flags);
    *vec_push(&to->binder_queue) =
        (struct binder_call){waits ? t : NULL, op->method, op->n, debug_id};
    if (to->binder_idle.count > 0) {
        struct sim_thread *server = vec_last(&to->binder_idle);
        to->binder_idle.count--;
        sim_wake(sim, t->cpu, 0, server);
    }
    t->work = 2500;
    if (!waits)
        return OP_NEXT;
    t->work = 0;
    return OP_BLOCKED;
}

static enum op_result execute_reply(struct sim *sim, struct sim_thread *t)
{
    struct sim_thread *caller = t->serving.caller;
    if (!caller || caller->state == THREAD_GONE)
        return OP_NEXT;
    caller->reply_id = transaction_event(sim, t, caller->process, caller, t->serving.method, 0);
    sim_wake(sim, t->cpu, 0, caller);
    t->work = 1800;
    return OP_NEXT;
}

enum op_result binder_execute(struct sim *sim, struct sim_thread *t, const struct sim_op *op)
{
    if (op->kind == OP_REPLY)
        return execute_reply(sim, t);
    if (op->kind != OP_RECEIVE)
        return execute_call(sim, t, op);
    if (t->reply_id != 0)
        received_event(sim, t, t->reply_id);
    t->work = 900;
    return OP_NEXT;
}

static bool binder_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    struct sim_process *p = t->process;
    if (p->binder_next == p->binder_queue.count) {
        p->binder_next = p->binder_queue.count = 0;
        *vec_push(&p->binder_idle) = t;
        return false;
    }
    t->serving = p->binder_queue.items[p->binder_next++];
    const struct binder_method *m = t->serving.method;
    received_event(sim, t, t->serving.debug_id);
    thread_run(t, rng_between(&sim->rng, 6 * US, 20 * US));
    if (m->server)
        thread_begin(t, m->server);
    m->serve(sim, t, t->serving.arg);
    if (m->server)
        thread_end(t);
    thread_op(t, (struct sim_op){.kind = OP_REPLY});
    return true;
}

void binder_add_pool(struct sim *sim, struct sim_process *process, const char *prefix, int count)
{
    for (int i = 1; i <= count; i++) {
        const char *name = sim_text(sim, "%s:%d_%X", prefix, process->pid, (unsigned)i);
        struct sim_thread *t = sim_add_thread(sim, process, name);
        t->next = binder_next;
        *vec_push(&process->binder_idle) = t;
    }
}
