/* PerfettoSQL's declared types: LONG, STRING, JOINID(thread.id), ... */
#ifndef TPTUI_SQL_TOKENS_SQL_TYPE_H
#define TPTUI_SQL_TOKENS_SQL_TYPE_H

#include "base/status.h"
#include "sql/tokens/token_cursor.h"

enum declared_type {
    DECLARED_ANY,
    DECLARED_LONG, /* also INT, BOOL, TIMESTAMP, DURATION, ID, JOINID, ARGSETID ... */
    DECLARED_DOUBLE,
    DECLARED_STRING,
    DECLARED_BYTES
};

/* `name TYPE`, as in a table's schema or a function's parameters. */
struct declared_column {
    struct token name;
    enum declared_type type;
};

struct declared_columns {
    VEC(struct declared_column) v;
    bool variadic; /* the last one is `name TYPE...` */
};

/* The type of a virtual table's column in SQL; "" for ANY. */
const char *declared_type_sql(enum declared_type type);

/* Reads a type and what stands in parentheses behind it. */
struct status declared_type_parse(struct token_cursor *c, enum declared_type *out);

/* Reads "(name TYPE, ...)", also "()"; the cursor stands on "(". */
struct status declared_columns_parse(struct token_cursor *c, struct declared_columns *out);

/* The index of the one of that name, ASCII case ignored; -1 for none. */
int declared_columns_find(const struct declared_columns *columns, const char *name);

#endif
