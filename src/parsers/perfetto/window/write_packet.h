/* Packets of a window: their envelopes and times, and how they leave. Times are ns of the trace
 * clock. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_PACKET_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_WRITE_PACKET_H

#include "base/map.h"
#include "base/vec.h"
#include "parsers/input/trace_cut.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/proto/write.h"

/* What the dropped events of a sequence would have added up to since its times and counts begin. */
struct dropped_deltas {
    uint32_t begun; /* as in struct track_event_sequence */
    int64_t timestamp_us, thread_time_us, instructions;
};

struct dropped_counter {
    int64_t whole;
    double real;
};

/* What the step of writing remembers from packet to packet. */
struct window_write {
    struct window_scan *scan;
    struct import *im; /* of this walk */
    struct cut_output *out;
    struct pb_bytes packet, payload, inner; /* scratch */
    struct pb_bytes told;                   /* events of the bundle that are told again */
    struct map written_cpus;                /* machine << 32 | cpu */
    struct map told_machines;               /* whose scheduling and processes are written */
    struct map sequences;                   /* machine << 32 | id -> index */
    VEC(struct dropped_deltas) deltas;
    struct map counters; /* hash of track, sequence and how often its state was cleared -> index */
    VEC(struct dropped_counter) counter_list;
};

/* The time at which a part of the packet is told again; false: it is not. */
static inline bool window_told_at(const struct window_scan *s, const struct packet *p,
                                  uint32_t part, int64_t *ts)
{
    return retelling_at(&s->told, item_number(p->number, part), ts);
}

/* Whether anything of the packet is told again. */
static inline bool window_is_told(const struct window_scan *s, const struct packet *p)
{
    return retelling_has(&s->told, item_number(p->number, 0), item_number(p->number + 1, 0));
}

static inline bool window_has(const struct window_scan *s, int64_t ts)
{
    return ts >= s->from && ts < s->to;
}

/* These append to w->packet. */

/* The packet's own time, `ts`. Clocks that count differences would be wrong where packets are
 * missing: it is an absolute one then. */
void window_put_time(struct window_write *w, const struct packet *p, int64_t ts);
/* Another time, in the packet's clock where that can be. */
void window_put_new_time(struct window_write *w, const struct packet *p, int64_t ts);
/* A trace time, so that reading it needs nothing but clocks that every packet can name. */
void window_put_absolute_time(struct window_write *w, uint32_t machine, int64_t ts);
/* The fields of the envelope but time and payload. Returns whether one of them is worth a packet.
 */
bool window_put_envelope(struct window_write *w, const struct packet *p);
/* Which sequence of which machine a packet is of. */
void window_put_stream(struct window_write *w, bool has_sequence, uint32_t sequence,
                       uint64_t raw_machine);

/* Writes what is in w->packet, which is empty then. */
void window_put_frame(struct window_write *w);

/* These write a packet; w->packet is empty before and after. */

/* As it stands in the file. */
void window_put_whole(struct window_write *w, const struct packet *p);
/* With another time. */
void window_put_at(struct window_write *w, const struct packet *p, int64_t ts);
/* At its own time, `ts`. */
void window_put_in_window(struct window_write *w, const struct packet *p, int64_t ts);
/* Only what later packets of the sequence need: no packet where that is nothing. */
void window_put_rest(struct window_write *w, const struct packet *p);

#endif
