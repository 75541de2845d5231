#include "parsers/perfetto/ftrace/ftrace.h"

#include "parsers/perfetto/ftrace/ftrace_generic.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/ftrace_args.h"
#include "pb_fields.h"
#include "core/trace/ftrace_rows.h"

enum { VARINT_MAX = 10, BUILTIN_MAX = 4096 };

/* Makes the name of the kernel function in field `number` known to the event's decoder; the number
 * of the interned data it comes from, 0 where there is none. */
static uint32_t note_symbol(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field field;
    const struct interned_generation *g = ftrace_generation(e->f, e->p);
    if (!g || !payload_find(e->p, e->n, number, &field))
        return 0;
    struct ftrace_decoder *d = e->f->decoder;
    bool is_new;
    uint32_t *symbols = map_insert(&e->f->symbols_of, g->number, &is_new);
    if (is_new)
        *symbols = ftrace_decoder_new_symbols(d);
    const uint32_t *known = ftrace_decoder_symbol(d, *symbols, field.value);
    if (!known)
        ftrace_decoder_set_symbol(d, *symbols, field.value,
                                  interned_string(e->f->im, g, PB_InternedData_kernel_symbols,
                                                  field.value));
    else if (*known == NULL_STRING)
        stats_count(e->t, STAT_interned_data_tokenizer_errors);
    return *symbols;
}

/* What is known of a built-in event; no name where there is no such event. */
static struct ftrace_kind *builtin_kind(const struct ftrace_event *e)
{
    struct ftrace_import *f = e->f;
    while (f->kinds.count <= e->id) {
        uint32_t id = (uint32_t)f->kinds.count;
        const char *name = ftrace_event_name(id);
        *vec_push(&f->kinds) =
            (struct ftrace_kind){.name = name ? trace_intern_c(e->t, name) : NULL_STRING,
                                 .symbol_field = ftrace_event_symbol_field(id)};
    }
    return &f->kinds.items[e->id];
}

static bool is_typed(const struct ftrace_event *e)
{
    return !ftrace_generic_is(e->id) && e->id != PB_FtraceEvent_generic;
}

static bool has_row(const struct ftrace_event *e)
{
    return !e->t->builder->options.no_typed_ftrace || !is_typed(e);
}

static struct ftrace_event_row row_of(const struct ftrace_event *e, uint32_t utid, string_id name)
{
    return (struct ftrace_event_row){.ts = e->ts,
                                     .name = name,
                                     .utid = utid,
                                     .arg_set_id = NULL_U32,
                                     .common_flags = e->common_flags,
                                     .ucpu = e->cpu->ucpu};
}

/* A row whose fields are shown as these args. */
static void append_row(const struct ftrace_event *e, uint32_t utid, string_id name, uint32_t kind,
                       const void *args, size_t n)
{
    struct ftrace_event_row row = row_of(e, utid, name);
    row.arg_set_id = args_intern_payload(&e->t->args, kind, args, n);
    ftrace_rows_append(e->t, &row);
}

static uint32_t kind_of_args(const struct ftrace_event *e, uint32_t kind, uint32_t symbols)
{
    return args_kind(&e->t->args, e->f->decoder_number, ftrace_decoder_context(kind, symbols));
}

static inline void insert_payload_row(struct ftrace_event *e, string_id name, uint32_t kind)
{
    if (has_row(e)) {
        struct ftrace_event_row row = row_of(e, e->utid, name);
        ftrace_rows_append_payload(e->t, &row, kind, e->p, e->n);
        e->arg_set = row.arg_set_id;
    } else if (e->id == PB_FtraceEvent_sys_enter) { /* its args are also those of its slice */
        e->arg_set = args_intern_payload_later(&e->t->args, kind, e->p, e->n);
    }
}

static void insert_generic_row(struct ftrace_event *e)
{
    uint32_t kind = ftrace_generic_kind(e->f, e->id);
    if (kind == FTRACE_KIND_NONE)
        stats_count(e->t, STAT_ftrace_generic_descriptor_errors);
    else
        insert_payload_row(e, ftrace_decoder_schema(e->f->decoder, kind)->name,
                           kind_of_args(e, kind, 0));
}

static void insert_builtin_row(struct ftrace_event *e)
{
    struct ftrace_kind *kind = builtin_kind(e);
    bool is_generic = e->id == PB_FtraceEvent_generic;
    string_id name = is_generic ? ftrace_generic_name(e) : kind->name;
    if (name == NULL_STRING)
        return;
    uint32_t symbols = kind->symbol_field ? note_symbol(e, kind->symbol_field) : 0;
    if (kind->args == 0 || symbols != kind->symbols) {
        kind->symbols = symbols;
        kind->args = kind_of_args(e, e->id, symbols);
        kind->is_constant = !is_generic && !kind->symbol_field;
    }
    insert_payload_row(e, name, kind->args);
}

/* Not inlined: what is usual is quicker alone. */
__attribute__((noinline)) static void insert_unusual_row(struct ftrace_event *e)
{
    if (ftrace_generic_is(e->id))
        insert_generic_row(e);
    else if (e->id <= BUILTIN_MAX)
        insert_builtin_row(e);
}

static inline void insert_row(struct ftrace_event *e)
{
    const struct ftrace_kind *kinds = e->f->kinds.items;
    if (e->id < e->f->kinds.count && kinds[e->id].is_constant)
        insert_payload_row(e, kinds[e->id].name, kinds[e->id].args);
    else
        insert_unusual_row(e);
}

static void insert_switch_row(const struct ftrace_event *e, uint32_t prev_utid,
                              const struct ftrace_switch_args *args)
{
    if (!has_row(e))
        return;
    append_row(e, prev_utid, e->f->switch_name, e->f->switch_args, args, sizeof *args);
}

/* Both threads are named: the row shows all fields, also those that are 0. Not inlined, as above.
 */
__attribute__((noinline)) static void handle_switch(const struct ftrace_event *e)
{
    struct ftrace_switch_args args = {0};
    struct str prev_comm = {NULL, 0}, next_comm = {NULL, 0};
    struct pb_reader r = pb_reader_from(e->p, e->n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SchedSwitchFtraceEvent_prev_comm:
            prev_comm = pb_str(&f);
            break;
        case PB_SchedSwitchFtraceEvent_prev_pid:
            args.prev_pid = pb_i32(&f);
            break;
        case PB_SchedSwitchFtraceEvent_prev_prio:
            args.prev_prio = pb_i32(&f);
            break;
        case PB_SchedSwitchFtraceEvent_prev_state:
            args.prev_state = pb_i64(&f);
            break;
        case PB_SchedSwitchFtraceEvent_next_comm:
            next_comm = pb_str(&f);
            break;
        case PB_SchedSwitchFtraceEvent_next_pid:
            args.next_pid = pb_i32(&f);
            break;
        case PB_SchedSwitchFtraceEvent_next_prio:
            args.next_prio = pb_i32(&f);
            break;
        }
    }
    args.prev_comm = trace_intern(e->t, prev_comm);
    args.next_comm = trace_intern(e->t, next_comm);
    struct sched_switch s = {
        .ts = e->ts,
        .prev_pid = (uint32_t)args.prev_pid,
        .next_pid = (uint32_t)args.next_pid,
        .prev_comm = args.prev_comm,
        .next_comm = args.next_comm,
        .prev_state =
            sched_state_string(e->t, args.prev_state, ftrace_kernel_version(e->f, e->cpu->machine)),
        .next_prio = args.next_prio,
    };
    uint32_t prev_utid = sched_switch(e->t, &e->cpu->sched, &s);
    insert_switch_row(e, prev_utid, &args);
}

static void apply_compact_switch(struct ftrace_event *e, const struct compact_event *c,
                                 bool row_only)
{
    struct sched_cpu *sched = &e->cpu->sched;
    bool first = sched->utid == NULL_U32;
    struct ftrace_switch_args args = {
        .prev_state = c->prev_state,
        .prev_pid = (int32_t)sched->pid,
        .prev_prio = (int32_t)sched->prio,
        .next_pid = c->pid,
        .next_prio = c->prio,
        .next_comm = c->comm,
    };
    struct sched_switch s = {
        .ts = e->ts,
        .next_pid = (uint32_t)c->pid,
        .next_comm = c->comm,
        .next_prio = c->prio,
    };
    if (!first) {
        s.prev_state =
            sched_state_string(e->t, c->prev_state, ftrace_kernel_version(e->f, e->cpu->machine));
        args.prev_comm = column_str(&e->t->tables.thread.columns[thread_col_name], sched->utid);
    }
    uint32_t prev_utid = sched_switch_next(e->t, sched, &s, row_only);
    if (!first)
        insert_switch_row(e, prev_utid, &args);
}

static void apply_compact_waking(struct ftrace_event *e, const struct compact_event *c,
                                 bool row_only)
{
    uint32_t waker = e->cpu->sched.utid;
    if (waker == NULL_U32) {
        stats_count(e->t, STAT_compact_sched_waking_skipped);
        return;
    }
    struct ftrace_waking_args args = {.pid = c->pid,
                                      .comm = c->comm,
                                      .prio = (uint32_t)c->prio,
                                      .target_cpu = c->target_cpu};
    e->common_flags = c->common_flags;
    if (has_row(e))
        append_row(e, waker, e->f->waking_name, e->f->waking_args, &args, sizeof args);
    if (row_only)
        return;
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine, (uint32_t)c->pid);
    sched_waking(e->t, e->ts, utid, waker, sched_flags_irq(c->common_flags));
}

static inline void apply_event(struct ftrace_event *e, bool row, bool handle)
{
    if (e->id == PB_FtraceEvent_sched_switch) { /* makes its row itself */
        if (handle)
            handle_switch(e);
        return;
    }
    e->utid = process_tracker_thread(e->t, e->cpu->machine, e->pid);
    e->arg_set = NULL_U32;
    if (row)
        insert_row(e);
    if (!handle)
        return;
    if (ftrace_generic_is(e->id) || e->id == PB_FtraceEvent_generic) {
        ftrace_generic_handle(e);
        return;
    }
    const struct ftrace_handler *handler = ftrace_handlers_find(&e->f->handlers, e->id);
    if (handler && handler->handle)
        handler->handle(e);
}

static void apply_usual(struct ftrace_event *e, const uint8_t *at, bool handle)
{
    struct usual_event usual;
    if (!usual_event_rest(at, import_bytes_left(e->f->im, at), &usual))
        return;
    e->id = usual.id;
    e->pid = usual.pid;
    e->p = usual.payload.p;
    e->n = usual.payload.n;
    apply_event(e, true, handle);
}

static bool is_without_thread(const struct ftrace_import *f, uint32_t event)
{
    const struct ftrace_handler *handler = ftrace_handlers_find(&f->handlers, event);
    return handler && handler->without_thread;
}

static void apply_record(struct ftrace_event *e, uint64_t ref, bool complete)
{
    struct import *im = e->f->im;
    const uint8_t *at = (const uint8_t *)(uintptr_t)(ref & FTRACE_REF_ADDRESS);
    size_t left = import_bytes_left(im, at);
    struct pb_reader r = pb_reader_from(at, left < VARINT_MAX ? left : VARINT_MAX);
    uint64_t n;
    if (!pb_read_varint(&r, &n) || n > left - (size_t)(r.p - at))
        return;
    struct pb_reader event = pb_reader_from(r.p, (size_t)n);
    struct event_parts parts = {0};
    bool row = !(ref & FTRACE_REF_HANDLER_ONLY);
    bool handle = complete && !(ref & FTRACE_REF_ROW_ONLY);
    while (event_next(&event, &parts)) {
        if (!parts.has_pid && !is_without_thread(e->f, parts.id)) {
            struct pb_field pid;
            if (!payload_find(r.p, (size_t)n, PB_FtraceEvent_pid, &pid))
                return;
            parts.pid = pb_u32(&pid);
            parts.has_pid = true;
        }
        e->id = parts.id;
        e->pid = parts.pid;
        e->common_flags = parts.common_flags;
        e->p = parts.payload.p;
        e->n = parts.payload.n;
        apply_event(e, row, handle);
    }
}

static void start(struct ftrace_import *f)
{
    f->started = true;
    f->drop_before = f->keep_old_data ? INT64_MIN : f->im->tracing_started_ts;
    uint64_t events = 0;
    for (size_t i = 1; i < f->im->sorter.queues.count; i++)
        events += f->im->sorter.queues.items[i].records.count;
    if (events < UINT32_MAX / 2)
        ftrace_rows_expect(f->im->trace, (uint32_t)events);
}

/* Everything was read before the first record is applied. */
static void meet_cpu(struct ftrace_import *f, struct ftrace_cpu *cpu, const struct sorter_queue *q)
{
    cpu->known = true;
    cpu->machine = q->machine;
    cpu->cpu = q->cpu;
    cpu->ucpu = trace_ucpu(f->im->trace, q->machine, q->cpu);
    cpu->sched = sched_cpu_make(q->machine, cpu->ucpu);
    cpu->valid_from = ftrace_machine_of(f, q->machine)->valid_from;
}

void ftrace_parse(struct import *im, uint32_t queue, int64_t ts, enum record_kind kind,
                  uint64_t ref)
{
    struct ftrace_import *f = ftrace_of(im);
    if (!f->started)
        start(f);
    if (ts < f->drop_before) {
        stats_count(im->trace, STAT_ftrace_packet_before_tracing_start);
        return;
    }
    struct ftrace_cpu *cpu = ftrace_cpu_of(f, queue);
    if (!cpu->known)
        meet_cpu(f, cpu, &im->sorter.queues.items[queue]);
    bool complete = ts >= cpu->valid_from;
    struct ftrace_event e = {.f = f, .t = im->trace, .cpu = cpu, .ts = ts};
    switch (kind) {
    case RECORD_SCHED_SWITCH:
        apply_compact_switch(&e, &f->compact_events.items[ref], !complete);
        return;
    case RECORD_SCHED_WAKING:
        apply_compact_waking(&e, &f->compact_events.items[ref], !complete);
        return;
    default:
        if (ref & FTRACE_REF_USUAL)
            apply_usual(&e, (const uint8_t *)(uintptr_t)(ref & FTRACE_REF_ADDRESS), complete);
        else
            apply_record(&e, ref, complete || (ref & FTRACE_REF_HANDLER_ONLY));
    }
}
