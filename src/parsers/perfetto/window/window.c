#include "parsers/perfetto/window/window.h"

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/perfetto/window/write.h"

/* What any walk over the packets counts. */
static void add_unread_packets(struct cut_unread *unread, const struct trace *t)
{
    static const enum cut_unread_kind kinds[] = {UNREAD_PACKETS, UNREAD_BYTES, UNREAD_PACKED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        unread->counts[kinds[i]] += stats_get(t, cut_unread_stats[kinds[i]], STAT_SINGLE);
}

static struct status cut(struct window_scan *w, struct cut_job *job)
{
    struct status s = scan_times(w);
    add_unread_packets(&job->unread, w->trace);
    if (status_ok(s))
        s = cut_resolve(job, w->zero, w->first, w->last);
    if (!status_ok(s))
        return s;
    w->from = job->span.from;
    w->to = job->span.to;
    s = scan_state(w);
    if (status_ok(s))
        s = scan_write(w, job->out);
    for (int i = 0; i < UNREAD_KINDS; i++)
        job->unread.counts[i] += w->unread.counts[i];
    if (status_ok(s) && job->tells_unread)
        scan_write_losses(job->out, cut_unread_places(&job->unread));
    return cut_finish(job, s);
}

struct status perfetto_cut_window(const struct trace_format *format,
                                  const struct packet_modules *modules, struct cut_job *job)
{
    struct window_scan w = {.name = job->name,
                            .input = job->data,
                            .mapped = job->mapped,
                            .modules = *modules,
                            .progress = job->progress};
    struct trace_file file = {.size = (int64_t)job->data.n,
                              .parent = NULL_U32,
                              .machine = NULL_U32};
    w.trace = alloc_array(1, sizeof *w.trace);
    trace_init(w.trace);
    atomic_store(&w.trace->builder->unpacking.left, budget_left(job->unpacking));
    trace_format_begin(format, w.trace, &file);
    struct status s = cut(&w, job);
    scan_release(&w);
    trace_finish(w.trace);
    trace_release(w.trace);
    free(w.trace);
    return s;
}
