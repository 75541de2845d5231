/* Stacks with values, as a tree whose nodes are merged by name: what a flamegraph draws. */
#ifndef TPTUI_SQL_OPERATORS_FLAMEGRAPH_H
#define TPTUI_SQL_OPERATORS_FLAMEGRAPH_H

#include "base/vec.h"
#include "sql/operators/tree.h"

struct sql_session;

enum flamegraph_view {
    FLAMEGRAPH_TOP_DOWN,  /* from the roots */
    FLAMEGRAPH_BOTTOM_UP, /* from the frames that have values of their own up to the roots */
    FLAMEGRAPH_PIVOT,     /* from the outermost frames that match the pattern both ways */
    FLAMEGRAPH_FROM_FRAME /* from them downwards */
};

struct flamegraph_pattern {
    char *text, *flags; /* flags: "i" ignores case */
};

enum flamegraph_filter_kind {
    FLAMEGRAPH_SHOW_STACK, /* stacks with a frame that matches */
    FLAMEGRAPH_HIDE_STACK, /* stacks without one */
    FLAMEGRAPH_HIDE_FRAME  /* matching frames vanish; what is theirs goes to the frame above */
};

struct flamegraph_filter {
    enum flamegraph_filter_kind kind;
    struct flamegraph_pattern pattern;
};

/* Columns are numbers of the tree's table. */
struct flamegraph_query {
    struct sql_session *session;
    const struct tree *tree;
    uint32_t name;
    enum flamegraph_view view;
    const struct flamegraph_pattern *pattern; /* of PIVOT and FROM_FRAME */
    const struct flamegraph_filter *filters;  /* applied one after the other */
    size_t filter_count;
    const uint32_t *groups; /* nodes are the same where these are, too */
    size_t group_count;
    const uint32_t *values; /* at least one; the first gives the widths */
    size_t value_count;
};

/* A sum, as an integer and as a real. */
struct flamegraph_amount {
    int64_t i;
    double d;
};

/* Wraps around, as values may be any 64-bit numbers. */
struct flamegraph_amount flamegraph_sum(struct flamegraph_amount a, struct flamegraph_amount b);

struct flamegraph_node {
    uint32_t parent;                /* node; TREE_NO_ROW: none */
    uint32_t row;                   /* the first of the tree's rows that are in it */
    int32_t depth;                  /* 1 and on downwards, -1 and on upwards */
    uint32_t first_part, last_part; /* in parts, the rows in it */
    struct flamegraph_amount start;
};

struct flamegraph_part {
    uint32_t row, next; /* part; TREE_NO_ROW ends */
};

struct flamegraph {
    size_t value_count;
    VEC(struct flamegraph_node) nodes;              /* parents before their children */
    VEC(struct flamegraph_amount) self, cumulative; /* value_count for each node */
    VEC(struct flamegraph_part) parts;
    uint32_t
        *shown; /* the nodes from left to right in each row, the rows nearest the roots first */
    /* The rows that hiding frames gave to a row: first_given[row], then next_given[]. */
    uint32_t *first_given, *next_given;
    struct flamegraph_amount *total; /* of each value */
};

/* Fails where it is cancelled or memory runs out, and where a pattern, a value (they must not be
 * negative) or the stacks' size is not allowed. `out` is overwritten, and to be released in any
 * case. */
struct status flamegraph_make(const struct flamegraph_query *q, struct flamegraph *out);
void flamegraph_release(struct flamegraph *f);

#endif
