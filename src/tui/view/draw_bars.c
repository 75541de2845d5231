#include <stdlib.h>

#include "base/alloc.h"
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

static void draw_span(struct cells *c, struct rect area, const struct scene *s,
                      const struct row *row, const struct event_source *source,
                      const struct lanes *l, const struct span *span)
{
    uint32_t table_row = lanes_row(l, span->longest);
    struct event_paint paint;
    if (!source->kind->paint(s, source, table_row, &paint))
        return;
    int64_t end = lanes_end(l, span->longest);
    struct bar bar = {
        .span = *span,
        .paint = &paint,
        .instant = end == lanes_ts(l, span->longest),
        .selected = event_is_selected(s, row, source, table_row),
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
        if (spans[i].c1 - spans[i].c0 >= min_width)
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
    struct merged_span *all = alloc_array((size_t)width * (size_t)n, sizeof *all);
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

void draw_bars(struct cells *c, struct rect area, const struct scene *s, const struct row *row,
               const struct event_source *sources, int count, int min_width)
{
    if (count == 1)
        draw_lane(c, area, s, row, &sources[0], min_width);
    else
        draw_merged(c, area, s, row, sources, count);
}
