/* The messages of metrics that are not part of the program. */
#ifndef TPTUI_SUMMARY_METRIC_PROTOS_H
#define TPTUI_SUMMARY_METRIC_PROTOS_H

#include "base/status.h"

struct sql_session;

/* Adds what a .proto file, or those below a folder, define to the session's descriptors: SQL then
 * has functions for its messages. Nothing where `path` does not exist. */
struct status metric_protos_add(struct sql_session *s, const char *path);

#endif
