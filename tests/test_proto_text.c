#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/proto_json.h"
#include "parsers/proto/proto_text.h"

/* What a text becomes as a message and as text again, or its error; for free(). */
static char *reread(const char *type, const char *text)
{
    struct descriptors d;
    struct pb_bytes bytes = {0};
    struct text out = {0};
    descriptors_init(&d);
    uint32_t index = descriptors_find(&d, str_from(type));
    assert_int_not_equal(index, DESCRIPTOR_NONE);
    struct status s = proto_text_parse(&bytes, &d, index, "t", str_from(text));
    if (status_ok(s))
        proto_text_append(&out, &d, index, bytes.v.items, bytes.v.count);
    else
        assert_int_equal(bytes.v.count, 0);
    char *result = status_ok(s) ? alloc_copy(out.v.items ? out.v.items : "", out.v.count)
                                : alloc_copy(s.message, strlen(s.message));
    status_release(&s);
    vec_release(&out.v);
    pb_bytes_release(&bytes);
    descriptors_release(&d);
    return result;
}

static void check(const char *type, const char *text, const char *expected)
{
    char *got = reread(type, text);
    assert_string_equal(got, expected);
    free(got);
}

static void config(const char *text, const char *expected)
{
    check("perfetto.protos.TraceConfig", text, expected);
}

static void test_messages_come_back_as_they_were(void **state)
{
    (void)state;
    const char *text = "buffers {\n  size_kb: 4096\n  fill_policy: RING_BUFFER\n}\n"
                       "data_sources {\n  config {\n    name: \"linux.ftrace\"\n  }\n}\n"
                       "duration_ms: 10000";
    config(text, text);
    config("", "");
}

static void test_all_ways_of_writing_are_read(void **state)
{
    (void)state;
    config("# a comment\nbuffers: < size_kb: 0x10, fill_policy: 2; >,\n"
           "buffers [] buffers: [{size_kb: 010}, {}] ;duration_ms:7#end",
           "t:3:9: buffers takes a message in braces");
    config("# a comment\nbuffers: < size_kb: 0x10, fill_policy: 2; >,\n"
           "buffers: [] buffers: [{size_kb: 010}, {}] ;duration_ms:7#end",
           "buffers {\n  size_kb: 16\n  fill_policy: DISCARD\n}\n"
           "buffers {\n  size_kb: 8\n}\nbuffers {\n}\nduration_ms: 7");
    config("producers { producer_name: 'it\\'s' \" \\\"two\\\"\"\n '\\x41\\102\\u00e9\\n' }",
           "producers {\n  producer_name: \"it\\'s \\\"two\\\"AB\xc3\xa9\\n\"\n}");
}

static void test_numbers_keep_to_their_range(void **state)
{
    (void)state;
    config("duration_ms: 4294967295", "duration_ms: 4294967295");
    config("duration_ms: 4294967296", "t:1:14: 4294967296 is out of the range of duration_ms");
    config("duration_ms: -1", "t:1:14: -1 is out of the range of duration_ms");
    config("duration_ms: 1.5", "t:1:14: duration_ms takes an integer, not '1.5'");
    config("duration_ms: 09", "t:1:14: duration_ms takes an integer, not '09'");
    check("perfetto.protos.DebugAnnotation", "int_value: -9223372036854775808",
          "int_value: -9223372036854775808");
    check("perfetto.protos.DebugAnnotation", "int_value: -9223372036854775809",
          "t:1:12: -9223372036854775809 is out of the range of int_value");
    check("perfetto.protos.DebugAnnotation", "uint_value: 0xffffffffffffffff",
          "uint_value: 18446744073709551615");
    check("perfetto.protos.DebugAnnotation", "double_value: -2.5e+1", "double_value: -25.000000");
    check("perfetto.protos.DebugAnnotation", "double_value: 1.5f", "double_value: 1.500000");
    char *got = reread("perfetto.protos.DebugAnnotation", "double_value: 1e308");
    assert_int_equal(strlen(got), strlen("double_value: .000000") + 309);
    free(got);
    check("perfetto.protos.DebugAnnotation", "double_value: -inf", "double_value: -inf");
    check("perfetto.protos.DebugAnnotation", "bool_value: t", "bool_value: true");
    check("perfetto.protos.DebugAnnotation", "bool_value: yes",
          "t:1:13: bool_value takes true or false, not 'yes'");
}

static void test_extensions_have_full_or_bare_names(void **state)
{
    (void)state;
    const char *expected = "[perfetto.protos.chrome_app_state]: APP_STATE_FOREGROUND";
    check("perfetto.protos.TrackEvent",
          "[perfetto.protos.ChromeTrackEvent.chrome_app_state]: APP_STATE_FOREGROUND", expected);
    check("perfetto.protos.TrackEvent", "chrome_app_state: 1", expected);
    check("perfetto.protos.TrackEvent", "[perfetto.protos.type]: 1",
          "t:1:1: perfetto.protos.TrackEvent has no extension 'perfetto.protos.type'");
}

static void test_packed_fields_are_one_field(void **state)
{
    (void)state;
    struct descriptors d;
    struct pb_bytes bytes = {0};
    descriptors_init(&d);
    uint32_t type = descriptors_find(&d, STR("perfetto.protos.RepeatedBuilderResult"));
    struct status s =
        proto_text_parse(&bytes, &d, type, "t",
                         STR("int_values: 1 int_values: [2, 300] string_values: 'a'"));
    assert_true(status_ok(s));
    static const uint8_t expected[] = {0x0a, 4, 1, 2, 0xac, 2, 0x1a, 1, 'a'};
    assert_int_equal(bytes.v.count, sizeof expected);
    assert_memory_equal(bytes.v.items, expected, sizeof expected);
    pb_bytes_release(&bytes);
    descriptors_release(&d);
}

static void test_errors_name_the_place(void **state)
{
    (void)state;
    config("\n  colour: 1", "t:2:3: perfetto.protos.TraceConfig has no field 'colour'");
    config("duration_ms: 1\nduration_ms: 2", "t:2:1: duration_ms is not repeated, but here twice");
    config("duration_ms 1", "t:1:13: expected ':' behind duration_ms");
    config("duration_ms:", "t:1:13: duration_ms has no value");
    config("buffers { size_kb: 1", "t:1:21: '}' is missing at the end");
    config("buffers { size_kb: 1 >", "t:1:22: expected a field's name");
    config("buffers { fill_policy: BLUE }",
           "t:1:24: fill_policy has no value 'BLUE': it has UNSPECIFIED, RING_BUFFER, DISCARD");
    config("buffers { fill_policy: RINGBUFFER }",
           "t:1:24: fill_policy has no value 'RINGBUFFER': did you mean RING_BUFFER?");
    config("bufers { }", "t:1:1: perfetto.protos.TraceConfig has no field 'bufers': "
                         "did you mean buffers?");
    config("producers { producer_name: \"a\n\" }", "t:1:28: the text has no end on its line");
    config("producers { producer_name: 'a\\q' }", "t:1:31: unknown escape in a text");
    config("}", "t:1:1: expected a field's name");
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    struct {
        VEC(char) v;
    } text = {0};
    for (int i = 0; i < PROTO_TEXT_DEPTH_MAX; i++)
        for (const char *p = "dict_entries{"; *p; p++)
            *vec_push(&text.v) = *p;
    *vec_push(&text.v) = 0;
    char *got = reread("perfetto.protos.DebugAnnotation", text.v.items);
    assert_non_null(strstr(got, "more than 64 messages within each other"));
    free(got);
    vec_release(&text.v);
}

static void test_json_gathers_repeated_fields(void **state)
{
    (void)state;
    struct descriptors d;
    struct pb_bytes bytes = {0};
    struct text out = {0};
    descriptors_init(&d);
    uint32_t type = descriptors_find(&d, STR("perfetto.protos.TrackEvent"));
    static const char text[] =
        "debug_annotations { name: 'a\"\\u00e9\\U0001f600\\x01' double_value: 0.5 }"
        "type: TYPE_INSTANT extra_counter_values: [1, -2] debug_annotations { }"
        "[perfetto.protos.ChromeTrackEvent.chrome_app_state]: 1 flow_ids: 7 flow_ids: 8";
    assert_true(status_ok(proto_text_parse(&bytes, &d, type, "t", str_from(text))));
    proto_json_append(&out, &d, type, bytes.v.items, bytes.v.count);
    *vec_push(&out.v) = 0;
    assert_string_equal(out.v.items, "{\n  \"debug_annotations\": [\n    {\n"
                                     "      \"name\": \"a\\\"\\u00e9\\ud83d\\ude00\\u0001\",\n"
                                     "      \"double_value\": 0.500000\n    },\n    {}\n  ],\n"
                                     "  \"type\": \"TYPE_INSTANT\",\n"
                                     "  \"extra_counter_values\": [\n    1,\n    -2\n  ],\n"
                                     "  \"perfetto.protos.chrome_app_state\": "
                                     "\"APP_STATE_FOREGROUND\",\n"
                                     "  \"flow_ids\": [\n    7,\n    8\n  ]\n}");
    pb_bytes_release(&bytes);
    vec_release(&out.v);
    descriptors_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_come_back_as_they_were),
        cmocka_unit_test(test_all_ways_of_writing_are_read),
        cmocka_unit_test(test_numbers_keep_to_their_range),
        cmocka_unit_test(test_extensions_have_full_or_bare_names),
        cmocka_unit_test(test_packed_fields_are_one_field),
        cmocka_unit_test(test_errors_name_the_place),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_json_gathers_repeated_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
