/* Arm's Statistical Profiling Extension: a record for each sampled operation, made of packets of a
 * header of one or two bytes and a payload whose size the header tells. The last one of a record is
 * an end packet or a timestamp. As in the Arm Architecture Reference Manual, "Statistical Profiling
 * Extension sample record specification". */
#ifndef TPTUI_PARSERS_PERF_SPE_H
#define TPTUI_PARSERS_PERF_SPE_H

#include "parsers/perf/import.h"

struct perf_spe_record {
    struct bytes bytes;
    uint64_t cycles; /* of the system counter */
    bool has_cycles;
};

/* Takes the next whole record off `left`. False where there is none: what is left is the begin of
 * one, or nothing. */
bool perf_spe_next(struct bytes *left, struct perf_spe_record *record);

/* Keeps a record until its time comes. The bytes are copied. */
void perf_spe_keep(struct perf_import *im, int64_t ts, struct bytes record);
/* Adds the row of a record that was kept. */
void perf_spe_apply(struct perf_import *im, int64_t ts, const void *kept);

#endif
