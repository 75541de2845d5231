/* A flight recorder: a ring of the last seconds, which is written when something happens. */
#ifndef TPTUI_RECORD_FLIGHT_H
#define TPTUI_RECORD_FLIGHT_H

#include "record/source.h"
#include "record/trigger.h"

struct record_flight {
    VEC(struct record_trigger) triggers;
    struct record_check check;
    int64_t check_due_ns, stretch_due_ns, shown_due_ns; /* of clock_now_ns() */
    uint64_t asked_until;                               /* BOOTTIME ns */
    unsigned written;                                   /* files */
    bool wanted;                                        /* a signal asks for a file */
};

struct status record_flight_begin(struct recorder *r, struct record_flight *f);
/* Whether a new stretch of the ring is to begin, which has begun then: what later packets refer to
 * must be told again. */
bool record_flight_stretch(struct recorder *r, struct record_flight *f, int64_t now);
/* Asks triggers and writes files, where it is time. All that was recorded is in the ring. */
void record_flight_look(struct recorder *r, struct record_flight *f, int64_t now);
void record_flight_end(struct record_flight *f);

#endif
