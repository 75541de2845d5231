/* The records of perf.data: read in the order of the file, applied in the order of their times. */
#ifndef TPTUI_PARSERS_PERF_RECORDS_H
#define TPTUI_PARSERS_PERF_RECORDS_H

#include "parsers/perf/import.h"

/* Takes records in: those that describe the recording are read, the others wait. Bytes that are no
 * whole record are counted. False where loading was cancelled. */
bool perf_records_scan(struct perf_import *im, struct bytes records);
/* The same for what compressed records hold; im->unpacked must last until perf_records_apply. */
bool perf_records_unpack(struct perf_import *im);
/* Applies what waits. False where loading was cancelled. */
bool perf_records_apply(struct perf_import *im);

#endif
