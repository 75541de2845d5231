/* Metric templates: a metric for each of their value columns. */
#ifndef TPTUI_SUMMARY_METRIC_TEMPLATE_H
#define TPTUI_SUMMARY_METRIC_TEMPLATE_H

#include "base/status.h"
#include "base/str.h"
#include "parsers/proto/write.h"

/* Calls `add` with each metric's encoded TraceMetricV2Spec, which is taken over, of an encoded
 * TraceMetricV2TemplateSpec. */
struct status metric_template_expand(struct str spec,
                                     void (*add)(void *self, struct pb_bytes *spec), void *self);

#endif
