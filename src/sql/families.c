#include "sql/families.h"

#include <stddef.h>

#include "sql/engine/family.h"

/* A file NAME.c that adds functions or tables to SQL exports `const struct sql_family NAME_family`
 * and stands here, by folder. */
#define FAMILIES(X)                                                                                \
    X(table_vtab)                                                                                  \
    X(args_vtab)                                                                                   \
    X(found_tables)                                                                                \
    X(parts)                                                                                       \
    X(ptr_table)                                                                                   \
    X(aggregates)                                                                                  \
    X(statistics)                                                                                  \
    X(etm_functions)                                                                               \
    X(experimental_flamegraph)                                                                     \
    X(file_functions)                                                                              \
    X(format_function)                                                                             \
    X(info_tables)                                                                                 \
    X(json_functions)                                                                              \
    X(metadata_functions)                                                                          \
    X(newer_functions)                                                                             \
    X(ordered_aggregate)                                                                           \
    X(payload_functions)                                                                           \
    X(proto_functions)                                                                             \
    X(regexp_functions)                                                                            \
    X(replace_functions)                                                                           \
    X(row_functions)                                                                               \
    X(slice_functions)                                                                             \
    X(stack_functions)                                                                             \
    X(sums)                                                                                        \
    X(symbolize_functions)                                                                         \
    X(text_functions)                                                                              \
    X(time_functions)                                                                              \
    X(to_ftrace)                                                                                   \
    X(trace_functions)                                                                             \
    X(wattson_curves)                                                                              \
    X(window_vtab)                                                                                 \
    X(winscope_tables)                                                                             \
    X(critical_path)                                                                               \
    X(dominator_tree)                                                                              \
    X(flamechart)                                                                                  \
    X(flamegraph_config)                                                                           \
    X(flamegraph_operator)                                                                         \
    X(graph)                                                                                       \
    X(graph_scan)                                                                                  \
    X(graph_search)                                                                                \
    X(interval_flatten)                                                                            \
    X(interval_functions)                                                                          \
    X(interval_self_intersect)                                                                     \
    X(interval_set)                                                                                \
    X(mipmap)                                                                                      \
    X(span_join)                                                                                   \
    X(tree_functions)                                                                              \
    X(tree_profile)                                                                                \
    X(weight_bounded)                                                                              \
    X(distinct)                                                                                    \
    X(legacy_functions)                                                                            \
    X(run_metric)                                                                                  \
    X(schema_listing)                                                                              \
    X(stdlib_objects)

#define DECLARE(name) extern const struct sql_family name##_family;
#define POINTER(name) &name##_family,

FAMILIES(DECLARE)

const struct sql_family *const sql_families[] = {FAMILIES(POINTER) NULL};
