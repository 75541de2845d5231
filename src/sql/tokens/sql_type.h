/* PerfettoSQL's declared types: LONG, STRING, JOINID(thread.id), ... */
#ifndef TPTUI_SQL_TOKENS_SQL_TYPE_H
#define TPTUI_SQL_TOKENS_SQL_TYPE_H

#include "sql/tokens/lexer.h"

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

/* Of a function that lives. */
struct function_parameter {
    char *name; /* without $ */
    enum declared_type type;
};

/* The type of a virtual table's column in SQL; "" for ANY. */
const char *declared_type_sql(enum declared_type type);

/* The type that the word names; false where it names none. */
bool declared_type_find(struct token word, enum declared_type *out);

/* The index of the one of that name, ASCII case ignored; -1 for none. */
int declared_columns_find(const struct declared_columns *columns, const char *name);

#endif
