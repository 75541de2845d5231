/* What ftrace events before a window leave behind. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "core/syscalls.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/window/compact.h"
#include "parsers/perfetto/window/scan.h"
#include "pb_fields.h"

/* One event. */
struct event {
    uint32_t id, pid, cpu, machine;
    int64_t ts;
    uint64_t number;
    struct bytes payload;
};

/* What of an event's fields makes it one of its own kind: of those whose kind is not their thread
 * and cpu. */
struct event_key {
    uint32_t id;
    uint8_t fields[3]; /* 0: none */
    bool of_thread, of_cpu;
};

static const struct event_key keys[] = {
    {PB_FtraceEvent_cpu_frequency, {PB_CpuFrequencyFtraceEvent_cpu_id}, false, false},
    {PB_FtraceEvent_cpu_frequency_limits, {PB_CpuFrequencyLimitsFtraceEvent_cpu_id}, false, false},
    {PB_FtraceEvent_cpu_idle, {PB_CpuIdleFtraceEvent_cpu_id}, false, false},
    {PB_FtraceEvent_clock_set_rate, {PB_ClockSetRateFtraceEvent_name}, false, false},
    {PB_FtraceEvent_clock_enable, {PB_ClockEnableFtraceEvent_name}, false, false},
    {PB_FtraceEvent_clock_disable, {PB_ClockDisableFtraceEvent_name}, false, false},
    {PB_FtraceEvent_gpu_frequency, {PB_GpuFrequencyFtraceEvent_gpu_id}, false, false},
    {PB_FtraceEvent_gpu_mem_total,
     {PB_GpuMemTotalFtraceEvent_gpu_id, PB_GpuMemTotalFtraceEvent_pid},
     false,
     false},
    {PB_FtraceEvent_rss_stat,
     {PB_RssStatFtraceEvent_mm_id, PB_RssStatFtraceEvent_member, PB_RssStatFtraceEvent_curr},
     true,
     false},
    {PB_FtraceEvent_rss_stat_throttled,
     {PB_RssStatThrottledFtraceEvent_mm_id, PB_RssStatThrottledFtraceEvent_member,
      PB_RssStatThrottledFtraceEvent_curr},
     true,
     false},
    {PB_FtraceEvent_oom_score_adj_update, {PB_OomScoreAdjUpdateFtraceEvent_pid}, false, false},
    {PB_FtraceEvent_mm_event_record, {PB_MmEventRecordFtraceEvent_type}, true, false},
    {PB_FtraceEvent_thermal_temperature,
     {PB_ThermalTemperatureFtraceEvent_thermal_zone},
     false,
     false},
    {PB_FtraceEvent_cdev_update, {PB_CdevUpdateFtraceEvent_type}, false, false},
    {PB_FtraceEvent_suspend_resume,
     {PB_SuspendResumeFtraceEvent_action, PB_SuspendResumeFtraceEvent_start},
     false,
     false},
    {PB_FtraceEvent_suspend_resume_minimal,
     {PB_SuspendResumeMinimalFtraceEvent_start},
     false,
     false},
    {PB_FtraceEvent_wakeup_source_activate,
     {PB_WakeupSourceActivateFtraceEvent_name},
     false,
     false},
    {PB_FtraceEvent_wakeup_source_deactivate,
     {PB_WakeupSourceDeactivateFtraceEvent_name},
     false,
     false},
    {PB_FtraceEvent_devfreq_frequency, {PB_DevfreqFrequencyFtraceEvent_dev_name}, false, false},
    {PB_FtraceEvent_sched_cpu_util_cfs, {PB_SchedCpuUtilCfsFtraceEvent_cpu}, false, false},
    {PB_FtraceEvent_dma_fence_init, {PB_DmaFenceInitFtraceEvent_timeline}, false, false},
    {PB_FtraceEvent_dma_fence_emit, {PB_DmaFenceEmitFtraceEvent_timeline}, false, false},
    {PB_FtraceEvent_dma_fence_signaled, {PB_DmaFenceSignaledFtraceEvent_timeline}, false, false},
    {PB_FtraceEvent_irq_handler_entry, {0}, false, true},
    {PB_FtraceEvent_irq_handler_exit, {0}, false, true},
    {PB_FtraceEvent_softirq_entry, {PB_SoftirqEntryFtraceEvent_vec}, false, true},
    {PB_FtraceEvent_softirq_exit, {PB_SoftirqExitFtraceEvent_vec}, false, true},
};

static uint64_t field_hash(struct bytes payload, uint32_t number)
{
    struct pb_reader r = bytes_reader(payload);
    struct pb_field f;
    uint64_t h = 0;
    while (pb_next(&r, &f))
        if (f.number == number)
            h = f.data ? hash_bytes(f.data, (size_t)f.value, number) : hash_u64(f.value);
    return h;
}

static int64_t int_field(struct bytes payload, uint32_t number)
{
    struct pb_field f = pb_last(bytes_reader(payload), number);
    return pb_i64(&f);
}

static struct str text_field(struct bytes payload, uint32_t number)
{
    struct pb_field f = pb_last(bytes_reader(payload), number);
    return pb_str(&f);
}

static uint64_t key_of(const struct event *e)
{
    struct event_key usual = {.id = e->id, .of_thread = true, .of_cpu = true};
    const struct event_key *k = &usual;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].id == e->id)
            k = &keys[i];
    uint64_t h = hash_mix(e->id, e->machine);
    if (k->of_thread)
        h = hash_mix(h, e->pid);
    if (k->of_cpu)
        h = hash_mix(h, e->cpu);
    for (size_t i = 0; i < sizeof k->fields && k->fields[i]; i++)
        h = hash_mix(h, field_hash(e->payload, k->fields[i]));
    return h;
}

/* The parts of "B|1636|name" and the like, up to the bar behind `count` of them. */
static uint64_t mark_hash(const struct event *e, char kind, struct str text, int count)
{
    size_t n = 0;
    for (int bars = 0; n < text.n; n++)
        if (text.p[n] == '|' && ++bars == count)
            break;
    return hash_bytes(text.p, n, hash_mix(e->machine, (uint64_t)kind));
}

static struct str without_ends(struct str s)
{
    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == 0))
        s.n--;
    return s;
}

static uint64_t thread_key(const struct event *e, char kind)
{
    return hash_mix(hash_mix(e->machine, (uint64_t)kind), e->pid);
}

enum { MARK_NAME = 1 }; /* for all that end whatever is innermost */

static void mark(struct window_scan *w, const struct event *e, enum mark_kind kind, uint64_t key)
{
    struct window_mark m = {.ts = e->ts,
                            .key = key,
                            .other = kind == MARK_END ? 0 : MARK_NAME,
                            .number = e->number,
                            .kind = kind};
    selection_mark(&w->selection, &m);
}

/* A system call on a thread, whose slices nest with its marks. */
static void add_call(struct window_scan *w, const struct event *e, enum mark_kind kind,
                     const char *name)
{
    struct window_mark m = {.ts = e->ts,
                            .key = thread_key(e, 'B'),
                            .other = hash_bytes(name, strlen(name), 0),
                            .number = e->number,
                            .kind = kind};
    selection_mark(&w->selection, &m);
}

static void add_syscall(struct window_scan *w, const struct event *e)
{
    bool enters = e->id == PB_FtraceEvent_sys_enter;
    int64_t id =
        int_field(e->payload, enters ? PB_SysEnterFtraceEvent_id : PB_SysExitFtraceEvent_id);
    const char *name = syscall_name(str_from(w->arch), (uint64_t)id);
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, id);
    if (!name)
        name = number;
    if (!enters || strcmp(name, "rt_sigreturn") != 0) /* which never returns */
        add_call(w, e, enters ? MARK_BEGIN : MARK_END, name);
}

/* What userspace writes: see parsers/text/systrace.h. */
static void add_print(struct window_scan *w, const struct event *e)
{
    struct str text = without_ends(text_field(e->payload, PB_PrintFtraceEvent_buf));
    char kind = text.n ? text.p[0] : 0;
    struct str rest = text.n > 2 && text.p[1] == '|' ? str_skip(text, 2) : (struct str){"", 0};
    switch (kind) {
    case 'B':
        mark(w, e, MARK_BEGIN, thread_key(e, 'B'));
        return;
    case 'E':
        mark(w, e, MARK_END, thread_key(e, 'B'));
        return;
    case 'C':
        selection_last(&w->selection, mark_hash(e, 'C', rest, 2), e->ts, e->number);
        return;
    case 'S':
        mark(w, e, MARK_BEGIN_ONCE, mark_hash(e, 'S', rest, 3));
        return;
    case 'F':
        mark(w, e, MARK_END, mark_hash(e, 'S', rest, 3));
        return;
    case 'G':
    case 'H': { /* process and track, and the cookie, which is the last of all */
        size_t bar = rest.n;
        while (bar > 0 && rest.p[bar - 1] != '|')
            bar--;
        struct str cookie = str_skip(rest, bar);
        uint64_t key = hash_bytes(cookie.p, cookie.n, mark_hash(e, 'G', rest, 2));
        mark(w, e, kind == 'G' ? MARK_BEGIN_ONCE : MARK_END, key);
        return;
    }
    default:
        return;
    }
}

/* Drivers' marks: the numbers of the fields. */
struct driver_mark {
    uint32_t id, type, name, pid;
};

static const struct driver_mark driver_marks[] = {
    {PB_FtraceEvent_sde_tracing_mark_write, PB_SdeTracingMarkWriteFtraceEvent_trace_type,
     PB_SdeTracingMarkWriteFtraceEvent_trace_name, PB_SdeTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_samsung_tracing_mark_write, PB_SamsungTracingMarkWriteFtraceEvent_trace_type,
     PB_SamsungTracingMarkWriteFtraceEvent_trace_name, PB_SamsungTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_dpu_tracing_mark_write, PB_DpuTracingMarkWriteFtraceEvent_type,
     PB_DpuTracingMarkWriteFtraceEvent_name, PB_DpuTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_g2d_tracing_mark_write, PB_G2dTracingMarkWriteFtraceEvent_type,
     PB_G2dTracingMarkWriteFtraceEvent_name, PB_G2dTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_mali_tracing_mark_write, PB_MaliTracingMarkWriteFtraceEvent_type,
     PB_MaliTracingMarkWriteFtraceEvent_name, PB_MaliTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_lwis_tracing_mark_write, PB_LwisTracingMarkWriteFtraceEvent_type,
     PB_LwisTracingMarkWriteFtraceEvent_func_name, PB_LwisTracingMarkWriteFtraceEvent_pid},
    {PB_FtraceEvent_panel_write_generic, PB_PanelWriteGenericFtraceEvent_type,
     PB_PanelWriteGenericFtraceEvent_name, PB_PanelWriteGenericFtraceEvent_pid},
};

static bool add_driver_mark(struct window_scan *w, const struct event *e)
{
    const struct driver_mark *m = NULL;
    for (size_t i = 0; i < sizeof driver_marks / sizeof *driver_marks && !m; i++)
        if (driver_marks[i].id == e->id)
            m = &driver_marks[i];
    if (!m)
        return false;
    int64_t type = int_field(e->payload, m->type);
    if (!type && e->id == PB_FtraceEvent_sde_tracing_mark_write)
        type = int_field(e->payload, PB_SdeTracingMarkWriteFtraceEvent_trace_begin) ? 'B' : 'E';
    if (type == 'C') {
        uint64_t key = hash_mix(field_hash(e->payload, m->name), field_hash(e->payload, m->pid));
        selection_last(&w->selection, hash_mix(key, e->id), e->ts, e->number);
    } else if (type == 'B') {
        mark(w, e, MARK_BEGIN, thread_key(e, 'B'));
    } else if (type == 'E') {
        mark(w, e, MARK_END, thread_key(e, 'B'));
    }
    return true;
}

static void add_begin_or_end(struct window_scan *w, const struct event *e, bool begins, char kind)
{
    mark(w, e, begins ? MARK_BEGIN : MARK_END, thread_key(e, kind));
}

/* Calls between processes: see core/binder_tracker.h. */
static void add_binder(struct window_scan *w, const struct event *e)
{
    enum { ONE_WAY = 1 };
    bool sends = e->id == PB_FtraceEvent_binder_transaction;
    uint32_t field = sends ? PB_BinderTransactionFtraceEvent_debug_id
                           : PB_BinderTransactionReceivedFtraceEvent_debug_id;
    struct window_mark m = {
        .ts = e->ts,
        .number = e->number,
        .key = hash_mix(hash_mix(e->machine, 'o'), (uint64_t)int_field(e->payload, field)),
        .other = thread_key(e, 'b'),
        .kind = MARK_RECEIVE,
    };
    if (sends && int_field(e->payload, PB_BinderTransactionFtraceEvent_reply) == 1)
        m.kind = MARK_REPLY;
    else if (sends)
        m.kind = int_field(e->payload, PB_BinderTransactionFtraceEvent_flags) & ONE_WAY ? MARK_SEND
                                                                                        : MARK_CALL;
    selection_mark(&w->selection, &m);
}

/* systrace/0 of Qualcomm's kernels: the kind is a set of bits. */
static void add_zero(struct window_scan *w, const struct event *e)
{
    enum { BEGIN = 1, END = 2, COUNTER = 4 };
    int64_t flag = int_field(e->payload, PB_ZeroFtraceEvent_flag);
    if (flag & (BEGIN | END)) {
        add_begin_or_end(w, e, flag & BEGIN, 'B');
        return;
    }
    uint64_t key = hash_mix(field_hash(e->payload, PB_ZeroFtraceEvent_name),
                            field_hash(e->payload, PB_ZeroFtraceEvent_pid));
    if (flag & COUNTER)
        selection_last(&w->selection, hash_mix(key, e->id), e->ts, e->number);
}

static void add_switch(struct window_scan *w, const struct event *e, uint32_t cpu)
{
    struct bytes b = e->payload;
    struct sched_task prev = {
        (uint32_t)int_field(b, PB_SchedSwitchFtraceEvent_prev_pid),
        (int32_t)int_field(b, PB_SchedSwitchFtraceEvent_prev_prio),
        sched_comm_from(text_field(b, PB_SchedSwitchFtraceEvent_prev_comm)),
    };
    struct sched_task next = {
        (uint32_t)int_field(b, PB_SchedSwitchFtraceEvent_next_pid),
        (int32_t)int_field(b, PB_SchedSwitchFtraceEvent_next_prio),
        sched_comm_from(text_field(b, PB_SchedSwitchFtraceEvent_next_comm)),
    };
    sched_states_switch(&w->sched, cpu, e->ts, &prev,
                        int_field(b, PB_SchedSwitchFtraceEvent_prev_state), &next);
}

static void add_waking(struct window_scan *w, const struct event *e, uint32_t cpu, uint32_t flags)
{
    struct bytes b = e->payload;
    struct sched_states_waking waking = {
        .task = {(uint32_t)int_field(b, PB_SchedWakingFtraceEvent_pid),
                 (int32_t)int_field(b, PB_SchedWakingFtraceEvent_prio),
                 sched_comm_from(text_field(b, PB_SchedWakingFtraceEvent_comm))},
        .waker = e->pid,
        .target_cpu = (int32_t)int_field(b, PB_SchedWakingFtraceEvent_target_cpu),
        .flags = flags,
    };
    sched_states_wake(&w->sched, cpu, e->ts, &waking);
}

/* Whether nothing is felt of the event later. */
static bool is_point(uint32_t event)
{
    switch (event) {
    case PB_FtraceEvent_sched_wakeup:
    case PB_FtraceEvent_sched_wakeup_new:
    case PB_FtraceEvent_sched_blocked_reason:
    case PB_FtraceEvent_sched_process_exec:
    case PB_FtraceEvent_sched_process_exit:
    case PB_FtraceEvent_sched_process_fork:
    case PB_FtraceEvent_sched_process_wait:
    case PB_FtraceEvent_signal_generate:
    case PB_FtraceEvent_signal_deliver:
    case PB_FtraceEvent_console:
    case PB_FtraceEvent_binder_transaction_alloc_buf:
    case PB_FtraceEvent_binder_set_priority:
        return true;
    default:
        return false;
    }
}

static void add_event(struct window_scan *w, const struct event *e, uint32_t cpu, uint32_t flags)
{
    switch (e->id) {
    case PB_FtraceEvent_sched_switch:
        add_switch(w, e, cpu);
        return;
    case PB_FtraceEvent_sched_waking:
        add_waking(w, e, cpu, flags);
        return;
    case PB_FtraceEvent_print:
        add_call(w, e, MARK_END, "write"); /* by which the mark is written */
        add_print(w, e);
        return;
    case PB_FtraceEvent_sys_enter:
    case PB_FtraceEvent_sys_exit:
        add_syscall(w, e);
        return;
    case PB_FtraceEvent_block_io_start:
        mark(w, e, MARK_BEGIN,
             hash_mix(e->machine, field_hash(e->payload, PB_BlockIoStartFtraceEvent_dev)));
        return;
    case PB_FtraceEvent_block_io_done:
        mark(w, e, MARK_END,
             hash_mix(e->machine, field_hash(e->payload, PB_BlockIoDoneFtraceEvent_dev)));
        return;
    case PB_FtraceEvent_tracing_mark_write:
        add_begin_or_end(w, e,
                         int_field(e->payload, PB_TracingMarkWriteFtraceEvent_trace_begin) != 0,
                         'B');
        return;
    case PB_FtraceEvent_zero:
        add_zero(w, e);
        return;
    case PB_FtraceEvent_binder_transaction:
    case PB_FtraceEvent_binder_transaction_received:
        add_binder(w, e);
        return;
    case PB_FtraceEvent_funcgraph_entry:
    case PB_FtraceEvent_funcgraph_exit:
        add_begin_or_end(w, e, e->id == PB_FtraceEvent_funcgraph_entry, 'f');
        return;
    case PB_FtraceEvent_task_newtask:
    case PB_FtraceEvent_task_rename:
    case PB_FtraceEvent_sched_process_free:
        selection_keep(&w->selection, e->ts, e->number);
        return;
    default:
        if (!is_point(e->id) && !add_driver_mark(w, e))
            selection_last(&w->selection, key_of(e), e->ts, e->number);
    }
}

static struct bundle_form form_of(struct bytes bundle, int64_t offset)
{
    struct bundle_form form = {.offset = offset};
    struct pb_reader r = bytes_reader(bundle);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FtraceEventBundle_ftrace_clock:
            form.clock = pb_i64(&f);
            form.has_clock = true;
            break;
        case PB_FtraceEventBundle_ftrace_timestamp:
            form.ftrace_ts = pb_i64(&f);
            form.has_ftrace_ts = true;
            break;
        case PB_FtraceEventBundle_boot_timestamp:
            form.boot_ts = pb_i64(&f);
            form.has_boot_ts = true;
            break;
        default:
            break;
        }
    }
    return form;
}

/* The stream of the bundle's cpu. */
static uint32_t cpu_of(struct window_scan *w, const struct packet *p, int64_t offset)
{
    struct sched_place place = {
        .raw_machine = p->raw_machine,
        .machine = p->machine,
        .cpu = (uint32_t)int_field(p->field, PB_FtraceEventBundle_cpu),
        .sequence = p->sequence->id,
        .has_sequence = p->has_sequence,
    };
    uint32_t cpu = sched_states_cpu(&w->sched, &place);
    while (w->forms.count <= cpu)
        *vec_push(&w->forms) = (struct bundle_form){0};
    w->forms.items[cpu] = form_of(p->field, offset);
    return cpu;
}

static void add_compact_switch(struct window_scan *w, const struct compact_sched_view *c,
                               const struct compact_switch *s, uint32_t cpu, int64_t ts)
{
    struct sched_task next = {(uint32_t)s->pid, s->prio, sched_comm_from(c->comms.items[s->comm])};
    sched_states_switch(&w->sched, cpu, ts, NULL, s->prev_state, &next);
}

static void add_compact_waking(struct window_scan *w, const struct compact_sched_view *c,
                               const struct compact_waking *k, uint32_t cpu, int64_t ts)
{
    struct sched_states_waking waking = {
        .task = {(uint32_t)k->pid, k->prio, sched_comm_from(c->comms.items[k->comm])},
        .waker = -1,
        .target_cpu = k->target_cpu,
        .flags = k->flags,
    };
    sched_states_wake(&w->sched, cpu, ts, &waking);
}

/* Switches and wakings stand in columns of their own: the waker is who runs at that time. */
static void scan_compact(struct window_scan *w, const struct packet *p, struct bytes compact,
                         uint32_t cpu, int64_t offset)
{
    struct compact_sched_view c;
    compact_sched_read(compact, &c);
    size_t k = 0;
    for (size_t i = 0; i <= c.switches.count; i++) {
        const struct compact_switch *s = i < c.switches.count ? &c.switches.items[i] : NULL;
        for (; k < c.wakings.count && (!s || c.wakings.items[k].ts < s->ts); k++) {
            int64_t ts = time_plus(c.wakings.items[k].ts, offset);
            if (ts < w->from && scan_ftrace_counts(w, p->machine, ts))
                add_compact_waking(w, &c, &c.wakings.items[k], cpu, ts);
        }
        int64_t ts = s ? time_plus(s->ts, offset) : w->from;
        if (ts < w->from && scan_ftrace_counts(w, p->machine, ts))
            add_compact_switch(w, &c, s, cpu, ts);
    }
    compact_sched_release(&c);
}

void scan_ftrace_bundle(struct window_scan *w, const struct packet *p)
{
    int64_t offset = scan_time(w, p->number);
    if (offset == PACKET_TIME_UNKNOWN)
        return;
    uint32_t cpu = cpu_of(w, p, offset), part = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FtraceEventBundle_compact_sched && f.data)
            scan_compact(w, p, field_bytes(&f), cpu, offset);
        if (f.number != PB_FtraceEventBundle_event || !f.data)
            continue;
        if (++part >> ITEM_PART_BITS)
            return;
        struct pb_reader message = pb_message(&f);
        struct event_parts parts = {0};
        if (!event_next(&message, &parts) || !parts.has_ts)
            continue;
        struct event e = {.id = parts.id,
                          .pid = parts.pid,
                          .cpu = w->sched.cpus.items[cpu].place.cpu,
                          .machine = p->machine,
                          .ts = time_plus(parts.ts, offset),
                          .number = item_number(p->number, part),
                          .payload = parts.payload};
        if (e.ts < w->from && scan_ftrace_counts(w, p->machine, e.ts))
            add_event(w, &e, cpu, parts.common_flags);
    }
}
