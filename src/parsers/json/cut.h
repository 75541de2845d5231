/* Cutting a window out of a Chrome JSON trace: its events are filtered, all else is kept.
 *
 * The steps are those of perfetto/window/window.h. What is felt of an event stands beside how it
 * is kept and applied (phases.h); slices that are open, of threads as of async ids, are followed
 * by open_slices.h, last values by cut_counters.h. Of flows a step more says which links are left
 * out (cut_flows.h); of V8's profiles one more which nodes the samples need (cut_profiles.h). The
 * first step notes when the events of each few thousand are, so that the others pass those that do
 * not matter (cut_chunks.h). */
#ifndef TPTUI_PARSERS_JSON_CUT_H
#define TPTUI_PARSERS_JSON_CUT_H

#include "parsers/input/trace_cut.h"

/* As trace_format.cut. */
struct status json_cut(struct cut_job *job);

#endif
