/* A place of the timeline as text or SVG. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "explain/picture.h"
#include "mcp/request.h"
#include "mcp/tools.h"

/* Who cancels the call ends the process that makes the picture. */
static void note_child(void *self, pid_t child)
{
    struct mcp_work *w = self;
    pthread_mutex_lock(&w->lock);
    w->child = child;
    if (w->cancelled && child > 0)
        kill(child, SIGKILL);
    pthread_mutex_unlock(&w->lock);
}

static struct status run_timeline(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char *place = mcp_text_member(c->arguments, "place");
    char *format = mcp_text_member(c->arguments, "format");
    const struct picture wanted = {
        .trace = t->path,
        .place = place,
        .width = (int)mcp_call_number(c, "width", 120, 40, 400),
        .height = (int)mcp_call_number(c, "height", 30, 10, 120),
        .svg = format && strcmp(format, "svg") == 0,
    };
    if (format && !wanted.svg && strcmp(format, "text") != 0)
        s = status_error(STATUS_USAGE, "format is text or svg, not %s", format);
    else
        s = picture_print(&wanted, note_child, &c->traces->work, c->out);
    free(format);
    free(place);
    return s;
}

const struct mcp_tool timeline_tool = {
    .name = "timeline",
    .description =
        "Shows a place of the timeline as text (or SVG): threads, slices and states around "
        "it. Places stand behind --goto in what explain says.",
    .params = {{"trace", MCP_TEXT, false, "path of the trace; the one used last by itself"},
               {"place", MCP_TEXT, true,
                "slice ID, state ID or time NS; window START DUR may follow"},
               {"width", MCP_NUMBER, false, "columns: 120 by itself"},
               {"height", MCP_NUMBER, false, "lines: 30 by itself"},
               {"format", MCP_TEXT, false, "text or svg"}},
    .run = run_timeline,
};
