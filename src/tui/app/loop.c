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
#include "tui/app/below_prompt.h"
#include "tui/app/draw.h"
#include "tui/app/first_view.h"
#include "tui/app/follow.h"
#include "tui/app/key_input.h"
#include "tui/app/known_traces.h"
#include "tui/app/loading.h"
#include "tui/app/move.h"
#include "tui/app/place.h"
#include "tui/app/query_run.h"
#include "tui/app/script.h"
#include "tui/app/session.h"
#include "tui/app/state.h"
#include "tui/app/trace_list.h"
#include "tui/app/tracks.h"
#include "tui/app/update.h"

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
    if (!a->opened || a->query.running || a->findings.waiting || a->follow.next ||
        follow_reads_on(a))
        own = PROGRESS_MS;
    else if (a->pane.stale)
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
                      .term = a->term,
                      .theme = a->theme,
                      .descriptions = a->descriptions,
                      .list = a->list,
                      .look = a->look};
    a->count = -1;
    a->wanted_top = NO_TOP;
    a->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    a->loader = worker_new(a->wake_fd, options->sort_memory, options->no_vector, options->alerts);
    a->helper = worker_new(a->wake_fd, options->sort_memory, options->no_vector, options->alerts);
    cells_init(&a->cells, 1, 1);
    details_pane_init(&a->pane);
    findings_init(&a->findings);
    area_tables_init(&a->area_tables);
    flame_pane_init(&a->flame);
    logs_pane_init(&a->logs);
    picker_init(&a->picker);
    query_init(&a->query);
}

static void app_release(struct app *a)
{
    atomic_store(&a->progress.cancel, true); /* the rest of a trace may be on its way */
    worker_free(a->loader);
    worker_free(a->helper);
    opened_free(a->opened);
    opened_free(a->follow.next);
    foreign_sql_release(&a->foreign_sql);
    history_release(&a->history);
    rows_release(&a->rows);
    shown_spans_release(&a->shown);
    vec_release(&a->overview.shares);
    details_pane_release(&a->pane);
    findings_release(&a->findings);
    area_tables_release(&a->area_tables);
    flame_pane_release(&a->flame);
    logs_pane_release(&a->logs);
    text_view_release(&a->text_view);
    app_place_settle(a);
    band_release(&a->band);
    vec_release(&a->notes);
    vec_release(&a->marks);
    search_release(&a->search);
    picker_release(&a->picker);
    query_release(&a->query);
    editor_release(&a->prompt);
    editor_release(&a->help_search);
    cells_release(&a->cells);
    status_release(&a->load_error);
    close(a->wake_fd);
}

static void app_free(struct app *a)
{
    app_release(a);
    piped_file_end(a->follow.piped);
    descriptions_free(a->descriptions);
    trace_list_free(a->list);
    free(a);
}

/* Rows have other numbers in traces that were aligned anew: only the window stays. */
static void show_aligned(struct app *a, int64_t start, int64_t dur)
{
    int64_t ts = a->follow.ts;
    bool within = ts >= start && ts - start < dur;
    app_apply(a, app_set_window(a, within ? (wide_int)start : (wide_int)ts - dur / 2, dur));
    a->cursor.ts = ts;
    app_leave_findings(a);
    a->focus = FOCUS_TRACKS;
    app_apply(a, EFFECT_ROWS | EFFECT_SELECT);
    app_say(a, "aligned");
}

/* What was shown was not touched: what was loaded is shown as if it were the first. */
static void show_untouched(struct app *a)
{
    struct opened *next = a->follow.next;
    struct tui_options options = a->options;
    struct follow follow = a->follow;
    a->follow.next = follow.next = NULL;
    app_release(a);
    app_init(a, &options);
    a->follow = follow;
    a->opened = next; /* of which the layout is */
    app_apply(a, EFFECT_ROWS);
    app_apply(a, app_open_first(a, next));
    if (!next->part)
        app_say(a, "all of the trace is read");
}

/* Rows have other numbers in a part of the trace: the window and the filter stay. */
struct seen_part {
    int64_t start, dur, ts;
    char filter[sizeof((struct app *)NULL)->filter];
};

static struct seen_part part_seen(const struct app *a)
{
    struct seen_part seen = {a->viewport.start, a->viewport.dur, a->cursor.ts, ""};
    memcpy(seen.filter, a->filter, sizeof seen.filter);
    return seen;
}

static void show_seen(struct app *a, const struct seen_part *seen)
{
    if (seen->filter[0])
        app_apply(a, app_show_filtered(a, str_from(seen->filter)));
    app_apply(a, app_set_window(a, seen->start, seen->dur));
    a->cursor.ts = seen->ts;
}

/* What was loaded anew takes the place of what is shown, which is built again as it was. */
static void show_next(struct app *a)
{
    int64_t start = a->viewport.start, dur = a->viewport.dur;
    follow_note_end(a);
    a->follow.at_end &= !a->opened->part || a->follow.whole; /* the end is another one then */
    char *session = app_session_print(a);
    struct opened *next = a->follow.next;
    struct follow follow = a->follow;
    struct tui_options options = a->options;
    struct query_pane texts = {0};
    const struct details_tab *tab = a->pane.tab;
    enum focus focus = a->focus;
    bool was_part = a->opened->part, editing = a->query.open, touched = a->touched;
    struct seen_part seen = part_seen(a);
    bool forget_session = a->forget_session, grows = a->options.follow;
    struct flame_pane flame = flame_pane_take(a);
    struct findings findings = grows ? findings_take(a) : (struct findings){0};
    options.place = NULL;
    a->follow.next = NULL;
    query_init(&texts);
    query_move_texts(&texts, &a->query);
    app_release(a);
    app_init(a, &options);
    query_move_texts(&a->query, &texts);
    query_release(&texts);
    a->forget_session = forget_session;
    flame_pane_put(a, &flame);
    if (grows)
        findings_put(a, &findings);
    follow.next = NULL;
    a->follow = follow;
    a->follow.query_waits = QUERY_NONE;
    a->follow.another = false;
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
    app_apply(a, follow_end(a));
    a->pane.tab = tab;
    a->focus = focus;
    app_apply(a, EFFECT_ROWS | EFFECT_SELECT);
    if (editing) /* only of a part: no query has run yet */
        app_apply(a, query_open(a));
    if (next->part) {
        a->follow.query_waits = follow.query_waits;
        return;
    }
    app_say(a, was_part         ? "all of the trace is read"
               : follow.damaged ? "what was kept of the trace was damaged: it was loaded anew"
               : follow.another && !a->options.follow_whole
                   ? "another file took the place of the trace, or it was cut short: loaded anew"
                   : "the trace has changed and was loaded anew");
    if (follow.query_waits)
        query_run(a, follow.query_waits == QUERY_STATEMENT);
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
        known_traces_note(a->options.path, a->findings.headline, true);
}

void app_take_list(struct app *a)
{
    if (!a->choose)
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
    trace_list_stop(a->list);
    return worker_end(a->loader, END_MS) && worker_end(a->helper, END_MS);
}

static int report(struct app *a, struct status s)
{
    int exit_status = s.code == STATUS_USAGE ? 2 : 3;
    fprintf(standard_errors(), "tptui: %s\n", s.message ? s.message : "it failed");
    status_release(&s);
    app_free(a);
    return exit_status;
}

int tui_main(const struct tui_options *options)
{
    struct app *a = alloc_array(1, sizeof *a);
    app_init(a, options);
    struct status s =
        theme_load(options->theme ? options->theme : theme_builtin_name(0), &a->theme);
    a->descriptions = descriptions_new();
    if (status_ok(s))
        s = descriptions_add_users(a->descriptions);
    if (!status_ok(s)) {
        report(a, s);
        return 2;
    }
    s = options->list ? trace_list_new(options->path, &a->list)
                      : trace_probe_file(options->path, options->as);
    if (status_ok(s))
        s = open_term(a);
    if (!status_ok(s))
        return report(a, s);
    if (!a->list)
        app_load(a);
    app_apply(a, EFFECT_ROWS); /* the first layout */
    if (a->list)
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
    if (!status_ok(a->load_error)) {
        bool cancelled = a->load_error.code == STATUS_CANCELLED;
        fprintf(standard_errors(), "tptui: %s\n", cancelled ? "cancelled" : a->load_error.message);
        exit_status = !cancelled ? 3 : a->interrupted ? 130 /* as after SIGINT */ : 0;
    }
    if (!end_workers(a))
        _exit(standard_output_end(exit_status)); /* a worker is busy with what would be freed */
    app_free(a);
    return exit_status;
}
