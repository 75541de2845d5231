/* Devices: network, storage, buses, video. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DEVICE_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DEVICE_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_device_module;

#endif
