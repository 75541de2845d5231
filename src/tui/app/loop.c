#include "tui/app/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "parsers/input/piped_file.h"
#include "tui/app/app.h"
#include "tui/app/below_prompt.h"
#include "tui/app/bindings.h"
#include "tui/app/draw.h"
#include "tui/app/follow.h"
#include "tui/app/key_input.h"
#include "tui/app/known_traces.h"
#include "tui/app/loading.h"
#include "tui/app/program.h"
#include "tui/app/script.h"
#include "tui/app/session.h"
#include "tui/app/trace_list.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"
#include "tui/tabs/area_tables.h"
#include "tui/tabs/findings.h"
#include "tui/tabs/flame_pane.h"
#include "tui/tabs/logs_pane.h"
#include "tui/timeline/first_view.h"
#include "tui/timeline/move.h"
#include "tui/timeline/place.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"
#include "tui/timeline/update.h"

enum { PROGRESS_MS = 100, END_MS = 20 };

void app_take_jobs(struct app *a)
{
    uint64_t n;
    ssize_t got = read(a->wake_fd, &n, sizeof n);
    (void)got; /* only resets the eventfd; there may be nothing in it */
    struct worker *workers[] = {a->loader, a->helper};
    for (int i = 0; i < 2; i++)
        for (struct job *job; (job = worker_take(workers[i]));)
            app_apply(a, job->done(job, a));
    app_apply(a, query_look(a));
    findings_look(a);
}

bool app_is_idle(struct app *a)
{
    return a->quit || (!worker_busy(a->loader) && !worker_busy(a->helper));
}

void app_handle_keys(struct app *a)
{
    struct key_event keys[32];
    size_t n;
    while (!a->quit && (n = term_read_keys(a->term, keys, 32)) > 0)
        for (size_t i = 0; i < n && !a->quit; i++)
            app_apply(a, app_key(a, &keys[i]));
}

/* What nobody has touched fills the screen that it now has. */
static void resized(struct app *a)
{
    app_apply(a, EFFECT_ROWS);
    if (a->opened && !a->touched && !a->options.below_prompt)
        app_apply(a, app_fill_screen(a));
    findings_look(a);
}

void app_show(struct app *a)
{
    struct term_size size = term_size(a->term);
    if (size.width != a->layout.width || size.height != a->layout.height)
        resized(a);
    if (below_prompt_is_on(a)) {
        below_prompt_show(a);
        return;
    }
    term_take_screen(a->term, true);
    app_draw(a);
    if (a->look.ascii)
        cells_make_ascii(&a->cells);
    term_draw(a->term, &a->cells, a->caret_x, a->caret_y);
}

/* Details follow once the cursor has rested; until then the frame keeps the old ones. */
static int wait_ms(struct app *a)
{
    int ms = term_timeout(a->term);
    int own = -1;
    if (!a->opened || a->query->running || a->findings->waiting || a->next || app_reads_on(a))
        own = PROGRESS_MS;
    else if (a->view->pane.stale)
        own = DETAILS_REST_MS;
    else if (a->options.follow)
        own = follow_look_ms(a);
    if (ms < 0)
        return own;
    return own >= 0 && own < ms ? own : ms;
}

static bool handle_signals(struct app *a)
{
    unsigned signals = term_read_signals(a->term);
    if (signals & TERM_QUIT) {
        a->quit = true;
        return false;
    }
    if (signals & TERM_STOP)
        term_stop(a->term);
    return signals != 0;
}

/* What stays from one trace to the next: the screen and how it looks. */
static void app_init(struct app *a, const struct tui_options *options)
{
    *a = (struct app){.options = *options,
                      .edit_keys = bindings_editor(options->bindings),
                      .view = a->view,
                      .query = a->query,
                      .area_tables = a->area_tables,
                      .findings = a->findings,
                      .flame = a->flame,
                      .logs = a->logs,
                      .program = a->program,
                      .term = a->term,
                      .theme = a->theme,
                      .descriptions = a->descriptions,
                      .look = a->look};
    *a->program = (struct program){.list = a->program->list, .count = -1};
    *a->view = (struct timeline_view){0};
    *a->query = (struct query_pane){0};
    *a->findings = (struct findings){0};
    a->view->wanted_top = NO_TOP;
    a->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    a->loader = worker_new(a->wake_fd, options->sort_memory, options->no_vector, options->alerts);
    a->helper = worker_new(a->wake_fd, options->sort_memory, options->no_vector, options->alerts);
    cells_init(&a->cells, 1, 1);
    details_pane_init(&a->view->pane);
    findings_init(a->findings);
    area_tables_init(a->area_tables);
    flame_pane_init(a->flame);
    logs_pane_init(a->logs);
    picker_init(&a->picker);
    query_init(a->query);
}

static void app_release(struct app *a)
{
    atomic_store(&a->progress.cancel, true); /* the rest of a trace may be on its way */
    worker_free(a->loader);
    worker_free(a->helper);
    opened_free(a->opened);
    opened_free(a->next);
    foreign_sql_release(&a->program->foreign_sql);
    history_release(&a->view->history);
    rows_release(&a->view->rows);
    shown_spans_release(&a->view->shown);
    vec_release(&a->view->overview.shares);
    details_pane_release(&a->view->pane);
    findings_release(a->findings);
    area_tables_release(a->area_tables);
    flame_pane_release(a->flame);
    logs_pane_release(a->logs);
    text_view_release(&a->text_view);
    app_place_settle(a);
    band_release(&a->view->band);
    vec_release(&a->view->notes);
    vec_release(&a->view->marks);
    search_release(&a->view->search);
    picker_release(&a->picker);
    query_release(a->query);
    editor_release(&a->prompt);
    editor_release(&a->help_search);
    cells_release(&a->cells);
    status_release(&a->program->load_error);
    close(a->wake_fd);
}

/* The shared state and what each part keeps for itself. */
struct whole_app {
    struct app app;
    struct timeline_view view;
    struct query_pane query;
    struct area_tables area_tables;
    struct findings findings;
    struct flame_pane flame;
    struct logs_pane logs;
    struct program program;
};

static struct whole_app *whole_app_new(const struct tui_options *options)
{
    struct whole_app *w = alloc_array(1, sizeof *w);
    w->app.view = &w->view;
    w->app.query = &w->query;
    w->app.area_tables = &w->area_tables;
    w->app.findings = &w->findings;
    w->app.flame = &w->flame;
    w->app.logs = &w->logs;
    w->app.program = &w->program;
    app_init(&w->app, options);
    return w;
}

static void whole_app_free(struct whole_app *w)
{
    struct app *a = &w->app;
    app_release(a);
    piped_file_end(a->program->follow.piped);
    descriptions_free(a->descriptions);
    trace_list_free(a->program->list);
    free(w);
}

/* Rows have other numbers in traces that were aligned anew: only the window stays. */
static void show_aligned(struct app *a, int64_t start, int64_t dur)
{
    int64_t ts = a->program->follow.ts;
    bool within = ts >= start && ts - start < dur;
    app_apply(a, app_set_window(a, within ? (wide_int)start : (wide_int)ts - dur / 2, dur));
    a->view->cursor.ts = ts;
    app_leave_findings(a);
    a->focus = FOCUS_TRACKS;
    app_apply(a, EFFECT_ROWS | EFFECT_SELECT);
    app_say(a, "aligned");
}

/* What was shown was not touched: what was loaded is shown as if it were the first. */
static void show_untouched(struct app *a)
{
    struct opened *next = a->next;
    struct tui_options options = a->options;
    struct follow follow = a->program->follow;
    struct window_end end = a->view->end;
    enum waiting_query waits = a->query->waits;
    a->next = NULL;
    app_release(a);
    app_init(a, &options);
    a->program->follow = follow;
    a->view->end = end;
    a->query->waits = waits;
    a->opened = next; /* of which the layout is */
    app_apply(a, EFFECT_ROWS);
    app_apply(a, app_open_first(a, next));
    if (!next->part)
        app_say(a, "all of the trace is read");
}

/* Rows have other numbers in a part of the trace: the window and the filter stay. */
struct seen_part {
    int64_t start, dur, ts;
    char filter[sizeof((struct timeline_view *)NULL)->filter];
};

static struct seen_part part_seen(const struct app *a)
{
    struct seen_part seen = {a->view->viewport.start, a->view->viewport.dur, a->view->cursor.ts,
                             ""};
    memcpy(seen.filter, a->view->filter, sizeof seen.filter);
    return seen;
}

static void show_seen(struct app *a, const struct seen_part *seen)
{
    if (seen->filter[0])
        app_apply(a, app_show_filtered(a, str_from(seen->filter)));
    app_apply(a, app_set_window(a, seen->start, seen->dur));
    a->view->cursor.ts = seen->ts;
}

/* What was loaded anew takes the place of what is shown, which is built again as it was. */
static void show_next(struct app *a)
{
    int64_t start = a->view->viewport.start, dur = a->view->viewport.dur;
    app_note_window_end(a);
    a->view->end.shown &=
        !a->opened->part || a->view->end.with_all; /* the end is another one then */
    char *session = app_session_print(a);
    struct opened *next = a->next;
    struct follow follow = a->program->follow;
    struct window_end end = a->view->end;
    enum waiting_query waits = a->query->waits;
    struct tui_options options = a->options;
    struct query_pane texts = {0};
    const struct details_tab *tab = a->view->pane.tab;
    enum focus focus = a->focus;
    bool was_part = a->opened->part, editing = a->query_open, touched = a->touched;
    struct seen_part seen = part_seen(a);
    bool forget_session = a->program->forget_session, grows = a->options.follow;
    struct flame_pane flame = flame_pane_take(a);
    struct findings findings = grows ? findings_take(a) : (struct findings){0};
    options.place = NULL;
    a->next = NULL;
    query_init(&texts);
    query_move_texts(&texts, a->query);
    app_release(a);
    app_init(a, &options);
    query_move_texts(a->query, &texts);
    query_release(&texts);
    a->program->forget_session = forget_session;
    flame_pane_put(a, &flame);
    if (grows)
        findings_put(a, &findings);
    a->program->follow = follow;
    a->view->end = end;
    a->program->follow.another = false;
    a->opened = next;
    a->touched = touched;
    app_apply(a, EFFECT_ROWS); /* the first layout */
    if (next->part)
        app_load_next(a);
    app_start_view(a);
    if (a->options.pair.b) {
        free(session);
        show_aligned(a, start, dur);
        return;
    }
    if (was_part)
        show_seen(a, &seen);
    else if (session)
        app_apply(a, app_session_read(a, session));
    free(session);
    app_apply(a, app_keep_window_end(a));
    a->view->pane.tab = tab;
    a->focus = focus;
    app_apply(a, EFFECT_ROWS | EFFECT_SELECT);
    if (editing) /* only of a part: no query has run yet */
        app_apply(a, query_open(a));
    if (next->part) {
        a->query->waits = waits;
        return;
    }
    app_say(a, was_part         ? "all of the trace is read"
               : follow.damaged ? "what was kept of the trace was damaged: it was loaded anew"
               : follow.another && !a->options.follow_whole
                   ? "another file took the place of the trace, or it was cut short: loaded anew"
                   : "the trace has changed and was loaded anew");
    if (waits)
        query_run(a, waits == QUERY_STATEMENT);
}

bool app_take_next(struct app *a)
{
    if (a->quit || !follow_may_swap(a) || !app_is_idle(a))
        return false;
    if (a->opened->part && !a->touched)
        show_untouched(a);
    else
        show_next(a);
    return true;
}

void app_open_listed(struct app *a, uint32_t item)
{
    trace_list_choose(a, item);
    app_load(a);
}

/* What the user built and what was found are kept, as at the end. */
static void leave_trace(struct app *a)
{
    if (!a->opened || a->opened->part)
        return;
    app_session_keep(a);
    if (!a->options.script && !a->options.pair.b)
        known_traces_note(a->options.path, a->findings->headline, true);
}

void app_take_list(struct app *a)
{
    if (!a->program->choose)
        return;
    struct tui_options options = a->options;
    leave_trace(a);
    app_release(a);
    app_init(a, &options);
    app_apply(a, EFFECT_ROWS);
    trace_list_show(a);
}

static void run_loop(struct app *a)
{
    app_show(a);
    while (!a->quit) {
        struct pollfd fds[] = {
            {.fd = term_input_fd(a->term), .events = POLLIN},
            {.fd = term_signal_fd(a->term), .events = POLLIN},
            {.fd = a->wake_fd, .events = POLLIN},
        };
        if (term_unsent(a->term))
            fds[0].events |= POLLOUT;
        if (poll(fds, 3, wait_ms(a)) < 0 && errno != EINTR)
            break;
        if (fds[0].revents & POLLOUT)
            term_flush(a->term);
        if (fds[1].revents && !handle_signals(a) && a->quit)
            break;
        app_take_jobs(a);
        app_handle_keys(a);
        if (follow_look(a))
            app_load_next(a);
        app_take_next(a);
        app_take_list(a);
        if (!a->quit)
            app_show(a);
    }
}

static struct status open_term(struct app *a)
{
    const struct tui_options *o = &a->options;
    if (o->script) {
        a->look = (struct look){.ascii = o->charset == CHARSET_ASCII, .mono = o->no_colour};
        a->term = term_open_headless(o->width > 0 ? o->width : 120, o->height > 0 ? o->height : 36,
                                     a->look);
        return status_ok_value();
    }
    struct term_options options = {
        .charset = o->charset,
        .no_colour = o->no_colour,
        .mouse = o->mouse,
        .escape_delay_ms = o->escape_delay_ms,
        .below_prompt = o->below_prompt,
        .theme = &a->theme,
    };
    struct status s = term_open(&options, &a->term);
    if (!status_ok(s))
        return s;
    a->look = term_look(a->term);
    if (term_notice(a->term))
        app_say(a, "%s", term_notice(a->term));
    return status_ok_value();
}

/* Whether the workers end at once. */
static bool end_workers(struct app *a)
{
    atomic_store(&a->progress.cancel, true);
    trace_list_stop(a->program->list);
    return worker_end(a->loader, END_MS) && worker_end(a->helper, END_MS);
}

static int report(struct whole_app *w, struct status s)
{
    int exit_status = s.code == STATUS_USAGE ? 2 : 3;
    fprintf(standard_errors(), "tptui: %s\n", s.message ? s.message : "it failed");
    status_release(&s);
    whole_app_free(w);
    return exit_status;
}

int tui_main(const struct tui_options *options)
{
    struct whole_app *w = whole_app_new(options);
    struct app *a = &w->app;
    struct status s =
        theme_load(options->theme ? options->theme : theme_builtin_name(0), &a->theme);
    a->descriptions = descriptions_new();
    if (status_ok(s))
        s = descriptions_add_users(a->descriptions);
    if (!status_ok(s)) {
        report(w, s);
        return 2;
    }
    s = options->list ? trace_list_new(options->path, &a->program->list)
                      : trace_probe_file(options->path, options->as);
    if (status_ok(s))
        s = open_term(a);
    if (!status_ok(s))
        return report(w, s);
    if (!a->program->list)
        app_load(a);
    app_apply(a, EFFECT_ROWS); /* the first layout */
    if (a->program->list)
        trace_list_show(a);
    bool ok = true;
    if (options->show)
        ok = app_script_show(a, options->at, options->show);
    else if (options->script)
        ok = app_script_run(a, options->script);
    else
        run_loop(a);
    below_prompt_end(a);
    leave_trace(a);
    term_close(a->term);
    int exit_status = ok ? 0 : 1;
    if (!status_ok(a->program->load_error)) {
        bool cancelled = a->program->load_error.code == STATUS_CANCELLED;
        fprintf(standard_errors(), "tptui: %s\n",
                cancelled ? "cancelled" : a->program->load_error.message);
        exit_status = !cancelled ? 3 : a->program->interrupted ? 130 /* as after SIGINT */ : 0;
    }
    if (!end_workers(a))
        _exit(standard_output_end(exit_status)); /* a worker is busy with what would be freed */
    whole_app_free(w);
    return exit_status;
}
