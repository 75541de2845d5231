/* Translation tables that a trace carries for what was hashed or renamed while it was recorded. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRANSLATION_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRANSLATION_H

#include <stddef.h>

#include "base/map.h"
#include "core/store/args.h"
#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module translation_packets[];

enum translation_hash {
    HASH_HISTOGRAM,
    HASH_USER_EVENT,
    HASH_MARK_SITE,
    HASH_MARK,
    HASH_STUDY,
    HASH_TABLES
};

struct translations {
    struct map hashes[HASH_TABLES];              /* hash -> string_id */
    struct map slice_names, process_track_names; /* string_id -> string_id */
};

void translations_release(struct translations *tr);

/* The readable name, or the same one where no table has it. */
string_id translate_slice_name(struct import *im, string_id name);
string_id translate_process_track_name(struct import *im, string_id name);

/* Adds the readable names of hashes among the args from `from` on, as args of their own. */
void translate_args(struct import *im, struct arg_list *args, size_t from);

#endif
