/* Display: virtio-gpu's queues, underruns and settings of panels. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DISPLAY_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DISPLAY_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_display_module;

#endif
