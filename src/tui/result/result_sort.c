#include "tui/result/result_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/merge_sort.h"
#include "base/text_set.h"
#include "base/vec.h"

enum { STEPS_PER_CHECK = 1 << 14 };

/* Ordered by rank (of the type), then key. */
struct ranked_key {
    uint64_t key;
    uint32_t row;
    uint32_t rank;
};

/* The different texts of a column, numbered as they come and then by their order. */
struct text_numbers {
    struct text_set set;
    uint64_t *order; /* by number */
};

static int compare_texts(const void *a, const void *b, void *ctx)
{
    const struct str *texts = ctx;
    return text_compare(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

static void order_texts(struct text_numbers *t)
{
    size_t n = t->set.texts.count;
    uint32_t *numbers = alloc_array(n + 1, sizeof *numbers);
    t->order = alloc_array(n + 1, sizeof *t->order);
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    qsort_r(numbers, n, sizeof *numbers, compare_texts, t->set.texts.items);
    for (uint32_t i = 0; i < n; i++)
        t->order[numbers[i]] = i;
    free(numbers);
}

/* Bits that are ordered as the numbers are. */
static uint64_t real_key(double d)
{
    uint64_t bits;
    d = d == 0 ? 0 : d; /* no -0 */
    memcpy(&bits, &d, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static struct ranked_key key_of(const struct sql_value *v, bool reals, struct text_numbers *texts)
{
    switch (v->type) {
    case SQL_INT:
        return (struct ranked_key){.rank = 1,
                                   .key = reals ? real_key((double)v->i)
                                                : (uint64_t)v->i ^ UINT64_C(1) << 63};
    case SQL_REAL:
        return (struct ranked_key){.rank = 1, .key = real_key(v->d)};
    case SQL_TEXT:
        return (struct ranked_key){.rank = 2, .key = text_set_add(&texts->set, v->s)};
    case SQL_BLOB:
        return (struct ranked_key){.rank = 3, .key = text_set_add(&texts->set, v->s)};
    case SQL_NULL:
        break;
    }
    return (struct ranked_key){.rank = 0};
}

static int compare_keys(const void *a, const void *b)
{
    const struct ranked_key *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int compare_keys_down(const void *a, const void *b)
{
    return compare_keys(b, a);
}

bool result_sort(struct result *result, uint32_t column, bool descending, uint32_t *rows,
                 uint32_t count, const atomic_bool *cancel)
{
    struct result_reader reader = {.result = result};
    struct text_numbers texts = {0};
    struct ranked_key *keys = alloc_array((size_t)count + 1, sizeof *keys);
    bool reals = result_shape(result, column).types & 1u << SQL_REAL, done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        struct sql_value v = result_read(&reader, rows[i], column);
        keys[i] = key_of(&v, reals, &texts);
        keys[i].row = rows[i];
        done = i % STEPS_PER_CHECK || !atomic_load_explicit(cancel, memory_order_relaxed);
    }
    if (done)
        order_texts(&texts);
    for (uint32_t i = 0; i < count && done && texts.set.texts.count > 0; i++)
        if (keys[i].rank > 1)
            keys[i].key = texts.order[keys[i].key];
    struct merge_sort sort = {sizeof *keys, descending ? compare_keys_down : compare_keys, cancel};
    done = done && merge_sort(&sort, keys, count);
    for (uint32_t i = 0; i < count && done; i++)
        rows[i] = keys[i].row;
    text_set_release(&texts.set);
    free(texts.order);
    free(keys);
    return done;
}
