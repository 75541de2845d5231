/* Where a track event happens: whose it is, and on which track. Both follow from its own track,
 * from the descriptors of its sequence, and, for legacy events, from its phase, id, pid and tid. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PLACE_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PLACE_H

#include "parsers/perfetto/track_event/track_event_read.h"

/* Fills in the event's thread and process. False where what it says of them cannot be. */
bool track_event_associate(struct import *im, struct track_event *event);

/* What the event does on its track: where several of its events may overlap, those that begin and
 * end each have a track of their own. */
enum track_use { USE_BEGIN, USE_END, USE_INSTANT, USE_SINGLE };

/* The track that an associated event happens on; NULL_U32 where there is none. */
uint32_t track_event_track_of(struct import *im, struct track_event *event, enum track_use use);

#endif
