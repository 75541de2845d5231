/* Windows: each row of the tables of packets, of ftrace events, of track events' types and phases
 * and of readers of text says what is felt of it. Those of
 * ftrace say it rightly: The events of each module come at random, with few values for each of
 * their fields; what a window of them shows is what the whole trace shows there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "parsers/load.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/perfetto.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/proto/ftrace_kinds.h"
#include "parsers/tracefs/text_readers.h"
#include "pb_fields.h"
#include "test_messages.h"
#include "test_random.h"

enum { CPUS = 2, EVENTS = 60, STEP_NS = 1000, BEGIN_NS = 1000000, ROUNDS = 300 };

static void test_every_row_says_what_is_felt(void **state)
{
    (void)state;
    for (unsigned m = 0; m < FTRACE_MODULE_COUNT; m++)
        for (const struct ftrace_handler *row = ftrace_handlers_of(m); row->event; row++) {
            if (row->felt.kind == FELT_UNSAID)
                fail_msg("the row of %s has no .felt", ftrace_event_kinds[row->event].name);
            assert_int_equal(row->felt.kind == FELT_OTHERWISE, row->felt.say != NULL);
        }
}

static void test_every_packet_says_what_is_felt(void **state)
{
    (void)state;
    for (size_t i = 0; perfetto_packet_tables[i]; i++)
        for (const struct packet_module *row = perfetto_packet_tables[i]; row->field; row++) {
            if (row->felt == PACKET_UNSAID)
                fail_msg("the row of field %u of TracePacket has no .felt", row->field);
            assert_true(row->felt != PACKET_SPAN || row->span);
            assert_true((row->felt == PACKET_PARTS) == (row->part && row->part_time));
            assert_true(row->tells != TELLS_MEANING || row->tokenize);
        }
}

static void test_every_track_event_says_what_it_covers(void **state)
{
    (void)state;
    for (int32_t letter = 0; letter < PHASES; letter++) {
        const struct phase *phase = phase_of_letter(letter);
        if (phase->apply && phase->span == SPAN_UNSAID)
            fail_msg("phase %c has no .span", (char)letter);
    }
    for (int32_t i = 1; i < EVENT_TYPES; i++) {
        const struct event_type *type = type_of_event(i);
        if (!type->on_thread == (type->span == SPAN_UNSAID))
            fail_msg("type %d has neither a phase nor a .span, or both", i);
        if (type->on_thread) /* who cuts does not know whether it is of a thread */
            assert_int_equal(phase_of_letter(type->on_thread)->span,
                             phase_of_letter(type->elsewhere)->span);
    }
    assert_int_equal(EVENT_TYPES, PB_TrackEvent_Type_TYPE_STATE + 1);
}

static bool has_row(const char *event)
{
    for (unsigned m = 0; m < FTRACE_MODULE_COUNT; m++)
        for (const struct ftrace_handler *row = ftrace_handlers_of(m); row->event; row++)
            if (strcmp(ftrace_event_kinds[row->event].name, event) == 0)
                return true;
    return false;
}

/* Marks are read as what programs print; who is scheduled has a role of its own; a stack is its
 * event's. */
static void test_every_reader_of_text_says_what_is_felt(void **state)
{
    (void)state;
    for (size_t i = 0; i < text_reader_count; i++) {
        const struct text_event_reader *r = &text_event_readers[i];
        if (r->role == TEXT_PLAIN && !r->say && !has_row(r->event))
            fail_msg("the reader of %s says nothing, nor does a row", r->event);
    }
}

/* Values that matter are few, so that events meet. */
static uint64_t number_for(const char *field)
{
    if (strstr(field, "clone_flags"))
        return (uint64_t)next_random(2) << 16;
    if (strstr(field, "type") || strcmp(field, "trace_type") == 0)
        return (uint64_t)("BEC\1\2\0"[next_random(6)]);
    if (strcmp(field, "protocol") == 0)
        return next_random(2) ? 6 : 0x800;
    if (strcmp(field, "family") == 0)
        return 2;
    if (strcmp(field, "cmd") == 0)
        return (const uint32_t[]){0x40406300, 0x7205, 0x7206, 0x80407202}[next_random(4)];
    if (strcmp(field, "ticks") == 0)
        return 0;
    if (strcmp(field, "val") == 0)
        return 3;
    if (strstr(field, "pid"))
        return 10 + next_random(4);
    return next_random(3);
}

static void put_text(struct pb_bytes *message, const struct ftrace_field_kind *field,
                     uint32_t event)
{
    static const char *const marks[] = {"B|10|a",
                                        "B|10|b",
                                        "E|10",
                                        "E",
                                        "C|10|x|1",
                                        "C|10|x|2",
                                        "S|10|n|1",
                                        "F|10|n|1",
                                        "G|10|t|n|1",
                                        "H|10|t|1",
                                        "I|10|i",
                                        "G|0|DeviceStateChanged|n|1",
                                        "H|0|DeviceStateChanged|1"};
    static const char *const names[] = {"control", "cursor", "unbound", "suspend_enter", "a"};
    const char *text = event == PB_FtraceEvent_print
                           ? marks[next_random(sizeof marks / sizeof *marks)]
                           : names[next_random(5)];
    if (strcmp(field->name, "timeline") == 0 && strcmp(text, "unbound") != 0)
        text = "ring";
    pb_put_str(message, field->number, str_from(text));
}

/* Threads that are born and die do nothing else; those that write marks are of one process. */
static uint64_t pid_for(const struct ftrace_handler *row)
{
    enum { LIVES = 13, PROCESS = 10 };
    if (row->event == PB_FtraceEvent_task_newtask ||
        row->event == PB_FtraceEvent_sched_process_free)
        return LIVES;
    if (row->event == PB_FtraceEvent_gpu_mem_total)
        return next_random(2) ? PROCESS : 0;
    return row->felt.tells_owner ? PROCESS : 10 + next_random(4);
}

/* What is sent, and received once in the order in which it was sent: messages and jobs; and times,
 * each of which is one event's. */
static struct sent_numbers {
    uint64_t sent, received;
} messages, jobs, fenced_jobs, batches;
static uint64_t used_times;

static uint64_t unique_for(const struct ftrace_handler *row, const char *field, uint64_t otherwise)
{
    static const struct {
        uint32_t sends, receives;
        const char *field;
        struct sent_numbers *numbers;
    } kinds[] = {
        {PB_FtraceEvent_binder_transaction, PB_FtraceEvent_binder_transaction_received, "debug_id",
         &messages},
        {PB_FtraceEvent_drm_run_job, PB_FtraceEvent_drm_sched_process_job, "fence", &jobs},
        {PB_FtraceEvent_drm_sched_job_run, PB_FtraceEvent_drm_sched_job_done, "fence_seqno",
         &fenced_jobs},
        {PB_FtraceEvent_kgsl_adreno_cmdbatch_sync, PB_FtraceEvent_kgsl_adreno_cmdbatch_retired,
         "timestamp", &batches},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sent_numbers *n = kinds[i].numbers;
        if (strcmp(field, kinds[i].field) == 0 && row->event == kinds[i].sends)
            return ++n->sent;
        if (strcmp(field, kinds[i].field) == 0 && row->event == kinds[i].receives)
            return n->received < n->sent ? ++n->received : 0;
    }
    if (row->has_own_time && strcmp(field, "timestamp") == 0)
        return BEGIN_NS + (uint64_t)next_random(EVENTS) * STEP_NS + 100 + used_times++;
    return strcmp(field, "fence_context") == 0 ? 1 : otherwise;
}

static bool may_lack(const char *field)
{
    return strcmp(field, "val") != 0 && strcmp(field, "timestamp") != 0 &&
           strcmp(field, "timeline") != 0 && strncmp(field, "fence", 5) != 0 &&
           strcmp(field, "debug_id") != 0;
}

static void put_fields(struct pb_bytes *message, const struct ftrace_handler *row)
{
    uint32_t event = row->event;
    const struct ftrace_event_kind *kind = &ftrace_event_kinds[event];
    for (uint32_t i = 0; i < kind->field_count; i++) {
        const struct ftrace_field_kind *f = &kind->fields[i];
        if (!f->name || (next_random(8) == 0 && may_lack(f->name)))
            continue;
        switch (f->type) {
        case PB_FieldDescriptorProto_Type_TYPE_STRING:
            put_text(message, f, event);
            break;
        case PB_FieldDescriptorProto_Type_TYPE_BYTES:
            break;
        default:
            pb_put_uint(message, f->number,
                        unique_for(row, f->name,
                                   strcmp(f->name, "pid") == 0 ? pid_for(row)
                                                               : number_for(f->name)));
        }
    }
}

/* Locks are wanted, taken and given back in turn. */
static bool is_out_of_turn(const struct ftrace_handler *row, uint8_t *lock)
{
    static const uint32_t turns[] = {PB_FtraceEvent_binder_lock, PB_FtraceEvent_binder_locked,
                                     PB_FtraceEvent_binder_unlock};
    for (uint8_t i = 0; i < 3; i++)
        if (row->event == turns[i]) {
            bool out = *lock != i;
            *lock = out ? *lock : (uint8_t)((i + 1) % 3);
            return out;
        }
    /* Nothing is done meanwhile. What commands and returns say depends on many that come before. */
    return *lock == 1 || row->event == PB_FtraceEvent_binder_command ||
           row->event == PB_FtraceEvent_binder_return;
}

static bool is_of_kswapd(const struct ftrace_handler *row)
{
    return row->event == PB_FtraceEvent_pixel_mm_kswapd_wake ||
           row->event == PB_FtraceEvent_pixel_mm_kswapd_done;
}

/* A clock that only bundles relate to BOOTTIME is so much ahead of it. */
enum { CLOCK_AHEAD_NS = 500 };

struct made {
    bool has_clock;
    struct pb_bytes bundles[CPUS], trace;
};

/* What is there of the cpu's events becomes a packet. */
static void put_bundle(struct made *made, unsigned cpu, int64_t ts)
{
    struct pb_bytes bundle = {0}, packet = {0};
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, cpu);
    if (made->has_clock) {
        pb_put_uint(&bundle, PB_FtraceEventBundle_ftrace_clock, PB_FtraceClock_FTRACE_CLOCK_LOCAL);
        pb_put_uint(&bundle, PB_FtraceEventBundle_ftrace_timestamp, (uint64_t)ts + CLOCK_AHEAD_NS);
        pb_put_uint(&bundle, PB_FtraceEventBundle_boot_timestamp, (uint64_t)ts);
    }
    pb_put_raw(&bundle, made->bundles[cpu].v.items, made->bundles[cpu].v.count);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    put_inner(&packet, PB_TracePacket_ftrace_events, &bundle);
    put_inner(&made->trace, PB_Trace_packet, &packet);
    pb_bytes_release(&made->bundles[cpu]);
}

static uint64_t time_of_bundle(const struct made *made, int64_t ts)
{
    return (uint64_t)ts + (made->has_clock ? CLOCK_AHEAD_NS : 0);
}

static const struct ftrace_handler *any_row(unsigned module)
{
    const struct ftrace_handler *rows = ftrace_handlers_of(module);
    uint32_t n = 0;
    while (rows[n].event)
        n++;
    return &rows[next_random(n)];
}

/* An instant, at either end of the trace. */
static void put_instant(struct made *made, int64_t ts)
{
    struct pb_bytes event = {0}, text = {0};
    pb_put_uint(&event, PB_FtraceEvent_timestamp, time_of_bundle(made, ts));
    pb_put_uint(&event, PB_FtraceEvent_pid, 10);
    pb_put_str(&text, PB_PrintFtraceEvent_buf, STR("I|10|instant"));
    put_inner(&event, PB_FtraceEvent_print, &text);
    put_inner(&made->bundles[0], PB_FtraceEventBundle_event, &event);
}

static void make(struct made *made, unsigned module, const char *release)
{
    int64_t ts = BEGIN_NS;
    uint8_t locks[32] = {0};
    *made = (struct made){0};
    messages = jobs = fenced_jobs = batches = (struct sent_numbers){0};
    used_times = 0;
    made->has_clock = next_random(2);
    struct pb_bytes packet = {0}, info = {0}, names = {0};
    pb_put_str(&names, PB_Utsname_release, str_from(release));
    pb_put_str(&names, PB_Utsname_machine, STR("aarch64"));
    put_inner(&info, PB_SystemInfo_utsname, &names);
    put_inner(&packet, PB_TracePacket_system_info, &info);
    put_inner(&made->trace, PB_Trace_packet, &packet);
    struct pb_bytes tree = {0}, thread = {0};
    pb_put_uint(&thread, PB_ProcessTree_Thread_tid, 10);
    pb_put_uint(&thread, PB_ProcessTree_Thread_tgid, 10);
    put_inner(&tree, PB_ProcessTree_threads, &thread);
    put_inner(&packet, PB_TracePacket_process_tree, &tree);
    put_inner(&made->trace, PB_Trace_packet, &packet);
    put_instant(made, ts);
    ts += STEP_NS;
    for (int i = 0; i < EVENTS; i++, ts += STEP_NS) {
        struct pb_bytes event = {0}, payload = {0};
        const struct ftrace_handler *row = any_row(module);
        uint32_t pid = is_of_kswapd(row) ? 20 : 10 + next_random(3);
        if (is_out_of_turn(row, &locks[pid]))
            continue;
        pb_put_uint(&event, PB_FtraceEvent_timestamp, time_of_bundle(made, ts));
        pb_put_uint(&event, PB_FtraceEvent_pid, pid);
        put_fields(&payload, row);
        put_inner(&event, row->event, &payload);
        put_inner(&made->bundles[next_random(CPUS)], PB_FtraceEventBundle_event, &event);
        if (next_random(20) == 0)
            put_bundle(made, next_random(CPUS), ts + 1);
    }
    put_instant(made, ts);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        put_bundle(made, cpu, ts + cpu);
}

/* Rows as lines, to be compared in any order. */
struct lines {
    VEC(char *) v;
};

__attribute__((format(printf, 2, 3))) static void add_line(struct lines *l, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *vec_push(&l->v) = strdup(text);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_release(struct lines *l)
{
    for (size_t i = 0; i < l->v.count; i++)
        free(l->v.items[i]);
    vec_release(&l->v);
}

static const char *text_at(const struct trace *t, const struct column *column, uint32_t row)
{
    string_id id = column_str(column, row);
    return id ? string_pool_get(&t->strings, id).p : "";
}

/* A track by what it is of: numbers of rows may differ. */
static void describe_track(const struct trace *t, uint32_t track, char *out, size_t n)
{
    const struct column *c = t->tables.track.columns;
    struct arg_list args = {0};
    size_t at = (size_t)snprintf(out, n, "%s %s", text_at(t, &c[track_col_type], track),
                                 text_at(t, &c[track_col_name], track));
    uint32_t set = table_u32(&t->tables.track, track_col_dimension_arg_set_id)[track];
    if (set != NULL_U32)
        args_read(&t->args, set, &args);
    for (size_t i = 0; i < args.v.count && at < n; i++) {
        const struct arg *a = &args.v.items[i];
        struct str key = string_pool_get(&t->strings, a->key);
        long long value = (long long)a->i;
        if (str_eq(key, STR("utid")) && a->i < t->tables.thread.rows)
            value = (long long)table_i64(&t->tables.thread, thread_col_tid)[a->i];
        else if (str_eq(key, STR("upid")) && a->i < t->tables.process.rows)
            value = (long long)table_i64(&t->tables.process, process_col_pid)[a->i];
        else if (str_eq(key, STR("track_compressor_idx")) || str_eq(key, STR("ugpu")))
            continue;
        if (a->type == ARG_STRING)
            at += (size_t)snprintf(out + at, n - at, " %s", string_pool_get(&t->strings, a->s).p);
        else
            at += (size_t)snprintf(out + at, n - at, " %lld", value);
    }
    arg_list_release(&args);
}

/* Where a slice ends; with the one around it, which ended before. */
static int64_t end_of(const struct table *slices, uint32_t row)
{
    int64_t end = INT64_MAX;
    for (; row != NULL_U32; row = table_u32(slices, slice_col_parent_id)[row]) {
        int64_t dur = table_i64(slices, slice_col_dur)[row];
        int64_t own = table_i64(slices, slice_col_ts)[row] + dur;
        end = dur >= 0 && own < end ? own : end;
    }
    return end;
}

/* Slices that last in the window, cut off at its ends. */
static void add_slices(const struct trace *t, int64_t from, int64_t to, struct lines *out)
{
    const struct table *slices = &t->tables.slice;
    for (uint32_t i = 0; i < slices->rows; i++) {
        int64_t ts = table_i64(slices, slice_col_ts)[i], end = end_of(slices, i);
        char track[256];
        if (ts >= to || (ts < from && end <= from))
            continue;
        describe_track(t, table_u32(slices, slice_col_track_id)[i], track, sizeof track);
        const char *name = text_at(t, &slices->columns[slice_col_name], i);
        if (strncmp(name, "kswapd", 6) == 0) /* its end names it */
            name = "kswapd";
        add_line(out, "slice %" PRId64 "-%" PRId64 " %s %u %s", ts < from ? from : ts,
                 end > to ? to : end, name,
                 (unsigned)column_int(&slices->columns[slice_col_depth], i), track);
    }
}

static void add_counters(const struct trace *t, int64_t from, int64_t to, struct lines *out)
{
    const struct table *counters = &t->tables.counter;
    uint32_t tracks = t->tables.track.rows;
    int64_t *last = calloc(tracks + 1, sizeof *last);
    for (uint32_t i = 0; i < counters->rows; i++)
        if (table_i64(counters, counter_col_ts)[i] < from)
            last[table_u32(counters, counter_col_track_id)[i]] = i + 1;
    for (uint32_t i = 0; i < counters->rows; i++) {
        int64_t ts = table_i64(counters, counter_col_ts)[i];
        uint32_t track_id = table_u32(counters, counter_col_track_id)[i];
        char track[256];
        if (ts >= to || (ts < from && last[track_id] != i + 1))
            continue;
        describe_track(t, track_id, track, sizeof track);
        if (strstr(track, "virtgpu_latency")) /* the length of what began before the window */
            continue;
        add_line(out, "counter %" PRId64 " %g %s", ts < from ? from : ts,
                 table_f64(counters, counter_col_value)[i], track);
    }
    free(last);
}

static void load(struct trace *t, const struct pb_bytes *bytes, int64_t from, int64_t to)
{
    trace_init(t);
    if (from) {
        struct time_window *w = &t->builder->options.window;
        *w = (struct time_window){true,
                                  true,
                                  {TIME_OF_TRACE_CLOCK, from},
                                  {TIME_OF_TRACE_CLOCK, to}};
    }
    struct status s = trace_load_memory(t, "felt", bytes->v.items, bytes->v.count, NULL);
    if (!status_ok(s))
        fail_msg("%s", s.message);
}

static bool show_differences(const struct lines *a, const struct lines *b)
{
    size_t i = 0, k = 0;
    bool same = true;
    while (i < a->v.count || k < b->v.count) {
        int c = i == a->v.count ? 1 : k == b->v.count ? -1 : strcmp(a->v.items[i], b->v.items[k]);
        if (c)
            printf("  %s %s\n",
                   c < 0 ? "whole: " : "window:", c < 0 ? a->v.items[i] : b->v.items[k]);
        same = same && c == 0;
        i += c <= 0;
        k += c >= 0;
    }
    return same;
}

static void rows_of(const struct pb_bytes *bytes, bool windowed, int64_t from, int64_t to,
                    struct lines *out)
{
    struct trace t;
    load(&t, bytes, windowed ? from : 0, to);
    add_slices(&t, from, to, out);
    add_counters(&t, from, to, out);
    if (out->v.count > 1)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare_lines);
    trace_release(&t);
}

static bool window_is_like_whole(unsigned module, uint64_t seed)
{
    static const char *const releases[] = {"4.19.1", "5.10.2", "6.6.3"};
    struct made made;
    struct lines whole = {0}, window = {0};
    random_state = seed;
    make(&made, module, releases[next_random(3)]);
    int64_t from = BEGIN_NS + (1 + (int64_t)next_random(EVENTS / 2)) * STEP_NS - next_random(2);
    int64_t to = from + 1 + (int64_t)next_random(EVENTS) * STEP_NS;
    rows_of(&made.trace, false, from, to, &whole);
    rows_of(&made.trace, true, from, to, &window);
    bool same = show_differences(&whole, &window);
    if (!same)
        printf("module %u, seed %" PRIu64 ", window %" PRId64 " to %" PRId64 "\n", module, seed,
               from, to);
    lines_release(&whole);
    lines_release(&window);
    pb_bytes_release(&made.trace);
    return same;
}

static void test_windows_of_random_events_are_like_the_whole(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (unsigned m = 0; m < FTRACE_MODULE_COUNT; m++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            if (!window_is_like_whole(m, seed)) {
                bad++;
                break;
            }
    assert_int_equal(bad, 0);
}

static void put_heap_event(struct made *made, int64_t ts, uint32_t id, uint32_t name_field)
{
    struct pb_bytes event = {0}, payload = {0};
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, 10);
    pb_put_str(&payload, name_field, STR("system"));
    put_inner(&event, id, &payload);
    put_inner(&made->bundles[0], PB_FtraceEventBundle_event, &event);
}

/* A heap's counters are told by events of two kinds, of which only the last one is felt. */
static void test_what_shrinks_takes_the_place_of_what_grew(void **state)
{
    struct made made = {0};
    struct trace t;
    uint32_t told = 0;
    (void)state;
    put_heap_event(&made, BEGIN_NS, PB_FtraceEvent_ion_heap_grow,
                   PB_IonHeapGrowFtraceEvent_heap_name);
    put_heap_event(&made, BEGIN_NS + 1, PB_FtraceEvent_ion_heap_shrink,
                   PB_IonHeapShrinkFtraceEvent_heap_name);
    put_instant(&made, BEGIN_NS + STEP_NS);
    put_bundle(&made, 0, BEGIN_NS + STEP_NS);
    load(&t, &made.trace, BEGIN_NS + STEP_NS, BEGIN_NS + 2 * STEP_NS);
    const struct table *events = &t.tables.ftrace_event;
    for (uint32_t i = 0; i < events->rows; i++)
        told += table_i64(events, ftrace_event_col_ts)[i] < BEGIN_NS + STEP_NS;
    assert_int_equal(told, 1);
    assert_int_equal(events->rows, 2);
    trace_release(&t);
    pb_bytes_release(&made.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_shrinks_takes_the_place_of_what_grew),
        cmocka_unit_test(test_every_row_says_what_is_felt),
        cmocka_unit_test(test_every_packet_says_what_is_felt),
        cmocka_unit_test(test_every_track_event_says_what_it_covers),
        cmocka_unit_test(test_every_reader_of_text_says_what_is_felt),
        cmocka_unit_test(test_windows_of_random_events_are_like_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
