#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "parsers/proto/proto_file.h"
#include "parsers/proto/proto_text.h"
#include "pb_fields.h"

#define MESSAGES "syntax = 'proto2'; package mine.own;\n"

static struct status add(struct descriptors *d, const char *first, const char *second)
{
    struct proto_file files[] = {{"a.proto", str_from(first)}, {"b.proto", str_from(second)}};
    descriptors_init(d);
    return proto_files_add(d, files, 2);
}

/* A message of a type that the files define comes back as the same text. */
static void check_text(const char *first, const char *second, const char *type, const char *text)
{
    struct descriptors d;
    struct pb_bytes bytes = {0};
    struct text out = {0};
    struct status s = add(&d, first, second);
    assert_true(status_ok(s));
    uint32_t index = descriptors_find(&d, str_from(type));
    assert_int_not_equal(index, DESCRIPTOR_NONE);
    s = proto_text_parse(&bytes, &d, index, "t", str_from(text));
    assert_string_equal(status_ok(s) ? "" : s.message, "");
    proto_text_append(&out, &d, index, bytes.v.items, bytes.v.count);
    *vec_push(&out.v) = 0;
    assert_string_equal(out.v.items, text);
    vec_release(&out.v);
    pb_bytes_release(&bytes);
    descriptors_release(&d);
}

static void check_error(const char *text, const char *expected)
{
    struct descriptors d;
    struct status s = add(&d, text, "");
    assert_false(status_ok(s));
    assert_string_equal(s.message, expected);
    status_release(&s);
    descriptors_release(&d);
}

static void test_messages_of_all_kinds_of_fields(void **state)
{
    (void)state;
    check_text(MESSAGES
               "// A message /* of\n"
               "import public \"x/y.proto\"; option (own).z = { a: 'b;}' c: [1] };\n"
               "message Outer {\n"
               "  message Inner { optional Kind kind = 1; }\n"
               "  enum Kind { option allow_alias = true; NONE = 0; BIG = -0x2 [(x) = 1]; }\n"
               "  repeated Inner inner = 1; /* ; */ required string s = 2 [default = \"]\"];\n"
               "  oneof which { option (x) = 1; double f = 3; .mine.own.Other other = 4; }\n"
               "  reserved 5 to 7, 9; reserved \"old\"; extensions 100 to max;\n"
               "};\n"
               "service S { rpc Do(Outer) returns (Outer) { option x = 1; } }\n",
               "package mine.own; message Other { optional Outer.Kind k = 1; }", "mine.own.Outer",
               "inner {\n  kind: BIG\n}\ninner {\n}\ns: \"x\"\nf: 0.500000\nother {\n  k: NONE\n}");
}

static void test_extensions_of_messages_that_are_known(void **state)
{
    (void)state;
    check_text("package perfetto.protos; extend TraceMetrics { optional Own own = 480; }",
               "package perfetto.protos; message Own { repeated AndroidCpuMetric cpu = 1; }",
               "perfetto.protos.TraceMetrics", "[perfetto.protos.own] {\n  cpu {\n  }\n}");
    check_text("package mine; message In { extend .perfetto.protos.TraceMetrics { "
               "optional bool own = 480; } }",
               "", "perfetto.protos.TraceMetrics", "[mine.In.own]: true");
}

static bool is_packed(const char *file)
{
    struct descriptors d;
    struct status s = add(&d, file, "");
    assert_true(status_ok(s));
    uint32_t type = descriptors_find(&d, STR("M"));
    bool packed = descriptors_field(&d, type, 1)->packed;
    descriptors_release(&d);
    return packed;
}

static void test_repeated_numbers_are_packed_as_the_syntax_says(void **state)
{
    (void)state;
    assert_false(is_packed("message M { repeated int32 n = 1; }"));
    assert_true(is_packed("message M { repeated int32 n = 1 [packed = true]; }"));
    assert_true(is_packed("syntax = \"proto3\"; message M { repeated int32 n = 1; }"));
    assert_false(
        is_packed("syntax = \"proto3\"; message M { repeated int32 n = 1 [packed=false]; }"));
    assert_false(is_packed("syntax = \"proto3\"; message M { repeated string n = 1; }"));
}

static void test_errors_name_the_line(void **state)
{
    (void)state;
    check_error("message M {\n\n  optional Nothing n = 1;\n}",
                "a.proto:3: there is no type Nothing");
    check_error("extend Nothing { optional int32 n = 1; }",
                "a.proto:1: there is no message Nothing");
    check_error("message M {", "a.proto:1: expected '}' at the end");
    check_error("}", "a.proto:1: expected a definition, not '}'");
    check_error("optional int32 x = 1;", "a.proto:1: expected a definition, not 'optional'");
    check_error("message M { optional int32 x.y = 1; }", "a.proto:1: expected a name, not 'x.y'");
    check_error("message M {\n optional int32 x; }", "a.proto:2: expected '=', not ';'");
    check_error("message M { optional int32 x = 0; }", "a.proto:1: the number is out of its range");
    check_error("message M { optional int32 x = y; }", "a.proto:1: expected a number, not 'y'");
    check_error("message M { map<string, int32> x = 1; }", "a.proto:1: a map is not understood");
    check_error("message M { optional int32 x = 1 [a = b", "a.proto:1: expected ']' at the end");
    check_error("enum E { A = 5000000000; }", "a.proto:1: the number is out of its range");
    check_error("option x = 1 }", "a.proto:1: expected ';', not '}'");
    check_error("package a; package b;", "a.proto:1: expected one package, not ';'");
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    char text[16 * 100] = "";
    for (size_t i = 0, n = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "message M { ");
    check_error(text, "a.proto:1: more than 32 definitions within each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_of_all_kinds_of_fields),
        cmocka_unit_test(test_extensions_of_messages_that_are_known),
        cmocka_unit_test(test_repeated_numbers_are_packed_as_the_syntax_says),
        cmocka_unit_test(test_errors_name_the_line),
        cmocka_unit_test(test_depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
