#include "tui/result/result_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"

enum { STEPS_PER_CHECK = 1 << 14, NUMBER_BARS = 16 };

static uint32_t row_of(struct result_rows_of rows, uint32_t i)
{
    return rows.rows ? rows.rows[i] : i;
}

static bool stopped(const atomic_bool *cancel, uint32_t i)
{
    return cancel && i % STEPS_PER_CHECK == 0 && atomic_load_explicit(cancel, memory_order_relaxed);
}

static double number(const struct sql_value *v)
{
    return v->type == SQL_INT ? (double)v->i : v->d;
}

static bool is_number(const struct sql_value *v)
{
    return v->type == SQL_INT || v->type == SQL_REAL;
}

struct result_sums result_sum(struct result *result, uint32_t column, struct result_rows_of rows,
                              const atomic_bool *cancel)
{
    struct result_reader reader = {.result = result};
    struct result_sums s = {.smallest = INFINITY, .largest = -INFINITY, .whole = true};
    for (uint32_t i = 0; i < rows.count && !stopped(cancel, i); i++) {
        struct sql_value v = result_read(&reader, row_of(rows, i), column);
        s.rows++;
        s.nulls += v.type == SQL_NULL;
        if (!is_number(&v))
            continue;
        double d = number(&v);
        s.numbers++;
        s.sum += d;
        s.smallest = d < s.smallest ? d : s.smallest;
        s.largest = d > s.largest ? d : s.largest;
        s.whole =
            s.whole && v.type == SQL_INT && !__builtin_add_overflow(s.whole_sum, v.i, &s.whole_sum);
    }
    return s;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Where a bar ends: by equal steps, or doubling from the smallest power. */
static void set_bars(struct histogram *h, const double *sorted, size_t count)
{
    double low = sorted[0], high = sorted[count - 1], middle = h->at[1];
    bool far = low >= 0 && high > 0 && high > 64 * (middle > 0 ? middle : 1);
    double edge = low, power = 1;
    while (far && power * 2 <= (low > 1 ? low : 1))
        power *= 2;
    while (far && high / power > (double)(1u << 30) * 512)
        power *= 2;
    for (size_t at = 0; h->bars < HISTOGRAM_BARS && at < count;) {
        struct histogram_bar *bar = &h->bar[h->bars++];
        double step = (high - low) / NUMBER_BARS;
        bar->from = edge;
        bar->to = far ? power : low + step * h->bars;
        bool last = bar->to >= high || bar->to <= bar->from || h->bars == HISTOGRAM_BARS ||
                    (!far && h->bars == NUMBER_BARS);
        bar->to = last ? high : bar->to;
        for (; at < count && (last || sorted[at] < bar->to); at++)
            bar->count++;
        edge = bar->to;
        power *= 2;
    }
}

static void count_numbers(struct histogram *h, double *values, size_t count)
{
    static const double shares[] = {0.25, 0.5, 0.75, 0.9, 0.99};
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, compare_numbers);
    for (int i = 0; i < 5; i++)
        h->at[i] = values[(size_t)(shares[i] * (double)(count - 1) + 0.5)];
    set_bars(h, values, count);
}

struct text_count {
    struct str text;
    uint64_t count;
};

struct text_counts {
    VEC(struct text_count) v;
    uint32_t *slots; /* indexes + 1 */
    size_t slot_count;
};

static void grow(struct text_counts *t)
{
    size_t count = t->slot_count ? t->slot_count * 2 : 1024;
    uint32_t *slots = alloc_array(count, sizeof *slots);
    for (size_t i = 0; i < t->v.count; i++) {
        struct str s = t->v.items[i].text;
        size_t at = hash_bytes(s.p, s.n, 0) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_count = count;
}

static void count_text(struct text_counts *t, struct str s)
{
    if (t->v.count * 2 >= t->slot_count)
        grow(t);
    size_t at = hash_bytes(s.p, s.n, 0) & (t->slot_count - 1);
    while (t->slots[at] && !str_eq(t->v.items[t->slots[at] - 1].text, s))
        at = (at + 1) & (t->slot_count - 1);
    if (!t->slots[at]) {
        *vec_push(&t->v) = (struct text_count){s, 0};
        t->slots[at] = (uint32_t)t->v.count;
    }
    t->v.items[t->slots[at] - 1].count++;
}

static int compare_counts(const void *a, const void *b)
{
    const struct text_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    size_t n = x->text.n < y->text.n ? x->text.n : y->text.n;
    int d = n ? memcmp(x->text.p, y->text.p, n) : 0;
    return d ? d : x->text.n < y->text.n ? -1 : x->text.n > y->text.n;
}

static void take_texts(struct histogram *h, struct text_counts *t)
{
    h->different = t->v.count;
    if (t->v.count > 1)
        qsort(t->v.items, t->v.count, sizeof *t->v.items, compare_counts);
    for (; h->bars < HISTOGRAM_BARS && h->bars < t->v.count; h->bars++) {
        h->bar[h->bars].text = t->v.items[h->bars].text;
        h->bar[h->bars].count = t->v.items[h->bars].count;
    }
}

bool result_histogram(struct result *result, uint32_t column, struct result_rows_of rows,
                      const atomic_bool *cancel, struct histogram *out)
{
    struct result_reader reader = {.result = result};
    struct text_counts texts = {0};
    VEC(double) numbers = {0};
    *out = (struct histogram){.sums = result_sum(result, column, rows, cancel)};
    bool done = true;
    for (uint32_t i = 0; i < rows.count && done; i++) {
        struct sql_value v = result_read(&reader, row_of(rows, i), column);
        if (is_number(&v))
            *vec_push(&numbers) = number(&v);
        else if (v.type == SQL_TEXT)
            count_text(&texts, v.s);
        done = !stopped(cancel, i);
    }
    out->of_texts = texts.v.count > 0;
    if (done && out->of_texts)
        take_texts(out, &texts);
    else if (done)
        count_numbers(out, numbers.items, numbers.count);
    vec_release(&numbers);
    vec_release(&texts.v);
    free(texts.slots);
    return done;
}
