#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/view/draw_events.h"

/* How busy processes keep one CPU, by their most active threads: the others do not show. */
enum { PROCESS_LOAD_THREADS = 8, GROUP_LOAD_PROCESSES = 24 };

static void add_process_load(const struct scene *s, const struct track_node *process, double *ran)
{
    uint32_t n = 0;
    for (uint32_t k = process->first_child; k != NO_NODE && n < PROCESS_LOAD_THREADS;
         k = s->tree->nodes.items[k].next) {
        const struct track_node *child = &s->tree->nodes.items[k];
        if (child->kind != NODE_THREAD || s->tl->threads[child->id].running == 0)
            continue;
        int64_t before = timeline_running(s->tl, child->id, INT64_MIN, s->viewport.start);
        for (int cell = 0; cell < s->viewport.width; cell++) {
            int64_t now = timeline_running(s->tl, child->id, INT64_MIN,
                                           viewport_time(&s->viewport, cell + 1));
            ran[cell] += (double)(now - before);
            before = now;
        }
        n++;
    }
}

enum { NAME_LEAST = 4 }; /* cells that say something of what has a longer name */

/* The cells of one slice, and the text in it: [label, label_end). */
struct slice_run {
    int from, to, label, label_end;
};

/* A bracket without that attribute is of a name. */
static bool is_begin(const struct cell *cell)
{
    return cell->ch == U'▏' || cell->ch == '|' || (cell->ch == '[' && cell->attrs & CELL_SOLID);
}

/* The slice that begins at x = `from` of the row, which `area` ends. */
static struct slice_run slice_run_at(const struct cells *c, struct rect area, int from)
{
    const struct cell *first = cells_at(c, from, area.y);
    struct slice_run r = {.from = from, .to = from + 1};
    for (; r.to < area.x + area.w; r.to++) {
        const struct cell *next = cells_at(c, r.to, area.y);
        if (!next || next->role != first->role || is_begin(next))
            break;
    }
    r.label = from + is_begin(first);
    r.label_end = r.label;
    for (int x = r.label; x < r.to; x++)
        if (cells_at(c, x, area.y)->ch != ' ' && !(cells_at(c, x, area.y)->attrs & CELL_SOLID))
            r.label_end = x + 1;
    return r;
}

/* Whether the load of a cell leaves room for a letter. */
static bool is_quiet(const struct scene *s, const double *ran, int cell)
{
    int64_t dur = viewport_time(&s->viewport, cell + 1) - viewport_time(&s->viewport, cell);
    return ran[cell] * 16 < (double)dur;
}

/* A name of which load would leave pieces goes to where the slice's thread is quiet for longest, or
 * away. */
static void move_label(struct cells *c, struct rect area, const struct scene *s, double *ran,
                       const struct slice_run *r)
{
    int best = r->from, best_end = r->from, length = r->label_end - r->label;
    for (int x = r->label, start = x; x <= r->to; x++) {
        if (x < r->to && is_quiet(s, ran, x - area.x))
            continue;
        if (x - start > best_end - best) {
            best = start;
            best_end = x;
        }
        start = x + 1;
    }
    int room = best_end - best;
    struct cells name;
    uint16_t role = cells_at(c, r->label, area.y)->role;
    cells_init(&name, length, 1);
    for (int i = 0; i < length; i++)
        *cells_at(&name, i, 0) = *cells_at(c, r->label + i, area.y);
    cells_fill(c, (struct rect){r->label, area.y, length, 1}, ' ', role, 0);
    if (room >= NAME_LEAST && length >= NAME_LEAST) {
        int shown = length < room ? length : room;
        struct rect all = cells_clip(c, (struct rect){best, area.y, shown, 1});
        cells_copy(c, best, area.y, &name);
        if (length > room)
            cells_put(c, best + room - 1, area.y, '~', role, 0);
        cells_clip(c, all);
        for (int i = 0; i < shown; i++)
            ran[best + i - area.x] = 0;
    }
    cells_release(&name);
}

static void keep_labels_whole(struct cells *c, struct rect area, const struct scene *s, double *ran)
{
    int end =
        area.x + s->viewport.width < area.x + area.w ? area.x + s->viewport.width : area.x + area.w;
    for (int x = area.x; x < end;) {
        const struct cell *below = cells_at(c, x, area.y);
        if (!below || !role_is_slice(below->role)) {
            x++;
            continue;
        }
        struct slice_run r = slice_run_at(c, (struct rect){area.x, area.y, end - area.x, 1}, x);
        x = r.to;
        if (r.label_end == r.label)
            continue;
        bool whole = r.label_end - r.label >= NAME_LEAST ||
                     cells_at(c, r.label_end - 1, area.y)->ch != '~'; /* s~ says nothing */
        for (int i = r.label; i < r.label_end; i++)
            whole &= is_quiet(s, ran, i - area.x);
        if (!whole)
            move_label(c, area, s, ran, &r);
        for (int i = r.label; whole && i < r.label_end; i++)
            ran[i - area.x] = 0;
    }
}

/* The load over what lies there already: slices shine through as its ground. */
static void draw_load(struct cells *c, struct rect area, const struct scene *s, double *ran,
                      uint16_t role)
{
    keep_labels_whole(c, area, s, ran);
    for (int cell = 0; cell < s->viewport.width; cell++) {
        int64_t dur = viewport_time(&s->viewport, cell + 1) - viewport_time(&s->viewport, cell);
        const struct cell *below = cells_at(c, area.x + cell, area.y);
        if (!below || below->role == ROLE_SELECTION || ran[cell] <= 0)
            continue;
        uint16_t ground = role_is_slice(below->role) ? below->role : ROLE_DEFAULT;
        draw_owned_share(c, area.x + cell, area.y, s, ran[cell] / (double)dur, role);
        cells_set_ground(c, (struct rect){area.x + cell, area.y, 1, 1}, ground);
    }
}

static void draw_process_load(struct cells *c, struct rect area, const struct scene *s,
                              const struct track_node *process)
{
    double *ran = alloc_array((size_t)s->viewport.width, sizeof *ran);
    add_process_load(s, process, ran);
    draw_load(c, area, s, ran, process_role(process->id));
    free(ran);
}

/* A closed heading over processes: their load together. */
static void draw_group_load(struct cells *c, struct rect area, const struct scene *s,
                            const struct track_node *group)
{
    double *ran = alloc_array((size_t)s->viewport.width, sizeof *ran);
    uint32_t n = 0, first = NO_NODE;
    for (uint32_t k = group->first_child; k != NO_NODE && n < GROUP_LOAD_PROCESSES;
         k = s->tree->nodes.items[k].next) {
        const struct track_node *child = &s->tree->nodes.items[k];
        if (child->kind != NODE_PROCESS || s->tl->processes[child->id].running == 0)
            continue;
        first = first == NO_NODE ? child->id : first;
        add_process_load(s, child, ran);
        n++;
    }
    if (n > 0)
        draw_load(c, area, s, ran, process_role(first));
    free(ran);
}

static bool has_running_processes(const struct scene *s, const struct track_node *group)
{
    uint32_t first = group->first_child;
    return group->kind == NODE_GROUP && first != NO_NODE &&
           s->tree->nodes.items[first].kind == NODE_PROCESS &&
           s->tl->processes[s->tree->nodes.items[first].id].running > 0;
}

static void draw_cpu_load(struct cells *c, struct rect area, const struct scene *s,
                          uint32_t machine)
{
    const struct viewport *v = &s->viewport;
    for (int cell = 0; cell < v->width; cell++) {
        double load =
            timeline_load(s->tl, machine, viewport_time(v, cell), viewport_time(v, cell + 1));
        draw_share(c, area.x + cell, area.y, s, load, load_role(load));
    }
}

/* What an open heading says in place of a track. */
static void draw_heading(struct cells *c, struct rect area, const struct scene *s,
                         const struct track_node *n)
{
    int64_t t0 = s->viewport.start, t1 = viewport_end(&s->viewport), running = 0;
    uint32_t ran = 0;
    if (n->kind != NODE_PROCESS) {
        if (n->kind != NODE_CPU)
            cells_put_format(c, area.x + 1, area.y, area.w - 1, ROLE_DIM, 0, "%u track%s",
                             n->children, n->children == 1 ? "" : "s");
        return;
    }
    const struct process_facts *f = &s->tl->processes[n->id];
    if (f->running == 0) {
        int used = cells_put_format(c, area.x + 3, area.y, area.w - 3, ROLE_DIM, 0, "%u thread%s",
                                    f->threads, f->threads == 1 ? "" : "s");
        if (f->slices > 0)
            cells_put_format(c, area.x + 3 + used, area.y, area.w - 3 - used, ROLE_DIM, 0,
                             ", %u slices", f->slices);
        return;
    }
    for (uint32_t k = n->first_child; k != NO_NODE; k = s->tree->nodes.items[k].next) {
        const struct track_node *child = &s->tree->nodes.items[k];
        if (child->kind != NODE_THREAD)
            continue;
        int64_t dur = timeline_running(s->tl, child->id, t0, t1);
        running += dur;
        ran += dur > 0;
    }
    cells_put_format(c, area.x + 3, area.y, area.w - 3, ROLE_DIM, 0,
                     "%u thread%s ran, CPU %lld.%lld ms", ran, ran == 1 ? "" : "s",
                     (long long)(running / 1000000), (long long)(running / 100000 % 10));
}

/* How the linked row belongs to the cursor: "linked: binder reply", "woken here, in onTransact". */
static void link_text(const struct scene *s, const struct link *link, char *out, size_t size)
{
    char name[61] = "";
    int64_t ts = event_times(s->tl, s->tree, link->from).ts;
    bool thread = link->to.kind == &state_events;
    uint32_t slice = NULL_U32;
    if (thread)
        slice = timeline_innermost(s->tl, state_events.thread(s->tl, link->to.row), ts);
    if (!thread || slice != NULL_U32)
        event_name(s->tl, s->tree, thread ? event_of(&slice_events, slice) : link->to, name,
                   sizeof name);
    const char *how = link->kind == LINK_FLOW        ? "linked: "
                      : !thread                      ? "woken by: "
                      : link->kind == LINK_INTERRUPT ? "woken by an interrupt, while this ran"
                                                     : "woken here";
    snprintf(out, size, "%s%s%s (t keeps, x hides)", how, thread && name[0] ? ", in " : "", name);
}

/* The arrow's end and what it means, in the cells of the linked thread's heading. */
static void draw_link(struct cells *c, struct rect area, const struct scene *s,
                      const struct link *link)
{
    char text[256];
    link_text(s, link, text, sizeof text);
    int n = (int)strlen(text);
    int x = viewport_cell(&s->viewport, event_times(s->tl, s->tree, link->from).ts);
    x = x < 0 ? 0 : x >= area.w ? area.w - 1 : x;
    if (x + 4 + n <= area.w || x < n + 4) {
        const char32_t glyphs[] = {U'└', U'─', link->incoming ? U'◀' : U'▶'};
        for (int i = 0; i < 3; i++)
            cells_put(c, area.x + x + i, area.y, glyphs[i], ROLE_ARROW, 0);
        cells_put_text(c, area.x + x + 4, area.y, area.w - x - 4, str_from(text), ROLE_DIM, 0);
        return;
    }
    const char32_t glyphs[] = {link->incoming ? U'▶' : U'◀', U'─', U'┘'};
    for (int i = 0; i < 3; i++)
        cells_put(c, area.x + x - 2 + i, area.y, glyphs[i], ROLE_ARROW, 0);
    cells_put_text(c, area.x + x - 3 - n, area.y, n, str_from(text), ROLE_DIM, 0);
}

/* The counter that changes with each vsync of who made these frames; NULL_U32 where the tracks are
 * not of frames, or it is not known. */
static uint32_t vsync_of(const struct scene *s, const struct track_node *n)
{
    const struct timeline *tl = s->tl;
    const struct table *t = &tl->trace->tables.track;
    if (n->kind != NODE_TRACKS)
        return NULL_U32;
    string_id type = column_str(&t->columns[track_col_type], n->id);
    if (type == NULL_STRING || (type != tl->type_actual_frames && type != tl->type_expected_frames))
        return NULL_U32;
    uint32_t upid = table_u32(t, track_col_upid)[n->id];
    char process[128] = "";
    if (upid < tl->trace->tables.process.rows)
        timeline_process_name(tl, upid, process, sizeof process);
    bool flinger = str_ends(str_from(process), STR("surfaceflinger"));
    return flinger && tl->vsync_sf != NULL_U32 ? tl->vsync_sf : tl->vsync_app;
}

/* Stripes behind frames, from each vsync to the next: where there is room for them. */
static void draw_vsync(struct cells *c, struct rect area, const struct scene *s, uint32_t track)
{
    const struct viewport *v = &s->viewport;
    uint32_t steps = steps_lower_bound(&s->tl->counters, track, viewport_end(v)) -
                     steps_lower_bound(&s->tl->counters, track, v->start);
    for (int cell = 0; cell < v->width && steps < (uint32_t)v->width / 2; cell++) {
        uint32_t p = steps_at(&s->tl->counters, track, viewport_time(v, cell));
        struct cell *at = cells_at(c, area.x + cell, area.y);
        if (p != UINT32_MAX && steps_value(&s->tl->counters, p) > 0 && at &&
            at->role == ROLE_DEFAULT)
            at->ground = ROLE_VSYNC;
    }
}

void draw_track(struct cells *c, struct rect area, const struct scene *s, const struct row *row)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    struct event_source sources[SOURCES_MAX];
    int count = row_sources(s->tl, s->tree, row, sources);
    if (row->key.kind == ROW_LINK) {
        draw_link(c, area, s, row->link);
        return;
    }
    if (row->key.kind == ROW_HEAD && n->kind == NODE_CPUS && timeline_cpus(s->tl, n->id) > 0) {
        draw_cpu_load(c, area, s, n->id);
        return;
    }
    bool folded_process = row->key.kind == ROW_HEAD && n->kind == NODE_PROCESS && !row->open;
    if (count == 0) {
        if (folded_process)
            draw_process_load(c, area, s, n);
        else if (row->key.kind == ROW_HEAD && !row->open && has_running_processes(s, n))
            draw_group_load(c, area, s, n);
        else if (row->key.kind == ROW_HEAD)
            draw_heading(c, area, s, n);
        return;
    }
    struct event_canvas on = {.cells = c, .area = area, .scene = s, .row = row};
    const struct event_source *last = &sources[count - 1];
    if (last->kind->background) {
        on.sources = last;
        on.count = on.min_width = 1;
        last->kind->draw(&on);
        count--;
    }
    on.sources = sources;
    on.count = count;
    on.min_width = folded_process && s->tl->processes[n->id].running > 0 ? 3 : 1;
    if (count > 0)
        sources[0].kind->draw(&on);
    if (folded_process)
        draw_process_load(c, area, s, n);
    uint32_t vsync = vsync_of(s, n);
    if (vsync != NULL_U32)
        draw_vsync(c, area, s, vsync);
}
