/* Track events as the tracing library in an application writes them: a packet sequence a thread,
 * interned names, a clock of its own that counts from event to event, defaults. */
#ifndef TPTUI_GEN_TRACK_EVENT_H
#define TPTUI_GEN_TRACK_EVENT_H

#include "sim.h"

enum annotation {
    ANNOTATION_NONE,
    ANNOTATION_COUNT,   /* a number */
    ANNOTATION_REQUEST, /* a dictionary with text, numbers, a truth value and an array */
    ANNOTATION_SOURCE,  /* an interned text and a pointer */
};

/* A place in the program that writes an event. Known by its address. */
struct event_site {
    const char *category, *name;
    enum annotation annotation;
};

void event_stream_free(struct event_stream *s);

/* A track below the thread's process; returns its uuid. */
uint64_t event_track_add(struct sim *sim, struct sim_thread *t, const char *name);
uint64_t event_counter_add(struct sim *sim, struct sim_thread *t, const char *name,
                           const char *unit);

void event_execute(struct sim *sim, struct sim_thread *t, const struct sim_op *op);

#endif
