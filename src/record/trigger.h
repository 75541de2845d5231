/* When a ring is written by itself: conditions on what was recorded in the last seconds. */
#ifndef TPTUI_RECORD_TRIGGER_H
#define TPTUI_RECORD_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/vec.h"
#include "parsers/input/bytes.h"

struct alerts;

struct record_trigger {
    const char *text; /* as the user wrote it */
    char *sql;        /* SELECT of ts, dur, name; owned */
};

/* "sched_wait > 50ms", the name of an alert's rule, or a SELECT of ts, dur and name. */
struct status record_trigger_read(const char *text, const struct alerts *alerts,
                                  struct record_trigger *out);
void record_trigger_release(struct record_trigger *t);

/* The names that comparisons know; false behind the last one. */
bool record_measure_at(size_t index, const char **name, const char **about);

/* What is asked, by a process beside the one that records. */
struct record_check {
    pid_t pid;  /* 0: none */
    int answer; /* what it has to say */
    /* Only what ends behind the first time counts, or has not ended and begins behind the second:
     * what did before is in a file already. BOOTTIME ns. */
    uint64_t since, open_since;
};

/* Begins to ask all triggers of a trace. The bytes are those of this moment. */
void record_check_begin(struct record_check *c, const struct record_trigger *triggers, size_t count,
                        const struct alerts *alerts, struct bytes trace);
/* Whether it has ended, and one was met: then `line` (an array) says which and by what. */
bool record_check_take(struct record_check *c, char *line, size_t size);
/* Ends it in any case. */
void record_check_cancel(struct record_check *c);

#endif
