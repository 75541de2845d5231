/* What our virtual tables have in common. Results are SQLite's. */
#ifndef TPTUI_SQL_ENGINE_VTAB_H
#define TPTUI_SQL_ENGINE_VTAB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "sql/tables/sql_table.h"

/* For xConnect: declares the columns by a CREATE TABLE statement, and that views may read the table
 * whoever wrote them. The second consumes the statement. */
int vtab_declare_text(sqlite3 *db, const char *sql);
int vtab_declare(sqlite3 *db, sqlite3_str *text);

/* For xFilter: the table's error message is the status's, which is released. */
int vtab_fail(sqlite3_vtab *v, struct status status);

/* For xDisconnect of tables that own nothing but themselves. */
int vtab_free(sqlite3_vtab *v);

/* For xBestIndex of tables that cannot do without arguments, where some lack. SQLite also asks for
 * plans of the terms of an OR alone, and takes an error there for the statement's: such a plan only
 * must not be the best one. If there is no other, xFilter gets PLAN_WITHOUT_ARGUMENTS, and fails.
 */
enum { PLAN_WITHOUT_ARGUMENTS = -1 };
int plan_without_arguments(sqlite3_index_info *info);
/* The same for tables whose last `count` columns, from `first` on, are hidden ones for arguments:
 * SQLITE_OK where all are given, which xFilter then gets in their order, and no others. Of several
 * constraints on one it takes the first, and SQLite compares the column with the others: it has to
 * be what was given. */
int plan_arguments(sqlite3_index_info *info, int first, int count);
/* That failure: `parameters` are their names with commas in between. */
int vtab_missing_arguments(sqlite3_vtab *v, const char *name, const char *parameters);

/* What xFilter was given for hidden columns, as their values. Zeroed at first. */
struct given_value {
    int type; /* SQLITE_INTEGER and so on; a pointer is NULL */
    int64_t number;
    sqlite3_value *other; /* a copy of what is neither an integer nor NULL */
};
struct given_values {
    struct given_value *items;
    int count;
};
void given_values_keep(struct given_values *g, int count, sqlite3_value *const *values);
void given_values_result(const struct given_values *g, int i, sqlite3_context *ctx);
void given_values_release(struct given_values *g);

/* A cursor over all rows of a table that xFilter makes or is given. Cursors with more members begin
 * with this one; `open` is for those without. */
struct rows_cursor {
    sqlite3_vtab_cursor base;
    struct sql_table *rows; /* a reference; NULL where there is none */
    uint32_t row;
    struct given_values given;
};

/* Back to the first row of other rows, whose reference is taken over. */
void rows_cursor_set(struct rows_cursor *c, struct sql_table *rows);
int rows_cursor_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out);
int rows_cursor_close(sqlite3_vtab_cursor *base);
int rows_cursor_next(sqlite3_vtab_cursor *base);
int rows_cursor_eof(sqlite3_vtab_cursor *base);
int rows_cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out);

/* For xBestIndex: puts a virtual table's plan behind its own description `text` (taken over; NULL
 * for none), at offset idxNum, which is a multiple of 8: SQLite hands the pointer through as it is,
 * and the text is what EXPLAIN QUERY PLAN shows. */
int publish_plan(sqlite3_index_info *info, char *text, const void *plan, size_t size);

/* Whether a constraint compares texts byte by byte. */
bool collates_binary(sqlite3_index_info *info, int constraint);

#endif
