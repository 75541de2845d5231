/* What a cpu does besides running threads: interrupts, timers, work queues, hotplug, the
 * hypervisor. */
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "text/softirq.h"

static uint32_t irq_track(const struct ftrace_event *e)
{
    struct ftrace_cpu *cpu = e->cpu;
    if (!cpu->irq_track_plus_one)
        cpu->irq_track_plus_one = 1 + event_cpu_track(e, "cpu_irq", "Irq Cpu", cpu->cpu);
    return cpu->irq_track_plus_one - 1;
}

static uint32_t softirq_track(const struct ftrace_event *e)
{
    struct ftrace_cpu *cpu = e->cpu;
    if (!cpu->softirq_track_plus_one)
        cpu->softirq_track_plus_one =
            1 + event_cpu_track(e, "cpu_softirq", "SoftIrq Cpu", cpu->cpu);
    return cpu->softirq_track_plus_one - 1;
}

static string_id irq_category(const struct ftrace_event *e)
{
    return trace_intern(e->t, STR("irq"));
}

static void on_irq_entry(const struct ftrace_event *e)
{
    struct str name = event_str(e, PB_IrqHandlerEntryFtraceEvent_name);
    event_begin(e, irq_track(e), irq_category(e), event_format(e, "IRQ (%.*s)", STR_ARG(name)));
}

static void on_irq_exit(const struct ftrace_event *e)
{
    bool handled = event_int(e, PB_IrqHandlerExitFtraceEvent_ret) == 1;
    struct slice_ref s = event_ending(e, irq_track(e), irq_category(e), NULL_STRING);
    slice_ref_str(&s, "ret", trace_intern_c(e->t, handled ? "handled" : "unhandled"));
    slice_ref_end(e, &s);
}

static void on_local_timer_entry(const struct ftrace_event *e)
{
    event_begin(e, irq_track(e), irq_category(e), trace_intern(e->t, STR("IRQ (LocalTimer)")));
}

static void on_local_timer_exit(const struct ftrace_event *e)
{
    slice_end(e->t, e->ts, irq_track(e), irq_category(e), NULL_STRING);
}

static void on_softirq_entry(const struct ftrace_event *e)
{
    const char *name = softirq_name(event_uint(e, PB_SoftirqEntryFtraceEvent_vec));
    if (name)
        event_begin(e, softirq_track(e), irq_category(e), trace_intern_c(e->t, name));
}

static void on_softirq_exit(const struct ftrace_event *e)
{
    struct slice_ref s = event_ending(e, softirq_track(e), irq_category(e), NULL_STRING);
    slice_ref_int(&s, "vec", event_int(e, PB_SoftirqExitFtraceEvent_vec));
    slice_ref_end(e, &s);
}

static uint32_t hrtimer_track(const struct ftrace_event *e)
{
    return event_cpu_track(e, "cpu_hrtimer", "Hrtimer Cpu", e->cpu->cpu);
}

static void on_hrtimer_entry(const struct ftrace_event *e)
{
    uint64_t function = event_uint(e, PB_HrtimerExpireEntryFtraceEvent_function);
    event_begin(e, hrtimer_track(e), trace_intern(e->t, STR("hrtimer")),
                ftrace_symbol_or_number(e, function));
}

static void on_hrtimer_exit(const struct ftrace_event *e)
{
    slice_end(e->t, e->ts, hrtimer_track(e), trace_intern(e->t, STR("hrtimer")), NULL_STRING);
}

static void on_workqueue_start(const struct ftrace_event *e)
{
    uint64_t function = event_uint(e, PB_WorkqueueExecuteStartFtraceEvent_function);
    struct slice_ref s = event_begin(e, event_thread_track(e), trace_intern(e->t, STR("workqueue")),
                                     ftrace_symbol_or_number(e, function));
    slice_ref_int(&s, "cpu", e->cpu->cpu);
}

static void on_workqueue_end(const struct ftrace_event *e)
{
    slice_end(e->t, e->ts, event_thread_track(e), trace_intern(e->t, STR("workqueue")),
              NULL_STRING);
}

static uint32_t hotplug_track(const struct ftrace_event *e, uint32_t cpu)
{
    return event_cpu_track(e, "cpu_hotplug", "CPU Hotplug", cpu);
}

/* On the track of the cpu that comes or goes; another one may do the work. */
static void hotplug_begin(const struct ftrace_event *e, uint32_t cpu, int32_t index)
{
    struct slice_ref s = event_begin(e, hotplug_track(e, cpu), trace_intern(e->t, STR("cpu")),
                                     event_format(e, "cpuhp(%d)", index));
    slice_ref_uint(&s, "action_cpu", e->cpu->cpu);
    slice_ref_int(&s, "cpuhp_idx", index);
}

static void on_cpuhp_enter(const struct ftrace_event *e)
{
    hotplug_begin(e, event_u32(e, PB_CpuhpEnterFtraceEvent_cpu),
                  event_i32(e, PB_CpuhpEnterFtraceEvent_idx));
}

static void on_cpuhp_multi_enter(const struct ftrace_event *e)
{
    hotplug_begin(e, event_u32(e, PB_CpuhpMultiEnterFtraceEvent_cpu),
                  event_i32(e, PB_CpuhpMultiEnterFtraceEvent_idx));
}

static void on_cpuhp_exit(const struct ftrace_event *e)
{
    event_end(e, hotplug_track(e, event_u32(e, PB_CpuhpExitFtraceEvent_cpu)));
}

/* Newer kernels have the hypervisor's events in a group of their own, with the same fields. */

static uint32_t hypervisor_track(const struct ftrace_event *e)
{
    return event_cpu_track(e, "pkvm_hypervisor", "pkVM Hypervisor CPU", e->cpu->cpu);
}

static void on_hyp_enter(const struct ftrace_event *e)
{
    event_begin(e, hypervisor_track(e), trace_intern(e->t, STR("pkvm_hyp")),
                trace_intern(e->t, STR("hyp")));
}

static void on_hyp_exit(const struct ftrace_event *e)
{
    event_end(e, hypervisor_track(e));
}

/* Says why the hypervisor was entered, on its open slice. */
static struct slice_ref hypervisor_reason(const struct ftrace_event *e, const char *reason)
{
    struct slice_ref s = event_ending(e, hypervisor_track(e), trace_intern(e->t, STR("pkvm_hyp")),
                                      trace_intern(e->t, STR("hyp")));
    slice_ref_str(&s, "hyp_enter_reason", trace_intern_c(e->t, reason));
    return s;
}

static void on_host_hcall(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "host_hcall");
    slice_ref_uint(&s, "id", event_uint(e, PB_HostHcallFtraceEvent_id));
    slice_ref_uint(&s, "invalid", event_uint(e, PB_HostHcallFtraceEvent_invalid));
}

static void on_host_smc(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "host_smc");
    slice_ref_uint(&s, "id", event_uint(e, PB_HostSmcFtraceEvent_id));
    slice_ref_uint(&s, "forwarded", event_uint(e, PB_HostSmcFtraceEvent_forwarded));
}

static void on_host_mem_abort(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "host_mem_abort");
    slice_ref_uint(&s, "esr", event_uint(e, PB_HostMemAbortFtraceEvent_esr));
    slice_ref_uint(&s, "addr", event_uint(e, PB_HostMemAbortFtraceEvent_addr));
}

static void on_host_ffa_call(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "host_ffa_call");
    slice_ref_uint(&s, "func_id", event_uint(e, PB_HostFfaCallFtraceEvent_func_id));
    slice_ref_int(&s, "handled", event_int(e, PB_HostFfaCallFtraceEvent_handled));
    slice_ref_int(&s, "err", event_int(e, PB_HostFfaCallFtraceEvent_err));
}

static void on_iommu_idmap(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "iommu_idmap");
    slice_ref_uint(&s, "from", event_uint(e, PB_IommuIdmapFtraceEvent_from));
    slice_ref_uint(&s, "to", event_uint(e, PB_IommuIdmapFtraceEvent_to));
    slice_ref_int(&s, "prot", event_int(e, PB_IommuIdmapFtraceEvent_prot));
}

static void on_iommu_idmap_complete(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "iommu_idmap_complete");
    slice_ref_bool(&s, "map", event_int(e, PB_HypervisorIommuIdmapCompleteFtraceEvent_map) != 0);
}

static void on_psci_mem_protect(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "psci_mem_protect");
    slice_ref_uint(&s, "count", event_uint(e, PB_PsciMemProtectFtraceEvent_count));
    slice_ref_uint(&s, "was", event_uint(e, PB_PsciMemProtectFtraceEvent_was));
}

static void on_vcpu_illegal_trap(const struct ftrace_event *e)
{
    struct slice_ref s = hypervisor_reason(e, "vcpu_illegal_trap");
    slice_ref_uint(&s, "esr", event_uint(e, PB_HypervisorVcpuIllegalTrapFtraceEvent_esr));
}

static void say_softirq_entry(const struct ftrace_event *e, struct felt_sink *out)
{
    static const struct felt felt = FELT_BEGINS_ON_CPU;
    if (softirq_name(event_uint(e, PB_SoftirqEntryFtraceEvent_vec)))
        ftrace_felt_add(&felt, e, out);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_irq_handler_entry, .handle = on_irq_entry, .felt = FELT_BEGINS_ON_CPU},
    {PB_FtraceEvent_irq_handler_exit, .handle = on_irq_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_irq_handler_entry)},
    {PB_FtraceEvent_softirq_entry, .handle = on_softirq_entry,
     .felt = FELT_SAID_BY(say_softirq_entry)},
    {PB_FtraceEvent_softirq_exit, .handle = on_softirq_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_softirq_entry)},
    {PB_FtraceEvent_local_timer_entry, .handle = on_local_timer_entry,
     .felt = FELT_BEGINS_ON_CPU_AS(PB_FtraceEvent_irq_handler_entry)},
    {PB_FtraceEvent_local_timer_exit, .handle = on_local_timer_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_irq_handler_entry)},
    {PB_FtraceEvent_hrtimer_expire_entry, .handle = on_hrtimer_entry, .felt = FELT_BEGINS_ON_CPU},
    {PB_FtraceEvent_hrtimer_expire_exit, .handle = on_hrtimer_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_hrtimer_expire_entry)},
    {PB_FtraceEvent_workqueue_execute_start, .handle = on_workqueue_start,
     .felt = FELT_BEGINS_ON_THREAD(FELT_WORK)},
    {PB_FtraceEvent_workqueue_execute_end, .handle = on_workqueue_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_WORK)},
    {PB_FtraceEvent_cpuhp_enter, .handle = on_cpuhp_enter,
     .felt = FELT_BEGINS_BY(PB_CpuhpEnterFtraceEvent_cpu)},
    {PB_FtraceEvent_cpuhp_multi_enter, .handle = on_cpuhp_multi_enter,
     .felt = FELT_BEGINS_ON(PB_FtraceEvent_cpuhp_enter, PB_CpuhpMultiEnterFtraceEvent_cpu)},
    {PB_FtraceEvent_cpuhp_exit, .handle = on_cpuhp_exit,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_cpuhp_enter, PB_CpuhpExitFtraceEvent_cpu)},
    {PB_FtraceEvent_hyp_enter, .handle = on_hyp_enter, .felt = FELT_BEGINS_ON_CPU,
     .without_thread = true},
    {PB_FtraceEvent_hyp_exit, .handle = on_hyp_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_host_hcall, .handle = on_host_hcall,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_host_smc, .handle = on_host_smc,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_host_mem_abort, .handle = on_host_mem_abort,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_host_ffa_call, .handle = on_host_ffa_call,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_iommu_idmap, .handle = on_iommu_idmap,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_psci_mem_protect, .handle = on_psci_mem_protect,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_hyp_enter, .handle = on_hyp_enter,
     .felt = FELT_BEGINS_ON_CPU_AS(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_hyp_exit, .handle = on_hyp_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_host_hcall, .handle = on_host_hcall,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_host_smc, .handle = on_host_smc,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_host_mem_abort, .handle = on_host_mem_abort,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_iommu_idmap, .handle = on_iommu_idmap,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_iommu_idmap_complete, .handle = on_iommu_idmap_complete,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_psci_mem_protect, .handle = on_psci_mem_protect,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {PB_FtraceEvent_hypervisor_vcpu_illegal_trap, .handle = on_vcpu_illegal_trap,
     .felt = FELT_NOTES_ON_CPU(PB_FtraceEvent_hyp_enter), .without_thread = true},
    {0},
};

const struct ftrace_module ftrace_irq_module = {
    .handlers = handlers,
};
