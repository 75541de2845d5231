/* The trace file as it is written: packets on sequences, deflated in batches where that is wanted.
 */
#ifndef TPTUI_GEN_OUT_H
#define TPTUI_GEN_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto.h"

/* Sequences that are not those of a thread; threads' follow. */
enum {
    SEQUENCE_SERVICE = 1, /* the tracing service itself */
    SEQUENCE_FTRACE,
    SEQUENCE_PROCESS_STATS,
    SEQUENCE_SYS_STATS,
    SEQUENCE_LOG,
    SEQUENCE_PACKAGES,
    SEQUENCE_FRAMES,
    SEQUENCE_POWER,
    SEQUENCE_THREADS
};

struct out {
    FILE *file;
    struct proto packet; /* a Trace message holding the packet being written */
    struct proto batch;  /* packets that wait to be compressed */
    bool compress;
    bool failed; /* a write failed; errno of then in `error` */
    int error;
    uint64_t bytes; /* written to the file so far */
};

/* `file` stays the caller's. */
void out_init(struct out *o, FILE *file, bool compress);
/* Writes what is pending and frees the memory. */
void out_release(struct out *o);

/* The content of a TracePacket goes into what this returns, until out_end. */
struct proto *out_begin(struct out *o);
void out_end(struct out *o, uint32_t sequence, int uid, int pid);

#endif
