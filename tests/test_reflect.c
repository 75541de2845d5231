#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/reflect.h"
#include "pb_fields.h"
#include "test_file.h"

static struct test_file event;

struct fixture {
    struct descriptors descriptors;
    struct string_pool strings;
    struct reflect r;
    struct arg_list out;
    char text[8192]; /* the args, one a line: key (or flat key / key) type value */
};

static struct str find_interned(void *self, uint32_t field, uint64_t iid)
{
    (void)self;
    if (field == PB_InternedData_debug_annotation_names && iid == 4)
        return STR("interned.name");
    if (field == PB_InternedData_debug_annotation_string_values && iid == 5)
        return STR("interned value");
    return (struct str){NULL, 0};
}

static void add_json(void *self, struct reflect *r, struct str text)
{
    (void)self;
    struct reflect_mark mark = reflect_enter(r, STR("json"));
    reflect_add_str(r, text);
    reflect_leave(r, mark);
}

static int setup(void **state)
{
    struct fixture *x = alloc_array(1, sizeof *x);
    descriptors_init(&x->descriptors);
    string_pool_init(&x->strings);
    reflect_init(&x->r, &x->descriptors, &x->strings);
    x->r.hooks = (struct reflect_hooks){find_interned, add_json, NULL};
    reflect_begin(&x->r, &x->out);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    reflect_release(&x->r);
    arg_list_release(&x->out);
    string_pool_release(&x->strings);
    descriptors_release(&x->descriptors);
    free(x);
    return 0;
}

static const char *show(struct fixture *x)
{
    size_t n = 0, cap = sizeof x->text;
    x->text[0] = 0;
    for (size_t i = 0; i < x->out.v.count && n < cap; i++) {
        struct arg a = x->out.v.items[i];
        const char *flat_key = string_pool_get(&x->strings, a.flat_key).p;
        const char *key = string_pool_get(&x->strings, a.key).p;
        n += (size_t)snprintf(x->text + n, cap - n, "%s%s%s %s ",
                              a.key == a.flat_key ? "" : flat_key, a.key == a.flat_key ? "" : " / ",
                              key, arg_type_name(a.type));
        if (n >= cap)
            break;
        if (a.type == ARG_STRING)
            n +=
                (size_t)snprintf(x->text + n, cap - n, "%s\n", string_pool_get(&x->strings, a.s).p);
        else if (a.type == ARG_REAL)
            n += (size_t)snprintf(x->text + n, cap - n, "%g\n", a.d);
        else
            n += (size_t)snprintf(x->text + n, cap - n, "%lld\n",
                                  a.type == ARG_NULL ? 0LL : (long long)a.i);
    }
    return x->text;
}

static uint32_t find(struct fixture *x, const char *type)
{
    uint32_t index = descriptors_find(&x->descriptors, str_from(type));
    assert_int_not_equal(index, DESCRIPTOR_NONE);
    return index;
}

static bool reflect_bytes(struct fixture *x, const char *type, const char *bytes, size_t n)
{
    return reflect_message(&x->r, find(x, type), pb_reader_from(bytes, n), NULL);
}

#define REFLECT(x, type, bytes) reflect_bytes(x, type, bytes, sizeof(bytes) - 1)

static void test_an_event_shows_all_that_it_holds(void **state)
{
    struct fixture *x = *state;
    assert_true(reflect_message(&x->r, find(x, "perfetto.protos.TrackEvent"),
                                pb_reader_from(event.bytes, event.size), NULL));
    assert_string_equal(show(x), "plain int -3\n"
                                 "a_b_c_ uint -1\n"
                                 "interned_name bool 1\n"
                                 "dict.x real 1.5\n"
                                 "list / list[0] string s\n"
                                 "list / list[1][0] pointer 4096\n"
                                 "list / list[1][1] string interned value\n"
                                 "list.k / list[2].k int 1\n"
                                 "list / list[3] int 9\n"
                                 "nested.p_q int 1\n"
                                 "nested.r / nested.r[0] bool 0\n"
                                 "nested.r / nested.r[1] string z\n"
                                 "proto.file_name string abc\n"
                                 "proto.line_number uint 2\n"
                                 "json.json string [1]\n"
                                 "type string TYPE_INSTANT\n"
                                 "extra_counter_values / extra_counter_values[0] int 5\n"
                                 "extra_counter_values / extra_counter_values[1] int -6\n"
                                 "categories / categories[0] string one\n"
                                 "categories / categories[1] string two\n"
                                 "chrome_user_event null 0\n"
                                 "source_location.file_name string f.cc\n"
                                 "source_location.line_number uint 7\n"
                                 "chrome_app_state string APP_STATE_FOREGROUND\n");
}

static void test_only_allowed_fields_and_extensions_are_shown(void **state)
{
    struct fixture *x = *state;
    const struct reflect_options options = {.allowed = UINT64_C(1)
                                                           << PB_TrackEvent_source_location |
                                                       UINT64_C(1) << PB_TrackEvent_categories};
    assert_true(reflect_message(&x->r, find(x, "perfetto.protos.TrackEvent"),
                                pb_reader_from(event.bytes, event.size), &options));
    assert_string_equal(show(x), "categories / categories[0] string one\n"
                                 "categories / categories[1] string two\n"
                                 "source_location.file_name string f.cc\n"
                                 "source_location.line_number uint 7\n"
                                 "chrome_app_state string APP_STATE_FOREGROUND\n");
}

static bool replace_line(void *self, struct reflect *r, const struct pb_field *f)
{
    if (pb_u64(f) == 8)
        return false;
    reflect_add_str(r, str_from(self));
    return true;
}

static void test_an_override_replaces_a_field_unless_it_declines(void **state)
{
    struct fixture *x = *state;
    reflect_override(&x->r, "at.line_number", replace_line, "seven");
    struct reflect_mark mark = reflect_enter(&x->r, STR("at"));
    assert_true(REFLECT(x, "perfetto.protos.SourceLocation", "\x20\x07\x20\x08\x12\x01g"));
    reflect_leave(&x->r, mark);
    assert_true(REFLECT(x, "perfetto.protos.SourceLocation", "\x20\x07"));
    assert_string_equal(show(x), "at.line_number string seven\n"
                                 "at.line_number uint 8\n"
                                 "at.file_name string g\n"
                                 "line_number uint 7\n");
}

static void test_packed_and_unpacked_elements_count_on(void **state)
{
    struct fixture *x = *state;
    /* TraceStats.chunk_payload_histogram_def = 17, repeated int64 */
    assert_true(REFLECT(x, "perfetto.protos.TraceStats", "\x8a\x01\x02\x05\x06\x88\x01\x07"));
    assert_string_equal(show(x),
                        "chunk_payload_histogram_def / chunk_payload_histogram_def[0] int 5\n"
                        "chunk_payload_histogram_def / chunk_payload_histogram_def[1] int 6\n"
                        "chunk_payload_histogram_def / chunk_payload_histogram_def[2] int 7\n");
}

static void test_bytes_are_base64_and_unknown_enums_digits(void **state)
{
    struct fixture *x = *state;
    assert_true(REFLECT(x, "perfetto.protos.Screenshot",
                        "\x0a\x04"
                        "abcd"));
    assert_true(REFLECT(x, "perfetto.protos.TrackEvent", "\x48\x63"));
    assert_string_equal(show(x), "jpg_image string YWJjZA==\n"
                                 "type string 99\n");
}

static void test_defaults_fill_what_is_absent(void **state)
{
    struct fixture *x = *state;
    const struct reflect_options options = {.add_defaults = true};
    assert_true(reflect_message(&x->r, find(x, "perfetto.protos.SourceLocation"),
                                pb_reader_from("\x20\x07", 2), &options));
    assert_string_equal(show(x), "line_number uint 7\n"
                                 "iid uint 0\n"
                                 "file_name null 0\n"
                                 "function_name null 0\n");
}

static void test_unknown_fields_are_counted_and_skipped(void **state)
{
    struct fixture *x = *state;
    assert_true(REFLECT(x, "perfetto.protos.SourceLocation", "\xf8\x06\x01\x20\x07"));
    assert_int_equal(x->r.unknown_fields, 1);
    assert_string_equal(show(x), "line_number uint 7\n");
}

static void test_an_annotation_without_name_stops(void **state)
{
    struct fixture *x = *state;
    static const char bytes[] = "\x20\x01"; /* int_value */
    assert_false(reflect_annotation(&x->r, pb_reader_from(bytes, 2)));
    static const char unknown_iid[] = "\x08\x07\x20\x01";
    assert_false(reflect_annotation(&x->r, pb_reader_from(unknown_iid, 4)));
    assert_string_equal(show(x), "");
    assert_int_equal(x->r.key.count, 0);
}

static void test_nested_dicts_need_as_many_keys_as_values(void **state)
{
    struct fixture *x = *state;
    /* name "n", nested_value { nested_type: DICT dict_keys: "k" } */
    static const char bytes[] = "\x52\x01n\x42\x05\x08\x01\x12\x01k";
    assert_false(reflect_annotation(&x->r, pb_reader_from(bytes, sizeof bytes - 1)));
}

static void test_dicts_in_dicts_without_end_stop(void **state)
{
    struct fixture *x = *state;
    static uint8_t bytes[4000];
    uint8_t *p = bytes + sizeof bytes;
    size_t size = 0;
    while (size < 3000) {
        const uint8_t head[] = {PB_DebugAnnotation_name << 3 | 2,
                                1,
                                'n',
                                PB_DebugAnnotation_dict_entries << 3 | 2,
                                (uint8_t)(size | 0x80),
                                (uint8_t)(size >> 7)};
        p -= sizeof head;
        memcpy(p, head, sizeof head);
        size += sizeof head;
    }
    assert_false(reflect_annotation(&x->r, pb_reader_from(p, size)));
    assert_int_equal(x->r.frames.count, 0);
    assert_int_equal(x->r.key.count, 0);
}

int main(int argc, char **argv)
{
    event = test_file_read(argc > 1 ? argv[1] : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_event_shows_all_that_it_holds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_only_allowed_fields_and_extensions_are_shown, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_override_replaces_a_field_unless_it_declines, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_packed_and_unpacked_elements_count_on, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_bytes_are_base64_and_unknown_enums_digits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_defaults_fill_what_is_absent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_fields_are_counted_and_skipped, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_annotation_without_name_stops, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nested_dicts_need_as_many_keys_as_values, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_dicts_in_dicts_without_end_stop, setup, teardown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(event.bytes);
    return failed;
}
