/* The callstacks in which slices begin and end. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_CALLSTACKS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_CALLSTACKS_H

#include "parsers/perfetto/track_event/track_event_read.h"

/* The event's callstack, if any, is where the slice begins or ends. */
void track_event_add_callstack(struct import *im, const struct track_event *event, uint32_t slice,
                               bool ends);

#endif
