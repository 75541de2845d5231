/* Trusty, the secure operating system beside the kernel: calls into it and its messages. */
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"

static string_id category(const struct ftrace_event *e)
{
    return trace_intern(e->t, STR("tipc"));
}

static void begin(const struct ftrace_event *e, string_id name)
{
    event_begin(e, event_thread_track(e), category(e), name);
}

static void instant(const struct ftrace_event *e, string_id name)
{
    event_instant(e, event_thread_track(e), category(e), name);
}

static void end(const struct ftrace_event *e)
{
    slice_end(e->t, e->ts, event_thread_track(e), category(e), NULL_STRING);
}

static unsigned long long ull(uint64_t v)
{
    return v;
}

static void on_trusty_smc(const struct ftrace_event *e)
{
    begin(e,
          event_format(e, "trusty_smc:r0= %llu", ull(event_uint(e, PB_TrustySmcFtraceEvent_r0))));
}

static void on_trusty_smc_done(const struct ftrace_event *e)
{
    end(e);
    instant(e, event_format(e, "trusty_smc_done:r0= %llu",
                            ull(event_uint(e, PB_TrustySmcDoneFtraceEvent_ret))));
}

static void on_trusty_std_call(const struct ftrace_event *e)
{
    begin(e, trace_intern(e->t, STR("trusty_std")));
}

static void on_trusty_std_call_done(const struct ftrace_event *e)
{
    int64_t ret = event_int(e, PB_TrustyStdCall32DoneFtraceEvent_ret);
    end(e);
    if (ret < 0)
        instant(e, event_format(e, "trusty_err_std: err= %lld", (long long)ret));
}

static void on_trusty_share_memory(const struct ftrace_event *e)
{
    begin(e, event_format(e, "trusty_share_mem: len= %llu nents= %u lend= %u",
                          ull(event_uint(e, PB_TrustyShareMemoryFtraceEvent_len)),
                          event_u32(e, PB_TrustyShareMemoryFtraceEvent_nents),
                          event_u32(e, PB_TrustyShareMemoryFtraceEvent_lend)));
}

static void on_trusty_share_memory_done(const struct ftrace_event *e)
{
    end(e);
    instant(e, event_format(e, "trusty_share_mem: handle= %llu ret= %d",
                            ull(event_uint(e, PB_TrustyShareMemoryDoneFtraceEvent_handle)),
                            event_i32(e, PB_TrustyShareMemoryDoneFtraceEvent_ret)));
}

static void on_trusty_reclaim_memory(const struct ftrace_event *e)
{
    begin(e, event_format(e, "trusty_reclaim_mem: id=%llu",
                          ull(event_uint(e, PB_TrustyReclaimMemoryFtraceEvent_id))));
}

static void on_trusty_reclaim_memory_done(const struct ftrace_event *e)
{
    int32_t ret = event_i32(e, PB_TrustyReclaimMemoryDoneFtraceEvent_ret);
    end(e);
    if (ret < 0)
        instant(e, event_format(e, "trusty_reclaim_mem_err: err= %d", ret));
}

static void on_trusty_irq(const struct ftrace_event *e)
{
    instant(e, event_format(e, "trusty_irq: irq= %d", event_i32(e, PB_TrustyIrqFtraceEvent_irq)));
}

static void on_trusty_handle_event(const struct ftrace_event *e)
{
    struct str service = event_str(e, PB_TrustyIpcHandleEventFtraceEvent_srv_name);
    instant(e, event_format(e, "trusty_ipc_handle_event: chan=%u srv_name=%.*s event=%u",
                            event_u32(e, PB_TrustyIpcHandleEventFtraceEvent_chan), STR_ARG(service),
                            event_u32(e, PB_TrustyIpcHandleEventFtraceEvent_event_id)));
}

static void on_trusty_enqueue_nop(const struct ftrace_event *e)
{
    instant(e, event_format(e, "trusty_enqueue_nop: arg1= %u arg2= %u arg3=%u",
                            event_u32(e, PB_TrustyEnqueueNopFtraceEvent_arg1),
                            event_u32(e, PB_TrustyEnqueueNopFtraceEvent_arg2),
                            event_u32(e, PB_TrustyEnqueueNopFtraceEvent_arg3)));
}

static void on_trusty_connect(const struct ftrace_event *e)
{
    struct str port = event_str(e, PB_TrustyIpcConnectFtraceEvent_port);
    begin(e, event_format(e, "tipc_connect: %.*s", STR_ARG(port)));
}

static void on_trusty_connect_end(const struct ftrace_event *e)
{
    int32_t error = event_i32(e, PB_TrustyIpcConnectEndFtraceEvent_err);
    end(e);
    if (error)
        instant(e, event_format(e, "tipc_err_connect:err= %d", error));
}

static void on_trusty_write(const struct ftrace_event *e)
{
    struct str service = event_str(e, PB_TrustyIpcWriteFtraceEvent_srv_name);
    uint64_t shared = event_uint(e, PB_TrustyIpcWriteFtraceEvent_shm_cnt);
    int32_t result = event_i32(e, PB_TrustyIpcWriteFtraceEvent_len_or_err);
    instant(e, shared ? event_format(e, "tipc_write: %.*s shm_cnt:[%llu]", STR_ARG(service),
                                     ull(shared))
                      : event_format(e, "tipc_write: %.*s", STR_ARG(service)));
    if (result < 0)
        instant(e, event_format(e, "tipc_err_write:len_or_err= %d", result));
}

static void on_trusty_read(const struct ftrace_event *e)
{
    struct str service = event_str(e, PB_TrustyIpcReadFtraceEvent_srv_name);
    begin(e, event_format(e, "tipc_read: %.*s", STR_ARG(service)));
}

static void on_trusty_read_end(const struct ftrace_event *e)
{
    int32_t result = event_i32(e, PB_TrustyIpcReadEndFtraceEvent_len_or_err);
    end(e);
    if (result <= 0)
        instant(e, event_format(e, "tipc_err_read:len_or_err= %d", result));
}

static void on_trusty_poll(const struct ftrace_event *e)
{
    struct str service = event_str(e, PB_TrustyIpcPollFtraceEvent_srv_name);
    instant(e, event_format(e, "tipc_poll: %.*s", STR_ARG(service)));
}

static void on_trusty_rx(const struct ftrace_event *e)
{
    instant(e, trace_intern(e->t, STR("tipc_rx")));
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_trusty_smc, .handle = on_trusty_smc, .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_smc_done, .handle = on_trusty_smc_done,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_std_call32, .handle = on_trusty_std_call,
     .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_std_call32_done, .handle = on_trusty_std_call_done,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_share_memory, .handle = on_trusty_share_memory,
     .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_share_memory_done, .handle = on_trusty_share_memory_done,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_reclaim_memory, .handle = on_trusty_reclaim_memory,
     .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_reclaim_memory_done, .handle = on_trusty_reclaim_memory_done,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_irq, .handle = on_trusty_irq, .felt = FELT_NOTHING},
    {PB_FtraceEvent_trusty_ipc_handle_event, .handle = on_trusty_handle_event,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_trusty_ipc_connect, .handle = on_trusty_connect,
     .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_ipc_connect_end, .handle = on_trusty_connect_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_ipc_write, .handle = on_trusty_write, .felt = FELT_NOTHING},
    {PB_FtraceEvent_trusty_ipc_read, .handle = on_trusty_read,
     .felt = FELT_BEGINS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_ipc_read_end, .handle = on_trusty_read_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_TIPC)},
    {PB_FtraceEvent_trusty_ipc_poll, .handle = on_trusty_poll, .felt = FELT_NOTHING},
    {PB_FtraceEvent_trusty_ipc_rx, .handle = on_trusty_rx, .felt = FELT_NOTHING},
    {PB_FtraceEvent_trusty_enqueue_nop, .handle = on_trusty_enqueue_nop, .felt = FELT_NOTHING},
    {0},
};

const struct ftrace_module ftrace_trusty_module = {
    .handlers = handlers,
};
