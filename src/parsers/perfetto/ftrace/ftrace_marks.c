/* Marks: lines written to trace_marker, and events of drivers that imitate them. Kprobes and the
 * function graph, which are begins and ends of their own. */
#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/text/systrace.h"
#include "pb_fields.h"

static void on_print(const struct ftrace_event *e)
{
    ftrace_cut_write_call(e);
    systrace_parse(e->t, e->cpu->machine, e->ts, e->pid, event_str(e, PB_PrintFtraceEvent_buf));
}

/* What is felt of a mark: the writer's slices, counters and tracks of the process that it names. */
static void say_point(const struct ftrace_event *e, const struct atrace_point *p,
                      struct felt_sink *out)
{
    enum { TRACKS = 'G', ONCE = 'S' };
    uint64_t process = hash_mix(felt_key(e, (uint32_t)p->phase), (uint64_t)p->tgid);
    uint64_t name = felt_text_name(p->name), track = 0;
    if (p->tgid && (p->phase == 'B' || p->phase == 'E' || p->phase == 'I'))
        felt_process(out, e->cpu->machine, e->pid, p->tgid);
    else if (p->tgid) /* of another process, maybe */
        felt_process(out, e->cpu->machine, (uint32_t)p->tgid, p->tgid);
    switch (p->phase) {
    case 'B':
        felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_ANY, name);
        return;
    case 'E':
        felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_ANY, 0);
        return;
    case 'C':
        felt_last(out, hash_mix(process, name));
        return;
    case 'S':
    case 'F':
        track = hash_mix(felt_key(e, ONCE), hash_mix((uint64_t)p->tgid, name));
        felt_mark(out, p->phase == 'S' ? MARK_BEGIN_ONCE : MARK_END,
                  hash_mix(track, (uint64_t)p->value), FELT_ANY, 0);
        return;
    case 'G':
    case 'H':
        track = hash_mix(felt_key(e, TRACKS), hash_bytes(p->track.p, p->track.n, 0));
        if (!str_eq(p->track, STR(ATRACE_DEVICE_TRACK)))
            track = hash_mix(hash_mix(track, (uint64_t)p->tgid), (uint64_t)p->value);
        felt_mark(out, p->phase == 'G' ? MARK_BEGIN : MARK_END, track, FELT_ANY, 0);
        return;
    }
}

static void say_print(const struct ftrace_event *e, struct felt_sink *out)
{
    struct atrace_point p;
    ftrace_say_write_cut(e, out);
    if (systrace_point(event_str(e, PB_PrintFtraceEvent_buf), &p))
        say_point(e, &p, out);
}

static void malformed(const struct ftrace_event *e)
{
    stats_count(e->t, STAT_systrace_parse_failure);
}

/* What an event of a driver says; false where it makes no sense. */
typedef bool (*point_reader)(const struct ftrace_event *e, struct atrace_point *p);

static void apply(const struct ftrace_event *e, point_reader read)
{
    struct atrace_point p = {0};
    if (read(e, &p))
        atrace_apply(e->t, e->cpu->machine, e->ts, e->pid, &p);
    else
        malformed(e);
}

static void say(const struct ftrace_event *e, point_reader read, struct felt_sink *out)
{
    struct atrace_point p = {0};
    if (read(e, &p))
        say_point(e, &p, out);
}

static int64_t tgid_of(const struct ftrace_event *e, uint32_t field)
{
    return event_u32(e, field);
}

/* Drivers write these kinds only. */
static bool is_driver_phase(const struct atrace_point *p)
{
    return p->phase == 'B' || p->phase == 'E' || p->phase == 'C' || p->phase == 'I';
}

/* systrace/0 of Qualcomm's kernels: the kind is a set of bits. */
static bool zero_point(const struct ftrace_event *e, struct atrace_point *p)
{
    enum { BEGIN = 1, END = 2, COUNTER = 4 };
    int64_t flag = event_int(e, PB_ZeroFtraceEvent_flag);
    *p = (struct atrace_point){
        .phase = flag & BEGIN     ? 'B'
                 : flag & END     ? 'E'
                 : flag & COUNTER ? 'C'
                                  : 0,
        .tgid = tgid_of(e, PB_ZeroFtraceEvent_pid),
        .name = event_str(e, PB_ZeroFtraceEvent_name),
        .value = event_int(e, PB_ZeroFtraceEvent_value),
    };
    return p->phase;
}

static bool mdss_point(const struct ftrace_event *e, struct atrace_point *p)
{
    *p = (struct atrace_point){
        .phase = event_int(e, PB_TracingMarkWriteFtraceEvent_trace_begin) ? 'B' : 'E',
        .tgid = tgid_of(e, PB_TracingMarkWriteFtraceEvent_pid),
        .name = event_str(e, PB_TracingMarkWriteFtraceEvent_trace_name),
    };
    return event_has(e, PB_TracingMarkWriteFtraceEvent_trace_begin);
}

/* Older versions only say whether it is a begin. */
static bool sde_point(const struct ftrace_event *e, struct atrace_point *p)
{
    int64_t type = event_int(e, PB_SdeTracingMarkWriteFtraceEvent_trace_type);
    if (!type && !event_has(e, PB_SdeTracingMarkWriteFtraceEvent_trace_type) &&
        !event_has(e, PB_SdeTracingMarkWriteFtraceEvent_trace_begin))
        return false;
    if (!type)
        type = event_int(e, PB_SdeTracingMarkWriteFtraceEvent_trace_begin) ? 'B' : 'E';
    *p = (struct atrace_point){
        .phase = (char)type,
        .tgid = tgid_of(e, PB_SdeTracingMarkWriteFtraceEvent_pid),
        .name = event_str(e, PB_SdeTracingMarkWriteFtraceEvent_trace_name),
        .value = event_int(e, PB_SdeTracingMarkWriteFtraceEvent_value),
    };
    return is_driver_phase(p);
}

#define DRIVER_POINT(driver, MESSAGE, type_, name_)                                                \
    static bool driver##_point(const struct ftrace_event *e, struct atrace_point *p)               \
    {                                                                                              \
        *p = (struct atrace_point){                                                                \
            .phase = (char)event_int(e, PB_##MESSAGE##_##type_),                                   \
            .tgid = tgid_of(e, PB_##MESSAGE##_pid),                                                \
            .name = event_str(e, PB_##MESSAGE##_##name_),                                          \
            .value = event_int(e, PB_##MESSAGE##_value),                                           \
        };                                                                                         \
        return is_driver_phase(p);                                                                 \
    }

DRIVER_POINT(samsung, SamsungTracingMarkWriteFtraceEvent, trace_type, trace_name)
DRIVER_POINT(g2d, G2dTracingMarkWriteFtraceEvent, type, name)
DRIVER_POINT(mali, MaliTracingMarkWriteFtraceEvent, type, name)
DRIVER_POINT(lwis, LwisTracingMarkWriteFtraceEvent, type, func_name)
DRIVER_POINT(panel, PanelWriteGenericFtraceEvent, type, name)
DRIVER_POINT(dpu_as_told, DpuTracingMarkWriteFtraceEvent, type, name)

/* Some drivers claim that the writer is of another process: the pair is only good for counters,
 * which belong to that process. */
static bool dpu_point(const struct ftrace_event *e, struct atrace_point *p)
{
    bool good = dpu_as_told_point(e, p);
    if (p->phase != 'C')
        p->tgid = 0;
    return good;
}

#define DRIVER_MARK(driver)                                                                        \
    static void on_##driver##_mark(const struct ftrace_event *e)                                   \
    {                                                                                              \
        apply(e, driver##_point);                                                                  \
    }                                                                                              \
    static void say_##driver##_mark(const struct ftrace_event *e, struct felt_sink *out)           \
    {                                                                                              \
        say(e, driver##_point, out);                                                               \
    }

DRIVER_MARK(zero)
DRIVER_MARK(mdss)
DRIVER_MARK(sde)
DRIVER_MARK(samsung)
DRIVER_MARK(dpu)
DRIVER_MARK(g2d)
DRIVER_MARK(mali)
DRIVER_MARK(lwis)
DRIVER_MARK(panel)

static void on_kprobe(const struct ftrace_event *e)
{
    uint32_t track = event_thread_track(e);
    string_id name = trace_intern(e->t, event_str(e, PB_KprobeEvent_name));
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

static void say_kprobe(const struct ftrace_event *e, struct felt_sink *out)
{
    int64_t type = event_int(e, PB_KprobeEvent_type);
    uint64_t name = felt_text_name(event_str(e, PB_KprobeEvent_name));
    if (type == PB_KprobeEvent_KprobeType_KPROBE_TYPE_BEGIN)
        felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_ANY, name);
    else if (type == PB_KprobeEvent_KprobeType_KPROBE_TYPE_END)
        felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_ANY, name);
}

/* The two events have the same number for the function. */
static void say_funcgraph(const struct ftrace_event *e, struct felt_sink *out)
{
    bool begins = e->id == PB_FtraceEvent_funcgraph_entry;
    uint64_t track = felt_key_of_thread(e, PB_FtraceEvent_funcgraph_entry);
    if (e->pid == 0)
        track = hash_mix(track, e->cpu->cpu);
    felt_mark(out, begins ? MARK_BEGIN : MARK_END, track, FELT_ANY,
              felt_name(e, begins ? PB_FuncgraphEntryFtraceEvent_func
                                  : PB_FuncgraphExitFtraceEvent_func));
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_print, .handle = on_print, .felt = FELT_OWNER_SAID_BY(say_print)},
    {PB_FtraceEvent_zero, .handle = on_zero_mark, .felt = FELT_OWNER_SAID_BY(say_zero_mark)},
    {PB_FtraceEvent_tracing_mark_write, .handle = on_mdss_mark,
     .felt = FELT_OWNER_SAID_BY(say_mdss_mark)},
    {PB_FtraceEvent_sde_tracing_mark_write, .handle = on_sde_mark,
     .felt = FELT_OWNER_SAID_BY(say_sde_mark)},
    {PB_FtraceEvent_samsung_tracing_mark_write, .handle = on_samsung_mark,
     .felt = FELT_OWNER_SAID_BY(say_samsung_mark)},
    {PB_FtraceEvent_dpu_tracing_mark_write, .handle = on_dpu_mark,
     .felt = FELT_OWNER_SAID_BY(say_dpu_mark)},
    {PB_FtraceEvent_g2d_tracing_mark_write, .handle = on_g2d_mark,
     .felt = FELT_OWNER_SAID_BY(say_g2d_mark)},
    {PB_FtraceEvent_mali_tracing_mark_write, .handle = on_mali_mark,
     .felt = FELT_OWNER_SAID_BY(say_mali_mark)},
    {PB_FtraceEvent_lwis_tracing_mark_write, .handle = on_lwis_mark,
     .felt = FELT_OWNER_SAID_BY(say_lwis_mark)},
    {PB_FtraceEvent_panel_write_generic, .handle = on_panel_mark,
     .felt = FELT_OWNER_SAID_BY(say_panel_mark)},
    {PB_FtraceEvent_kprobe_event, .handle = on_kprobe, .felt = FELT_SAID_BY(say_kprobe)},
    {PB_FtraceEvent_funcgraph_entry, .handle = on_funcgraph_entry,
     .felt = FELT_SAID_BY(say_funcgraph)},
    {PB_FtraceEvent_funcgraph_exit, .handle = on_funcgraph_exit,
     .felt = FELT_SAID_BY(say_funcgraph)},
    {0},
};

const struct ftrace_module ftrace_marks_module = {
    .handlers = handlers,
};
