/* Structured queries (PerfettoSqlStructuredQuery) as SQL. A query names its source, maybe other
 * queries, and what is done with the source's rows: each becomes one named SELECT of a WITH.
 *
 * Queries inside queries wait in a list, nothing calls itself. Sources are a table of functions
 * (query_source.c). Queries that others name by id are part of the statement (to be shown), or
 * tables made once (for summaries). */
#ifndef TPTUI_SUMMARY_STRUCTURED_QUERY_H
#define TPTUI_SUMMARY_STRUCTURED_QUERY_H

#include "base/status.h"
#include "base/str.h"

struct sql_session;

/* Queries that others refer to by their id. */
struct structured_queries;

/* The bytes that are added must live as long. */
struct structured_queries *structured_queries_new(void);
void structured_queries_free(struct structured_queries *q);

/* Adds an encoded query with an id. */
struct status structured_queries_add(struct structured_queries *q, struct str query);

/* How a query gets at those that it refers to by id. */
enum reference_kind {
    REFERENCE_INLINE, /* their SELECTs are part of its SQL */
    REFERENCE_TABLE   /* they are tables, which structured_queries_prepare makes */
};

/* The SQL of an encoded query, for free(): one statement. What must run before, modules to include
 * and statements that its texts begin with, is remembered. Errors name the query's id and the field
 * that is wrong. */
struct status structured_query_sql(struct structured_queries *q, struct str query,
                                   enum reference_kind kind, char **sql);
/* The same of an added one. */
struct status structured_query_sql_by_id(struct structured_queries *q, struct str id,
                                         enum reference_kind kind, char **sql);

/* Runs what must run before the queries of which SQL was made: modules, statements, tables. */
struct status structured_queries_prepare(struct structured_queries *q, struct sql_session *s);
/* Drops the tables that structured_queries_prepare made. */
void structured_queries_drop(struct structured_queries *q, struct sql_session *s);
/* What structured_queries_prepare would run, as text, for who runs the SQL by himself: statements
 * ended by semicolons. For free(). */
char *structured_queries_preamble(const struct structured_queries *q);

#endif
