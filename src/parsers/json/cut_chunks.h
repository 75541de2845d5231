/* Where the events of a JSON trace stand that are next to each other, and when they are, so that
 * who walks over it again passes those that do not matter. */
#ifndef TPTUI_PARSERS_JSON_CUT_CHUNKS_H
#define TPTUI_PARSERS_JSON_CUT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct json_cut_chunk {
    size_t begin, end; /* in the input */
    uint64_t number;   /* of the first event */
    uint64_t count;    /* of events, malformed ones too */
    bool has_all;      /* one of them is about the whole trace */
    bool has_time;     /* some have times that matter: */
    int64_t first, last;
};

struct json_cut_chunks {
    VEC(struct json_cut_chunk) v;
    size_t next; /* of a walk that passes some; 0 at its begin */
};

/* In the first walk: before each event of a list, and at the end of the list. `at` is in the input,
 * `number` of the event. */
void json_cut_chunks_note(struct json_cut_chunks *c, size_t at, uint64_t number, bool begins_list);
/* Then what is in it. */
void json_cut_chunks_add_all(struct json_cut_chunks *c);
void json_cut_chunks_add_time(struct json_cut_chunks *c, int64_t ts);

/* In a later one, at the same places: the chunk that begins there, or NULL. Each comes once. */
const struct json_cut_chunk *json_cut_chunks_at(struct json_cut_chunks *c, size_t at);

void json_cut_chunks_release(struct json_cut_chunks *c);

#endif
