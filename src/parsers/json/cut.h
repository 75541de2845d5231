/* Cutting a window out of a Chrome JSON trace: its events are filtered, all else is kept. */
#ifndef TPTUI_PARSERS_JSON_CUT_H
#define TPTUI_PARSERS_JSON_CUT_H

#include "parsers/input/trace_cut.h"

/* As trace_format.cut. */
struct status json_cut(struct cut_job *job);

#endif
