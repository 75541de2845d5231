#include "tui/result/result_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text_set.h"
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

/* Counts the numbers from *at on that are below `to`, or all that are left. */
static void add_bar(struct histogram *h, const double *sorted, size_t count, size_t *at,
                    double from, double to, bool last)
{
    struct histogram_bar *bar = &h->bar[h->bars++];
    bar->from = from;
    bar->to = last ? sorted[count - 1] : to;
    for (; *at < count && (last || sorted[*at] < to); ++*at)
        bar->count++;
}

static void set_equal_bars(struct histogram *h, const double *sorted, size_t count)
{
    double low = sorted[0], step = (sorted[count - 1] - low) / NUMBER_BARS;
    for (size_t at = 0; at < count;) {
        double from = low + step * h->bars, to = low + step * (h->bars + 1);
        add_bar(h, sorted, count, &at, from, to, h->bars + 1 == NUMBER_BARS || !(to > from));
    }
}

/* One for what is not positive, then one for each power of two. */
static void set_doubling_bars(struct histogram *h, const double *sorted, size_t count)
{
    size_t at = 0, first = 0;
    while (first < count && sorted[first] <= 0)
        first++;
    double power = exp2(floor(log2(sorted[first]))), high = sorted[count - 1];
    while (high / power > exp2(HISTOGRAM_BARS - 3))
        power *= 2;
    if (first > 0)
        add_bar(h, sorted, count, &at, sorted[0], power, false);
    for (double from = first > 0 ? power : sorted[0]; at < count; power *= 2) {
        double to = power * 2;
        add_bar(h, sorted, count, &at, from, to, to > high || h->bars + 1 == HISTOGRAM_BARS);
        from = to;
    }
}

/* Far from each other are numbers of which half are less than a 64th of the largest. */
static void set_bars(struct histogram *h, const double *sorted, size_t count)
{
    double high = sorted[count - 1];
    if (high > 0 && h->at[1] < high / 64 && isfinite(high))
        set_doubling_bars(h, sorted, count);
    else
        set_equal_bars(h, sorted, count);
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
    struct text_set set;
    VEC(struct text_count) v; /* by number */
};

static void count_text(struct text_counts *t, struct str s)
{
    uint32_t number = text_set_add(&t->set, s);
    if (number == t->v.count)
        *vec_push(&t->v) = (struct text_count){s, 0};
    t->v.items[number].count++;
}

static int compare_counts(const void *a, const void *b)
{
    const struct text_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return text_compare(x->text, y->text);
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
    text_set_release(&texts.set);
    return done;
}
