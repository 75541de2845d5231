/* Why a query has no rows, where that is known: a table it reads is empty because the trace lacks
 * the data source that fills it, or has it without such an event; or events of the trace are
 * missing, which is said first. */
#ifndef TPTUI_SQL_HINTS_EMPTY_RESULT_H
#define TPTUI_SQL_HINTS_EMPTY_RESULT_H

struct sql_session;
struct token_list;

/* A sentence for sqlite3_free, or NULL. The statement's views and tables are followed to what they
 * read themselves. */
char *empty_result_reason(struct sql_session *s, const struct token_list *statement);

#endif
