/* Windows: events of any type and phase, on few tracks, with few ids and names, come at random on
 * some sequences. What a window of them shows is what the whole trace shows there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include "pb_fields.h"
#include "test_messages.h"
#include "test_random.h"
#include "test_window_rows.h"

enum { EVENTS = 60, STEP_NS = 1000, BEGIN_NS = 1000000, ROUNDS = 200 };
enum {
    OF_THREAD = 1,
    OF_PROCESS,
    OF_CHILD,
    OF_COUNTER,
    OF_SUM,
    OF_EXTRA,
    OF_EXTRA_SUM,
    OF_ALONE,
    OF_STATES,
    OF_LOOP, /* it is its own parent: what happens on it is dropped */
    OF_UNKNOWN
};
enum { SEQUENCES = 3 };

static void put_packet(struct pb_bytes *trace, uint32_t sequence, uint64_t ts, uint32_t field,
                       struct pb_bytes *payload)
{
    struct pb_bytes packet = {0};
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, sequence);
    pb_put_uint(&packet, PB_TracePacket_timestamp, ts);
    put_inner(&packet, field, payload);
    put_inner(trace, PB_Trace_packet, &packet);
}

static void put_track(struct pb_bytes *trace, uint64_t uuid, uint64_t parent)
{
    struct pb_bytes track = {0}, of = {0};
    pb_put_uint(&track, PB_TrackDescriptor_uuid, uuid);
    if (parent)
        pb_put_uint(&track, PB_TrackDescriptor_parent_uuid, parent);
    if (uuid == OF_THREAD) {
        pb_put_uint(&of, PB_ThreadDescriptor_pid, 10);
        pb_put_uint(&of, PB_ThreadDescriptor_tid, 11);
        put_inner(&track, PB_TrackDescriptor_thread, &of);
    } else if (uuid == OF_PROCESS) {
        pb_put_uint(&of, PB_ProcessDescriptor_pid, 10);
        put_inner(&track, PB_TrackDescriptor_process, &of);
    } else if (uuid >= OF_COUNTER && uuid <= OF_EXTRA_SUM) {
        pb_put_str(&track, PB_TrackDescriptor_name,
                   uuid == OF_SUM || uuid == OF_EXTRA_SUM ? STR("sum") : STR("value"));
        pb_put_uint(&of, PB_CounterDescriptor_is_incremental,
                    uuid == OF_SUM || uuid == OF_EXTRA_SUM);
        put_inner(&track, PB_TrackDescriptor_counter, &of);
    } else if (uuid == OF_STATES) {
        put_inner(&track, PB_TrackDescriptor_state, &of);
    } else {
        pb_put_str(&track, PB_TrackDescriptor_name, uuid == OF_CHILD ? STR("child") : STR("one"));
    }
    put_packet(trace, 1, BEGIN_NS, PB_TracePacket_track_descriptor, &track);
}

static void put_thread(struct pb_bytes *trace, uint32_t sequence)
{
    struct pb_bytes packet = {0}, thread = {0};
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, sequence);
    pb_put_uint(&packet, PB_TracePacket_timestamp, BEGIN_NS);
    pb_put_uint(&packet, PB_TracePacket_sequence_flags,
                PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
    if (sequence < SEQUENCES) {
        pb_put_uint(&thread, PB_ThreadDescriptor_pid, 10);
        pb_put_uint(&thread, PB_ThreadDescriptor_tid, 10 + sequence);
        pb_put_uint(&thread, PB_ThreadDescriptor_reference_timestamp_us, BEGIN_NS / 1000);
        put_inner(&packet, PB_TracePacket_thread_descriptor, &thread);
    }
    put_inner(trace, PB_Trace_packet, &packet);
}

static void put_names(struct pb_bytes *event)
{
    static const char *const names[] = {"a", "b", "c"};
    if (next_random(4))
        pb_put_str(event, PB_TrackEvent_name, str_from(names[next_random(3)]));
    if (next_random(2))
        pb_put_str(event, PB_TrackEvent_categories, str_from(names[next_random(2)]));
}

static void put_value(struct pb_bytes *event, uint32_t whole, uint32_t real)
{
    if (next_random(3) == 0)
        pb_put_double(event, real, next_random(8));
    else
        pb_put_uint(event, whole, next_random(8));
}

/* More than there are tracks for now and then; the event is none then. */
static void put_extra_counters(struct pb_bytes *event)
{
    pb_put_uint(event, PB_TrackEvent_extra_counter_track_uuids, OF_EXTRA);
    pb_put_uint(event, PB_TrackEvent_extra_double_counter_track_uuids, OF_EXTRA_SUM);
    for (uint32_t n = 1 + (next_random(4) == 0); n > 0; n--)
        put_value(event, PB_TrackEvent_extra_counter_values,
                  PB_TrackEvent_extra_double_counter_values);
}

static void put_flows(struct pb_bytes *event)
{
    pb_put_fixed64(event,
                   next_random(3) ? PB_TrackEvent_flow_ids : PB_TrackEvent_terminating_flow_ids,
                   1 + next_random(3));
}

static void put_typed(struct pb_bytes *event)
{
    static const uint8_t slice_types[] = {PB_TrackEvent_Type_TYPE_SLICE_BEGIN,
                                          PB_TrackEvent_Type_TYPE_SLICE_BEGIN,
                                          PB_TrackEvent_Type_TYPE_SLICE_END,
                                          PB_TrackEvent_Type_TYPE_SLICE_END,
                                          PB_TrackEvent_Type_TYPE_INSTANT};
    static const uint8_t slice_tracks[] = {0,        OF_LOOP,  OF_THREAD, OF_PROCESS,
                                           OF_CHILD, OF_ALONE, OF_UNKNOWN};
    uint32_t kind = next_random(8), track;
    if (kind < 5) {
        pb_put_uint(event, PB_TrackEvent_type, slice_types[next_random(5)]);
        track = slice_tracks[next_random(7)];
    } else if (kind < 7) {
        pb_put_uint(event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_COUNTER);
        track = next_random(6) ? OF_COUNTER + next_random(2) : next_random(OF_EXTRA);
        for (uint32_t n = next_random(8); n < 8; n += 5)
            put_value(event, PB_TrackEvent_counter_value, PB_TrackEvent_double_counter_value);
    } else {
        pb_put_uint(event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_STATE);
        track = OF_STATES;
    }
    if (track)
        pb_put_uint(event, PB_TrackEvent_track_uuid, track);
}

static void put_legacy(struct pb_bytes *event)
{
    static const char phases[] = "BBEEXiIRbbeenSTpFstfZ";
    static const uint32_t ids[] = {PB_TrackEvent_LegacyEvent_unscoped_id,
                                   PB_TrackEvent_LegacyEvent_global_id,
                                   PB_TrackEvent_LegacyEvent_local_id};
    struct pb_bytes legacy = {0};
    char phase = phases[next_random(sizeof phases - 1)];
    pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_phase, (uint64_t)phase);
    pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_duration_us, next_random(20));
    if (next_random(8))
        pb_put_uint(&legacy, ids[next_random(3)], 1 + next_random(2));
    if (next_random(4) == 0)
        pb_put_str(&legacy, PB_TrackEvent_LegacyEvent_id_scope, STR("s"));
    if (next_random(8) == 0)
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_pid_override, 10 + 10 * next_random(2));
    if (next_random(8) == 0)
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_tid_override, 11 + next_random(3));
    if (next_random(4) == 0)
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_instant_event_scope, next_random(4));
    if (next_random(6) == 0) {
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_bind_id, 4 + next_random(2));
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_flow_direction, next_random(4));
    }
    if (next_random(8) == 0)
        pb_put_uint(event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_SLICE_BEGIN);
    put_inner(event, PB_TrackEvent_legacy_event, &legacy);
}

static void put_thread_counts(struct pb_bytes *event)
{
    if (next_random(2))
        pb_put_uint(event, PB_TrackEvent_thread_time_delta_us, next_random(3));
    else
        pb_put_uint(event, PB_TrackEvent_thread_time_absolute_us, 100 + next_random(3));
    if (next_random(2))
        pb_put_uint(event, PB_TrackEvent_thread_instruction_count_delta, next_random(3));
}

static void put_event(struct pb_bytes *trace, int64_t ts)
{
    struct pb_bytes event = {0};
    put_names(&event);
    if (next_random(2))
        put_typed(&event);
    else
        put_legacy(&event);
    if (next_random(6) == 0)
        put_thread_counts(&event);
    if (next_random(6) == 0)
        put_extra_counters(&event);
    if (next_random(3) == 0)
        put_flows(&event);
    put_packet(trace, 1 + next_random(SEQUENCES), (uint64_t)ts, PB_TracePacket_track_event, &event);
}

/* An instant, at either end of the trace. */
static void put_instant(struct pb_bytes *trace, int64_t ts)
{
    struct pb_bytes event = {0};
    pb_put_uint(&event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_INSTANT);
    pb_put_uint(&event, PB_TrackEvent_track_uuid, OF_ALONE);
    put_packet(trace, 1, (uint64_t)ts, PB_TracePacket_track_event, &event);
}

/* Whose slices are, descriptors may say anywhere; what counters and states are, before them. */
static int place_of_track[OF_COUNTER];

static void place_tracks(void)
{
    for (uint64_t track = OF_THREAD; track < OF_COUNTER; track++)
        place_of_track[track] = next_random(2) ? (int)next_random(EVENTS) : 0;
}

static void put_tracks_at(struct pb_bytes *trace, int event)
{
    for (uint64_t track = OF_THREAD; track < OF_COUNTER; track++)
        if (place_of_track[track] == event)
            put_track(trace, track, track == OF_CHILD ? OF_PROCESS : 0);
}

static void make(struct pb_bytes *trace)
{
    int64_t ts = BEGIN_NS;
    for (uint32_t sequence = 1; sequence <= SEQUENCES; sequence++)
        put_thread(trace, sequence);
    for (uint64_t track = OF_COUNTER; track < OF_UNKNOWN; track++)
        put_track(trace, track, track == OF_LOOP ? OF_LOOP : 0);
    put_instant(trace, ts);
    for (int i = 0; i < EVENTS; i++) {
        put_tracks_at(trace, i);
        put_event(trace, ts += STEP_NS);
    }
    put_instant(trace, ts + STEP_NS);
}

static bool window_is_like_whole(uint64_t seed)
{
    static const struct window_exceptions none = {0};
    struct pb_bytes trace = {0};
    struct lines whole = {0}, window = {0};
    random_state = ~seed;
    place_tracks();
    random_state = seed;
    make(&trace);
    int64_t from = BEGIN_NS + (1 + (int64_t)next_random(EVENTS)) * STEP_NS - next_random(2);
    int64_t to = from + 1 + (int64_t)next_random(EVENTS) * STEP_NS;
    rows_of(&trace, false, from, to, &none, &whole);
    rows_of(&trace, true, from, to, &none, &window);
    bool same = show_differences(&whole, &window);
    if (!same)
        printf("seed %" PRIu64 ", window %" PRId64 " to %" PRId64 "\n", seed, from, to);
    lines_release(&whole);
    lines_release(&window);
    pb_bytes_release(&trace);
    return same;
}

static void test_windows_of_random_events_are_like_the_whole(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        bad += !window_is_like_whole(seed);
    assert_int_equal(bad, 0);
}

/* Also where it has the phase of what lasts for the whole trace. */
static void test_a_counter_behind_the_window_is_left_out(void **state)
{
    struct pb_bytes trace = {0};
    struct trace t;
    (void)state;
    put_thread(&trace, 1);
    put_track(&trace, OF_COUNTER, 0);
    for (int i = 0; i < 3; i++) {
        struct pb_bytes event = {0}, legacy = {0};
        pb_put_uint(&event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_COUNTER);
        pb_put_uint(&event, PB_TrackEvent_track_uuid, OF_COUNTER);
        pb_put_uint(&event, PB_TrackEvent_counter_value, 5);
        pb_put_uint(&legacy, PB_TrackEvent_LegacyEvent_phase, 'M');
        put_inner(&event, PB_TrackEvent_legacy_event, &legacy);
        put_packet(&trace, 1, (uint64_t)(BEGIN_NS + i * STEP_NS), PB_TracePacket_track_event,
                   &event);
    }
    load(&t, &trace, BEGIN_NS + STEP_NS - 1, BEGIN_NS + STEP_NS + 1);
    assert_int_equal(t.tables.counter.rows, 2); /* one as the value before */
    trace_release(&t);
    pb_bytes_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_of_random_events_are_like_the_whole),
        cmocka_unit_test(test_a_counter_behind_the_window_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
