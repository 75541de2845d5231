#include "tui/app/loading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "core/trace_builder.h"
#include "parsers/input/piped_file.h"
#include "tui/app/alerts.h"
#include "tui/app/follow.h"
#include "tui/app/kept_timeline.h"
#include "tui/app/program.h"
#include "tui/app/session.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"
#include "tui/query/query_track.h"
#include "tui/tabs/findings.h"
#include "tui/timeline/first_view.h"
#include "tui/timeline/place.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/empty_timeline.h"
#include "tui/index/stored_timeline.h"

struct load_job {
    struct job job;
    char *path;
    const struct trace_format *as;
    struct cache_options cache;
    bool checked;             /* nothing is shown that is not known to be sound */
    bool growing;             /* it is still written */
    uint64_t part;            /* bytes of the file; 0: all */
    struct piped_file *piped; /* that it is read from; NULL: from `path` */
    struct piped_wish wish;
    bool behind; /* what is shown already */
    struct pair_options pair;
    struct time_window window;
    struct load_progress *progress;
    struct opened *opened;
    struct status status;
};

void opened_free(struct opened *o)
{
    if (!o)
        return;
    track_tree_release(&o->tree);
    timeline_keeper_end(o->keeper, o->waits_for_cache);
    timeline_release(&o->timeline);
    const atomic_bool stop =
        !o->waits_for_cache; /* nobody waits to leave, unless he asked for it */
    struct status kept = cache_writer_end(o->cache.writer, &stop);
    status_release(&kept);
    free(o->cache.note);
    free(o->cache.beside);
    trace_release(&o->trace);
    free(o);
}

/* The timeline reads tables without asking whether they are sound. A whole one from the cache may
 * be shown while that is found out (check_kept); to make one, or to run a script, they are checked
 * before. */
static bool open_timeline(struct opened *o, bool check)
{
    bool kept = kept_timeline_open(&o->timeline, &o->trace, &o->cache);
    if ((check || !kept) && !stored_columns_check(&o->trace)) {
        if (kept)
            timeline_release(&o->timeline);
        return false;
    }
    if (kept && check && !stored_timeline_is_sound(&o->timeline)) {
        timeline_release(&o->timeline);
        kept = false;
    }
    if (!kept)
        timeline_init(&o->timeline, &o->trace);
    track_tree_init(&o->tree, &o->timeline);
    return true;
}

/* Forgets what came from the cache, and loads the trace. */
static struct status load_again(struct load_job *l, struct opened *o)
{
    const struct cache_options uncached = {.off = true};
    free(o->cache.note);
    free(o->cache.beside);
    trace_release(&o->trace);
    trace_init(&o->trace);
    return trace_open(&o->trace, l->path, l->as, &uncached, l->progress, &o->cache);
}

/* How much of what comes through a pipe is read, once that has come. */
static struct status wait_for_pipe(struct load_job *l)
{
    bool all;
    uint64_t size = piped_file_wait(l->piped, l->wish, l->progress, &all);
    uint64_t part = size < l->wish.want ? size : l->wish.want;
    if (!progress_goes_on(l->progress))
        return progress_cancelled(l->path);
    l->part = all && (l->behind || part == size) ? 0 : part;
    return status_ok_value();
}

static struct status load_piped(struct load_job *l, struct trace *t)
{
    int fd;
    struct status s = piped_file_open(l->piped, l->part == 0, &fd);
    if (!status_ok(s))
        return s;
    s = trace_load_open_file(t, fd, l->path, l->as, l->progress);
    close(fd);
    return s;
}

static struct status load(struct load_job *l, struct opened *o)
{
    if (l->piped)
        return load_piped(l, &o->trace);
    return l->pair.b ? pair_load(&o->trace, &l->pair, &l->cache, l->progress)
                     : trace_open(&o->trace, l->path, l->as, &l->cache, l->progress, &o->cache);
}

static void run_load(struct job *job, struct worker *w)
{
    struct load_job *l = (struct load_job *)job;
    (void)w;
    struct opened *o = alloc_array(1, sizeof *o);
    trace_init(&o->trace);
    if (l->piped)
        l->status = wait_for_pipe(l);
    o->trace.builder->options.window = l->window;
    o->trace.builder->options.growing = l->growing || (l->piped && l->part > 0);
    o->trace.builder->options.head = o->part = o->asked_part = l->part;
    o->waits_for_cache = l->cache.file;
    if (status_ok(l->status))
        l->status = load(l, o);
    if (status_ok(l->status) && !open_timeline(o, l->checked)) {
        l->status = load_again(l, o);
        if (status_ok(l->status))
            open_timeline(o, true);
    }
    if (!status_ok(l->status)) {
        free(o->cache.note);
        free(o->cache.beside);
        trace_release(&o->trace);
        free(o);
        return;
    }
    if (o->part) /* what is packed gives less */
        o->part = (uint64_t)table_i64(&o->trace.tables.trace_file, trace_file_col_size)[0];
    settled_args_start(&o->trace);
    o->keeper = timeline_keeper_start(&o->timeline, &o->cache);
    l->opened = o;
}

/* Looks, while the first picture is there already, whether all that came from the cache is what was
 * written. */
struct check_job {
    struct job job;
    struct opened *opened;
    bool sound;
};

static void run_check(struct job *job, struct worker *w)
{
    struct check_job *c = (struct check_job *)job;
    (void)w;
    c->sound =
        stored_columns_check(&c->opened->trace) && stored_timeline_is_sound(&c->opened->timeline);
}

static effects finish_check(struct job *job, struct app *a)
{
    struct check_job *c = (struct check_job *)job;
    if (a && !c->sound && !a->program->follow.damaged) {
        cache_remove_beside(&c->opened->cache);
        a->program->follow.damaged = true;
        app_load_next(a);
        app_complain(a, "what was kept of the trace is damaged: it is loaded anew");
    }
    free(c);
    return EFFECT_NONE;
}

static void check_kept(struct app *a)
{
    if (!a->opened->timeline.stored || a->options.script)
        return;
    struct check_job *c = alloc_array(1, sizeof *c);
    c->job.run = run_check;
    c->job.done = finish_check;
    c->opened = a->opened;
    worker_push(a->helper, &c->job);
}

/* A trace of moments is read as a log is, where nothing is missing that should be said first. */
static bool only_moments(const struct trace *t)
{
    const struct table *slices = &t->tables.slice;
    const int64_t *dur = table_i64(slices, slice_col_dur);
    uint32_t i = 0;
    while (i < slices->rows && dur[i] == 0)
        i++;
    return slices->rows > 0 && i == slices->rows && !loss_total(t).matters;
}

/* What the details show first: what is nearly all that the trace has, if that is not events. */
static const struct details_tab *first_tab(const struct app *a)
{
    const struct tables *t = &a->opened->trace.tables;
    if (app_has_only_profiles(a))
        return &flame_tab;
    bool lines_are_all =
        (t->logs.rows > 0 && t->slice.rows == 0) || only_moments(&a->opened->trace);
    return lines_are_all && t->sched_slice.rows == 0 && t->counter.rows == 0 ? &logs_tab
                                                                             : &findings_tab;
}

void app_start_view(struct app *a)
{
    a->view->viewport.width = a->layout.track_w > 0 ? a->layout.track_w : 1;
    app_first_view(a);
    a->view->filled = (struct filled_screen){0};
    a->view->pane.tab = first_tab(a);
    a->focus = FOCUS_DETAILS;
    a->program->loss = loss_total(&a->opened->trace);
    a->program->is_empty = timeline_is_empty(&a->opened->trace);
    check_kept(a);
    app_find_findings(a);       /* as long as they are looked for they have their room */
    app_apply(a, EFFECT_MOVED); /* a place is found by its row */
    app_apply(a, app_fill_screen(a));
    app_find_alerts(a);
    for (size_t i = 0; i < a->options.debug_track_count; i++)
        query_track_ask(a, str_from(a->options.debug_tracks[i]), &a->program->track_spent);
}

/* What the command line asks for goes before what was kept. */
static effects open_place(struct app *a)
{
    effects e = a->options.below_prompt ? EFFECT_ROWS : app_session_open(a);
    if (a->options.place && !a->options.below_prompt) {
        struct place_result place = app_open_place(a, str_from(a->options.place));
        a->program->place_failed = !place.ok;
        e |= place.effects;
    }
    if (a->options.sql) {
        app_place_settle(a); /* a place that comes later would leave the pane */
        e |= query_open(a);
        a->query_whole = true;
    }
    a->touched |= e != EFFECT_NONE;
    return e;
}

/* A trace that could not be read now may be when it has grown further. */
static void keep_next(struct load_job *l, struct app *a)
{
    a->loading_next = false;
    a->next = l->opened;
    if (!a->opened->part)
        follow_note_load(a, &l->status);
    else if (!l->opened) {
        piped_file_stop(a->program->follow.piped);
        app_complain(a, "the rest was not read: %s", l->status.message);
        app_find_findings(a);
        app_find_alerts(a);
        if (a->query->waits)
            query_run(a, a->query->waits == QUERY_STATEMENT);
        a->query->waits = QUERY_NONE;
    }
}

effects app_open_first(struct app *a, struct opened *opened)
{
    a->opened = opened;
    if (opened->part)
        app_load_next(a);
    app_start_view(a);
    if (opened->cache.note)
        app_say(a, "%s", opened->cache.note);
    return opened->part ? EFFECT_NONE : open_place(a);
}

/* Notes how much more that is. */
static bool more_may_help(const struct load_job *l, struct app *a)
{
    struct follow *f = &a->program->follow;
    bool unknown = l->piped && l->status.code == STATUS_UNKNOWN_FORMAT;
    if (l->status.code == STATUS_CANCELLED || (unknown && l->part >= FOLLOW_HEAD))
        return false;
    if (unknown)
        f->unreadable = true;
    else
        f->no_part = true;
    return true;
}

static effects finish_load(struct job *job, struct app *a)
{
    struct load_job *l = (struct load_job *)job;
    effects e = EFFECT_NONE;
    if (a && !a->quit && l->part > 0 && !l->opened && more_may_help(l, a)) {
        app_load(a);
    } else if (a && a->opened) {
        keep_next(l, a);
    } else if (a && l->opened) {
        a->options.pair.shift = l->pair.shift;
        e = app_open_first(a, l->opened);
    } else if (a && !a->quit) {
        a->program->load_error = l->status;
        l->status = status_ok_value();
        a->quit = true;
    } else {
        opened_free(l->opened);
    }
    status_release(&l->status);
    free(l->path);
    free(l);
    return e;
}

/* What is in the cache is there at once, and where the user was may be anywhere. */
static uint64_t next_part(const struct app *a)
{
    const struct cache_options *c = &a->options.cache;
    uint64_t part = follow_part(a);
    bool kept = part > 0 && !a->opened &&
                (app_session_exists(a) || c->file ||
                 (!c->off && cache_has(a->options.path, a->options.as)));
    return kept ? 0 : part;
}

/* NULL: the trace does not come through one, or there is no room to keep what comes. */
static struct piped_file *pipe_of(struct app *a)
{
    struct stat st;
    if (a->program->follow.piped || strcmp(a->options.path, "-") != 0 ||
        fstat(STDIN_FILENO, &st) != 0 || S_ISREG(st.st_mode) || !follow_may_show_part(a) ||
        (a->options.script && !a->options.first_part))
        return a->program->follow.piped;
    return a->program->follow.piped = piped_file_start(STDIN_FILENO);
}

void app_load(struct app *a)
{
    struct load_job *l = alloc_array(1, sizeof *l);
    l->job.run = run_load;
    l->job.done = finish_load;
    l->path = alloc_copy(a->options.path, strlen(a->options.path));
    l->as = a->options.as;
    l->cache = a->options.cache;
    l->pair = a->options.pair;
    l->window = a->options.window;
    l->growing = a->options.follow;
    l->cache.off |= l->growing; /* it would be of a part */
    l->cache.off |= a->program->follow.damaged;
    l->checked = a->options.script;
    l->progress = &a->progress;
    follow_begin(a);
    l->part = next_part(a);
    l->piped = pipe_of(a);
    l->wish = follow_piped_wish(a);
    l->behind = a->opened != NULL;
    l->cache.off |= l->part > 0;
    worker_push(a->loader, &l->job);
}

void app_load_next(struct app *a)
{
    a->loading_next = true;
    app_load(a);
}

void app_load_again(struct app *a, int64_t ts)
{
    a->program->follow.ts = ts;
    app_load_next(a);
}

void app_cancel_load(struct app *a, bool interrupted)
{
    a->program->interrupted = interrupted;
    atomic_store(&a->progress.cancel, true);
    status_release(&a->program->load_error);
    a->program->load_error = status_error(STATUS_CANCELLED, "cancelled");
    a->quit = true;
}
