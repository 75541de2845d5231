/* What the parts of pipeline.h share: the pipeline as far as it has been read. */
#ifndef TPTUI_SQL_LANGUAGE_PIPELINE_STATE_H
#define TPTUI_SQL_LANGUAGE_PIPELINE_STATE_H

#include "sql/language/pipeline_row.h"
#include "sql/tokens/sql_type.h"

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

/* Appends text to the SELECT, as tokens that stand where the stage does. */
void pipeline_put(struct pipeline *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pipeline_put_tokens(struct pipeline *p, const struct token *tokens, size_t n);
/* The columns of a source, as slots from the next free one on. */
void pipeline_put_columns(struct pipeline *p, const struct pipe_source *source);

/* Reads [schema.]table or (SELECT ...), and the alias; what is in `out` is to be released in any
 * case. */
struct status pipeline_read_source(struct pipeline *p, struct pipe_source *out);

/* Whether |> is next, with nothing between the two. */
bool pipeline_at_pipe(struct token_cursor *c);

/* Refuses a clause of SELECT where a stage is expected. */
bool pipeline_is_clause(struct token t);
struct status pipeline_not_a_stage(struct token t);

/* Each reads what stands behind its keyword. INTERVAL INTERSECTION OF starts a pipeline, the others
 * are stages. */
struct status pipeline_intersection(struct pipeline *p);
struct status pipeline_tree(struct pipeline *p);
struct status pipeline_flatten(struct pipeline *p);
struct status pipeline_select(struct pipeline *p);
struct status pipeline_extend(struct pipeline *p);
struct status pipeline_drop(struct pipeline *p);
struct status pipeline_rename(struct pipeline *p);
struct status pipeline_set(struct pipeline *p);
struct status pipeline_as(struct pipeline *p);
struct status pipeline_where(struct pipeline *p);
struct status pipeline_aggregate(struct pipeline *p);

#endif
