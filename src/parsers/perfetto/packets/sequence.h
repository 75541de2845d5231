/* Packet sequences: what a writer's packets have in common between two clears of its state, namely
 * interned data and defaults. Used by reader.c; modules see struct interned_generation. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_SEQUENCE_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_SEQUENCE_H

#include "parsers/perfetto/packets/import.h"

/* The sequence of that id; made without valid state where it is new. Lives as long as the import.
 */
struct packet_sequence *sequence_intern(struct import *im, uint32_t machine, uint32_t id);

/* The state was cleared: a new, empty and valid generation. */
void sequence_clear(struct import *im, struct packet_sequence *seq);
/* Packets were lost: the state is not valid until it is cleared. */
void sequence_lose(struct packet_sequence *seq);
/* TracePacketDefaults, which must last as long as the import. */
void sequence_set_defaults(struct import *im, struct packet_sequence *seq, struct bytes defaults);
/* InternedData; likewise. */
void sequence_intern_data(struct import *im, struct packet_sequence *seq, struct bytes data);

void sequences_release(struct import *im);

#endif
