/* Records of many queues come out in order of time, and as they were pushed where times are equal.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/trace/trace.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sorter.h"
#include "test_random.h"

enum { QUEUES = 3, RECORDS = 5000, ROUNDS = 60 };

/* The first member, as record_call asks for. */
struct noted {
    struct record_call call;
    int64_t ts;
    uint32_t queue, n; /* of those of the queue */
};

static struct {
    const struct noted *records[QUEUES * RECORDS];
    size_t count;
} applied;

static void note(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct noted *r = (const struct noted *)call;
    (void)im;
    assert_int_equal(ts, r->ts);
    applied.records[applied.count++] = r;
}

/* Runs of up to `longest` records, each of which begins up to `back` before the last one's end. */
static void push_some(struct sorter *s, uint32_t queue, struct noted *records, uint32_t longest,
                      uint32_t back)
{
    int64_t ts = INT64_C(1) << 40; /* none is before 0: those are dropped */
    for (uint32_t n = 0; n < RECORDS;) {
        ts -= next_random(back);
        for (uint32_t left = 1 + next_random(longest); left > 0 && n < RECORDS; left--, n++) {
            ts += next_random(3);
            records[n] = (struct noted){{.apply = note}, ts, queue, n};
            sorter_push(s, queue, ts, RECORD_CALL, (uintptr_t)&records[n]);
        }
    }
}

static void test_order(void **state)
{
    (void)state;
    static const uint32_t longest[] = {1, 3, 100, 3000}, back[] = {1, 5, 300, 100000};
    struct noted *records = malloc((size_t)QUEUES * RECORDS * sizeof *records);
    assert_non_null(records);
    for (int round = 0; round < ROUNDS; round++) {
        struct trace t;
        struct import im;
        trace_init(&t);
        import_init(&im, &t, (struct bytes){0});
        for (uint32_t q = 0; q < QUEUES; q++) {
            sorter_cpu_queue(&im.sorter, 0, q);
            push_some(&im.sorter, q, records + (size_t)q * RECORDS, longest[next_random(4)],
                      back[next_random(4)]);
        }
        applied.count = 0;
        struct status s = sorter_run(&im);
        assert_true(status_ok(s));
        assert_int_equal(applied.count, QUEUES * RECORDS);
        const struct noted *last[QUEUES] = {NULL};
        for (size_t i = 0; i < applied.count; i++) {
            const struct noted *r = applied.records[i];
            assert_true(i == 0 || applied.records[i - 1]->ts <= r->ts);
            if (last[r->queue] && last[r->queue]->ts == r->ts)
                assert_true(last[r->queue]->n < r->n);
            last[r->queue] = r;
        }
        import_release(&im);
        trace_release(&t);
    }
    free(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
