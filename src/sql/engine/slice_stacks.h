/* Stacks of slices: those that have the same categories and names, from the outermost slice on, are
 * one stack. */
#ifndef TPTUI_SQL_ENGINE_SLICE_STACKS_H
#define TPTUI_SQL_ENGINE_SLICE_STACKS_H

#include <stdint.h>

struct sql_session;

/* The stack of each row of slice, as the hash that published rows have, made when it is first asked
 * for. NULL where there is no memory, the table is damaged, or the statement is interrupted. */
const int64_t *slice_stacks_of(struct sql_session *s);

#endif
