#include "tui/timeline/explain_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "explain/report.h"
#include "tui/context/state.h"
#include "tui/context/text_view.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

enum { MARGIN = 4, WIDTH_LEAST = 40 };

struct explain_job {
    struct job job;
    const struct trace *trace;
    char sql[400]; /* of the symptom; empty: those of the rules */
    int width;
    char *text; /* owned */
    size_t size;
    struct status status;
};

static void run_explain(struct job *job, struct worker *w)
{
    struct explain_job *j = (struct explain_job *)job;
    struct explanation e;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (!status_ok(j->status))
        return;
    const struct explain_request request = {.sql = j->sql[0] ? j->sql : NULL};
    const struct report_options options = {.width = j->width};
    j->status = explain_trace(&e, j->trace, session, &request);
    FILE *f = open_memstream(&j->text, &j->size);
    if (!f)
        alloc_fail();
    if (status_ok(j->status))
        text_report.print(&e, &options, f);
    if (fclose(f) != 0)
        alloc_fail();
    explanation_release(&e);
}

static effects finish_explain(struct job *job, struct app *a)
{
    struct explain_job *j = (struct explain_job *)job;
    if (a && status_ok(j->status) && j->text)
        app_show_text(a, STR("explained"), (struct str){j->text, j->size});
    if (a && !status_ok(j->status))
        app_complain(a, "%s", j->status.message);
    status_release(&j->status);
    free(j->text);
    free(j);
    return EFFECT_NONE;
}

/* What is asked of an event: its time on its thread, that of a run, or the main thread of the
 * process that the event is of. False where no thread is known. */
static bool put_question(char *sql, size_t size, const struct timeline *tl, struct event_ref event,
                         struct event_span span)
{
    uint32_t utid = event.kind->thread ? event.kind->thread(tl, event.row) : NULL_U32;
    if (utid != NULL_U32)
        snprintf(sql, size,
                 "SELECT %" PRId64 " AS ts, %" PRId64 " AS dur, 'this' AS name, %u AS utid",
                 span.ts, span.end - span.ts, utid);
    else if (event.kind == &sched_events)
        snprintf(sql, size,
                 "SELECT s.ts, %" PRId64 " AS dur, t.name, s.utid FROM sched_slice AS s\n"
                 "JOIN thread AS t USING (utid) WHERE s.id = %u",
                 span.end - span.ts, event.row);
    else if (event.kind == &slice_events)
        snprintf(sql, size,
                 "SELECT s.ts, %" PRId64 " AS dur, s.name, min(t.utid) AS utid FROM slice AS s\n"
                 "LEFT JOIN process_track AS k ON k.id = s.track_id\n"
                 "LEFT JOIN thread AS t ON t.upid = k.upid AND t.is_main_thread\n"
                 "WHERE s.id = %u",
                 span.end - span.ts, event.row);
    return sql[0] != '\0';
}

void app_explain(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    struct event_ref event = a->view->cursor.event;
    struct explain_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_explain, finish_explain, NULL};
    j->trace = &a->opened->trace;
    j->width = a->cells.width - MARGIN > WIDTH_LEAST ? a->cells.width - MARGIN : WIDTH_LEAST;
    if (event.kind &&
        !put_question(j->sql, sizeof j->sql, tl, event, event_times(tl, app_tree(a), event))) {
        app_say(a, "no thread is known of this, whose time could be followed");
        free(j);
        return;
    }
    app_say(a, "following where the time went");
    worker_push(a->helper, &j->job);
}
