/* Memory: resident sizes, oom scores, heaps shared with devices, reclaim, contiguous allocations.
 */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_MEMORY_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_MEMORY_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_memory_module;

#endif
