#include "tui/tabs/flame_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/action_context.h"
#include "tui/context/state.h"
#include "tui/input/pattern.h"
#include "tui/result/answer.h"
#include "tui/tabs/flame_draw.h"
#include "tui/tabs/flame_source.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/timeline_view.h"

void flame_pane_init(struct flame_pane *p)
{
    *p = (struct flame_pane){.of = NO_FRAME, .marked = NO_FRAME};
    flame_stacks_init(&p->stacks);
    flame_stacks_init(&p->base);
}

void flame_pane_release(struct flame_pane *p)
{
    flame_stacks_release(&p->stacks);
    flame_stacks_release(&p->base);
    flame_release(&p->flame);
    vec_release(&p->boxes.v);
    flame_list_release(&p->list);
    free(p->sql);
}

struct flame_pane flame_pane_take(struct app *a)
{
    struct flame_pane taken = *a->flame;
    flame_pane_init(a->flame);
    taken.running = NULL;
    free(taken.sql);
    taken.sql = NULL;
    return taken;
}

void flame_pane_put(struct app *a, const struct flame_pane *p)
{
    flame_pane_release(a->flame);
    *a->flame = *p;
}

struct flame_job {
    struct job job;
    const struct trace *trace;
    char *sql;
    struct flame_stacks stacks;
    uint32_t open;
    struct status status;
};

static double number(struct sql_value v)
{
    return v.type == SQL_INT ? (double)v.i : v.type == SQL_REAL ? v.d : 0;
}

/* The columns are id, parent_id, value, name and, of slices, whether one has no end. */
static void take_rows(struct flame_job *j, const struct answer *answer, struct worker *w)
{
    for (uint32_t row = 0; row < answer->rows && answer->columns >= 4; row++) {
        struct sql_value id = answer_value(answer, row, 0), parent = answer_value(answer, row, 1);
        struct sql_value name = answer_value(answer, row, 3);
        if (row % 4096 == 0 && worker_cancelled(w))
            return;
        bool named = name.type == SQL_TEXT && name.s.n > 0;
        flame_stacks_add(&j->stacks, id.i, parent.type == SQL_INT ? parent.i : INT64_MIN,
                         named ? name.s : STR("(no name)"), number(answer_value(answer, row, 2)));
        j->open += answer->columns > 4 && answer_value(answer, row, 4).i != 0;
    }
    flame_stacks_finish(&j->stacks);
}

static void run_flame(struct job *job, struct worker *w)
{
    struct flame_job *j = (struct flame_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (!status_ok(j->status))
        return;
    struct answer *answer = answer_new();
    j->status = answer_ask(answer, session, "flamegraph", str_from(j->sql));
    if (status_ok(j->status))
        take_rows(j, answer, w);
    answer_free(answer);
}

bool *flame_pane_kept(struct app *a)
{
    struct flame_pane *p = a->flame;
    char error[160];
    struct pattern *pattern = p->filter[0] ? pattern_new(p->filter, error, sizeof error) : NULL;
    if (p->filter[0] && !pattern)
        app_complain(a, "/%s: %s", p->filter, error);
    if (!pattern)
        return NULL;
    bool *keep = alloc_array(p->stacks.names.count + 1, sizeof *keep);
    for (size_t i = 0; i < p->stacks.names.count; i++)
        keep[i] = pattern_matches(pattern, p->stacks.names.items[i]);
    pattern_free(pattern);
    return keep;
}

/* Of all functions where the one that is chosen is in no stack. */
static void rebuild(struct app *a)
{
    struct flame_pane *p = a->flame;
    bool *keep = flame_pane_kept(a);
    flame_build(&p->flame, &p->stacks, p->inverted, keep, p->of);
    if (p->of != NO_FRAME && p->flame.callers == NO_FRAME) {
        p->of = NO_FRAME;
        flame_build(&p->flame, &p->stacks, p->inverted, keep, p->of);
    }
    free(keep);
    p->boxes.v.count = 0; /* they are of other frames */
    p->focus = p->selected = 0;
    p->top = 0;
    if (p->flame.callers != NO_FRAME) {
        p->selected = p->flame.frames.items[0].first_child;
        p->top = -1;
    }
    p->list.made = false;
    if (flame_list_has_focus(a) && p->of == NO_FRAME)
        flame_mark(a, p->marked);
    else
        p->marked = p->flame.frames.items[p->selected].name;
}

void flame_mark(struct app *a, uint32_t name)
{
    struct flame_pane *p = a->flame;
    const struct flame_box *widest = NULL;
    p->marked = name;
    if (name == NO_FRAME)
        return;
    for (size_t i = 0; i < p->boxes.v.count; i++) {
        const struct flame_box *box = &p->boxes.v.items[i];
        if ((!widest || box->w > widest->w) && flame_box_shows(p, box, name))
            widest = box;
    }
    if (widest) {
        p->selected = widest->frame;
        return;
    }
    p->focus = p->selected = 0; /* it is not below what fills the width, or too narrow there */
    for (uint32_t i = 1; i < p->flame.frames.count; i++) {
        const struct flame_frame *f = &p->flame.frames.items[i];
        if (f->name == name &&
            (p->selected == 0 || f->total > p->flame.frames.items[p->selected].total))
            p->selected = i;
    }
}

/* Values of other units cannot be compared. */
static void add_base(struct app *a)
{
    struct flame_pane *p = a->flame;
    if (str_eq(flame_source_unit(a, p->source), flame_source_unit(a, p->base_source)))
        flame_stacks_append(&p->stacks, &p->base, true);
}

/* The stacks of the area by themselves. */
static struct flame_stacks stacks_shown(const struct flame_pane *p)
{
    struct flame_stacks s;
    flame_stacks_init(&s);
    flame_stacks_append(&s, &p->stacks, false);
    return s;
}

static void forget_base(struct flame_pane *p)
{
    flame_stacks_release(&p->base);
    flame_stacks_init(&p->base);
}

effects flame_set_base(struct app *a)
{
    struct flame_pane *p = a->flame;
    if (p->flame.frames.count == 0 || p->running)
        return EFFECT_NONE;
    struct flame_stacks shown = stacks_shown(p);
    bool had = p->base.v.count > 0;
    forget_base(p);
    if (!had) {
        flame_stacks_append(&p->base, &shown, false);
        flame_print_extent(a, p->base_title, sizeof p->base_title);
        p->base_source = p->source;
        app_say(a,
                "others are compared with this now: choose another area, or profile; b forgets it");
    } else {
        app_say(a, "no longer compared with %s; b: with what is shown", p->base_title);
    }
    flame_stacks_release(&p->stacks);
    p->stacks = shown;
    p->of = NO_FRAME;
    add_base(a);
    rebuild(a);
    return EFFECT_ROWS;
}

/* None where the query failed, which is not asked again. */
static void show_stacks(struct app *a, struct flame_job *j)
{
    struct flame_pane *p = a->flame;
    free(p->sql);
    p->sql = j->sql;
    p->open = j->open;
    j->sql = NULL;
    if (status_ok(j->status)) {
        flame_stacks_renew(&p->stacks, &j->stacks);
        add_base(a);
    } else {
        p->stacks.v.count = 0;
        app_complain(a, "%s", j->status.message);
    }
    rebuild(a);
}

static effects finish_flame(struct job *job, struct app *a)
{
    struct flame_job *j = (struct flame_job *)job;
    if (a) {
        struct flame_pane *p = a->flame;
        p->running = NULL;
        if (j->status.code != STATUS_CANCELLED)
            show_stacks(a, j);
        if (a->view->pane.tab == &flame_tab)
            flame_pane_ask(a); /* the area may be another one by now */
    }
    flame_stacks_release(&j->stacks);
    free(j->sql);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

static bool has_source(const struct app *a)
{
    return flame_source_rows(a, a->flame->source) > 0;
}

void flame_pane_ask(struct app *a)
{
    struct flame_pane *p = a->flame;
    for (uint32_t i = 0; i < flame_source_count(a) && !has_source(a); i++)
        p->source = (p->source + 1) % flame_source_count(a);
    if (p->running || !has_source(a))
        return;
    char *sql = flame_source_sql(a, p->source);
    bool same = p->sql && sql && strcmp(p->sql, sql) == 0;
    if (same || !sql) {
        free(sql);
        return;
    }
    struct flame_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_flame, finish_flame, NULL};
    j->trace = &a->opened->trace;
    j->sql = sql;
    flame_stacks_init(&j->stacks);
    p->running = j;
    worker_push(a->helper, &j->job);
}

/* ---- keys ---- */

/* Boxes stand row by row: the neighbour is the one beside. */
static void move_right(struct flame_pane *p, int by)
{
    const struct flame_box *box = flame_box_of(p, p->selected);
    if (!box)
        return;
    ptrdiff_t at = box - p->boxes.v.items + (by > 0 ? 1 : -1);
    if (at >= 0 && (size_t)at < p->boxes.v.count && p->boxes.v.items[at].row == box->row)
        p->selected = p->boxes.v.items[at].frame;
}

/* One frame down (1) or up (-1); false where there is none. */
static bool step_down(struct flame_pane *p, int down)
{
    uint32_t before = p->selected;
    const struct flame_box *box = flame_box_of(p, p->selected);
    uint32_t child = p->flame.frames.items[box ? box->last : p->selected].first_child;
    uint32_t parent = p->flame.frames.items[p->selected].parent, callers = p->flame.callers;
    bool upwards = callers != NO_FRAME && p->selected > callers;
    if (upwards) { /* callers stand the other way round, the first of them on the function */
        down = -down;
        parent = parent == callers ? p->flame.frames.items[0].first_child : parent;
    } else if (callers != NO_FRAME && parent == 0 && down < 0) {
        child = p->flame.frames.items[callers].first_child;
        down = -down;
    }
    const struct flame_box *above = flame_box_around(p, parent);
    if (down > 0 && child != NO_FRAME && flame_box_of(p, child))
        p->selected = child;
    if (down < 0 && above)
        p->selected = above->frame;
    return p->selected != before;
}

effects flame_move(struct app *a, int down, int right)
{
    struct flame_pane *p = a->flame;
    if (p->flame.frames.count == 0)
        return EFFECT_NONE;
    if (flame_list_has_focus(a)) {
        p->list.focused = right >= 0;
        return flame_list_move(a, down);
    }
    for (int left = abs(down); left > 0 && step_down(p, down > 0 ? 1 : -1); left--)
        continue;
    if (right != 0)
        move_right(p, right);
    p->marked = p->flame.frames.items[p->selected].name;
    return EFFECT_NONE;
}

/* The frame is chosen, and fills the width when it is pressed again. */
static effects press_box(struct app *a, int x, int y)
{
    struct flame_pane *p = a->flame;
    int row = y - FLAME_HEADER_LINES + p->top, graph = a->layout.width - flame_list_width(a);
    if (x >= graph && y >= FLAME_HEADER_LINES)
        return EFFECT_ROWS | flame_list_press(a, x - graph, y - FLAME_HEADER_LINES);
    p->list.focused = false;
    for (size_t i = 0; y >= FLAME_HEADER_LINES && i < p->boxes.v.count; i++) {
        const struct flame_box *box = &p->boxes.v.items[i];
        if (box->row != row || x < 1 + box->x || x >= 1 + box->x + box->w)
            continue;
        if (p->selected == box->frame && a->focus == FOCUS_DETAILS)
            return EFFECT_ROWS | flame_focus(a);
        p->selected = box->frame;
        p->marked = p->flame.frames.items[box->frame].name;
        return EFFECT_ROWS;
    }
    return EFFECT_ROWS;
}

effects flame_focus(struct app *a)
{
    if (a->flame->flame.frames.count > 0 &&
        (a->flame->flame.callers != NO_FRAME || flame_list_has_focus(a)))
        return flame_show_selected_function(a);
    a->flame->focus = a->flame->selected;
    return EFFECT_NONE;
}

effects flame_unfocus(struct app *a)
{
    struct flame_pane *p = a->flame;
    if (p->flame.frames.count > 0 && p->of != NO_FRAME)
        return flame_show_function(a, NO_FRAME);
    if (p->flame.frames.count == 0 || p->focus == 0)
        return EFFECT_NONE;
    p->selected = p->focus;
    p->marked = p->flame.frames.items[p->selected].name;
    p->focus = p->flame.frames.items[p->focus].parent;
    return EFFECT_NONE;
}

effects flame_invert(struct app *a)
{
    if (a->flame->of != NO_FRAME) {
        app_say(a, "callers and callees are both shown; u: all functions again");
        return EFFECT_NONE;
    }
    a->flame->inverted = !a->flame->inverted;
    if (a->flame->stacks.v.count > 0)
        rebuild(a);
    return EFFECT_NONE;
}

effects flame_show_function(struct app *a, uint32_t name)
{
    a->flame->of = name;
    rebuild(a);
    return EFFECT_NONE;
}

effects flame_show_selected_function(struct app *a)
{
    const struct flame_pane *p = a->flame;
    uint32_t name = p->flame.frames.count == 0 ? NO_FRAME
                    : flame_list_has_focus(a)  ? p->marked
                                               : p->flame.frames.items[p->selected].name;
    if (name == NO_FRAME)
        app_say(a, "choose a function first: j goes into the largest");
    else
        flame_show_function(a, name);
    return EFFECT_NONE;
}

effects flame_next_source(struct app *a, int by)
{
    struct flame_pane *p = a->flame;
    uint32_t before = p->source;
    int64_t count = flame_source_count(a);
    do
        p->source = (uint32_t)(((int64_t)p->source + by + count) % count);
    while (p->source != before && !has_source(a));
    if (p->source == before) {
        app_say(a, "the trace has no other profile");
        return EFFECT_NONE;
    }
    p->flame.frames.count = 0;
    flame_pane_ask(a);
    return EFFECT_NONE;
}

effects flame_set_filter(struct app *a, struct str pattern)
{
    snprintf(a->flame->filter, sizeof a->flame->filter, "%.*s",
             (int)(pattern.n < 127 ? pattern.n : 127), pattern.n ? pattern.p : "");
    if (a->flame->stacks.v.count > 0)
        rebuild(a);
    return EFFECT_NONE;
}

/* The selected frame's name and values. */
static char *frame_text(const struct app *a, uint32_t line)
{
    (void)line;
    const struct flame_pane *p = a->flame;
    char *text = NULL, self[48], total[48];
    size_t size;
    FILE *f = p->flame.frames.count > 0 ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    const struct flame_frame *frame = &p->flame.frames.items[p->selected];
    flame_print_value(a, frame->self, self, sizeof self);
    flame_print_value(a, frame->total, total, sizeof total);
    fprintf(f, "total %s\nown   %s\n\n", total, self);
    for (uint32_t at = p->selected; at != NO_FRAME; at = p->flame.frames.items[at].parent) {
        struct str name = flame_frame_name(p, at);
        fwrite(name.p, 1, name.n, f);
        fputc('\n', f);
    }
    fclose(f);
    return text;
}

static const char *stacks_sql(const struct app *a)
{
    return a->flame->sql;
}

static const struct tab_part part = {
    .make = flame_pane_ask,
    .without_row = true,
    .draw = flame_draw,
    .press = press_box,
    .text = frame_text,
    .sql = stacks_sql,
    .context = IN_FLAME,
    .height_focused = 70,
    .height = 45,
    .grows = true,
};

const struct details_tab flame_tab = {.title = "Flamegraph", .part = &part};
