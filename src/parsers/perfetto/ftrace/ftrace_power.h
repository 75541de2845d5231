/* Power: frequencies, idle states, clocks, suspend, wakeup sources, temperatures. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_POWER_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_POWER_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_power_module;

#endif
