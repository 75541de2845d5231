/* Stages that say what columns there are. Each function reads what stands behind its keyword. */
#ifndef TPTUI_SQL_PIPELINES_PIPELINE_COLUMNS_H
#define TPTUI_SQL_PIPELINES_PIPELINE_COLUMNS_H

#include "sql/pipelines/pipeline_state.h"

struct status pipeline_select(struct pipeline *p);
struct status pipeline_extend(struct pipeline *p);
struct status pipeline_drop(struct pipeline *p);
struct status pipeline_rename(struct pipeline *p);
struct status pipeline_set(struct pipeline *p);
struct status pipeline_as(struct pipeline *p);

#endif
