/* Pages of systrace and trace2html, whose scripts hold text or JSON. */
#include "core/clock_graph.h"
#include "parsers/input/trace_format.h"
#include "parsers/json/json.h"
#include "parsers/tracefs/systrace_page.h"

static struct status import_page(struct trace *t, const char *name, struct byte_source *source)
{
    return systrace_page_read(t, name, source, json_trace_format.read_source);
}

const struct trace_format systrace_page_trace_format = {
    .name = "systrace HTML",
    .type = "systrace",
    .key = "systrace_html",
    .about = "pages of systrace and trace2html: HTML with scripts of recordings",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .has_idle_task = true,
    .sniff = systrace_page_sniff,
    .is_text = true,
    .read_source = import_page,
};
