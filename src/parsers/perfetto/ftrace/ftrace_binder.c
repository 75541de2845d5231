#include "parsers/perfetto/ftrace/ftrace_binder.h"

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

static void on_binder_transaction(const struct ftrace_event *e)
{
    static const struct ftrace_binder_fields fields = {
        .debug_id = PB_BinderTransactionFtraceEvent_debug_id,
        .target_node = PB_BinderTransactionFtraceEvent_target_node,
        .to_proc = PB_BinderTransactionFtraceEvent_to_proc,
        .to_thread = PB_BinderTransactionFtraceEvent_to_thread,
        .reply = PB_BinderTransactionFtraceEvent_reply,
        .flags = PB_BinderTransactionFtraceEvent_flags,
        .code = PB_BinderTransactionFtraceEvent_code,
    };
    transaction(e, &fields);
}

static void on_binder_received(const struct ftrace_event *e)
{
    static const struct ftrace_binder_fields fields = {
        .debug_id = PB_BinderTransactionReceivedFtraceEvent_debug_id};
    received(e, &fields);
}

static void on_binder_alloc_buf(const struct ftrace_event *e)
{
    static const struct ftrace_binder_fields fields = {
        .data_size = PB_BinderTransactionAllocBufFtraceEvent_data_size,
        .offsets_size = PB_BinderTransactionAllocBufFtraceEvent_offsets_size};
    alloc_buf(e, &fields);
}

static void on_binder_command(const struct ftrace_event *e)
{
    static const struct ftrace_binder_fields fields = {.cmd = PB_BinderCommandFtraceEvent_cmd};
    command(e, &fields);
}

static void on_binder_return(const struct ftrace_event *e)
{
    static const struct ftrace_binder_fields fields = {.cmd = PB_BinderReturnFtraceEvent_cmd};
    returned(e, &fields);
}

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
    } events[] = {
        {"binder_transaction", transaction},
        {"binder_transaction_received", received},
        {"binder_transaction_alloc_buf", alloc_buf},
        {"binder_command", command},
        {"binder_return", returned},
    };
    struct ftrace_binder_event event = {0};
    struct str name = string_pool_get(&t->strings, schema->name), rust = STR("rust_");
    if (str_starts(name, rust))
        name = str_skip(name, rust.n);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (str_eq(name, str_from(events[i].name)))
            event.handle = events[i].handle;
    if (event.handle)
        find_fields(t, schema, &event.fields);
    return event;
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_binder_transaction, .handle = on_binder_transaction},
    {PB_FtraceEvent_binder_transaction_received, .handle = on_binder_received},
    {PB_FtraceEvent_binder_transaction_alloc_buf, .handle = on_binder_alloc_buf},
    {PB_FtraceEvent_binder_command, .handle = on_binder_command},
    {PB_FtraceEvent_binder_return, .handle = on_binder_return},
    {PB_FtraceEvent_binder_lock, .handle = on_binder_lock},
    {PB_FtraceEvent_binder_locked, .handle = on_binder_locked},
    {PB_FtraceEvent_binder_unlock, .handle = on_binder_unlock},
    {0},
};

const struct ftrace_module ftrace_binder_module = {
    .handlers = handlers,
};
