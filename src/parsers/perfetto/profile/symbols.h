/* Symbols of addresses that the trace brings after the fact. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_SYMBOLS_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_SYMBOLS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module symbols_packets[];

/* The function at an address of a mapping (a row of stack_profile_mapping), as the trace's symbols
 * tell it; `p` is NULL where they do not. Not while tokenizing, when symbols may still come. */
struct str module_symbols_find(struct import *im, uint32_t mapping, uint64_t rel_pc);

#endif
