/* Chrome processes that events name as running but whose descriptors came late or never: what they
 * did before is missing from the trace. */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_CHROME_PROCESSES_H
#define TPTUI_PARSERS_PERFETTO_CHROME_CHROME_PROCESSES_H

#include <stdint.h>

struct import;

/* A descriptor of the process; in time order, as the other. */
void chrome_process_described(struct import *im, int64_t ts, uint32_t upid);
/* An event lists the process among those that run. */
void chrome_process_active(struct import *im, uint32_t machine, int64_t ts, int64_t pid);

#endif
