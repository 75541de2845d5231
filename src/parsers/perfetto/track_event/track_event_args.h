/* The args of a track event: typed messages and debug annotations by reflection, and what stands in
 * interned data: source locations, log messages, names of histograms. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_ARGS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_ARGS_H

#include "parsers/perfetto/track_event/track_event_read.h"

struct arg_list;

/* Appends the args of an associated event; nothing where `out` is NULL. What cannot be read of them
 * is counted. */
void track_event_add_args(struct import *im, const struct track_event *event, struct arg_list *out);
/* Frees what the calls above keep in im->track_event->reflect. */
void track_event_reflect_release(struct import *im);

#endif
