/* Functions of whole inputs: f(aggregate of rows, ..., '(columns)') makes a table, which
 * __intrinsic_table_ptr shows. Where sql/vector reads the inputs, it hands them over as columns
 * instead of row by row. */
#ifndef TPTUI_SQL_ENGINE_COLUMN_OPERATOR_H
#define TPTUI_SQL_ENGINE_COLUMN_OPERATOR_H

#include <stdint.h>

#include "base/str.h"
#include "core/store/table.h"

struct sql_session;
struct table_builder;

enum { OPERATOR_KEYS_MAX = 15 };

/* What the aggregate would be given, but for names. Keys are integers or texts. Of columns without
 * `data` all rows are null; else they are I64, where null is 0, or STR. */
struct operator_input {
    const struct column **columns;
    uint32_t rows;
};

struct column_operator {
    const char *function, *aggregate;
    uint32_t integers;          /* the aggregate's first arguments; behind them are keys, each as a
                                   text and a value */
    const char *const *columns; /* of the result: integers, then those that f's text names, which
                                   are the keys. The last one is NULL */
    /* NULL where f would fail, and after an interruption. */
    struct table_builder *(*compute)(struct sql_session *s, const struct operator_input *inputs,
                                     uint32_t count, uint32_t keys, const char *names);
};

/* The one whose function, or whose aggregate, is called so; NULL where there is none. */
const struct column_operator *column_operator_find(const struct sql_session *s, struct str name);

/* "(a,b)" as names, which are cut out of `text`; how many there are, at most OPERATOR_KEYS_MAX. */
uint32_t column_operator_names(char *text, const char *names[OPERATOR_KEYS_MAX]);

#endif
