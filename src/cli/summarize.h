/* Summaries and structured queries, for `tptui summarize` and the shell's commands. */
#ifndef TPTUI_CLI_SUMMARIZE_H
#define TPTUI_CLI_SUMMARIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Texts belong to argv; NULL: not given. */
struct summarize_settings {
    const char *const *specs; /* paths */
    size_t spec_count;
    const char *metrics;        /* ids with commas, or "all" */
    const char *metadata_query; /* its id */
    bool binary;
    bool silent; /* compute, but print nothing */
};

/* Over the open workspace: computes a summary and prints it on stdout. Without specs the program's
 * own are used. Returns an exit status; what failed has been said on stderr. */
int summarize(const struct summarize_settings *settings);

/* The SQL of a query of the specs, for free(); what must run before has run in the workspace.
 * `before`, if not NULL, becomes that, as text for free(). */
struct status structured_query_prepare(const char *const *specs, size_t spec_count, const char *id,
                                       char **sql, char **before);

#endif
