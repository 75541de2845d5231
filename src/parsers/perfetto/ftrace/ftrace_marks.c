/* Marks: lines written to trace_marker, and events of drivers that imitate them. Kprobes and the
 * function graph, which are begins and ends of their own. */
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/text/systrace.h"
#include "pb_fields.h"

static void on_print(const struct ftrace_event *e)
{
    ftrace_cut_write_call(e);
    systrace_parse(e->t, e->cpu->machine, e->ts, e->pid, event_str(e, PB_PrintFtraceEvent_buf));
}

static void malformed(const struct ftrace_event *e)
{
    stats_count(e->t, STAT_systrace_parse_failure);
}

static void apply(const struct ftrace_event *e, char phase, int64_t tgid, struct str name,
                  int64_t value)
{
    struct atrace_point p = {.phase = phase, .tgid = (uint32_t)tgid, .name = name, .value = value};
    atrace_apply(e->t, e->cpu->machine, e->ts, e->pid, &p);
}

/* Drivers write these kinds only. */
static void apply_kernel(const struct ftrace_event *e, int64_t type, int64_t tgid, struct str name,
                         int64_t value)
{
    char phase = (char)type;
    if (phase == 'B' || phase == 'E' || phase == 'C' || phase == 'I')
        apply(e, phase, tgid, name, value);
    else
        malformed(e);
}

/* systrace/0 of Qualcomm's kernels: the kind is a set of bits. */
static void on_zero(const struct ftrace_event *e)
{
    enum { BEGIN = 1, END = 2, COUNTER = 4 };
    int64_t flag = event_int(e, PB_ZeroFtraceEvent_flag);
    char phase = flag & BEGIN ? 'B' : flag & END ? 'E' : flag & COUNTER ? 'C' : 0;
    if (!phase) {
        malformed(e);
        return;
    }
    apply(e, phase, event_int(e, PB_ZeroFtraceEvent_pid), event_str(e, PB_ZeroFtraceEvent_name),
          event_int(e, PB_ZeroFtraceEvent_value));
}

static void on_mdss_mark(const struct ftrace_event *e)
{
    if (!event_has(e, PB_TracingMarkWriteFtraceEvent_trace_begin)) {
        malformed(e);
        return;
    }
    apply(e, event_int(e, PB_TracingMarkWriteFtraceEvent_trace_begin) ? 'B' : 'E',
          event_int(e, PB_TracingMarkWriteFtraceEvent_pid),
          event_str(e, PB_TracingMarkWriteFtraceEvent_trace_name), 0);
}

/* Older versions only say whether it is a begin. */
static void on_sde_mark(const struct ftrace_event *e)
{
    int64_t type = event_int(e, PB_SdeTracingMarkWriteFtraceEvent_trace_type);
    if (!type && !event_has(e, PB_SdeTracingMarkWriteFtraceEvent_trace_type)) {
        if (!event_has(e, PB_SdeTracingMarkWriteFtraceEvent_trace_begin)) {
            malformed(e);
            return;
        }
    }
    if (!type)
        type = event_int(e, PB_SdeTracingMarkWriteFtraceEvent_trace_begin) ? 'B' : 'E';
    apply_kernel(e, type, event_int(e, PB_SdeTracingMarkWriteFtraceEvent_pid),
                 event_str(e, PB_SdeTracingMarkWriteFtraceEvent_trace_name),
                 event_int(e, PB_SdeTracingMarkWriteFtraceEvent_value));
}

static void on_samsung_mark(const struct ftrace_event *e)
{
    apply_kernel(e, event_int(e, PB_SamsungTracingMarkWriteFtraceEvent_trace_type),
                 event_int(e, PB_SamsungTracingMarkWriteFtraceEvent_pid),
                 event_str(e, PB_SamsungTracingMarkWriteFtraceEvent_trace_name),
                 event_int(e, PB_SamsungTracingMarkWriteFtraceEvent_value));
}

/* Some drivers claim that the writer is of another process: the pair is only good for counters,
 * which belong to that process. */
static void on_dpu_mark(const struct ftrace_event *e)
{
    int64_t type = event_int(e, PB_DpuTracingMarkWriteFtraceEvent_type);
    apply_kernel(e, type, type == 'C' ? event_int(e, PB_DpuTracingMarkWriteFtraceEvent_pid) : 0,
                 event_str(e, PB_DpuTracingMarkWriteFtraceEvent_name),
                 event_int(e, PB_DpuTracingMarkWriteFtraceEvent_value));
}

static void on_g2d_mark(const struct ftrace_event *e)
{
    apply_kernel(e, event_int(e, PB_G2dTracingMarkWriteFtraceEvent_type),
                 event_int(e, PB_G2dTracingMarkWriteFtraceEvent_pid),
                 event_str(e, PB_G2dTracingMarkWriteFtraceEvent_name),
                 event_int(e, PB_G2dTracingMarkWriteFtraceEvent_value));
}

static void on_mali_mark(const struct ftrace_event *e)
{
    apply_kernel(e, event_int(e, PB_MaliTracingMarkWriteFtraceEvent_type),
                 event_int(e, PB_MaliTracingMarkWriteFtraceEvent_pid),
                 event_str(e, PB_MaliTracingMarkWriteFtraceEvent_name),
                 event_int(e, PB_MaliTracingMarkWriteFtraceEvent_value));
}

static void on_lwis_mark(const struct ftrace_event *e)
{
    apply_kernel(e, event_int(e, PB_LwisTracingMarkWriteFtraceEvent_type),
                 event_int(e, PB_LwisTracingMarkWriteFtraceEvent_pid),
                 event_str(e, PB_LwisTracingMarkWriteFtraceEvent_func_name),
                 event_int(e, PB_LwisTracingMarkWriteFtraceEvent_value));
}

static void on_panel_mark(const struct ftrace_event *e)
{
    apply_kernel(e, event_int(e, PB_PanelWriteGenericFtraceEvent_type),
                 event_int(e, PB_PanelWriteGenericFtraceEvent_pid),
                 event_str(e, PB_PanelWriteGenericFtraceEvent_name),
                 event_int(e, PB_PanelWriteGenericFtraceEvent_value));
}

static void on_kprobe(const struct ftrace_event *e)
{
    uint32_t track = event_thread_track(e);
    string_id name = event_string(e, PB_KprobeEvent_name);
    switch (event_int(e, PB_KprobeEvent_type)) {
    case PB_KprobeEvent_KprobeType_KPROBE_TYPE_BEGIN:
        event_begin(e, track, NULL_STRING, name);
        return;
    case PB_KprobeEvent_KprobeType_KPROBE_TYPE_END:
        slice_end(e->t, e->ts, track, NULL_STRING, name);
        return;
    case PB_KprobeEvent_KprobeType_KPROBE_TYPE_INSTANT:
        event_instant(e, track, NULL_STRING, name);
        return;
    }
}

/* Idle tasks share a thread id: theirs are tracks of the cpu. So are those of tasks that text does
 * not name. */
static uint32_t funcgraph_track(const struct ftrace_event *e)
{
    bool unknown = e->utid == NULL_U32, idle = e->pid == 0;
    struct track_spec spec = {
        .type = unknown ? "cpu_functions" : (idle ? "cpu_funcgraph" : "thread_funcgraph"),
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {idle ? dimension_int("cpu", e->cpu->cpu) : dimension_int("utid", e->utid)},
    };
    if (unknown)
        spec.name = event_format(e, "CPU %u functions", e->cpu->cpu);
    else if (idle)
        spec.name = event_format(e, "swapper%u -funcgraph", e->cpu->cpu);
    else
        spec.name = trace_intern(e->t, STR("Funcgraph"));
    return track_intern(e->t, &spec);
}

static void on_funcgraph_entry(const struct ftrace_event *e)
{
    event_begin(e, funcgraph_track(e), NULL_STRING,
                ftrace_symbol_or_number(e, event_uint(e, PB_FuncgraphEntryFtraceEvent_func)));
}

static void on_funcgraph_exit(const struct ftrace_event *e)
{
    slice_end(e->t, e->ts, funcgraph_track(e), NULL_STRING,
              ftrace_symbol_or_number(e, event_uint(e, PB_FuncgraphExitFtraceEvent_func)));
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_print, .handle = on_print},
    {PB_FtraceEvent_zero, .handle = on_zero},
    {PB_FtraceEvent_tracing_mark_write, .handle = on_mdss_mark},
    {PB_FtraceEvent_sde_tracing_mark_write, .handle = on_sde_mark},
    {PB_FtraceEvent_samsung_tracing_mark_write, .handle = on_samsung_mark},
    {PB_FtraceEvent_dpu_tracing_mark_write, .handle = on_dpu_mark},
    {PB_FtraceEvent_g2d_tracing_mark_write, .handle = on_g2d_mark},
    {PB_FtraceEvent_mali_tracing_mark_write, .handle = on_mali_mark},
    {PB_FtraceEvent_lwis_tracing_mark_write, .handle = on_lwis_mark},
    {PB_FtraceEvent_panel_write_generic, .handle = on_panel_mark},
    {PB_FtraceEvent_kprobe_event, .handle = on_kprobe},
    {PB_FtraceEvent_funcgraph_entry, .handle = on_funcgraph_entry},
    {PB_FtraceEvent_funcgraph_exit, .handle = on_funcgraph_exit},
    {0},
};

const struct ftrace_module ftrace_marks_module = {
    .handlers = handlers,
};
