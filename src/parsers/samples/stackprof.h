/* Profiles of Ruby's stackprof, as JSON: frames by their ids, and samples as numbers, one behind
 * the other: how many frames, their ids from the outermost on, how often in a row. As the README of
 * github.com/tmm1/stackprof says of `StackProf.results`, of which this is the JSON. */
#ifndef TPTUI_PARSERS_SAMPLES_STACKPROF_H
#define TPTUI_PARSERS_SAMPLES_STACKPROF_H

#include "parsers/input/trace_format.h"

extern const struct trace_format stackprof_trace_format;

#endif
