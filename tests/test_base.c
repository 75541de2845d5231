/* Memory given out by arenas, the hash map, and names in whatever case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "text/function_name.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "test_random.h"

struct piece {
    uint8_t *p;
    size_t n;
};

/* Sizes from nothing to beyond a block, mostly small. */
static size_t random_size(void)
{
    return next_random(50) == 0 ? next_random(300000) : next_random(100);
}

/* Fills the pieces with different bytes and sees that they still are there at the end. */
static void take_pieces(struct arena *a)
{
    enum { COUNT = 2000 };
    struct piece *pieces = alloc_array(COUNT, sizeof *pieces);
    for (size_t i = 0; i < COUNT; i++) {
        size_t n = random_size();
        bool aligned = next_random(2);
        pieces[i] = (struct piece){aligned ? arena_alloc(a, n) : arena_alloc_bytes(a, n), n};
        assert_non_null(pieces[i].p);
        if (aligned)
            assert_int_equal((uintptr_t)pieces[i].p % 8, 0);
        memset(pieces[i].p, (int)(i % 251), n);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < pieces[i].n; k++)
            assert_int_equal(pieces[i].p[k], i % 251);
    free(pieces);
}

static void test_arena_pieces_do_not_overlap(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    random_state = 1;
    for (int round = 0; round < 3; round++) {
        take_pieces(&a);
        arena_reset(&a);
    }
    arena_release(&a);
    assert_int_equal(a.total, 0);
}

static void test_arena_bytes_lie_one_behind_the_other(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    uint8_t *first = arena_alloc_bytes(&a, 3);
    assert_ptr_equal(arena_alloc_bytes(&a, 5), first + 3);
    assert_ptr_equal(arena_alloc_bytes(&a, 1), first + 8);
    assert_ptr_equal(arena_alloc(&a, 1), first + 16);
    arena_release(&a);
}

static void test_arena_goes_on_in_its_block_after_a_large_piece(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    uint8_t *before = arena_alloc(&a, 8);
    uint8_t *large = arena_alloc(&a, 4 << 20);
    assert_ptr_equal(arena_alloc(&a, 8), before + 8);
    memset(large, 1, 4 << 20);
    arena_release(&a);
}

static void test_arena_obtains_little_more_than_it_gives(void **state)
{
    (void)state;
    enum { COUNT = 100000, SIZE = 100 };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < COUNT; i++)
        arena_alloc_bytes(&a, SIZE);
    assert_in_range(a.total, COUNT * SIZE, COUNT * SIZE * 5 / 4);
    arena_release(&a);
}

static void test_arena_reset_keeps_a_block_but_no_huge_one(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a);
    arena_reset(&a); /* nothing was taken */
    uint8_t *first = arena_alloc(&a, 100);
    arena_alloc(&a, 100);
    size_t total = a.total;
    arena_reset(&a);
    assert_ptr_equal(arena_alloc(&a, 100), first);
    assert_int_equal(a.total, total);
    arena_reset(&a);
    arena_release(&a);
    arena_alloc(&a, 8 << 20);
    arena_reset(&a);
    assert_int_equal(a.total, 0);
    arena_release(&a);
}

/* Random operations on few keys, so that most of them hit; beside them the plainest map there is.
 */
static void test_map_does_what_an_array_would(void **state)
{
    (void)state;
    enum { KEYS = 300, STEPS = 200000 };
    bool there[KEYS] = {0};
    uint32_t values[KEYS] = {0};
    size_t count = 0;
    struct map m = {0};
    random_state = 1;
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = next_random(KEYS);
        uint64_t key = i * (UINT64_MAX / KEYS);
        bool inserted;
        uint32_t *place;
        switch (next_random(4)) {
        case 0:
            place = map_insert(&m, key, &inserted);
            assert_int_equal(inserted, !there[i]);
            assert_int_equal(*place, there[i] ? values[i] : 0);
            values[i] = *place;
            count += inserted;
            there[i] = true;
            break;
        case 1:
            values[i] = next_random(UINT32_MAX);
            map_set(&m, key, values[i]);
            count += !there[i];
            there[i] = true;
            break;
        case 2:
            map_remove(&m, key);
            count -= there[i];
            there[i] = false;
            break;
        default:
            place = map_find(&m, key);
            assert_int_equal(place != NULL, there[i]);
            if (place)
                assert_int_equal(*place, values[i]);
        }
        assert_int_equal(m.count, count);
    }
    map_release(&m);
}

static void test_map_without_anything(void **state)
{
    (void)state;
    struct map m = {0};
    assert_null(map_find(&m, 0));
    map_remove(&m, 0);
    map_set(&m, 0, 7);
    assert_int_equal(*map_find(&m, 0), 7);
    assert_null(map_find(&m, UINT64_MAX));
    map_release(&m);
    assert_null(map_find(&m, 0));
    assert_int_equal(m.count, 0);
}

/* Keys one after the other, as ids are, and keys that differ in their high bits only. */
static void test_map_finds_regular_keys_without_searching(void **state)
{
    (void)state;
    enum { COUNT = 100000, RUN_MAX = 200 };
    for (int shift = 0; shift <= 40; shift += 8) {
        struct map m = {0};
        for (uint64_t i = 0; i < COUNT; i++)
            map_set(&m, i << shift, (uint32_t)i);
        assert_int_equal(m.count, COUNT);
        assert_true(m.cap <= COUNT * 4);
        size_t used = 0, longest = 0;
        for (size_t i = 0; i < m.cap; i++) {
            used = m.slots[i].used ? used + 1 : 0;
            longest = used > longest ? used : longest;
        }
        assert_true(longest < RUN_MAX);
        for (uint64_t i = 0; i < COUNT; i++)
            assert_int_equal(*map_find(&m, i << shift), i);
        map_release(&m);
    }
}

static void test_names_are_equal_in_whatever_case(void **state)
{
    (void)state;
    char text[200], other[200];
    assert_true(str_eq_any_case(STR("INCLUDE i_9[\xc3\x84"), STR("include I_9[\xc3\x84")));
    assert_false(str_eq_any_case(STR("a"), STR("ab")));
    assert_false(str_eq_any_case(STR("["), STR("{"))); /* as far apart as a letter's cases */
    assert_false(str_eq_any_case(STR("\xc3\x84"), STR("\xc3\xa4")));
    assert_true(str_eq_any_case((struct str){NULL, 0}, STR("")));
    assert_true(compare_any_case("Ab", "aC") < 0);
    assert_true(compare_any_case("b", "A") > 0);
    assert_true(compare_any_case("ab", "A") > 0);
    assert_true(compare_any_case("a", "\xc3") < 0);
    assert_int_equal(compare_any_case_n("limit 1", "LIMITS", 5), 0);
    for (size_t n = 0; n < sizeof text; n++) {
        for (size_t i = 0; i < n; i++) {
            text[i] = (char)('A' + i * 7 % 26);
            other[i] = lower_case(text[i]);
        }
        assert_int_equal(hash_any_case(text, n, 3), hash_any_case(other, n, 3));
        assert_true(n == 0 || hash_any_case(text, n, 3) != hash_any_case(text, n - 1, 3));
    }
}

/* Short texts are told apart by their hashes alone, as ids of traces are. */
static void test_short_texts_have_hashes_of_their_own(void **state)
{
    (void)state;
    struct map seen = {0};
    for (int i = 0; i < 200000; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, i % 2 ? "%d" : "%x", i / 2);
        bool is_new;
        if (i % 2 == 0 && strspn(text, "0123456789") == (size_t)n)
            continue; /* a decimal number, too */
        (void)map_insert(&seen, hash_bytes(text, (size_t)n, 0), &is_new);
        assert_true(is_new);
    }
    map_release(&seen);
}

static void test_names_of_functions_lose_what_says_least(void **state)
{
    static const struct {
        const char *name;
        int width;
        const char *cut;
    } cases[] = {
        {"ns::f<std::vector<int>>(long, int) const", 60,
         "ns::f<std::vector<int>>(long, int) const"},
        {"ns::f<std::vector<int>>(long, int) const", 30, "ns::f<std::vector<int>>"},
        {"ns::f<std::vector<int>>(long, int) const", 10, "ns::f<>"},
        {"core::ops::FnOnce<a::B>::call_once::h<C>", 32, "core::ops::FnOnce<>::call_once::h<>"},
        {"(anonymous namespace)::work(int)", 30, "(anonymous namespace)::work"},
        {"a::operator()(int, int)", 15, "a::operator()"},
        {"a::operator<<(b&, int)", 16, "a::operator<<"},
        {"draw (http://localhost/x.js)", 12, "draw ~/x.js)"},
        {"f(unfinished, name", 8, "f(u~name"},
        {"fn_of<void (*)(int)->x>(y)", 8, "fn_of<>"},
        {"a)f(g(h(int)(left", 12, "a)f(g(h(left"},
        {"a>f<g<h<int>->left", 12, "a>f<g<h<>->left"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[100], wanted[100];
        function_name_cut(str_from(cases[i].name), cases[i].width, out, sizeof out);
        text_cut_middle(str_from(cases[i].cut), cases[i].width, wanted, sizeof wanted);
        assert_string_equal(out, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_functions_lose_what_says_least),
        cmocka_unit_test(test_names_are_equal_in_whatever_case),
        cmocka_unit_test(test_arena_pieces_do_not_overlap),
        cmocka_unit_test(test_arena_bytes_lie_one_behind_the_other),
        cmocka_unit_test(test_arena_goes_on_in_its_block_after_a_large_piece),
        cmocka_unit_test(test_arena_obtains_little_more_than_it_gives),
        cmocka_unit_test(test_arena_reset_keeps_a_block_but_no_huge_one),
        cmocka_unit_test(test_short_texts_have_hashes_of_their_own),
        cmocka_unit_test(test_map_without_anything),
        cmocka_unit_test(test_map_does_what_an_array_would),
        cmocka_unit_test(test_map_finds_regular_keys_without_searching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
