/* Rows as QueryResult messages: cells of one kind together, in batches of some 128 KB. */
#ifndef TPTUI_RPC_RESULT_BATCHES_H
#define TPTUI_RPC_RESULT_BATCHES_H

#include "parsers/proto/write.h"
#include "sql/engine/sink.h"

struct result_batches {
    /* Where a message goes: false where nobody wants more. */
    bool (*send)(void *self, const struct pb_bytes *result);
    void *self;

    /* About the script, for the first message. */
    uint32_t statements, with_output;
    struct str last_statement;

    /* The batch so far. */
    struct pb_bytes head; /* fields of its QueryResult that come before the batch */
    struct pb_bytes types, ints, reals, blobs, texts;
    size_t size, cells;
    bool has_head, has_row, sent_last, stopped;
};

/* A sink for one statement; rows go out as they come. */
struct sql_sink result_batches_sink(struct result_batches *b);
/* Sends the rows that are left, as the last batch, with the error that ended them (NULL: none) and
 * how long the script took. False where nobody wanted it. */
bool result_batches_end(struct result_batches *b, const char *error, double elapsed_ms);
void result_batches_release(struct result_batches *b);

#endif
