/* Stages that say what rows there are. Each function reads what stands behind its keyword. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_ROWS_H
#define TPTUI_SQL_PIPELINES_PIPELINE_ROWS_H

#include "sql/pipelines/pipeline_state.h"

struct status pipeline_where(struct pipeline *p);
struct status pipeline_aggregate(struct pipeline *p);

#endif
