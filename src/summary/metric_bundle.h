/* Metrics that share a query, and so their rows. */
#ifndef TPTUI_SUMMARY_METRIC_BUNDLE_H
#define TPTUI_SUMMARY_METRIC_BUNDLE_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "parsers/proto/write.h"

struct sql_session;
struct structured_queries;

struct metric_bundle {
    struct str id;
    VEC(struct str) specs; /* encoded TraceMetricV2Spec; at least one */
};

/* What summary_compute has looked up for a bundle before any query runs. */
struct bundle_sql {
    char *rows;             /* of the metrics; owned */
    VEC(char *) dimensions; /* of each interned dimension; owned */
};

/* Refuses metrics in one bundle that do not say the same of query, dimensions and uniqueness. */
struct status bundle_check(const struct metric_bundle *b);
/* Makes the statements for its rows and for each dimension that is interned. `out` must be all zero
 * before, and is to be released also after an error. */
struct status bundle_make_sql(const struct metric_bundle *b, struct structured_queries *queries,
                              struct bundle_sql *out);
void bundle_sql_release(struct bundle_sql *sql);
/* Runs it and appends the TraceMetricV2Bundle's fields to `out`. */
struct status bundle_compute(const struct metric_bundle *b, const struct bundle_sql *sql,
                             struct sql_session *s, struct pb_bytes *out);

#endif
