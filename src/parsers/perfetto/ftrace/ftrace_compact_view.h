/* The columns of compact scheduling events as rows, and back. Times are those of the bundle. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_COMPACT_VIEW_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_COMPACT_VIEW_H

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/bytes.h"
#include "parsers/proto/write.h"

struct compact_switch {
    int64_t ts, prev_state;
    int32_t pid, prio;
    uint32_t comm; /* index in `comms` */
};

struct compact_waking {
    int64_t ts;
    int32_t pid, target_cpu, prio;
    uint32_t comm, flags;
};

struct compact_sched_view {
    VEC(struct str) comms; /* in the message that was read */
    VEC(struct compact_switch) switches;
    VEC(struct compact_waking) wakings;
    int broken; /* of both, how many lists have columns that end apart */
};

/* Reads up to the first row that is not whole. */
void compact_sched_read(struct bytes message, struct compact_sched_view *out);
void compact_sched_release(struct compact_sched_view *c);

/* The message with these rows. False where there are none. */
bool compact_sched_write(const struct compact_sched_view *c, struct pb_bytes *out);

#endif
