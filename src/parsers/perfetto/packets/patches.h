/* Packets that only say what changed: the trace carries programs (`protovms`) that apply them to a
 * state, for the producers that write so, and the state is what is imported.
 *
 * The programs change a tree of fields (parsers/proto/message_tree.h) right after a packet's
 * envelope was read; all that reads packets sees what they mean. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_PATCHES_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_PATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/input/bytes.h"
#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module patches_packets[];

/* Replaces the packet by the one that it means; false where it is no patch of another, or cannot be
 * applied: then it stays. The new bytes last as long as the import. */
bool patches_apply(struct import *im, uint32_t machine, uint32_t sequence, struct bytes *packet);

void patches_release(struct import *im);

#endif
