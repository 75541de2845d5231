#include "parsers/input/trace_cut.h"

#include <inttypes.h>

struct status cut_resolve(struct cut_job *job, int64_t first, int64_t last)
{
    const char *name = job->name;
    const struct time_window *window = job->window;
    struct cut_span *out = &job->span;
    if (first > last)
        return status_error(STATUS_FORMAT, "%s: expected events to cut, found none with a time",
                            name);
    *out = (struct cut_span){first, time_plus(last, 1), first, last};
    if (window->has_from)
        out->from = time_text_resolve(window->from, first, first);
    if (window->has_to)
        out->to = time_text_resolve(window->to, first, out->from);
    if (out->from > last || (window->has_to && out->to <= first))
        return status_error(STATUS_FORMAT,
                            "%s: the window has nothing of the trace: it begins at %" PRId64
                            " and ends at %" PRId64 ", the trace is from %" PRId64 " to %" PRId64,
                            name, out->from, out->to, first, last);
    if (out->from >= out->to)
        return status_error(STATUS_FORMAT,
                            "%s: the window ends (%" PRId64 ") before it begins (%" PRId64 ")",
                            name, out->to, out->from);
    return status_ok_value();
}

struct status cut_finish(const struct cut_job *job, struct status walked)
{
    if (status_ok(walked) && job->out->failed)
        return status_error(STATUS_IO, "%s: the smaller trace cannot be written", job->name);
    return walked;
}
