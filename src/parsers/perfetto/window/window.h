/* Cutting a window out of a Perfetto trace.
 *
 * Three walks over the packets: when is what (scan_times), what of the time before the window
 * matters in it (scan_state), and writing (scan_write). Packets that only matter for what they
 * leave behind keep their envelope: interned data, defaults, what was lost. Events of the time
 * before that are still felt in the window are told again right before it, a nanosecond each, in
 * the order in which they happened; memory is that of the window, of a number for each packet, and
 * of what is told again. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WINDOW_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WINDOW_H

#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"
#include "parsers/perfetto/packets/modules.h"

/* `format` and `modules` are those of the import. */
struct status perfetto_cut_window(const struct trace_format *format,
                                  const struct packet_modules *modules, struct cut_job *job);

#endif
