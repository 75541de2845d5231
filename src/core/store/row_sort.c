#include "core/store/row_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/poll_sort.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6, SMALL = 48 };
enum { POLL_STRIDE = 1 << 16 };

static bool is_cancelled(const atomic_bool *cancel)
{
    return atomic_load_explicit(cancel, memory_order_relaxed);
}

static void insertion_sort(struct row_key *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct row_key k = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > k.key; at--)
            items[at] = items[at - 1];
        items[at] = k;
    }
}

static unsigned digit(uint64_t key, int pass)
{
    return (unsigned)(key >> (pass * DIGIT_BITS)) & (DIGITS - 1);
}

/* False when cancelled. */
static bool scatter(const struct row_key *from, struct row_key *to, size_t n, int pass,
                    const uint32_t *counts, const atomic_bool *cancel)
{
    uint32_t at[DIGITS], sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        at[d] = sum;
        sum += counts[d];
    }
    for (size_t i = 0; i < n;) {
        size_t end = n - i < POLL_STRIDE ? n : i + POLL_STRIDE;
        if (is_cancelled(cancel))
            return false;
        for (; i < end; i++)
            to[at[digit(from[i].key, pass)]++] = from[i];
    }
    return true;
}

/* Least significant digit first; digits that are the same everywhere cost nothing. */
static void radix_sort(struct row_key *items, size_t n, const atomic_bool *cancel)
{
    uint32_t(*counts)[DIGITS] = alloc_array(PASSES, sizeof *counts);
    for (size_t i = 0; i < n && (i % POLL_STRIDE || !is_cancelled(cancel)); i++)
        for (int p = 0; p < PASSES; p++)
            counts[p][digit(items[i].key, p)]++;
    struct row_key *other = NULL, *from = items, *to;
    if (!is_cancelled(cancel))
        other = alloc_try_bytes(n * sizeof *other);
    to = other;
    for (int p = 0; p < PASSES && other; p++) {
        if (counts[p][digit(from[0].key, p)] == n)
            continue;
        if (!scatter(from, to, n, p, counts[p], cancel))
            break;
        struct row_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
    free(other);
    free(counts);
}

static bool in_order(const struct row_key *items, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

void row_sort(struct row_key *items, size_t n, const atomic_bool *cancel)
{
    if (n <= SMALL)
        insertion_sort(items, n);
    else if (!in_order(items, n))
        radix_sort(items, n, cancel);
}

/* Orders equal keys by position, which is what a stable sort would do: rows ascend in `items`. */
static bool comes_after(struct row_key a, struct row_key b)
{
    return a.key > b.key;
}

static void sift_down(struct row_key *heap, uint32_t *order, size_t n, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n &&
            (comes_after(heap[child + 1], heap[child]) ||
             (heap[child + 1].key == heap[child].key && order[child + 1] > order[child])))
            child++;
        if (comes_after(heap[at], heap[child]) ||
            (heap[at].key == heap[child].key && order[at] > order[child]))
            return;
        struct row_key k = heap[at];
        uint32_t o = order[at];
        heap[at] = heap[child];
        order[at] = order[child];
        heap[child] = k;
        order[child] = o;
        at = child;
    }
}

/* The k smallest become the first, as a heap whose root is the largest of them; `order` becomes
 * where they stood. */
static void select_smallest(struct row_key *items, uint32_t *order, size_t n, size_t k,
                            const atomic_bool *cancel)
{
    for (size_t i = 0; i < k; i++)
        order[i] = (uint32_t)i;
    for (size_t i = k / 2; i-- > 0;)
        sift_down(items, order, k, i);
    for (size_t i = k; i < n; i++) {
        if (i % POLL_STRIDE == 0 && is_cancelled(cancel))
            break;
        if (items[i].key >= items[0].key)
            continue;
        items[0] = items[i];
        order[0] = (uint32_t)i;
        sift_down(items, order, k, 0);
    }
}

/* Back into the order they came in, so that a stable sort keeps it for equal keys. */
static void restore_order(struct row_key *items, const uint32_t *order, size_t k,
                          const atomic_bool *cancel)
{
    struct row_key *by_order = alloc_try_array(k, sizeof *by_order);
    struct row_key *kept = alloc_try_array(k, sizeof *kept);
    if (by_order && kept) {
        for (size_t i = 0; i < k; i++)
            by_order[i] = (struct row_key){order[i], (uint32_t)i};
        row_sort(by_order, k, cancel);
        for (size_t i = 0; i < k; i++)
            kept[i] = items[by_order[i].row];
        memcpy(items, kept, k * sizeof *items);
    }
    free(kept);
    free(by_order);
}

size_t row_sort_top(struct row_key *items, size_t n, size_t k, const atomic_bool *cancel)
{
    if (n <= SMALL || k >= n / 4) {
        row_sort(items, n, cancel);
        return n < k ? n : k;
    }
    if (k == 0)
        return 0;
    uint32_t *order = alloc_try_array(k, sizeof *order);
    if (order)
        select_smallest(items, order, n, k, cancel);
    if (order)
        restore_order(items, order, k, cancel);
    free(order);
    row_sort(items, k, cancel);
    return k;
}

struct named_key {
    struct str name;
    struct row_key item;
};

static int compare_names(const void *a, const void *b)
{
    struct str x = ((const struct named_key *)a)->name, y = ((const struct named_key *)b)->name;
    size_t n = x.n < y.n ? x.n : y.n;
    int order = n ? memcmp(x.p, y.p, n) : 0;
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

void row_order_by_text(struct row_key *items, size_t n, const struct string_pool *strings,
                       const atomic_bool *cancel)
{
    struct named_key *named = alloc_try_array(n, sizeof *named);
    for (size_t i = 0; i < n && named; i++)
        named[i] = (struct named_key){string_pool_get(strings, items[i].row), items[i]};
    if (named && poll_sort(cancel, named, n, sizeof *named, compare_names))
        for (size_t i = 0; i < n; i++)
            items[i] = named[i].item;
    free(named);
}

/* The ids that occur, ascending, behind each other in `out`; how many there are. */
static size_t distinct_ids(const struct row_key *items, size_t n, const uint32_t *occurs,
                           uint32_t max, struct row_key *out, const atomic_bool *cancel)
{
    size_t distinct = 0;
    if (occurs) {
        for (uint64_t id = 0; id <= max; id++)
            if (occurs[id])
                out[distinct++] = (struct row_key){id, (uint32_t)id};
        return distinct;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (struct row_key){items[i].key, (uint32_t)items[i].key};
    row_sort(out, n, cancel);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out[i].key != out[i - 1].key)
            out[distinct++] = out[i];
    return distinct;
}

void row_rank_text(struct row_key *items, size_t n, const struct string_pool *strings,
                   const atomic_bool *cancel)
{
    uint32_t max = 0;
    for (size_t i = 0; i < n; i++)
        max = items[i].key > max ? (uint32_t)items[i].key : max;
    /* Looking at every id up to the largest is cheaper than sorting them all. */
    bool dense = max < n * 4 + 4096;
    uint32_t *rank = alloc_try_array(max + (size_t)1, sizeof *rank);
    struct row_key *ids = alloc_try_array((dense && max < n ? max : n) + 1, sizeof *ids);
    if (n > 0 && rank && ids) {
        for (size_t i = 0; dense && i < n; i++)
            rank[items[i].key] = 1;
        size_t distinct = distinct_ids(items, n, dense ? rank : NULL, max, ids, cancel);
        row_order_by_text(ids, distinct, strings, cancel);
        for (size_t i = 0; i < distinct; i++)
            rank[ids[i].row] = (uint32_t)i + 1;
        for (size_t i = 0; i < n; i++)
            items[i].key = items[i].key ? rank[items[i].key] : 0;
    }
    free(rank);
    free(ids);
}
