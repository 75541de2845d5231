#include "tui/query/grid_style.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"

struct wall_job {
    struct job job;
    const struct trace *trace;
    int64_t offset;
    struct status status;
};

static void run_wall(struct job *job, struct worker *w)
{
    struct wall_job *j = (struct wall_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (status_ok(j->status))
        j->status = sql_session_int(session, "SELECT to_realtime(trace_start()) - trace_start()",
                                    &j->offset);
}

static void set_style(struct query_pane *q)
{
    if (!q->grid)
        return;
    q->grid->style = q->style;
    for (size_t i = 0; i < q->grid->columns.count; i++)
        q->grid->columns.items[i].width = q->grid->columns.items[i].whole = 0; /* as it needs now */
}

static effects finish_wall(struct job *job, struct app *a)
{
    struct wall_job *j = (struct wall_job *)job;
    if (a && status_ok(j->status)) {
        a->query->wall_known = true;
        a->query->style.wall_offset = j->offset;
        set_style(a->query);
    } else if (a) {
        a->query->style.time = TIME_NS;
        set_style(a->query);
        app_complain(a, "the trace does not say what the clock on the wall showed");
    }
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

void query_next_time_style(struct app *a)
{
    static const char *const names[TIME_STYLES] = {
        [TIME_NS] = "times in ns, as they are",
        [TIME_TRACE] = "times from the start of the trace",
        [TIME_SECONDS] = "times in seconds from the start of the trace",
        [TIME_WALL] = "times as the clock on the wall showed them, UTC",
    };
    struct query_pane *q = a->query;
    q->style.time = (enum time_style)((q->style.time + 1) % TIME_STYLES);
    q->style.trace_start = app_timeline(a)->start;
    app_say(a, "%s", names[q->style.time]);
    set_style(q);
    if (q->style.time != TIME_WALL || q->wall_known)
        return;
    struct wall_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_wall, finish_wall, NULL};
    j->trace = &a->opened->trace;
    worker_push(a->helper, &j->job);
}

void query_toggle_durations(struct app *a)
{
    struct query_pane *q = a->query;
    q->style.human_durations = !q->style.human_durations;
    set_style(q);
}
