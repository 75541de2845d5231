/* Events of the kernel's own tracing: pages of the ring buffers of an instance, taken cpu by cpu,
 * become bundles. */
#ifndef TPTUI_RECORD_FTRACE_H
#define TPTUI_RECORD_FTRACE_H

#include <poll.h>
#include <stdbool.h>

#include "record/source.h"

/* Begins with the events that these sources and patterns name. What is not there was said. */
struct status record_ftrace_begin(struct recorder *r, const struct chosen_source *sources,
                                  size_t source_count, const char *const *patterns,
                                  size_t pattern_count);
/* Takes what is there. */
void record_ftrace_drain(struct recorder *r);
/* Tells again what bundles refer to. */
void record_ftrace_again(struct recorder *r);
/* Takes the rest and removes the instance; returns how many events the kernel had no room for. */
uint64_t record_ftrace_end(struct recorder *r);

/* Appends what to wait for: a buffer that fills up. */
struct record_polled {
    VEC(struct pollfd) v;
};
void record_ftrace_add_polled(const struct recorder *r, struct record_polled *p);

/* Events that are enabled, "system:name", for the configuration that the trace tells. */
size_t record_ftrace_event_count(const struct record_ftrace *f);
const char *record_ftrace_event(const struct record_ftrace *f, size_t index);

#endif
