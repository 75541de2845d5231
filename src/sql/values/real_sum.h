/* Sums of reals, as SQLite adds them from 3.43 on and this program with every version: what each
 * addition loses is kept beside the sum (Kahan, Babuska and Neumaier's algorithm). */
#ifndef TPTUI_SQL_VALUES_REAL_SUM_H
#define TPTUI_SQL_VALUES_REAL_SUM_H

#include <math.h>
#include <stdint.h>

struct real_sum {
    double sum, lost;
};

static inline void real_sum_add(struct real_sum *s, double x)
{
    double before = s->sum, after = before + x;
    if (fabs(before) > fabs(x))
        s->lost += (before - after) + x;
    else
        s->lost += (x - after) + before;
    s->sum = after;
}

/* Whole numbers beyond those that a real has exactly are added in two parts. */
enum { REAL_SUM_PART = 16384 };
#define REAL_SUM_EXACT (INT64_C(1) << 52)

static inline void real_sum_add_int(struct real_sum *s, int64_t x)
{
    int64_t small = x > -REAL_SUM_EXACT && x < REAL_SUM_EXACT ? 0 : x % REAL_SUM_PART;
    real_sum_add(s, (double)(x - small));
    if (small != 0)
        real_sum_add(s, (double)small);
}

/* Once the sum is infinite, what was lost is no number any more. */
static inline double real_sum_result(const struct real_sum *s)
{
    return isfinite(s->lost) ? s->sum + s->lost : s->sum;
}

#endif
