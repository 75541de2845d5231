#include "parsers/perfetto/ftrace_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "parsers/proto/ftrace_args.h"

enum { CPU_MAX = 1024, VARINT_MAX = 10, SEQUENCE_CLOCK = 64, BUILTIN_MAX = 4096 };

/* A record of an event is the address of its length prefix; addresses have less than 56 bits, and
 * the top two of those say what is to be done with it. */
#define REF_ROW_ONLY     (UINT64_C(1) << 54)
#define REF_HANDLER_ONLY (UINT64_C(1) << 55)
#define REF_ADDRESS      (REF_ROW_ONLY - 1)

void ftrace_import_init(struct import *im)
{
    struct ftrace_import *f = alloc_array(1, sizeof *f);
    f->im = im;
    f->one_generation = true;
    f->last_clock_snapshot = INT64_MIN;
    f->decoder = ftrace_decoder_new(im->trace, &f->decoder_number);
    f->switch_name = trace_intern(im->trace, STR("sched_switch"));
    f->waking_name = trace_intern(im->trace, STR("sched_waking"));
    f->switch_args = args_kind(&im->trace->args, f->decoder_number, FTRACE_KIND_SWITCH);
    f->waking_args = args_kind(&im->trace->args, f->decoder_number, FTRACE_KIND_WAKING);
    im->ftrace = f;
}

void ftrace_import_release(struct import *im)
{
    struct ftrace_import *f = im->ftrace;
    for (size_t i = 0; i < f->cpus.count; i++) {
        vec_release(&f->cpus.items[i].switches);
        vec_release(&f->cpus.items[i].wakings);
    }
    vec_release(&f->cpus);
    vec_release(&f->machines);
    vec_release(&f->bundles);
    vec_release(&f->kinds);
    ftrace_retimed_free(f->retimed);
    ftrace_generic_free(f->generic);
    ftrace_memory_free(f->memory);
    ftrace_task_free(f->task);
    ftrace_power_free(f->power);
    ftrace_gpu_free(f->gpu);
    ftrace_device_free(f->device);
    ftrace_video_free(f->video);
    free(f);
    im->ftrace = NULL;
}

struct ftrace_machine *ftrace_machine_of(struct ftrace_import *f, uint32_t machine)
{
    while (f->machines.count <= machine)
        *vec_push(&f->machines) = (struct ftrace_machine){.valid_from = INT64_MIN};
    return &f->machines.items[machine];
}

kernel_version ftrace_kernel_version(struct ftrace_import *f, uint32_t machine)
{
    struct ftrace_machine *m = ftrace_machine_of(f, machine);
    const struct table *machines = &f->im->trace->tables.machine;
    if (machine >= machines->rows)
        return 0;
    string_id release = column_str(&machines->columns[machine_col_release], machine);
    if (release != m->release) {
        m->release = release;
        m->version = kernel_version_parse(string_pool_get(&f->im->trace->strings, release));
    }
    return m->version;
}

/* --- Reading bundles */

static struct ftrace_cpu *cpu_of_queue(struct ftrace_import *f, uint32_t queue)
{
    while (f->cpus.count <= queue)
        *vec_push(&f->cpus) = (struct ftrace_cpu){0};
    return &f->cpus.items[queue];
}

bool bundle_time(const struct bundle_context *b, int64_t ts, int64_t *out)
{
    struct import *im = b->f->im;
    if (import_to_trace_time(im, b->packet->sequence, b->packet->machine, b->clock, ts, out))
        return true;
    clock_count_failure(im, b->packet->sequence, b->packet->machine, b->clock);
    return false;
}

void ftrace_push(struct ftrace_import *f, uint32_t queue, int64_t ts, const uint8_t *at,
                 enum ftrace_push how)
{
    uint64_t ref = (uint64_t)(uintptr_t)at;
    if (how == FTRACE_PUSH_ROW)
        ref |= REF_ROW_ONLY;
    else if (how == FTRACE_PUSH_HANDLER)
        ref |= REF_HANDLER_ONLY;
    sorter_push(&f->im->sorter, queue, ts, RECORD_FTRACE, ref);
}

/* The parts of an FtraceEvent. */
struct event_parts {
    int64_t ts;
    uint32_t id, pid, common_flags;
    struct bytes payload;
    bool has_ts, has_pid, malformed;
};

/* A varint of at most eight bytes at `*p`; eight bytes must be readable there. */
static inline bool short_varint(const uint8_t **p, uint64_t *out)
{
    uint64_t v = pb_load64(*p), stops = ~v & UINT64_C(0x8080808080808080);
    if (!stops)
        return false;
    *p += (__builtin_ctzll(stops) >> 3) + 1;
    v &= (stops ^ (stops - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    *out = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    return true;
}

/* A varint of at most three bytes: pids, tags, lengths. */
static inline bool small_varint(const uint8_t **p, const uint8_t *end, uint32_t *out)
{
    const uint8_t *q = *p;
    if (end - q >= 1 && q[0] < 0x80) {
        *out = q[0];
        *p = q + 1;
        return true;
    }
    if (end - q >= 2 && q[1] < 0x80) {
        *out = (q[0] & 0x7fu) | (uint32_t)q[1] << 7;
        *p = q + 2;
        return true;
    }
    if (end - q < 3 || q[2] >= 0x80)
        return false;
    *out = (q[0] & 0x7fu) | (q[1] & 0x7fu) << 7 | (uint32_t)q[2] << 14;
    *p = q + 3;
    return true;
}

/* The usual form, time, pid, event, in this order and nothing else: false where it is another. */
static inline bool event_read_usual(const struct pb_reader *r, struct event_parts *e)
{
    enum { TAG_TIME = PB_FtraceEvent_timestamp << 3, TAG_PID = PB_FtraceEvent_pid << 3 };
    const uint8_t *p = r->p, *end = r->end;
    uint64_t ts;
    uint32_t pid, tag, n;
    if (end - p < 10 || *p++ != TAG_TIME || !short_varint(&p, &ts) || p == end || *p++ != TAG_PID ||
        !small_varint(&p, end, &pid) || !small_varint(&p, end, &tag) || (tag & 7) != PB_WIRE_LEN ||
        !small_varint(&p, end, &n) || n != (size_t)(end - p))
        return false;
    *e = (struct event_parts){.ts = (int64_t)ts,
                              .id = tag >> 3,
                              .pid = pid,
                              .payload = {p, n},
                              .has_ts = true,
                              .has_pid = true};
    return true;
}

/* Reads up to and including the next event: an FtraceEvent normally holds one. */
static bool event_next(struct pb_reader *r, struct event_parts *e)
{
    struct pb_field f;
    while (pb_next(r, &f)) {
        if (f.wire_type == PB_WIRE_LEN) {
            e->id = f.number;
            e->payload = (struct bytes){f.data, (size_t)f.value};
            return true;
        }
        switch (f.number) {
        case PB_FtraceEvent_timestamp:
            e->ts = pb_i64(&f);
            e->has_ts = true;
            break;
        case PB_FtraceEvent_pid:
            e->pid = pb_u32(&f);
            e->has_pid = true;
            break;
        case PB_FtraceEvent_common_flags:
            e->common_flags = pb_u32(&f);
            break;
        }
    }
    return false;
}

static void event_tokenize(const struct bundle_context *b, const struct pb_field *event,
                           const uint8_t *at)
{
    struct ftrace_import *f = b->f;
    struct pb_reader r = pb_message(event);
    struct event_parts e = {0};
    bool has_event = event_read_usual(&r, &e) || event_next(&r, &e);
    if (has_event && !e.has_ts) { /* what follows may have it */
        struct event_parts rest = {0};
        while (event_next(&r, &rest))
            ;
        e.ts = rest.ts;
        e.has_ts = rest.has_ts;
    }
    if (!e.has_ts) {
        stats_count(f->im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return;
    }
    if (!has_event) {
        stats_count(f->im->trace, STAT_ftrace_missing_event_id);
        return;
    }
    int64_t ts;
    if (!bundle_time(b, e.ts, &ts))
        return;
    if (!ftrace_retime(b, e.id, ts, at, e.payload))
        ftrace_push(f, b->queue, ts, at, FTRACE_PUSH_WHOLE);
}

struct bundle_fields {
    struct bytes compact_sched;
    uint32_t cpu;
    int64_t clock, ftrace_ts, boot_ts, valid_from;
    bool has_cpu, lost_events, has_snapshot_ftrace, has_snapshot_boot, has_valid_from;
};

static struct bundle_fields bundle_read(struct bytes bundle)
{
    struct bundle_fields b = {0};
    struct pb_reader r = pb_reader_from(bundle.p, bundle.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FtraceEventBundle_event:
            break;
        case PB_FtraceEventBundle_cpu:
            b.cpu = pb_u32(&f);
            b.has_cpu = true;
            break;
        case PB_FtraceEventBundle_lost_events:
            b.lost_events = pb_bool(&f);
            break;
        case PB_FtraceEventBundle_compact_sched:
            b.compact_sched = (struct bytes){f.data, f.data ? (size_t)f.value : 0};
            break;
        case PB_FtraceEventBundle_ftrace_clock:
            b.clock = pb_i64(&f);
            break;
        case PB_FtraceEventBundle_ftrace_timestamp:
            b.ftrace_ts = pb_i64(&f);
            b.has_snapshot_ftrace = true;
            break;
        case PB_FtraceEventBundle_boot_timestamp:
            b.boot_ts = pb_i64(&f);
            b.has_snapshot_boot = true;
            break;
        case PB_FtraceEventBundle_last_read_event_timestamp:
        case PB_FtraceEventBundle_previous_bundle_end_timestamp:
            b.valid_from = pb_i64(&f);
            b.has_valid_from = true;
            break;
        }
    }
    return b;
}

/* The clock of the bundle's times; -1 for one that nobody knows. Clocks that only the kernel has
 * are treated as clocks of the sequence, which the bundles themselves relate to boottime. */
static int64_t bundle_clock(struct ftrace_import *f, const struct packet *p,
                            const struct bundle_fields *b)
{
    int64_t clock;
    switch (b->clock) {
    case PB_FtraceClock_FTRACE_CLOCK_UNSPECIFIED:
        return PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME;
    case PB_FtraceClock_FTRACE_CLOCK_MONO_RAW:
        clock = PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW;
        break;
    case PB_FtraceClock_FTRACE_CLOCK_GLOBAL:
    case PB_FtraceClock_FTRACE_CLOCK_LOCAL:
        clock = SEQUENCE_CLOCK;
        break;
    default:
        return -1;
    }
    if (b->has_snapshot_ftrace && b->has_snapshot_boot && b->ftrace_ts != f->last_clock_snapshot) {
        f->last_clock_snapshot = b->ftrace_ts;
        struct clock_reading readings[] = {
            {.clock = clock, .timestamp = b->ftrace_ts, .unit_ns = 1},
            {.clock = PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME,
             .timestamp = b->boot_ts,
             .unit_ns = 1},
        };
        clock_relate(f->im, p->sequence, p->machine, readings, 2);
    }
    return clock;
}

/* Reading began in the middle of each cpu's ring buffer: from which time on is it complete? */
static void note_first_bundle(const struct bundle_context *b, const struct bundle_fields *fields)
{
    struct ftrace_cpu *cpu = cpu_of_queue(b->f, b->queue);
    int64_t ts;
    if (cpu->seen_bundle)
        return;
    cpu->seen_bundle = true;
    if (!fields->has_valid_from || !bundle_time(b, fields->valid_from, &ts))
        return;
    struct ftrace_machine *m = ftrace_machine_of(b->f, b->packet->machine);
    if (ts <= m->valid_from)
        return;
    m->valid_from = ts;
    metadata_set_machine_int(b->f->im->trace, b->packet->machine, "ftrace_latest_data_start_ns",
                             ts);
}

static void note_bundle(struct ftrace_import *f, const struct packet *p)
{
    const struct ftrace_bundle *last = f->bundles.count ? &vec_last(&f->bundles) : NULL;
    if (last && last->generation != p->generation)
        f->one_generation = false;
    *vec_push(&f->bundles) =
        (struct ftrace_bundle){p->field.p, p->field.p + p->field.n, p->generation};
}

bool ftrace_tokenize(struct import *im, struct packet *p)
{
    struct ftrace_import *f = im->ftrace;
    struct bundle_fields fields = bundle_read(p->field);
    if (!fields.has_cpu || fields.cpu >= CPU_MAX) {
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return true;
    }
    if (fields.lost_events)
        stats_set(im->trace, STAT_ftrace_cpu_has_data_loss, fields.cpu, 1);
    struct bundle_context b = {.f = f, .packet = p, .clock = bundle_clock(f, p, &fields)};
    if (b.clock < 0) {
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return true;
    }
    b.queue = sorter_cpu_queue(&im->sorter, p->machine, fields.cpu);
    note_bundle(f, p);
    if (fields.compact_sched.n)
        ftrace_compact_tokenize(&b, fields.compact_sched);
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    struct pb_field field;
    for (const uint8_t *start = r.p; pb_next(&r, &field); start = r.p) {
        if (field.number == PB_FtraceEventBundle_event && field.data) {
            while (*start++ & 0x80) /* the tag */
                ;
            event_tokenize(&b, &field, start);
        } else if (field.number == PB_FtraceEventBundle_generic_event_descriptors && field.data) {
            ftrace_generic_add(f, (struct bytes){field.data, (size_t)field.value});
        }
    }
    if (r.error)
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
    note_first_bundle(&b, &fields);
    return true;
}

/* --- Applying events */

static int compare_bundles(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct ftrace_bundle *)a)->start;
    uintptr_t y = (uintptr_t)((const struct ftrace_bundle *)b)->start;
    return x < y ? -1 : x > y;
}

const struct interned_generation *ftrace_generation(struct ftrace_import *f, const uint8_t *p)
{
    size_t low = 0, high = f->bundles.count;
    if (high == 0)
        return NULL;
    if (f->one_generation)
        return f->bundles.items[0].generation;
    if (!f->bundles_sorted) {
        qsort(f->bundles.items, high, sizeof *f->bundles.items, compare_bundles);
        f->bundles_sorted = true;
    }
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if ((uintptr_t)f->bundles.items[mid].start <= (uintptr_t)p)
            low = mid;
        else
            high = mid;
    }
    return f->bundles.items[low].generation;
}

string_id ftrace_symbol(const struct ftrace_event *e, uint64_t iid)
{
    const struct interned_generation *g = ftrace_generation(e->f, e->p);
    return g ? interned_string(e->f->im, g, PB_InternedData_kernel_symbols, iid) : NULL_STRING;
}

string_id ftrace_symbol_or_number(const struct ftrace_event *e, uint64_t iid)
{
    string_id name = ftrace_symbol(e, iid);
    return name ? name : event_format(e, "%#llx", (unsigned long long)iid);
}

/* Makes the name of the kernel function in field `number` known to the event's decoder; the number
 * of the interned data it comes from, 0 where there is none. */
static uint32_t note_symbol(const struct ftrace_event *e, uint32_t number)
{
    struct pb_field field;
    const struct interned_generation *g = ftrace_generation(e->f, e->p);
    if (!g || !payload_find(e->p, e->n, number, &field))
        return 0;
    struct ftrace_decoder *d = e->f->decoder;
    uint32_t symbols = ftrace_decoder_symbols(d, g->number);
    if (!ftrace_decoder_has_symbol(d, symbols, field.value))
        ftrace_decoder_set_symbol(d, symbols, field.value,
                                  interned_string(e->f->im, g, PB_InternedData_kernel_symbols,
                                                  field.value));
    return symbols;
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

static void append_row(const struct ftrace_event *e, uint32_t utid, string_id name,
                       uint32_t arg_set)
{
    struct ftrace_event_row row = {.ts = e->ts,
                                   .name = name,
                                   .utid = utid,
                                   .arg_set_id = arg_set,
                                   .common_flags = e->common_flags,
                                   .ucpu = e->cpu->ucpu};
    ftrace_event_append(&e->t->tables.ftrace_event, &row);
}

static uint32_t kind_of_args(const struct ftrace_event *e, uint32_t kind, uint32_t symbols)
{
    return args_kind(&e->t->args, e->f->decoder_number, ftrace_decoder_context(kind, symbols));
}

static void insert_payload_row(struct ftrace_event *e, string_id name, uint32_t kind)
{
    e->arg_set = args_intern_payload(&e->t->args, kind, e->p, e->n);
    append_row(e, e->utid, name, e->arg_set);
}

static void insert_row(struct ftrace_event *e)
{
    if (ftrace_generic_is(e->id)) {
        uint32_t kind = ftrace_generic_kind(e->f, e->id);
        if (kind == FTRACE_KIND_NONE)
            stats_count(e->t, STAT_ftrace_generic_descriptor_errors);
        else
            insert_payload_row(e, ftrace_decoder_schema(e->f->decoder, kind)->name,
                               kind_of_args(e, kind, 0));
        return;
    }
    if (e->id > BUILTIN_MAX)
        return;
    struct ftrace_kind *kind = builtin_kind(e);
    string_id name = e->id == PB_FtraceEvent_generic ? ftrace_generic_name(e) : kind->name;
    if (name == NULL_STRING)
        return;
    uint32_t symbols = kind->symbol_field ? note_symbol(e, kind->symbol_field) : 0;
    if (kind->args == 0 || symbols != kind->symbols) {
        kind->symbols = symbols;
        kind->args = kind_of_args(e, e->id, symbols);
    }
    insert_payload_row(e, name, kind->args);
}

static void insert_switch_row(const struct ftrace_event *e, uint32_t prev_utid,
                              const struct ftrace_switch_args *args)
{
    append_row(e, prev_utid, e->f->switch_name,
               args_intern_payload(&e->t->args, e->f->switch_args, (const uint8_t *)args,
                                   sizeof *args));
}

/* Both threads are named: the row shows all fields, also those that are 0. */
static void handle_switch(const struct ftrace_event *e)
{
    struct ftrace_switch_args args = {0};
    struct str prev_comm = STR(""), next_comm = STR("");
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

static void apply_compact_switch(struct ftrace_event *e, const struct compact_switch *c,
                                 bool row_only)
{
    struct sched_cpu *sched = &e->cpu->sched;
    bool first = sched->utid == NULL_U32;
    struct ftrace_switch_args args = {
        .prev_state = c->prev_state,
        .prev_pid = (int32_t)sched->pid,
        .prev_prio = (int32_t)sched->prio,
        .next_pid = c->next_pid,
        .next_prio = (int32_t)c->next_prio,
        .next_comm = c->next_comm,
    };
    struct sched_switch s = {
        .ts = e->ts,
        .next_pid = (uint32_t)c->next_pid,
        .next_comm = c->next_comm,
        .next_prio = c->next_prio,
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

static void apply_compact_waking(struct ftrace_event *e, const struct compact_waking *c,
                                 bool row_only)
{
    uint32_t waker = e->cpu->sched.utid;
    if (waker == NULL_U32) {
        stats_count(e->t, STAT_compact_sched_waking_skipped);
        return;
    }
    struct ftrace_waking_args args = {.pid = c->pid,
                                      .comm = c->comm,
                                      .prio = c->prio,
                                      .target_cpu = c->target_cpu};
    e->common_flags = c->common_flags;
    append_row(e, waker, e->f->waking_name,
               args_intern_payload(&e->t->args, e->f->waking_args, (const uint8_t *)&args,
                                   sizeof args));
    if (row_only)
        return;
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine, (uint32_t)c->pid);
    sched_waking(e->t, e->ts, utid, waker, sched_flags_irq(c->common_flags));
}

/* Events of the hypervisor belong to no thread. */
static bool is_hypervisor(uint32_t id)
{
    switch (id) {
    case PB_FtraceEvent_hyp_enter:
    case PB_FtraceEvent_hyp_exit:
    case PB_FtraceEvent_host_hcall:
    case PB_FtraceEvent_host_mem_abort:
    case PB_FtraceEvent_host_smc:
    case PB_FtraceEvent_host_ffa_call:
    case PB_FtraceEvent_iommu_idmap:
        return true;
    default:
        return false;
    }
}

static void apply_event(struct ftrace_event *e, bool row, bool handle)
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
    ftrace_handler *handler = ftrace_handler_of(e->id);
    if (handler)
        handler(e);
}

static void apply_parts(struct ftrace_event *e, const struct event_parts *parts, bool row,
                        bool handle)
{
    e->id = parts->id;
    e->pid = parts->pid;
    e->common_flags = parts->common_flags;
    e->p = parts->payload.p;
    e->n = parts->payload.n;
    apply_event(e, row, handle);
}

static void apply_record(struct ftrace_event *e, uint64_t ref, bool complete)
{
    struct import *im = e->f->im;
    const uint8_t *at = (const uint8_t *)(uintptr_t)(ref & REF_ADDRESS);
    size_t left = import_bytes_left(im, at);
    struct pb_reader r = pb_reader_from(at, left < VARINT_MAX ? left : VARINT_MAX);
    uint64_t n;
    if (!pb_read_varint(&r, &n) || n > left - (size_t)(r.p - at))
        return;
    struct pb_reader event = pb_reader_from(r.p, (size_t)n);
    struct event_parts parts = {0};
    bool row = !(ref & REF_HANDLER_ONLY), handle = complete && !(ref & REF_ROW_ONLY);
    if (event_read_usual(&event, &parts)) {
        apply_parts(e, &parts, row, handle);
        return;
    }
    while (event_next(&event, &parts)) {
        if (!parts.has_pid && !is_hypervisor(parts.id)) {
            struct pb_field pid;
            if (!payload_find(r.p, (size_t)n, PB_FtraceEvent_pid, &pid))
                return;
            parts.pid = pb_u32(&pid);
            parts.has_pid = true;
        }
        apply_parts(e, &parts, row, handle);
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
        table_reserve(&f->im->trace->tables.ftrace_event, (uint32_t)events);
}

void ftrace_parse(struct import *im, const struct sorter_queue *q, int64_t ts,
                  enum record_kind kind, uint64_t ref)
{
    struct ftrace_import *f = im->ftrace;
    if (!f->started)
        start(f);
    if (ts < f->drop_before) {
        stats_count(im->trace, STAT_ftrace_packet_before_tracing_start);
        return;
    }
    struct ftrace_cpu *cpu = cpu_of_queue(f, (uint32_t)(q - im->sorter.queues.items));
    if (!cpu->known) {
        cpu->known = true;
        cpu->machine = q->machine;
        cpu->cpu = q->cpu;
        cpu->ucpu = trace_ucpu(im->trace, q->machine, q->cpu);
        cpu->sched = sched_cpu_make(q->machine, cpu->ucpu);
    }
    bool complete = ts >= ftrace_machine_of(f, q->machine)->valid_from;
    struct ftrace_event e = {.f = f, .t = im->trace, .cpu = cpu, .ts = ts};
    switch (kind) {
    case RECORD_SCHED_SWITCH:
        apply_compact_switch(&e, &cpu->switches.items[ref], !complete);
        return;
    case RECORD_SCHED_WAKING:
        apply_compact_waking(&e, &cpu->wakings.items[ref], !complete);
        return;
    default:
        apply_record(&e, ref, complete || (ref & REF_HANDLER_ONLY));
    }
}

void ftrace_finish(struct import *im)
{
    (void)im;
}
