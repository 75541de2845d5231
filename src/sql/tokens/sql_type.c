#include "sql/tokens/sql_type.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/tokens/source_error.h"

static const struct {
    const char *name;
    enum declared_type type;
} types[] = {
    {"ANY", DECLARED_ANY},        {"ARGSETID", DECLARED_LONG}, {"BLOB", DECLARED_BYTES},
    {"BOOL", DECLARED_LONG},      {"BOOLEAN", DECLARED_LONG},  {"BYTES", DECLARED_BYTES},
    {"DOUBLE", DECLARED_DOUBLE},  {"DURATION", DECLARED_LONG}, {"FLOAT", DECLARED_DOUBLE},
    {"ID", DECLARED_LONG},        {"INT", DECLARED_LONG},      {"INTEGER", DECLARED_LONG},
    {"JOINID", DECLARED_LONG},    {"LONG", DECLARED_LONG},     {"PROTO", DECLARED_BYTES},
    {"REAL", DECLARED_DOUBLE},    {"STRING", DECLARED_STRING}, {"TEXT", DECLARED_STRING},
    {"TIMESTAMP", DECLARED_LONG}, {"UINT", DECLARED_LONG},
};

const char *declared_type_sql(enum declared_type type)
{
    static const char *const names[] = {"", "BIGINT", "DOUBLE", "TEXT", "BLOB"};
    return names[type];
}

struct status declared_type_parse(struct token_cursor *c, enum declared_type *out)
{
    struct token t = cursor_take(c);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!token_is_word(t, types[i].name))
            continue;
        *out = types[i].type;
        if (!cursor_accept_char(c, '('))
            return status_ok_value();
        while (!token_is(cursor_peek(c), ')') && cursor_peek(c).kind != TOKEN_END)
            cursor_take(c);
        return cursor_accept_char(c, ')') ? status_ok_value() : expected_error(cursor_peek(c), ")");
    }
    return expected_error(t, "a type (LONG, DOUBLE, STRING, BOOL, BYTES, TIMESTAMP, DURATION, ID, "
                             "JOINID(table.column), ARGSETID)");
}

static bool accept_dots(struct token_cursor *c)
{
    int n = 0;
    while (n < 3 && cursor_accept_char(c, '.'))
        n++;
    return n == 3;
}

struct status declared_columns_parse(struct token_cursor *c, struct declared_columns *out)
{
    if (!cursor_accept_char(c, '('))
        return expected_error(cursor_peek(c), "(");
    if (cursor_accept_char(c, ')'))
        return status_ok_value();
    do {
        struct declared_column column = {.name = cursor_take(c)};
        if (!token_is_name(column.name))
            return expected_error(column.name, "a name");
        struct status s = declared_type_parse(c, &column.type);
        if (!status_ok(s))
            return s;
        if (out->variadic)
            return token_error(column.name, "only the last parameter may be TYPE...");
        out->variadic = accept_dots(c);
        *vec_push(&out->v) = column;
    } while (cursor_accept_char(c, ','));
    return cursor_accept_char(c, ')') ? status_ok_value()
                                      : expected_error(cursor_peek(c), ") or a comma");
}

int declared_columns_find(const struct declared_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->v.count; i++)
        if (str_eq_any_case(token_name(columns->v.items[i].name), str_from(name)))
            return (int)i;
    return -1;
}
