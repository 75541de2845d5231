/* Ftrace events that only the trace itself describes: protobuf text has no way to write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace.h"
#include "parsers/load.h"
#include "pb_fields.h"

enum { PLAIN = 65536, SLICE = 65537, COUNTER = 65538, UNDESCRIBED = 65999, BYTES_MAX = 1024 };
enum {
    INT32 = PB_FieldDescriptorProto_Type_TYPE_INT32,
    INT64 = PB_FieldDescriptorProto_Type_TYPE_INT64,
    STRING = PB_FieldDescriptorProto_Type_TYPE_STRING,
};

struct message {
    uint8_t p[BYTES_MAX];
    size_t n;
};

static void put_varint(struct message *m, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        m->p[m->n++] = (uint8_t)(v | 0x80);
    m->p[m->n++] = (uint8_t)v;
}

static void put_number(struct message *m, uint32_t field, uint64_t v)
{
    put_varint(m, (uint64_t)field << 3);
    put_varint(m, v);
}

static void put_bytes(struct message *m, uint32_t field, const void *p, size_t n)
{
    put_varint(m, (uint64_t)field << 3 | 2);
    put_varint(m, n);
    assert_true(m->n + n <= BYTES_MAX);
    memcpy(m->p + m->n, p, n);
    m->n += n;
}

static void put_text(struct message *m, uint32_t field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_field(struct message *descriptor, const char *name, uint32_t number, uint32_t type)
{
    struct message f = {.n = 0};
    put_text(&f, PB_FieldDescriptorProto_name, name);
    put_number(&f, PB_FieldDescriptorProto_number, number);
    put_number(&f, PB_FieldDescriptorProto_type, type);
    put_bytes(descriptor, PB_DescriptorProto_field, f.p, f.n);
}

static void put_descriptor(struct message *bundle, uint32_t id, const struct message *descriptor)
{
    struct message m = {.n = 0};
    put_number(&m, PB_FtraceEventBundle_GenericEventDescriptor_field_id, id);
    put_bytes(&m, PB_FtraceEventBundle_GenericEventDescriptor_event_descriptor, descriptor->p,
              descriptor->n);
    put_bytes(bundle, PB_FtraceEventBundle_generic_event_descriptors, m.p, m.n);
}

static void put_event_of(struct message *bundle, uint64_t ts, uint32_t pid, uint32_t id,
                         const struct message *payload)
{
    struct message m = {.n = 0};
    put_number(&m, PB_FtraceEvent_timestamp, ts);
    put_number(&m, PB_FtraceEvent_pid, pid);
    put_bytes(&m, id, payload->p, payload->n);
    put_bytes(bundle, PB_FtraceEventBundle_event, m.p, m.n);
}

static void put_event(struct message *bundle, uint64_t ts, uint32_t id,
                      const struct message *payload)
{
    put_event_of(bundle, ts, 10, id, payload);
}

static void load(struct trace *t, const struct message *bundle)
{
    struct message packet = {.n = 0}, trace = {.n = 0};
    put_bytes(&packet, PB_TracePacket_ftrace_events, bundle->p, bundle->n);
    put_bytes(&trace, PB_Trace_packet, packet.p, packet.n);
    trace_init(t);
    struct status s = trace_load_memory(t, "test", trace.p, trace.n, NULL);
    assert_true(status_ok(s));
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
    struct message bundle = {.n = 0}, descriptor = {.n = 0}, payload = {.n = 0};
    put_number(&bundle, PB_FtraceEventBundle_cpu, 2);
    put_text(&descriptor, PB_DescriptorProto_name, "plain");
    put_field(&descriptor, "value", 1, INT64);
    put_field(&descriptor, "name", 2, STRING);
    put_descriptor(&bundle, PLAIN, &descriptor);
    put_number(&payload, 1, 7);
    put_text(&payload, 2, "seven");
    put_number(&payload, 9, 1); /* in no descriptor */
    put_event(&bundle, 100, PLAIN, &payload);
    put_event(&bundle, 110, UNDESCRIBED, &payload);

    struct trace t;
    load(&t, &bundle);
    const struct table *events = &t.tables.ftrace_event;
    assert_int_equal(events->rows, 1);
    assert_text(text_at(&t, events, ftrace_event_col_name, 0), "plain");
    struct arg_list args = {0};
    args_read(&t.args, table_u32(events, ftrace_event_col_arg_set_id)[0], &args);
    assert_int_equal(args.v.count, 2);
    assert_text(string_pool_get(&t.strings, args.v.items[0].key), "value");
    assert_int_equal(args.v.items[0].i, 7);
    assert_text(string_pool_get(&t.strings, args.v.items[1].s), "seven");
    assert_int_equal(stats_get(&t, STAT_ftrace_generic_descriptor_errors, STAT_SINGLE), 1);
    arg_list_release(&args);
    trace_release(&t);
}

static void put_slice_event(struct message *bundle, uint64_t ts, char type, const char *name)
{
    struct message payload = {.n = 0};
    put_number(&payload, 1, (uint64_t)type);
    if (name)
        put_text(&payload, 2, name);
    put_event(bundle, ts, SLICE, &payload);
}

static void test_kernel_track_events_become_slices(void **state)
{
    (void)state;
    struct message bundle = {.n = 0}, descriptor = {.n = 0};
    put_number(&bundle, PB_FtraceEventBundle_cpu, 0);
    put_text(&descriptor, PB_DescriptorProto_name, "kernel_slice");
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
    assert_int_equal(stats_get(&t, STAT_kernel_trackevent_format_error, STAT_SINGLE), 2);
    trace_release(&t);
}

static void test_kernel_track_events_become_counters_of_their_scope(void **state)
{
    (void)state;
    struct message bundle = {.n = 0}, descriptor = {.n = 0}, payload = {.n = 0};
    put_number(&bundle, PB_FtraceEventBundle_cpu, 0);
    put_text(&descriptor, PB_DescriptorProto_name, "kernel_counter");
    put_field(&descriptor, "counter_value", 1, INT64);
    put_field(&descriptor, "track_name", 2, STRING);
    put_field(&descriptor, "scope_cpu", 3, INT32);
    put_descriptor(&bundle, COUNTER, &descriptor);
    put_number(&payload, 1, 42);
    put_text(&payload, 2, "load");
    put_number(&payload, 3, 1);
    put_event(&bundle, 100, COUNTER, &payload);

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
    struct message bundle = {.n = 0}, sent = {.n = 0}, received = {.n = 0}, call = {.n = 0},
                   id = {.n = 0};
    put_number(&bundle, PB_FtraceEventBundle_cpu, 0);
    put_text(&sent, PB_DescriptorProto_name, "rust_binder_transaction");
    put_field(&sent, "debug_id", 3, INT64);
    put_field(&sent, "to_proc", 4, INT64);
    put_field(&sent, "flags", 5, INT64);
    put_descriptor(&bundle, SENT, &sent);
    put_text(&received, PB_DescriptorProto_name, "rust_binder_transaction_received");
    put_field(&received, "debug_id", 1, INT64);
    put_descriptor(&bundle, RECEIVED, &received);
    put_number(&call, 3, 77);
    put_number(&call, 4, 20);
    put_number(&call, 5, 1); /* one way */
    put_number(&id, 1, 77);
    put_event_of(&bundle, 100, 10, SENT, &call);
    put_event_of(&bundle, 200, 21, RECEIVED, &id);
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
