#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/wire.h"

/* A writer for the tests, as plain as can be, so that it is wrong for other reasons than the
 * reader.
 */
struct writer {
    uint8_t bytes[256];
    size_t n;
};

static void write_varint(struct writer *w, uint64_t v)
{
    for (; v >= 128; v /= 128)
        w->bytes[w->n++] = (uint8_t)(v % 128 + 128);
    w->bytes[w->n++] = (uint8_t)v;
}

static void write_tag(struct writer *w, uint32_t number, unsigned wire_type)
{
    write_varint(w, (uint64_t)number * 8 + wire_type);
}

static void write_fixed(struct writer *w, uint64_t v, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        w->bytes[w->n++] = (uint8_t)(v >> 8 * i);
}

static uint64_t random_u64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct pb_field read_one(const uint8_t *bytes, size_t n)
{
    struct pb_reader r = pb_reader_from(bytes, n);
    struct pb_field f = {0};
    assert_true(pb_next(&r, &f));
    assert_ptr_equal(r.p, bytes + n);
    return f;
}

/* In a block of just that size, so that a sanitizer sees a read past the end. */
static struct pb_reader reader_of_copy(const struct writer *w, size_t n, uint8_t **block)
{
    *block = malloc(n ? n : 1);
    assert_non_null(*block);
    memcpy(*block, w->bytes, n);
    return pb_reader_from(*block, n);
}

static void test_varints_of_every_length_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t value = random_u64(&seed) >> (random_u64(&seed) % 64);
        size_t padding = random_u64(&seed) % 12;
        struct writer w = {.n = 0};
        write_varint(&w, value);
        size_t n = w.n;
        memset(w.bytes + n, 0xff, padding);
        struct pb_reader r = pb_reader_from(w.bytes, n + padding);
        uint64_t got = 0;
        assert_true(pb_read_varint(&r, &got));
        assert_int_equal(got, value);
        assert_ptr_equal(r.p, w.bytes + n);
    }
}

static void test_numbers_keep_their_sign_and_width(void **state)
{
    (void)state;
    struct writer w = {.n = 0};
    write_tag(&w, 3, PB_WIRE_VARINT);
    write_varint(&w, UINT64_MAX);
    struct pb_field f = read_one(w.bytes, w.n);
    assert_int_equal(f.number, 3);
    assert_int_equal(pb_i32(&f), -1);
    assert_int_equal(pb_i64(&f), -1);
    assert_int_equal(pb_u32(&f), UINT32_MAX);
    assert_int_equal(pb_sint(&f), INT64_MIN);
    assert_true(pb_bool(&f));

    w.n = 0;
    write_tag(&w, 536870911, PB_WIRE_I64);
    write_fixed(&w, UINT64_C(0xc004000000000000), 8);
    f = read_one(w.bytes, w.n);
    assert_int_equal(f.number, 536870911);
    assert_true(pb_real(&f) == -2.5);

    w.n = 0;
    write_tag(&w, 1, PB_WIRE_I32);
    write_fixed(&w, 0x3f400000, 4);
    f = read_one(w.bytes, w.n);
    assert_true(pb_real(&f) == 0.75);
    assert_int_equal(pb_zigzag(5), -3);
}

static void test_bytes_and_messages_point_into_the_input(void **state)
{
    (void)state;
    struct writer w = {.n = 0};
    write_tag(&w, 2, PB_WIRE_LEN);
    write_varint(&w, 2);
    write_tag(&w, 1, PB_WIRE_VARINT);
    write_varint(&w, 9);
    struct pb_field f = read_one(w.bytes, w.n);
    assert_true(str_eq(pb_str(&f), ((struct str){(char *)w.bytes + 2, 2})));
    struct pb_reader inner = pb_message(&f);
    assert_true(pb_next(&inner, &f));
    assert_int_equal(pb_u64(&f), 9);
    assert_false(pb_next(&inner, &f));
    assert_false(inner.error);
}

static void test_a_number_is_not_a_pointer(void **state)
{
    (void)state;
    struct writer w = {.n = 0};
    write_tag(&w, 2, PB_WIRE_VARINT);
    write_varint(&w, 1000);
    struct pb_field f = read_one(w.bytes, w.n);
    assert_int_equal(pb_str(&f).n, 0);
    struct pb_reader inner = pb_message(&f);
    assert_false(pb_next(&inner, &f));
}

static void test_malformed_fields_are_errors_at_their_start(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } bad[] = {
        {"\x08", 1},     /* no value */
        {"\x08\x80", 2}, /* unfinished varint */
        {"\x12\x05"
         "abcd",
         6}, /* length past the end */
        {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {"\x09"
         "1234567",
         8}, /* seven bytes of eight */
        {"\x0d"
         "123",
         4},                             /* three bytes of four */
        {"\x00\x01", 2},                 /* field number 0 */
        {"\x0b\x0c", 2},                 /* group */
        {"\x0e\x01", 2},                 /* wire type 6 */
        {"\xf8\xff\xff\xff\x7f\x01", 6}, /* field number over 29 bits */
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct writer w = {.n = 0};
        write_tag(&w, 1, PB_WIRE_VARINT);
        write_varint(&w, 7);
        memcpy(w.bytes + w.n, bad[i].bytes, bad[i].n);
        uint8_t *block;
        struct pb_reader r = reader_of_copy(&w, w.n + bad[i].n, &block);
        struct pb_field f;
        assert_true(pb_next(&r, &f));
        assert_false(r.error);
        assert_false(pb_next(&r, &f));
        assert_true(r.error);
        assert_ptr_equal(r.p, block + w.n);
        assert_false(pb_next(&r, &f));
        free(block);
    }
}

static void test_any_bytes_end(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 20000; i++) {
        struct writer w = {.n = random_u64(&seed) % 64};
        for (size_t k = 0; k < w.n; k++)
            w.bytes[k] = (uint8_t)(random_u64(&seed) >> 20);
        uint8_t *block;
        struct pb_reader r = reader_of_copy(&w, w.n, &block);
        struct pb_field f;
        size_t fields = 0;
        while (pb_next(&r, &f)) {
            assert_true(++fields <= w.n / 2);
            assert_true(pb_str(&f).n <= w.n);
        }
        assert_true(r.error || r.p == r.end);
        free(block);
    }
}

static void test_packed_and_single_elements_are_the_same(void **state)
{
    (void)state;
    struct writer w = {.n = 0};
    write_tag(&w, 4, PB_WIRE_LEN);
    write_varint(&w, 3);
    write_varint(&w, 300);
    write_varint(&w, 5);
    write_tag(&w, 4, PB_WIRE_VARINT);
    write_varint(&w, 6);
    struct pb_reader r = pb_reader_from(w.bytes, w.n);
    struct pb_field f;
    uint64_t got[4], v;
    size_t n = 0;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (n < 4 && pb_packed_next(&it, &v))
            got[n++] = v;
    }
    assert_int_equal(n, 3);
    assert_int_equal(got[0], 300);
    assert_int_equal(got[1], 5);
    assert_int_equal(got[2], 6);
}

static void test_packed_fixed_elements_must_be_whole(void **state)
{
    (void)state;
    struct writer w = {.n = 0};
    write_tag(&w, 4, PB_WIRE_LEN);
    write_varint(&w, 7);
    write_fixed(&w, 0x01020304, 4);
    write_fixed(&w, 0, 3);
    struct pb_field f = read_one(w.bytes, w.n);
    struct pb_packed it = pb_packed_begin(&f, PB_WIRE_I32);
    uint64_t v = 0;
    assert_true(pb_packed_next(&it, &v));
    assert_int_equal(v, 0x01020304);
    assert_false(pb_packed_next(&it, &v));
    assert_true(it.r.error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints_of_every_length_read_back),
        cmocka_unit_test(test_numbers_keep_their_sign_and_width),
        cmocka_unit_test(test_bytes_and_messages_point_into_the_input),
        cmocka_unit_test(test_a_number_is_not_a_pointer),
        cmocka_unit_test(test_malformed_fields_are_errors_at_their_start),
        cmocka_unit_test(test_any_bytes_end),
        cmocka_unit_test(test_packed_and_single_elements_are_the_same),
        cmocka_unit_test(test_packed_fixed_elements_must_be_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
