#include "tui/app/trace_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "explain/explanation.h"
#include "explain/report.h"
#include "parsers/trace_folder.h"
#include "tui/app/draw.h"
#include "tui/app/known_traces.h"
#include "tui/app/program.h"
#include "tui/context/state.h"

enum {
    LIST_MAX = 2000,
    LOOKED_AT_BYTES = 32 << 20, /* larger ones are not loaded unless somebody opens them */
    AGE_WIDTH = 7,
    KIND_WIDTH = 18
};

/* Below a folder of very much nobody waits for the last one. */
static const int64_t WALK_NS = 2000000000;

struct listed_trace {
    char *path;
    const struct trace_format *format; /* NULL: it cannot be told */
    char *finding;                     /* NULL: not known yet */
    int64_t size, when_s;              /* changed last, or opened last */
    bool asked;                        /* what stands out in it */
};

struct trace_list {
    char *folder; /* NULL: those opened last */
    VEC(struct listed_trace) v;
    uint32_t chosen;              /* last */
    bool is_cut;                  /* there are more */
    struct load_progress looking; /* cancelled once one was chosen */
};

static void add_known(struct trace_list *l, const struct known_traces *known, const char *path,
                      const struct trace_look *look)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return;
    const struct known_trace *k = known_traces_find(known, path);
    struct listed_trace t = {.path = alloc_copy(path, strlen(path)),
                             .format = look->format,
                             .size = st.st_size,
                             .when_s = st.st_mtim.tv_sec};
    if (k && k->finding)
        t.finding = alloc_copy(k->finding, strlen(k->finding));
    *vec_push(&l->v) = t;
}

struct folder_walk {
    struct trace_list *list;
    const struct known_traces *known;
    int64_t until_ns;
};

static bool add_found(void *self, const char *path, const struct trace_look *look)
{
    struct folder_walk *walk = self;
    walk->list->is_cut = walk->list->v.count >= LIST_MAX || clock_now_ns() > walk->until_ns;
    if (look->format && !walk->list->is_cut)
        add_known(walk->list, walk->known, path, look);
    return !walk->list->is_cut;
}

/* Their age is since when they were opened. */
static void add_opened(struct trace_list *l, const struct known_traces *known)
{
    for (size_t i = 0; i < known->v.count && known->v.items[i].opened_s > 0; i++) {
        const struct known_trace *k = &known->v.items[i];
        struct trace_look look = trace_look_at(k->path);
        size_t before = l->v.count;
        if (look.may_be_trace)
            add_known(l, known, k->path, &look);
        if (l->v.count > before)
            vec_last(&l->v).when_s = k->opened_s;
    }
}

struct status trace_list_new(const char *folder, struct trace_list **out)
{
    struct known_traces known;
    struct trace_list *l = alloc_array(1, sizeof *l);
    known_traces_read(&known);
    if (folder) {
        struct folder_walk walk = {l, &known, clock_now_ns() + WALK_NS};
        l->folder = alloc_copy(folder, strlen(folder));
        trace_folder_walk(folder, true, add_found, &walk);
    } else {
        add_opened(l, &known);
    }
    known_traces_release(&known);
    *out = l;
    if (l->v.count > 0)
        return status_ok_value();
    trace_list_free(l);
    *out = NULL;
    if (folder)
        return status_error(STATUS_FORMAT, "%s: there is no trace below this folder", folder);
    return status_error(STATUS_USAGE, "which trace?");
}

void trace_list_free(struct trace_list *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->v.count; i++) {
        free(l->v.items[i].path);
        free(l->v.items[i].finding);
    }
    vec_release(&l->v);
    free(l->folder);
    free(l);
}

/* ---- what stands out in one of which nobody knows ---- */

struct look_job {
    struct job job;
    uint32_t item;
    char *path, *headline; /* NULL: it is not known */
    struct load_progress *progress;
    bool is_kept; /* for the next list */
};

static char *find_headline(const struct trace *t)
{
    struct explanation e;
    struct status s;
    char *headline = NULL;
    struct sql_session *session = sql_session_new(t, &s);
    if (status_ok(s)) {
        s = explain_trace(&e, t, session, &(struct explain_request){0});
        if (status_ok(s))
            headline = report_headline(&e);
        explanation_release(&e);
    }
    sql_session_free(session);
    status_release(&s);
    return headline;
}

static void run_look(struct job *job, struct worker *w)
{
    struct look_job *l = (struct look_job *)job;
    struct trace t;
    (void)w;
    trace_init(&t);
    struct status s = trace_load_file(&t, l->path, l->progress);
    if (status_ok(s) && !atomic_load(&l->progress->cancel))
        l->headline = find_headline(&t);
    status_release(&s);
    trace_release(&t);
}

static void look_on(struct app *a);
static void write_item(struct app *a, struct picker_item *item);

static effects finish_look(struct job *job, struct app *a)
{
    struct look_job *l = (struct look_job *)job;
    if (l->headline && l->is_kept)
        known_traces_note(l->path, l->headline, false);
    if (a && l->headline) {
        struct listed_trace *t = &a->program->list->v.items[l->item];
        free(t->finding);
        t->finding = l->headline;
        l->headline = NULL;
    }
    if (a && trace_list_is_shown(a)) {
        for (size_t i = 0; i < a->picker.items.count; i++)
            if (a->picker.items.items[i].value == l->item)
                write_item(a, &a->picker.items.items[i]);
        look_on(a);
    }
    free(l->headline);
    free(l->path);
    free(l);
    return EFFECT_NONE;
}

/* The next one. */
static void look_on(struct app *a)
{
    for (uint32_t i = 0; i < a->program->list->v.count; i++) {
        struct listed_trace *t = &a->program->list->v.items[i];
        if (t->asked || t->finding || t->size > LOOKED_AT_BYTES)
            continue;
        struct look_job *l = alloc_array(1, sizeof *l);
        l->job.run = run_look;
        l->job.done = finish_look;
        l->item = i;
        l->path = alloc_copy(t->path, strlen(t->path));
        l->progress = &a->program->list->looking;
        l->is_kept = !a->options.script;
        t->asked = true;
        worker_push(a->helper, &l->job);
        return;
    }
}

/* ---- the list ---- */

static void put_size(struct picker *p, struct picker_item *item, int column, int64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    double left = (double)bytes / 1e3;
    int power = 0;
    for (; left >= 1e3 && power < 3; power++)
        left /= 1e3;
    picker_set(p, item, column, left < 10 ? "%.1f %s" : "%.0f %s", left, units[power]);
    item->number[column] = bytes;
}

static void put_age(struct picker *p, struct picker_item *item, int column, int64_t when_s)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {{365 * 86400, "y"}, {86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int64_t age = time(NULL) - when_s;
    size_t i = 0;
    while (i < sizeof units / sizeof *units - 1 && age < 2 * units[i].seconds)
        i++;
    picker_set(p, item, column, "%" PRId64 " %s", (age > 0 ? age : 0) / units[i].seconds,
               units[i].unit);
    item->number[column] = when_s;
}

/* Below the folder, or from the user's home. */
static const char *shown_path(const struct trace_list *l, const char *path, const char **lead)
{
    const char *root = l->folder ? l->folder : getenv("HOME");
    size_t n = root ? strlen(root) : 0;
    while (n > 0 && root[n - 1] == '/')
        n--;
    *lead = "";
    if (n == 0 || strncmp(path, root, n) != 0 || path[n] != '/')
        return path;
    *lead = l->folder ? "" : "~/";
    return path + n + 1;
}

static void write_item(struct app *a, struct picker_item *item)
{
    struct picker *p = &a->picker;
    const struct listed_trace *t = &a->program->list->v.items[item->value];
    const char *lead, *path = shown_path(a->program->list, t->path, &lead);
    picker_set(p, item, 0, "%s%s", lead, path);
    put_size(p, item, 1, t->size);
    picker_set(p, item, 2, "%s", t->format ? t->format->name : "");
    put_age(p, item, 3, t->when_s);
    bool looking = !t->finding && !t->asked && t->size <= LOOKED_AT_BYTES;
    picker_set(p, item, 4, "%s",
               t->finding && *t->finding ? t->finding
               : t->finding              ? "nothing stands out"
               : looking                 ? "..."
                                         : "");
}

void trace_list_show(struct app *a)
{
    static const struct picker_column columns[] = {{"trace", 0, false},
                                                   {"size", 8, true},
                                                   {"kind", KIND_WIDTH, false},
                                                   {"age", AGE_WIDTH, true},
                                                   {"first finding", 0, false}};
    struct picker *p = &a->picker;
    struct trace_list *l = a->program->list;
    atomic_store(&l->looking.cancel, false);
    picker_open(p, PICK_FILE, columns, 5, false);
    if (l->folder)
        snprintf(p->title, sizeof p->title, "traces below %.80s%s", l->folder,
                 l->is_cut ? " (there are more)" : "");
    else
        snprintf(p->title, sizeof p->title, "traces opened last");
    for (uint32_t i = 0; i < l->v.count; i++) {
        l->v.items[i].asked = false;
        write_item(a, picker_add(p, i));
    }
    picker_filter(p);
    p->selected = l->chosen < l->v.count ? l->chosen : 0;
    a->overlay = OVERLAY_PICKER;
    look_on(a);
}

bool trace_list_is_shown(const struct app *a)
{
    return a->program->list && !a->opened && a->overlay == OVERLAY_PICKER &&
           a->picker.kind == PICK_FILE;
}

void trace_list_draw(struct app *a)
{
    struct cells *c = &a->cells;
    struct editor_caret caret =
        picker_draw(c, (struct rect){0, 0, c->width, a->layout.hints_y}, &a->picker);
    a->caret_x = caret.x;
    a->caret_y = caret.y;
    app_draw_hints(a);
}

void trace_list_stop(struct trace_list *l)
{
    if (l)
        atomic_store(&l->looking.cancel, true);
}

void trace_list_choose(struct app *a, uint32_t item)
{
    a->program->list->chosen = item;
    trace_list_stop(a->program->list);
    a->options.path = a->options.pair.a = a->program->list->v.items[item].path;
}
