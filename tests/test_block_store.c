/* Arrays beyond the limit lie in a file, keep what they hold as they grow and shrink, and go on in
 * memory where the file has no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/block_store.h"
#include "base/vec.h"
#include "core/store/table.h"
#include "emulated.h"

enum { MB = 1 << 20 };

static uint32_t pattern(size_t i)
{
    return (uint32_t)i * UINT32_C(2654435761) + 1;
}

static void fill(uint32_t *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        p[i] = pattern(i);
}

static void check(const uint32_t *p, size_t to)
{
    for (size_t i = 0; i < to; i++)
        assert_int_equal(p[i], pattern(i));
}

/* Doubles it up to `most` items, and back to a third. */
static uint32_t *grow_and_cut(uint32_t *p, size_t n, size_t most)
{
    fill(p, 0, n);
    for (; n < most; n *= 2) {
        p = realloc_array(p, 2 * n, sizeof *p);
        check(p, n);
        fill(p, n, 2 * n);
    }
    p = realloc_array(p, n / 3, sizeof *p);
    check(p, n / 3);
    p = realloc_array(p, n / 3 + MB, sizeof *p);
    check(p, n / 3);
    return p;
}

static void test_memory(void **state)
{
    (void)state;
    block_store_limit(UINT64_MAX);
    uint32_t *p = realloc_array(NULL, 2, sizeof *p);
    p = grow_and_cut(p, 2, 2 * MB);
    struct block_store_use use = block_store_use();
    assert_int_equal(use.in_file, 0);
    assert_true(use.in_memory >= MB);
    free(p);
    assert_int_equal(block_store_use().in_memory, 0);
}

static void test_file(void **state)
{
    (void)state;
    block_store_limit(MB);
    /* Grows to more than the room of its first part of the file. */
    uint32_t *p = realloc_array(NULL, 2, sizeof *p);
    p = grow_and_cut(p, 2, 40 * MB);
    struct block_store_use use = block_store_use();
    assert_true(use.in_file >= MB);
    assert_int_equal(use.in_memory, 0);
    assert_int_equal(use.full, 0);
    assert_true(strlen(use.place) > 0);
    free(p);
    assert_int_equal(block_store_use().in_file, 0);
}

static void test_zeroed(void **state)
{
    (void)state;
    block_store_limit(0);
    for (int round = 0; round < 3; round++) {
        uint64_t *p = alloc_array(MB, sizeof *p), any = 0;
        for (size_t i = 0; i < MB; i++)
            any |= p[i];
        assert_int_equal(any, 0);
        memset(p, 0xff, MB * sizeof *p);
        free(p);
    }
    char *small = alloc_array(3, 1);
    assert_memory_equal(small, "\0\0", 3);
    free(small);
    free(NULL);
}

static void test_memory_to_file(void **state)
{
    (void)state;
    block_store_limit(UINT64_MAX);
    uint32_t *p = realloc_array(NULL, 2 * MB, sizeof *p);
    fill(p, 0, 2 * MB);
    block_store_limit(0);
    assert_true(block_store_use().in_memory > 0);
    p = realloc_array(p, 3 * MB, sizeof *p);
    check(p, 2 * MB);
    assert_int_equal(block_store_use().in_memory, 0);
    assert_int_equal(block_store_use().in_file, 3 * MB * sizeof *p);
    free(p);
}

static void test_forget(void **state)
{
    (void)state;
    if (is_emulated())
        skip();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    block_store_limit(0);
    uint32_t *p = realloc_array(NULL, 2 * MB, sizeof *p);
    fill(p, 0, 2 * MB);
    block_forget(p, 16 * page);
    for (size_t i = 16 * page / sizeof *p; i < 2 * MB; i++)
        assert_int_equal(p[i], pattern(i));
    assert_int_equal(p[0], 0);
    free(p);
}

/* Private memory that is reserved at once and filled from the front. */
static void test_cover(void **state)
{
    (void)state;
    enum { STEP = 4 * MB, STEPS = 4 };
    const size_t items = STEP / sizeof(uint32_t);
    for (int in_file = 0; in_file < 2; in_file++) {
        block_store_limit(in_file ? 0 : UINT64_MAX);
        uint8_t *p = mmap(NULL, STEPS * (size_t)STEP, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_ptr_not_equal(p, MAP_FAILED);
        uint32_t *all = (uint32_t *)(void *)p;
        for (size_t i = 0; i < STEPS; i++) {
            fill(all, i * items, (i + 1) * items);
            if (i > 0)
                block_cover(p + i * STEP, STEP);
        }
        check(all, STEPS * items);
        struct block_store_use use = block_store_use();
        assert_int_equal(in_file ? use.in_file : use.in_memory, (STEPS - 1) * (size_t)STEP);
        block_uncover(p, STEPS * (size_t)STEP);
        use = block_store_use();
        assert_int_equal(use.in_file + use.in_memory, 0);
        assert_int_equal(munmap(p, STEPS * (size_t)STEP), 0);
    }
}

static void test_vec(void **state)
{
    (void)state;
    block_store_limit(0);
    VEC(uint32_t) v = {0};
    for (size_t i = 0; i < 2 * MB; i++)
        *vec_push(&v) = pattern(i);
    vec_append(&v, v.items, 0);
    check(v.items, v.count);
    assert_true(block_store_use().in_file > 0);
    assert_true((v.cap - v.count) * sizeof *v.items <= block_store_step());
    vec_release(&v);
    assert_int_equal(block_store_use().in_file, 0);
}

static void test_arena(void **state)
{
    (void)state;
    enum { PIECES = 50000, PIECE = 100 };
    struct arena a;
    const char *pieces[PIECES];
    block_store_limit(0);
    arena_init(&a);
    for (int i = 0; i < PIECES; i++) {
        char text[PIECE];
        memset(text, 'a' + i % 26, sizeof text);
        pieces[i] = arena_copy(&a, (struct str){text, sizeof text}).p;
    }
    assert_true(block_store_use().in_file > 0);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(pieces[i][PIECE - 1], 'a' + i % 26);
    arena_release(&a);
    assert_int_equal(block_store_use().in_file, 0);
}

/* Nulls, numbers that become wider, and values that come late. */
static void test_table(void **state)
{
    (void)state;
    static const struct column_def defs[] = {{.name = "id", .type = COLUMN_TYPE_ID},
                                             {.name = "ts", .type = COLUMN_TYPE_I64},
                                             {.name = "cpu", .type = COLUMN_TYPE_SMALL},
                                             {.name = "value",
                                              .type = COLUMN_TYPE_F64,
                                              .flags = COLUMN_NULLABLE}};
    static const struct table_def def = {.name = "t", .column_count = 4, .columns = defs};
    enum { ROWS = 3000000, WIDER = ROWS / 2, VALUED = ROWS - 1000 };
    struct column columns[4] = {0};
    struct table t;
    block_store_limit(2 * MB);
    table_init(&t, &def, columns);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t row = table_grow(&t);
        column_put_I64(&t, 1, row, (int64_t)i * 3);
        column_put_SMALL(&t, 2, row, i < WIDER ? i % 100 : i);
        column_put_F64(&t, 3, row, i < VALUED || i % 2 ? NULL_F64 : i);
    }
    table_shrink(&t);
    assert_true(block_store_use().in_file >= ROWS * sizeof(int64_t));
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(table_i64(&t, 1)[i], (int64_t)i * 3);
        assert_int_equal(table_small(&t, 2, i), i < WIDER ? i % 100 : i);
        assert_int_equal(column_is_null(&columns[3], i), i < VALUED || i % 2);
    }
    assert_true(column_f64(&columns[3], VALUED) == VALUED);
    table_release(&t);
    assert_int_equal(block_store_use().in_file + block_store_use().in_memory, 0);
}

/* What grows by little is written out behind what is being written, and stays what it was. */
static void test_steps(void **state)
{
    (void)state;
    enum { ITEMS = 40 * MB };
    VEC(uint32_t) v = {0};
    block_store_limit(0);
    for (size_t i = 0; i < ITEMS; i++) {
        *vec_push(&v) = pattern(i);
        if (i > 1000) /* not far behind */
            v.items[i - 1000] ^= 1;
    }
    for (size_t i = 1; i < ITEMS; i++)
        assert_int_equal(v.items[i], pattern(i) ^ (i + 1000 < ITEMS));
    assert_true(block_store_use().in_file < (uint64_t)ITEMS * sizeof *v.items + 2 * MB);
    v.items = realloc_array(v.items, ITEMS / 2, sizeof *v.items);
    assert_int_equal(block_store_use().in_file, ITEMS / 2 * sizeof *v.items);
    assert_int_equal(v.items[ITEMS / 2 - 1], pattern(ITEMS / 2 - 1) ^ 1);
    vec_release(&v);
    assert_int_equal(block_store_use().in_file, 0);
}

/* The last: what was full once is told ever after. */
static void test_full(void **state)
{
    (void)state;
    struct rlimit before, none;
    block_store_limit(0);
    uint32_t *p = realloc_array(NULL, 2 * MB, sizeof *p);
    fill(p, 0, 2 * MB);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    p = realloc_array(p, 4 * MB, sizeof *p);
    assert_int_equal(block_store_use().full, EFBIG);
    fill(p, 2 * MB, 4 * MB);
    uint32_t *q = alloc_array(MB, sizeof *q);
    fill(q, 0, MB);
    p = grow_and_cut(p, 4 * MB, 16 * MB);
    check(q, MB);
    VEC(uint32_t) v = {0};
    for (size_t i = 0; i < 3 * MB; i++)
        *vec_push(&v) = pattern(i);
    check(v.items, v.count);
    vec_release(&v);
    assert_int_equal(block_store_use().in_memory, MB * sizeof *q);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    p = realloc_array(p, 32 * MB, sizeof *p);
    check(p, 16 * MB / 3);
    free(p);
    free(q);
    assert_int_equal(block_store_use().in_file + block_store_use().in_memory, 0);
}

/* Whether some folder for temporary files is on a disk. */
static bool has_disk(void)
{
    block_store_limit(0);
    free(alloc_array(MB, 1));
    return block_store_use().full == 0;
}

/* The list of arrays is itself a large one then, which the store must not look up in itself. */
static void test_there_may_be_many_arrays(void **state)
{
    (void)state;
    enum { MANY = 30000, SIZE = 1 << 20 };
    uint8_t *p = mmap(NULL, (size_t)MANY * SIZE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(p != MAP_FAILED);
    block_store_limit(UINT64_MAX);
    for (size_t i = 0; i < MANY; i++)
        block_cover(p + i * SIZE, SIZE);
    assert_int_equal(block_store_use().in_memory, (uint64_t)MANY * SIZE);
    block_uncover(p, (size_t)MANY * SIZE);
    assert_int_equal(block_store_use().in_memory, 0);
    munmap(p, (size_t)MANY * SIZE);
}

/* In the file, too, what there is no memory for is not there, and the rest stays. */
static void test_growing_without_memory_fails(void **state)
{
    (void)state;
    struct rlimit before, little;
    if (is_emulated())
        skip();
    block_store_limit(0);
    uint32_t *p = block_new(8 * MB, true);
    p[MB] = 7;
    assert_true(block_store_use().in_file > 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    little = before;
    little.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    void *grown = block_resize(p, (size_t)64 * MB);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_null(grown);
    assert_int_equal(p[MB], 7);
    free(p);
    assert_int_equal(block_store_use().in_file + block_store_use().in_memory, 0);
}

int main(void)
{
    enum { SKIPPED = 77 };
    if (!has_disk())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_may_be_many_arrays),
        cmocka_unit_test(test_growing_without_memory_fails),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_zeroed),
        cmocka_unit_test(test_memory_to_file),
        cmocka_unit_test(test_forget),
        cmocka_unit_test(test_cover),
        cmocka_unit_test(test_vec),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
