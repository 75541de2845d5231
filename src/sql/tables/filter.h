/* One constraint on one column, made from an SQL operator and a value, applied to many rows.
 *
 * Taken from SQLite only where it can be decided exactly; text against a value of unknown type is
 * checked again by SQLite. */
#ifndef TPTUI_SQL_TABLES_FILTER_H
#define TPTUI_SQL_TABLES_FILTER_H

#include <sqlite3.h>

#include "sql/tables/sql_table.h"

enum filter_op {
    FILTER_EQ,
    FILTER_NE,
    FILTER_LT,
    FILTER_LE,
    FILTER_GT,
    FILTER_GE,
    FILTER_IS, /* as EQ, but NULL equals NULL */
    FILTER_IS_NULL,
    FILTER_NOT_NULL,
    FILTER_IN,
    FILTER_GLOB,
    FILTER_LIKE
};

enum filter_kind {
    FILTER_ALL,    /* every row */
    FILTER_NONE,   /* no row */
    FILTER_NULLS,  /* the null ones */
    FILTER_VALUES, /* the others */
    FILTER_INT_RANGE,
    FILTER_INT_NOT,
    FILTER_INT_SET,
    FILTER_REAL_RANGE,
    FILTER_REAL_NOT,
    FILTER_REAL_SET,
    FILTER_TEXT_IS,
    FILTER_TEXT_NOT,
    FILTER_TEXT_SET,
    FILTER_TEXT_RANGE,
    FILTER_TEXT_MATCH
};

/* Which members count is said by `kind`: lo and hi by INT_RANGE and INT_NOT, real_lo, real_hi and
 * whether those are left out (open) by REAL_RANGE and REAL_NOT, `text` by TEXT_IS and TEXT_NOT. */
struct filter {
    const struct sql_column *column;
    const struct string_pool *strings;
    enum filter_kind kind;
    int64_t lo, hi; /* inclusive */
    double real_lo, real_hi;
    bool lo_open, hi_open;
    string_id text;
    bool like;     /* TEXT_MATCH: LIKE, else GLOB */
    char *pattern; /* owned; TEXT_MATCH and TEXT_RANGE */
    size_t pattern_size;
    enum filter_op op; /* TEXT_RANGE */
    uint64_t *set;     /* owned, ascending keys: INT_SET, REAL_SET, TEXT_SET */
    uint32_t set_count;
    bool owns;     /* something below or above is owned */
    uint8_t *memo; /* owned; TEXT_MATCH: per string id 0 unknown, 1 no, 2 yes */
};

/* Fills in a filter that is zeroed or released. `value` is NULL for operators that take none, the
 * list for IN. A value that cannot be compared exactly without SQLite's help gives a filter that
 * lets too much through, never too little. `*hint` is the id that a text had last time, or 0: it
 * spares looking the same text up again, and is set to the id of this time. */
void filter_make(struct filter *f, const struct sql_table *t, uint32_t column, enum filter_op op,
                 sqlite3_value *value, string_id *hint);
void filter_free(struct filter *f); /* see filter_release */

/* Frees what it owns; the filter may be made again. */
static inline void filter_release(struct filter *f)
{
    if (f->owns)
        filter_free(f);
}

/* Of the n rows from[0..n), or `first` and those behind it where `from` is NULL, writes those that
 * pass, in order; returns how many. `rows` may be `from`. */
uint32_t filter_apply(struct filter *f, const uint32_t *from, uint32_t first, uint32_t n,
                      uint32_t *rows);
/* The same for one row. */
bool filter_passes(struct filter *f, uint32_t row);

/* Whether filter_make decides exactly, so that SQLite need not check again: always for numbers; for
 * text only if the value is known to be text, and never for LIKE. */
bool filter_is_exact(const struct sql_column *c, enum filter_op op, bool value_is_text);

#endif
