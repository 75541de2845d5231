/* Aggregates of numbers, or of pairs of them, whose values need not be kept: a line of the list
 * each, which rows (sql/functions/statistics.c) and batches (sql/batches) read. */
#ifndef TPTUI_SQL_VALUES_STATISTICS_H
#define TPTUI_SQL_VALUES_STATISTICS_H

#include "base/str.h"

/* X(name, arguments, what is known of a group's pairs): the members of its row are called NAME_...
 */
#define STATISTICS(X)                                                                              \
    X(variance, 1, moments)                                                                        \
    X(stddev, 1, moments)                                                                          \
    X(covar, 2, moments)                                                                           \
    X(corr, 2, moments)                                                                            \
    X(histogram, 2, buckets)

enum statistic_name {
#define STATISTIC_NAME(name, arguments, state) STATISTIC_##name,
    STATISTICS(STATISTIC_NAME)
#undef STATISTIC_NAME
        STATISTIC_COUNT
};

struct statistic_result {
    double real; /* NaN, which becomes NULL, where a sample says nothing of it */
    char *text;  /* for sqlite3_free; takes the place of the number where the row says so */
};

struct statistic {
    const char *name;
    int arguments;
    size_t size; /* of a group's state; all zero: of no pairs */
    bool is_text;
    /* Of single numbers x and y are the same. */
    void (*add)(void *state, double x, double y);
    void (*remove)(void *state, double x, double y); /* a pair that was added */
    struct statistic_result (*result)(const void *state);
    void (*release)(void *state); /* NULL: it holds nothing */
};

extern const struct statistic statistics[STATISTIC_COUNT];

/* NULL where there is none of that name. */
const struct statistic *statistic_find(struct str name);

#endif
