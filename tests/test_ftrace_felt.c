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

#include "core/trace/ftrace_rows.h"
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
#include "test_window_rows.h"

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
enum { PIDS = 32 };
static uint64_t bus_messages[PIDS]; /* of the transfer that a thread is in */

static uint64_t unique_for(const struct ftrace_handler *row, const char *field, uint32_t pid,
                           uint64_t otherwise)
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
    if (strcmp(field, "adapter_nr") == 0)
        return 1;
    if (strcmp(field, "msg_nr") == 0)
        return bus_messages[pid]++;
    if (strcmp(field, "nr_msgs") == 0) {
        uint64_t all = bus_messages[pid];
        bus_messages[pid] = 0;
        return all;
    }
    if (row->has_own_time && strcmp(field, "timestamp") == 0)
        return BEGIN_NS + (uint64_t)next_random(EVENTS) * STEP_NS + 100 + used_times++;
    return strcmp(field, "fence_context") == 0 ? 1 : otherwise;
}

static bool may_lack(const char *field)
{
    return strcmp(field, "val") != 0 && strcmp(field, "timestamp") != 0 &&
           strcmp(field, "timeline") != 0 && strncmp(field, "fence", 5) != 0 &&
           strcmp(field, "debug_id") != 0 && strcmp(field, "msg_nr") != 0 &&
           strcmp(field, "nr_msgs") != 0 && strcmp(field, "adapter_nr") != 0;
}

static void put_fields(struct pb_bytes *message, const struct ftrace_handler *row, uint32_t pid)
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
                        unique_for(row, f->name, pid,
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
    uint8_t locks[PIDS] = {0};
    *made = (struct made){0};
    messages = jobs = fenced_jobs = batches = (struct sent_numbers){0};
    used_times = 0;
    memset(bus_messages, 0, sizeof bus_messages);
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
        uint32_t pid = 10 + next_random(3);
        if (is_out_of_turn(row, &locks[pid]))
            continue;
        pb_put_uint(&event, PB_FtraceEvent_timestamp, time_of_bundle(made, ts));
        pb_put_uint(&event, PB_FtraceEvent_pid, pid);
        put_fields(&payload, row, pid);
        put_inner(&event, row->event, &payload);
        put_inner(&made->bundles[next_random(CPUS)], PB_FtraceEventBundle_event, &event);
        if (next_random(20) == 0)
            put_bundle(made, next_random(CPUS), ts + 1);
    }
    put_instant(made, ts);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        put_bundle(made, cpu, ts + cpu);
}

static bool window_is_like_whole(unsigned module, uint64_t seed)
{
    static const char *const releases[] = {"4.19.1", "5.10.2", "6.6.3"};
    static const struct window_exceptions except = {.told_by_a_begin = "virtgpu_latency"};
    struct made made;
    struct lines whole = {0}, window = {0};
    random_state = seed;
    make(&made, module, releases[next_random(3)]);
    int64_t from = BEGIN_NS + (1 + (int64_t)next_random(EVENTS / 2)) * STEP_NS - next_random(2);
    int64_t to = from + 1 + (int64_t)next_random(EVENTS) * STEP_NS;
    rows_of(&made.trace, false, from, to, &except, &whole);
    rows_of(&made.trace, true, from, to, &except, &window);
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

struct cut_to_bytes {
    struct cut_output output;
    struct pb_bytes bytes;
};

static bool write_bytes(struct cut_output *self, const void *p, size_t n)
{
    pb_put_raw(&((struct cut_to_bytes *)self)->bytes, p, n);
    return true;
}

/* What trim writes. */
static struct pb_bytes trimmed(const struct pb_bytes *trace, int64_t from, int64_t to)
{
    struct time_window window = {true,
                                 true,
                                 {TIME_OF_TRACE_CLOCK, from},
                                 {TIME_OF_TRACE_CLOCK, to}};
    struct cut_to_bytes out = {.output = {.write = write_bytes}};
    struct cut_job job = {.name = "felt",
                          .data = {trace->v.items, trace->v.count},
                          .window = &window,
                          .out = &out.output};
    assert_true(status_ok(perfetto_trace_format.cut(&job)));
    return out.bytes;
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
    struct pb_bytes cut = trimmed(&made.trace, BEGIN_NS + STEP_NS, BEGIN_NS + 2 * STEP_NS);
    load(&t, &cut, 0, 0);
    const struct table *events = ftrace_rows_ready(&t);
    for (uint32_t i = 0; i < events->rows; i++)
        told += table_i64(events, ftrace_event_col_ts)[i] < BEGIN_NS + STEP_NS;
    assert_int_equal(told, 1);
    assert_int_equal(events->rows, 2);
    trace_release(&t);
    pb_bytes_release(&cut);
    pb_bytes_release(&made.trace);
}

/* The heads of lines before the window do not say who writes in it. */
static void test_a_thread_of_text_is_named_by_a_line_behind_the_window(void **state)
{
    static const char text[] =
        "# tracer: nop\n"
        " app-100 (100) [000] .... 1.000000: tracing_mark_write: B|100|outer\n"
        " <...>-101 (100) [000] .... 1.000002: tracing_mark_write: B|100|inner\n"
        " late-101 (100) [000] .... 1.000004: tracing_mark_write: E|100\n";
    struct pb_bytes bytes = {0};
    struct trace t;
    const char *name = "";
    (void)state;
    pb_put_raw(&bytes, (const uint8_t *)text, sizeof text - 1);
    load(&t, &bytes, INT64_C(1000001000), INT64_C(1000003000));
    const struct table *threads = &t.tables.thread;
    for (uint32_t i = 0; i < threads->rows; i++)
        if (table_i64(threads, thread_col_tid)[i] == 101)
            name = text_at(&t, &threads->columns[thread_col_name], i);
    assert_string_equal(name, "late");
    trace_release(&t);
    pb_bytes_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_shrinks_takes_the_place_of_what_grew),
        cmocka_unit_test(test_a_thread_of_text_is_named_by_a_line_behind_the_window),
        cmocka_unit_test(test_every_row_says_what_is_felt),
        cmocka_unit_test(test_every_packet_says_what_is_felt),
        cmocka_unit_test(test_every_track_event_says_what_it_covers),
        cmocka_unit_test(test_every_reader_of_text_says_what_is_felt),
        cmocka_unit_test(test_windows_of_random_events_are_like_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
