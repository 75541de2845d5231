/* Fuchsia's traces (fxt): records of 64-bit words, of which the first says the kind and length.
 * Providers, each with its strings and threads by number, take turns; events of all of them are
 * applied in order of time. Packets of Perfetto may be among them: they come last. The
 * records are as fuchsia.dev's "Fuchsia trace format" says. */
#ifndef TPTUI_PARSERS_FUCHSIA_FUCHSIA_H
#define TPTUI_PARSERS_FUCHSIA_FUCHSIA_H

#include "parsers/input/trace_format.h"

extern const struct trace_format fuchsia_trace_format;

#endif
