/* What reading expressions and reading calls of functions need of each other. */
#ifndef TPTUI_SQL_VECTOR_BIND_EXPRESSION_H
#define TPTUI_SQL_VECTOR_BIND_EXPRESSION_H

#include "sql/vector/bind.h"

enum { LIST_MAX = 64 }; /* of a function's arguments, and of IN's */

/* Constants. */
struct expr *expr_int(struct plan *p, int64_t v);
struct expr *expr_text(struct plan *p, struct str s);

/* An operation; a constant where its arguments are. NULL where one of them is, where there are too
 * many nodes, and where constants do not give a value. */
struct expr *expr_node(struct binder *b, enum expr_op op, enum value_type type,
                       struct expr *const *args, uint32_t n);

bool expr_is_number(const struct expr *e);
/* Whether || takes it; it may be NULL. */
bool expr_joins_texts(const struct expr *e);
/* The type that values of both kinds have, in `*type`; false where they differ. */
bool expr_join_type(enum value_type *type, enum value_type other);

/* Whether there is a function of that name here, and whether it may be an aggregate. */
bool bind_knows_call(struct str name, bool *is_aggregate);
struct expr *bind_call(struct binder *b, const struct sql_node *call);
/* Binds `least` to `most` (at most LIST_MAX) arguments of a function of a row's values. */
bool bind_arguments(struct binder *b, const struct sql_node *list, uint32_t least, uint32_t most,
                    struct expr **args);
/* A call of a function of a script's: its body in the place of the call. */
struct expr *bind_function(struct binder *b, const struct sql_node *call);
/* A parameter in such a body: the argument. */
struct expr *bind_variable(struct binder *b, const struct sql_node *n);

/* Whether the call says which column of an operator's table one of __intrinsic_table_ptr is. */
bool bind_shown_column(const struct binder *b, const struct sql_node *call);

/* SELECTs in expressions. */
struct expr *bind_value_of_select(struct binder *b, const struct sql_node *select);
/* Those that read of the statement around them what columns of theirs are equal to. */
struct expr *bind_value_by_key(struct binder *b, const struct sql_node *select);
struct expr *bind_exists(struct binder *b, const struct sql_node *select);
struct expr *bind_in_rows(struct binder *b, const struct sql_node *select, struct expr *x);

/* The functions that SQLite computes (bind_sqlite_call.c): number `which` is called so; NULL where
 * there are not so many. `arguments` is a LIST. */
const char *sqlite_call_name(uint32_t which);
struct expr *bind_sqlite_call(struct binder *b, const struct sql_node *arguments, uint32_t which);

#endif
