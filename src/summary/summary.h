/* Trace summaries: metrics that specs (TraceSummarySpec) define as columns of structured queries,
 * and metadata. The result is a TraceSummary message. */
#ifndef TPTUI_SUMMARY_SUMMARY_H
#define TPTUI_SUMMARY_SUMMARY_H

#include <stdbool.h>

#include "base/status.h"
#include "base/vec.h"
#include "parsers/proto/proto_text.h"
#include "parsers/proto/write.h"

struct sql_session;
struct structured_queries;

/* Specs, encoded; all zero is none. */
struct summary_specs {
    VEC(struct pb_bytes) v; /* owned */
};

enum spec_format {
    SPEC_BY_LOOKS, /* what its name and bytes look like: .pb, .textproto, printable text */
    SPEC_TEXT,
    SPEC_BINARY
};

/* Adds a spec; `name` stands in messages. The bytes are copied. */
struct status summary_specs_add(struct summary_specs *specs, struct sql_session *s,
                                const char *name, struct str bytes, enum spec_format format);
/* The program's own specs. */
struct status summary_specs_add_own(struct summary_specs *specs, struct sql_session *s);
void summary_specs_release(struct summary_specs *specs);

/* Adds the queries of the specs to those that others may refer to. */
struct status summary_specs_queries(const struct summary_specs *specs,
                                    struct structured_queries *queries);

struct summary_request {
    const struct summary_specs *specs;
    struct str metrics;  /* ids with commas in between; "all", whatever case: all of the specs */
    struct str metadata; /* id of a query of columns key and value; empty: none */
};

/* Computes a summary and appends the TraceSummary to `out`. Errors name metric, query and field. */
struct status summary_compute(struct sql_session *s, const struct summary_request *request,
                              struct pb_bytes *out);

/* A TraceSummary as text. */
void summary_append_text(struct sql_session *s, const struct pb_bytes *summary, struct text *out);

#endif
