#include "parsers/perfetto/window/window.h"

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/window/scan.h"
#include "parsers/perfetto/window/write.h"

static struct status cut(struct window_scan *w, const struct time_window *window,
                         struct cut_output *out, struct cut_span *span)
{
    struct status s = scan_times(w);
    if (status_ok(s))
        s = cut_resolve(w->name, window, w->first, w->last, span);
    if (!status_ok(s))
        return s;
    w->from = span->from;
    w->to = span->to;
    s = scan_state(w);
    return status_ok(s) ? scan_write(w, out) : s;
}

struct status perfetto_cut_window(const struct trace_format *format,
                                  const struct packet_modules *modules, const char *name,
                                  struct bytes data, const struct time_window *window,
                                  struct cut_output *out, struct load_progress *progress,
                                  struct cut_span *span)
{
    struct window_scan w = {.name = name, .input = data, .modules = *modules, .progress = progress};
    struct trace_file file = {.size = (int64_t)data.n, .parent = NULL_U32, .machine = NULL_U32};
    w.trace = alloc_array(1, sizeof *w.trace);
    trace_init(w.trace);
    trace_format_begin(format, w.trace, &file);
    struct status s = cut(&w, window, out, span);
    scan_release(&w);
    trace_finish(w.trace);
    trace_release(w.trace);
    free(w.trace);
    return s;
}
