/* What kernel programmers print with trace_printk: instants of the thread, and counters where the
 * text names numbers.
 *
 *     bprint: gpu_power_get: thermal_gpu_power_get: frequency=420 load=91 */
#ifndef TPTUI_PARSERS_TRACEFS_PRINTK_TEXT_H
#define TPTUI_PARSERS_TRACEFS_PRINTK_TEXT_H

#include <stdint.h>

#include "base/str.h"

struct trace;

void printk_text_apply(struct trace *t, uint32_t machine, int64_t ts, uint32_t utid,
                       struct str text);

/* Which counters that sets; 0: none. */
uint64_t printk_text_counters(struct str text);

#endif
