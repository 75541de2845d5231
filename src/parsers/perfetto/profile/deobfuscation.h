/* What the obfuscated names of Android apps stand for: of methods in callstacks, of classes and
 * fields in heap dumps, of views. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_DEOBFUSCATION_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_DEOBFUSCATION_H

#include "core/store/string_pool.h"
#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module deobfuscation_packets[];

/* What a class's obfuscated name stands for, in whichever app; NULL_STRING where no mapping tells.
 * Not while tokenizing, when mappings may still come. */
string_id deobfuscated_class(struct import *im, string_id name);

/* Notes the mappings, which give names once all files of the trace are read. */
void deobfuscation_finish(struct import *im);

#endif
