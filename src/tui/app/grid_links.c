#include "tui/app/grid_links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/app/jump.h"
#include "tui/app/state.h"
#include "tui/result/answer.h"

static bool int_at(struct grid *g, const char *name, int64_t *out)
{
    int column = result_column(g->result, name);
    if (column < 0)
        return false;
    struct sql_value v = grid_value(g, g->row, (uint32_t)column);
    *out = v.type == SQL_INT ? v.i : 0;
    return v.type == SQL_INT;
}

static effects complain_about(struct app *a, const char *what, int64_t value)
{
    app_complain(a, "there is no %s %" PRId64 " on the screen", what, value);
    return EFFECT_NONE;
}

static effects go_to_node(struct app *a, const uint32_t *nodes, uint32_t count, int64_t id,
                          const char *what)
{
    if (id < 0 || id >= count || nodes[id] == NO_NODE)
        return complain_about(a, what, id);
    a->focus = FOCUS_TRACKS;
    return app_jump_node(a, nodes[id]);
}

static effects go_to_thread(struct app *a, int64_t id)
{
    return go_to_node(a, app_tree(a)->thread_node, a->opened->trace.tables.thread.rows, id,
                      "thread");
}

static effects go_to_process(struct app *a, int64_t id)
{
    return go_to_node(a, app_tree(a)->process_node, a->opened->trace.tables.process.rows, id,
                      "process");
}

static effects go_to_track(struct app *a, int64_t id)
{
    return go_to_node(a, app_tree(a)->track_node, a->opened->trace.tables.track.rows, id, "track");
}

static effects go_to_cpu(struct app *a, int64_t id)
{
    return go_to_node(a, app_tree(a)->cpu_node, a->opened->trace.tables.cpu.rows, id, "CPU");
}

static effects go_to_event(struct app *a, const struct event_kind *kind, int64_t id)
{
    if (id < 0 || id >= kind->count(app_timeline(a)))
        return complain_about(a, kind->name, id);
    return app_jump(a, event_of(kind, (uint32_t)id));
}

static effects go_to_slice(struct app *a, int64_t id)
{
    return go_to_event(a, &slice_events, id);
}

static effects go_to_state(struct app *a, int64_t id)
{
    return go_to_event(a, &state_events, id);
}

static effects go_to_time(struct app *a, int64_t ts)
{
    a->focus = FOCUS_TRACKS;
    return app_jump_time(a, ts);
}

/* ---- args ---- */

struct args_job {
    struct job job;
    struct trace *trace;
    struct answer *answer;
    struct status status;
    int64_t set;
};

static void run_args(struct job *job, struct worker *w)
{
    struct args_job *j = (struct args_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT key, display_value FROM args WHERE arg_set_id = %" PRId64 " ORDER BY key",
             j->set);
    if (status_ok(j->status))
        j->status = answer_ask(j->answer, session, "args", str_from(sql));
}

static char *print_args(const struct answer *answer)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; f && i < answer->rows; i++) {
        struct sql_value key = answer_value(answer, i, 0), value = answer_value(answer, i, 1);
        fprintf(f, "%.*s  ", key.type == SQL_TEXT ? (int)key.s.n : 0, key.s.p);
        if (value.type == SQL_TEXT)
            fwrite(value.s.p, 1, value.s.n, f);
        fputc('\n', f);
    }
    if (!f || fclose(f) != 0)
        return alloc_copy("", 0);
    return text;
}

static effects finish_args(struct job *job, struct app *a)
{
    struct args_job *j = (struct args_job *)job;
    char title[64];
    snprintf(title, sizeof title, "args of set %" PRId64, j->set);
    if (a && status_ok(j->status) && j->answer->rows > 0) {
        char *text = print_args(j->answer);
        app_show_text(a, str_from(title), str_from(text));
        free(text);
    } else if (a) {
        app_complain(a, "there are no %s", title);
    }
    answer_free(j->answer);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

static effects show_args(struct app *a, int64_t set)
{
    struct args_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_args, finish_args, NULL};
    j->trace = &a->opened->trace;
    j->answer = answer_new();
    j->set = set;
    worker_push(a->helper, &j->job);
    return EFFECT_NONE;
}

/* ---- columns ---- */

/* By the end of a column's name: the longest that fits decides. */
static const struct {
    const char *name;
    effects (*go)(struct app *a, int64_t value);
} links[] = {
    {"utid", go_to_thread},
    {"upid", go_to_process},
    {"track_id", go_to_track},
    {"slice_id", go_to_slice},
    {"thread_state_id", go_to_state},
    {"arg_set_id", show_args},
    {"ts", go_to_time},
    {"ucpu", go_to_cpu},
    {"binder_txn_id", go_to_slice},
    {"slice_out", go_to_slice},
    {"slice_in", go_to_slice},
    {"ts_end", go_to_time},
    {"binder_reply_id", go_to_slice},
    {"waker_id", go_to_state},
};

enum { LINKS = sizeof links / sizeof *links };

static int find_link(const char *column)
{
    size_t n = strlen(column), longest = 0;
    int found = -1;
    for (int i = 0; i < LINKS; i++) {
        size_t w = strlen(links[i].name);
        bool ends = n >= w && strcmp(column + n - w, links[i].name) == 0 &&
                    (n == w || column[n - w - 1] == '_');
        if (ends && w > longest) {
            longest = w;
            found = i;
        }
    }
    return found;
}

bool grid_is_link(const char *column)
{
    return strcmp(column, "id") == 0 || strcmp(column, "parent_id") == 0 || find_link(column) >= 0;
}

/* A row that says nothing else is a slice's: where there is a ts, it must agree. */
static bool row_event(struct app *a, struct grid *g, int64_t id, struct event_ref *out)
{
    const struct tables *t = &a->opened->trace.tables;
    int64_t ts = 0;
    bool timed = int_at(g, "ts", &ts);
    if (id < 0)
        return false;
    *out = event_of(&slice_events, (uint32_t)id);
    if (id < t->slice.rows && (!timed || slice_ts(app_timeline(a), (uint32_t)id) == ts))
        return true;
    *out = event_of(&state_events, (uint32_t)id);
    if (timed && id < t->thread_state.rows && result_column(g->result, "state") >= 0 &&
        table_i64(&t->thread_state, thread_state_col_ts)[id] == ts)
        return true;
    *out = event_of(&sched_events, (uint32_t)id);
    return timed && id < t->sched_slice.rows && result_column(g->result, "end_state") >= 0 &&
           table_i64(&t->sched_slice, sched_slice_col_ts)[id] == ts;
}

static effects go_by_row(struct app *a, struct grid *g)
{
    struct event_ref event;
    int64_t id, ts;
    if ((int_at(g, "slice_id", &id) || int_at(g, "id", &id)) && row_event(a, g, id, &event))
        return app_jump(a, event);
    if (int_at(g, "ts", &ts))
        return go_to_time(a, ts);
    app_complain(a, "this row has neither the id of a slice nor a ts");
    return EFFECT_NONE;
}

effects grid_go(struct app *a)
{
    struct grid *g = a->query.grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    struct event_ref event;
    if (!column || grid_rows(g) == 0)
        return EFFECT_NONE;
    const char *name = result_name(g->result, column->source);
    struct sql_value v = grid_value(g, g->row, column->source);
    int link = find_link(name);
    bool is_row_time = strcmp(name, "ts") == 0;
    if (v.type == SQL_INT && strcmp(name, "parent_id") == 0 &&
        result_column(g->result, "depth") >= 0)
        return go_to_slice(a, v.i);
    if (v.type == SQL_INT && strcmp(name, "id") == 0 && row_event(a, g, v.i, &event))
        return app_jump(a, event);
    if (link >= 0 && v.type == SQL_INT && !is_row_time)
        return links[link].go(a, v.i);
    return go_by_row(a, g);
}
