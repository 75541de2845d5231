/* Trees given as rows with an id and a parent's id. */
#ifndef TPTUI_SQL_OPERATORS_TREE_H
#define TPTUI_SQL_OPERATORS_TREE_H

#include "base/status.h"
#include "sql/tables/sql_table.h"

#define TREE_NO_ROW UINT32_MAX

/* The type of pointers to trees in SQL. */
#define TREE_TYPE "TREE"

/* Parents stand before their children in `order`. */
struct tree {
    struct sql_table *table;
    uint32_t *parent; /* of each row; TREE_NO_ROW of a root */
    uint32_t *order;  /* the rows */
    uint32_t *place;  /* where each row stands in `order` */
    uint32_t count;
};

/* What rows are whose parent is not in the table. */
enum tree_orphans {
    TREE_ORPHANS_FAIL,
    TREE_ORPHANS_ARE_ROOTS,
};

/* Takes over a reference of `table`, whose columns number 1 and 2 are the id and the parent's id.
 * Fails where an id is missing or not the only one, or where rows are their own ancestors. */
struct status tree_new(struct sql_table *table, enum tree_orphans orphans, struct tree **out);
void tree_free(struct tree *t);

/* The children of each row as linked lists in ascending order: of row r first[r], then next[]. The
 * list of the roots is that of row `count`. */
struct tree_children {
    uint32_t *first, *next;
};

/* `parent` has a row's parent, TREE_NO_ROW for roots; children of one stand in the order of their
 * rows. */
struct tree_children tree_children_of(const uint32_t *parent, uint32_t count);
void tree_children_free(struct tree_children c);

/* Whether a column holds integers, or nothing. */
bool tree_column_is_int(const struct column *c);

#endif
