/* Counters that packets of several kinds have: with one dimension, with few changes, of a gpu. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_COUNTERS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_COUNTERS_H

#include <stdint.h>

#include "core/store/string_pool.h"

struct import;
struct packet;

/* A value on a counter track whose type has one dimension, a string. */
struct counter_kind {
    const char *type, *dimension, *unit; /* unit: NULL is none */
};

/* `key` is the dimension, `name` the track's; at the packet's time. */
void counter_push_keyed(struct import *im, const struct packet *p, const struct counter_kind *kind,
                        string_id key, string_id name, double value);

/* A value of a counter that is told more often than it changes: of equal values in a row only the
 * first is kept, and the last once another value follows. Only while tokenizing. */
void counter_push_sparse(struct import *im, int64_t ts, uint32_t track, double value);

/* The row of table `gpu` for a machine's gpu number, made at the first call. */
uint32_t import_ugpu(struct import *im, uint32_t machine, uint32_t gpu);
/* The track of a counter of that gpu; `unit` may be NULL. */
uint32_t gpu_counter_track(struct import *im, uint32_t machine, uint32_t gpu, const char *type,
                           const char *name, const char *unit);

#endif
