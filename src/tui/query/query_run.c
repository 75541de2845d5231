#include "tui/query/query_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "complete/likely.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/input/sql_text.h"
#include "tui/query/grid.h"
#include "tui/query/grid_links.h"
#include "tui/query/grid_order.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_schema.h"

void query_set_message(struct query_pane *q, bool failed, const char *text)
{
    free(q->message);
    q->message = alloc_copy(text, strlen(text));
    q->failed = failed;
}

/* Memory for the rows of a result; more go to a file. */
enum { RESULT_MEMORY = 256 << 20 };

struct query_job {
    struct job job;
    atomic_bool cancelled; /* nobody waits for it any more */
    const struct trace *trace;
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
        grid_find_links(pane->grid, pane->schema, str_from(pane->sql ? pane->sql : ""));
        int column = result_column(result, pane->column);
        pane->grid->column = pane->to_last ? result_columns(result) - 1
                             : column > 0  ? (uint32_t)column
                                           : 0;
    }
    result_release(result);
}

int query_lines(const char *text)
{
    int lines = 0;
    struct str rest = str_from(text), line;
    while (str_next_line(&rest, &line))
        lines++;
    return lines;
}

/* The rows, their names, the statement, and a line for the next one. */
bool query_fits_below_prompt(struct app *a)
{
    struct grid *g = a->query->grid;
    struct term_size size = term_size(a->term);
    int text = query_lines(a->query->sql ? a->query->sql : ""), room = size.height - text - 4;
    return !g || (grid_rows(g) <= (uint32_t)(room > QUERY_HEAD_ROWS ? room : QUERY_HEAD_ROWS) &&
                  grid_width(g, grid_rows(g)) <= size.width);
}

/* The result takes the focus from who waits for it, once, with its first rows. */
static bool enter_result(struct app *a)
{
    struct query_pane *pane = a->query;
    if (!a->query_open || a->focus != FOCUS_EDITOR || pane->edited || pane->entered ||
        !pane->grid || grid_rows(pane->grid) == 0)
        return false;
    if (a->options.below_prompt && query_fits_below_prompt(a))
        return false;
    a->focus = FOCUS_GRID;
    return pane->entered = true;
}

effects query_look(struct app *a)
{
    struct query_pane *pane = a->query;
    const struct grid *before = pane->grid;
    if (!pane->running)
        return EFFECT_NONE;
    show_result(pane, pane->running);
    bool entered = enter_result(a);
    return entered || pane->grid != before ? EFFECT_ROWS : EFFECT_NONE;
}

double query_seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* "12,345 rows" */
void query_print_rows(char *out, size_t size, uint32_t rows)
{
    char number[32];
    format_value(number, sizeof number, rows);
    snprintf(out, size, "%s row%s", number, rows == 1 ? "" : "s");
}

static char *describe_result(struct app *a, const struct query_job *q)
{
    struct query_pane *pane = a->query;
    char *text = NULL, rows[48];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    const char *cut = pane->grid ? result_cut(pane->grid->result) : NULL;
    query_print_rows(rows, sizeof rows, pane->grid ? grid_rows(pane->grid) : 0);
    if (!pane->grid)
        fputs("done, it yields no rows", f);
    else
        fprintf(f, "%s%s", cut ? "only the first " : "", rows);
    if (!a->options.script) /* whose screens must not depend on the clock */
        fprintf(f, " in %.3f s", query_seconds_since(&pane->started));
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
    query_set_message(pane, true, message);
    free(text);
}

/* What the pane says about a query that was not given up, and its result. */
static void take_result(struct app *a, struct query_job *q)
{
    struct query_pane *pane = a->query;
    show_result(pane, q);
    bool cut = pane->grid && result_cut(pane->grid->result) && q->status.code == STATUS_CANCELLED;
    if (!status_ok(q->status) && !cut) {
        if (a->query_open && a->focus == FOCUS_GRID)
            a->focus = FOCUS_EDITOR;
        grid_free(pane->grid);
        pane->grid = NULL;
        set_failure(pane, q->status.message);
        pane->error_at = sql_error_place(editor_text(&pane->editor), q->status.message);
        return;
    }
    char *text = describe_result(a, q);
    query_set_message(pane, false, text);
    free(text);
    pane->unprinted = a->options.below_prompt;
    enter_result(a);
    if (pane->grid && (pane->grid->filters.count > 0 || pane->grid->sorted_by >= 0))
        grid_reorder(a); /* of all rows now */
    pane->schema_stale |= !pane->grid;
    query_ask_for_schema(a);
}

static effects finish_query(struct job *job, struct app *a)
{
    struct query_job *q = (struct query_job *)job;
    if (a && a->query->running == q) {
        a->query->running = NULL;
        take_result(a, q);
    } else if (a) {
        a->query->waiting = false;
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
    struct query_pane *pane = a->query;
    query_look(a);
    atomic_store(&pane->running->cancelled, true);
    atomic_store(&pane->running->feed.closed, true);
    worker_cancel(a->loader);
    pane->running = NULL;
    pane->waiting = true;
    if (a->query_open && a->focus == FOCUS_GRID)
        a->focus = FOCUS_EDITOR;
    bool rows = pane->grid && grid_rows(pane->grid) > 0;
    query_set_message(pane, true, rows ? "cancelled; these are the first rows" : "cancelled");
    pane->done = true;
    if (!a->query_open) /* else it says so */
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
    struct query_pane *pane = a->query;
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
    if (app_reads_on(a)) {
        a->query->waits = only_statement ? QUERY_STATEMENT : QUERY_TEXT;
        app_say(
            a, "the trace is still being read: the query runs when it is there; Ctrl-C stops that");
        return;
    }
    query_history_add(&pane->history, text);
    if (pane->schema)
        schema_count_use(pane->schema, text);
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
    pane->edited = pane->entered = pane->to_last = false;
    clock_gettime(CLOCK_MONOTONIC, &pane->started);
    worker_push(a->loader, &q->job);
}
