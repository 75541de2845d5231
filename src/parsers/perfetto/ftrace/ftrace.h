/* Ftrace events in time order: each becomes its row of ftrace_event, and goes to its handler. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_H

#include <stdint.h>

#include "parsers/perfetto/packets/sorter.h"

/* Applies a RECORD_FTRACE, RECORD_SCHED_SWITCH or RECORD_SCHED_WAKING of that queue. */
void ftrace_parse(struct import *im, uint32_t queue, int64_t ts, enum record_kind kind,
                  uint64_t ref);

#endif
