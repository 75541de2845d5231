/* Aggregates that need all values of a group: percentile and its kin, which sort them, and
 * group_concat, which writes them one behind the other. */
#ifndef TPTUI_SQL_BATCHES_GATHERED_H
#define TPTUI_SQL_BATCHES_GATHERED_H

#include "sql/batches/plan.h"

/* Values and the groups they are of, in the order of the rows. All zero is empty. */
struct gathered {
    uint64_t *values; /* percentiles: keys of reals; texts: ids, or integers */
    uint32_t *groups;
    uint32_t count, cap;
    uint32_t expected; /* how many values may come, 0 where that is not known */
    uint64_t bytes;    /* of the texts that they will make */
    /* The same group by group, once results are asked for: those of group i end at ends[i]. */
    uint64_t *placed;
    uint32_t *ends;
};

void gathered_release(struct gathered *g);

/* Adds the values of rows[0..n), which are not NULL. Values of which the result would not tell the
 * order (-0 and 0), and too much text, set `refused`, no memory `stopped`. */
void gathered_add(struct plan *p, struct gathered *g, const struct aggregate *a, struct values v,
                  const uint32_t *rows, uint32_t n, const uint32_t *groups);

/* The aggregate of each group to a column of `out`, which has a row for each. Of one that works on
 * the same values, of texts or of numbers, the values are in order already. */
void gathered_results(struct plan *p, struct gathered *g, const struct aggregate *a,
                      uint32_t groups, struct relation *out, uint32_t column);

#endif
