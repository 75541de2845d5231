/* Compressed packets that another thread inflates: the same bytes, in their order, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "core/trace_builder.h"
#include "parsers/load.h"
#include "parsers/perfetto/packets/inflate_ahead.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"

/* More than are inflated ahead, and than a trace has that takes no thread. */
enum { PACKETS = 48, TEXT = 150000, LARGE_TEXT = 3 << 20 };

struct made {
    struct pb_bytes trace;
    size_t at[PACKETS], n[PACKETS]; /* of the compressed payloads */
    struct pb_bytes plain[PACKETS];
};

static uint64_t next_random(uint64_t *x)
{
    *x = *x * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *x >> 33;
}

/* A packet with a trigger, which is a slice, whose name cannot be packed well. */
static void put_trigger(struct pb_bytes *out, int i, size_t n)
{
    struct pb_bytes trigger = {0}, packet = {0};
    uint64_t seed = (uint64_t)i;
    char *text = malloc(n);
    assert_non_null(text);
    for (size_t k = 0; k < n; k++)
        text[k] = (char)('0' + next_random(&seed) % 64);
    pb_put_str(&trigger, PB_Trigger_trigger_name, (struct str){text, n});
    pb_put_uint(&packet, PB_TracePacket_timestamp, 1000 + (uint64_t)i);
    pb_put_message(&packet, PB_TracePacket_trigger, &trigger);
    pb_put_message(out, PB_Trace_packet, &packet);
    pb_bytes_release(&trigger);
    pb_bytes_release(&packet);
    free(text);
}

static void put_compressed(struct made *m, int i, size_t text)
{
    struct pb_bytes packet = {0};
    put_trigger(&m->plain[i], i, text);
    uLongf room = compressBound(m->plain[i].v.count);
    uint8_t *packed = malloc(room);
    assert_non_null(packed);
    assert_int_equal(compress2(packed, &room, m->plain[i].v.items, m->plain[i].v.count, 1), Z_OK);
    pb_put_str(&packet, PB_TracePacket_compressed_packets,
               (struct str){(const char *)packed, room});
    pb_put_message(&m->trace, PB_Trace_packet, &packet);
    m->at[i] = m->trace.v.count - room;
    m->n[i] = room;
    pb_bytes_release(&packet);
    free(packed);
}

/* Packets that are not compressed between them; the one of `large` is larger than others. */
static void make(struct made *m, int large)
{
    *m = (struct made){0};
    for (int i = 0; i < PACKETS; i++) {
        put_compressed(m, i, i == large ? LARGE_TEXT : TEXT);
        if (i % 5 == 0)
            put_trigger(&m->trace, PACKETS + i, 10);
    }
}

static void release(struct made *m)
{
    for (int i = 0; i < PACKETS; i++)
        pb_bytes_release(&m->plain[i]);
    pb_bytes_release(&m->trace);
}

static struct inflate_ahead *start(const struct made *m)
{
    struct inflate_ahead *a =
        inflate_ahead_start((struct bytes){m->trace.v.items, m->trace.v.count});
    assert_non_null(a);
    return a;
}

static bool take(struct inflate_ahead *a, const struct made *m, int i)
{
    struct bytes out;
    if (!inflate_ahead_take(a, (struct bytes){m->trace.v.items + m->at[i], m->n[i]}, &out))
        return false;
    assert_int_equal(out.n, m->plain[i].v.count);
    assert_memory_equal(out.p, m->plain[i].v.items, out.n);
    return true;
}

static void test_all_are_there_in_their_order(void **state)
{
    (void)state;
    struct made m;
    make(&m, -1);
    for (int step = 1; step < 4; step++) {
        struct inflate_ahead *a = start(&m);
        for (int i = 0; i < PACKETS; i += step)
            assert_true(take(a, &m, i));
        inflate_ahead_end(a);
    }
    release(&m);
}

/* They are left to who reads them. */
static void test_damaged_and_large_ones_are_not(void **state)
{
    (void)state;
    struct made m;
    make(&m, 30);
    memset(m.trace.v.items + m.at[7] + 100, 0xff, 50);
    memset(m.trace.v.items + m.at[PACKETS - 1] + 100, 0xff, 50);
    struct inflate_ahead *a = start(&m);
    for (int i = 0; i < PACKETS; i++)
        assert_int_equal(take(a, &m, i), i != 7 && i != 30 && i != PACKETS - 1);
    inflate_ahead_end(a);
    release(&m);
}

static void test_nothing_follows_what_is_no_packet(void **state)
{
    (void)state;
    struct made m;
    make(&m, -1);
    m.trace.v.items[m.at[20] + m.n[20]] = 0x0f; /* a tag that there is not */
    struct inflate_ahead *a = start(&m);
    for (int i = 0; i < PACKETS; i++)
        assert_int_equal(take(a, &m, i), i <= 20);
    inflate_ahead_end(a);
    release(&m);
}

/* The thread may wait for room then. */
static void test_ended_early(void **state)
{
    (void)state;
    struct made m;
    make(&m, -1);
    for (int i = 0; i < 30; i++) {
        struct inflate_ahead *a = start(&m);
        if (i % 3)
            assert_true(take(a, &m, i));
        inflate_ahead_end(a);
    }
    release(&m);
}

static void test_little_takes_no_thread(void **state)
{
    (void)state;
    struct made m;
    make(&m, -1);
    assert_null(inflate_ahead_start((struct bytes){m.trace.v.items, m.trace.v.count / 2}));
    release(&m);
}

/* All of them, but that of a damaged packet. */
static void test_import_has_all_rows(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    for (int damaged = 0; damaged < 2; damaged++) {
        make(&m, 30);
        if (damaged)
            memset(m.trace.v.items + m.at[7] + 100, 0xff, 50);
        trace_init(&t);
        struct status s = trace_load_memory(&t, "made", m.trace.v.items, m.trace.v.count, NULL);
        assert_true(status_ok(s));
        assert_int_equal(t.tables.slice.rows, PACKETS + (PACKETS + 4) / 5 - damaged);
        trace_release(&t);
        release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_there_in_their_order),
        cmocka_unit_test(test_damaged_and_large_ones_are_not),
        cmocka_unit_test(test_nothing_follows_what_is_no_packet),
        cmocka_unit_test(test_ended_early),
        cmocka_unit_test(test_little_takes_no_thread),
        cmocka_unit_test(test_import_has_all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
