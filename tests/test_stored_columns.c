/* Columns as a file: what is read is what was written, and what is damaged is not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/trace/stored_columns.h"
#include "core/trace_builder.h"
#include "parsers/cache.h"
#include "sql_rows.h"

static const char text[] =
    "# tracer: nop\n"
    "  app-100 ( 100) [001] .... 10.000001: tracing_mark_write: B|100|outer\n"
    "  app-100 ( 100) [001] .... 10.000002: tracing_mark_write: B|100|inner\n"
    "  app-100 ( 100) [001] .... 10.000003: sys_enter: NR 1 (3, 4, 5, 0, 0, 0)\n"
    "  app-100 ( 100) [001] .... 10.000004: sys_exit: NR 1 = 4\n"
    "  app-100 ( 100) [001] .... 10.000005: unknown_event: key=value number=3\n"
    "  app-100 ( 100) [001] d..3 10.000006: sched_switch: prev_comm=app prev_pid=100 "
    "prev_prio=120 prev_state=S ==> next_comm=other next_pid=200 next_prio=100\n"
    "  other-200 ( 200) [001] d..3 10.000007: cpu_frequency: state=1000 cpu_id=1\n"
    "  app-100 ( 100) [001] .... 10.000009: tracing_mark_write: E|100\n";

static const char json[] = "[{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":5,"
                           "\"args\":{\"a\":[1,{\"b\":\"c\"}]}}]";

/* Of which the last parts of the file are empty. */
static const char switches[] =
    "# tracer: nop\n"
    "  app-100 ( 100) [001] d..3 10.000006: sched_switch: prev_comm=app prev_pid=100 "
    "prev_prio=120 prev_state=S ==> next_comm=other next_pid=200 next_prio=100\n";

/* A process that says it started itself. */
static const char loop[] =
    "packet { process_tree { processes { pid: 1 ppid: 1 cmdline: \"p\" } } }\n";

static const struct stored_source source = {.file.size = 7, .content = 8};

static struct trace *load(const char *bytes)
{
    struct trace *t = malloc(sizeof *t);
    trace_init(t);
    struct status s = trace_load_memory(t, "text", (const uint8_t *)bytes, strlen(bytes), NULL);
    assert_true(status_ok(s));
    return t;
}

static void unload(struct trace *t)
{
    trace_release(t);
    free(t);
}

static uint64_t image_size(const struct trace *t)
{
    struct stored_image *m = stored_image_new(t);
    uint64_t size = stored_image_size(m);
    stored_image_free(m);
    return size;
}

static int store(const struct trace *t)
{
    int fd = memfd_create("columns", 0);
    assert_true(stored_columns_possible(t));
    assert_true(status_ok(stored_columns_write(t, &source, fd, NULL)));
    assert_int_equal(lseek(fd, 0, SEEK_END), image_size(t));
    return fd;
}

static void expect_same_rows(struct trace *a, struct trace *b)
{
    static const char *const queries[] = {
        "SELECT * FROM slice",
        "SELECT * FROM sched",
        "SELECT * FROM thread_state",
        "SELECT * FROM ftrace_event",
        "SELECT * FROM counter",
        "SELECT * FROM thread",
        "SELECT * FROM process",
        "SELECT * FROM track",
        "SELECT * FROM args",
        "SELECT * FROM stats",
        "SELECT * FROM trace_bounds",
        "SELECT * FROM cpu",
        "SELECT extract_arg(arg_set_id, 'key'), to_ftrace(id) FROM ftrace_event"};
    struct status s;
    struct sql_session *first = sql_session_new(a, &s), *second = sql_session_new(b, &s);
    assert_true(status_ok(s));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *rows = sql_rows(first, queries[i]);
        expect_rows(second, queries[i], rows);
        sqlite3_free(rows);
    }
    sql_session_free(first);
    sql_session_free(second);
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    static const char *const traces[] = {text, json, switches, loop, "[]"};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        struct trace *t = load(traces[i]), again;
        int fd = store(t);
        trace_init(&again);
        struct status s = stored_columns_read(&again, &source, fd, cache_restorers);
        assert_true(status_ok(s));
        trace_finish_stored(&again);
        close(fd);
        expect_same_rows(t, &again);
        assert_false(stored_columns_damaged(&again));
        trace_release(&again);
        unload(t);
    }
}

static void expect_refused(int fd, const struct stored_source *of, const char *why)
{
    struct trace t;
    trace_init(&t);
    struct status s = stored_columns_read(&t, of, fd, cache_restorers);
    assert_false(status_ok(s));
    assert_string_equal(s.message, why);
    status_release(&s);
    trace_release(&t);
}

static void test_another_trace_or_no_file_is_refused(void **state)
{
    (void)state;
    struct trace *t = load(text);
    int fd = store(t);
    unload(t);
    expect_refused(fd, &(struct stored_source){.file.size = 7, .content = 9},
                   "it is of another trace");
    assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
    expect_refused(fd, &source, "it is cut short");
    assert_int_equal(pwrite(fd, "x", 1, 0), 1);
    expect_refused(fd, &source, "it is no file of columns");
    close(fd);
}

/* Whether any part is found damaged once all was asked for. */
static bool is_found(int fd)
{
    struct trace t;
    trace_init(&t);
    struct status s = stored_columns_read(&t, &source, fd, cache_restorers);
    bool found = !status_ok(s);
    status_release(&s);
    if (!found) {
        struct arg_list list = {0};
        trace_finish_stored(&t);
        for (uint32_t i = 0; i < TABLE_COUNT && !found; i++)
            found = !stored_table_ready(&t, &tables_array(&t.tables)[i]);
        args_read(&t.args, 1, &list);
        found |= stored_columns_damaged(&t);
        arg_list_release(&list);
    }
    trace_release(&t);
    return found;
}

static void test_every_changed_byte_is_found(void **state)
{
    (void)state;
    struct trace *t = load(text);
    int fd = store(t);
    unload(t);
    assert_false(is_found(fd));
    off_t size = lseek(fd, 0, SEEK_END);
    int unfound = 0;
    for (off_t at = 0; at < size; at += 13) {
        uint8_t byte, changed;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        changed = byte ^ 0x10;
        assert_int_equal(pwrite(fd, &changed, 1, at), 1);
        unfound += !is_found(fd);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
    /* Nothing but what stands between the parts, to align them. */
    assert_true(unfound < size / 13 / 10);
}

static void test_writing_can_be_cancelled(void **state)
{
    (void)state;
    struct trace *t = load(text);
    const atomic_bool cancel = true;
    int fd = memfd_create("columns", 0);
    struct status s = stored_columns_write(t, &source, fd, &cancel);
    assert_int_equal(s.code, STATUS_CANCELLED);
    status_release(&s);
    close(fd);
    unload(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_another_trace_or_no_file_is_refused),
        cmocka_unit_test(test_every_changed_byte_is_found),
        cmocka_unit_test(test_writing_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
