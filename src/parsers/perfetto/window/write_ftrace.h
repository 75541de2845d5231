/* Bundles of ftrace events of a window, with the scheduling state of its begin. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_FTRACE_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_FTRACE_H

#include "parsers/perfetto/window/write_packet.h"

/* Writes what is in the window of a packet's bundle, and what is told again; before the first
 * bundle who runs and waits when the window begins. */
void window_put_bundle(struct window_write *w, const struct packet *p);

#endif
