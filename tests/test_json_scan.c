/* JSON values read in blocks and words, beside what reads them byte by byte. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "parsers/input/json_document.h"
#include "parsers/input/json_scan.h"
#include "test_random.h"

enum { ROUNDS = 20000, TEXT_MAX = 120 };

enum outcome { GOOD, MALFORMED, RAN_OUT };

/* What an object or array is found to be. */
struct found {
    enum outcome outcome;
    size_t size; /* of a good one */
    bool spaced;
};

static bool follows_string(const char *p, const char *end)
{
    while (p < end && json_is_space(*p))
        p++;
    return p == end || strchr(":,]}", *p);
}

static bool opens_behind(const char *p)
{
    while (json_is_space(p[-1]))
        p--;
    return strchr(":,[{", p[-1]) != NULL;
}

/* Byte by byte. */
static struct found find_end(struct str text)
{
    bool spaced = false;
    const char *end = text.p + text.n;
    size_t depth = 0;
    for (const char *p = text.p; p < end; p++) {
        if (*p == '"') {
            for (p++; p < end && *p != '"'; p++)
                p += *p == '\\';
            if (p >= end)
                break;
            if (!follows_string(p + 1, end))
                return (struct found){MALFORMED, 0, false};
        } else if (*p == '{' || *p == '[') {
            if (p > text.p && !opens_behind(p))
                return (struct found){MALFORMED, 0, false};
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (--depth == 0)
                return (struct found){GOOD, (size_t)(p + 1 - text.p), spaced};
        }
        spaced |= json_is_space(*p);
    }
    return (struct found){RAN_OUT, 0, false};
}

static struct found read_end(struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct json_value v;
    bool good = json_read_value(&j, &v);
    json_scan_release(&j);
    if (!good)
        return (struct found){j.ran_out ? RAN_OUT : MALFORMED, 0, false};
    assert_ptr_equal(v.text.p, text.p);
    return (struct found){GOOD, v.text.n, v.spaced};
}

static void assert_same_end(struct str text)
{
    struct found expected = find_end(text), f = read_end(text);
    if (expected.outcome != f.outcome || expected.size != f.size || expected.spaced != f.spaced)
        print_error("of %.*s\n", (int)text.n, text.p);
    assert_int_equal(expected.outcome, f.outcome);
    assert_int_equal(expected.size, f.size);
    assert_int_equal(expected.spaced, f.spaced);
}

/* Anything made of what matters. */
static size_t random_nested(char *out)
{
    static const char outside[] = "{}[]:,  \n\"\"17a\\", inside[] = "abc{}[]:, \\\\\"\"";
    size_t n = 1, size = 1 + next_random(TEXT_MAX - 1);
    bool string = false, escaped = false;
    out[0] = '{';
    while (n < size) {
        char c = string ? inside[next_random(sizeof inside - 1)]
                        : outside[next_random(sizeof outside - 1)];
        string ^= c == '"' && !escaped;
        escaped = string && c == '\\' && !escaped;
        out[n++] = c;
    }
    return n;
}

static void test_nested_values_end_where_their_bracket_does(void **state)
{
    (void)state;
    char text[TEXT_MAX];
    random_state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        size_t n = random_nested(text);
        assert_same_end((struct str){text, n});
    }
}

/* Sound ones, with each part at each place of a block. */
static void test_sound_values_end_anywhere_in_a_block(void **state)
{
    (void)state;
    static const char *const parts[] = {"{%s\"a\":1}", "[%s[1],[2]]", "{\"%s\\\"}\":[{}]}",
                                        "{\"a\\\\\\\"%s\\\\\":{\"b\" : [ ]}}", "{\"a\":\"%s\"}"};
    char text[2 * TEXT_MAX], fill[TEXT_MAX];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (size_t n = 0; n < TEXT_MAX; n++) {
            memset(fill, ' ', n);
            fill[n] = '\0';
            const char *at = strchr(parts[i], '%');
            size_t size = (size_t)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - parts[i]),
                                           parts[i], fill, at + 2);
            assert_same_end((struct str){text, size});
            assert_int_equal(read_end((struct str){text, size}).size, size);
            for (size_t cut = 1; cut < size; cut++)
                assert_int_equal(read_end((struct str){text, cut}).outcome, RAN_OUT);
        }
    }
}

static struct json_value read_number(struct json_scan *j)
{
    struct json_value v;
    assert_true(json_read_value(j, &v));
    assert_int_equal(v.type, JSON_NUMBER);
    return v;
}

/* `text` is one number in a list of many, or the last thing of all. */
static void assert_reads_number(const char *text)
{
    char list[TEXT_MAX];
    int size = snprintf(list, sizeof list, "[%s,1234567890]", text);
    struct json_scan in_list = json_scan_from((struct str){list + 1, (size_t)size - 1});
    struct json_scan alone = json_scan_from(str_from(text));
    struct json_value v = read_number(&in_list), last = read_number(&alone);
    struct json_value as_text = {.type = JSON_STRING, .text = str_from(text)};
    int64_t ns[3] = {0}, whole[3] = {0};
    bool good = json_us_to_ns(as_text, &ns[0]), number = json_to_i64(as_text, &whole[0]);
    assert_true(str_eq(v.text, str_from(text)) && str_eq(last.text, str_from(text)));
    assert_int_equal(json_us_to_ns(v, &ns[1]), good);
    assert_int_equal(json_us_to_ns(last, &ns[2]), good);
    assert_int_equal(json_to_i64(v, &whole[1]), number);
    assert_int_equal(json_to_i64(last, &whole[2]), number);
    if (good)
        assert_true(ns[0] == ns[1] && ns[0] == ns[2]);
    if (number)
        assert_true(whole[0] == whole[1] && whole[0] == whole[2]);
}

static void test_numbers_of_any_length_are_read(void **state)
{
    (void)state;
    char digits[] = "918273645546372819", text[TEXT_MAX];
    for (int n = 1; n <= 18; n++) {
        int64_t whole;
        snprintf(text, sizeof text, "%.*s", n, digits);
        struct json_value v = {.type = JSON_STRING, .text = str_from(text)};
        assert_true(json_to_i64(v, &whole) && whole == strtoll(text, NULL, 10));
        assert_reads_number(text);
        for (int fraction = 1; fraction <= 20; fraction++) {
            snprintf(text, sizeof text, "-%.*s.%.*s", n, digits, fraction, "01234567899876543210");
            assert_reads_number(text);
        }
    }
    static const char *const others[] = {
        "1e3",   "12.5E-2", "1234567890123456789",      "9223372036854775808", "1.2.3",
        "00012", "-0",      "12345678901234567890123.5"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_reads_number(others[i]);
}

static void test_a_fraction_of_a_microsecond_is_rounded(void **state)
{
    (void)state;
    struct json_scan j = json_scan_from(STR("12345678.0625, 0.001, 5344155722132, -2.5"));
    static const int64_t expected[] = {12345678063, 1, 5344155722132000, -2500};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t ns;
        json_take(&j, ',');
        assert_true(json_us_to_ns(read_number(&j), &ns));
        assert_int_equal(ns, expected[i]);
    }
}

static void test_strings_are_read_with_escapes_and_without(void **state)
{
    (void)state;
    char text[3 * TEXT_MAX], plain[TEXT_MAX];
    for (size_t n = 0; n < TEXT_MAX; n++) {
        memset(plain, 'x', n);
        plain[n] = '\0';
        int size = snprintf(text, sizeof text, "\"%s\", \"%s\\n%s\"", plain, plain, "end");
        struct json_scan j = json_scan_from((struct str){text, (size_t)size});
        struct json_value v;
        assert_true(json_read_value(&j, &v) && str_eq(v.text, (struct str){plain, n}));
        assert_true(json_take(&j, ',') && json_read_value(&j, &v));
        assert_int_equal(v.text.n, n + 4);
        assert_memory_equal(v.text.p, plain, n);
        assert_memory_equal(v.text.p + n, "\nend", 4);
        json_scan_release(&j);
    }
}

static void test_a_sound_text_is_one_value_and_nothing_else(void **state)
{
    static const char *const sound[] = {
        "{}",      "[]",         " [1, {\"a\": [], \"b\": {}}, \"]\", null] \n", "17", "\"{\"",
        "[1, 2,]", "{\"a\": 1,}"};
    static const char *const broken[] = {"",
                                         "[",
                                         "[1 2]",
                                         "[1,, 2]",
                                         "{\"a\" 1}",
                                         "{1: 2}",
                                         "{\"a\": 1 \"b\": 2}",
                                         "[1] x",
                                         "[}",
                                         "[[1}]",
                                         "{\"a\": @, \"b\": 1}",
                                         "[{\"a\": [1, 2\nnoise\n, 3]}]"};
    (void)state;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        assert_true(json_is_sound(str_from(sound[i])));
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_false(json_is_sound(str_from(broken[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_values_end_where_their_bracket_does),
        cmocka_unit_test(test_sound_values_end_anywhere_in_a_block),
        cmocka_unit_test(test_numbers_of_any_length_are_read),
        cmocka_unit_test(test_a_fraction_of_a_microsecond_is_rounded),
        cmocka_unit_test(test_strings_are_read_with_escapes_and_without),
        cmocka_unit_test(test_a_sound_text_is_one_value_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
