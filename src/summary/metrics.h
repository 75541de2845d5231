/* Metrics of version 1: each is an SQL file that leaves a view NAME_output of one row, a message,
 * and a field of perfetto.protos.TraceMetrics.
 *
 * Metrics that queries run by path leave the tables and views that published queries read
 * afterwards. Metrics of a user's own bring .proto files (parsers/proto/proto_file.h). Wattson's
 * are zero, as the power curves of phones are no part of the program. */
#ifndef TPTUI_SUMMARY_METRICS_H
#define TPTUI_SUMMARY_METRICS_H

#include "base/status.h"
#include "base/str.h"
#include "parsers/proto/proto_text.h"

struct sql_session;
struct sql_value;

/* Computes metrics, names with commas in between, and appends the TraceMetrics message to `out`.
 * A name may also be the path of a file x.sql on the disk: the metric x, whose messages may be in
 * x.proto beside it. Stops at the first that fails; the message then names it. */
struct status metrics_compute(struct sql_session *s, struct str names, struct pb_bytes *out);

/* Calls `each` for the name of every metric there is, in alphabetical order. */
void metrics_each_name(struct sql_session *s, void (*each)(void *self, struct str name),
                       void *self);

/* The formats that a message is shown in, TraceMetrics or what else the registry knows. */
#define METRICS_FORMAT_NAMES "text|binary|json"
struct metrics_format;
/* By name; NULL where there is none of it. */
const struct metrics_format *metrics_format_find(struct str name);
/* Appends TraceMetrics as text or JSON, or the bytes as they are. */
void metrics_append(struct sql_session *s, const struct metrics_format *format,
                    const struct pb_bytes *metrics, struct text *out);

/* Calls `each` for each field of a TraceMetrics message that is no message: its path,
 * "trace_stats.stat[0].name", and value. Both are valid during the call. */
void metrics_each_field(struct sql_session *s, const struct pb_bytes *metrics,
                        void (*each)(void *self, struct str path, const struct sql_value *value),
                        void *self);

/* Adds metrics of a folder, "FOLDER@PREFIX": the SQL files below FOLDER/sql get PREFIX in front of
 * their paths and come before those in the program, and the .proto files below FOLDER/protos define
 * messages, and fields of TraceMetrics ("extend"). */
struct status metrics_add_extension(struct sql_session *s, const char *extension);

#endif
