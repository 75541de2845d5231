/* The records that only simpleperf writes. */
#ifndef TPTUI_PARSERS_PERF_SIMPLEPERF_H
#define TPTUI_PARSERS_PERF_SIMPLEPERF_H

#include "parsers/perf/import.h"

/* Reads a record of `type`; one that was split is read with its last piece. False where it is
 * counted as unknown. */
bool simpleperf_read(struct perf_import *im, uint32_t type, struct bytes body);

#endif
