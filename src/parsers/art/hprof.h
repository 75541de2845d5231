/* Dumps of a Java heap (hprof, of Android's runtime and of others): classes, objects, references,
 * roots and values as rows of the heap graph. What stands where is in hprof_file.h. */
#ifndef TPTUI_PARSERS_ART_HPROF_H
#define TPTUI_PARSERS_ART_HPROF_H

#include "parsers/input/trace_format.h"

extern const struct trace_format hprof_trace_format;

#endif
