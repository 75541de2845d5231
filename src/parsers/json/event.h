/* Reads one event of a JSON trace, and keeps it as a record until its turn. */
#ifndef TPTUI_PARSERS_JSON_EVENT_H
#define TPTUI_PARSERS_JSON_EVENT_H

#include <stdbool.h>

struct json_import;
struct json_frame_sample;

/* Reads the members of an event behind its '{', up to behind its '}', and keeps it. False where it
 * is malformed or runs out of the window: then nothing was kept. */
bool json_event_read(struct json_import *im);
/* Keeps a sample that stands outside of the list of events. */
void json_event_add_sample(struct json_import *im, const struct json_frame_sample *sample);

#endif
