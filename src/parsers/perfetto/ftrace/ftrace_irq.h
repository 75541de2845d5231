/* What a cpu does besides running threads: interrupts, timers, work queues, hotplug, the
 * hypervisor. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_IRQ_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_IRQ_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_irq_module;

#endif
