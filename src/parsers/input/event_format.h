/* How the kernel lays out the fields of a tracepoint, as tracefs tells in its files `format`:
 *
 *     name: sched_switch
 *     ID: 316
 *     format:
 *             field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *
 *             field:char prev_comm[16];  offset:8;  size:16;  signed:0;
 *             field:__data_loc char[] name;  offset:24;  size:4;  signed:0;
 *     print fmt: ... */
#ifndef TPTUI_PARSERS_INPUT_EVENT_FORMAT_H
#define TPTUI_PARSERS_INPUT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum field_place {
    FIELD_HERE,
    FIELD_LOCATED,        /* __data_loc: 32 bits there tell offset and size of the data */
    FIELD_LOCATED_BEHIND, /* __rel_loc: the same, counted from the end of those 32 bits */
};

struct event_field {
    struct str name, type; /* within the text; the type without the brackets of an array */
    uint32_t offset, size;
    uint32_t count; /* in the brackets; 0: none */
    enum field_place place;
    bool is_signed;
    bool is_array; /* also of what is located elsewhere */
    bool is_text;  /* an array of characters */
};

struct event_format {
    struct str name; /* within the text */
    uint64_t id;
    VEC(struct event_field) fields; /* but those that all events have: common_... */
};

/* Reads a file into `f`, whose fields are replaced. False where it has no name or id. */
bool event_format_read(struct str text, struct event_format *f);
void event_format_release(struct event_format *f);

#endif
