/* Compressed packets of a trace that lies in memory, inflated by another thread before the one that
 * reads the packets comes to them. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_INFLATE_AHEAD_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_INFLATE_AHEAD_H

#include <stdbool.h>

#include "parsers/input/bytes.h"

struct inflate_ahead;

/* Of the packets in `trace`, which begin and end there and last until inflate_ahead_end. NULL where
 * there is no second thread, or they are few. */
struct inflate_ahead *inflate_ahead_start(struct bytes trace);

/* What the whole of a compressed packet's payload became. Packets are asked for in the order of the
 * trace, each once. False where it is not known: it is damaged, or becomes a lot. `out` lasts until
 * the end. */
bool inflate_ahead_take(struct inflate_ahead *a, struct bytes packed, struct bytes *out);

void inflate_ahead_end(struct inflate_ahead *a); /* takes NULL */

#endif
