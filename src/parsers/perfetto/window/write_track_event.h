/* Track events of a window. Their times, thread times and counters may be differences: what those
 * that are left out would have added goes to the next that is kept. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_TRACK_EVENT_H

#include "parsers/perfetto/window/write_packet.h"

/* An event of time `ts` (ns): in the window, or as far as it is felt there. */
void window_put_event(struct window_write *w, const struct packet *p, int64_t ts);

/* Samples (StreamingProfilePacket) from `ts` (ns) on. Where none of them is in the window they are
 * left out, and move the time of their sequence on all the same. */
void window_put_samples(struct window_write *w, const struct packet *p, int64_t ts);

#endif
