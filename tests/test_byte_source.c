/* Sources of bytes: what another thread inflates is the same, moved on or kept, whole or cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/alloc.h"
#include "parsers/input/byte_source.h"

enum { PLAIN_BYTES = 5 << 20 };

/* Bytes that neither repeat nor cannot be packed. */
static uint8_t plain_at(size_t i)
{
    uint64_t x = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    return (uint8_t)('a' + (x >> 40) % 7);
}

static uint8_t *make_plain(void)
{
    uint8_t *p = alloc_bytes(PLAIN_BYTES);
    for (size_t i = 0; i < PLAIN_BYTES; i++)
        p[i] = plain_at(i);
    return p;
}

/* One gzip member of the bytes, behind what is there. */
static void add_member(struct bytes *out, const uint8_t *p, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, n);
    uint8_t *all = realloc((void *)(uintptr_t)out->p, out->n + room);
    assert_non_null(all);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = all + out->n;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *out = (struct bytes){all, out->n + z.total_out};
    deflateEnd(&z);
}

/* libdeflate takes one member, several are inflated by zlib. */
static struct bytes make_packed(size_t members)
{
    struct bytes packed = {0};
    uint8_t *plain = make_plain();
    for (size_t i = 0; i < members; i++) {
        size_t from = PLAIN_BYTES / members * i;
        size_t to = i + 1 == members ? PLAIN_BYTES : PLAIN_BYTES / members * (i + 1);
        add_member(&packed, plain + from, to - from);
    }
    free(plain);
    return packed;
}

static void check_bytes(struct bytes window, size_t from)
{
    for (size_t i = 0; i < window.n; i++)
        if (window.p[i] != plain_at(from + i))
            fail_msg("byte %zu is another one", from + i);
}

static void test_moves_on(void **state)
{
    (void)state;
    struct bytes packed = make_packed(1);
    struct byte_source s = byte_source_compressed(COMPRESSION_GZIP, packed, NULL, NULL);
    size_t at = 0;
    for (bool more = true; more;) {
        check_bytes(s.window, at);
        size_t used = s.window.n - (s.window.n > 1000 ? 1000 : 0);
        more = byte_source_more(&s, used);
        if (more)
            at += used;
    }
    assert_int_equal(at + s.window.n, PLAIN_BYTES);
    assert_int_equal(s.unpacked, PLAIN_BYTES);
    assert_false(s.cut);
    byte_source_release(&s);
    free((void *)(uintptr_t)packed.p);
}

static void check_kept(size_t members)
{
    struct bytes packed = make_packed(members);
    struct byte_source s = byte_source_compressed(COMPRESSION_GZIP, packed, NULL, NULL);
    byte_source_keep(&s);
    const uint8_t *start = s.window.p;
    while (byte_source_more(&s, 0))
        assert_ptr_equal(s.window.p, start);
    assert_int_equal(s.window.n, PLAIN_BYTES);
    assert_false(s.cut);
    check_bytes(s.window, 0);
    byte_source_release(&s);
    free((void *)(uintptr_t)packed.p);
}

static void test_keeps_one_member(void **state)
{
    (void)state;
    check_kept(1);
}

static void test_keeps_several_members(void **state)
{
    (void)state;
    check_kept(3);
}

static void test_cut_off(void **state)
{
    (void)state;
    struct bytes packed = make_packed(1);
    struct bytes part = {packed.p, packed.n / 2};
    struct byte_source s = byte_source_compressed(COMPRESSION_GZIP, part, NULL, NULL);
    byte_source_keep(&s);
    while (byte_source_more(&s, 0)) {
    }
    assert_true(s.cut);
    assert_in_range(s.window.n, PLAIN_BYTES / 4, PLAIN_BYTES - 1);
    check_bytes(s.window, 0);
    byte_source_release(&s);
    free((void *)(uintptr_t)packed.p);
}

/* The thread may wait for room then. */
static void test_released_early(void **state)
{
    (void)state;
    struct bytes packed = make_packed(3);
    for (int i = 0; i < 50; i++) {
        struct byte_source s = byte_source_compressed(COMPRESSION_GZIP, packed, NULL, NULL);
        if (i % 2)
            byte_source_keep(&s);
        assert_true(byte_source_more(&s, i % 2 ? 0 : s.window.n));
        byte_source_release(&s);
    }
    free((void *)(uintptr_t)packed.p);
}

static void zero(uint8_t *p, size_t from, size_t to)
{
    memset(p + from, 0, to - from);
}

/* What holes there are in the bytes, with windows that end anywhere. */
static int64_t hole_bytes(const uint8_t *p, size_t n, bool goes_on)
{
    struct bytes packed = {0};
    add_member(&packed, p, n);
    struct byte_source s = byte_source_compressed(COMPRESSION_GZIP, packed, NULL, NULL);
    s.looks_for_holes = true;
    for (bool more = true; more;) {
        size_t used = s.window.n - (s.window.n > 1000 ? 1000 : 0);
        for (size_t i = 0; i <= used; i += 10007)
            byte_source_done(&s, i);
        more = byte_source_more(&s, used);
    }
    int64_t bytes = byte_source_hole_bytes(&s, goes_on);
    byte_source_release(&s);
    free((void *)(uintptr_t)packed.p);
    struct byte_source whole = byte_source_memory((struct bytes){p, n}, false, NULL);
    whole.looks_for_holes = true;
    byte_source_done(&whole, n / 2);
    assert_int_equal(byte_source_hole_bytes(&whole, goes_on), bytes);
    return bytes;
}

static void test_holes(void **state)
{
    (void)state;
    enum { END = PLAIN_BYTES };
    uint8_t *p = make_plain();
    assert_int_equal(hole_bytes(p, END, false), 0);
    zero(p, 5, 8); /* too few */
    zero(p, 9, 12);
    assert_int_equal(hole_bytes(p, END, false), 0);
    zero(p, 100, 104);
    assert_int_equal(hole_bytes(p, END, false), 4);
    zero(p, 1 << 16, (1 << 17) + 3);
    zero(p, (1 << 20) - 2, (1 << 20) + 2);
    int64_t inside = 4 + (1 << 16) + 3 + 4;
    assert_int_equal(hole_bytes(p, END, false), inside);
    zero(p, END - 9, END);
    assert_int_equal(hole_bytes(p, END, false), inside + 9);
    assert_int_equal(hole_bytes(p, END, true), inside);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_on),
        cmocka_unit_test(test_keeps_one_member),
        cmocka_unit_test(test_keeps_several_members),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_released_early),
        cmocka_unit_test(test_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
