/* What the parts of pipeline.h share: the pipeline as far as it has been read. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_STATE_H
#define TPTUI_SQL_PIPELINES_PIPELINE_STATE_H

#include "sql/pipelines/pipeline_row.h"
#include "sql/tokens/source_error.h"

struct sql_session;

struct pipeline_key {
    uint32_t slot;
    bool descending;
};

struct pipeline_keys {
    VEC(struct pipeline_key) v;
};

/* SQLite's own limit. */
enum { PIPE_COLUMNS_MAX = 2000 };

struct pipeline {
    struct sql_session *session;
    struct token_cursor c;
    struct token stage; /* its first word: where errors in what it becomes are shown */
    struct pipe_row row;
    struct pipeline_keys order;
    uint32_t slots;           /* how many there are so far */
    struct token_list sql;    /* a SELECT whose columns are the slots, "tptui_0" ... */
    bool filtered;            /* which ends with the condition of a WHERE stage */
    struct token_list stages; /* what it reads: "tptui_stage0" AS (SELECT ...), ... */
    uint32_t stage_count;
};

/* A table, view or (SELECT ...) that rows come from. */
struct pipe_source {
    const struct token *tokens;
    size_t count;
    struct str alias; /* empty where it has none */
    struct pipe_columns columns;
};

#endif
