#include "sql/engine/query_text.h"

#include <stdarg.h>

static char *first_text(sqlite3 *db, const char *format, va_list args)
{
    char *sql = sqlite3_vmprintf(format, args), *text = NULL;
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        text = sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return text;
}

char *query_text(sqlite3 *db, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = first_text(db, format, args);
    va_end(args);
    return text;
}

bool query_has_text(sqlite3 *db, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = first_text(db, format, args);
    va_end(args);
    bool any = text != NULL;
    sqlite3_free(text);
    return any;
}
