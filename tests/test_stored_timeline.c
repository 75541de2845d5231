/* A timeline's indexes as a file: what is read is what was written, and what is damaged is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/trace_builder.h"
#include "parsers/load.h"
#include "tui/index/stored_timeline.h"

enum { ROUNDS = 300, CONTENT = 7 };

static char *make_text(size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    fputs("# tracer: nop\n", f);
    for (int i = 0; i < ROUNDS; i++) {
        int us = 1000 + i * 100;
        fprintf(f,
                "  app-100 ( 100) [000] d..3 10.%06d: sched_switch: prev_comm=a prev_pid=%d "
                "prev_prio=120 prev_state=S ==> next_comm=b next_pid=%d next_prio=100\n",
                us, 100 + i % 2, 101 - i % 2);
        fprintf(f, "  app-100 ( 100) [001] .... 10.%06d: tracing_mark_write: B|100|s%d\n", us + 5,
                i % 9);
        fprintf(f, "  app-100 ( 100) [001] .... 10.%06d: tracing_mark_write: C|100|count|%d\n",
                us + 6, i);
        if (i % 50)
            fprintf(f, "  app-100 ( 100) [001] .... 10.%06d: tracing_mark_write: E|100\n",
                    us + 7 + i % 13);
    }
    fclose(f);
    return text;
}

struct fixture {
    struct trace trace;
    struct timeline tl;
    int fd;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    size_t size;
    char *text = make_text(&size);
    trace_init(&f->trace);
    struct status s = trace_load_memory(&f->trace, "text", (const uint8_t *)text, size, NULL);
    free(text);
    timeline_init(&f->tl, &f->trace);
    f->fd = memfd_create("timeline", 0);
    *state = f;
    return status_ok(s) && status_ok(stored_timeline_write(&f->tl, f->fd, CONTENT, NULL)) ? 0 : 1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    close(f->fd);
    timeline_release(&f->tl);
    trace_release(&f->trace);
    free(f);
    return 0;
}

static void expect_same_lanes(const struct lanes *a, const struct lanes *b)
{
    assert_int_equal(a->lane_count, b->lane_count);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->levels, b->levels);
    assert_true(a->levels > 0);
    assert_memory_equal(a->starts, b->starts, (a->lane_count + 1) * sizeof *a->starts);
    assert_memory_equal(a->rows, b->rows, a->count * sizeof *a->rows);
    for (uint32_t p = 0; p < a->count; p++) {
        assert_int_equal(lanes_ts(a, p), lanes_ts(b, p));
        assert_int_equal(lanes_end(a, p), lanes_end(b, p));
    }
    for (uint32_t p = 1; p < a->count; p++)
        assert_int_equal(lanes_longest(a, 0, p), lanes_longest(b, 0, p));
}

static void test_what_is_written_is_read(void **state)
{
    struct fixture *f = *state;
    struct timeline again;
    assert_int_equal(lseek(f->fd, 0, SEEK_END), stored_timeline_size(&f->tl));
    assert_true(stored_timeline_open(&again, &f->trace, f->fd, CONTENT));
    assert_true(stored_timeline_is_sound(&again));
    expect_same_lanes(&f->tl.slices, &again.slices);
    expect_same_lanes(&f->tl.states, &again.states);
    expect_same_lanes(&f->tl.sched, &again.sched);
    assert_int_equal(f->tl.counters.count, again.counters.count);
    assert_int_equal(f->tl.cpu_count, again.cpu_count);
    struct value_range a = steps_range(&f->tl.counters, 3, f->tl.counters.count);
    struct value_range b = steps_range(&again.counters, 3, again.counters.count);
    assert_true(a.min == b.min && a.max == b.max);
    for (uint32_t utid = 0; utid < f->trace.tables.thread.rows; utid++) {
        assert_int_equal(f->tl.threads[utid].track, again.threads[utid].track);
        assert_int_equal(timeline_running(&f->tl, utid, 0, INT64_MAX),
                         timeline_running(&again, utid, 0, INT64_MAX));
    }
    struct row_list names = timeline_named(&f->tl), same = timeline_named(&again);
    assert_int_equal(names.count, same.count);
    assert_memory_equal(names.rows, same.rows, names.count * sizeof *names.rows);
    timeline_release(&again);
}

static void test_another_trace_is_refused(void **state)
{
    struct fixture *f = *state;
    struct timeline again;
    struct trace other;
    assert_false(stored_timeline_open(&again, &f->trace, f->fd, CONTENT + 1));
    trace_init(&other);
    trace_finish(&other);
    assert_false(stored_timeline_open(&again, &other, f->fd, CONTENT));
    trace_release(&other);
    assert_int_equal(ftruncate(f->fd, lseek(f->fd, 0, SEEK_END) - 1), 0);
    assert_false(stored_timeline_open(&again, &f->trace, f->fd, CONTENT));
    assert_int_equal(ftruncate(f->fd, 5), 0);
    assert_false(stored_timeline_open(&again, &f->trace, f->fd, CONTENT));
}

static bool is_found(struct fixture *f)
{
    struct timeline again;
    if (!stored_timeline_open(&again, &f->trace, f->fd, CONTENT))
        return true;
    bool sound = stored_timeline_is_sound(&again);
    timeline_release(&again);
    return !sound;
}

static void test_every_changed_byte_is_found(void **state)
{
    struct fixture *f = *state;
    off_t size = lseek(f->fd, 0, SEEK_END);
    int unfound = 0;
    for (off_t at = 0; at < size; at += 101) {
        uint8_t byte, changed;
        assert_int_equal(pread(f->fd, &byte, 1, at), 1);
        changed = byte ^ 0x10;
        assert_int_equal(pwrite(f->fd, &changed, 1, at), 1);
        unfound += !is_found(f);
        assert_int_equal(pwrite(f->fd, &byte, 1, at), 1);
    }
    /* Nothing but what stands between the parts, to align them. */
    assert_true(unfound < size / 101 / 10);
    assert_false(is_found(f));
}

/* Ids may come from a file that is not checked yet. */
static void test_what_is_not_there_has_nothing(void **state)
{
    const struct fixture *f = *state;
    const struct tables *t = &f->trace.tables;
    const uint32_t tracks[] = {t->track.rows, UINT32_MAX - 1, NULL_U32};
    for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
        assert_int_equal(timeline_track_steps(&f->tl, tracks[i]), 0);
        assert_int_equal(timeline_track_depths(&f->tl, tracks[i]), 0);
    }
    assert_int_equal(timeline_process_machine(&f->tl, t->process.rows), 0);
    assert_int_equal(timeline_process_machine(&f->tl, NULL_U32), 0);
    assert_int_equal(timeline_cpu_machine(&f->tl, NULL_U32), 0);
    assert_int_equal(timeline_pid(&f->tl, NULL_U32), -1);
}

/* The names of slices are the last part of the file. */
static void test_of_a_trace_without_slices(void **state)
{
    (void)state;
    static const char text[] =
        "# tracer: nop\n"
        "  app-100 ( 100) [000] d..3 10.000001: sched_switch: prev_comm=a prev_pid=100 "
        "prev_prio=120 prev_state=S ==> next_comm=b next_pid=101 next_prio=100\n";
    struct fixture f;
    struct timeline again;
    trace_init(&f.trace);
    struct status s =
        trace_load_memory(&f.trace, "text", (const uint8_t *)text, sizeof text - 1, NULL);
    assert_true(status_ok(s));
    timeline_init(&f.tl, &f.trace);
    f.fd = memfd_create("timeline", 0);
    assert_true(status_ok(stored_timeline_write(&f.tl, f.fd, CONTENT, NULL)));
    assert_int_equal(lseek(f.fd, 0, SEEK_END), stored_timeline_size(&f.tl));
    assert_true(stored_timeline_open(&again, &f.trace, f.fd, CONTENT));
    assert_true(stored_timeline_is_sound(&again));
    assert_int_equal(f.tl.sched.count, again.sched.count);
    timeline_release(&again);
    timeline_release(&f.tl);
    trace_release(&f.trace);
    close(f.fd);
}

static void test_writing_can_be_cancelled(void **state)
{
    struct fixture *f = *state;
    const atomic_bool cancel = true;
    int fd = memfd_create("timeline", 0);
    struct status s = stored_timeline_write(&f->tl, fd, CONTENT, &cancel);
    assert_int_equal(s.code, STATUS_CANCELLED);
    status_release(&s);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_trace_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_changed_byte_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_there_has_nothing, set_up, tear_down),
        cmocka_unit_test(test_of_a_trace_without_slices),
        cmocka_unit_test_setup_teardown(test_writing_can_be_cancelled, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
