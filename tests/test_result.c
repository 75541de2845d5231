/* Rows of a result come out as they went in: of all types, while they arrive, from memory and file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "test_random.h"
#include "tui/result/result.h"
#include "tui/result/result_sort.h"
#include "tui/result/result_summary.h"

enum { COLUMNS = 5, TEXT_SIZE = 40 };

/* What stands in a cell, from its place alone. */
static struct sql_value cell(uint32_t row, uint32_t column, char text[TEXT_SIZE])
{
    uint64_t mixed = (row * UINT64_C(2654435761) + column * 97) % 1000003;
    struct sql_value v = {.type = SQL_NULL};
    switch (column == 4 ? mixed % 5 : column) {
    case 0:
        v = (struct sql_value){.type = SQL_INT, .i = (int64_t)row * 1000 + 5};
        break;
    case 1:
        v.type = mixed % 3 ? SQL_INT : SQL_NULL;
        v.i = mixed % 7 ? (int64_t)mixed : mixed % 2 ? INT64_MIN : INT64_MAX;
        break;
    case 2:
        v = (struct sql_value){.type = SQL_REAL, .d = (double)mixed / 7};
        break;
    case 3:
        v.type = row % 2 ? SQL_TEXT : SQL_BLOB;
        snprintf(text, TEXT_SIZE, "text %u", (unsigned)(mixed % 500));
        v.s = str_from(text);
        break;
    default:
        break;
    }
    return v;
}

static void assert_same(const struct sql_value *found, const struct sql_value *wanted)
{
    assert_int_equal(found->type, wanted->type);
    if (wanted->type == SQL_INT)
        assert_int_equal(found->i, wanted->i);
    else if (wanted->type == SQL_REAL)
        assert_memory_equal(&found->d, &wanted->d, sizeof found->d);
    else if (wanted->type != SQL_NULL)
        assert_true(str_eq(found->s, wanted->s));
}

static void assert_row(struct result_reader *r, uint32_t row)
{
    for (uint32_t i = 0; i < COLUMNS; i++) {
        char text[TEXT_SIZE];
        struct sql_value wanted = cell(row, i, text), found = result_read(r, row, i);
        assert_same(&found, &wanted);
    }
}

static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e"};

static void add_rows(struct sql_sink *sink, uint32_t from, uint32_t to)
{
    for (uint32_t row = from; row < to; row++) {
        char text[COLUMNS][TEXT_SIZE];
        struct sql_value values[COLUMNS];
        for (uint32_t i = 0; i < COLUMNS; i++)
            values[i] = cell(row, i, text[i]);
        assert_true(sink->row(sink->self, COLUMNS, values));
    }
}

static void check_rows(size_t memory, uint32_t rows)
{
    struct result_feed feed;
    result_feed_init(&feed, memory);
    struct sql_sink sink = result_feed_sink(&feed);
    assert_true(sink_begin(&sink, COLUMNS, names));
    add_rows(&sink, 0, rows);
    assert_true(sink_end(&sink));
    struct result *result = result_feed_take(&feed);
    struct result_reader reader = {.result = result};
    assert_int_equal(result_rows(result), rows);
    assert_null(result_cut(result));
    assert_int_equal(result_column(result, "c"), 2);
    for (uint32_t row = 0; row < rows; row++)
        assert_row(&reader, row);
    for (int i = 0; i < 1000; i++)
        assert_row(&reader, (uint32_t)next_random((int)rows));
    if (memory == 0)
        assert_true(result_size(result).file > 0 && result_size(result).memory == 0);
    result_release(result);
    result_feed_release(&feed);
}

static void test_rows_are_kept(void **state)
{
    (void)state;
    check_rows(64 << 20, 1);
    check_rows(64 << 20, 63);
    check_rows(64 << 20, 70000);
}

static void test_rows_beyond_the_limit_are_in_a_file(void **state)
{
    (void)state;
    check_rows(0, 70000);
    check_rows(8 << 20, 700000);
}

static void test_long_texts_are_kept(void **state)
{
    (void)state;
    enum { SIZE = 10 << 20 };
    struct result_feed feed;
    result_feed_init(&feed, 64 << 20);
    struct sql_sink sink = result_feed_sink(&feed);
    char *text = alloc_bytes(SIZE);
    memset(text, 'x', SIZE);
    struct sql_value v = {.type = SQL_TEXT, .s = {text, SIZE}};
    assert_true(sink_begin(&sink, 1, names));
    for (int i = 0; i < 3; i++)
        assert_true(sink.row(sink.self, 1, &v));
    result_feed_end(&feed);
    struct result *result = result_feed_take(&feed);
    struct result_reader reader = {.result = result};
    assert_int_equal(result_rows(result), 3);
    struct sql_value found = result_read(&reader, 2, 0);
    assert_same(&found, &v);
    free(text);
    result_release(result);
    result_feed_release(&feed);
}

static void test_a_later_result_takes_the_place_of_the_one_before(void **state)
{
    (void)state;
    struct result_feed feed;
    result_feed_init(&feed, 64 << 20);
    struct sql_sink sink = result_feed_sink(&feed);
    assert_null(result_feed_take(&feed));
    sink_begin(&sink, COLUMNS, names);
    add_rows(&sink, 0, 5000);
    struct result *first = result_feed_take(&feed);
    sink_begin(&sink, 1, names);
    struct result *second = result_feed_take(&feed);
    struct result_reader reader = {.result = first};
    assert_true(first != second);
    assert_row(&reader, result_rows(first) - 1); /* who holds it still reads it */
    assert_int_equal(result_rows(second), 0);
    atomic_store(&feed.closed, true);
    struct sql_value v = {.type = SQL_INT, .i = 1};
    assert_false(sink.row(sink.self, 1, &v)); /* nobody wants more */
    result_release(first);
    result_release(second);
    result_feed_release(&feed);
}

struct filling {
    struct result_feed feed;
    uint32_t rows;
};

static void *fill(void *ctx)
{
    struct filling *f = ctx;
    struct sql_sink sink = result_feed_sink(&f->feed);
    sink_begin(&sink, COLUMNS, names);
    add_rows(&sink, 0, f->rows);
    sink_end(&sink);
    return NULL;
}

static void test_rows_are_read_while_others_arrive(void **state)
{
    (void)state;
    struct filling f = {.rows = 200000};
    pthread_t thread;
    result_feed_init(&f.feed, 1 << 20);
    pthread_create(&thread, NULL, fill, &f);
    struct result *result;
    while (!(result = result_feed_take(&f.feed)))
        continue;
    struct result_reader reader = {.result = result};
    for (uint32_t rows; (rows = result_rows(result)) < f.rows;)
        if (rows > 0) {
            assert_row(&reader, rows - 1);
            assert_row(&reader, (uint32_t)next_random((int)rows));
        }
    pthread_join(thread, NULL);
    result_release(result);
    result_feed_release(&f.feed);
}

static struct result *make_result(struct result_feed *feed, uint32_t rows)
{
    result_feed_init(feed, 64 << 20);
    struct sql_sink sink = result_feed_sink(feed);
    sink_begin(&sink, COLUMNS, names);
    add_rows(&sink, 0, rows);
    sink_end(&sink);
    return result_feed_take(feed);
}

static int rank(const struct sql_value *v)
{
    return v->type == SQL_NULL ? 0 : v->type == SQL_TEXT ? 2 : v->type == SQL_BLOB ? 3 : 1;
}

/* ORDER BY's order, in the plainest way. */
static int compare_values(const struct sql_value *a, const struct sql_value *b)
{
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (rank(a) == 0)
        return 0;
    if (rank(a) > 1) {
        size_t n = a->s.n < b->s.n ? a->s.n : b->s.n;
        int d = memcmp(a->s.p, b->s.p, n);
        return d ? d : a->s.n < b->s.n ? -1 : a->s.n > b->s.n;
    }
    if (a->type == SQL_INT && b->type == SQL_INT)
        return a->i < b->i ? -1 : a->i > b->i;
    double x = a->type == SQL_INT ? (double)a->i : a->d,
           y = b->type == SQL_INT ? (double)b->i : b->d;
    return x < y ? -1 : x > y;
}

static void test_rows_are_sorted_as_order_by_does(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    struct result_feed feed;
    struct result *result = make_result(&feed, ROWS);
    struct result_reader reader = {.result = result};
    atomic_bool cancel = false;
    uint32_t *rows = alloc_array(ROWS, sizeof *rows);
    for (uint32_t column = 0; column < COLUMNS; column++)
        for (int down = 0; down < 2; down++) {
            for (uint32_t i = 0; i < ROWS; i++)
                rows[i] = i;
            assert_true(result_sort(result, column, down, rows, ROWS, &cancel));
            for (uint32_t i = 1; i < ROWS; i++) {
                struct sql_value a = result_read(&reader, rows[i - 1], column);
                struct sql_value b = result_read(&reader, rows[i], column);
                int d = compare_values(&a, &b);
                assert_true(down ? d >= 0 : d <= 0);
                assert_true(d != 0 || rows[i - 1] < rows[i]);
            }
        }
    atomic_store(&cancel, true);
    assert_false(result_sort(result, 0, false, rows, ROWS, &cancel));
    free(rows);
    result_release(result);
    result_feed_release(&feed);
}

static void test_every_number_is_in_a_bar(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    struct result_feed feed;
    struct result *result = make_result(&feed, ROWS);
    struct result_rows_of all = {NULL, ROWS};
    for (uint32_t column = 0; column < COLUMNS; column++) {
        struct histogram h;
        uint64_t counted = 0;
        assert_true(result_histogram(result, column, all, NULL, &h));
        assert_int_equal(h.sums.rows, ROWS);
        for (uint32_t i = 0; i < h.bars; i++)
            counted += h.bar[i].count;
        if (!h.of_texts)
            assert_int_equal(counted, h.sums.numbers);
    }
    struct result_sums sums = result_sum(result, 0, all, NULL);
    assert_true(sums.whole);
    assert_int_equal(sums.whole_sum, (int64_t)ROWS * (ROWS - 1) / 2 * 1000 + 5 * ROWS);
    result_release(result);
    result_feed_release(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_kept),
        cmocka_unit_test(test_rows_beyond_the_limit_are_in_a_file),
        cmocka_unit_test(test_long_texts_are_kept),
        cmocka_unit_test(test_a_later_result_takes_the_place_of_the_one_before),
        cmocka_unit_test(test_rows_are_read_while_others_arrive),
        cmocka_unit_test(test_rows_are_sorted_as_order_by_does),
        cmocka_unit_test(test_every_number_is_in_a_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
