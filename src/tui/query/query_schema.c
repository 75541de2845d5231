#include "tui/query/query_schema.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "complete/likely.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"

struct schema_job {
    struct job job;
    const struct trace *trace;
    struct schema *schema;
    struct status status;
};

static void run_schema(struct job *job, struct worker *w)
{
    struct schema_job *j = (struct schema_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (status_ok(j->status))
        j->status = schema_read(session, &j->schema);
}

static effects finish_schema(struct job *job, struct app *a)
{
    struct schema_job *j = (struct schema_job *)job;
    if (a) {
        struct query_pane *q = a->query;
        q->schema_asked = false;
        if (j->schema) {
            completion_popup_close(&q->popup);
            schema_free(q->schema);
            q->schema = j->schema;
            j->schema = NULL;
            for (size_t i = 0; i < q->history.texts.v.count; i++)
                schema_count_use(q->schema, str_from(q->history.texts.v.items[i]));
        }
    }
    schema_free(j->schema);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

/* Of the connection that runs the user's queries: what they define is there only. */
void query_ask_for_schema(struct app *a)
{
    struct query_pane *q = a->query;
    if (q->schema_asked || q->running || (q->schema && !q->schema_stale))
        return;
    struct schema_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_schema, finish_schema, NULL};
    j->trace = &a->opened->trace;
    q->schema_asked = true;
    q->schema_stale = false;
    worker_push(a->loader, &j->job);
}
