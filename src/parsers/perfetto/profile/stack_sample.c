/* Stack samples of profilers inside programs: Python, runtimes with fibers, any SDK user. */
#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/profile/profiler_sample.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum { FOLLOWERS_MAX = 16 };

struct async_state {
    struct map rows; /* hash of generation and id -> row of profiler_async_context */
};

static void async_state_release(void *state)
{
    struct async_state *s = state;
    map_release(&s->rows);
}

static const struct import_state_kind async_kind = {.size = sizeof(struct async_state),
                                                    .release = async_state_release};

struct stack_sample {
    struct bytes task, execution, callstack, primary;
    struct bytes followers[FOLLOWERS_MAX];
    uint64_t weights[FOLLOWERS_MAX];
    uint32_t follower_count, weight_count;
    uint64_t callstack_iid, primary_weight;
    string_id unwind_error, source;
    bool has_callstack_iid, has_weight;
};

static void add_follower(struct stack_sample *s, struct bytes descriptor)
{
    if (s->follower_count < FOLLOWERS_MAX)
        s->followers[s->follower_count++] = descriptor;
}

/* An empty text is none. */
static string_id intern_told(struct import *im, const struct pb_field *f)
{
    struct str text = pb_str(f);
    return text.n ? trace_intern(im->trace, text) : NULL_STRING;
}

static void read_defaults(struct import *im, const struct packet *p, struct stack_sample *s)
{
    struct pb_reader defaults = bytes_reader(p->generation->defaults);
    struct pb_field f, g;
    while (pb_next(&defaults, &f)) {
        if (f.number != PB_TracePacketDefaults_stack_sample_defaults)
            continue;
        struct pb_reader r = pb_message(&f);
        while (pb_next(&r, &g)) {
            if (g.number == PB_StackSampleDefaults_source)
                s->source = intern_told(im, &g);
            else if (g.number == PB_StackSampleDefaults_primary_descriptor)
                s->primary = field_bytes(&g);
            else if (g.number == PB_StackSampleDefaults_follower_descriptors)
                add_follower(s, field_bytes(&g));
        }
    }
}

static void read_packed(const struct packet *p, struct stack_sample *s, const struct pb_field *f)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t v;

    while (pb_packed_next(&it, &v)) {
        if (f->number == PB_StackSample_follower_descriptor_iids)
            add_follower(s, interned_find(p->generation,
                                          PB_InternedData_stack_sample_counter_descriptors, v));
        else if (s->weight_count < FOLLOWERS_MAX)
            s->weights[s->weight_count++] = v;
    }
}

static struct stack_sample read_sample(struct import *im, const struct packet *p)
{
    struct stack_sample s = {0};
    const struct interned_generation *g = p->generation;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool own_followers = false;
    read_defaults(im, p, &s);
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_StackSample_task_context:
            s.task = field_bytes(&f);
            break;
        case PB_StackSample_task_context_iid:
            s.task = interned_find(g, PB_InternedData_stack_sample_task_contexts, pb_u64(&f));
            break;
        case PB_StackSample_execution_context:
            s.execution = field_bytes(&f);
            break;
        case PB_StackSample_execution_context_iid:
            s.execution =
                interned_find(g, PB_InternedData_stack_sample_execution_contexts, pb_u64(&f));
            break;
        case PB_StackSample_callstack:
            s.callstack = field_bytes(&f);
            break;
        case PB_StackSample_callstack_iid:
            s.callstack_iid = pb_u64(&f);
            s.has_callstack_iid = true;
            break;
        case PB_StackSample_unwind_error:
            s.unwind_error = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_StackSample_primary_descriptor:
            s.primary = field_bytes(&f);
            break;
        case PB_StackSample_primary_descriptor_iid:
            s.primary =
                interned_find(g, PB_InternedData_stack_sample_counter_descriptors, pb_u64(&f));
            break;
        case PB_StackSample_primary_weight:
            s.primary_weight = pb_u64(&f);
            s.has_weight = true;
            break;
        case PB_StackSample_follower_descriptors:
        case PB_StackSample_follower_descriptor_iids:
            if (!own_followers)
                s.follower_count = 0;
            own_followers = true;
            if (f.number == PB_StackSample_follower_descriptors)
                add_follower(&s, field_bytes(&f));
            else
                read_packed(p, &s, &f);
            break;
        case PB_StackSample_follower_weights:
            read_packed(p, &s, &f);
            break;
        default:
            break;
        }
    }
    return s;
}

struct counter_descriptor {
    string_id name, unit, description;
    uint64_t multiplier;
    uint32_t scope;
    bool has_multiplier;
};

static const char *unit_name(uint32_t unit)
{
    static const char *const names[] = {
        [PB_StackSample_Unit_UNIT_NANOSECONDS] = "ns",
        [PB_StackSample_Unit_UNIT_CPU_CYCLES] = "cycles",
        [PB_StackSample_Unit_UNIT_INSTRUCTIONS] = "instructions",
        [PB_StackSample_Unit_UNIT_BYTES] = "bytes",
        [PB_StackSample_Unit_UNIT_PAGE_FAULTS] = "page-faults",
        [PB_StackSample_Unit_UNIT_CACHE_MISSES] = "cache-misses",
        [PB_StackSample_Unit_UNIT_CACHE_REFERENCES] = "cache-references",
        [PB_StackSample_Unit_UNIT_BRANCH_MISSES] = "branch-misses",
        [PB_StackSample_Unit_UNIT_COUNT] = "count",
    };
    return unit < sizeof names / sizeof names[0] ? names[unit] : NULL;
}

static struct counter_descriptor read_descriptor(struct import *im, struct bytes message)
{
    struct counter_descriptor d = {0};
    const char *unit = NULL;
    string_id unit_text = NULL_STRING;
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_StackSample_CounterDescriptor_name:
            d.name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_StackSample_CounterDescriptor_unit:
            unit = unit_name(pb_u32(&f));
            break;
        case PB_StackSample_CounterDescriptor_unit_str:
            unit_text = intern_told(im, &f);
            break;
        case PB_StackSample_CounterDescriptor_unit_multiplier:
            d.multiplier = pb_u64(&f);
            d.has_multiplier = true;
            break;
        case PB_StackSample_CounterDescriptor_description:
            d.description = intern_told(im, &f);
            break;
        case PB_StackSample_CounterDescriptor_scope:
            d.scope = pb_u32(&f);
            break;
        default:
            break;
        }
    }
    d.unit = unit ? trace_intern_c(im->trace, unit) : unit_text;
    return d;
}

/* What a sample's counters have in common. */
struct counter_place {
    string_id source;
    uint32_t session, cpu; /* NULL_U32: a cpu that is not known */
};

/* NULL_U32: a cpu's counter, of which cpu is not known. The timebase decides when samples are
 * taken. */
static uint32_t counter_track(struct import *im, const struct packet *p,
                              const struct counter_descriptor *d, const struct counter_place *place,
                              bool timebase)
{
    struct trace *t = im->trace;
    bool by_cpu = d->scope == PB_StackSample_CounterDescriptor_Scope_SCOPE_CPU;
    if (by_cpu && place->cpu == NULL_U32)
        return NULL_U32;
    struct arg_list source_args = {0};
    arg_list_bool(&source_args, trace_intern(t, STR("is_timebase")), timebase);
    if (d->has_multiplier)
        arg_list_int(&source_args, trace_intern(t, STR("unit_multiplier")), (int64_t)d->multiplier);
    if (d->description)
        arg_list_str(&source_args, trace_intern(t, STR("description")), d->description);
    struct track_spec spec = {
        .type = by_cpu ? "stack_sample_cpu_counter" : "stack_sample_session_counter",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = by_cpu ? 4 : 3,
        .dimensions = {{.key = "session_id", .type = ARG_INT, .i = place->session},
                       {.key = "source", .type = ARG_STRING, .s = place->source},
                       {.key = "counter_name", .type = ARG_STRING, .s = d->name},
                       {.key = "cpu", .type = ARG_INT, .i = place->cpu}},
        .name = d->name,
        .unit = d->unit,
        .source_args = &source_args,
    };
    uint32_t track = track_intern(t, &spec);
    arg_list_release(&source_args);
    return track;
}

struct execution {
    uint32_t cpu, context; /* NULL_U32: not known */
};

static struct execution read_execution(struct import *im, const struct packet *p,
                                       struct bytes message)
{
    static const char *const modes[] = {NULL,         "user",       "kernel",
                                        "hypervisor", "guest_user", "guest_kernel"};
    struct execution e = {NULL_U32, NULL_U32};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    string_id mode = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == PB_StackSample_ExecutionContext_cpu)
            e.cpu = pb_u32(&f);
        else if (f.number == PB_StackSample_ExecutionContext_mode &&
                 pb_u32(&f) < sizeof modes / sizeof modes[0])
            mode = modes[pb_u32(&f)] ? trace_intern_c(im->trace, modes[pb_u32(&f)]) : NULL_STRING;
    }
    if (!message.p)
        return e;
    uint32_t ucpu = e.cpu == NULL_U32 ? NULL_U32 : trace_ucpu(im->trace, p->machine, e.cpu);
    e.context = profiler_execution_context(im, ucpu, mode);
    return e;
}

enum { ASYNC_DEPTH_MAX = 64 };

/* The row of an async context; its parents are made first, outermost before inner. */
static uint32_t async_context(struct import *im, const struct packet *p, uint64_t id)
{
    struct async_state *s = import_state(im, &async_kind);
    uint64_t chain[ASYNC_DEPTH_MAX];
    size_t n = 0;
    uint32_t parent = NULL_U32;
    const uint32_t field = PB_InternedData_stack_sample_async_context_descriptors;
    while (id != 0 && n < ASYNC_DEPTH_MAX && interned_find(p->generation, field, id).p) {
        chain[n++] = id;
        struct pb_reader r = bytes_reader(interned_find(p->generation, field, id));
        struct pb_field f;
        id = 0;
        while (pb_next(&r, &f))
            if (f.number == PB_StackSample_AsyncContextDescriptor_parent_iid)
                id = pb_u64(&f);
    }
    while (n-- > 0) {
        bool inserted;
        uint32_t *row =
            map_insert(&s->rows, (uint64_t)p->generation->number << 40 ^ chain[n], &inserted);
        if (inserted) {
            struct profiler_async_context_row context = {.parent_id = parent};
            struct pb_reader r = bytes_reader(interned_find(p->generation, field, chain[n]));
            struct pb_field f;
            while (pb_next(&r, &f)) {
                if (f.number == PB_StackSample_AsyncContextDescriptor_name)
                    context.name = trace_intern(im->trace, pb_str(&f));
                else if (f.number == PB_StackSample_AsyncContextDescriptor_kind)
                    context.kind = trace_intern(im->trace, pb_str(&f));
            }
            *row =
                profiler_async_context_append(&im->trace->tables.profiler_async_context, &context);
        }
        parent = *row;
    }
    return parent;
}

static uint32_t task_context(struct import *im, const struct packet *p, struct bytes message)
{
    struct trace *t = im->trace;
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    uint32_t utid = NULL_U32, upid = NULL_U32, async = NULL_U32;
    int64_t pid = -1, tid = -1;
    if (!message.p)
        return NULL_U32;
    while (pb_next(&r, &f)) {
        if (f.number == PB_StackSample_TaskContext_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_StackSample_TaskContext_tid)
            tid = pb_u32(&f);
        else if (f.number == PB_StackSample_TaskContext_async_id)
            async = async_context(im, p, pb_u64(&f));
    }
    if (tid >= 0)
        utid = pid >= 0 ? process_tracker_update_thread(t, p->machine, tid, pid)
                        : process_tracker_thread(t, p->machine, tid);
    if (pid >= 0)
        upid = process_tracker_process(t, p->machine, pid);
    return profiler_task_context(im, upid, utid, async);
}

/* Tracks of all counters that are described, values where the sample has them. */
static uint32_t add_counters(struct import *im, const struct packet *p,
                             const struct stack_sample *s, const struct counter_place *place)
{
    struct sample_counters counters = {0};
    uint32_t track, tracks[FOLLOWERS_MAX];
    if (s->primary.p) {
        struct counter_descriptor d = read_descriptor(im, s->primary);
        profiler_session_set_unit(im, place->session, d.unit);
        track = counter_track(im, p, &d, place, true);
        if (s->has_weight && track != NULL_U32)
            sample_counters_add(im, &counters, p->ts, track, (double)s->primary_weight);
    }
    for (uint32_t i = 0; i < s->follower_count; i++) {
        struct counter_descriptor d = read_descriptor(im, s->followers[i]);
        tracks[i] = s->followers[i].p ? counter_track(im, p, &d, place, false) : NULL_U32;
    }
    for (uint32_t i = 0; i < s->follower_count && i < s->weight_count; i++)
        if (tracks[i] != NULL_U32)
            sample_counters_add(im, &counters, p->ts, tracks[i], (double)s->weights[i]);
    return sample_counters_id(&counters);
}

static void stack_sample_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct stack_sample s = read_sample(im, p);
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = p->ts;
    row.source = s.source;
    row.session_id = profiler_session(im, p, s.source);
    row.task_context_id = task_context(im, p, s.task);
    struct execution execution = read_execution(im, p, s.execution);
    row.execution_context_id = execution.context;
    uint32_t upid = row.task_context_id == NULL_U32
                        ? NULL_U32
                        : table_u32(&t->tables.profiler_task_context,
                                    profiler_task_context_col_upid)[row.task_context_id];
    bool known = true;
    if (s.has_callstack_iid)
        row.callsite_id = callstack_find(im, p->generation, NULL, upid, s.callstack_iid, &known);
    else if (s.callstack.p)
        row.callsite_id = callstack_inline(im, s.callstack, STR("stack_sample_inline"));
    if (!known)
        stats_count(t, STAT_stackprofile_invalid_callstack_id);
    row.unwind_error = s.unwind_error;
    struct counter_place place = {s.source, row.session_id, execution.cpu};
    row.counter_set_id = add_counters(im, p, &s, &place);
    profiler_sample_append(&t->tables.profiler_sample, &row);
}

/* The values of its counters, which are known by where they were read and by what describes them.
 */
static void stack_sample_say(struct import *im, const struct packet *p,
                             struct packet_felt_sink *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t key = hash_mix(p->sequence->id, p->machine);
    (void)im;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_StackSample_execution_context:
        case PB_StackSample_execution_context_iid:
        case PB_StackSample_primary_descriptor:
        case PB_StackSample_primary_descriptor_iid:
        case PB_StackSample_follower_descriptors:
        case PB_StackSample_follower_descriptor_iids:
            key = f.data ? hash_bytes(f.data, (size_t)f.value, key) : hash_mix(key, f.value);
            break;
        default:
            break;
        }
    }
    packet_felt_last(out, p->ts, key);
}

const struct packet_module stack_sample_packets[] = {
    {PB_TracePacket_stack_sample, .parse = stack_sample_parse, .felt = PACKET_MOMENT,
     .say = stack_sample_say},
    {0},
};
