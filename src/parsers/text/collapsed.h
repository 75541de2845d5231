/* Collapsed callstacks, what flame graphs are drawn from: a line a stack, outermost call first, and
 * how often it was seen.
 *
 *     main;run;parse 12
 *     main;run;write 3
 *
 * As the README of github.com/brendangregg/FlameGraph says ("2. Fold stacks"). Counts may have a
 * fraction, and tabs stand in front of them. */
#ifndef TPTUI_PARSERS_TEXT_COLLAPSED_H
#define TPTUI_PARSERS_TEXT_COLLAPSED_H

#include "parsers/input/trace_format.h"

extern const struct trace_format collapsed_trace_format;

#endif
