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
#include "sql/format/format.h"
#include "tui/app/grid_jobs.h"
#include "tui/app/sql_text.h"
#include "tui/app/state.h"
#include "tui/view/time_format.h"

void query_init(struct query_pane *q)
{
    for (int i = 0; i < QUERY_TABS; i++)
        q->tabs[i] = (struct query_tab){.editor = {.multiline = true}, .error_at = NO_PLACE};
    q->tab_count = 1;
    q->editor.multiline = true;
    q->error_at = NO_PLACE;
    query_history_init(&q->history);
}

/* What the pane has becomes the current tab's. */
static void put_away(struct query_pane *q)
{
    q->tabs[q->tab] = (struct query_tab){
        .editor = q->editor,
        .grid = q->grid,
        .message = q->message,
        .sql = q->sql,
        .failed = q->failed,
        .done = q->done,
        .error_at = q->error_at,
    };
}

static void release_tab(struct query_tab *t)
{
    editor_release(&t->editor);
    grid_free(t->grid);
    free(t->message);
    free(t->sql);
}

effects query_choose_tab(struct app *a, int tab)
{
    struct query_pane *q = &a->query;
    if (q->running) {
        app_say(a, "a query runs: Ctrl-C cancels it");
        return EFFECT_NONE;
    }
    tab = tab < q->tab_count ? tab : q->tab_count;
    if (tab >= QUERY_TABS)
        return EFFECT_NONE;
    put_away(q);
    completion_popup_close(&q->popup);
    const struct query_tab *t = &q->tabs[tab];
    q->tab = tab;
    q->tab_count = tab < q->tab_count ? q->tab_count : tab + 1;
    q->editor = t->editor;
    q->grid = t->grid;
    q->message = t->message;
    q->sql = t->sql;
    q->failed = t->failed;
    q->done = t->done;
    q->error_at = t->error_at;
    a->focus = FOCUS_EDITOR;
    return EFFECT_ROWS;
}

void query_release(struct query_pane *q)
{
    query_history_release(&q->history);
    completion_popup_close(&q->popup);
    schema_free(q->schema);
    put_away(q);
    for (int i = 0; i < QUERY_TABS; i++)
        release_tab(&q->tabs[i]);
}

static void set_message(struct query_pane *q, bool failed, const char *text)
{
    free(q->message);
    q->message = alloc_copy(text, strlen(text));
    q->failed = failed;
}

struct schema_job {
    struct job job;
    struct trace *trace;
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
        struct query_pane *q = &a->query;
        q->schema_asked = false;
        if (j->schema) {
            completion_popup_close(&q->popup);
            schema_free(q->schema);
            q->schema = j->schema;
            j->schema = NULL;
        }
    }
    schema_free(j->schema);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

/* Of the connection that runs the user's queries: what they define is there only. */
static void ask_for_schema(struct app *a)
{
    struct query_pane *q = &a->query;
    if (q->schema_asked || q->running || (q->schema && !q->schema_stale))
        return;
    struct schema_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_schema, finish_schema, NULL};
    j->trace = &a->opened->trace;
    q->schema_asked = true;
    q->schema_stale = false;
    worker_push(a->loader, &j->job);
}

effects query_open(struct app *a)
{
    a->query.open = true;
    a->focus = FOCUS_EDITOR;
    ask_for_schema(a);
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
    completion_popup_close(&q->popup);
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

void query_format(struct app *a)
{
    struct query_pane *q = &a->query;
    char *text;
    struct status s = sql_format("query", editor_text(&q->editor), &text);
    if (!status_ok(s)) {
        set_message(q, true, s.message);
        q->error_at = sql_error_place(editor_text(&q->editor), s.message);
        status_release(&s);
        return;
    }
    size_t n = strlen(text);
    take_text(q, (struct str){text, n - (n > 0)}); /* without the last line's end */
    free(text);
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

/* Memory for the rows of a result; more go to a file. */
enum { RESULT_MEMORY = 256 << 20 };

struct query_job {
    struct job job;
    atomic_bool cancelled; /* nobody waits for it any more */
    struct trace *trace;
    struct result_feed feed;
    struct status status;
    char *text;
};

static void run_query(struct job *job, struct worker *w)
{
    struct query_job *q = (struct query_job *)job;
    struct sql_session *session = worker_session(w, q->trace, &q->status);
    if (!status_ok(q->status) || atomic_load(&q->cancelled))
        return;
    struct sql_sink sink = result_feed_sink(&q->feed);
    q->status = sql_session_run(session, "query", str_from(q->text), &sink);
    result_feed_end(&q->feed);
}

/* The rows of what was run last, in a grid of their own. */
static void show_result(struct query_pane *pane, struct query_job *q)
{
    struct result *result = result_feed_take(&q->feed);
    if (result && (!pane->grid || pane->grid->result != result)) {
        grid_free(pane->grid);
        pane->grid = grid_new(result);
        pane->grid->style = pane->style;
        int column = result_column(result, pane->column);
        pane->grid->column = column > 0 ? (uint32_t)column : 0;
    }
    result_release(result);
}

/* The result takes the focus from who waits for it. */
static void enter_result(struct app *a)
{
    struct query_pane *pane = &a->query;
    if (pane->open && a->focus == FOCUS_EDITOR && !pane->edited && pane->grid &&
        grid_rows(pane->grid) > 0)
        a->focus = FOCUS_GRID;
}

effects query_look(struct app *a)
{
    struct query_pane *pane = &a->query;
    const struct grid *before = pane->grid;
    if (!pane->running)
        return EFFECT_NONE;
    show_result(pane, pane->running);
    if (pane->grid == before)
        return EFFECT_NONE;
    enter_result(a);
    return EFFECT_ROWS;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* "12,345 rows" */
static void print_rows(char *out, size_t size, uint32_t rows)
{
    char number[32];
    format_value(number, sizeof number, rows);
    snprintf(out, size, "%s row%s", number, rows == 1 ? "" : "s");
}

static char *describe_result(struct app *a, const struct query_job *q)
{
    struct query_pane *pane = &a->query;
    char *text = NULL, rows[48];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    const char *cut = pane->grid ? result_cut(pane->grid->result) : NULL;
    print_rows(rows, sizeof rows, pane->grid ? grid_rows(pane->grid) : 0);
    if (!pane->grid)
        fputs("done, it yields no rows", f);
    else
        fprintf(f, "%s%s", cut ? "only the first " : "", rows);
    if (!a->options.script) /* whose screens must not depend on the clock */
        fprintf(f, " in %.3f s", seconds_since(&pane->started));
    struct result_size kept =
        pane->grid ? result_size(pane->grid->result) : (struct result_size){0};
    if (kept.file > 0)
        fprintf(f, "; %zu MB in memory, %zu MB in a file", kept.memory >> 20, kept.file >> 20);
    if (cut)
        fprintf(f, ": %s. tptui query writes all of them", cut);
    if (q->feed.note)
        fprintf(f, "\n%s", q->feed.note);
    fclose(f);
    return text;
}

/* With what can be done about it. */
static void set_failure(struct query_pane *pane, const char *message)
{
    char *text = NULL;
    bool includes = strstr(message, "INCLUDE PERFETTO MODULE ") != NULL;
    if (includes && asprintf(&text, "%s\nAlt-I adds that and runs the query again", message) > 0)
        message = text;
    set_message(pane, true, message);
    free(text);
}

/* What the pane says about a query that was not given up, and its result. */
static void take_result(struct app *a, struct query_job *q)
{
    struct query_pane *pane = &a->query;
    show_result(pane, q);
    bool cut = pane->grid && result_cut(pane->grid->result) && q->status.code == STATUS_CANCELLED;
    if (!status_ok(q->status) && !cut) {
        if (pane->open && a->focus == FOCUS_GRID)
            a->focus = FOCUS_EDITOR;
        grid_free(pane->grid);
        pane->grid = NULL;
        set_failure(pane, q->status.message);
        pane->error_at = sql_error_place(editor_text(&pane->editor), q->status.message);
        return;
    }
    char *text = describe_result(a, q);
    set_message(pane, false, text);
    free(text);
    enter_result(a);
    if (pane->grid && (pane->grid->filters.count > 0 || pane->grid->sorted_by >= 0))
        grid_reorder(a); /* of all rows now */
    pane->schema_stale |= !pane->grid;
    ask_for_schema(a);
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
    result_feed_release(&q->feed);
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
    query_look(a);
    atomic_store(&pane->running->cancelled, true);
    atomic_store(&pane->running->feed.closed, true);
    worker_cancel(a->loader);
    pane->running = NULL;
    pane->waiting = true;
    if (pane->open && a->focus == FOCUS_GRID)
        a->focus = FOCUS_EDITOR;
    bool rows = pane->grid && grid_rows(pane->grid) > 0;
    set_message(pane, true, rows ? "cancelled; these are the first rows" : "cancelled");
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

/* On the worker's thread. */
static void wake_screen(void *app)
{
    const struct app *a = app;
    uint64_t one = 1;
    ssize_t n = write(a->wake_fd, &one, sizeof one);
    (void)n; /* an eventfd is full only when the reader has plenty to wake for */
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
    completion_popup_close(&pane->popup);
    pane->done = sql_is_complete(text) && pane->editor.caret == text.n;
    pane->error_at = NO_PLACE;
    const struct grid_column *column = pane->grid ? grid_current(pane->grid) : NULL;
    if (column)
        snprintf(pane->column, sizeof pane->column, "%s",
                 result_name(pane->grid->result, column->source));
    struct query_job *q = alloc_array(1, sizeof *q);
    q->job.run = run_query;
    q->job.done = finish_query;
    q->trace = &a->opened->trace;
    result_feed_init(&q->feed, RESULT_MEMORY);
    q->feed.first_rows = wake_screen;
    q->feed.ctx = a;
    q->text = text_to_run(text, range);
    free(pane->sql);
    pane->sql = alloc_copy(text.p + range.from, range.to - range.from);
    grid_free(pane->grid);
    pane->grid = NULL;
    pane->running = q;
    pane->edited = false;
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

void query_complete(struct app *a)
{
    struct query_pane *q = &a->query;
    completion_popup_follow(&q->popup, q->schema, &q->editor, true);
    if (q->popup.found.v.count == 0)
        app_say(a, q->schema ? "nothing to complete here" : "the schema is being read");
}

static bool stands_behind_word(const struct editor *e)
{
    char c = e->caret > 0 ? editor_text(e).p[e->caret - 1] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

bool query_editor_key(struct app *a, const struct key_event *key)
{
    struct query_pane *q = &a->query;
    struct editor_place place = editor_place(&q->editor);
    bool at_end = q->editor.caret == q->editor.text.count;
    bool back = key->key == (TK_SHIFT | TK_TAB);
    if ((key->key == TK_TAB || (back && q->popup.inserted)) &&
        completion_popup_take(&q->popup, &q->editor, back ? -1 : 1))
        return true;
    if (key->key == TK_TAB && stands_behind_word(&q->editor)) { /* who types wants no other pane */
        app_say(a, q->schema ? "nothing to complete here" : "the schema is being read");
        return true;
    }
    if (key->key == (TK_CTRL | 'd') && a->options.sql && q->editor.text.count == 0) {
        a->quit = true;
        return true;
    }
    if (key->key == TK_ESC && q->popup.found.v.count > 0) {
        completion_popup_close(&q->popup);
        return true;
    }
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
    if (editor_key(&q->editor, key)) {
        bool typed = key->key >= ' ' && key->key < TK_FIRST;
        bool narrowed = key->key == TK_BACKSPACE && q->popup.found.v.count > 0;
        if (typed || narrowed)
            completion_popup_follow(&q->popup, q->schema, &q->editor, false);
        else
            completion_popup_close(&q->popup);
        q->edited = true;
        return true;
    }
    q->done = done; /* it is no key of the text */
    q->error_at = error_at;
    return false;
}

struct wall_job {
    struct job job;
    struct trace *trace;
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
        q->grid->columns.items[i].width = 0; /* as wide as it needs now */
}

static effects finish_wall(struct job *job, struct app *a)
{
    struct wall_job *j = (struct wall_job *)job;
    if (a && status_ok(j->status)) {
        a->query.wall_known = true;
        a->query.style.wall_offset = j->offset;
        set_style(&a->query);
    } else if (a) {
        a->query.style.time = TIME_NS;
        set_style(&a->query);
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
    struct query_pane *q = &a->query;
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
    struct query_pane *q = &a->query;
    q->style.human_durations = !q->style.human_durations;
    set_style(q);
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

/* "row 3 of 1,234" at the right end of a line, and the filters before it. */
static void draw_grid_place(struct cells *c, struct rect line, const struct grid *g)
{
    char row[32], rows[32], text[160], filters[200];
    grid_print_filters(g, filters, sizeof filters);
    if (filters[0])
        cells_put_format(c, line.x + 8, line.y, line.w - 50, ROLE_TAB_ACTIVE, 0, " only %s%s ",
                         filters, g->ordering ? " ..." : "");
    if (grid_rows(g) == 0)
        return;
    char type[60] = "";
    if (g->column < g->columns.count)
        grid_print_type(g, &g->columns.items[g->column], type, sizeof type);
    format_value(row, sizeof row, (double)g->row + 1);
    format_value(rows, sizeof rows, grid_rows(g));
    int n = snprintf(text, sizeof text, " %s   row %s of %s ", type, row, rows);
    cells_put_text(c, line.x + line.w - n - 1, line.y, n, str_from(text), ROLE_TAB, 0);
}

void query_draw(struct app *a, struct rect area)
{
    struct cells *c = &a->cells;
    struct query_pane *q = &a->query;
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, U'─', ROLE_BORDER, 0);
    char number[32] = "";
    if (q->tab_count > 1)
        snprintf(number, sizeof number, " %d of %d", q->tab + 1, q->tab_count);
    if (a->focus == FOCUS_EDITOR)
        cells_put_format(c, area.x + 1, area.y, area.w - 2, ROLE_TAB_ACTIVE, 0,
                         "[SQL%s] Enter after a final ; runs, Up recalls ", number);
    else
        cells_put_format(c, area.x + 1, area.y, area.w - 2, ROLE_TAB, 0, " SQL%s ", number);
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
    char sums[200] = "";
    grid_print_sums(a, sums, sizeof sums);
    if (sums[0]) {
        cells_put_text(c, area.x + 1, y++, area.w - 2, str_from(sums), ROLE_STRONG, 0);
    } else if (q->running) {
        char rows[48];
        print_rows(rows, sizeof rows, q->grid ? grid_rows(q->grid) : 0);
        cells_put_format(c, area.x + 1, y++, area.w - 2, ROLE_PROGRESS, 0,
                         "%s, %.1f s, %s; Ctrl-C cancels",
                         q->waiting ? "waiting for the cancelled query's end" : "running",
                         seconds_since(&q->started), rows);
    } else if (q->message) {
        y += draw_message(c, (struct rect){area.x + 1, y, area.w - 2, area.y + area.h - y}, q);
    }
    if (q->grid && y + 1 < area.y + area.h) {
        struct rect box = {area.x, y, area.w, area.y + area.h - y};
        struct grid_caret cell = grid_draw(c, box, q->grid, a->focus == FOCUS_GRID);
        draw_grid_place(c, (struct rect){area.x, area.y, area.w, 1}, q->grid);
        if (a->focus == FOCUS_GRID) {
            a->caret_x = cell.x;
            a->caret_y = cell.y;
        }
    }
    if (a->focus == FOCUS_EDITOR)
        completion_popup_draw(c, area, &q->popup, caret);
}
