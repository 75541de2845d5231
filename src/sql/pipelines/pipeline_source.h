/* What the stages of a pipeline are made with: reading a source, appending to the SELECT. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_SOURCE_H
#define TPTUI_SQL_PIPELINES_PIPELINE_SOURCE_H

#include "sql/pipelines/pipeline_state.h"

/* Appends text to the SELECT, as tokens that stand where the stage does. */
void pipeline_put(struct pipeline *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes the SELECT so far what the next one reads, and begins that anew. Returns its number N: it
 * is called "tptui_stageN". SELECTs in each other's FROM would be more than SQLite's parser takes.
 */
uint32_t pipeline_end_stage(struct pipeline *p, bool materialized);
void pipeline_put_tokens(struct pipeline *p, const struct token *tokens, size_t n);
/* The columns of a source, as slots from the next free one on. */
void pipeline_put_columns(struct pipeline *p, const struct pipe_source *source);

/* Reads [schema.]table or (SELECT ...), and the alias; what is in `out` is to be released in any
 * case. */
struct status pipeline_read_source(struct pipeline *p, struct pipe_source *out);

/* Whether |> is next, with nothing between the two. */
bool pipeline_at_pipe(struct token_cursor *c);

/* Whether a word begins a clause of SELECT (WHERE, GROUP ...), and the error where it stands where
 * a stage is expected. */
bool pipeline_is_clause(struct token t);
struct status pipeline_not_a_stage(struct token t);

#endif
