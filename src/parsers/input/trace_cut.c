#include "parsers/input/trace_cut.h"

#include <inttypes.h>

/* For messages, in which people wrote such times, too. */
static double ms_from(int64_t first, int64_t ts)
{
    return (double)time_minus(ts, first) / 1e6;
}

const enum stat_key cut_unread_stats[UNREAD_KINDS] = {
    [UNREAD_PACKETS] = STAT_packet_corrupt,
    [UNREAD_BYTES] = STAT_trace_truncated_bytes,
    [UNREAD_JSON] = STAT_json_tokenizer_failure,
    [UNREAD_PACKED] = STAT_decompression_errors,
    [UNREAD_FTRACE] = STAT_ftrace_bundle_tokenizer_errors,
    [UNREAD_SCHED] = STAT_compact_sched_has_parse_errors,
    [UNREAD_HOLES] = STAT_text_hole_bytes,
    [UNREAD_END] = STAT_trace_ends_early,
};

uint64_t cut_unread_places(const struct cut_unread *unread)
{
    uint64_t places = 0;
    for (int i = 0; i < UNREAD_KINDS; i++) {
        bool is_bytes = stat_defs[cut_unread_stats[i]].loss == STAT_LOSS_bytes;
        places += is_bytes ? unread->counts[i] > 0 : (uint64_t)unread->counts[i];
    }
    return places;
}

struct status cut_resolve(struct cut_job *job, int64_t zero, int64_t first, int64_t last)
{
    const char *name = job->name;
    const struct time_window *window = job->window;
    struct cut_span *out = &job->span;
    if (first > last)
        return status_error(STATUS_FORMAT, "%s: expected events to cut, found none with a time",
                            name);
    *out = (struct cut_span){first, time_plus(last, 1), first, last, INT64_MIN, INT64_MAX};
    if (window->has_from)
        out->from = time_text_resolve(window->from, zero, first);
    if (window->has_to)
        out->kept_to = out->to = time_text_resolve(window->to, zero, out->from);
    if (window->has_from && (window->from.origin == TIME_OF_TRACE_CLOCK || window->from.ns > 0))
        out->kept_from = out->from;
    if (window->has_from && out->from > last)
        return status_error(STATUS_FORMAT,
                            "%s: the window, from %.3f ms on, has nothing of the trace, which "
                            "lasts %.3f ms from %" PRId64 " on",
                            name, ms_from(zero, out->from), ms_from(zero, last), zero);
    if (out->from > last || (window->has_to && out->to <= first))
        return status_error(
            STATUS_FORMAT,
            "%s: the window, %.3f to %.3f ms, has nothing of the trace, which lasts "
            "%.3f ms from %" PRId64 " on",
            name, ms_from(zero, out->from), ms_from(zero, out->to), ms_from(zero, last), zero);
    if (out->from >= out->to)
        return status_error(STATUS_FORMAT,
                            "%s: the window ends (%.3f ms) before it begins (%.3f ms)", name,
                            ms_from(zero, out->to), ms_from(zero, out->from));
    if (zero < out->to)
        out->first = zero;
    return status_ok_value();
}

struct status cut_finish(const struct cut_job *job, struct status walked)
{
    if (status_ok(walked) && job->out->failed)
        return status_error(STATUS_IO, "%s: the smaller trace cannot be written", job->name);
    return walked;
}
