/* Perfetto's trace of itself: what its own threads did, and their counters. */
#define PB_READS_LITTLE
#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"

/* Both are beyond what a writer's record holds. */
enum { ARGS_MAX = 64, KEY_BYTES = 1024 };

/* Names that older writers send as numbers: their lists only ever grow. */
static const char *const event_names[] = {
    "EVENT_ZERO_UNUSED",
    "FTRACE_CPU_READER_READ",
    "FTRACE_DRAIN_CPUS",
    "FTRACE_UNBLOCK_READERS",
    "FTRACE_CPU_READ_NONBLOCK",
    "FTRACE_CPU_READ_BLOCK",
    "FTRACE_CPU_SPLICE_NONBLOCK",
    "FTRACE_CPU_SPLICE_BLOCK",
    "FTRACE_CPU_WAIT_CMD",
    "FTRACE_CPU_RUN_CYCLE",
    "FTRACE_CPU_FLUSH",
    "FTRACE_CPU_BUFFER_WATERMARK",
    "READ_SYS_STATS",
    "PS_WRITE_ALL_PROCESSES",
    "PS_ON_PIDS",
    "PS_ON_RENAME_PIDS",
    "PS_WRITE_ALL_PROCESS_STATS",
    "TRACE_WRITER_COMMIT_STARTUP_WRITER_BATCH",
    "FTRACE_READ_TICK",
    "FTRACE_CPU_READ_CYCLE",
    "FTRACE_CPU_READ_BATCH",
    "KALLSYMS_PARSE",
    "PROFILER_READ_TICK",
    "PROFILER_READ_CPU",
    "PROFILER_UNWIND_TICK",
    "PROFILER_UNWIND_SAMPLE",
    "PROFILER_UNWIND_INITIAL_ATTEMPT",
    "PROFILER_UNWIND_ATTEMPT",
    "PROFILER_MAPS_PARSE",
    "PROFILER_MAPS_REPARSE",
    "PROFILER_UNWIND_CACHE_CLEAR",
    "ANDROID_CPU_PER_UID_TICK",
    "ANDROID_KERNEL_WAKELOCKS_TICK",
    "ANDROID_POWER_TICK",
    "ANDROID_POWER_WRITE_BATTERY_COUNTERS",
    "ANDROID_POWER_WRITE_ENERGY_ESTIMATION_BREAKDOWN",
    "ANDROID_POWER_WRITE_ENTITY_STATE_RESIDENCY",
    "ANDROID_POWER_WRITE_POWER_RAILS_DATA",
    "LINUX_POWER_SYSFS_TICK",
};

static const char *const counter_names[] = {
    "COUNTER_ZERO_UNUSED",       "FTRACE_PAGES_DRAINED",     "PS_PIDS_SCANNED",
    "TRACE_SERVICE_COMMIT_DATA", "PROFILER_UNWIND_QUEUE_SZ", "PROFILER_UNWIND_CURRENT_PID",
};

struct metatrace_state {
    struct map strings; /* hash of iid and machine -> string_id */
};

static void metatrace_release(void *state)
{
    struct metatrace_state *s = state;
    map_release(&s->strings);
}

static const struct import_state_kind metatrace_kind = {.size = sizeof(struct metatrace_state),
                                                        .release = metatrace_release};

static string_id numbered_name(struct trace *t, const char *const *names, size_t n,
                               const char *fallback, uint32_t number)
{
    char text[32];
    if (number < n)
        return trace_intern_c(t, names[number]);
    snprintf(text, sizeof text, "%s %u", fallback, number);
    return trace_intern_c(t, text);
}

static void add_string(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct metatrace_state *s = import_state(im, &metatrace_kind);
    struct pb_field f;
    uint64_t iid = 0;
    struct str value = STR("");
    bool is_new;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PerfettoMetatrace_InternedString_iid)
            iid = pb_u64(&f);
        else if (f.number == PB_PerfettoMetatrace_InternedString_value)
            value = pb_str(&f);
    }
    uint32_t *at = map_insert(&s->strings, hash_mix(iid, p->machine), &is_new);
    if (is_new)
        *at = trace_intern(im->trace, value);
}

static string_id find_string(struct import *im, const struct packet *p, uint64_t iid)
{
    struct metatrace_state *s = import_state(im, &metatrace_kind);
    const uint32_t *id = map_find(&s->strings, hash_mix(iid, p->machine));
    return id ? *id : trace_intern(im->trace, STR("MISSING STRING"));
}

struct text_arg {
    string_id key, value;
};

struct metatrace {
    uint32_t tid;
    string_id event, counter; /* NULL_STRING: it is none */
    int64_t dur;
    int32_t value;
    bool has_overruns;
    struct text_arg args[ARGS_MAX];
    uint32_t arg_count;
};

static struct text_arg read_arg(struct import *im, const struct packet *p, struct pb_reader r)
{
    string_id empty = trace_intern(im->trace, STR(""));
    struct text_arg a = {empty, empty};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PerfettoMetatrace_Arg_key)
            a.key = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_PerfettoMetatrace_Arg_key_iid)
            a.key = find_string(im, p, pb_u64(&f));
        else if (f.number == PB_PerfettoMetatrace_Arg_value)
            a.value = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_PerfettoMetatrace_Arg_value_iid)
            a.value = find_string(im, p, pb_u64(&f));
    }
    return a;
}

static void read_field(struct import *im, const struct packet *p, const struct pb_field *f,
                       struct metatrace *m)
{
    struct trace *t = im->trace;
    switch (f->number) {
    case PB_PerfettoMetatrace_event_id:
        m->event = numbered_name(t, event_names, sizeof event_names / sizeof event_names[0],
                                 "Event", pb_u32(f));
        break;
    case PB_PerfettoMetatrace_event_name:
        m->event = trace_intern(t, pb_str(f));
        break;
    case PB_PerfettoMetatrace_event_name_iid:
        m->event = find_string(im, p, pb_u64(f));
        break;
    case PB_PerfettoMetatrace_counter_id:
        m->counter = numbered_name(t, counter_names, sizeof counter_names / sizeof counter_names[0],
                                   "Counter", pb_u32(f));
        break;
    case PB_PerfettoMetatrace_counter_name:
        m->counter = trace_intern(t, pb_str(f));
        break;
    case PB_PerfettoMetatrace_event_duration_ns:
        m->dur = pb_i64(f);
        break;
    case PB_PerfettoMetatrace_counter_value:
        m->value = pb_i32(f);
        break;
    case PB_PerfettoMetatrace_thread_id:
        m->tid = pb_u32(f);
        break;
    case PB_PerfettoMetatrace_has_overruns:
        m->has_overruns = pb_bool(f);
        break;
    case PB_PerfettoMetatrace_args:
        if (m->arg_count < ARGS_MAX)
            m->args[m->arg_count++] = read_arg(im, p, pb_message(f));
        break;
    default:
        break;
    }
}

/* Args of one key are the elements of an array. */
static void add_args(struct trace *t, const struct metatrace *m, struct arg_list *out)
{
    for (uint32_t i = 0; i < m->arg_count; i++) {
        string_id key = m->args[i].key;
        uint32_t before = 0, all = 0;
        for (uint32_t k = 0; k < m->arg_count; k++) {
            before += k < i && m->args[k].key == key;
            all += m->args[k].key == key;
        }
        struct arg a = {.flat_key = key, .key = key, .type = ARG_STRING, .s = m->args[i].value};
        if (all > 1) {
            char text[KEY_BYTES];
            struct str name = string_pool_get(&t->strings, key);
            snprintf(text, sizeof text, "%.*s[%u]", (int)(name.n < 1000 ? name.n : 1000), name.p,
                     before);
            a.key = trace_intern_c(t, text);
        }
        arg_list_add(out, a);
    }
}

static void add_counter(struct import *im, const struct packet *p, const struct metatrace *m,
                        uint32_t utid)
{
    struct trace *t = im->trace;
    struct track_spec spec = {
        .type = "metatrace_counter",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid},
                       {.key = "counter_name", .type = ARG_STRING, .s = m->counter}},
        .name = m->counter,
    };
    uint32_t row = counter_push(t, p->ts, track_intern(t, &spec), m->value);
    if (m->arg_count == 0)
        return;
    struct arg_list args = {0};
    add_args(t, m, &args);
    table_set_u32(&t->tables.counter, counter_col_arg_set_id, row, args_intern(&t->args, &args));
    arg_list_release(&args);
}

static void metatrace_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct metatrace m = {.tid = 0};
    struct pb_reader strings = bytes_reader(p->field), fields = strings;
    struct pb_field f;
    while (pb_next(&strings, &f))
        if (f.number == PB_PerfettoMetatrace_interned_strings)
            add_string(im, p, pb_message(&f));
    while (pb_next(&fields, &f))
        read_field(im, p, &f, &m);
    uint32_t utid = process_tracker_thread(t, p->machine, m.tid);
    if (m.event) {
        uint32_t track = track_thread(t, utid);
        uint32_t slice = slice_complete(t, p->ts, m.dur < 0 ? 0 : m.dur, track,
                                        trace_intern(t, STR("metatrace")), m.event);
        struct arg_list *args =
            slice == NULL_U32 || m.arg_count == 0 ? NULL : slice_args(t, track, slice);
        if (args)
            add_args(t, &m, args);
    } else if (m.counter) {
        add_counter(im, p, &m, utid);
    }
    if (m.has_overruns)
        stats_count(t, STAT_metatrace_overruns);
}

static bool metatrace_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    (void)im;
    struct pb_field f = pb_last(bytes_reader(p->field), PB_PerfettoMetatrace_event_duration_ns);
    return packet_span_lasting(p, pb_i64(&f), out);
}

/* Values of the thread's counters. */
static void metatrace_say(struct import *im, const struct packet *p, struct packet_felt_sink *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t key = hash_mix(p->machine, PB_TracePacket_perfetto_metatrace);
    bool counts = false;
    (void)im;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PerfettoMetatrace_thread_id ||
            f.number == PB_PerfettoMetatrace_counter_id)
            key ^= hash_mix(f.value, f.number);
        else if (f.number == PB_PerfettoMetatrace_counter_name)
            key ^= hash_bytes(f.data, f.data ? (size_t)f.value : 0, f.number);
        counts |= f.number == PB_PerfettoMetatrace_counter_value;
    }
    if (counts)
        packet_felt_last(out, p->ts, key);
}

const struct packet_module metatrace_packets[] = {
    {PB_TracePacket_perfetto_metatrace, .parse = metatrace_parse, .felt = PACKET_SPAN,
     .span = metatrace_span, .say = metatrace_say, .state = PB_PerfettoMetatrace_interned_strings},
    {0},
};
