/* What went wrong or is worth counting while a trace loads: the rows of the `stats` table. */
#ifndef TPTUI_CORE_STATS_H
#define TPTUI_CORE_STATS_H

#include <stdint.h>

#include "core/tables.h"
#include "base/map.h"

/* Adds `n` to the counter `name` (one of stat_defs in stats.c, else it is an assertion failure);
 * `idx` is the index for those with one (cpu, sequence ...), -1 for none. Cheap enough per event.
 */
struct trace;
enum stat_key;
void stats_add(struct trace *t, enum stat_key key, int64_t idx, int64_t n);
void stats_set(struct trace *t, enum stat_key key, int64_t idx, int64_t value);
int64_t stats_get(struct trace *t, enum stat_key key, int64_t idx);

/* Writes the table; counters without an index have a row even at 0. Called once when loading ends.
 */
void stats_finish(struct trace *t);

#endif
