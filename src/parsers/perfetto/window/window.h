/* Cutting a window out of a Perfetto trace.
 *
 * Three walks over the packets: when is what (scan_times), what of the time before the window
 * matters in it (scan_state), and writing (scan_write). Packets that only matter for what they
 * leave behind keep their envelope: interned data, defaults, what was lost. Events of the time
 * before that are still felt in the window are told again right before it, a nanosecond each, in
 * the order in which they happened; memory is that of the window, of a number for each packet, and
 * of what is told again.
 *
 * What is felt stands beside what does it: of packets in the rows of their modules
 * (packets/modules.h), of ftrace's events in those of their handlers (ftrace/ftrace_felt.h), of
 * track events beside their phases and types (track_event/track_event_phases.h), which are read by
 * the importer's readers. The sets that the importer keeps tracks of old async events in
 * (core/track_set.h) are followed, and when slices end is asked where core/slice_tracker.c asks.
 * No event of ftrace is named here. Of flows the window has those that it goes on with. Events of
 * ftrace are told again in BOOTTIME, as a clock of the kernel's is only related to it from bundle
 * to bundle; differences (clocks, counters) become absolute, or go to the next that is kept.
 *
 * Tests refuse rows, phases, types and readers without it, and cutters that name an event
 * (tests/check_layers.py), and compare windows of random events of every module with the whole. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WINDOW_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WINDOW_H

#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"
#include "parsers/perfetto/packets/modules.h"

/* `format` and `modules` are those of the import. */
struct status perfetto_cut_window(const struct trace_format *format,
                                  const struct packet_modules *modules, struct cut_job *job);

#endif
