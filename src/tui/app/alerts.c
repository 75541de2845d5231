#include "tui/app/alerts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/session.h"
#include "tui/context/state.h"
#include "tui/query/query_track.h"

enum { ALERTS_MEMORY = 16 << 20 };

struct alerts_job {
    struct job job;
    const struct trace *trace;
    struct result_feed feed;
    struct status status;
    char *complaints; /* owned */
};

static void run_alerts(struct job *job, struct worker *w)
{
    static const char sql[] = "INCLUDE PERFETTO MODULE tptui.alerts;\n"
                              "SELECT ts, dur, rule || ': ' || name AS name, level AS color,\n"
                              "  ref, ref_id, utid, upid FROM tptui_alerts\n"
                              "WHERE rule != 'data loss' -- of no time: the header has it\n"
                              "ORDER BY ts;";
    struct alerts_job *j = (struct alerts_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (!status_ok(j->status))
        return;
    struct sql_sink sink = result_feed_sink(&j->feed);
    j->status = sql_session_run(session, "alerts", str_from(sql), &sink);
    j->complaints = worker_complaints(w); /* the findings may have included the module before */
    result_feed_end(&j->feed);
}

/* A line has room for the first: the findings have all of them. */
static void complain(struct app *a, const char *complaints)
{
    int first = (int)strcspn(complaints, "\n"), others = -1;
    for (const char *p = complaints; *p; p++)
        others += *p == '\n';
    if (others > 0)
        app_complain(a, "alerts (%d more among the findings): %.*s", others, first, complaints);
    else
        app_complain(a, "alerts: %.*s", first, complaints);
}

/* What is wrong with a rule is said; the others have their alerts. */
static effects finish_alerts(struct job *job, struct app *a)
{
    struct alerts_job *j = (struct alerts_job *)job;
    struct result *result = result_feed_take(&j->feed);
    effects e = EFFECT_NONE;
    if (a && status_ok(j->status) && result && result_rows(result) > 0)
        e = query_track_show_alerts(a, result);
    if (a && j->complaints)
        complain(a, j->complaints);
    free(j->complaints);
    result_release(result);
    result_feed_release(&j->feed);
    status_release(&j->status);
    free(j);
    return e;
}

void app_find_alerts(struct app *a)
{
    if (!a->options.alerts || app_reads_on(a))
        return;
    struct alerts_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_alerts, finish_alerts, NULL};
    j->trace = &a->opened->trace;
    result_feed_init(&j->feed, ALERTS_MEMORY);
    worker_push(a->helper, &j->job);
}
