/* Reads one event of a JSON trace, and keeps it as a record until its turn. */
#ifndef TPTUI_PARSERS_JSON_EVENT_H
#define TPTUI_PARSERS_JSON_EVENT_H

#include <stdbool.h>

#include "base/str.h"

struct json_import;

/* Reads the members of an event behind its '{', up to behind its '}', and keeps it. False where it
 * is malformed or runs out of the window: then nothing was kept. */
bool json_event_read(struct json_import *im);
/* Reads an element of the member "samples" likewise: its members are those of an event of phase P.
 */
void json_event_read_sample(struct json_import *im, struct str object);

#endif
