/* Aggregates of numbers, or of pairs of them, that need not be kept: a line of the list each, which
 * rows (sql/functions/statistics.c) and batches (sql/vector) read. */
#ifndef TPTUI_SQL_VALUES_STATISTICS_H
#define TPTUI_SQL_VALUES_STATISTICS_H

#include "base/str.h"

/* What is known of the pairs so far; of single numbers x and y are the same. All zero: of none. */
struct moments {
    double count, mean_x, mean_y;
    double xx, yy, xy; /* sums of the products of what x and y differ from their means by */
};

void moments_add(struct moments *m, double x, double y);
void moments_remove(struct moments *m, double x, double y);

/* X(name, arguments): statistic_NAME is of a sample; NaN, which becomes NULL, where it says nothing
 * of it. */
#define STATISTICS(X)                                                                              \
    X(variance, 1)                                                                                 \
    X(stddev, 1)                                                                                   \
    X(covar, 2)                                                                                    \
    X(corr, 2)

#define DECLARE_STATISTIC(name, arguments) double statistic_##name(const struct moments *m);
STATISTICS(DECLARE_STATISTIC)
#undef DECLARE_STATISTIC

struct statistic {
    const char *name;
    int arguments;
    double (*result)(const struct moments *m);
};

/* NULL where there is none of that name. */
const struct statistic *statistic_find(struct str name);

#endif
