#include "tui/app/query_pane.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tui/app/history.h"
#include "tui/app/jump.h"
#include "tui/app/move.h"
#include "tui/app/sql_text.h"
#include "tui/app/state.h"

void query_init(struct query_pane *q)
{
    q->editor.multiline = true;
    q->error_at = NO_PLACE;
    query_history_init(&q->history);
}

void query_release(struct query_pane *q)
{
    query_history_release(&q->history);
    editor_release(&q->editor);
    grid_free(q->grid);
    free(q->message);
}

effects query_open(struct app *a)
{
    a->query.open = true;
    a->focus = FOCUS_EDITOR;
    return EFFECT_ROWS;
}

effects query_close(struct app *a)
{
    a->query.open = false;
    a->focus = FOCUS_TRACKS;
    return EFFECT_ROWS;
}

static void take_text(struct query_pane *q, struct str text)
{
    editor_set(&q->editor, text);
    q->done = false;
    q->error_at = NO_PLACE;
}

effects query_show(struct app *a, const char *sql)
{
    take_text(&a->query, str_from(sql));
    return query_open(a);
}

void query_clear(struct app *a)
{
    struct query_pane *q = &a->query;
    if (q->editor.text.count > 0)
        app_say(a, "cleared; Ctrl-_ brings it back");
    take_text(q, STR(""));
}

void query_edit_outside(struct app *a)
{
    const char *editor = getenv("VISUAL");
    editor = editor && *editor ? editor : getenv("EDITOR");
    editor = editor && *editor ? editor : "vi";
    char path[] = "/tmp/tptui-XXXXXX.sql", command[4096];
    int fd = mkostemps(path, 4, O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!f) {
        app_complain(a, "%s: %s", path, strerror(errno));
        return;
    }
    fwrite(a->query.editor.text.items, 1, a->query.editor.text.count, f);
    fflush(f);
    snprintf(command, sizeof command, "%s %s", editor, path);
    term_leave(a->term);
    int result = system(command);
    term_enter(a->term);
    char *text = NULL;
    size_t cap = 0;
    FILE *edited = result == 0 ? fopen(path, "re") : NULL;
    ssize_t n = edited ? getdelim(&text, &cap, '\0', edited) : -1;
    if (n >= 0)
        take_text(&a->query, (struct str){text, (size_t)n - (n > 0 && text[n - 1] == '\n')});
    else
        app_complain(a, "%s did not save the query", editor);
    free(text);
    if (edited)
        fclose(edited);
    fclose(f);
    unlink(path);
}

static void set_message(struct query_pane *q, bool failed, const char *text)
{
    free(q->message);
    q->message = alloc_copy(text, strlen(text));
    q->failed = failed;
}

struct query_job {
    struct job job;
    atomic_bool cancelled; /* nobody waits for it any more */
    struct trace *trace;
    struct grid *grid;
    struct status status;
    char *text;
};

static void run_query(struct job *job, struct worker *w)
{
    struct query_job *q = (struct query_job *)job;
    struct sql_session *session = worker_session(w, q->trace, &q->status);
    if (!status_ok(q->status) || atomic_load(&q->cancelled))
        return;
    struct sql_sink sink = grid_sink(q->grid);
    sink.note = grid_note;
    q->status = sql_session_run(session, "query", str_from(q->text), &sink);
}

/* What the pane says about a query that was not given up, and its result. */
static void take_result(struct app *a, struct query_job *q)
{
    struct query_pane *pane = &a->query;
    struct timespec now;
    char text[512];
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - pane->started.tv_sec) +
                     (double)(now.tv_nsec - pane->started.tv_nsec) / 1e9;
    bool cut = q->grid->truncated && q->status.code == STATUS_CANCELLED;
    if (!status_ok(q->status) && !cut) {
        if (pane->open && a->focus == FOCUS_GRID)
            a->focus = FOCUS_EDITOR;
        set_message(pane, true, q->status.message);
        pane->error_at = sql_error_place(editor_text(&pane->editor), q->status.message);
        return;
    }
    int n = snprintf(text, sizeof text, "%s%u row%s", cut ? "the first " : "", q->grid->rows,
                     q->grid->rows == 1 ? "" : "s");
    if (!a->options.script) /* whose screens must not depend on the clock */
        n += snprintf(text + n, sizeof text - (size_t)n, " in %.3f s", seconds);
    if (q->grid->note)
        snprintf(text + n, sizeof text - (size_t)n, "\n%s", q->grid->note);
    set_message(pane, false, text);
    grid_free(pane->grid);
    pane->grid = q->grid;
    q->grid = NULL;
    if (pane->open && pane->grid->rows > 0)
        a->focus = FOCUS_GRID;
}

static effects finish_query(struct job *job, struct app *a)
{
    struct query_job *q = (struct query_job *)job;
    if (a && a->query.running == q) {
        a->query.running = NULL;
        take_result(a, q);
    } else if (a) {
        a->query.waiting = false;
    }
    grid_free(q->grid);
    status_release(&q->status);
    free(q->text);
    free(q);
    return EFFECT_ROWS;
}

/* The worker ends it as soon as it can: one call of SQLite's own on a huge value may take longer
 * than the user wants to look at. */
effects query_cancel(struct app *a)
{
    struct query_pane *pane = &a->query;
    atomic_store(&pane->running->cancelled, true);
    worker_cancel(a->loader);
    pane->running = NULL;
    pane->waiting = true;
    if (pane->open && a->focus == FOCUS_GRID)
        a->focus = FOCUS_EDITOR;
    set_message(pane, true, "cancelled");
    pane->done = true;
    app_say(a, "cancelled");
    return EFFECT_ROWS;
}

/* The text up to the end of the range, with blanks for what stands before it: places in messages
 * are those of the whole text. */
static char *text_to_run(struct str text, struct text_range range)
{
    char *copy = alloc_copy(text.p, range.to);
    for (size_t i = 0; i < range.from; i++)
        copy[i] = copy[i] == '\n' ? '\n' : ' ';
    return copy;
}

void query_run(struct app *a, bool only_statement)
{
    struct query_pane *pane = &a->query;
    struct str text = editor_text(&pane->editor);
    struct text_range range = {0, text.n};
    if (only_statement)
        range = sql_statement_at(text, pane->editor.caret);
    if (pane->running) {
        app_say(a, "a query runs already; Ctrl-C cancels it");
        return;
    }
    if (range.from == range.to)
        return;
    query_history_add(&pane->history, text);
    pane->done = sql_is_complete(text) && pane->editor.caret == text.n;
    pane->error_at = NO_PLACE;
    struct query_job *q = alloc_array(1, sizeof *q);
    q->job.run = run_query;
    q->job.done = finish_query;
    q->trace = &a->opened->trace;
    q->grid = grid_new();
    q->text = text_to_run(text, range);
    grid_free(pane->grid);
    pane->grid = NULL;
    pane->running = q;
    clock_gettime(CLOCK_MONOTONIC, &pane->started);
    worker_push(a->loader, &q->job);
}

static void recall(struct query_pane *q, int direction)
{
    const char *text = query_history_step(&q->history, direction, editor_text(&q->editor));
    if (text)
        take_text(q, str_from(text));
}

/* A query that was run is done: what is typed behind it is the next one. */
static void begin_next(struct app *a, const struct key_event *key)
{
    struct query_pane *q = &a->query;
    bool types = key->key == TK_PASTE || (key->key > ' ' && key->key < TK_FIRST);
    if (q->done && types && q->editor.caret == q->editor.text.count) {
        editor_start_anew(&q->editor);
        q->history.at = q->history.texts.v.count;
        app_say(a, "a new query; Up or Ctrl-_ brings the one before back");
    }
    q->done = false;
    q->error_at = NO_PLACE;
}

bool query_editor_key(struct app *a, const struct key_event *key)
{
    struct query_pane *q = &a->query;
    struct editor_place place = editor_place(&q->editor);
    bool at_end = q->editor.caret == q->editor.text.count;
    if (key->key == TK_ENTER && at_end && sql_is_complete(editor_text(&q->editor))) {
        query_run(a, false);
        return true;
    }
    if ((key->key == TK_UP && place.line == 0) || key->key == (TK_CTRL | 'p')) {
        recall(q, -1);
        return true;
    }
    if ((key->key == TK_DOWN && place.line == place.lines - 1) || key->key == (TK_CTRL | 'n')) {
        recall(q, 1);
        return true;
    }
    bool done = q->done;
    size_t error_at = q->error_at;
    begin_next(a, key);
    if (editor_key(&q->editor, key))
        return true;
    q->done = done; /* it is no key of the text */
    q->error_at = error_at;
    return false;
}

static bool int_at(const struct grid *g, uint32_t row, const char *name, int64_t *out)
{
    int column = grid_column(g, name);
    if (column < 0 || grid_value(g, row, (uint32_t)column)->type != SQL_INT)
        return false;
    *out = grid_value(g, row, (uint32_t)column)->i;
    return true;
}

/* An id is a slice's where the row says nothing else: where there is a ts, it must agree. */
effects query_go(struct app *a)
{
    const struct grid *g = a->query.grid;
    const struct tables *t = &a->opened->trace.tables;
    int64_t id, ts = 0;
    if (!g || g->rows == 0)
        return EFFECT_NONE;
    bool timed = int_at(g, g->selected, "ts", &ts);
    bool known = int_at(g, g->selected, "slice_id", &id) || int_at(g, g->selected, "id", &id);
    if (known && id >= 0 && id < t->slice.rows &&
        (!timed || slice_ts(app_timeline(a), (uint32_t)id) == ts)) {
        return app_jump(a, event_of(&slice_events, (uint32_t)id));
    }
    if (known && id >= 0 && id < t->thread_state.rows && timed &&
        table_i64(&t->thread_state, thread_state_col_ts)[id] == ts &&
        grid_column(g, "state") >= 0) {
        return app_jump(a, event_of(&state_events, (uint32_t)id));
    }
    if (known && id >= 0 && id < t->sched_slice.rows && timed && grid_column(g, "end_state") >= 0 &&
        table_i64(&t->sched_slice, sched_slice_col_ts)[id] == ts) {
        return app_jump(a, event_of(&sched_events, (uint32_t)id));
    }
    if (timed) {
        a->focus = FOCUS_TRACKS;
        return app_jump_time(a, ts);
    }
    app_complain(a, "this row has neither the id of a slice nor a ts");
    return EFFECT_NONE;
}

static void add_slices(struct debug_track *d, const struct grid *g, int ts, int dur, int name)
{
    for (uint32_t i = 0; i < g->rows; i++) {
        const struct sql_value *start = grid_value(g, i, (uint32_t)ts);
        const struct sql_value *length = grid_value(g, i, (uint32_t)dur);
        char label[200] = "";
        if (start->type != SQL_INT)
            continue;
        if (name >= 0)
            grid_text(grid_value(g, i, (uint32_t)name), label, sizeof label);
        debug_track_add_slice(d, start->i, length->type == SQL_INT ? length->i : 0,
                              str_from(label));
    }
}

static void add_values(struct debug_track *d, const struct grid *g, int ts, int value)
{
    for (uint32_t i = 0; i < g->rows; i++) {
        const struct sql_value *start = grid_value(g, i, (uint32_t)ts);
        const struct sql_value *v = grid_value(g, i, (uint32_t)value);
        if (start->type == SQL_INT && (v->type == SQL_INT || v->type == SQL_REAL))
            debug_track_add_value(d, start->i, v->type == SQL_INT ? (double)v->i : v->d);
    }
}

effects query_make_track(struct app *a)
{
    const struct grid *g = a->query.grid;
    if (!g || g->rows == 0)
        return EFFECT_NONE;
    int ts = grid_column(g, "ts"), dur = grid_column(g, "dur"), name = grid_column(g, "name");
    int value = grid_column(g, "value");
    bool counter = value >= 0 && dur < 0;
    if (ts < 0 || (dur < 0 && value < 0)) {
        app_complain(a, "a track needs the columns ts, dur and name, or ts and value");
        return EFFECT_NONE;
    }
    char label[40];
    snprintf(label, sizeof label, "query %zu", app_tree(a)->debug.count + 1);
    struct debug_track *d = debug_track_new(label, counter ? &debug_counter_events : &debug_events);
    if (counter)
        add_values(d, g, ts, value);
    else
        add_slices(d, g, ts, dur, name);
    debug_track_finish(d, app_timeline(a)->end);
    uint32_t node = track_tree_add_debug(app_tree(a), d);
    app_remember(a);
    struct row_id key = {.node = node, .kind = ROW_HEAD, .place = PLACE_PINNED};
    app_say(a, "%s: %zu rows; x on its row removes it", label, d->ts.count);
    return app_put_cursor(a, &key, a->cursor.ts, NO_EVENT) | EFFECT_SELECT;
}

static int editor_height(const struct app *a, int room)
{
    int lines = editor_place(&a->query.editor).lines;
    int most = room / 2 > 1 ? room / 2 : 1;
    return lines < 1 ? 1 : lines > most ? most : lines;
}

/* A message of several lines, one of which may show where the error is. Returns lines used. */
static int draw_message(struct cells *c, struct rect area, const struct query_pane *q)
{
    struct str rest = str_from(q->message);
    int y = 0;
    while (rest.n > 0 && y < area.h) {
        size_t end = str_find(rest, '\n');
        cells_put_text(c, area.x, area.y + y++, area.w, str_from_to(rest, 0, end),
                       q->failed ? ROLE_ERROR : ROLE_DIM, 0);
        rest = str_skip(rest, end < rest.n ? end + 1 : end);
    }
    return y;
}

void query_draw(struct app *a, struct rect area)
{
    struct cells *c = &a->cells;
    struct query_pane *q = &a->query;
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, U'─', ROLE_BORDER, 0);
    cells_put_text(c, area.x + 1, area.y, area.w - 2,
                   a->focus == FOCUS_EDITOR ? STR("[SQL] Enter after a final ; runs, Up recalls ")
                                            : STR(" SQL "),
                   a->focus == FOCUS_EDITOR ? ROLE_TAB_ACTIVE : ROLE_TAB, 0);
    int h = editor_height(a, area.h - 1), y = area.y + 1;
    cells_put(c, area.x, y, '>', ROLE_PROMPT, 0);
    struct sql_marks marks = {.error = q->error_at, .done = q->done};
    struct editor_caret caret =
        sql_text_draw(c, (struct rect){area.x + 2, y, area.w - 2, h}, &q->editor, &marks);
    if (a->focus == FOCUS_EDITOR) {
        a->caret_x = caret.x;
        a->caret_y = caret.y;
    }
    y += h;
    if (q->running) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        cells_put_format(c, area.x + 1, y++, area.w - 2, ROLE_PROGRESS, 0,
                         " %s, %ld s; Ctrl-C cancels ",
                         q->waiting ? "waiting for the cancelled query's end" : "running",
                         (long)(now.tv_sec - q->started.tv_sec));
    } else if (q->message) {
        y += draw_message(c, (struct rect){area.x + 1, y, area.w - 2, area.y + area.h - y}, q);
    }
    if (q->grid && y + 1 < area.y + area.h) {
        grid_draw(c, (struct rect){area.x, y, area.w, area.y + area.h - y}, q->grid,
                  a->focus == FOCUS_GRID);
        if (a->focus == FOCUS_GRID) {
            a->caret_x = area.x + 1;
            a->caret_y = y + 1 + (int)(q->grid->selected - q->grid->top);
        }
    }
}
