/* The rows of CREATE PERFETTO TABLE.
 *
 * SQLite runs the SELECT, which is compiled for the sake of its names anyway, and most are done
 * before thinking about another way would have paid. When it has read as many rows of tables as
 * queries over columns need (sql_session_batch_from), the SELECT is looked at: if it can be done
 * over columns (sql/vector), or parts of it can, SQLite's run ends and the table begins anew.
 *
 * That is 4,096 rows (sql/engine/row_watch.h), more for a SELECT of more than 64 tokens, 512 where
 * a scan has 16,384 more to come; its parts are looked at when there were four times as many. */
#ifndef TPTUI_SQL_SCRIPT_TABLE_FILL_H
#define TPTUI_SQL_SCRIPT_TABLE_FILL_H

#include <sqlite3.h>

#include "base/status.h"
#include "sql/tokens/sql_type.h"

struct sql_node;
struct sql_session;
struct table;

struct table_rows {
    struct sql_session *session;
    struct token name;                     /* the table's; errors are reported there */
    const struct token_list *select;       /* macros expanded */
    const struct sql_node *tree;           /* of that */
    const struct declared_columns *schema; /* empty where none is declared */
    sqlite3_stmt *stmt;                    /* the SELECT, not stepped yet */
};

/* Runs the SELECT into a table, for sql_table_own. */
struct status table_fill(const struct table_rows *rows, struct table **out);

#endif
