/* What the steps of cutting a window out of a trace share: times of packets, what of the time
 * before matters, and in which order it is told again. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_SCAN_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/status.h"
#include "base/vec.h"
#include "parsers/perfetto/ftrace/ftrace_retime.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/input/retelling.h"
#include "parsers/input/trace_cut.h"
#include "parsers/perfetto/window/track_owners.h"

/* Instead of a packet's time: */
#define PACKET_TIME_UNKNOWN INT64_MIN       /* it cannot be used */
#define PACKET_TIME_NONE    (INT64_MIN + 1) /* it says none */

struct window_scan {
    struct trace *trace; /* clocks */
    const char *name;
    struct bytes input;
    bool mapped; /* see cut_job */
    struct packet_modules modules;
    struct load_progress *progress;

    /* Of the first pass. */
    VEC(int64_t) times;  /* by packet; of a bundle of ftrace events only whether they can be used */
    int64_t first, last; /* of all events; first > last: there are none */
    int64_t first_any, last_any; /* of all packets */
    int64_t zero; /* where the timeline of the whole trace begins, as far as that is known */
    int64_t tracing_started; /* INT64_MIN: not known, or events before count, too */
    bool keeps_old;
    VEC(int64_t) valid_from; /* by machine: see ftrace_import.h */
    struct map seen_cpus;    /* machine << 32 | cpu -> whether it is known who runs there */
    struct track_owners tracks;

    int64_t from, to;
    struct cut_output *out;

    /* Of the second one. */
    struct selection selection;
    struct sched_states sched;
    struct thread_owners owners;
    struct ftrace_retimed *retimed; /* what times of events refer to; NULL: nothing */

    struct retelling told;

    /* Of the third one. */
    struct cut_unread unread; /* what parts of packets could not be read, and so are not written */
};

/* A packet's time, or one of the above. */
static inline int64_t scan_time(const struct window_scan *w, uint64_t packet)
{
    return packet < w->times.count ? w->times.items[packet] : PACKET_TIME_UNKNOWN;
}

/* The packet as it is where packets are imported, at its time as scan_time has it. */
struct packet scan_timed(const struct packet *p, int64_t ts);

/* Walks all packets; `handlers` as in import.h, which find the scan by scan_of. */
struct status scan_walk(struct window_scan *w, const struct import_handlers *handlers);
struct window_scan *scan_of(struct import *im);

/* First pass. */
struct status scan_times(struct window_scan *w);
/* Second pass: selection and sched, then what is told again. */
struct status scan_state(struct window_scan *w);
void scan_release(struct window_scan *w);

/* Whether ftrace events of that machine and time become more than rows of ftrace_event: they do
 * not from before the time from which its buffers are complete. */
bool scan_ftrace_counts(const struct window_scan *w, uint32_t machine, int64_t ts);

/* Does what says what the packets behind it are; to be called in each walk, for each packet that
 * can be used. */
void scan_follow(struct import *im, struct packet *p);

/* A time of a bundle as trace time; PACKET_TIME_UNKNOWN where it cannot be converted. */
int64_t scan_bundle_time(struct bundle_context *b, int64_t ts);
/* When an ftrace event happens, and until when it lasts; not when it was traced. */
struct own_span scan_event_span(struct import *im, const struct packet *p, uint32_t id, int64_t ts,
                                struct bytes payload);

/* Part of the first pass: from when to when last the events of a bundle that happen at other times
 * than they were traced; begin > end: there are none. */
struct own_span scan_own_times(struct import *im, const struct packet *p);

/* Parts of the second pass. */
void scan_ftrace_bundle(struct window_scan *w, struct import *im, const struct packet *p);
void scan_track_event(struct window_scan *w, struct import *im, const struct packet *p, int64_t ts);
/* In the window. */
void scan_later_track_event(struct window_scan *w, struct import *im, const struct packet *p);

#endif
