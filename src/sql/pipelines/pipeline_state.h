/* What the parts of pipeline.h share: the pipeline as far as it has been read, and its stages. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_STATE_H
#define TPTUI_SQL_PIPELINES_PIPELINE_STATE_H

#include "sql/grammar/rewrite.h"
#include "sql/pipelines/pipeline_row.h"
#include "sql/tokens/source_error.h"

struct sql_session;
struct written_names;

struct pipeline_key {
    uint32_t slot;
    uint8_t direction, nulls; /* enum sql_op */
};

struct pipeline_keys {
    VEC(struct pipeline_key) v;
};

/* A statement being written, with what it is written anew by. */
struct rewriting {
    struct sql_rewrite tree;
    struct sql_session *session;
    struct written_names *names; /* may be NULL */
    struct pipeline *row_of;     /* in an expression of a stage, whose columns become slots */
    bool changed;                /* something is written otherwise than it was */
    uint32_t end;                /* nothing behind this token is understood */
    size_t written;              /* tokens of pipelines, those of one in another each time */
    struct status status;        /* once it is an error nothing more is written */
};

/* Of columns, SQLite's own limit; of tokens of a statement that has pipelines, and of those that
 * these become, those of one in another counted each time. */
enum { PIPE_COLUMNS_MAX = 2000, PIPE_TOKENS_MAX = 1 << 22 };

static inline struct status pipeline_too_long(struct token at)
{
    return token_error(at, "pipelines make this statement too long");
}

struct pipeline {
    struct sql_session *session;
    struct rewriting *rewriting;
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
    struct token first;
    struct token_list tokens; /* without alias */
    struct str alias;         /* empty where it has none */
    struct pipe_columns columns;
};

/* ---- reading and writing ---- */

/* The node's first token. */
struct token pipe_token(const struct pipeline *p, const struct sql_node *n);
/* The node, rewritten, as the end of the SELECT; from `from` to `to` only. */
void pipeline_put_range(struct pipeline *p, const struct sql_node *n, uint32_t from, uint32_t to);
/* An expression with slots in place of the row's columns. */
struct status pipeline_put_expression(struct pipeline *p, const struct sql_node *n);
/* A column that a stage names; fails where the node is another expression. */
struct status pipe_column_of(const struct pipeline *p, const struct sql_node *n,
                             struct pipe_column *out);
/* What an item with or without AS is called: its column's name where it has none of its own. */
struct str pipe_result_name(const struct pipeline *p, const struct sql_node *result,
                            struct str otherwise);

/* Appends text to the SELECT, as tokens that stand where the stage does. */
#define pipeline_put(p, ...)                                                                       \
    tokens_put(&(p)->sql, (p)->rewriting->tree.arena, (p)->stage, __VA_ARGS__)
void pipeline_put_tokens(struct pipeline *p, const struct token_list *tokens);
/* The columns of a source, as slots from the next free one on. */
void pipeline_put_columns(struct pipeline *p, const struct pipe_source *source);
/* Makes the SELECT so far what the next one reads, and begins that anew. Returns its number N: it
 * is called "tptui_stageN". SELECTs in each other's FROM would be more than SQLite's parser takes.
 */
uint32_t pipeline_end_stage(struct pipeline *p, bool materialized);

/* Reads a source, and which columns it has. */
struct status pipeline_read_source(struct pipeline *p, const struct sql_node *n,
                                   struct pipe_source *out);
void pipe_source_release(struct pipe_source *source);

/* Whether a word begins a clause of SELECT (WHERE, GROUP ...), and the error where it stands where
 * a stage is expected. */
bool pipeline_is_clause(struct token t);
struct status pipeline_not_a_stage(struct token t);

/* ---- starts and stages ---- */

/* Writes the SELECT of a PIPELINE. */
struct status pipeline_write(struct rewriting *r, const struct sql_node *pipeline);

struct status pipeline_intersection(struct pipeline *p, const struct sql_node *n);

struct status pipeline_select(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_extend(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_drop(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_rename(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_set(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_as(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_where(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_aggregate(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_tree(struct pipeline *p, const struct sql_node *stage);
struct status pipeline_flatten(struct pipeline *p, const struct sql_node *stage);

#endif
