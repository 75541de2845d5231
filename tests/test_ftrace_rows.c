/* Rows of ftrace_event that are only noted until somebody reads them (core/trace/ftrace_rows.h). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "core/trace/ftrace_rows.h"
#include "core/trace_bounds.h"
#include "core/trace_builder.h"
#include "core/trace/trace_window.h"
#include "test_random.h"

enum { ROWS = 20000, FILE_SIZE = 1 << 20, KINDS = 40 };

static uint8_t file[FILE_SIZE];

/* Where a payload lies, and how long it is. */
static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    (void)self;
    arg_list_int(out, 1, payload - file);
    arg_list_int(out, 2, (int64_t)n);
    arg_list_int(out, 3, context);
}

struct expected {
    struct ftrace_event_row row;
    bool has_payload;
    int64_t offset, size, context;
};

static void setup_file(struct trace *t, uint32_t kinds[KINDS])
{
    trace_init(t);
    args_defer(&t->args, file, FILE_SIZE);
    uint32_t decoder = args_add_decoder(&t->args, (struct args_decoder){.decode = decode});
    for (uint32_t i = 0; i < KINDS; i++)
        kinds[i] = args_kind(&t->args, decoder, i);
}

/* Mostly small, seldom any. */
static uint32_t some(uint32_t small)
{
    return next_random(8) ? next_random(small) : next_random(UINT32_MAX) >> next_random(32);
}

static void append_some(struct trace *t, const uint32_t kinds[KINDS], struct expected *e,
                        int64_t ts)
{
    *e = (struct expected){.row = {.ts = ts,
                                   .name = some(300),
                                   .utid = some(3),
                                   .arg_set_id = NULL_U32,
                                   .common_flags = some(1),
                                   .ucpu = some(70)}};
    if (next_random(3) == 0) {
        e->row.arg_set_id = some(2) - 1;
        ftrace_rows_append(t, &e->row);
        return;
    }
    e->has_payload = true;
    e->size = (int64_t)next_random(200);
    e->offset = (int64_t)next_random(FILE_SIZE - 200);
    e->context = (int64_t)next_random(KINDS);
    if (next_random(5) == 0) /* sets that no row has */
        args_intern_payload_later(&t->args, kinds[0], file, 1);
    ftrace_rows_append_payload(t, &e->row, kinds[e->context], file + e->offset, (size_t)e->size);
}

static void check_row(const struct trace *t, uint32_t i, const struct expected *e)
{
    const struct table *rows = &t->tables.ftrace_event;
    assert_int_equal(table_i64(rows, ftrace_event_col_ts)[i], e->row.ts);
    assert_int_equal(column_str(&rows->columns[ftrace_event_col_name], i), e->row.name);
    assert_int_equal(table_small(rows, ftrace_event_col_utid, i), e->row.utid);
    assert_int_equal(table_small(rows, ftrace_event_col_ucpu, i), e->row.ucpu);
    assert_int_equal(table_small(rows, ftrace_event_col_common_flags, i), e->row.common_flags);
    uint32_t set = table_u32(rows, ftrace_event_col_arg_set_id)[i];
    assert_int_equal(set, e->row.arg_set_id);
    if (!e->has_payload)
        return;
    struct arg_list list = {0};
    args_read(&t->args, set, &list);
    assert_int_equal(list.v.count, 3);
    assert_int_equal(list.v.items[0].i, e->offset);
    assert_int_equal(list.v.items[1].i, e->size);
    assert_int_equal(list.v.items[2].i, e->context);
    arg_list_release(&list);
}

static void see(void *self, uint32_t ucpu)
{
    bool *seen = self;
    if (ucpu < ROWS)
        seen[ucpu] = true;
}

static void test_rows_are_made_as_they_were_appended(void **state)
{
    (void)state;
    static struct expected expected[ROWS];
    static bool seen[ROWS];
    uint32_t kinds[KINDS];
    struct trace t;
    random_state = 1;
    int64_t ts = 0;
    setup_file(&t, kinds);
    args_intern_payload_later(&t.args, kinds[0], file, 1); /* before the first row */
    for (size_t i = 0; i < ROWS; i++) {
        ts = next_random(100) ? ts + (int64_t)next_random(5000)
                              : (int64_t)next_random(UINT32_MAX) << next_random(30);
        append_some(&t, kinds, &expected[i], ts);
    }
    const struct table *rows = &t.tables.ftrace_event;
    assert_true(ftrace_rows_are_noted(&t));
    assert_int_equal(rows->rows, ROWS);
    assert_null(rows->columns[ftrace_event_col_ts].data);
    ftrace_rows_cpus(&t, see, seen);
    assert_ptr_equal(ftrace_rows_ready(&t), rows);
    assert_false(ftrace_rows_are_noted(&t));
    assert_int_equal(rows->rows, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        check_row(&t, i, &expected[i]);
        assert_true(expected[i].row.ucpu >= ROWS || seen[expected[i].row.ucpu]);
    }
    assert_true(rows->columns[ftrace_event_col_ts].unsorted);
    trace_release(&t);
}

static void append_plain(struct trace *t, int64_t ts)
{
    struct ftrace_event_row row = {.ts = ts, .arg_set_id = NULL_U32};
    ftrace_rows_append(t, &row);
}

/* Each CPU is told apart from the others, also from those of another machine. */
static void test_rows_of_many_cpus_stay_small(void **state)
{
    (void)state;
    enum { EACH = 96, MACHINES = 2, TURNS = 50, PAYLOAD = 40 };
    uint32_t kinds[KINDS];
    struct trace t;
    setup_file(&t, kinds);
    for (int turn = 0; turn < TURNS; turn++)
        for (uint32_t i = 0; i < EACH * MACHINES; i++) {
            struct ftrace_event_row row = {.ts = turn,
                                           .name = 1,
                                           .utid = i,
                                           .ucpu = i / EACH * CPUS_PER_MACHINE + i % EACH};
            ftrace_rows_append_payload(&t, &row, kinds[0],
                                       file + i * (TURNS * PAYLOAD) + turn * PAYLOAD, PAYLOAD);
        }
    assert_true(t.ftrace.ucpus.count < (size_t)2 * EACH * MACHINES);
    assert_true(t.ftrace.bytes.count < (size_t)8 * t.tables.ftrace_event.rows);
    trace_release(&t);
}

static void test_noted_rows_count_for_bounds_and_windows(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    append_plain(&t, 30);
    append_plain(&t, 10);
    append_plain(&t, 50);
    trace_finish(&t);
    assert_true(ftrace_rows_are_noted(&t));
    assert_int_equal(t.start_ts, 10);
    assert_int_equal(t.end_ts, 50);
    trace_window(&t, 20, 40);
    assert_int_equal(t.tables.ftrace_event.rows, 1);
    assert_int_equal(table_i64(&t.tables.ftrace_event, ftrace_event_col_ts)[0], 30);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_made_as_they_were_appended),
        cmocka_unit_test(test_rows_of_many_cpus_stay_small),
        cmocka_unit_test(test_noted_rows_count_for_bounds_and_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
