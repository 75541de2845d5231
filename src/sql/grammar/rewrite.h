/* Writing a tree's tokens again, with others in the place of some of its nodes.
 *
 * So pipelines become SELECTs, f(x ORDER BY y) and 1_000 what an older SQLite knows
 * (language/newer_syntax.h), and count(DISTINCT x) an aggregate that hashes (language/distinct.h).
 * Errors show the nodes that were there. */
#ifndef TPTUI_SQL_GRAMMAR_REWRITE_H
#define TPTUI_SQL_GRAMMAR_REWRITE_H

#include "sql/grammar/tree.h"

struct sql_rewrite {
    const struct token_list *tokens; /* that the tree was made of */
    struct token_list *out;          /* is appended to */
    struct arena *arena;             /* of what stands in; outlives `out` */
    /* Writes what takes the node's place; false: it stays, but for what is below it. */
    bool (*instead)(struct sql_rewrite *r, const struct sql_node *n);
    void *self;
};

/* Writes the node. */
void sql_rewrite_node(struct sql_rewrite *r, const struct sql_node *n);

/* Writes the tokens [from, to) of the node as they are, but for the nodes below it. */
void sql_rewrite_range(struct sql_rewrite *r, const struct sql_node *n, uint32_t from, uint32_t to);

/* Writes all tokens of the tree's. */
void sql_rewrite_all(struct sql_rewrite *r, const struct sql_node *root);

/* Appends a text of printf's kind (SQLite's: %q, %w) as tokens that stand in for `at`: errors in
 * them are shown there. */
void tokens_put(struct token_list *out, struct arena *arena, struct token at, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

#endif
