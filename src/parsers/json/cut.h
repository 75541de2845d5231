/* Cutting a window out of a Chrome JSON trace: its events are filtered, all else is kept. */
#ifndef TPTUI_PARSERS_JSON_CUT_H
#define TPTUI_PARSERS_JSON_CUT_H

#include "parsers/input/trace_cut.h"

/* As trace_format.cut. */
struct status json_cut(const char *name, struct bytes data, const struct time_window *window,
                       struct cut_output *out, struct load_progress *progress,
                       struct cut_span *span);

#endif
