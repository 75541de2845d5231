/* What a flamegraph is asked to be: a pointer that __intrinsic_flamegraph_config makes. */
#ifndef TPTUI_SQL_OPERATORS_FLAMEGRAPH_CONFIG_H
#define TPTUI_SQL_OPERATORS_FLAMEGRAPH_CONFIG_H

#include "base/vec.h"
#include "sql/operators/flamegraph.h"

/* The pointer's type. */
#define FLAMEGRAPH_CONFIG_TYPE "FLAMEGRAPH_QUERY"

enum flamegraph_summary { FLAMEGRAPH_SUM, FLAMEGRAPH_ONE_OR_SUMMARY, FLAMEGRAPH_CONCAT };

struct flamegraph_aggregate {
    enum flamegraph_summary kind;
    char *in, *out;
};

/* Texts are owned. */
struct flamegraph_config {
    enum flamegraph_view view;
    struct flamegraph_pattern pattern;
    VEC(struct flamegraph_filter) filters;
    VEC(char *) groups, values;
    VEC(struct flamegraph_aggregate) aggregates;
};

/* As SQL writes it. */
const char *flamegraph_view_name(enum flamegraph_view view);

#endif
