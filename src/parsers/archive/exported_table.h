/* Tables of a trace that was exported for Trace Processor: Arrow files that bear their names. */
#ifndef TPTUI_PARSERS_ARCHIVE_EXPORTED_TABLE_H
#define TPTUI_PARSERS_ARCHIVE_EXPORTED_TABLE_H

#include "parsers/input/trace_format.h"

/* Of a file in an archive: to be read behind all others. */
extern const struct trace_format exported_table_trace_format;

#endif
