/* The rows of one trace on their way from the process that queried it: a file of records, which is
 * taken only when it is whole.
 *
 * "tptui rows 2\n"; a key (8 bytes) that says what they are of; the number of columns (4 bytes) and
 * their names; for each row a byte 1 and its values: type (1 byte, enum sql_value_type) and 8
 * bytes, or a length (8 bytes) and as many bytes; a byte 0 at the end. Integers as they lie in
 * memory: both processes are of one machine, or of machines of one kind. */
#ifndef TPTUI_CLI_BATCH_BATCH_ROWS_H
#define TPTUI_CLI_BATCH_BATCH_ROWS_H

#include <stdio.h>

#include "base/status.h"
#include "sql/engine/sink.h"

/* Writes what a script yields to a file: one result set, or it fails. */
struct batch_rows_writer;

/* `file` stays the caller's. */
struct batch_rows_writer *batch_rows_writer_new(FILE *file, uint64_t key);
struct sql_sink batch_rows_sink(struct batch_rows_writer *w);
/* Ends the file and frees the writer. An error where there was no result set, or more than one, or
 * the file cannot be written. */
struct status batch_rows_finish(struct batch_rows_writer *w);

/* Copies a whole file of them, with another key. */
bool batch_rows_copy(FILE *from, FILE *to, uint64_t key);

/* Calls `sink` for the rows in the file, from its beginning: begin, then row for each; never end.
 * An error where the file is not whole: then some rows may have been given already. */
struct status batch_rows_read(FILE *file, const struct sql_sink *sink);
/* Whether the file is whole, and its key. It is at its beginning afterwards. */
bool batch_rows_whole(FILE *file, uint64_t *key);

#endif
