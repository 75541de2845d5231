#include "sql/tokens/sql_type.h"

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

bool declared_type_find(struct token word, enum declared_type *out)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!token_is_word(word, types[i].name))
            continue;
        *out = types[i].type;
        return true;
    }
    return false;
}

int declared_columns_find(const struct declared_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->v.count; i++)
        if (str_eq_any_case(token_name(columns->v.items[i].name), str_from(name)))
            return (int)i;
    return -1;
}
