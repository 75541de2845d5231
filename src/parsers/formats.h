/* All formats that are known: parsers/formats.c is the list to which a new one is added. */
#ifndef TPTUI_PARSERS_FORMATS_H
#define TPTUI_PARSERS_FORMATS_H

#include "parsers/input/trace_format.h"

/* Ended by NULL. The first that says yes to a file is taken: what is told by a magic number comes
 * first, then the more specific before the more general, and texts last. */
extern const struct trace_format *const trace_formats[];

/* The one with that key (trace_format_key), or NULL. */
const struct trace_format *trace_format_named(const char *key);

#endif
