#include "base/hash.h"
#include "tui/view/draw_events.h"

uint16_t slice_role(struct str name)
{
    uint64_t h = 0;
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9')
            h = hash_mix(h, (unsigned char)name.p[i]);
    return role_slice(h >> 17);
}

uint16_t process_role(uint32_t upid)
{
    return role_slice(hash_u64(upid) >> 17);
}

uint16_t thread_role(const struct timeline *tl, uint32_t utid)
{
    uint32_t upid = timeline_upid(tl, utid);
    return upid != NULL_U32 ? process_role(upid)
                            : role_slice(hash_u64(utid + UINT64_C(0x100000000)) >> 17);
}

bool event_is_selected(const struct scene *s, const struct row *row,
                       const struct event_source *source, uint32_t table_row)
{
    const struct event_ref *e = &s->cursor.event;
    const struct row_id *k = &s->cursor.key;
    return e->kind == source->kind && e->row == table_row && e->debug == source->debug &&
           k->node == row->key.node && k->place == row->key.place;
}

struct bar {
    struct span span;
    const struct event_paint *paint;
    bool instant, selected;
    int right; /* eighths of the last cell that are covered */
};

/* "[name ]": what is cut off by the window has no bracket there. Load that is drawn over the bar
 * tells its brackets from those of names by CELL_SOLID. */
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
        cells_put(c, x, y, '[', role, CELL_SOLID);
    if (b->span.ends)
        cells_put(c, x + w - 1, y, ']', role, CELL_SOLID);
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

static void draw_span(const struct event_canvas *on, const struct event_source *source,
                      const struct span *span)
{
    const struct scene *s = on->scene;
    const struct lanes *l = source_lanes(s->tl, s->tree, source);
    uint32_t table_row = lanes_row(l, span->longest);
    struct event_paint paint;
    if (!source->kind->paint(s, source, table_row, &paint))
        return;
    int64_t end = lanes_end(l, span->longest);
    struct bar bar = {
        .span = *span,
        .paint = &paint,
        .instant = end == lanes_ts(l, span->longest),
        .selected = event_is_selected(s, on->row, source, table_row),
        .right = viewport_eighths(&s->viewport, span->c1 - 1, end),
    };
    draw_bar(on->cells, on->area, s, &bar);
}

/* Whether lanes stay as they are: those of the trace do, a query's track may be filled later. */
static bool is_of_trace(const struct timeline *tl, const struct lanes *l)
{
    return l == &tl->slices || l == &tl->states || l == &tl->sched;
}

struct shown_list row_spans(const struct scene *s, const struct event_source *sources, int count)
{
    struct shown_lane lanes[SOURCES_MAX];
    bool keep = true;
    for (int i = 0; i < count; i++) {
        lanes[i] = (struct shown_lane){source_lanes(s->tl, s->tree, &sources[i]), sources[i].lane};
        keep &= is_of_trace(s->tl, lanes[i].lanes);
    }
    return shown_spans_find(s->shown, &s->viewport, lanes, count, keep);
}

void draw_bars(const struct event_canvas *on)
{
    struct shown_list shown = row_spans(on->scene, on->sources, on->count);
    for (int i = 0; i < shown.count; i++) {
        const struct span *span = &shown.items[i].span;
        if (on->count > 1 || span->c1 - span->c0 >= on->min_width)
            draw_span(on, &on->sources[shown.items[i].lane], span);
    }
}
