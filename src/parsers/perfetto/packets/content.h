/* How many bytes of the trace each kind of message takes, for who asks for that
 * (import_options.measure_content): experimental_proto_path and experimental_proto_content. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_CONTENT_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_CONTENT_H

#include <stdint.h>

#include "core/store/string_pool.h"
#include "parsers/input/bytes.h"

struct import;
struct packet;

/* Of each kind the fields are counted apart, of events those of each category and name. */
enum content_kind { CONTENT_PACKET, CONTENT_SKIPPED, CONTENT_EVENT };

/* Each of these does nothing where it was not asked for. */

/* Counts a packet of a kind other than CONTENT_EVENT. */
void content_measure(struct import *im, enum content_kind kind, struct bytes packet);
/* Remembers the packet of an event whose category and name are known in its turn: `event` tells it
 * from others. */
void content_note_event(struct import *im, uint64_t event, struct bytes packet);
/* Counts it. */
void content_measure_event(struct import *im, uint64_t event, string_id category, string_id name);

#endif
