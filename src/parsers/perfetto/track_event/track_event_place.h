/* Where a track event happens: whose it is, and on which track. Both follow from its own track,
 * from the descriptors of its sequence, and, for legacy events, from its phase, id, pid and tid. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PLACE_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PLACE_H

#include "parsers/perfetto/track_event/track_event_read.h"

struct event_thread {
    int64_t pid, tid;
};

/* The thread that an event without a track is of: its sequence's, or that of the pid and tid that
 * it carries itself. False where there is none. */
bool track_event_thread_of(const struct track_event *event, struct event_thread *out);

/* Whether an instant is its process' or of the whole trace, whoever told it. */
bool track_event_leaves_thread(const struct track_event *event);

/* Catapult's rule: ids of old async events with different names are apart, but where they say a
 * scope; those of nestable ones in different categories are, always. */
bool track_event_id_is_by_name(const struct track_event *event);

/* Fills in the event's thread and process. False where what it says of them cannot be. */
bool track_event_associate(struct import *im, struct track_event *event);

/* What the event does on its track: where several of its events may overlap, those that begin and
 * end each have a track of their own. */
enum track_use { USE_BEGIN, USE_END, USE_INSTANT, USE_SINGLE };

/* The track that an associated event happens on; NULL_U32 where there is none. */
uint32_t track_event_track_of(struct import *im, struct track_event *event, enum track_use use);

#endif
