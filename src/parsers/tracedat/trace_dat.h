/* Recordings of trace-cmd: trace.dat of versions 6 and 7. Their events become bundles as Perfetto
 * records them, which its importer reads. */
#ifndef TPTUI_PARSERS_TRACEDAT_TRACE_DAT_H
#define TPTUI_PARSERS_TRACEDAT_TRACE_DAT_H

#include "parsers/input/trace_format.h"

extern const struct trace_format trace_dat_format;

#endif
