/* How far loading is, and whether it shall stop. */
#ifndef TPTUI_PARSERS_INPUT_PROGRESS_H
#define TPTUI_PARSERS_INPUT_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Shared between the thread that loads and the one that shows; all zero to start with. */
struct load_progress {
    atomic_uint_fast64_t done, total; /* bytes of the current phase, of the input file's size */
    atomic_int phase;                 /* enum load_phase */
    atomic_bool cancel;               /* set by anyone; loading stops with STATUS_CANCELLED */
    atomic_bool low;                  /* set by parsers/memory_watch.h: no memory is left */
    const char *memory_root;          /* where it looks for /proc and /sys, for tests; or NULL */
};

enum load_phase { LOAD_READING, LOAD_SORTING, LOAD_FINISHING };

/* For parsers; `p` is NULL where nobody watches. */

/* A phase begins. */
static inline void progress_begin(struct load_progress *p, enum load_phase phase, uint64_t total)
{
    if (!p)
        return;
    atomic_store(&p->phase, phase);
    atomic_store(&p->done, 0);
    atomic_store(&p->total, total);
}

/* False: loading shall stop. */
static inline bool progress_goes_on(const struct load_progress *p)
{
    return !p || (!atomic_load(&p->cancel) && !atomic_load(&p->low));
}

/* Reports how much of the phase is done. False: loading shall stop. */
static inline bool progress_report(struct load_progress *p, uint64_t done)
{
    if (p)
        atomic_store(&p->done, done);
    return progress_goes_on(p);
}

/* The error of a load that was stopped; `name` is the file's. */
static inline struct status progress_cancelled(const char *name)
{
    return status_error(STATUS_CANCELLED, "%s: loading was cancelled", name);
}

#endif
