/* Stages and starts that are operators of ours. Each function reads what stands behind its keyword.
 */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_OPERATORS_H
#define TPTUI_SQL_PIPELINES_PIPELINE_OPERATORS_H

#include "sql/pipelines/pipeline_state.h"

/* INTERVAL INTERSECTION OF, which starts a pipeline. */
struct status pipeline_intersection(struct pipeline *p);
/* TREE ACCUMULATE ... */
struct status pipeline_tree(struct pipeline *p);
/* INTERVAL FLATTEN ... */
struct status pipeline_flatten(struct pipeline *p);

#endif
