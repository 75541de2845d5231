/* Sets of intervals, parted by the values of columns, as aggregates hand them to functions. */
#ifndef TPTUI_SQL_OPERATORS_INTERVAL_SET_H
#define TPTUI_SQL_OPERATORS_INTERVAL_SET_H

#include <sqlite3.h>

#include "base/map.h"
#include "base/vec.h"
#include "sql/engine/column_operator.h"

enum { INTERVAL_KEYS_MAX = OPERATOR_KEYS_MAX };

/* The pointer's types: of __intrinsic_interval_tree_intervals_agg in the order of ts; of
 * __intrinsic_isi_plain_intervals_agg in any order; of __intrinsic_isi_intervals_agg in any order
 * and with values in the place of ids. */
#define INTERVALS_TYPE       "PARTITIONED_INTERVALS"
#define PLAIN_INTERVALS_TYPE "ISI_PLAIN_INTERVALS"
#define VALUED_TYPE          "ISI_INTERVALS"

/* An interval of one partition; end is exclusive and not below ts. */
struct interval {
    union {
        int64_t id;
        double value; /* NaN: none, which SQLite's values cannot be */
    };
    int64_t ts, end;
};

struct interval_list {
    VEC(struct interval) v;
};

struct interval_partition {
    sqlite3_value *keys[INTERVAL_KEYS_MAX]; /* owned */
    struct interval_list intervals;
    uint32_t next; /* of the same hash, counted from 1; 0 ends */
};

struct interval_set {
    int key_count;
    VEC(struct interval_partition) partitions;
    struct map by_keys; /* hash of the keys: the newest partition of it, counted from 1 */
};

/* The partition of these keys; NULL where there is none. */
struct interval_partition *interval_set_find(struct interval_set *s, sqlite3_value **keys);

/* The set that __intrinsic_interval_tree_intervals_agg makes of such rows: id, ts, dur, and the
 * keys. NULL where that would fail, and after an interruption. */
struct interval_set *interval_set_of_columns(struct sql_session *s,
                                             const struct operator_input *input, int keys);
void interval_set_free(struct interval_set *s);

#endif
