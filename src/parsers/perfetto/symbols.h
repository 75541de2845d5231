/* Names that come after the fact: symbols of addresses, and what an obfuscated name stood for. */
#ifndef TPTUI_PARSERS_PERFETTO_SYMBOLS_H
#define TPTUI_PARSERS_PERFETTO_SYMBOLS_H

#include "parsers/perfetto/import.h"

/* Tells of a new row of stack_profile_frame, whose name may be obfuscated. */
void deobfuscation_add_frame(struct import *im, uint32_t frame);

/* The function at an address of a mapping, as the trace's symbols tell it: while parsing, all of
 * them are known. `p` is NULL where there is none. */
struct str module_symbols_find(struct import *im, uint32_t mapping, uint64_t rel_pc);

/* What a class's obfuscated name stands for, likewise; NULL_STRING where no mapping tells. */
string_id deobfuscated_class(struct import *im, string_id name);

bool module_symbols_tokenize(struct import *im, struct packet *p);
bool deobfuscation_mapping_tokenize(struct import *im, struct packet *p);

#endif
