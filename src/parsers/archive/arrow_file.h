/* Writing a table as a file of Apache Arrow (the IPC file format), row by row. Texts are numbers of
 * a dictionary; the format's footer says where what is. */
#ifndef TPTUI_PARSERS_ARCHIVE_ARROW_FILE_H
#define TPTUI_PARSERS_ARCHIVE_ARROW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "core/store/string_pool.h"

enum arrow_type { ARROW_UINT32, ARROW_INT32, ARROW_INT64, ARROW_DOUBLE, ARROW_TEXT };

struct arrow_column {
    const char *name;
    enum arrow_type type;
    bool nullable;
};

enum arrow_layout {
    /* Batches go out as they fill, and the dictionaries behind them. Memory is a batch and the
     * numbers of the distinct texts. */
    ARROW_BATCHES,
    /* One batch behind its dictionaries, with a bitmap for each column that may be null: what Trace
     * Processor reads. Memory is all rows, 4 or 8 bytes a value. */
    ARROW_WHOLE,
};

struct arrow_file;

/* `f`, `strings` and the columns must outlive the file. It begins where `f` is, which should be
 * aligned to 64 bytes. */
struct arrow_file *arrow_file_new(FILE *f, const struct string_pool *strings,
                                  const struct arrow_column *columns, size_t count,
                                  enum arrow_layout layout);

/* The next row's value of a column; each column gets one, then the row is ended. */
void arrow_put_int(struct arrow_file *a, size_t column, int64_t value); /* the first three types */
void arrow_put_real(struct arrow_file *a, size_t column, double value);
void arrow_put_text(struct arrow_file *a, size_t column, string_id value); /* 0: null */
void arrow_put_null(struct arrow_file *a, size_t column);
void arrow_end_row(struct arrow_file *a);

/* Writes what is left and frees `a`. Fails where a column has 2 GB of distinct text, or `f` does
 * not take what was written. */
struct status arrow_file_end(struct arrow_file *a);

#endif
