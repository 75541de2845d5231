/* Rows that a part of a plan has made, as columns. */
#ifndef TPTUI_SQL_BATCHES_RELATION_H
#define TPTUI_SQL_BATCHES_RELATION_H

#include "core/store/table.h"

struct plan;

/* A table without names, of columns I64, F64 and STR. Of a column of type U32 all rows are null. */
struct relation {
    struct table table;
    struct table_def def;
    struct column_def *defs;
    struct column *columns;
};

/* A value's bits, as value_bits has them, and whether it is NULL; a column without values is. */
static inline uint64_t relation_bits(const struct column *c, uint32_t row)
{
    return c->def->type == COLUMN_TYPE_STR ? ((const string_id *)c->data)[row]
                                           : ((const uint64_t *)c->data)[row];
}
static inline bool relation_is_null(const struct column *c, uint32_t row)
{
    return !c->data ||
           (c->def->type == COLUMN_TYPE_STR ? ((const string_id *)c->data)[row] == NULL_STRING
                                            : column_null_bit(c, row));
}

struct relation *relation_new(uint32_t columns);
void relation_free(struct relation *r);
/* Before rows are added. */
void relation_set_type(struct relation *r, uint32_t column, enum column_type type);
/* Room for n more rows in every column; false where there is no memory. */
bool relation_reserve(struct relation *r, uint32_t n);
/* Puts n values behind the rows that are there, `null` as in struct values. The row count is the
 * caller's to raise once all columns have theirs. */
void relation_put(struct relation *r, uint32_t column, const void *data, const uint8_t *null,
                  uint32_t n);
/* Overwrites a value, which item `i` of the others becomes. */
void relation_set(struct relation *r, uint32_t column, uint32_t row, const void *data,
                  const uint8_t *null, uint32_t i);
/* Row `to` becomes row from[to], for `n` rows in all, of column `first` and those behind it; what
 * stands before has no values yet. False where there is no memory, or the plan
 * does not go on; columns may differ in their rows then. */
bool relation_keep(struct plan *p, struct relation *r, uint32_t first, const uint32_t *from,
                   uint32_t n);
/* A column without values gets those of another relation that has as many rows, which loses them.
 */
void relation_move(struct relation *r, uint32_t column, struct relation *other, uint32_t of);

#endif
