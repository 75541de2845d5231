/* Has SQLite's planner follow the order of rows of docs/SQL.md, which it is free to leave: joins as
 * CROSS JOIN, no OR as several scans, no LEFT JOIN or EXISTS made a JOIN, no
 * groups in the order of a subquery. */
#ifndef TPTUI_VECTOR_REFERENCE_H
#define TPTUI_VECTOR_REFERENCE_H

#include <sqlite3.h>
#include <string.h>

/* The text with `from` replaced, but not behind `unless`. For sqlite3_free. */
static char *replaced(const char *text, const char *from, const char *to, const char *unless)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    size_t before = strlen(unless);
    for (const char *at = text; *at;) {
        bool hit = strncmp(at, from, strlen(from)) == 0;
        bool not = (size_t)(at - text) >= before && strncmp(at - before, unless, before) == 0;
        if (hit && !not )
            sqlite3_str_appendall(out, to);
        else
            sqlite3_str_appendchar(out, 1, *at);
        at += hit && !not ? strlen(from) : 1;
    }
    return sqlite3_str_finish(out);
}

/* An OR with a constant that no index knows is a filter. */
static char *with_fixed_order(const char *query)
{
    char *joined = replaced(query, " JOIN ", " CROSS JOIN ", " LEFT");
    char *out = replaced(joined, " OR ", " OR +0 OR ", "CREATE");
    sqlite3_free(joined);
    return out;
}

/* SQLITE_SimplifyJoin, SQLITE_OrderBySubq and SQLITE_ExistsToJoin of SQLite's sqliteInt.h. */
enum {
    LEFT_JOIN_BECOMES_JOIN = 0x2000,
    SUBQUERY_ORDERS_GROUPS = 0x10000000,
    EXISTS_BECOMES_JOIN = 0x40000000
};

static void keep_joins(sqlite3 *db)
{
    sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, db,
                         LEFT_JOIN_BECOMES_JOIN | SUBQUERY_ORDERS_GROUPS | EXISTS_BECOMES_JOIN);
}

#endif
