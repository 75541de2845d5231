/* The sections behind the records of perf.data, which describe the recording and its machine. */
#ifndef TPTUI_PARSERS_PERF_FEATURES_H
#define TPTUI_PARSERS_PERF_FEATURES_H

#include "parsers/perf/import.h"

/* Reads a section. Those that are not understood are counted; what cannot be read of the others is
 * left out. */
void perf_feature_read(struct perf_import *im, uint32_t feature, struct bytes section);
/* The record of a build id, which stands among others in pipes. */
void perf_feature_build_id(struct perf_import *im, const struct perf_record *record);

#endif
