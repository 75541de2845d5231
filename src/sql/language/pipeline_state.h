/* What the parts of pipeline.h share: the pipeline as far as it has been read. */
#ifndef TPTUI_SQL_LANGUAGE_PIPELINE_STATE_H
#define TPTUI_SQL_LANGUAGE_PIPELINE_STATE_H

#include "sql/language/pipeline_row.h"
#include "sql/tokens/sql_type.h"

struct sql_session;

struct order_key {
    uint32_t slot;
    bool descending;
};

struct pipeline {
    struct sql_session *session;
    struct token_cursor c;
    struct token stage; /* its first word: where errors in what it becomes are shown */
    struct pipe_row row;
    VEC(struct order_key) order;
    uint32_t slots;
    struct token_list sql; /* a SELECT whose columns are the slots, "tptui_0" ... */
};

/* A table, view or (SELECT ...) that rows come from. */
struct pipe_source {
    const struct token *tokens;
    size_t count;
    struct str alias; /* empty where it has none */
    struct pipe_columns columns;
};

#endif
