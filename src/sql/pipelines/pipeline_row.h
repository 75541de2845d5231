/* What a pipeline's stages hand on: a row's columns by name, and the table aliases under which the
 * columns of earlier rows can still be read. A column is a slot, the number of a column of the
 * SELECT that the pipeline becomes; stages that drop or rename only change what slots are called.
 */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_ROW_H
#define TPTUI_SQL_PIPELINES_PIPELINE_ROW_H

#include "base/status.h"
#include "sql/tokens/lexer.h"

struct pipe_column {
    struct str name;
    uint32_t slot;
    bool qualified; /* only read as alias.name */
};

struct pipe_columns {
    VEC(struct pipe_column) v;
};

struct pipe_alias {
    struct str name;
    struct pipe_columns columns;
};

struct pipe_row {
    struct pipe_columns columns;
    VEC(struct pipe_alias) aliases;
};

void pipe_row_release(struct pipe_row *r);

void pipe_columns_add(struct pipe_columns *columns, struct str name, uint32_t slot, bool qualified);
/* The first of that name, or NULL. */
const struct pipe_column *pipe_columns_find(const struct pipe_columns *columns, struct str name);

/* An alias for what is in the row from column `first` on. */
void pipe_row_bind(struct pipe_row *r, struct str alias, size_t first);
/* Forgets all aliases, or the one of that name. */
void pipe_row_unbind(struct pipe_row *r);
void pipe_row_unbind_one(struct pipe_row *r, struct str alias);
/* NULL where there is none of that name. */
const struct pipe_alias *pipe_row_alias(const struct pipe_row *r, struct str name);

/* How many columns a name without alias means; the position of the first. */
size_t pipe_row_count(const struct pipe_row *r, struct str name, size_t *first);

/* The position of the only column that a name without alias means; fails at the token. */
struct status pipe_row_find(const struct pipe_row *r, struct token name, size_t *out);

/* The column `alias.name`; fails at the tokens. */
struct status pipe_row_find_in(const struct pipe_row *r, struct token alias, struct token name,
                               struct pipe_column *out);

#endif
