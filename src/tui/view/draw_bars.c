#include "base/hash.h"
#include "tui/view/draw_events.h"

#include "text/name_family.h"

uint16_t slice_role(struct str name)
{
    return role_slice(name_family_hash(name) >> 17);
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

/* The more instants, the brighter: so many at least. */
static char32_t crowd_glyph(uint32_t count, bool ascii)
{
    static const struct {
        uint32_t least;
        char32_t glyph, ascii;
    } crowds[] = {{65, U'█', '&'}, {17, U'▓', '!'}, {5, U'▒', ';'}, {2, U'░', ':'}};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++)
        if (count >= crowds[i].least)
            return ascii ? crowds[i].ascii : crowds[i].glyph;
    return ascii ? '|' : U'╿';
}

/* In ASCII a bar that cannot be taken for a state. */
static char32_t busy_glyph(double busy, bool ascii)
{
    static const char plain[] = "_-=%";
    int eighths = (int)(busy * 8 + 0.5);
    eighths = eighths < 1 ? 1 : eighths > 8 ? 8 : eighths;
    return ascii ? (char32_t)plain[(eighths - 1) / 2] : glyph_bar(eighths, false);
}

void draw_narrow(const struct event_canvas *on, int cell, uint32_t count, double busy,
                 uint16_t role)
{
    const struct look *look = &on->scene->look;
    bool marked = role == ROLE_SELECTION || role == ROLE_MATCH; /* by the whole cell */
    char32_t glyph = busy > 0 ? busy_glyph(busy, look->ascii) : crowd_glyph(count, look->ascii);
    bool full = glyph == U'█' && !look->mono; /* as bars are filled, in fewer bytes */
    cells_put(on->cells, on->area.x + cell, on->area.y, full ? ' ' : glyph, role,
              marked || full || look->mono ? 0 : CELL_SOLID | CELL_SHADED);
}

struct bar {
    struct span span;
    const struct event_paint *paint;
    bool selected;
    int right; /* eighths of the last cell that are covered */
};

/* "[name ]": what is cut off by the window has no bracket there. Load that is drawn over the bar
 * tells its brackets from those of names by CELL_SOLID. */
static void draw_bar_mono(struct cells *c, int x, int y, const struct bar *b)
{
    int w = b->span.c1 - b->span.c0;
    uint16_t role = b->selected ? ROLE_SELECTION : b->paint->role;
    uint16_t label_role = b->selected ? ROLE_SELECTION : b->paint->label_role;
    cells_fill(c, (struct rect){x, y, w, 1}, ' ', role, 0);
    int from = b->span.begins ? 1 : 0, to = b->span.ends ? w - 1 : w;
    if (b->span.begins)
        cells_put(c, x, y, '[', role, CELL_SOLID);
    if (b->span.ends)
        cells_put(c, x + w - 1, y, ']', role, CELL_SOLID);
    cells_put_text(c, x + from, y, to - from, b->paint->label, label_role, 0);
}

enum { LABEL_LEAST = 3 }; /* cells in which a name says something */

static void draw_bar_colour(struct cells *c, int x, int y, const struct bar *b, bool ascii)
{
    int w = b->span.c1 - b->span.c0;
    uint16_t role = b->selected ? ROLE_SELECTION : b->paint->role;
    uint16_t label_role = b->selected ? ROLE_SELECTION : b->paint->label_role;
    cells_fill(c, (struct rect){x, y, w, 1}, ' ', role, 0);
    int from = b->span.begins ? 1 : 0, used = 0;
    if (b->span.begins)
        cells_put(c, x, y, ascii ? '|' : U'▏', role, 0);
    if (w - from >= LABEL_LEAST)
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

/* In the colour of what takes most of the cell; a hit of the search goes before that. */
static void draw_narrow_span(const struct event_canvas *on, const struct event_source *source,
                             const struct span *span)
{
    const struct scene *s = on->scene;
    const struct lanes *l = source_lanes(s->tl, s->tree, source);
    uint32_t longest = lanes_row(l, span->longest);
    struct event_paint paint;
    if (!source->kind->paint(s, source, longest, &paint))
        return;
    uint16_t role = event_is_selected(s, on->row, source, longest) ? ROLE_SELECTION
                    : paint.label_role == ROLE_MATCH               ? ROLE_MATCH
                    : span->busy[0] <= 0 && span->count == 1       ? ROLE_INSTANT
                                                                   : paint.role;
    if (role == paint.role && span->most != span->longest &&
        source->kind->paint(s, source, lanes_row(l, span->most), &paint))
        role = paint.role;
    for (int c = span->c0; c < span->c1; c++)
        draw_narrow(on, c, span->count, span->busy[c - span->c0], role);
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
        const struct event_source *source = &on->sources[shown.items[i].lane];
        if (span->c1 - span->c0 < on->min_width && on->count == 1)
            continue;
        if (span->c1 - span->c0 <= SPAN_NARROW)
            draw_narrow_span(on, source, span);
        else
            draw_span(on, source, span);
    }
}
