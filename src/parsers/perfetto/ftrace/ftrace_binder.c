#include "parsers/perfetto/ftrace/ftrace_binder.h"

#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"

static void transaction(const struct ftrace_event *e, const struct ftrace_binder_fields *fields)
{
    struct binder_transaction b = {
        .calling_tid = e->pid,
        .debug_id = event_i32(e, fields->debug_id),
        .target_node = event_i32(e, fields->target_node),
        .to_process = event_u32(e, fields->to_proc),
        .to_thread = event_u32(e, fields->to_thread),
        .is_reply = event_i32(e, fields->reply) == 1,
        .flags = event_u32(e, fields->flags),
        .code = event_u32(e, fields->code),
    };
    binder_transaction(e->t, e->cpu->machine, e->ts, &b);
}

static void received(const struct ftrace_event *e, const struct ftrace_binder_fields *fields)
{
    binder_received(e->t, e->cpu->machine, e->ts, e->pid, event_i32(e, fields->debug_id));
}

static void alloc_buf(const struct ftrace_event *e, const struct ftrace_binder_fields *fields)
{
    binder_alloc_buf(e->t, e->cpu->machine, e->ts, e->pid, event_uint(e, fields->data_size),
                     event_uint(e, fields->offsets_size));
}

static void command(const struct ftrace_event *e, const struct ftrace_binder_fields *fields)
{
    binder_command(e->t, e->cpu->machine, e->pid, event_u32(e, fields->cmd));
}

static void returned(const struct ftrace_event *e, const struct ftrace_binder_fields *fields)
{
    binder_return(e->t, e->cpu->machine, e->ts, e->pid, event_u32(e, fields->cmd));
}

static uint64_t transaction_key(const struct ftrace_event *e, uint32_t debug_id)
{
    return hash_mix(felt_key(e, PB_FtraceEvent_binder_transaction), debug_id);
}

static void felt_transaction(const struct ftrace_event *e,
                             const struct ftrace_binder_fields *fields, struct felt_sink *out)
{
    enum mark_kind kind = event_u32(e, fields->flags) & BINDER_ONE_WAY ? MARK_SEND : MARK_CALL;
    if (event_i32(e, fields->reply) == 1) {
        kind = MARK_REPLY;
        felt_named(out, e->cpu->machine, event_u32(e, fields->to_thread));
    }
    felt_mark(out, kind, transaction_key(e, event_u32(e, fields->debug_id)), FELT_BINDER,
              felt_thread_track(e, e->pid));
}

static void felt_received(const struct ftrace_event *e, const struct ftrace_binder_fields *fields,
                          struct felt_sink *out)
{
    felt_named(out, e->cpu->machine, e->pid);
    felt_mark(out, MARK_RECEIVE, transaction_key(e, event_u32(e, fields->debug_id)), FELT_BINDER,
              felt_thread_track(e, e->pid));
}

/* Args of the call that is open. */
static void felt_alloc_buf(const struct ftrace_event *e, const struct ftrace_binder_fields *fields,
                           struct felt_sink *out)
{
    (void)fields;
    felt_mark(out, MARK_NOTE, felt_thread_track(e, e->pid), FELT_BINDER, 0);
}

/* That a call was tried is needed to know whether it failed; what is served does as well without.
 */
static void felt_command(const struct ftrace_event *e, const struct ftrace_binder_fields *fields,
                         struct felt_sink *out)
{
    if (binder_command_calls(event_u32(e, fields->cmd)))
        felt_mark(out, MARK_PRELUDE, felt_thread_track(e, e->pid), FELT_BINDER, 0);
}

static void felt_returned(const struct ftrace_event *e, const struct ftrace_binder_fields *fields,
                          struct felt_sink *out)
{
    switch (binder_return_kind(event_u32(e, fields->cmd))) {
    case BINDER_RETURN_FAILED:
        felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_BINDER, 0);
        return;
    case BINDER_RETURN_SENT:
        felt_mark(out, MARK_SETTLE, felt_thread_track(e, e->pid), FELT_BINDER, 0);
        return;
    case BINDER_RETURN_OTHER:
        return;
    }
}

static const struct ftrace_binder_fields transaction_fields = {
    .debug_id = PB_BinderTransactionFtraceEvent_debug_id,
    .target_node = PB_BinderTransactionFtraceEvent_target_node,
    .to_proc = PB_BinderTransactionFtraceEvent_to_proc,
    .to_thread = PB_BinderTransactionFtraceEvent_to_thread,
    .reply = PB_BinderTransactionFtraceEvent_reply,
    .flags = PB_BinderTransactionFtraceEvent_flags,
    .code = PB_BinderTransactionFtraceEvent_code,
};
static const struct ftrace_binder_fields received_fields = {
    .debug_id = PB_BinderTransactionReceivedFtraceEvent_debug_id};
static const struct ftrace_binder_fields alloc_buf_fields = {
    .data_size = PB_BinderTransactionAllocBufFtraceEvent_data_size,
    .offsets_size = PB_BinderTransactionAllocBufFtraceEvent_offsets_size};
static const struct ftrace_binder_fields command_fields = {.cmd = PB_BinderCommandFtraceEvent_cmd};
static const struct ftrace_binder_fields returned_fields = {.cmd = PB_BinderReturnFtraceEvent_cmd};

/* What is done with an event of the kernel's own, and what is felt of it. */
#define BUILT_IN(what)                                                                             \
    static void on_##what(const struct ftrace_event *e)                                            \
    {                                                                                              \
        what(e, &what##_fields);                                                                   \
    }                                                                                              \
    static void say_##what(const struct ftrace_event *e, struct felt_sink *out)                    \
    {                                                                                              \
        felt_##what(e, &what##_fields, out);                                                       \
    }

BUILT_IN(transaction)
BUILT_IN(received)
BUILT_IN(alloc_buf)
BUILT_IN(command)
BUILT_IN(returned)

static void on_binder_lock(const struct ftrace_event *e)
{
    binder_lock(e->t, e->cpu->machine, e->ts, e->pid);
}

static void on_binder_locked(const struct ftrace_event *e)
{
    binder_locked(e->t, e->cpu->machine, e->ts, e->pid);
}

static void on_binder_unlock(const struct ftrace_event *e)
{
    binder_unlock(e->t, e->cpu->machine, e->ts, e->pid);
}

static void find_fields(struct trace *t, const struct ftrace_schema *schema,
                        struct ftrace_binder_fields *fields)
{
    const struct {
        const char *name;
        uint32_t *number;
    } known[] = {
        {"debug_id", &fields->debug_id},
        {"target_node", &fields->target_node},
        {"to_proc", &fields->to_proc},
        {"to_thread", &fields->to_thread},
        {"reply", &fields->reply},
        {"flags", &fields->flags},
        {"code", &fields->code},
        {"data_size", &fields->data_size},
        {"offsets_size", &fields->offsets_size},
        {"cmd", &fields->cmd},
    };
    for (uint32_t number = 0; number < schema->field_count; number++) {
        struct str name = string_pool_get(&t->strings, schema->fields[number].name);
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (str_eq(name, str_from(known[i].name)))
                *known[i].number = number;
    }
}

struct ftrace_binder_event ftrace_binder_match(struct trace *t, const struct ftrace_schema *schema)
{
    static const struct {
        const char *name;
        ftrace_binder_handler *handle;
        ftrace_binder_sayer *say;
    } events[] = {
        {"binder_transaction", transaction, felt_transaction},
        {"binder_transaction_received", received, felt_received},
        {"binder_transaction_alloc_buf", alloc_buf, felt_alloc_buf},
        {"binder_command", command, felt_command},
        {"binder_return", returned, felt_returned},
    };
    struct ftrace_binder_event event = {0};
    struct str name = string_pool_get(&t->strings, schema->name), rust = STR("rust_");
    if (str_starts(name, rust))
        name = str_skip(name, rust.n);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (str_eq(name, str_from(events[i].name))) {
            event.handle = events[i].handle;
            event.say = events[i].say;
        }
    if (event.handle)
        find_fields(t, schema, &event.fields);
    return event;
}

static void say_lock(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_BINDER_LOCK, e->id);
}

static void say_locked(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_BINDER_LOCK, 0);
    felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_BINDER_LOCK, e->id);
}

static void say_unlock(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_BINDER_LOCK, 0);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_binder_transaction, .handle = on_transaction,
     .felt = FELT_SAID_BY(say_transaction)},
    {PB_FtraceEvent_binder_transaction_received, .handle = on_received,
     .felt = FELT_SAID_BY(say_received)},
    {PB_FtraceEvent_binder_transaction_alloc_buf, .handle = on_alloc_buf,
     .felt = FELT_SAID_BY(say_alloc_buf)},
    {PB_FtraceEvent_binder_command, .handle = on_command, .felt = FELT_SAID_BY(say_command)},
    {PB_FtraceEvent_binder_return, .handle = on_returned, .felt = FELT_SAID_BY(say_returned)},
    {PB_FtraceEvent_binder_lock, .handle = on_binder_lock, .felt = FELT_SAID_BY(say_lock)},
    {PB_FtraceEvent_binder_locked, .handle = on_binder_locked, .felt = FELT_SAID_BY(say_locked)},
    {PB_FtraceEvent_binder_unlock, .handle = on_binder_unlock, .felt = FELT_SAID_BY(say_unlock)},
    {0},
};

const struct ftrace_module ftrace_binder_module = {
    .handlers = handlers,
};
