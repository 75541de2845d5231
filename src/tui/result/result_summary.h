/* What the values of a column come to. */
#ifndef TPTUI_TUI_RESULT_RESULT_SUMMARY_H
#define TPTUI_TUI_RESULT_RESULT_SUMMARY_H

#include <stdatomic.h>
#include <stdint.h>

#include "tui/result/result.h"

/* Rows of a result: NULL for all of them as they are. */
struct result_rows_of {
    const uint32_t *rows;
    uint32_t count;
};

struct result_sums {
    uint64_t rows, nulls, numbers;
    double sum, smallest, largest; /* of the numbers */
    bool whole;                    /* all of these are integers, and so is the sum */
    int64_t whole_sum;
};
/* `cancel` may be NULL. Once it is set the sums are of the rows before. */
struct result_sums result_sum(struct result *result, uint32_t column, struct result_rows_of rows,
                              const atomic_bool *cancel);

/* Numbers are counted in ranges of equal width, or in powers of two where they spread far; texts
 * each for itself, the most frequent first. */
enum { HISTOGRAM_BARS = 40 };
struct histogram_bar {
    double from, to; /* of numbers; `to` exclusive but for the last */
    struct str text; /* of texts; valid as long as the result */
    uint64_t count;
};
struct histogram {
    struct result_sums sums;
    bool of_texts;
    uint64_t different; /* texts */
    double at[5];       /* quarters and the like of the numbers: 25, 50, 75, 90, 99 % */
    uint32_t bars;
    struct histogram_bar bar[HISTOGRAM_BARS];
};
/* False where `cancel` (may be NULL) was set: then only `sums` says anything. */
bool result_histogram(struct result *result, uint32_t column, struct result_rows_of rows,
                      const atomic_bool *cancel, struct histogram *out);

#endif
