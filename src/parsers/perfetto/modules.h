/* What the table of packet modules refers to, one line a subject's file. A tokenize returns true
 * where the packet is done with; see struct packet_module. */
#ifndef TPTUI_PARSERS_PERFETTO_MODULES_H
#define TPTUI_PARSERS_PERFETTO_MODULES_H

#include "parsers/perfetto/import.h"

/* clock_snapshot.c */
bool clock_snapshot_tokenize(struct import *im, struct packet *p);

#endif
