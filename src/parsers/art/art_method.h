/* Traces of Android's runtime: which method each thread entered and left, and when.
 *
 * Versions 1 to 3: a header of text and records behind it, or, streamed, records among which
 * methods and threads are told when they are first seen; times in us. Versions 4 and 5: blocks of
 * one thread each with differences of times and methods as LEB128. As runtime/trace.cc of Android's
 * runtime writes them. */
#ifndef TPTUI_PARSERS_ART_ART_METHOD_H
#define TPTUI_PARSERS_ART_ART_METHOD_H

#include "parsers/input/trace_format.h"

extern const struct trace_format art_method_trace_format;
extern const struct trace_format art_method_v2_trace_format;

#endif
