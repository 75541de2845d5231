/* Result sets as text: CSV, TSV, JSON, JSON lines, Markdown, an aligned table. */
#ifndef TPTUI_SQL_EXPORT_FORMAT_H
#define TPTUI_SQL_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "sql/engine/sink.h"

enum result_format {
    RESULT_CSV,   /* RFC 4180 with LF; NULL is an empty field */
    RESULT_TSV,   /* tab, newline, return and backslash are written \t \n \r \\ */
    RESULT_JSON,  /* an array of objects */
    RESULT_JSONL, /* an object a line */
    RESULT_MARKDOWN,
    RESULT_TABLE
};

/* The format of that name, false where there is none. */
bool result_format_find(const char *name, enum result_format *out);

struct result_writer;

/* Writes to `out`, which stays the caller's. `terminal`: control characters of text are shown
 * escaped in every format that a person reads. */
struct result_writer *result_writer_new(FILE *out, enum result_format format, bool terminal);
/* The sink that writes; it stops the run when `out` takes no more. */
struct sql_sink result_writer_sink(struct result_writer *w);
void result_writer_free(struct result_writer *w);

/* The shortest decimal that reads back as `d`, always with a point or an exponent. `buffer` has
 * room for 32 bytes. Infinities are inf and -inf. */
void format_double(double d, char *buffer);

#endif
