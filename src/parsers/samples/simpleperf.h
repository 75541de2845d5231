/* What `simpleperf report-sample --protobuf` writes: "SIMPLEPERF", a 16-bit version, and records,
 * each a 32-bit length and a message; a length of 0 ends them. */
#ifndef TPTUI_PARSERS_SAMPLES_SIMPLEPERF_H
#define TPTUI_PARSERS_SAMPLES_SIMPLEPERF_H

#include "core/trace.h"
#include "parsers/load.h"
#include "parsers/perfetto/packets/import.h"

bool simpleperf_sniff(struct bytes data);
struct status simpleperf_import(struct trace *t, const char *name, struct bytes data,
                                struct load_progress *progress);

#endif
