/* Counters that packets of several kinds have: with one dimension, with few changes, of a gpu. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_COUNTERS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_COUNTERS_H

#include <stdint.h>

#include "core/string_pool.h"

struct import;
struct packet;

/* A value on a counter track whose type has one dimension, a string. */
struct counter_kind {
    const char *type, *dimension, *unit; /* unit: NULL is none */
};

void counter_push_keyed(struct import *im, const struct packet *p, const struct counter_kind *kind,
                        string_id key, string_id name, double value);

/* While tokenizing: of a run of equal values only the first counts, and the last where another
 * value follows. */
void counter_push_sparse(struct import *im, int64_t ts, uint32_t track, double value);

/* The row of `gpu` for a machine's gpu number. */
uint32_t import_ugpu(struct import *im, uint32_t machine, uint32_t gpu);
/* A counter of that gpu; `unit` may be NULL. */
uint32_t gpu_counter_track(struct import *im, uint32_t machine, uint32_t gpu, const char *type,
                           const char *name, const char *unit);

#endif
