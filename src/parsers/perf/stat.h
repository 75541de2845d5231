/* What `perf stat record` writes: what each event had counted, at the end of each interval, or of
 * the command. Trace Processor skips it. */
#ifndef TPTUI_PARSERS_PERF_STAT_H
#define TPTUI_PARSERS_PERF_STAT_H

#include "parsers/perf/import.h"

/* Keeps PERF_RECORD_STAT until its round. */
void perf_stat_read(struct perf_import *im, struct bytes body);
/* PERF_RECORD_STAT_ROUND: the time of the counts before it, since the command began. */
void perf_stat_round(struct perf_import *im, struct bytes body);
/* Makes counters of them, when the events' names are known. */
void perf_stat_apply(struct perf_import *im);

#endif
