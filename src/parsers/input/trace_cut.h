/* Cutting a window out of a trace: what is in it, and what makes it mean the same as in the whole.
 *
 * Cutting works on the bytes, before anything becomes a row: loading a window is loading the
 * smaller trace, for the memory of the window, and leaving of it what is in the window
 * (core/trace/trace_window.h). What of the time before is still felt in it is told again right
 * before it. To run the importer over what lies before and to keep no rows would make trackers
 * forget, hide from the cutter what handlers remember, and leave no bytes for `trim` to write. */
#ifndef TPTUI_PARSERS_INPUT_TRACE_CUT_H
#define TPTUI_PARSERS_INPUT_TRACE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/status.h"
#include "base/str.h"
#include "core/stats.h"
#include "text/time_text.h"
#include "parsers/input/bytes.h"
#include "parsers/input/progress.h"

/* Where the smaller trace goes. */
struct cut_output {
    bool (*write)(struct cut_output *self, const void *p, size_t n); /* false: it cannot */
    bool failed;
    bool any; /* something was written */
};

static inline void cut_write(struct cut_output *out, const void *p, size_t n)
{
    out->failed = out->failed || !out->write(out, p, n);
    out->any = out->any || n > 0;
}

static inline void cut_put(struct cut_output *out, struct str s)
{
    cut_write(out, s.p, s.n);
}

/* What is cut, in ns of trace time. */
struct cut_span {
    int64_t from, to;           /* the window; the trace's own begin and end where it has none */
    int64_t first, last;        /* the events of the whole trace */
    int64_t kept_from, kept_to; /* rows that stay: all where the window does not begin, or end */
};

/* What cannot be read of the whole trace, wherever that is; no window has it. */
enum cut_unread_kind {
    UNREAD_PACKETS, /* places with a broken packet */
    UNREAD_BYTES,   /* at the end */
    UNREAD_JSON,    /* places where events are no JSON */
    UNREAD_FTRACE,  /* places in bundles of ftrace events */
    UNREAD_SCHED,   /* lists of scheduling in them whose columns end apart */
    UNREAD_PACKED,  /* compressed data that is broken, or ends early */
    UNREAD_HOLES,   /* zero bytes in a text, and what they have cut */
    UNREAD_END,     /* the last line has no newline */
    UNREAD_KINDS
};

struct cut_unread {
    int64_t counts[UNREAD_KINDS];
};

/* As which the import counts it. */
extern const enum stat_key cut_unread_stats[UNREAD_KINDS];

/* In how many places that is. */
uint64_t cut_unread_places(const struct cut_unread *unread);

/* What is to be done. */
struct cut_job {
    const char *name;  /* the file's, for messages */
    struct bytes data; /* the whole trace */
    bool mapped;       /* it is a file's: what was read may leave the memory */
    bool packed;       /* it was compressed */
    const struct time_window *window;
    struct cut_output *out;
    struct budget *unpacking;       /* for what is packed in the trace */
    struct load_progress *progress; /* may be NULL */
    struct cut_span span;           /* the result: what was cut */
    bool tells_unread; /* what is written shall count as much as lost as `unread` has places */
    /* Likewise: what was not; it begins with what is known of that before. */
    struct cut_unread unread;
    bool uncut; /* likewise: only reading all of it says when anything is; nothing was written */
    bool unreadable; /* likewise, with the error that reading it is, too */
};

/* Where the window is in a trace whose events are from `first` to `last` becomes job->span: an
 * error where the window has none of it. Times without a clock count from `zero`, where the
 * timeline begins. */
struct status cut_resolve(struct cut_job *job, int64_t zero, int64_t first, int64_t last);

/* At the end, `walked` being how it went: an error, too, where the output could not be written. */
struct status cut_finish(const struct cut_job *job, struct status walked);

#endif
