/* A CPU's clock as an event of perf, and the ring that its records are in. */
#ifndef TPTUI_RECORD_PERF_OPEN_H
#define TPTUI_RECORD_PERF_OPEN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/byte_list.h"

/* How often is sampled where nothing is said: a prime, not in step with what happens by timers. */
enum { USUAL_HZ = 199 };

struct perf_ring {
    int fd;
    void *map;    /* a page that tells, then the records */
    size_t bytes; /* of these */
};

/* What is sampled. */
struct perf_wish {
    pid_t command; /* 0: there is none */
    uint64_t hz;
    uint64_t
        registers; /* of user space, bits of perf_regs.h, with as much of its stack; 0: none, */
    uint32_t stack_bytes; /* but its callers by frame pointers */
};

/* An errno, or 0. Of all processes where that is allowed, else of the command and what it makes. */
int perf_ring_open(struct perf_ring *ring, int cpu, const struct perf_wish *wish);
void perf_ring_close(struct perf_ring *ring);
/* Appends the records that are there, whole ones, and frees their place. */
void perf_ring_take(struct perf_ring *ring, struct byte_list *out);

#endif
