/* Who handles which payload of a packet. A file that handles packets exports one const table with a
 * row for each field of TracePacket that it takes; parsers/perfetto/perfetto.c lists and declares
 * the tables, so that a file needs no header for its own. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/input/selection.h"

struct import;
struct packet;
struct pb_bytes;
struct pb_field;

/* What is felt of a packet, for who cuts a window out of a trace. */
enum packet_felt {
    PACKET_UNSAID, /* no row may leave it out: tests/test_ftrace_felt.c */
    PACKET_MOMENT, /* nothing, behind its time */
    PACKET_ALWAYS, /* it is about the whole trace */
    PACKET_AHEAD,  /* the same; what comes before the window is told again in its turn */
    PACKET_EACH,   /* an event from which later ones go on: each is told again in its turn */
    PACKET_LAST,   /* values: those that hold when the window begins */
    PACKET_SPAN,   /* what it tells lasts, or happens at several times: `span` */
    PACKET_DONE,   /* what it would do is done once it was read */
    PACKET_PARTS,  /* `part` has times of its own; nothing, behind them, but what `say` says */
    /* Of their own kind: perfetto/window/. */
    PACKET_FTRACE,
    PACKET_TRACK_EVENT,
    PACKET_SAMPLES, /* from its time on, each some time after the one before */
};

/* Trace times, both included. */
struct packet_span {
    int64_t first, last;
};

/* For who says what is felt of the parts of a packet. Where one of them is needed, the packet is
 * there at its own time; of PACKET_PARTS, with those that are needed or in the window. */
struct packet_felt_sink {
    struct selection *selection;
    int64_t from;    /* of the window: parts behind it are not felt */
    int64_t to;      /* likewise */
    uint64_t number; /* the packet's */
    uint32_t part;   /* of PACKET_PARTS: packet_part; else 0 */
};

/* Which part it is, from 1 to PACKET_PARTS_MAX; `goes_on`: what it begins is needed, too. */
static inline uint32_t packet_part(uint32_t nth, bool goes_on)
{
    return nth << 1 | goes_on;
}

enum { PACKET_PARTS_MAX = (1 << (ITEM_PART_BITS - 1)) - 1 };

void packet_felt_last(struct packet_felt_sink *out, int64_t ts, uint64_t key);
/* What is known of all of the trace once it was told, whenever that is: the last one before the
 * window, and the first one behind it. */
void packet_felt_anywhere(struct packet_felt_sink *out, int64_t ts, uint64_t key);
void packet_felt_mark(struct packet_felt_sink *out, enum mark_kind kind, int64_t ts, uint64_t key);
/* The same of a packet that has no other parts: it is told again right before the window. */
void packet_felt_again(struct packet_felt_sink *out, enum mark_kind kind, int64_t ts, uint64_t key);
/* Begins something of the key, or ends it: the end of what goes on behind the window is needed. */
void packet_felt_crossing(struct packet_felt_sink *out, int64_t ts, uint64_t key, bool begins);

/* Where nothing is known yet, `span` is {INT64_MAX, INT64_MIN}. */
void packet_span_add(struct packet_span *span, int64_t ts);
/* Of a packet that is about the `dur` ns from its time on. False where that is not known. */
bool packet_span_lasting(const struct packet *p, int64_t dur, struct packet_span *out);

/* Whether others mean something else without it: then it is done by who only looks at packets,
 * too. */
enum packet_tells {
    TELLS_NOTHING,
    TELLS_TIMES,  /* when others happened, and whether they count: by who asks for that */
    TELLS_MEANING /* what those behind it are: in each walk over the packets */
};

enum { PACKET_WHOSE = 2 };

/* At least one of the functions is there. A row of zeros ends a table. */
struct packet_module {
    uint32_t field; /* TracePacket field number */
    /* Called while reading, in file order. True: done, false: call `parse` in its turn. */
    bool (*tokenize)(struct import *im, struct packet *p);
    /* Called in time order. */
    void (*parse)(struct import *im, const struct packet *p);
    enum packet_felt felt;
    enum packet_tells tells; /* by `tokenize`, or of TELLS_TIMES by `parse` where it has none */
    bool tells_changes;      /* of PACKET_LAST: the one before it is needed, too */
    bool looks_back;         /* the next one tells the values that hold when this one is */
    uint32_t
        whose[PACKET_WHOSE]; /* of PACKET_LAST: fields that say what those beside them are of */
    uint32_t describes;      /* a field that describes the values of later packets, too */
    uint32_t state;          /* a field that later packets of the sequence refer to */
    uint32_t part;           /* of PACKET_PARTS: the field */
    uint32_t of_parts;       /* likewise: a field that means nothing without them */
    bool (*part_time)(struct import *im, const struct packet *p, const struct pb_field *part,
                      int64_t *ts); /* false: not known */
    /* Writes a part that is needed outside of the window, in its place; `goes_on`: also by what it
     * begins. NULL: as it stands. */
    void (*put_part)(const struct pb_field *part, bool goes_on, struct pb_bytes *out);
    /* When it happens, where that is not the packet's time; false: not known. Called once for each
     * packet in file order; of PACKET_SPAN, as often as one likes. */
    bool (*span)(struct import *im, const struct packet *p, struct packet_span *out);
    /* What of it is felt after its time; NULL: nothing but what `felt` says. Nothing was tokenized,
     * and there is no interned data. */
    void (*say)(struct import *im, const struct packet *p, struct packet_felt_sink *out);
};

/* The rows of all tables by field number. */
struct packet_modules {
    const struct packet_module **by_field;
    uint32_t count;
};

/* `tables` ends with NULL. No field stands in two tables. */
struct packet_modules packet_modules_index(const struct packet_module *const *tables);
void packet_modules_release(struct packet_modules *m);

/* The row of a field, or NULL. */
static inline const struct packet_module *packet_modules_find(const struct packet_modules *m,
                                                              uint32_t field)
{
    return field < m->count ? m->by_field[field] : NULL;
}

/* What is felt of packets with that payload; 0: none. */
static inline enum packet_felt packet_felt_of(const struct packet_modules *m, uint32_t field)
{
    const struct packet_module *row = packet_modules_find(m, field);
    return row ? row->felt : field ? PACKET_MOMENT : PACKET_ALWAYS;
}

#endif
