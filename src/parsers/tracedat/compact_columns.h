/* Switches and wakeups of a cpu as columns, CompactSched: a few bytes each. The previous thread of
 * a switch is not told: it is the next one of the switch before. */
#ifndef TPTUI_PARSERS_TRACEDAT_COMPACT_COLUMNS_H
#define TPTUI_PARSERS_TRACEDAT_COMPACT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/input/event_format.h"
#include "parsers/proto/write.h"
#include "parsers/input/bytes.h"

enum { COMPACT_COMMS = 256, COMPACT_COMM_BYTES = 16 };

/* Where sched_switch and sched_waking have their fields; an id of 0: there is no such event, or
 * not as it is expected. */
struct compact_formats {
    uint16_t switch_id, waking_id;
    struct {
        uint16_t prev_pid, prev_state, next_comm, next_pid, next_prio, bytes;
        bool long_state;
    } to;
    struct {
        uint16_t comm, pid, prio, target_cpu, bytes;
    } waking;
};

/* Of what a bundle has had: the place in its table, where the name is known by its bytes. */
struct compact_comm {
    uint64_t name[2];
    uint32_t generation, index;
};

struct compact_columns {
    struct compact_formats formats;
    struct pb_bytes switch_ts, switch_state, switch_pid, switch_prio, switch_comm;
    struct pb_bytes waking_ts, waking_pid, waking_cpu, waking_prio, waking_comm, waking_flags;
    struct pb_bytes names, message;
    struct compact_comm comms[COMPACT_COMMS];
    uint32_t generation, name_count;
    uint64_t last_switch, last_waking; /* times, of which the columns have differences */
};

/* Notes the format where it is of one of the two. */
void compact_formats_add(struct compact_formats *f, const struct event_format *format);

/* What a cpu runs, as its last switch says; -1: not known. */
struct compact_cpu {
    int32_t running;
};

/* Takes the event (of this machine's order of bytes) into the columns. False where it is none of
 * the two, or of another thread than the last switch was to: that has to be told whole. */
bool compact_columns_take(struct compact_columns *c, struct compact_cpu *cpu, uint64_t ts,
                          struct bytes event);
/* Appends what was taken to a bundle, and forgets it. */
void compact_columns_put(struct compact_columns *c, struct pb_bytes *bundle);
void compact_columns_release(struct compact_columns *c);

#endif
