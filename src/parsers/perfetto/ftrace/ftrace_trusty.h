/* Trusty, the secure operating system beside the kernel: calls into it and its messages. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TRUSTY_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_TRUSTY_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_trusty_module;

#endif
