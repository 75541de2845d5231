#include <stdlib.h>

#include "base/hash.h"
#include "tui/view/scene.h"

uint16_t slice_role(struct str name)
{
    uint64_t h = 0;
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9')
            h = hash_mix(h, (unsigned char)name.p[i]);
    return role_slice(h >> 17);
}

uint16_t thread_role(const struct timeline *tl, uint32_t utid)
{
    uint32_t upid = timeline_upid(tl, utid);
    return role_slice(hash_u64(upid == NULL_U32 ? utid + UINT64_C(0x100000000) : upid) >> 17);
}

/* An event's look: role and label. */
struct paint {
    uint16_t role;
    uint16_t label_role;
    struct str label;
    char buffer[64];
};

static bool is_matched(const struct scene *s, string_id name)
{
    size_t from = 0, to = s->matched_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->matched[middle] < name)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->matched_count && s->matched[from] == name;
}

static void paint_of(const struct scene *s, const struct event_source *source, uint32_t row,
                     struct paint *out)
{
    const struct timeline *tl = s->tl;
    if (source->kind == EVENT_SCHED) {
        uint32_t utid = table_u32(&tl->trace->tables.sched_slice, sched_slice_col_utid)[row];
        utid = utid < tl->trace->tables.thread.rows ? utid : 0;
        out->role = out->label_role = thread_role(tl, utid);
        timeline_thread_name(tl, utid, out->buffer, sizeof out->buffer);
        out->label = str_from(out->buffer);
        return;
    }
    out->label = source->kind == EVENT_DEBUG ? s->tree->debug.items[source->debug]->names.items[row]
                                             : slice_name(tl, row);
    out->role = out->label_role = slice_role(out->label);
    if (source->kind == EVENT_SLICE && is_matched(s, slice_u32(tl, row, slice_col_name)))
        out->label_role = ROLE_MATCH;
}

/* Idle time on a CPU is a gap, not an event. */
static bool is_idle(const struct scene *s, const struct event_source *source, uint32_t row)
{
    const struct tables *t = &s->tl->trace->tables;
    if (source->kind != EVENT_SCHED)
        return false;
    uint32_t utid = table_u32(&t->sched_slice, sched_slice_col_utid)[row];
    return utid >= t->thread.rows || table_u32(&t->thread, thread_col_is_idle)[utid] == 1 ||
           table_i64(&t->thread, thread_col_tid)[utid] == 0;
}

struct bar {
    struct span span;
    const struct paint *paint;
    bool instant, selected;
    int right; /* eighths of the last cell that are covered */
};

/* "[name ]": what is cut off by the window has no bracket there. */
static void draw_bar_mono(struct cells *c, int x, int y, const struct bar *b)
{
    int w = b->span.c1 - b->span.c0;
    uint16_t role = b->selected ? ROLE_SELECTION : b->paint->role;
    uint16_t label_role = b->selected ? ROLE_SELECTION : b->paint->label_role;
    if (w == 1) {
        cells_put(c, x, y, b->span.count > 1 ? ':' : '|', label_role, 0);
        return;
    }
    cells_fill(c, (struct rect){x, y, w, 1}, ' ', role, 0);
    int from = b->span.begins ? 1 : 0, to = b->span.ends ? w - 1 : w;
    if (b->span.begins)
        cells_put(c, x, y, '[', role, 0);
    if (b->span.ends)
        cells_put(c, x + w - 1, y, ']', role, 0);
    cells_put_text(c, x + from, y, to - from, b->paint->label, label_role, 0);
}

static void draw_bar_colour(struct cells *c, int x, int y, const struct bar *b, bool ascii)
{
    int w = b->span.c1 - b->span.c0;
    uint16_t role = b->selected ? ROLE_SELECTION : b->paint->role;
    uint16_t label_role = b->selected ? ROLE_SELECTION : b->paint->label_role;
    if (w == 1 && b->instant) {
        cells_put(c, x, y, ascii ? '|' : U'╿',
                  b->selected                ? ROLE_SELECTION
                  : label_role == ROLE_MATCH ? ROLE_MATCH
                                             : ROLE_INSTANT,
                  0);
        return;
    }
    if (w == 1) {
        cells_put(c, x, y, b->span.count > 1 ? (ascii ? ':' : U'⁞') : (ascii ? '|' : U'▏'),
                  label_role, 0);
        return;
    }
    cells_fill(c, (struct rect){x, y, w, 1}, ' ', role, 0);
    int from = b->span.begins ? 1 : 0, used = 0;
    if (b->span.begins)
        cells_put(c, x, y, ascii ? '|' : U'▏', role, 0);
    if (w - from >= 2)
        used = cells_put_text(c, x + from, y, w - from, b->paint->label, label_role, 0);
    if (!ascii && b->span.ends && b->right > 0 && b->right < 8 && from + used < w)
        cells_put(c, x + w - 1, y, glyph_left(b->right, false), role, CELL_SOLID);
}

static void draw_bar(struct cells *c, struct rect area, const struct scene *s, const struct bar *b)
{
    int x = area.x + b->span.c0;
    if (s->look.mono)
        draw_bar_mono(c, x, area.y, b);
    else
        draw_bar_colour(c, x, area.y, b, s->look.ascii);
}

static bool is_selected(const struct scene *s, const struct row *row,
                        const struct event_source *source, uint32_t table_row)
{
    const struct event_ref *e = &s->cursor.event;
    const struct row_id *k = &s->cursor.key;
    return e->kind == source->kind && e->row == table_row && e->debug == source->debug &&
           k->node == row->key.node && k->place == row->key.place;
}

static void draw_span(struct cells *c, struct rect area, const struct scene *s,
                      const struct row *row, const struct event_source *source,
                      const struct lanes *l, const struct span *span)
{
    uint32_t table_row = l->rows[span->longest];
    struct paint paint;
    paint_of(s, source, table_row, &paint);
    int64_t end = lanes_end(l, span->longest);
    struct bar bar = {
        .span = *span,
        .paint = &paint,
        .instant = end == lanes_ts(l, span->longest),
        .selected = is_selected(s, row, source, table_row),
        .right = viewport_eighths(&s->viewport, span->c1 - 1, end),
    };
    draw_bar(c, area, s, &bar);
}

/* One lane. Spans narrower than `min_width` are left to what lies behind. */
static void draw_lane(struct cells *c, struct rect area, const struct scene *s,
                      const struct row *row, const struct event_source *source, int min_width)
{
    const struct lanes *l = source_lanes(s->tl, s->tree, source);
    struct span *spans = alloc_array((size_t)s->viewport.width, sizeof *spans);
    int n = lane_spans(l, source->lane, &s->viewport, spans);
    for (int i = 0; i < n; i++)
        if (spans[i].c1 - spans[i].c0 >= min_width &&
            !is_idle(s, source, l->rows[spans[i].longest]))
            draw_span(c, area, s, row, source, l, &spans[i]);
    free(spans);
}

/* Several lanes on one line: the longest events first, the others where room is left. */
struct merged_span {
    struct span span;
    int source;
    int64_t dur;
};

static int compare_merged(const void *a, const void *b)
{
    const struct merged_span *x = a, *y = b;
    if (x->dur != y->dur)
        return x->dur > y->dur ? -1 : 1;
    return x->span.c0 != y->span.c0 ? x->span.c0 - y->span.c0 : x->source - y->source;
}

static void draw_merged(struct cells *c, struct rect area, const struct scene *s,
                        const struct row *row, const struct event_source *sources, int n)
{
    int width = s->viewport.width, count = 0;
    struct span *spans = alloc_array((size_t)width, sizeof *spans);
    struct merged_span *all = alloc_array((size_t)width * SOURCES_MAX, sizeof *all);
    bool *taken = alloc_array((size_t)width, sizeof *taken);
    for (int k = 0; k < n; k++) {
        const struct lanes *l = source_lanes(s->tl, s->tree, &sources[k]);
        int found = lane_spans(l, sources[k].lane, &s->viewport, spans);
        for (int i = 0; i < found; i++)
            all[count++] = (struct merged_span){spans[i], k, lanes_dur(l, spans[i].longest)};
    }
    qsort(all, (size_t)count, sizeof *all, compare_merged);
    for (int i = 0; i < count; i++) {
        struct span span = all[i].span;
        int end = span.c1;
        while (span.c0 < end && taken[span.c0]) {
            span.c0++;
            span.begins = false;
        }
        span.c1 = span.c0;
        while (span.c1 < end && !taken[span.c1])
            taken[span.c1++] = true;
        span.ends &= span.c1 == end;
        const struct event_source *source = &sources[all[i].source];
        if (span.c1 > span.c0)
            draw_span(c, area, s, row, source, source_lanes(s->tl, s->tree, source), &span);
    }
    free(spans);
    free(all);
    free(taken);
}

struct state_look {
    char ascii;
    char32_t glyph;
    uint16_t role;
};

static const struct state_look state_looks[] = {
    [MODE_RUNNING] = {'#', U'█', ROLE_STATE_RUNNING},
    [MODE_RUNNABLE] = {'+', U'▒', ROLE_STATE_RUNNABLE},
    [MODE_SLEEPING] = {'.', U'·', ROLE_STATE_SLEEPING},
    [MODE_BLOCKED] = {'D', U'D', ROLE_STATE_DSTATE},
    [MODE_ENDED] = {' ', U' ', ROLE_DEFAULT},
    [MODE_OTHER] = {'?', U'?', ROLE_STATE_OTHER},
};

static void draw_state(struct cells *c, struct rect area, const struct scene *s, int cell, int to,
                       enum thread_mode mode, bool selected)
{
    const struct state_look *look = &state_looks[mode];
    struct rect r = {area.x + cell, area.y, to - cell, 1};
    bool plain = s->look.mono || s->look.ascii;
    cells_fill(c, r, plain ? (char32_t)look->ascii : look->glyph, look->role, 0);
    if (selected)
        cells_set_ground(c, r, ROLE_SELECTION);
}

/* A cell with several states: how much of it the thread ran, else what it waited for. */
static void draw_state_mix(struct cells *c, struct rect area, const struct scene *s, int cell,
                           uint32_t utid, uint32_t from, uint32_t to)
{
    int64_t t0 = viewport_time(&s->viewport, cell), t1 = viewport_time(&s->viewport, cell + 1);
    int64_t running = timeline_running(s->tl, utid, t0, t1);
    if (running > 0) {
        int eighths = (int)((wide_int)running * 8 / (t1 - t0));
        bool plain = s->look.mono || s->look.ascii;
        if (plain)
            cells_put(c, area.x + cell, area.y,
                      eighths >= 4   ? '#'
                      : eighths >= 1 ? ':'
                                     : ',',
                      ROLE_STATE_RUNNING, 0);
        else
            cells_put(c, area.x + cell, area.y, glyph_bar(eighths < 1 ? 1 : eighths, false),
                      ROLE_STATE_RUNNING, 0);
        return;
    }
    enum thread_mode mode = MODE_SLEEPING;
    for (uint32_t p = from; p < to && p < from + 8; p++) {
        enum thread_mode m = timeline_mode(s->tl, s->tl->states.rows[p]);
        mode = m == MODE_BLOCKED || mode == MODE_SLEEPING ? m : mode;
    }
    draw_state(c, area, s, cell, cell + 1, mode, false);
}

static void draw_states(struct cells *c, struct rect area, const struct scene *s,
                        const struct row *row, uint32_t utid)
{
    const struct lanes *l = &s->tl->states;
    const struct event_source source = {.kind = EVENT_STATE, .lane = utid};
    const struct viewport *v = &s->viewport;
    int cell = 0;
    uint32_t end = l->starts[utid + 1], p = lane_first_in(l, utid, v->start);
    while (cell < v->width && p < end) {
        int64_t t1 = viewport_time(v, cell + 1);
        uint32_t next = lane_lower_bound(l, utid, t1);
        if (next <= p) { /* nothing begins yet: go on to where it does */
            if (lanes_ts(l, p) >= t1) {
                cell = viewport_cell(v, lanes_ts(l, p));
                continue;
            }
            next = p + 1;
        }
        bool lasts = lanes_end(l, next - 1) > t1;
        if (next - p == 1) {
            int64_t last = lanes_end(l, p) - 1;
            int to =
                viewport_cell(v, last) + (viewport_time(v, viewport_cell(v, last) + 1) == last + 1);
            to = to <= cell ? cell + 1 : to > v->width ? v->width : to;
            draw_state(c, area, s, cell, to, timeline_mode(s->tl, l->rows[p]),
                       is_selected(s, row, &source, l->rows[p]));
            cell = to;
            p = lanes_end(l, p) > viewport_time(v, cell) ? p : p + 1;
            continue;
        }
        draw_state_mix(c, area, s, cell, utid, p, next);
        p = lasts ? next - 1 : next;
        cell++;
    }
}

/* Bars of a share 0..1 for each cell. */
static void draw_share(struct cells *c, int x, int y, const struct scene *s, double share,
                       uint16_t role)
{
    int eighths = (int)(share * 8 + 0.5);
    if (share <= 0)
        return;
    cells_put(c, x, y,
              glyph_bar(eighths < 1   ? 1
                        : eighths > 8 ? 8
                                      : eighths,
                        s->look.ascii),
              role, 0);
}

/* How busy a process keeps one CPU, by its most active threads: the others do not show. */
enum { PROCESS_LOAD_THREADS = 8 };

static void draw_process_load(struct cells *c, struct rect area, const struct scene *s,
                              const struct track_node *process)
{
    uint32_t threads[PROCESS_LOAD_THREADS], n = 0;
    for (uint32_t k = process->first_child; k != NO_NODE && n < PROCESS_LOAD_THREADS;
         k = s->tree->nodes.items[k].next) {
        const struct track_node *child = &s->tree->nodes.items[k];
        if (child->kind == NODE_THREAD && s->tl->threads[child->id].running > 0)
            threads[n++] = child->id;
    }
    double *ran = alloc_array((size_t)s->viewport.width, sizeof *ran);
    for (uint32_t k = 0; k < n; k++) {
        int64_t before = timeline_running(s->tl, threads[k], INT64_MIN, s->viewport.start);
        for (int cell = 0; cell < s->viewport.width; cell++) {
            int64_t now = timeline_running(s->tl, threads[k], INT64_MIN,
                                           viewport_time(&s->viewport, cell + 1));
            ran[cell] += (double)(now - before);
            before = now;
        }
    }
    for (int cell = 0; cell < s->viewport.width; cell++) {
        int64_t dur = viewport_time(&s->viewport, cell + 1) - viewport_time(&s->viewport, cell);
        draw_share(c, area.x + cell, area.y, s, ran[cell] / (double)dur, ROLE_CPU_LOAD);
    }
    free(ran);
}

static void draw_cpu_load(struct cells *c, struct rect area, const struct scene *s)
{
    const struct viewport *v = &s->viewport;
    for (int cell = 0; cell < v->width; cell++)
        draw_share(c, area.x + cell, area.y, s,
                   timeline_load(s->tl, viewport_time(v, cell), viewport_time(v, cell + 1)),
                   ROLE_CPU_LOAD);
}

/* The largest level in the track: of an idle counter the deepest state, which is not its maximum.
 */
static double top_level(const struct scene *s, const struct steps *st, uint32_t lane, bool idle)
{
    enum { LOOKED_MAX = 4096, IDLE_STATES = 4 };
    if (!idle)
        return steps_range(st, st->starts[lane], st->starts[lane + 1]).max;
    double top = IDLE_STATES;
    for (uint32_t p = st->starts[lane];
         p < st->starts[lane + 1] && p < st->starts[lane] + LOOKED_MAX; p++) {
        double level = timeline_level(s->tl, lane, steps_value(st, p));
        top = level > top ? level : top;
    }
    return top;
}

static void draw_counter(struct cells *c, struct rect area, const struct scene *s,
                         const struct event_source *source)
{
    const struct steps *st = source_steps(s->tl, s->tree, source);
    uint32_t lane = source->lane;
    if (st->starts[lane] == st->starts[lane + 1])
        return;
    bool idle = source->kind == EVENT_COUNTER && timeline_is_idle_counter(s->tl, lane);
    double low = steps_range(st, st->starts[lane], st->starts[lane + 1]).min;
    low = low < 0 ? low : 0;
    double size = top_level(s, st, lane, idle) - low;
    const struct viewport *v = &s->viewport;
    for (int cell = 0; cell < v->width && size > 0; cell++) {
        struct step_cell k =
            steps_cell(st, lane, viewport_time(v, cell), viewport_time(v, cell + 1));
        if (!k.known)
            continue;
        double level = idle ? timeline_level(s->tl, lane, k.range.max) : k.range.max;
        if (idle && level == 0 && k.range.min < k.range.max)
            level = timeline_level(s->tl, lane, k.range.min);
        draw_share(c, area.x + cell, area.y, s, (level - low) / size, ROLE_COUNTER);
    }
}

/* What an open heading says in place of a track. */
static void draw_heading(struct cells *c, struct rect area, const struct scene *s,
                         const struct track_node *n)
{
    int64_t t0 = s->viewport.start, t1 = viewport_end(&s->viewport), running = 0;
    uint32_t ran = 0;
    if (n->kind != NODE_PROCESS) {
        if (n->kind == NODE_GROUP || n->kind == NODE_COUNTERS)
            cells_put_format(c, area.x + 1, area.y, area.w - 1, ROLE_DIM, 0, "%u track%s",
                             n->children, n->children == 1 ? "" : "s");
        return;
    }
    if (s->tl->processes[n->id].running == 0) {
        cells_put_format(c, area.x + 3, area.y, area.w - 3, ROLE_DIM, 0, "%u thread%s, %u slices",
                         s->tl->processes[n->id].threads,
                         s->tl->processes[n->id].threads == 1 ? "" : "s",
                         s->tl->processes[n->id].slices);
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

/* The arrow's end and what it means, in the cells of the linked thread's heading. */
static void draw_link(struct cells *c, struct rect area, const struct scene *s,
                      const struct link *link)
{
    char text[256];
    struct str name = slice_name(s->tl, link->to);
    int n = snprintf(text, sizeof text, "linked: %.*s (t keeps, x hides)",
                     (int)(name.n < 60 ? name.n : 60), name.n ? name.p : "");
    int x = viewport_cell(&s->viewport, slice_ts(s->tl, link->from));
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

void draw_track(struct cells *c, struct rect area, const struct scene *s, const struct row *row)
{
    const struct track_node *n = &s->tree->nodes.items[row->key.node];
    struct event_source sources[SOURCES_MAX];
    int count = row_sources(s->tl, s->tree, row, sources);
    if (row->key.kind == ROW_LINK) {
        draw_link(c, area, s, row->link);
        return;
    }
    if (row->key.kind == ROW_HEAD && n->kind == NODE_CPUS) {
        draw_cpu_load(c, area, s);
        return;
    }
    bool folded_process = row->key.kind == ROW_HEAD && n->kind == NODE_PROCESS && !row->open;
    if (folded_process)
        draw_process_load(c, area, s, n);
    if (count == 0) {
        if (row->key.kind == ROW_HEAD && !folded_process)
            draw_heading(c, area, s, n);
        return;
    }
    if (source_steps(s->tl, s->tree, &sources[0])) {
        draw_counter(c, area, s, &sources[0]);
        return;
    }
    if (sources[count - 1].kind == EVENT_STATE) {
        draw_states(c, area, s, row, sources[count - 1].lane);
        count--;
    }
    if (count == 1)
        draw_lane(c, area, s, row, &sources[0],
                  folded_process && s->tl->processes[n->id].running > 0 ? 3 : 1);
    else if (count > 1)
        draw_merged(c, area, s, row, sources, count);
}
