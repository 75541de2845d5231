/* What the kernel prints of an event, as the fields of its message in FtraceEvent: so that text has
 * the same args and goes to the same handlers as what was recorded in binary.
 *
 * Most events print "field=value", "field = value," or "field value"; those that print otherwise
 * are listed in event_forms.h. */
#ifndef TPTUI_PARSERS_TRACEFS_EVENT_TEXT_H
#define TPTUI_PARSERS_TRACEFS_EVENT_TEXT_H

#include "core/store/string_pool.h"
#include "parsers/proto/write.h"

struct event_text;

/* The kind of event with that name; NULL where FtraceEvent has none. */
struct event_text *event_text_new(struct str name);
void event_text_free(struct event_text *e); /* takes NULL */

/* Its field number in FtraceEvent. */
uint32_t event_text_event(const struct event_text *e);

/* Appends the message that `text` describes to `out`: what it does not tell is not there. Names of
 * kernel functions become ids of `strings`. */
void event_text_encode(struct event_text *e, struct str text, struct string_pool *strings,
                       struct pb_bytes *out);

/* A number as the kernel prints it: decimal with or without a sign, hexadecimal where it starts
 * with 0x, holds a letter, or is as long as an address; a unit or comma behind it is not read. */
bool event_text_number(struct str text, int64_t *out);

#endif
