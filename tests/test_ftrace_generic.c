/* Ftrace events that only the trace itself describes: protobuf text has no way to write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace/ftrace_rows.h"
#include "core/trace_builder.h"
#include "parsers/load.h"
#include "pb_fields.h"
#include "test_messages.h"

enum { PLAIN = 65536, SLICE = 65537, COUNTER = 65538, UNDESCRIBED = 65999 };
enum {
    INT32 = PB_FieldDescriptorProto_Type_TYPE_INT32,
    INT64 = PB_FieldDescriptorProto_Type_TYPE_INT64,
    STRING = PB_FieldDescriptorProto_Type_TYPE_STRING,
};

static void put_field(struct pb_bytes *descriptor, const char *name, uint32_t number, uint32_t type)
{
    struct pb_bytes f = {0};
    pb_put_str(&f, PB_FieldDescriptorProto_name, str_from(name));
    pb_put_uint(&f, PB_FieldDescriptorProto_number, number);
    pb_put_uint(&f, PB_FieldDescriptorProto_type, type);
    put_inner(descriptor, PB_DescriptorProto_field, &f);
}

/* Empties the descriptor. */
static void put_descriptor(struct pb_bytes *bundle, uint32_t id, struct pb_bytes *descriptor)
{
    struct pb_bytes m = {0};
    pb_put_uint(&m, PB_FtraceEventBundle_GenericEventDescriptor_field_id, id);
    put_inner(&m, PB_FtraceEventBundle_GenericEventDescriptor_event_descriptor, descriptor);
    put_inner(bundle, PB_FtraceEventBundle_generic_event_descriptors, &m);
}

static void put_event_of(struct pb_bytes *bundle, uint64_t ts, uint32_t pid, uint32_t id,
                         const struct pb_bytes *payload)
{
    struct pb_bytes m = {0};
    pb_put_uint(&m, PB_FtraceEvent_timestamp, ts);
    pb_put_uint(&m, PB_FtraceEvent_pid, pid);
    pb_put_message(&m, id, payload);
    put_inner(bundle, PB_FtraceEventBundle_event, &m);
}

static void put_event(struct pb_bytes *bundle, uint64_t ts, uint32_t id,
                      const struct pb_bytes *payload)
{
    put_event_of(bundle, ts, 10, id, payload);
}

/* Empties the bundle. */
static void load(struct trace *t, struct pb_bytes *bundle)
{
    struct pb_bytes packet = {0}, trace = {0};
    put_inner(&packet, PB_TracePacket_ftrace_events, bundle);
    put_inner(&trace, PB_Trace_packet, &packet);
    trace_init(t);
    struct status s = trace_load_memory(t, "test", trace.v.items, trace.v.count, NULL);
    assert_true(status_ok(s));
    pb_bytes_release(&trace);
}

static struct str text_at(const struct trace *t, const struct table *table, uint32_t column,
                          uint32_t row)
{
    return string_pool_get(&t->strings, column_str(&table->columns[column], row));
}

#define assert_text(text, wanted) assert_true(str_eq((text), STR(wanted)))

static void test_described_events_show_their_fields(void **state)
{
    (void)state;
    struct pb_bytes bundle = {0}, descriptor = {0}, payload = {0};
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, 2);
    pb_put_str(&descriptor, PB_DescriptorProto_name, STR("plain"));
    put_field(&descriptor, "value", 1, INT64);
    put_field(&descriptor, "name", 2, STRING);
    put_descriptor(&bundle, PLAIN, &descriptor);
    pb_put_uint(&payload, 1, 7);
    pb_put_str(&payload, 2, STR("seven"));
    pb_put_uint(&payload, 9, 1); /* in no descriptor */
    put_event(&bundle, 100, PLAIN, &payload);
    put_event(&bundle, 110, UNDESCRIBED, &payload);

    struct trace t;
    load(&t, &bundle);
    const struct table *events = ftrace_rows_ready(&t);
    assert_int_equal(events->rows, 1);
    assert_text(text_at(&t, events, ftrace_event_col_name, 0), "plain");
    struct arg_list args = {0};
    args_read(&t.args, table_u32(events, ftrace_event_col_arg_set_id)[0], &args);
    assert_int_equal(args.v.count, 2);
    assert_text(string_pool_get(&t.strings, args.v.items[0].key), "value");
    assert_int_equal(args.v.items[0].i, 7);
    assert_text(string_pool_get(&t.strings, args.v.items[1].s), "seven");
    assert_int_equal(stats_total(&t, STAT_ftrace_generic_descriptor_errors), 1);
    arg_list_release(&args);
    pb_bytes_release(&payload);
    trace_release(&t);
}

static void put_slice_event(struct pb_bytes *bundle, uint64_t ts, char type, const char *name)
{
    struct pb_bytes payload = {0};
    pb_put_uint(&payload, 1, (uint64_t)type);
    if (name)
        pb_put_str(&payload, 2, str_from(name));
    put_event(bundle, ts, SLICE, &payload);
    pb_bytes_release(&payload);
}

static void test_kernel_track_events_become_slices(void **state)
{
    (void)state;
    struct pb_bytes bundle = {0}, descriptor = {0};
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, 0);
    pb_put_str(&descriptor, PB_DescriptorProto_name, STR("kernel_slice"));
    put_field(&descriptor, "track_event_type", 1, INT32);
    put_field(&descriptor, "slice_name", 2, STRING);
    put_descriptor(&bundle, SLICE, &descriptor);
    put_slice_event(&bundle, 100, 'B', "work");
    put_slice_event(&bundle, 110, 'I', "point");
    put_slice_event(&bundle, 120, 'E', "");
    put_slice_event(&bundle, 130, 'E', NULL); /* lacks a field of the convention */
    put_slice_event(&bundle, 140, '?', "");

    struct trace t;
    load(&t, &bundle);
    const struct table *slices = &t.tables.slice;
    assert_int_equal(slices->rows, 2);
    assert_text(text_at(&t, slices, slice_col_name, 0), "work");
    assert_int_equal(table_i64(slices, slice_col_dur)[0], 20);
    assert_text(text_at(&t, slices, slice_col_name, 1), "point");
    assert_text(text_at(&t, &t.tables.track, track_col_type, 0), "kernel_trackevent_thread_slice");
    assert_text(text_at(&t, &t.tables.track, track_col_name, 0), "kernel_slice");
    assert_int_equal(stats_total(&t, STAT_kernel_trackevent_format_error), 2);
    trace_release(&t);
}

static void test_kernel_track_events_become_counters_of_their_scope(void **state)
{
    (void)state;
    struct pb_bytes bundle = {0}, descriptor = {0}, payload = {0};
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, 0);
    pb_put_str(&descriptor, PB_DescriptorProto_name, STR("kernel_counter"));
    put_field(&descriptor, "counter_value", 1, INT64);
    put_field(&descriptor, "track_name", 2, STRING);
    put_field(&descriptor, "scope_cpu", 3, INT32);
    put_descriptor(&bundle, COUNTER, &descriptor);
    pb_put_uint(&payload, 1, 42);
    pb_put_str(&payload, 2, STR("load"));
    pb_put_uint(&payload, 3, 1);
    put_event(&bundle, 100, COUNTER, &payload);
    pb_bytes_release(&payload);

    struct trace t;
    load(&t, &bundle);
    assert_int_equal(t.tables.counter.rows, 1);
    assert_true(table_f64(&t.tables.counter, counter_col_value)[0] == 42.0);
    assert_text(text_at(&t, &t.tables.track, track_col_type, 0), "kernel_trackevent_cpu_counter");
    assert_text(text_at(&t, &t.tables.track, track_col_name, 0), "load");
    trace_release(&t);
}

static void test_binder_in_rust_is_binder(void **state)
{
    (void)state;
    enum { SENT = 65540, RECEIVED };
    struct pb_bytes bundle = {0}, sent = {0}, received = {0}, call = {0}, id = {0};
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, 0);
    pb_put_str(&sent, PB_DescriptorProto_name, STR("rust_binder_transaction"));
    put_field(&sent, "debug_id", 3, INT64);
    put_field(&sent, "to_proc", 4, INT64);
    put_field(&sent, "flags", 5, INT64);
    put_descriptor(&bundle, SENT, &sent);
    pb_put_str(&received, PB_DescriptorProto_name, STR("rust_binder_transaction_received"));
    put_field(&received, "debug_id", 1, INT64);
    put_descriptor(&bundle, RECEIVED, &received);
    pb_put_uint(&call, 3, 77);
    pb_put_uint(&call, 4, 20);
    pb_put_uint(&call, 5, 1); /* one way */
    pb_put_uint(&id, 1, 77);
    put_event_of(&bundle, 100, 10, SENT, &call);
    put_event_of(&bundle, 200, 21, RECEIVED, &id);
    pb_bytes_release(&call);
    pb_bytes_release(&id);
    struct trace t;
    load(&t, &bundle);
    const struct table *slice = &t.tables.slice;
    assert_int_equal(slice->rows, 2);
    assert_text(text_at(&t, slice, slice_col_name, 0), "binder transaction async");
    assert_text(text_at(&t, slice, slice_col_name, 1), "binder async rcv");
    assert_int_equal(t.tables.flow.rows, 1);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binder_in_rust_is_binder),
        cmocka_unit_test(test_described_events_show_their_fields),
        cmocka_unit_test(test_kernel_track_events_become_slices),
        cmocka_unit_test(test_kernel_track_events_become_counters_of_their_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
