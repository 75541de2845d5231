/* The rows of a query. One thread adds them, others look at those that are there: a result only
 * grows, and what was read from it stays where it is for as long as it lives.
 *
 * The first 64 rows are there at once, then whole blocks of at most 4096 (result_block.h); what is
 * more than a limit is in a file (result_memory.h), and reading knows no difference. */
#ifndef TPTUI_TUI_RESULT_RESULT_H
#define TPTUI_TUI_RESULT_RESULT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sql/engine/sink.h"

struct result;

/* Not NULL; returns it. */
struct result *result_retain(struct result *r);
/* The last one who lets go frees it. NULL is allowed. */
void result_release(struct result *r);

/* A column's name lasts as long as the result. */
uint32_t result_columns(const struct result *r);
const char *result_name(const struct result *r, uint32_t column);
/* The column of that name, or -1. */
int result_column(const struct result *r, const char *name);
/* Rows to be read so far. */
uint32_t result_rows(const struct result *r);
/* Why no more rows were taken; NULL where none were left out. */
const char *result_cut(const struct result *r);
/* Bytes of memory and of the file that the rows take. */
struct result_size {
    size_t memory, file;
};
struct result_size result_size(struct result *r);

/* What a column's values so far are: a set of 1 << enum sql_type, and how many bytes the longest of
 * them takes as text. */
struct result_shape {
    uint8_t types;
    uint32_t width;
};
struct result_shape result_shape(struct result *r, uint32_t column);

/* Reads for one thread; zeroed but for the result, which is not retained. */
struct result_reader {
    struct result *result;
    const uint8_t *block;
    uint32_t first, rows; /* of the block read last */
};
/* A value; text is valid for as long as the result. The row must be there. */
struct sql_value result_read(struct result_reader *r, uint32_t row, uint32_t column);

/* Where a script's result sets go: the last one is kept. Zeroed but for what is said here. */
struct result_feed {
    size_t memory; /* bytes that a result may take before its rows go to a file */
    /* Called when a result's first rows are there, from the thread that runs; may be NULL. */
    void (*first_rows)(void *ctx);
    void *ctx;
    atomic_bool closed; /* set by anybody: takes no further rows, and stops the run */
    pthread_mutex_t lock;
    struct result *latest;
    char *note; /* why the last one has no rows; owned; to be read once the run has ended */
};

void result_feed_init(struct result_feed *f, size_t memory);
void result_feed_release(struct result_feed *f);
/* The feed must outlive the run. */
struct sql_sink result_feed_sink(struct result_feed *f);
/* The run has ended, in whatever way: rows held back are there, too. */
void result_feed_end(struct result_feed *f);
/* The last result so far, retained for the caller; NULL where there is none yet. */
struct result *result_feed_take(struct result_feed *f);

/* A value as text for people, cut at `size`; NULL is empty. */
void result_text(const struct sql_value *v, char *out, size_t size);

#endif
