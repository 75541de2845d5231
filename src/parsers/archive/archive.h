/* Several traces in one file: a zip or tar archive, also compressed. Its members become one trace;
 * they may be compressed by themselves. A member that is a manifest (manifest.h) says more about
 * the others. */
#ifndef TPTUI_PARSERS_ARCHIVE_ARCHIVE_H
#define TPTUI_PARSERS_ARCHIVE_ARCHIVE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format zip_trace_format, tar_trace_format;

#endif
