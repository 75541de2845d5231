#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/descriptors.h"
#include "pb_fields.h"
#include "test_file.h"

static const char *extension_set_path;

static const struct field_descriptor *field_of(struct descriptors *d, const char *message,
                                               uint32_t number)
{
    uint32_t type = descriptors_find(d, str_from(message));
    assert_int_not_equal(type, DESCRIPTOR_NONE);
    return descriptors_field(d, type, number);
}

static void assert_str(struct str got, const char *expected)
{
    assert_int_equal(got.n, strlen(expected));
    assert_memory_equal(got.p, expected, got.n);
}

static void test_built_in_types_are_found_by_name(void **state)
{
    (void)state;
    struct descriptors d;
    descriptors_init(&d);
    const struct field_descriptor *f =
        field_of(&d, "perfetto.protos.TracePacket", PB_TracePacket_track_event);
    assert_non_null(f);
    assert_str(f->name, "track_event");
    assert_false(f->repeated);
    assert_str(descriptors_type(&d, f->type_index)->name, "perfetto.protos.TrackEvent");
    assert_int_equal(f->type_index, descriptors_find(&d, STR(".perfetto.protos.TrackEvent")));
    f = field_of(&d, "perfetto.protos.Trace", PB_Trace_packet);
    assert_true(f->repeated);
    assert_null(field_of(&d, "perfetto.protos.Trace", 2));
    assert_int_equal(descriptors_find(&d, STR("perfetto.protos.Nothing")), DESCRIPTOR_NONE);
    descriptors_release(&d);
}

static void test_extensions_are_fields_of_what_they_extend(void **state)
{
    (void)state;
    struct descriptors d;
    descriptors_init(&d);
    const struct field_descriptor *f =
        field_of(&d, "perfetto.protos.TrackEvent", PB_TrackEvent_chrome_app_state);
    assert_str(f->name, "chrome_app_state");
    assert_true(f->extension);
    assert_str(descriptors_enum_name(&d, f->type_index, 1), "APP_STATE_FOREGROUND");
    descriptors_release(&d);
}

static void test_extensions_of_a_message_without_a_name_are_there(void **state)
{
    (void)state;
    static const char set[] = "\x0a\x2e"                            /* file */
                              "\x12\x01p"                           /* package */
                              "\x22\x29"                            /* message_type */
                              "\x32\x27"                            /* extension */
                              "\x0a\x01x"                           /* name */
                              "\x12\x1b.perfetto.protos.TrackEvent" /* extendee */
                              "\x18\xac\x4d\x20\x01\x28\x09";       /* number, label, type */
    struct descriptors d;
    descriptors_init(&d);
    struct status s = descriptors_add(&d, (const uint8_t *)set, sizeof set - 1);
    assert_true(status_ok(s));
    assert_str(field_of(&d, "perfetto.protos.TrackEvent", 9900)->name, "x");
    descriptors_release(&d);
}

static void test_androids_track_event_extensions_are_left_to_the_trace(void **state)
{
    (void)state;
    struct descriptors d;
    descriptors_init(&d);
    assert_null(field_of(&d, "perfetto.protos.TrackEvent", PB_TrackEvent_process_start_event));
    assert_non_null(
        field_of(&d, "perfetto.protos.TracePacket", PB_TracePacket_winscope_extensions));
    descriptors_release(&d);
}

static void test_every_type_that_a_field_names_is_defined(void **state)
{
    (void)state;
    struct descriptors d;
    descriptors_init(&d);
    descriptors_find(&d, STR("perfetto.protos.Trace"));
    assert_true(d.fields.count > 7000);
    for (size_t i = 0; i < d.fields.count; i++) {
        const struct field_descriptor *f = &d.fields.items[i];
        if (f->type_index == DESCRIPTOR_NONE)
            continue;
        bool is_enum = f->type == PB_FieldDescriptorProto_Type_TYPE_ENUM;
        assert_int_equal(descriptors_type(&d, f->type_index)->kind,
                         is_enum ? DESCRIPTOR_ENUM : DESCRIPTOR_MESSAGE);
    }
    descriptors_release(&d);
}

static void assert_has_set(struct descriptors *d)
{
    const struct field_descriptor *f = field_of(d, "perfetto.protos.TrackEvent", 9901);
    assert_str(f->name, "outer");
    f = descriptors_field(d, f->type_index, 2);
    assert_str(f->name, "inner");
    uint32_t inner = f->type_index;
    f = descriptors_field(d, inner, 3);
    assert_str(f->name, "level");
    assert_ptr_equal(descriptors_field_named(d, inner, STR("level")), f);
    assert_true(f->repeated);
    assert_str(descriptors_enum_name(d, f->type_index, 0), "LOW");
    assert_str(descriptors_enum_name(d, f->type_index, -1), "LOWER");
    assert_null(descriptors_enum_name(d, f->type_index, 1).p);

    f = field_of(d, "perfetto.protos.TrackEvent", PB_TrackEvent_type);
    assert_str(f->name, "type");
    assert_str(descriptors_enum_name(d, f->type_index, 1), "TYPE_SLICE_BEGIN");
    assert_str(descriptors_enum_name(d, f->type_index, 77), "TYPE_NEW");
    int32_t number = 0;
    assert_true(descriptors_enum_number(d, f->type_index, STR("TYPE_SLICE_BEGIN"), &number));
    assert_int_equal(number, 1);
    assert_true(descriptors_enum_number(d, f->type_index, STR("TYPE_NEW"), &number));
    assert_int_equal(number, 77);
    assert_str(field_of(d, "perfetto.protos.TrackEvent", 8000)->name, "added");
    assert_int_equal(descriptors_find(d, STR("perfetto.protos.Missing")), DESCRIPTOR_NONE);

    uint32_t event = descriptors_find(d, STR("perfetto.protos.TrackEvent"));
    assert_int_equal(descriptors_field_named(d, event, STR("outer"))->number, 9901);
    assert_int_equal(descriptors_field_named(d, event, STR("type"))->number, PB_TrackEvent_type);
}

static void test_a_set_of_a_trace_adds_but_does_not_replace(void **state)
{
    (void)state;
    struct test_file set = test_file_read(extension_set_path);
    struct descriptors d;
    descriptors_init(&d);
    struct status s = descriptors_add(&d, set.bytes, set.size);
    assert_true(status_ok(s));
    memset(set.bytes, 0xff, set.size); /* the registry has its own copy */
    assert_has_set(&d);
    descriptors_release(&d);
    free(set.bytes);
}

/* Numbers of types, members and the order of these are the same with a base and without. */
static void assert_same(const struct descriptors *a, const struct descriptors *b)
{
    assert_int_equal(descriptors_type_count(a), descriptors_type_count(b));
    for (uint32_t type = 0; type < descriptors_type_count(a); type++) {
        const struct type_descriptor *t = descriptors_type(a, type);
        assert_true(str_eq(t->name, descriptors_type(b, type)->name));
        assert_int_equal(t->kind, descriptors_type(b, type)->kind);
        uint32_t i = descriptors_first_member(a, type), k = descriptors_first_member(b, type);
        while (i != DESCRIPTOR_NONE) {
            assert_int_equal(i, k);
            assert_true(
                t->kind == DESCRIPTOR_ENUM
                    ? str_eq(descriptors_value_at(a, i)->name, descriptors_value_at(b, i)->name)
                    : str_eq(descriptors_field_at(a, i)->name, descriptors_field_at(b, i)->name));
            i = descriptors_next_member(a, type, i);
            k = descriptors_next_member(b, type, k);
        }
        assert_int_equal(k, DESCRIPTOR_NONE);
    }
}

static void test_traces_share_the_built_in_types(void **state)
{
    (void)state;
    struct test_file set = test_file_read(extension_set_path);
    struct descriptors base, one, other, alone;
    descriptors_init(&base);
    descriptors_init_on(&one, &base);
    descriptors_init_on(&other, &base);
    descriptors_init(&alone);
    assert_true(status_ok(descriptors_add(&one, set.bytes, set.size)));
    assert_true(status_ok(descriptors_add(&alone, set.bytes, set.size)));
    assert_has_set(&one);
    assert_same(&one, &alone);
    assert_null(field_of(&other, "perfetto.protos.TrackEvent", 9901));
    assert_null(descriptors_enum_name(
                    &other,
                    field_of(&other, "perfetto.protos.TrackEvent", PB_TrackEvent_type)->type_index,
                    77)
                    .p);
    assert_true(one.types.count < 10 && one.arena.total < 4096 && other.arena.total == 0);
    descriptors_release(&one);
    descriptors_release(&other);
    descriptors_release(&base);
    descriptors_release(&alone);
    free(set.bytes);
}

static void test_malformed_sets_are_errors_or_harmless(void **state)
{
    (void)state;
    struct test_file set = test_file_read(extension_set_path);
    struct descriptors d;
    descriptors_init(&d);
    size_t errors = 0;
    for (size_t n = 0; n < set.size; n++) {
        struct status s = descriptors_add(&d, set.bytes, n);
        errors += !status_ok(s);
        status_release(&s);
    }
    assert_int_equal(errors, set.size - 2); /* all but nothing, and the first file alone */
    uint32_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint8_t *p = &set.bytes[(seed >> 8) % set.size], old = *p;
        *p = (uint8_t)seed;
        struct status s = descriptors_add(&d, set.bytes, set.size);
        status_release(&s);
        if (i % 4)
            *p = old;
    }
    descriptors_release(&d);
    free(set.bytes);
}

static void test_messages_nested_without_end_are_an_error(void **state)
{
    (void)state;
    enum { DEPTH = 3000 };
    static uint8_t set[8 * DEPTH];
    uint8_t *p = set + sizeof set;
    size_t size = 0;
    for (int i = 0; i < DEPTH; i++) { /* name "a", then everything so far as a nested message */
        size_t header = i == 0 ? 3 : 3 + 3;
        uint8_t bytes[6] = {PB_DescriptorProto_name << 3 | 2, 1, 'a'};
        if (i > 0) {
            bytes[3] = PB_DescriptorProto_nested_type << 3 | 2;
            bytes[4] = (uint8_t)(size | 0x80);
            bytes[5] = (uint8_t)(size >> 7);
        }
        p -= header;
        memcpy(p, bytes, header);
        size += header;
        if (size > 16000)
            break;
    }
    const uint8_t file[] = {PB_FileDescriptorProto_message_type << 3 | 2, (uint8_t)(size | 0x80),
                            (uint8_t)(size >> 7)};
    p -= sizeof file;
    memcpy(p, file, sizeof file);
    size += sizeof file;
    const uint8_t top[] = {PB_FileDescriptorSet_file << 3 | 2, (uint8_t)(size | 0x80),
                           (uint8_t)(size >> 7)};
    p -= sizeof top;
    memcpy(p, top, sizeof top);
    size += sizeof top;
    struct descriptors d;
    descriptors_init(&d);
    struct status s = descriptors_add(&d, p, size);
    assert_int_equal(s.code, STATUS_FORMAT);
    status_release(&s);
    descriptors_release(&d);
}

int main(int argc, char **argv)
{
    extension_set_path = argc > 1 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_types_are_found_by_name),
        cmocka_unit_test(test_extensions_are_fields_of_what_they_extend),
        cmocka_unit_test(test_extensions_of_a_message_without_a_name_are_there),
        cmocka_unit_test(test_androids_track_event_extensions_are_left_to_the_trace),
        cmocka_unit_test(test_every_type_that_a_field_names_is_defined),
        cmocka_unit_test(test_a_set_of_a_trace_adds_but_does_not_replace),
        cmocka_unit_test(test_traces_share_the_built_in_types),
        cmocka_unit_test(test_malformed_sets_are_errors_or_harmless),
        cmocka_unit_test(test_messages_nested_without_end_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
