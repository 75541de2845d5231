/* Traces made to take much time or memory for their size: what they may cost is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "core/trace_builder.h"
#include "parsers/json/order.h"
#include "parsers/load.h"
#include "parsers/proto/descriptors.h"
#include "pb_fields.h"
#include "test_messages.h"

static void load(struct trace *t, struct pb_bytes *trace)
{
    trace_init(t);
    struct status s = trace_load_memory(t, "limits", trace->v.items, trace->v.count, NULL);
    assert_true(status_ok(s));
    vec_release(&trace->v);
}

static void put_reading(struct pb_bytes *snapshot, uint64_t clock, uint64_t ts)
{
    struct pb_bytes reading = {0};
    pb_put_uint(&reading, PB_ClockSnapshot_Clock_clock_id, clock);
    pb_put_uint(&reading, PB_ClockSnapshot_Clock_timestamp, ts);
    put_inner(snapshot, PB_ClockSnapshot_clocks, &reading);
}

/* Snapshots that all have a clock of their own beside BOOTTIME. */
static void put_clock_sets(struct pb_bytes *trace, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct pb_bytes snapshot = {0}, packet = {0};
        put_reading(&snapshot, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME, 1000 + i);
        put_reading(&snapshot, 1000 + i, 1000);
        put_inner(&packet, PB_TracePacket_clock_snapshot, &snapshot);
        put_inner(trace, PB_Trace_packet, &packet);
    }
}

static void test_clocks_of_thousands_of_sequences_are_known(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    put_clock_sets(&trace, 20000);
    load(&t, &trace);
    assert_int_equal(stats_total(&t, STAT_invalid_clock_snapshots), 0);
    assert_int_equal(t.tables.clock_snapshot.rows, 40000);
    trace_release(&t);
}

static void test_no_more_clocks_are_related_than_a_trace_can_mean(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    put_clock_sets(&trace, 70000);
    load(&t, &trace);
    assert_true(stats_total(&t, STAT_invalid_clock_snapshots) > 0);
    trace_release(&t);
}

static void test_long_key_around_many_values_is_cut(void **state)
{
    (void)state;
    enum { LENGTH = 100000, COUNT = 20000, KEY_MAX = 1024 };
    char *name = alloc_bytes(LENGTH);
    memset(name, 'k', LENGTH);
    struct pb_bytes annotation = {0}, value = {0}, event = {0}, packet = {0}, trace = {0};
    put_bytes(&annotation, PB_DebugAnnotation_name, name, LENGTH);
    for (int i = 0; i < COUNT; i++) {
        pb_put_uint(&value, PB_DebugAnnotation_int_value, 1);
        put_inner(&annotation, PB_DebugAnnotation_array_values, &value);
    }
    pb_put_uint(&event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_INSTANT);
    pb_put_uint(&event, PB_TrackEvent_track_uuid, 1);
    put_inner(&event, PB_TrackEvent_debug_annotations, &annotation);
    pb_put_uint(&packet, PB_TracePacket_timestamp, 5);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    put_inner(&packet, PB_TracePacket_track_event, &event);
    put_inner(&trace, PB_Trace_packet, &packet);
    free(name);
    struct trace t;
    load(&t, &trace);
    assert_int_equal(t.tables.slice.rows, 1);
    args_row_count(&t.args);
    for (string_id id = 1; id < t.strings.count; id++)
        assert_true(string_pool_get(&t.strings, id).n <= KEY_MAX + 16);
    trace_release(&t);
}

static void test_types_in_a_type_of_a_long_name_are_left_out(void **state)
{
    (void)state;
    enum { LENGTH = 100000, COUNT = 20000 };
    char *name = alloc_bytes(LENGTH);
    memset(name, 'm', LENGTH);
    struct pb_bytes type = {0}, nested = {0}, file = {0}, set = {0}, extension = {0}, packet = {0},
                    trace = {0};
    put_bytes(&type, PB_DescriptorProto_name, name, LENGTH);
    for (int i = 0; i < COUNT; i++) {
        pb_put_str(&nested, PB_DescriptorProto_name, STR("n"));
        put_inner(&type, PB_DescriptorProto_nested_type, &nested);
    }
    put_inner(&file, PB_FileDescriptorProto_message_type, &type);
    put_inner(&set, PB_FileDescriptorSet_file, &file);
    struct descriptors registry = {0};
    descriptors_find(&registry, STR("")); /* brings those of the program */
    size_t types = registry.types.count, memory = registry.arena.total;
    assert_true(status_ok(descriptors_add(&registry, set.v.items, set.v.count)));
    assert_int_equal(registry.types.count, types);
    assert_true(registry.arena.total - memory < 4 * set.v.count); /* else 2 GB */
    descriptors_release(&registry);
    put_inner(&extension, PB_ExtensionDescriptor_extension_set, &set);
    put_inner(&packet, PB_TracePacket_extension_descriptor, &extension);
    put_inner(&trace, PB_Trace_packet, &packet);
    free(name);
    struct trace t;
    load(&t, &trace);
    trace_release(&t);
}

/* A packet that inflates to `n` zeros. */
static void put_deflated(struct pb_bytes *trace, size_t n)
{
    uint8_t *zeros = alloc_array(n, 1);
    uLongf size = compressBound(n);
    uint8_t *deflated = alloc_bytes(size);
    assert_int_equal(compress2(deflated, &size, zeros, n, Z_BEST_SPEED), Z_OK);
    struct pb_bytes packet = {0};
    put_bytes(&packet, PB_TracePacket_compressed_packets, deflated, size);
    put_inner(trace, PB_Trace_packet, &packet);
    free(deflated);
    free(zeros);
}

static void test_compressed_packets_inflate_to_a_multiple_of_the_trace(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    put_deflated(&trace, 50 << 20);
    put_deflated(&trace, 50 << 20);
    load(&t, &trace);
    assert_int_equal(stats_total(&t, STAT_decompression_errors), 1);
    trace_release(&t);
}

static void test_compressed_file_inflates_to_a_multiple_of_itself(void **state)
{
    (void)state;
    enum { ZEROS = 400 << 20, LIMIT = 300 << 20 };
    struct pb_bytes packet = {0}, trace = {0};
    pb_put_uint(&packet, PB_TracePacket_timestamp, 5);
    put_inner(&trace, PB_Trace_packet, &packet);
    uint8_t *zeros = alloc_array(ZEROS, 1);
    memcpy(zeros, trace.v.items, trace.v.count);
    struct pb_bytes file = {0};
    vec_reserve(&file.v, ZSTD_compressBound(ZEROS));
    file.v.count = ZSTD_compress(file.v.items, file.v.cap, zeros, ZEROS, 1);
    struct trace t;
    load(&t, &file);
    assert_int_equal(stats_total(&t, STAT_decompression_errors), 1);
    int64_t unread = stats_total(&t, STAT_trace_truncated_bytes);
    assert_true(unread > 0 && unread < LIMIT);
    trace_release(&t);
    vec_release(&trace.v);
    free(zeros);
}

static void test_callstack_ends_at_its_deepest(void **state)
{
    (void)state;
    enum { FRAMES = 50000, FRAMES_MAX = 4096 };
    struct pb_bytes mapping = {0}, frame = {0}, stack = {0}, interned = {0}, sample = {0},
                    packet = {0}, trace = {0};
    pb_put_uint(&mapping, PB_Mapping_iid, 1);
    put_inner(&interned, PB_InternedData_mappings, &mapping);
    pb_put_uint(&frame, PB_Frame_iid, 1);
    pb_put_uint(&frame, PB_Frame_mapping_id, 1);
    put_inner(&interned, PB_InternedData_frames, &frame);
    pb_put_uint(&stack, PB_Callstack_iid, 1);
    for (int i = 0; i < FRAMES; i++)
        pb_put_uint(&stack, PB_Callstack_frame_ids, 1);
    put_inner(&interned, PB_InternedData_callstacks, &stack);
    pb_put_uint(&sample, PB_PerfSample_pid, 5);
    pb_put_uint(&sample, PB_PerfSample_tid, 6);
    pb_put_uint(&sample, PB_PerfSample_callstack_iid, 1);
    pb_put_uint(&packet, PB_TracePacket_timestamp, 5);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    pb_put_uint(&packet, PB_TracePacket_incremental_state_cleared, 1);
    put_inner(&packet, PB_TracePacket_interned_data, &interned);
    put_inner(&packet, PB_TracePacket_perf_sample, &sample);
    put_inner(&trace, PB_Trace_packet, &packet);
    struct trace t;
    load(&t, &trace);
    assert_int_equal(t.tables.stack_profile_callsite.rows, FRAMES_MAX);
    assert_int_equal(t.tables.profiler_sample.rows, 1);
    trace_release(&t);
}

static void test_track_of_an_ended_cookie_is_taken_again(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    struct track_spec spec = {.type = "test"};
    uint32_t a = track_set_begin(&t, &spec, 1), b = track_set_begin(&t, &spec, 2),
             c = track_set_begin(&t, &spec, 3);
    assert_true(a != b && b != c && a != c);
    assert_int_equal(track_set_begin(&t, &spec, 2), b); /* nests */
    track_set_end(&t, &spec, 2);
    assert_true(track_set_begin(&t, &spec, 4) > c); /* it is still open */
    track_set_end(&t, &spec, 2);
    track_set_end(&t, &spec, 1);
    assert_int_equal(track_set_begin(&t, &spec, 2), b); /* what it had last */
    assert_int_equal(track_set_begin(&t, &spec, 5), a);
    track_set_end(&t, &spec, 2);
    assert_int_equal(track_set_begin(&t, &spec, 6), b);
    assert_true(track_set_begin(&t, &spec, 2) > c);
    trace_release(&t);
}

/* A message with one field, a message with one field, and so on. */
static void put_nested(struct pb_bytes *o, const uint32_t *fields, size_t n, struct pb_bytes *inner)
{
    for (size_t i = n; i-- > 1;) {
        struct pb_bytes outer = {0};
        put_inner(&outer, fields[i], inner);
        *inner = outer;
    }
    put_inner(o, fields[0], inner);
}

/* Copies the timestamp of a patch to the state. */
static void put_timestamp_program(struct pb_bytes *instance)
{
    struct pb_bytes component = {0}, select = {0}, set = {0}, inner = {0}, outer = {0};
    pb_put_uint(&component, PB_VmOpSelect_PathComponent_field_id, PB_TracePacket_timestamp);
    put_bytes(&select, PB_VmOpSelect_relative_path, component.v.items, component.v.count);
    put_bytes(&outer, PB_VmInstruction_select, select.v.items, select.v.count);
    pb_put_uint(&select, PB_VmOpSelect_cursor, PB_VmCursorEnum_VM_CURSOR_DST);
    pb_put_uint(&select, PB_VmOpSelect_create_if_not_exist, 1);
    put_inner(&inner, PB_VmInstruction_select, &select);
    put_nested(&inner,
               (const uint32_t[]){PB_VmInstruction_nested_instructions, PB_VmInstruction_set}, 2,
               &set);
    put_inner(&outer, PB_VmInstruction_nested_instructions, &inner);
    put_nested(instance,
               (const uint32_t[]){PB_TracePacket_ProtoVms_Instance_program,
                                  PB_VmProgram_instructions},
               2, &outer);
    vec_release(&component.v);
}

static void test_patches_make_a_multiple_of_the_trace(void **state)
{
    (void)state;
    enum { STATE = 1 << 17, PATCHES = 2000, ALLOWED = (64 << 20) / STATE + 160 };
    static char text[STATE];
    struct pb_bytes trace = {0}, sequence = {0}, instance = {0}, snapshot = {0};
    struct trace t;
    pb_put_uint(&sequence, PB_TraceProvenance_Sequence_id, 1);
    pb_put_uint(&sequence, PB_TraceProvenance_Sequence_producer_id, 1);
    put_nested(&trace,
               (const uint32_t[]){PB_Trace_packet, PB_TracePacket_trace_provenance,
                                  PB_TraceProvenance_buffers, PB_TraceProvenance_Buffer_sequences},
               4, &sequence);
    memset(text, 'x', sizeof text);
    put_bytes(&snapshot, PB_LayersSnapshotProto_where, text, sizeof text);
    put_nested(&instance,
               (const uint32_t[]){PB_TracePacket_ProtoVms_Instance_state,
                                  PB_TracePacket_surfaceflinger_layers_snapshot},
               2, &snapshot);
    put_timestamp_program(&instance);
    pb_put_uint(&instance, PB_TracePacket_ProtoVms_Instance_producer_id, 1);
    pb_put_uint(&instance, PB_TracePacket_ProtoVms_Instance_memory_limit_kb, 1024);
    put_nested(&trace,
               (const uint32_t[]){PB_Trace_packet, PB_TracePacket_protovms,
                                  PB_TracePacket_ProtoVms_instance},
               3, &instance);
    for (uint64_t i = 0; i < PATCHES; i++) {
        struct pb_bytes packet = {0};
        pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
        pb_put_uint(&packet, PB_TracePacket_timestamp, 100 + i);
        put_inner(&trace, PB_Trace_packet, &packet);
    }
    load(&t, &trace);
    assert_in_range(t.tables.surfaceflinger_layers_snapshot.rows, ALLOWED / 2, ALLOWED);
    trace_release(&t);
}

static void test_long_text_of_many_modem_events_is_cut(void **state)
{
    (void)state;
    enum { LENGTH = 100000, COUNT = 1000, TEXT_MAX = 1024 };
    /* One entry, token 0, not removed. */
    static const uint8_t head[] = {'T', 'O', 'K', 'E', 'N', 'S', 0, 0, 1,   0,   0,   0,
                                   0,   0,   0,   0,   0,   0,   0, 0, 255, 255, 255, 255};
    char *text = alloc_bytes(sizeof head + LENGTH);
    struct pb_bytes trace = {0}, database = {0}, events = {0};
    memcpy(text, head, sizeof head);
    memset(text + sizeof head, 'x', LENGTH);
    memcpy(text + sizeof head, "%d", 2);
    text[sizeof head + LENGTH - 1] = 0;
    put_bytes(&database, PB_PixelModemTokenDatabase_database, text, sizeof head + LENGTH);
    put_nested(&trace,
               (const uint32_t[]){PB_Trace_packet, PB_TracePacket_pixel_modem_token_database}, 2,
               &database);
    for (unsigned i = 0; i < COUNT; i++) {
        const uint8_t event[] = {0, 0, 0, 0, (uint8_t)(i | 0x80), (uint8_t)(i >> 7)};
        put_bytes(&events, PB_PixelModemEvents_events, event, sizeof event);
        pb_put_uint(&events, PB_PixelModemEvents_event_time_nanos, 1);
    }
    put_nested(&trace, (const uint32_t[]){PB_Trace_packet, PB_TracePacket_pixel_modem_events}, 2,
               &events);
    free(text);
    struct trace t;
    load(&t, &trace);
    assert_int_equal(t.tables.slice.rows, COUNT);
    for (string_id id = 1; id < t.strings.count; id++)
        assert_true(string_pool_get(&t.strings, id).n <= TEXT_MAX);
    trace_release(&t);
}

/* Each event seems to reach to the end of the file: 100,000 times 4 MB. */
static void test_json_events_that_never_end_are_left_soon(void **state)
{
    (void)state;
    static const char open[] = "{\"ph\":\"X\",\"args\":{\"a\":[[1}},\n",
                      text[] = "{\"ph\":\"X\",\"cat\":\"a,\n},{",
                      good[] = "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1}]";
    const char *const kinds[] = {open, text};
    for (size_t kind = 0; kind < 2; kind++) {
        struct pb_bytes trace = {0};
        struct trace t;
        *vec_push(&trace.v) = '[';
        for (size_t i = 0; i < 100001; i++) {
            const char *event = i == 100000 ? good : kinds[kind];
            vec_reserve(&trace.v, trace.v.count + strlen(event));
            memcpy(trace.v.items + trace.v.count, event, strlen(event));
            trace.v.count += strlen(event);
        }
        load(&t, &trace);
        assert_true(stats_total(&t, STAT_json_tokenizer_failure) > 10000);
        trace_release(&t);
    }
}

/* Each end of a time looks for its begin among those of that time. */
static void test_json_begins_of_a_time_are_looked_through_so_far(void **state)
{
    (void)state;
    struct json_begun begun = {0};
    for (uint32_t i = 0; i < 100000; i++)
        json_begun_add(&begun, 1, (struct json_called){1, 1});
    assert_in_range(begun.open.count, 1, 1000);
    assert_true(json_end_is_first(&begun, 1, (struct json_called){1, 2}));
    assert_false(json_end_is_first(&begun, 1, (struct json_called){1, 1}));
    json_begun_release(&begun);
}

static void put_number(struct pb_bytes *trace, uint64_t value, int bytes)
{
    while (bytes-- > 0)
        *vec_push(&trace->v) = bytes < 8 ? (uint8_t)(value >> bytes * 8) : 0;
}

/* Classes that say they have 65,535 fields, each in a segment of its own. */
static void test_fields_of_classes_are_not_read_over_and_over(void **state)
{
    (void)state;
    enum { CLASSES = 5000, CLASS = 43, SEGMENT = 0x1c, CLASS_DUMP = 0x20 };
    struct pb_bytes trace = {0};
    struct trace t;
    vec_append(&trace.v, (const uint8_t *)"JAVA PROFILE 1.0.2", 19);
    put_number(&trace, 4, 4);
    put_number(&trace, 1000, 8);
    for (uint64_t i = 0; i < CLASSES; i++) {
        put_number(&trace, SEGMENT, 1);
        put_number(&trace, CLASS, 8); /* after a time of 0 */
        put_number(&trace, CLASS_DUMP, 1);
        put_number(&trace, 1000 + i, 4);
        put_number(&trace, 0, 28);
        put_number(&trace, 16, 4);
        put_number(&trace, 0, 4);
        put_number(&trace, 65535, 2);
    }
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    load(&t, &trace);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 200 << 10); /* KB; it would be 1 GB */
    trace_release(&t);
}

static void put_text(struct pb_bytes *trace, const char *text, size_t times)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < times; i++)
        vec_append(&trace->v, (const uint8_t *)text, n);
}

/* 4096 codes of a byte each in one page: an address is not looked for in all of them. */
static void test_of_codes_in_a_page_the_oldest_are_forgotten(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    char line[96];
    put_text(&trace, "v8-version,1,2,3\n", 1);
    for (unsigned i = 0; i < 4096; i++) {
        snprintf(line, sizeof line, "code-creation,Stub,0,1,0x%x,1,f%u\n", 0x10000 + i, i);
        put_text(&trace, line, 1);
    }
    put_text(&trace, "tick,0x10ffe,10,0,0x0,0", 1);
    put_text(&trace, ",0x10000", 100000);
    put_text(&trace, ",0x10fff\n", 1);
    load(&t, &trace);
    assert_int_equal(t.tables.profiler_sample.rows, 1);
    assert_int_equal(t.tables.stack_profile_callsite.rows, 2);
    trace_release(&t);
}

/* A title without its end is not looked for in all of the file. */
static void test_titles_that_never_end_are_left_soon(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    put_text(&trace, "<svg><title>a (1 samples)</title><rect x=\"1\" y=\"2\" width=\"5\"/>", 1);
    put_text(&trace, "<title>", 1000000);
    load(&t, &trace);
    assert_int_equal(t.tables.aggregate_sample.rows, 1);
    trace_release(&t);
}

/* Each is at its device while all others are: there are 256 lanes. */
static void test_requests_without_a_lane_are_counted(void **state)
{
    (void)state;
    struct pb_bytes trace = {0};
    struct trace t;
    char line[96];
    for (unsigned i = 0; i < 600; i++) {
        snprintf(line, sizeof line, "8,0 0 %u 0.%09u 5 %c W %u + 8 [a]\n", i, i,
                 i < 300 ? 'D' : 'C', i % 300);
        put_text(&trace, line, 1);
    }
    load(&t, &trace);
    assert_int_equal(t.tables.slice.rows, 256);
    assert_int_equal(stats_total(&t, STAT_slice_drop_overlapping_complete_event), 44);
    trace_release(&t);
}

static void put_interned(struct pb_bytes *interned, uint32_t list, const char *text)
{
    struct pb_bytes one = {0};
    pb_put_uint(&one, PB_InternedString_iid, 1);
    pb_put_str(&one, PB_InternedString_str, str_from(text));
    put_inner(interned, list, &one);
}

/* A sample of so many frames that are all called a.b. */
static void put_frames_of_a_name(struct pb_bytes *trace, int count)
{
    struct pb_bytes mapping = {0}, stack = {0}, interned = {0}, sample = {0}, packet = {0};
    put_interned(&interned, PB_InternedData_mapping_paths, "memfd:jit-cache");
    put_interned(&interned, PB_InternedData_function_names, "a.b");
    pb_put_uint(&mapping, PB_Mapping_iid, 1);
    pb_put_uint(&mapping, PB_Mapping_path_string_ids, 1);
    put_inner(&interned, PB_InternedData_mappings, &mapping);
    pb_put_uint(&stack, PB_Callstack_iid, 1);
    for (int i = 1; i <= count; i++) {
        struct pb_bytes frame = {0};
        pb_put_uint(&frame, PB_Frame_iid, (uint64_t)i);
        pb_put_uint(&frame, PB_Frame_mapping_id, 1);
        pb_put_uint(&frame, PB_Frame_function_name_id, 1);
        pb_put_uint(&frame, PB_Frame_rel_pc, (uint64_t)i);
        put_inner(&interned, PB_InternedData_frames, &frame);
        pb_put_uint(&stack, PB_Callstack_frame_ids, (uint64_t)i);
    }
    put_inner(&interned, PB_InternedData_callstacks, &stack);
    pb_put_uint(&sample, PB_PerfSample_callstack_iid, 1);
    pb_put_uint(&packet, PB_TracePacket_timestamp, 5);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    pb_put_uint(&packet, PB_TracePacket_incremental_state_cleared, 1);
    put_inner(&packet, PB_TracePacket_interned_data, &interned);
    put_inner(&packet, PB_TracePacket_perf_sample, &sample);
    put_inner(trace, PB_Trace_packet, &packet);
}

/* Whether the last of so many mappings, each with another name for them, names all frames. */
static bool last_mapping_names(int mappings)
{
    enum { FRAMES = 4000 };
    struct pb_bytes trace = {0};
    struct trace t;
    char name[24];
    put_frames_of_a_name(&trace, FRAMES);
    for (int i = 0; i < mappings; i++) {
        struct pb_bytes method = {0}, class_ = {0}, mapping = {0}, packet = {0};
        snprintf(name, sizeof name, "n%d", i);
        pb_put_str(&method, PB_ObfuscatedMember_obfuscated_name, STR("b"));
        pb_put_str(&method, PB_ObfuscatedMember_deobfuscated_name, STR("b"));
        pb_put_str(&class_, PB_ObfuscatedClass_obfuscated_name, STR("a"));
        pb_put_str(&class_, PB_ObfuscatedClass_deobfuscated_name, str_from(name));
        put_inner(&class_, PB_ObfuscatedClass_obfuscated_methods, &method);
        pb_put_str(&mapping, PB_DeobfuscationMapping_package_name, STR("p"));
        put_inner(&mapping, PB_DeobfuscationMapping_obfuscated_classes, &class_);
        put_inner(&packet, PB_TracePacket_deobfuscation_mapping, &mapping);
        put_inner(&trace, PB_Trace_packet, &packet);
    }
    load(&t, &trace);
    const struct table *frames = &t.tables.stack_profile_frame;
    assert_int_equal(frames->rows, FRAMES);
    snprintf(name, sizeof name, "n%d.b", mappings - 1);
    string_id last = string_pool_lookup(&t.strings, str_from(name));
    bool all = last != NULL_STRING;
    for (uint32_t i = 0; i < frames->rows; i++)
        all &= column_str(&frames->columns[stack_profile_frame_col_deobfuscated_name], i) == last;
    trace_release(&t);
    return all;
}

static void test_mappings_rename_frames_so_often(void **state)
{
    (void)state;
    assert_true(last_mapping_names(100));
    assert_false(last_mapping_names(10000)); /* 40 million times */
}

/* Each is found at once, or this would take minutes. */
static void test_slices_and_graphs_that_never_end_are_found_by_hash(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    struct pb_bytes trace = {0};
    struct trace t;
    struct track_spec spec = {.type = "test"};
    trace_init(&t);
    for (int64_t i = 0; i < COUNT; i++)
        track_set_begin(&t, &spec, i);
    assert_int_equal(track_set_begin(&t, &spec, 0), track_set_begin(&t, &spec, 0));
    trace_release(&t);
    for (uint64_t i = 1; i <= COUNT; i++) {
        struct pb_bytes graph = {0}, packet = {0};
        pb_put_uint(&graph, PB_HeapGraph_pid, 5);
        pb_put_uint(&graph, PB_HeapGraph_continued, 1);
        pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, i);
        pb_put_uint(&packet, PB_TracePacket_timestamp, 5);
        put_inner(&packet, PB_TracePacket_heap_graph, &graph);
        put_inner(&trace, PB_Trace_packet, &packet);
    }
    load(&t, &trace);
    assert_int_equal(stats_total(&t, STAT_heap_graph_non_finalized_graph), COUNT);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks_of_thousands_of_sequences_are_known),
        cmocka_unit_test(test_no_more_clocks_are_related_than_a_trace_can_mean),
        cmocka_unit_test(test_long_key_around_many_values_is_cut),
        cmocka_unit_test(test_types_in_a_type_of_a_long_name_are_left_out),
        cmocka_unit_test(test_compressed_packets_inflate_to_a_multiple_of_the_trace),
        cmocka_unit_test(test_compressed_file_inflates_to_a_multiple_of_itself),
        cmocka_unit_test(test_callstack_ends_at_its_deepest),
        cmocka_unit_test(test_track_of_an_ended_cookie_is_taken_again),
        cmocka_unit_test(test_patches_make_a_multiple_of_the_trace),
        cmocka_unit_test(test_long_text_of_many_modem_events_is_cut),
        cmocka_unit_test(test_json_events_that_never_end_are_left_soon),
        cmocka_unit_test(test_json_begins_of_a_time_are_looked_through_so_far),
        cmocka_unit_test(test_fields_of_classes_are_not_read_over_and_over),
        cmocka_unit_test(test_of_codes_in_a_page_the_oldest_are_forgotten),
        cmocka_unit_test(test_titles_that_never_end_are_left_soon),
        cmocka_unit_test(test_requests_without_a_lane_are_counted),
        cmocka_unit_test(test_mappings_rename_frames_so_often),
        cmocka_unit_test(test_slices_and_graphs_that_never_end_are_found_by_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
