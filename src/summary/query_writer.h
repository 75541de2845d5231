/* How the SQL of one structured query is put together. */
#ifndef TPTUI_SUMMARY_QUERY_WRITER_H
#define TPTUI_SUMMARY_QUERY_WRITER_H

#include <sqlite3.h>

#include "base/status.h"
#include "base/str.h"

struct structured_queries;

struct query_writer {
    struct structured_queries *queries;
    size_t index;      /* of the query among those of the statement */
    sqlite3_str *sql;  /* so far */
    struct status bad; /* the first thing that is wrong; nothing is written from there on */
};

/* As sqlite3_str_appendf. */
void writer_put(struct query_writer *w, const char *format, ...);
void writer_put_str(struct query_writer *w, struct str s);
/* Notes an error, whose text begins with the name of the field that is wrong. The first one counts.
 */
void writer_fail(struct query_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text of a field that must not be empty, "" and a failure where it is. */
struct str writer_need(struct query_writer *w, struct str message, uint32_t number,
                       const char *field);

/* Makes the query that a field of `message` holds a SELECT of its own, called `sq_N`, and returns
 * N. `field` names it in errors. */
size_t writer_nest(struct query_writer *w, struct str message, uint32_t number, const char *field);
/* The same of a query's bytes. */
size_t writer_nest_bytes(struct query_writer *w, struct str query, const char *field);
/* Writes the name of a query that is known by its id. */
void writer_put_reference(struct query_writer *w, struct str id);
/* A module that must be included before. */
void writer_need_module(struct query_writer *w, struct str module);
/* Statements that must run before. */
void writer_need_statements(struct query_writer *w, struct str sql);

/* summary/query_source.c: writes what stands behind FROM. */
void writer_put_source(struct query_writer *w, struct str query);
/* summary/query_clauses.c: what stands between SELECT and FROM, and what behind the source. */
void writer_put_columns(struct query_writer *w, struct str query);
void writer_put_clauses(struct query_writer *w, struct str query);

#endif
