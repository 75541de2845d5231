#include "sql/engine/internal.h"

static const char *value_type_name(int type)
{
    static const char *const names[] = {
        [SQLITE_INTEGER] = "LONG", [SQLITE_FLOAT] = "DOUBLE", [SQLITE_TEXT] = "STRING",
        [SQLITE_BLOB] = "BYTES",   [SQLITE_NULL] = "NULL",
    };
    return names[type];
}

struct argument_kind {
    char letter;
    const char *name;
    int types[2]; /* besides NULL */
};

bool arguments_fit(sqlite3_context *ctx, const char *function, const char *kinds,
                   sqlite3_value **argv)
{
    static const struct argument_kind all[] = {
        {'i', "LONG", {SQLITE_INTEGER, SQLITE_INTEGER}},
        {'n', "a number", {SQLITE_INTEGER, SQLITE_FLOAT}},
        {'t', "STRING", {SQLITE_TEXT, SQLITE_TEXT}},
        {'b', "BYTES", {SQLITE_BLOB, SQLITE_TEXT}},
    };
    for (int i = 0; kinds[i]; i++) {
        int type = sqlite3_value_type(argv[i]);
        size_t k = 0;
        while (all[k].letter != kinds[i])
            k++;
        if (type == SQLITE_NULL || type == all[k].types[0] || type == all[k].types[1])
            continue;
        char *message = sqlite3_mprintf("%s: argument %d must be %s, not %s", function, i + 1,
                                        all[k].name, value_type_name(type));
        sqlite3_result_error(ctx, message, -1);
        sqlite3_free(message);
        return false;
    }
    return true;
}
