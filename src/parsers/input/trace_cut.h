/* Cutting a window out of a trace: what is in it, and what makes it mean the same as in the whole.
 */
#ifndef TPTUI_PARSERS_INPUT_TRACE_CUT_H
#define TPTUI_PARSERS_INPUT_TRACE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "core/time_text.h"
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

/* What is cut, in ns of trace time. */
struct cut_span {
    int64_t from, to;    /* the window; the trace's own begin and end where it has none */
    int64_t first, last; /* the events of the whole trace */
};

/* Where the window is in a trace whose events are from `first` to `last`: an error where it has
 * none of it. `name` is the file's. */
struct status cut_resolve(const char *name, const struct time_window *window, int64_t first,
                          int64_t last, struct cut_span *out);

#endif
