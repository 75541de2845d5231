/* Third step of cutting a window out of a trace: writes what is in it, what is about the whole
 * trace, and what is told again. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_H

#include "parsers/input/trace_cut.h"
#include "parsers/perfetto/window/scan.h"

/* Walks the packets once more, and writes to `out`. Errors name the trace. */
struct status scan_write(struct window_scan *w, struct cut_output *out);

/* Packets of a writer of their own that say so often that packets in front of them were lost. */
void scan_write_losses(struct cut_output *out, uint64_t losses);

#endif
